"""The values of the nodes of a problem's game tree, under random play and under best play."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.checks import check_range

from .model import FopModel

MAX_CELLS = 2**24
"""The function is computed on at most this many terminal intervals."""


def node_values(model: FopModel, depth: int) -> NDArray[Any]:
    """The values of all nodes of a problem down to a depth, for the first player.

    A structured array has a row for each node, level by level, and from left to right within a
    level (in two dimensions row by row). Any position of the problem will do. The columns are

    - ``depth``: int32, the number of choices made.
    - ``lower``, ``upper``: float64[dimensions], the bounds of the interval.
    - ``belief_value``: float64, the mean of the function over the terminal intervals below the
      node. A random playout returns it on average, so a search believes it at first.
    - ``game_value``: float64, the game-theoretical value: the maximum over these intervals, or the
      value under best play of both players.
    """
    check_range("depth", depth, 0, model.num_levels)
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
            is_first = (level - 1) % model.num_players == 0  # whether the first player cuts
            game = (np.max if is_first else np.min)(_parts(model, game), axis=-1)
    return np.concatenate(rows[::-1])


def _parts(model: FopModel, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values of a level as an array whose last axis has the parts of one interval."""
    k = model.branching
    if model.dimensions == 1:
        return values.reshape(-1, k)
    side = len(values) // k
    return values.reshape(side, k, side, k).swapaxes(1, 2).reshape(side, side, k * k)


def _rows(level: int, belief: NDArray[np.float64], game: NDArray[np.float64]) -> NDArray[Any]:
    """The rows of one level."""
    bounds = [(name, np.float64, (belief.ndim,)) for name in ("lower", "upper")]
    values = [(name, np.float64) for name in ("belief_value", "game_value")]
    rows = np.empty(belief.size, dtype=[("depth", np.int32), *bounds, *values])
    indices = np.stack(np.unravel_index(np.arange(belief.size), belief.shape), axis=-1)
    rows["depth"] = level
    rows["lower"] = indices / len(belief)
    rows["upper"] = (indices + 1) / len(belief)
    rows["belief_value"] = belief.ravel()
    rows["game_value"] = game.ravel()
    return rows
