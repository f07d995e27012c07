"""What the commands share: the game that is played, and players as text."""

from __future__ import annotations

import importlib
import os
import sys
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from agents import make

from ..model import CarcassonneModel

Tiles = Annotated[str, typer.Option(help='"base" (72 tiles) or "small" (24 tiles)')]
Meeples = Annotated[int, typer.Option(help="of each player, 1 to 7")]
KnownOrder = Annotated[bool, typer.Option("--known-order", help="all know the order of the tiles")]
Seed = Annotated[int, typer.Option(help="of the game and the players")]


@dataclass(frozen=True)
class Variant:
    """A game: a function of a seed, as `agents.arena` takes it."""

    num_players: int
    tiles: str
    meeples: int
    known_order: bool

    def __call__(self, seed: int) -> CarcassonneModel:
        """The start of the game."""
        return CarcassonneModel(
            self.num_players,
            self.meeples,
            self.tiles,
            self.known_order,
            seed if self.known_order else None,
        )

    @property
    def name(self) -> str:
        """As the ids of the environments: "2p-7m-base-s"."""
        order = "d" if self.known_order else "s"
        return f"{self.num_players}p-{self.meeples}m-{self.tiles}-{order}"


def player_of(text: str) -> Any:
    """What a text names: a specification, which stays as it is, or ``module:name``.

    Raises:
        ValueError: If there is no such thing.
    """
    module, colon, name = text.partition(":")
    if not colon or "(" in module:
        make(text)  # raises
        return text
    if os.getcwd() not in sys.path:  # stays, as worker processes take the path over
        sys.path.insert(0, os.getcwd())
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"player {text!r} cannot be imported: {error}") from error
