"""Observations, infos and pictures of a position, and an episode: the same in all environments."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agents.env_base import EnvironmentBase, Observation, space_with_mask
from agents.pictures import rasterize
from agents.rng import Rng
from agents.window import RENDER_MODES, installed_modes

from .model import FopModel
from .picture import position_svg

METADATA = {"render_modes": installed_modes(), "render_fps": 4}
FRAME = (600, 400)
"""Width and height of rendered pictures in pixels."""


def observe(model: FopModel, *, is_to_move: bool = True) -> Observation:
    """The observation of a position, in new arrays; who is not to move has no legal action."""
    numbers = [*chain.from_iterable(model.intervals), model.depth / model.num_levels]
    mask = np.empty(model.num_actions, np.int8)
    mask.fill(is_to_move and not model.is_terminal())  # np.full takes twice as long
    return {"observation": np.array(numbers, np.float32), "action_mask": mask}


class FopEpisode(EnvironmentBase[FopModel]):
    """An episode, for one learner or for several."""

    def _prepare(self, start: FopModel, render_mode: str | None) -> None:
        self._start = start
        self._show_in("Function Optimisation Problem", render_mode, RENDER_MODES)

    def new_action_space(self) -> spaces.Discrete:
        """A new action space."""
        return spaces.Discrete(self._start.num_actions)

    def new_observation_space(self) -> spaces.Dict:
        """A new observation space."""
        return space_with_mask((2 * self._start.dimensions + 1,), self._start.num_actions)

    def _begin(self, is_new_stream: bool, asked: Any) -> None:
        self.rng = Rng(self.np_random)
        self._model = self._start.clone()

    def _observe(self, player: int, is_to_move: bool) -> Observation:
        return observe(self.model, is_to_move=is_to_move)  # says if there is none yet

    def _info(self, *, is_illegal: bool = False) -> dict[str, Any]:
        """The position; ``value`` is the function at the interval's centre."""
        model = self._model
        value = model.heuristic(0, "centre")
        return {"depth": model.depth, "centre": np.array(model.centre), "value": value}

    def _pixels(self) -> NDArray[np.uint8]:
        return rasterize(position_svg(self.model.evaluate, self.model.intervals), *FRAME)
