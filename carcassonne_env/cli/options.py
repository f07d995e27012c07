"""Options of the game that several commands share, and games from tables of tournaments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from ..replaying import SavedGame

Tiles = Annotated[
    Literal["base", "small"], typer.Option(help="tile set: base has 72 tiles, small 24")
]
Meeples = Annotated[int, typer.Option(min=1, max=7, help="meeples of each player")]
KnownOrder = Annotated[
    bool, typer.Option("--known-order", help="players know the order of the tiles")
]


def recorded(table: Path, row: int) -> SavedGame:
    """The game in a row, counted from 0, of the CSV table of a tournament; else ValueError."""
    from agents.arena import num_columns, record_of
    from agents.csv_tables import read_table

    from ..game_setup import Setup
    from ..replaying import SavedGame

    try:
        games = read_table(table)
    except ValueError as error:  # parser errors and others
        raise ValueError(f"{table} is not a CSV table: {error}") from error
    if not {"game", "seed", "plies", "seconds"} <= set(games.columns):
        raise ValueError(
            f"{table} is not the table of a tournament: its columns are {list(games.columns)}"
        )
    if row >= len(games):
        raise ValueError(f"row must be in [0, {len(games) - 1}], got {row}")
    game = games.iloc[row]
    try:
        players = [str(game[f"seat_{i}"]) for i in range(num_columns(game, "seat"))]
        actions = [ply.action for ply in record_of(game).plies]
        return SavedGame.of(Setup.named(str(game["game"])), players, actions, int(game["seed"]))
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"row {row} of {table} holds no game: {error}") from error
