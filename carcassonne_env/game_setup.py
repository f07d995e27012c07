"""Kinds of games by name, such as "2p-7m-base-s"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .model import CarcassonneModel

_NAME = re.compile(r"([1-5])p-(0|[1-9][0-9]{0,2})m-(base|small)-([ds])")


@dataclass(frozen=True)
class Setup:
    """A kind of game. Calling it with a seed starts a game.

    Attributes:
        num_players: Number of players, 1 to 5.
        num_meeples: Number of meeples of each player, 0 to 255.
        tiles: "base" (72 tiles) or "small" (24 tiles).
        known_order: Whether the players know the order of the tiles. The seed then fixes it.
    """

    num_players: int = 2
    num_meeples: int = 7
    tiles: str = "base"
    known_order: bool = False

    def __call__(self, seed: int) -> CarcassonneModel:
        """The start of a game."""
        kind = self.num_players, self.num_meeples, self.tiles, self.known_order
        return CarcassonneModel(*kind, seed)

    @property
    def name(self) -> str:
        """The name: players, meeples, tiles, and "d" if their order is known, else "s"."""
        order = "d" if self.known_order else "s"
        return f"{self.num_players}p-{self.num_meeples}m-{self.tiles}-{order}"

    @staticmethod
    def named(name: str) -> Setup:
        """The setup with this `name`; no other text stands for it.

        Raises:
            ValueError: If the text is not the name of a setup, or the game has no such setup.
        """
        if (match := _NAME.fullmatch(name)) is None:
            raise ValueError(f"a game's name must be like '2p-7m-base-s', got {name!r:.80}")
        players, meeples, tiles, order = match.groups()
        setup = Setup(int(players), int(meeples), tiles, order == "d")
        setup(0)  # refuses numbers beyond the game's limits
        return setup
