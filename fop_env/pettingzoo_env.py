"""The Function Optimisation Problem as a PettingZoo environment (AEC)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.aec_base import AECBase

from .model import FopModel
from .observation import METADATA, FopEpisode, observe
from .problem import Function


class FopAECEnv(FopEpisode, AECBase[FopModel]):
    """Cut an interval in turns: ``player_0`` seeks a high function value, ``player_1`` a low one.

    ## Description
    The game is that of ``FopEnv``, with one or two players who choose in turns. When the interval
    is shorter than the threshold, ``player_0`` wins with probability f, the value of the function
    at the centre of the interval.

    ## Action Space and Observation Space
    They are those of ``FopEnv`` for both players. The mask is 0 for the player who is not to move.

    ## Rewards
    Rewards are 0 before the end. At the end, ``player_0`` gets 1 with probability f and else 0;
    ``player_1`` gets the same with a minus sign.

    ## Episode End and Information
    Both players terminate together when the interval is shorter than the threshold. The ``infos``
    are those of ``FopEnv``, without the mask.

    ## Arguments
    - function, branching, threshold, dimensions: see ``FopModel``.
    - num_players: 1 or 2 (default).
    - render_mode: None (default), "ansi" (text), "rgb_array" (uint8[400, 600, 3]) or "human" (a
      window); the last two need the extra ``render``.

    ## Copies
    ``clone()``, ``copy.deepcopy`` and pickle keep the position. ``model`` is the forward model that
    planners search. You may read and clone it, but must not apply actions to it.

    ## Version History
    - v0: first release.
    """

    metadata = {**METADATA, "name": "fop_v0", "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self,
        function: str | Function = "f1",
        branching: int = 2,
        threshold: float = 1e-5,
        dimensions: int = 1,
        num_players: int = 2,
        *,
        render_mode: str | None = None,
    ) -> None:
        start = FopModel(function, branching, threshold, dimensions, num_players)
        self._prepare(start, render_mode)
        self._seat_players(num_players)
        self.state_space = self.new_observation_space()["observation"]

    def state(self) -> NDArray[np.float32]:
        """The position, which all players see: the array ``observation`` of their observations."""
        return observe(self.model)["observation"]


env = raw_env = FopAECEnv
"""The usual names in PettingZoo. There are no wrappers, because the environment checks actions."""
