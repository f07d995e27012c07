"""Where a search looked: the share of its visits, or its values, by cell of the board."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..position import Move

Heat = dict[tuple[int, int], float]
"""A number from 0 to 1 for each cell (x, y)."""


def heat_of(moves: Sequence[Move], weights: NDArray[np.float64], *, is_counted: bool) -> Heat:
    """The heat of each cell.

    Args:
        moves: The moves of a position.
        weights: Their visits or their values, one or more of them.
        is_counted: Whether the weights are visits. The heat is then the share of the visits, else
            the value of the best move, 0 for the worst of all moves and 1 for the best.
    """
    heat: Heat = {}
    if is_counted:
        for move, weight in zip(moves, weights / max(1, weights.sum()), strict=True):
            heat[move.x, move.y] = heat.get((move.x, move.y), 0.0) + float(weight)
    else:
        low, high = float(weights.min()), float(weights.max())
        for move, weight in zip(moves, (weights - low) / ((high - low) or 1), strict=True):
            heat[move.x, move.y] = max(heat.get((move.x, move.y), 0.0), float(weight))
    return heat
