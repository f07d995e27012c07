"""A kind of game as one word, from which games of any seed start."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .model import CarcassonneModel

_NAME = re.compile(r"([1-5])p-(\d+)m-(base|small)-([ds])")


@dataclass(frozen=True)
class Setup:
    """How many play, with what; called with a seed it is a game that starts.

    Attributes:
        num_players: 1 to 5.
        num_meeples: Of each player.
        tiles: "base" (72 tiles) or "small" (24 tiles).
        known_order: Whether all know the order of the tiles, which the seed then gives.
    """

    num_players: int = 2
    num_meeples: int = 7
    tiles: str = "base"
    known_order: bool = False

    def __call__(self, seed: int) -> CarcassonneModel:
        """The start of a game."""
        return CarcassonneModel(
            self.num_players,
            self.num_meeples,
            self.tiles,
            self.known_order,
            seed if self.known_order else None,
        )

    @property
    def name(self) -> str:
        """Like "2p-7m-base-s": players, meeples, tiles, and "d" if their order is known."""
        order = "d" if self.known_order else "s"
        return f"{self.num_players}p-{self.num_meeples}m-{self.tiles}-{order}"

    @staticmethod
    def named(name: str) -> Setup:
        """The setup of a name.

        Raises:
            ValueError: If it is none.
        """
        if (match := _NAME.fullmatch(name)) is None:
            raise ValueError(f"a game's name must be like '2p-7m-base-s', got {name!r}")
        players, meeples, tiles, order = match.groups()
        return Setup(int(players), int(meeples), tiles, order == "d")
