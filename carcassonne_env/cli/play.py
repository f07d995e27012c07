"""``carcassonne play``: a game against planners or between planners."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from agents.cli.options import Seed, games_folder
from agents.cli.play import seed_or_random
from agents.files import check_writable

from ..play.levels import LEVELS
from .options import KnownOrder, Meeples, Tiles

Players = Annotated[
    list[str] | None,
    typer.Argument(
        help='1 to 5 players in order of play; "me" is you at the keyboard, '
        f"and levels are {', '.join(LEVELS)}",
        show_default=False,
    ),
]


def play(
    players: Players = None,
    tiles: Tiles = "base",
    meeples: Meeples = 7,
    known_order: KnownOrder = False,
    seed: Seed = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="show a game of planners on the screen")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="folder to which board.svg and board.png are written"),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="file to which the game is written; games on the screen have one anyway"),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="file of a game to go on with; it has its own players and tiles"),
    ] = None,
) -> None:
    """Play against planners, or let planners play.

    carcassonne play me casual

    carcassonne play me "strongest(time_limit=1)"

    carcassonne play --resume game.json

    carcassonne play "mcts(c=0.5, iterations=10000)" --tiles small --meeples 3 --save game.json

    Games on the screen are written to the folder that the environment variable CARCASSONNE_GAMES
    names, or else to one for this program, whether they are finished or not.
    """
    from agents.pictures import check_pixels, save as save_picture
    from agents.playing.game_file import new_name, path_of
    from agents.playing.players import PERSON, names_of, players_of

    from ..game_setup import Setup
    from ..replaying import SavedGame
    from .games import (
        play_as_text,
        play_on_screen,
        seat_of,
        seats_of_file,
        tell_file,
        tell_result,
    )

    seed = seed_or_random(seed)
    if resume is not None:
        game = SavedGame.load(resume)
        texts = players or players_of(game.players)
    else:
        if not players:
            raise ValueError("name 1 to 5 players, such as: carcassonne play me casual")
        texts = players
        setup = Setup(len(texts), meeples, tiles, known_order)
        game = SavedGame.of(setup, texts, (), seed)
    seated = [seat_of(text) for text in texts] if players else seats_of_file(texts)
    is_on_screen = watch or PERSON in texts
    streams = sys.stdin, sys.stdout  # None if they are closed
    if is_on_screen and not all(stream and stream.isatty() for stream in streams):
        raise ValueError("players 'me' and the option --watch need a terminal")
    path = save or resume
    if path is None and is_on_screen:
        path = path_of(games_folder("carcassonne"), new_name(seed))
    game = replace(game, players=names_of(texts))
    pictures = [] if out is None else [out / "board.svg", out / "board.png"]
    if pictures:
        check_pixels()
    for file in [*pictures, *([] if path is None else [path])]:
        file.parent.mkdir(parents=True, exist_ok=True)
        check_writable(file)
    if is_on_screen:
        assert path is not None
        game = play_on_screen(game, seated, seed, path)
    else:
        game = play_as_text(game, seated, seed)
    *_, model = game.positions()
    tell_result(model, game.players)
    print(f"Seed: {seed}")
    if path is not None and game.actions:
        game.save(path)
        tell_file(path, texts, is_over=model.is_terminal())
    for picture in pictures:
        save_picture(model._repr_svg_(), picture)
        print(f"Picture: {picture}")
