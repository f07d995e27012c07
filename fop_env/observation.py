"""Observations, infos and pictures of a position, the same in all environments."""

from __future__ import annotations

import operator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agents.window import RENDER_MODES, Window

from .model import FopModel

RENDER_FPS = 4
PACKAGES = ("matplotlib", "pygame")
"""What pictures need, of the extra ``experiments``."""
Observation = dict[str, NDArray[Any]]


def observation_space(model: FopModel) -> spaces.Dict:
    """The observation space of a problem."""
    return spaces.Dict(
        [
            ("observation", spaces.Box(0, 1, (2 * model.dimensions + 1,), np.float32)),
            ("action_mask", spaces.Box(0, 1, (model.num_actions,), np.int8)),
        ]
    )


def observe(model: FopModel, *, is_to_move: bool = True) -> Observation:
    """The observation of a position, in new arrays.

    Args:
        model: The position.
        is_to_move: Whether the observer moves next. Other observers have no legal action.
    """
    bounds = [bound for interval in model.intervals for bound in interval]
    is_open = is_to_move and not model.is_terminal()
    return {
        "observation": np.array([*bounds, model.depth / model.num_levels], dtype=np.float32),
        "action_mask": np.full(model.num_actions, is_open, dtype=np.int8),
    }


def checked_action(model: FopModel, action: Any) -> int:
    """The model's action for an action of an environment.

    Raises:
        gymnasium.error.InvalidAction: If it is no integer in the action space.
    """
    try:
        number = operator.index(action)
    except TypeError:
        number = -1
    if not 0 <= number < model.num_actions:
        raise gymnasium.error.InvalidAction(
            f"action must be an integer in [0, {model.num_actions}), got {action!r}"
        )
    return number


def describe(model: FopModel) -> dict[str, Any]:
    """The ``info`` of a position; ``value`` is the function at the interval's centre."""
    return {
        "depth": model.depth,
        "centre": np.array(model.centre),
        "value": model.heuristic(0, "centre"),
    }


def render(model: FopModel, render_mode: str | None, window: Window) -> Any:
    """A picture: text; uint8[400, 600, 3], or the same in the window (extra ``experiments``)."""
    if render_mode == "ansi":
        return str(model)
    if render_mode is None:
        gymnasium.logger.warn(f"render() needs a render_mode, one of {RENDER_MODES}")
        return None
    from .figures import pixels, position_figure

    picture = pixels(position_figure(model))
    if render_mode == "rgb_array":
        return picture
    window.show(picture, RENDER_FPS)
    return None
