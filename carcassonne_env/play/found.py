"""The result of a planner's search: its best moves, in points, and where it looked."""

from __future__ import annotations

from typing import Any, NamedTuple

from agents.playing.found import attention_by, candidates

from ..model import CarcassonneModel
from ..position import Move


class Found(NamedTuple):
    """The result of a planner's search, converted to points."""

    player: int  # who searched
    value: float  # the expected return of the position
    rows: list[tuple[Move, float]]  # the best moves with their points


def points_of_return(planner: Any, model: CarcassonneModel) -> float:
    """The points that a return of 1 stands for; 1.0 if the planner searches with other returns."""
    rollouts = getattr(planner, "rollout_policy", None)
    return 1.0 if getattr(rollouts, "changes_returns", False) else float(model.max_score())


def heat_of(model: CarcassonneModel, result: Any) -> dict[tuple[int, int], float]:
    """Where a search of a position looked: the attention, from 0 to 1, of each cell (x, y)."""
    moves = [model.decode_action(int(action)) for action in result.actions]
    return attention_by([(move.x, move.y) for move in moves], result)


def found_by(planner: Any, result: Any, model: CarcassonneModel) -> Found:
    """Converts the result of a search of a position to points, with its three best moves.

    Args:
        planner: The planner that searched.
        result: An object with the attribute ``value``. It may also have ``actions``, together with
            ``visits`` and ``means`` or with ``values``.
        model: The position.
    """
    scale, rows = points_of_return(planner, model), []
    for _, action, visits, value in candidates(result, 3) if hasattr(result, "actions") else ():
        if visits != 0:
            rows.append((model.decode_action(action), value * scale))
    return Found(model.current_player(), float(result.value) * scale, rows)
