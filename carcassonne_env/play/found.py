"""The result of a planner's search: its best moves, in points, and where it looked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model import CarcassonneModel
from ..position import Move


class Found(NamedTuple):
    """The result of a planner's search, converted to points.

    Attributes:
        player: The player who searched.
        value: The expected return of the position, in points.
        rows: The best moves as (move, visits, points). The visits are None if the planner does not
            count visits.
    """

    player: int
    value: float
    rows: list[tuple[Move, int | None, float]]


def points_of_return(planner: Any, model: CarcassonneModel) -> float:
    """The points that a return of 1 stands for; 1.0 if the planner searches with other returns."""
    rollouts = getattr(planner, "rollout_policy", None)
    return 1.0 if getattr(rollouts, "changes_returns", False) else float(model.max_score())


def action_values(result: Any) -> NDArray[np.float64]:
    """The value of each of the ``actions`` of a search's result, in units of its returns.

    Returns:
        float64[n]: the means of a result that counts visits, NaN where never tried; else its
        values.
    """
    return result.means if hasattr(result, "visits") else result.values  # type: ignore[no-any-return]


def ranked(result: Any) -> NDArray[np.intp]:
    """The indices of the ``actions`` of a search's result, the best first.

    The chosen action is the first one; then come those most visited, or else valued most.
    """
    values = action_values(result)
    weights = getattr(result, "visits", values)
    others = result.actions != result.action
    return np.lexsort((-np.nan_to_num(values, nan=-np.inf), -weights, others))


def heat_of(moves: Sequence[Move], result: Any) -> dict[tuple[int, int], float]:
    """Where a search looked: a number from 0 to 1 for each cell (x, y).

    It is the share of the visits, or, if the result counts none, the value of the best move, 0 for
    the worst of all moves and 1 for the best.

    Args:
        moves: The moves that are the ``actions`` of the result, one or more.
        result: The result.
    """
    heat: dict[tuple[int, int], float] = {}
    if hasattr(result, "visits"):
        shares = result.visits / max(1, result.visits.sum())
        for move, share in zip(moves, shares, strict=True):
            heat[move.x, move.y] = heat.get((move.x, move.y), 0.0) + float(share)
    else:
        low, high = float(result.values.min()), float(result.values.max())
        for move, value in zip(moves, (result.values - low) / ((high - low) or 1), strict=True):
            heat[move.x, move.y] = max(heat.get((move.x, move.y), 0.0), float(value))
    return heat


def found_by(planner: Any, result: Any, model: CarcassonneModel, best: int = 3) -> Found:
    """Converts the result of a search to points.

    Args:
        planner: The planner that searched.
        result: An object with the attribute ``value``. It may also have ``actions``, together with
            ``visits`` and ``means`` or with ``values``.
        model: The position that was searched.
        best: Maximum number of moves to list.
    """
    scale = points_of_return(planner, model)
    visits = getattr(result, "visits", None)
    rows = [
        (
            model.decode_action(int(result.actions[i])),
            None if visits is None else int(visits[i]),
            float(action_values(result)[i]) * scale,
        )
        for i in (ranked(result)[:best] if hasattr(result, "actions") else ())
        if visits is None or visits[i]
    ]
    value = float(result.value) * scale
    return Found(model.current_player(), value, rows)
