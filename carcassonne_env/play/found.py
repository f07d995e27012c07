"""The result of a planner's search: its best moves, in points, and where it looked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model import CarcassonneModel
from ..position import Move


class Found(NamedTuple):
    """The result of a planner's search, converted to points."""

    player: int  # who searched
    value: float  # the expected return of the position
    rows: list[tuple[Move, int | None, float]]
    """The best moves as (move, visits, points); visits are None if the planner counts none."""


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

    The chosen action is the first one; then come those most visited, or else valued most. After a
    race, which decides in place of the visits, its contestants come before all others, and those
    still in it before those that fell behind, each by their value.
    """
    values = action_values(result)
    weights = getattr(result, "visits", values)
    if (race := getattr(result, "race", None)) is not None:
        rows = np.searchsorted(result.actions, race.actions)
        weights = np.full(len(values), -np.inf)
        weights[rows] = race.is_left
    others = result.actions != result.action
    return np.lexsort((-np.nan_to_num(values, nan=-np.inf), -weights, others))


def heat_of(moves: Sequence[Move], result: Any) -> dict[tuple[int, int], float]:
    """Where a search looked: a number from 0 to 1 for each cell (x, y).

    It is the share of the visits, or, if the result counts none, the value of the best move, 0 for
    the worst of all moves and 1 for the best. After a race, it is the value of its best contestant
    there likewise, 0 for the worst contestant.

    Args:
        moves: The moves that are the ``actions`` of the result, one or more.
        result: The result.
    """
    heat: dict[tuple[int, int], float] = {}
    race = getattr(result, "race", None)
    has_visits = race is None and hasattr(result, "visits")
    if has_visits:
        shares = result.visits / max(1, result.visits.sum())
    elif race is not None:
        shares = np.zeros(len(moves))
        shares[np.searchsorted(result.actions, race.actions)] = _heights(race.values)
        shares[result.actions == race.action] = 1.0
    else:
        shares = _heights(result.values)
    for (x, y, *_), share in zip(moves, shares.tolist(), strict=True):
        before = heat.get((x, y), 0.0)
        heat[x, y] = before + share if has_visits else max(before, share)
    return heat


def _heights(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where each value lies between the least, 0, and the greatest, 1."""
    low, high = values.min(), values.max()
    return (values - low) / ((high - low) or 1)  # type: ignore[no-any-return]


def found_by(planner: Any, result: Any, model: CarcassonneModel, best: int = 3) -> Found:
    """Converts the result of a search of a position to points.

    Args:
        planner: The planner that searched.
        result: An object with the attribute ``value``. It may also have ``actions``, together with
            ``visits`` and ``means`` or with ``values``.
        model: The position.
        best: Maximum number of moves to list.
    """
    scale, rows = points_of_return(planner, model), []
    for i in ranked(result)[:best] if hasattr(result, "actions") else ():
        visits = int(result.visits[i]) if hasattr(result, "visits") else None
        if visits != 0:
            move = model.decode_action(int(result.actions[i]))
            rows.append((move, visits, float(action_values(result)[i]) * scale))
    return Found(model.current_player(), float(result.value) * scale, rows)
