"""The Function Optimisation Problem as a Gymnasium environment."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agents.checks import check_choice
from agents.rng import Rng
from agents.window import RENDER_MODES, Window, installed_modes

from .model import FopModel
from .observation import (
    PACKAGES,
    RENDER_FPS,
    Observation,
    checked_action,
    describe,
    observation_space,
    observe,
    render,
)
from .problem import Function

REWARDS = ("sampled", "expected")


class FopEnv(gymnasium.Env[Observation, np.int64]):
    """Find the maximum of a function on [0, 1] by choosing one of k parts again and again.

    ## Description
    The interval [0, 1] is cut into k equal parts. The chosen part is cut again, and so on, until
    the interval is shorter than the threshold. The value f of the function at the centre of the
    last interval is the probability of the reward 1. The ids ``FOP-f1`` to ``FOP-f5`` use two
    parts, the threshold 1e-5 (17 choices) and the five functions of the published experiments.
    ``FOP/f1-v0`` and so on are the same with a version.

    ## Action Space
    ``Discrete(k)``: the number of the part to keep, from left to right. In two dimensions
    ``Discrete(k * k)``: ``x + k * y``, with the parts x and y of the two dimensions. All actions
    are legal until the end.

    ## Observation Space
    A ``Dict``:

    - ``observation``: float32[2 * dimensions + 1] in [0, 1]: the lower and upper bound of the
      interval in each dimension, then the share of the choices that have been made.
    - ``action_mask``: int8[number of actions], all 1; at the end all 0.

    ## Starting State
    The whole interval, or square.

    ## Rewards
    The reward is 0 before the end. At the end, with ``reward="sampled"`` (default), it is 1 with
    probability f and else 0. With ``"expected"`` it is f.

    ## Episode End
    The episode terminates when the interval is shorter than the threshold. It is never truncated.

    ## Information
    ``action_mask``, ``depth`` (number of choices made), ``centre`` of the interval
    (float64[dimensions]) and ``value`` (the function at the centre).

    ## Arguments
    - function, branching, threshold, dimensions: see ``FopModel``.
    - reward: "sampled" or "expected".
    - render_mode: "ansi" (text), "rgb_array" (uint8[400, 600, 3]), "human" (a window) or None.

    ## Copies
    ``clone()``, ``copy.deepcopy`` and pickle keep the position. ``get_state`` saves a position, and
    ``set_state`` returns to it. ``model`` is the forward model that planners search; applying
    actions to it changes the environment.

    ## References
    See ``FopModel``.

    ## Version History
    - Unversioned: first release.
    """

    metadata = {"render_modes": installed_modes(*PACKAGES), "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        function: str | Function = "f1",
        branching: int = 2,
        threshold: float = 1e-5,
        dimensions: int = 1,
        *,
        reward: str = "sampled",
        render_mode: str | None = None,
    ) -> None:
        check_choice("reward", reward, REWARDS)
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.reward = reward
        self.render_mode = render_mode
        self.window = Window("Function Optimisation Problem")
        self._start = FopModel(function, branching, threshold, dimensions)
        self._model: FopModel | None = None
        self._rng = Rng(0)
        self.action_space = spaces.Discrete(self._start.num_actions)
        self.observation_space = observation_space(self._start)  # type: ignore[assignment]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts an episode.

        Args:
            seed: Seeds ``np_random``, from which the rewards of all episodes are drawn.
            options: Must be None or empty, because there are no options.

        Raises:
            ValueError: If options are given.
        """
        super().reset(seed=seed)
        if options:
            raise ValueError(f"options must be None or empty, got {options!r}")
        self._rng = Rng(self.np_random)
        self._model = self._start.clone()
        self._render_if_human()
        return self._told()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Chooses a part of the interval.

        Raises:
            gymnasium.error.ResetNeeded: If the episode is over or has not begun.
            gymnasium.error.InvalidAction: If the action is not in the action space.
        """
        model = self.model
        if model.is_terminal():
            raise gymnasium.error.ResetNeeded("the episode is over: call reset()")
        model.apply_action(checked_action(model, action))
        self._render_if_human()
        observation, info = self._told()
        return observation, self._reward(), model.is_terminal(), False, info

    def _told(self) -> tuple[Observation, dict[str, Any]]:
        """Observation and info."""
        observation = observe(self.model)
        return observation, {
            "action_mask": observation["action_mask"].copy(),
            **describe(self.model),
        }

    def _reward(self) -> float:
        if not self.model.is_terminal():
            return 0.0
        is_sampled = self.reward == "sampled"
        returns = self.model.sample_returns(self._rng) if is_sampled else self.model.returns()
        return float(returns[0])

    @property
    def model(self) -> FopModel:
        """The forward model in the current position.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        if self._model is None:
            raise gymnasium.error.ResetNeeded("the environment has no position yet: call reset()")
        return self._model

    def action_masks(self) -> NDArray[np.int8]:
        """The mask of legal actions for MaskablePPO: int8[number of actions] of 0 and 1."""
        return observe(self.model)["action_mask"]

    def clone(self) -> FopEnv:
        """An independent environment in the same position that will draw the same reward."""
        return copy.deepcopy(self)

    def __copy__(self) -> FopEnv:
        return self.clone()

    def get_state(self) -> tuple[FopModel, Rng]:
        """The position, and the random generator of the reward."""
        return self.model.clone(), copy.deepcopy(self._rng)

    def set_state(self, state: tuple[FopModel, Rng]) -> None:
        """Returns to a state that `get_state` of this or an equal environment returned.

        Raises:
            ValueError: If the state belongs to another problem.
        """
        model, rng = state
        if not model.is_same_problem(self._start):
            raise ValueError(f"the state is of another problem: {model!r}, this is {self._start!r}")
        self._model, self._rng = model.clone(), copy.deepcopy(rng)

    def render(self) -> Any:
        """Renders the position as the render mode says: text, uint8[400, 600, 3] or a window."""
        return render(self.model, self.render_mode, self.window)

    def _render_if_human(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Closes the window if it is open."""
        self.window.close()
