"""What a planner's search found, in points."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..model import CarcassonneModel
from ..position import Move


class Found(NamedTuple):
    """What a planner's search found, in points.

    Attributes:
        player: Who searched.
        value: What was expected of the position.
        rows: The best moves as (move, visits, points); without visits where none are counted.
    """

    player: int
    value: float
    rows: list[tuple[Move, int | None, float]]


def points_of_return(planner: Any, model: CarcassonneModel) -> float:
    """How many points a return of 1 is; 1 where the planner's own returns are no points."""
    rollouts = getattr(planner, "rollout_policy", None)
    return 1.0 if getattr(rollouts, "changes_returns", False) else float(model.max_score())


def found_by(planner: Any, result: Any, model: CarcassonneModel, best: int = 3) -> Found:
    """What the result of a search says, in points.

    Args:
        planner: Who searched.
        result: Has ``value``, and perhaps ``actions`` with ``visits`` and ``means`` or ``values``.
        model: The position searched.
        best: So many moves at most.
    """
    scale = points_of_return(planner, model)
    actions = getattr(result, "actions", ())
    visits = getattr(result, "visits", None)
    values = getattr(result, "values" if visits is None else "means", np.zeros(len(actions)))
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
