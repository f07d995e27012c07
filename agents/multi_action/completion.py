"""The rest of a turn, where a search ended before the turn did."""

from __future__ import annotations

from agents.multi_action.turn import Turn
from agents.multi_action.turn_model import TurnModel

RESTS = ("model", "quiet")
"""How a turn goes on: see `completed`."""


def completed(turn: Turn, actions: list[int], rest: str) -> tuple[int, ...]:
    """A turn that begins with these actions.

    Args:
        turn: The turn to be planned.
        actions: Its first actions.
        rest: "model" goes on with the first action of the model's order each time, "quiet" with the
            one after which the value of the position has changed least (of equals, that of the
            lowest number).
    """
    choose = {"model": _first_of_the_model, "quiet": _quietest}[rest]
    model = TurnModel(turn, actions)
    plan = list(actions)
    while not model.is_terminal():
        plan.append(choose(model))
        model.apply_action(plan[-1])
    return tuple(plan)


def _first_of_the_model(model: TurnModel) -> int:
    return int(model.ordered_actions()[0])


def _quietest(model: TurnModel) -> int:
    now = model.heuristic(0, "value")
    changes = {}
    for action in sorted(model.legal_actions()):
        child = model.clone()
        child.apply_action(action)
        changes[int(action)] = abs(child.heuristic(0, "value") - now)
    return min(changes, key=lambda action: changes[action])
