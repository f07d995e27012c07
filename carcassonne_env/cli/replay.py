"""``carcassonne replay``: a saved or recorded game as a page or pictures, and what it lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agents.checks import check_choice, check_count
from agents.cli.options import player_of
from agents.cli.play import BAR_DELAY
from agents.files import check_writable
from agents.playing import MAX_SEARCHES, SEARCHES
from agents.playing.page_words import ENGLISH, languages

from .options import recorded

if TYPE_CHECKING:
    from ..replaying import MoveLoss, SavedGame


def replay(
    file: Annotated[
        Path,
        typer.Argument(
            help="the game: a saved game, also of JCloisterZone 5 (.jcz), or with --row the table "
            "of a tournament"
        ),
    ],
    row: Annotated[
        int | None, typer.Option(min=0, help="row of the game in the table, from 0")
    ] = None,
    analyse: Annotated[
        str | None, typer.Option(help="planner or level that finds better moves, such as strongest")
    ] = None,
    searches: Annotated[
        int, typer.Option(min=1, max=MAX_SEARCHES, help="searches of each position")
    ] = SEARCHES,
    seed: Annotated[int, typer.Option(min=0, help="seed of that planner")] = 0,
    moves: Annotated[int, typer.Option(min=1, help="number of bad moves to list")] = 10,
    out: Annotated[Path, typer.Option(help="file to which the page is written")] = Path(
        "replay.html"
    ),
    language: Annotated[
        str, typer.Option(help=f"language of the page: {', '.join(languages())}")
    ] = ENGLISH,
    gif: Annotated[Path | None, typer.Option(help="file for the game as an animated GIF")] = None,
    picture: Annotated[
        Path | None, typer.Option(help="file (.svg or .png) for the position after --move")
    ] = None,
    move: Annotated[
        int | None, typer.Option(min=0, help="number of moves before the picture; default: all")
    ] = None,
) -> None:
    """Write a page on which one steps through a game, and find the moves that lost points.

    carcassonne replay game.json --out replay.html --gif game.gif

    carcassonne replay game.json --analyse "strongest(time_limit=1)"

    carcassonne replay game.jcz --analyse "strongest(time_limit=1)"

    carcassonne replay results/tournament.csv --row 3 --picture last.png
    """
    from agents.pictures import ANIMATIONS, PICTURES, check_suffix

    from ..jcloisterzone.messages import load
    from ..replaying import replay as replay_of
    from ..replaying.pictures import save_animation, save_picture

    game = load(file) if row is None else recorded(file, row)
    check_choice("language", language, languages())
    last = len(game.moves())
    move = check_count("move", move, 0, last, also=None)
    for path, suffixes in ((picture, PICTURES), (gif, ANIMATIONS)):
        if path is not None:
            check_suffix(path, suffixes)
    for path in filter(None, (out, picture, gif)):
        check_writable(path)
        if path.exists() and path.samefile(file):
            raise ValueError(f"the file of the game must stay, got {str(path)!r} to write to")
    losses = [] if analyse is None else analysed(game, analyse, seed, searches)
    if analyse is not None:
        show_losses(game, losses, moves)
    replay_of(game, losses).to_html(out, language)
    print(f"Page: {out}")
    if picture is not None:
        save_picture(game, last if move is None else move, picture)
        print(f"Picture: {picture}")
    if gif is not None:
        save_animation(game, gif)
        print(f"Animation: {gif}")


def analysed(game: SavedGame, planner: str, seed: int, searches: int) -> list[MoveLoss]:
    """What the moves lost, with a progress bar; Ctrl-C ends the analysis with what it has."""
    from agents.progress import progress_bar

    from ..play.players import player_text
    from ..replaying import analyse_game

    losses = analyse_game(game, player_of(player_text(planner)), seed, searches=searches)
    options = {"desc": "analysis", "total": len(game.moves()), "unit": "move", "delay": BAR_DELAY}
    return list(until_interrupted(progress_bar(losses, **options)))


def until_interrupted(losses: Iterable[MoveLoss]) -> Iterator[MoveLoss]:
    """Yields what there is until Ctrl-C."""
    try:
        yield from losses
    except KeyboardInterrupt:
        print("The analysis was interrupted; what follows is about the moves before.")


def show_losses(game: SavedGame, losses: list[MoveLoss], count: int) -> None:
    """Prints what each player lost, and the worst moves."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ..play.words import move_words
    from ..replaying.analysis import lost_points, worst
    from .search_tables import right

    table = Table("player", *right("points", "bad moves"))
    table.title = "Points lost, by the planner's expectation"
    bad = worst(losses)
    for player, (loss, error) in enumerate(lost_points(losses, len(game.players))):
        number = sum(move.player == player for move in bad)
        table.add_row(Text(game.players[player]), points_words(loss, error), str(number))
    console = Console()
    console.print(table)
    table = Table(*right("move"), "player", "tile", "played", "better", *right("points"))
    table.title = "Where points were lost"
    for move in bad[:count]:
        words = move_words(move.played), "" if move.better is None else move_words(move.better)
        points = points_words(move.loss, move.standard_error)
        who = Text(game.players[move.player])
        table.add_row(str(move.number), who, move.tile, *words, points)
    console.print(table)


def points_words(points: float, error: float) -> str:
    """Points with their standard error, if there is one."""
    return f"{points:.1f} ± {error:.1f}" if error > 0 else f"{points:.1f}"
