"""The result of a planner's search, converted to points."""

from __future__ import annotations

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
    actions = getattr(result, "actions", ())
    visits = getattr(result, "visits", None)
    values = action_values(result) if len(actions) else np.empty(0)
    order = np.lexsort((-values, -(values if visits is None else visits)))
    rows = [
        (
            model.decode_action(int(actions[i])),
            None if visits is None else int(visits[i]),
            float(values[i]) * scale,
        )
        for i in order[:best]
        if visits is None or visits[i]
    ]
    value = float(result.value) * scale
    return Found(model.current_player(), value, rows)
