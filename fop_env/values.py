"""What the nodes of a problem's game tree are worth, before any search and in truth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .model import FopModel

MAX_CELLS = 2**24
"""Terminal intervals on which the function is computed, at most."""


def node_values(model: FopModel, depth: int) -> NDArray[Any]:
    """The values of all nodes down to a depth, to the first player.

    Args:
        model: Gives the problem; its position does not matter.
        depth: Choices from the root to the deepest nodes, 0 to ``model.num_levels``.

    Returns:
        A structured array, one row a node, level by level and in each from left to right (in two
        dimensions row by row), with the columns

        - ``depth``: int32, choices made.
        - ``lower``, ``upper``: float64[dimensions], the bounds of the interval.
        - ``belief_value``: float64, the mean of the function over the terminal intervals below:
          what a random playout returns on average, and thus what a search believes at first.
        - ``game_value``: float64, the game-theoretical value: the maximum over those intervals;
          with two players the value under best play of both.

    Raises:
        ValueError: If the depth is out of range or the problem has more than 2**24 terminal
            intervals.
    """
    if isinstance(depth, bool) or not hasattr(depth, "__index__"):
        raise TypeError(f"depth must be an integer, got {depth!r}")
    if not 0 <= depth <= model.num_levels:
        raise ValueError(f"depth must be in [0, {model.num_levels}], got {depth!r}")
    num_cells = model.num_actions**model.num_levels
    if num_cells > MAX_CELLS:
        raise ValueError(
            f"the problem has {num_cells} terminal intervals, node_values() takes at most "
            f"{MAX_CELLS}: give the model a larger threshold"
        )
    belief = game = model.evaluate(*model.centres(model.num_levels))
    rows = []
    for level in range(model.num_levels, -1, -1):
        if level <= depth:
            rows.append(_rows(level, belief, game))
        if level:
            belief = _parts(model, belief).mean(axis=-1)
            is_first = (level - 1) % model.num_players == 0  # the player who cuts
            game = (
                _parts(model, game).max(axis=-1) if is_first else _parts(model, game).min(axis=-1)
            )
    return np.concatenate(rows[::-1])


def _parts(model: FopModel, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values of a level, those of the parts of one interval along the last axis."""
    k = model.branching
    if model.dimensions == 1:
        return values.reshape(-1, k)
    side = len(values) // k
    return values.reshape(side, k, side, k).swapaxes(1, 2).reshape(side, side, k * k)


def _rows(level: int, belief: NDArray[np.float64], game: NDArray[np.float64]) -> NDArray[Any]:
    """The rows of one level."""
    dimensions = belief.ndim
    bounds = (dimensions,)
    rows = np.empty(
        belief.size,
        dtype=[
            ("depth", np.int32),
            ("lower", np.float64, bounds),
            ("upper", np.float64, bounds),
            ("belief_value", np.float64),
            ("game_value", np.float64),
        ],
    )
    indices = np.stack(np.unravel_index(np.arange(belief.size), belief.shape), axis=-1)
    rows["depth"] = level
    rows["lower"] = indices / len(belief)
    rows["upper"] = (indices + 1) / len(belief)
    rows["belief_value"] = belief.ravel()
    rows["game_value"] = game.ravel()
    return rows
