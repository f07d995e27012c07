"""Carcassonne as a game of OpenSpiel. Importing this module registers `python_carcassonne`.

>>> import pyspiel
>>> import carcassonne_env.openspiel
>>> game = pyspiel.load_game("python_carcassonne(num_players=3,tiles=small)")
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.adapters.openspiel_game import View, register

from .encoding import Encoder
from .model import CarcassonneModel
from .tiles import LETTERS


class _View(View[CarcassonneModel]):
    """The actions and observations of the environments.

    The observation is "planes", see `Encoder.merged`: float32[planes, rows, columns] in [0, 1].
    """

    def __init__(self, start: CarcassonneModel, parameters: Mapping[str, Any]) -> None:
        mode, size = parameters["action_mode"], start.board_size
        self.encoder = Encoder(start.num_tiles, start.num_players, mode, size, "planes")
        self.num_actions = self.encoder.num_actions
        self.num_outcomes = 0 if start.is_deterministic else len(LETTERS)

    def legal_actions(self, model: CarcassonneModel) -> list[int]:
        mask = self.encoder.mask(model).view(np.bool_)  # found ten times as fast
        return np.flatnonzero(mask).tolist()

    def action(self, model: CarcassonneModel, number: int) -> int:
        action = self.encoder.decode(model, number)
        if action is None:
            raise ValueError(f"action {number} is not legal in {model!r}")
        return action

    def observation(self, model: CarcassonneModel, player: int) -> NDArray[np.float32]:
        return self.encoder.merged(model, player)


def make(
    num_players: int = 2,
    num_meeples: int = 7,
    tiles: str = "base",
    deterministic: bool = False,
    board_size: int = 0,
    action_mode: str = "flat",
    seed: int = 0,
) -> CarcassonneModel:
    """A game at its start.

    Args:
        num_players: Number of players, 1 to 5.
        num_meeples: Meeples of each player.
        tiles: "base" or "small".
        deterministic: Whether the order of the tiles, which follows from the seed, is known.
        board_size: Side, in cells, of the square that bounds the board; 0 for no bound.
        action_mode: "flat", "two_step" or "index": see `Encoder`.
        seed: Seed of the order of the tiles, where it is known.
    """
    two_step, bound = action_mode == "two_step", board_size or None
    given = num_players, num_meeples, tiles, deterministic, seed
    return CarcassonneModel(*given, two_step=two_step, board_size=bound)


register(
    "python_carcassonne",
    make,
    view=_View,
    num_players=(1, 5),
    is_zero_sum=True,
    max_game_length=lambda start: 2 * start.num_tiles,
)
