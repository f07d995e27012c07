"""``play``: a game against planners or between planners, as text."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from .options import Game, Seed, named_game, player_of

if TYPE_CHECKING:
    from agents.forward_model import ForwardModel
    from agents.game import GameRecord, Ply

BAR_DELAY = 0.2
"""Seconds before the progress bar appears; what is refused at once is then told without one."""
Model = TypeVar("Model", bound="ForwardModel")


def play(
    players: Annotated[
        list[str], typer.Argument(help='players in order of play; "me" is you at the keyboard')
    ],
    game: Game = None,
    seed: Seed = None,
    out: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="folder to which position.svg and .png are written"),
    ] = None,
) -> None:
    """Play against planners, or let planners play.

    python -m agents play --game reversi me "mcts(c=1.4, iterations=1000)"

    Type a move as the list of legal moves shows it; ? explains the rest.
    """
    from agents.pictures import check_pixels, save
    from agents.playing.players import PERSON, names_of

    from .person import Left, Person

    seed = seed_or_random(seed)
    model = named_game(game)(seed)
    names = names_of(players)
    seated = [
        Person(name) if text == PERSON else player_of(text)
        for name, text in zip(names, players, strict=True)
    ]
    if out is not None:
        if not hasattr(model, "_repr_svg_"):
            name = type(model).__name__
            raise ValueError(f"--out needs a game with pictures, and {name} has no _repr_svg_")
        check_pixels()
        out.mkdir(parents=True, exist_ok=True)
    try:
        last, record = play_on(
            model, seated, seed, lambda _, ply: ply_words(ply, names), has_bar=PERSON not in players
        )
    except Left as left:
        last = left.model
        print("The game was not finished.")
    else:
        print("", last, "", *_result_words(record.returns, names), sep="\n")
    print(f"Seed: {seed}")
    if out is not None:
        for path in (out / "position.svg", out / "position.png"):
            save(last._repr_svg_(), path)  # type: ignore[attr-defined]  # as checked above
            print(f"Picture: {path}")


def _result_words(returns: Sequence[float], names: Sequence[str]) -> list[str]:
    """The return of each player, and who won; a line each."""
    lines = [f"{name}: return {value:.4g}" for name, value in zip(names, returns, strict=True)]
    winners = [name for name, value in zip(names, returns, strict=True) if value == max(returns)]
    if len(names) == 1:
        return lines
    if len(winners) == len(names):
        return [*lines, "Draw: all returns are equal"]
    return [*lines, *(f"Winner: {name}" for name in winners)]


def seed_or_random(seed: int | None) -> int:
    """The seed; a random one for None."""
    return secrets.randbelow(2**31) if seed is None else seed


def play_on(
    model: Model,
    players: Sequence[Any],
    seed: int,
    words: Callable[[Model, Ply], str],
    *,
    total: int | None = None,
    unit: str = "move",
    done: Callable[[Model], int] | None = None,
    has_bar: bool = True,
) -> tuple[Model, GameRecord]:
    """Plays to the end with a progress bar, and prints `words` for each ply unless they are "".

    ``total`` is the length of the game in units of the bar, None if nobody knows, and `done` tells
    how many of them a position has behind it; None counts the moves. The last position is returned
    with the record.
    """
    from agents.forward_model import CHANCE
    from agents.game import play_game
    from agents.progress import progress_bar

    last, num_moves = model, 0
    hidden: dict[str, Any] = {} if has_bar else {"disable": True}
    with progress_bar(total=total, unit=unit, desc="game", delay=BAR_DELAY, **hidden) as bar:

        def tell(position: Model, ply: Ply) -> None:
            nonlocal last, num_moves
            last, num_moves = position, num_moves + (ply.player != CHANCE)
            bar.update((num_moves if done is None else done(position)) - bar.n)
            if line := words(position, ply):
                bar.write(line)

        record = play_game(model, players, seed, watch=tell)
        bar.update(0 if done is None else done(last) - bar.n)
    return last, record


def ply_words(ply: Ply, names: Sequence[str]) -> str:
    """A ply in the game's words, with what a search found."""
    from agents.forward_model import CHANCE

    if ply.player == CHANCE:
        return f"chance: {ply.move}"
    value = [] if ply.value is None else [f"value {ply.value:+.3f}"]
    visits = [] if ply.visits is None else [f"{ply.visits:,} visits"]
    found = ", ".join(value + visits)
    return f"{names[ply.player]}: {ply.move}{found and f'; {found}'}"
