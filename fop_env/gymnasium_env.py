"""The Function Optimisation Problem as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.checks import check_choice
from agents.env_base import GymnasiumBase

from .model import FopModel
from .observation import METADATA, FopEpisode
from .problem import Function

REWARDS = ("sampled", "expected")


class FopEnv(FopEpisode, GymnasiumBase[FopModel]):
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
    - reward: "sampled" (default) or "expected".
    - render_mode: None (default), "ansi" (text), "rgb_array" (uint8[400, 600, 3]) or "human" (a
      window); the last two need the extra ``render``.

    ## Copies
    ``clone()``, ``copy.deepcopy`` and pickle keep the position. ``get_state`` saves a position, and
    ``set_state`` returns to it. ``model`` is the forward model that planners search. You may read
    and clone it, but must not apply actions to it.

    ## References
    See ``FopModel``.

    ## Version History
    - Unversioned: first release.
    """

    metadata = METADATA

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
        self.reward = reward
        self._prepare(FopModel(function, branching, threshold, dimensions), render_mode)
        self._set_spaces(1)

    def _returns(self) -> Sequence[float]:
        if self.reward == "expected":
            return list(map(float, self.model.returns()))
        return super()._returns()

    def _check_state(self, model: Any, *others: Any) -> None:
        if not isinstance(model, FopModel) or not model.is_same_problem(self._start):
            raise ValueError(f"the state is of another problem: {model!r}, this is {self._start!r}")
