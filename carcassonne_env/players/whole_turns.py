"""The turns of opponents in environments: planners plan each as a whole."""

from __future__ import annotations

from typing import Protocol

from agents.agent import Planner

from ..model import CarcassonneModel
from ..turns import plan_turn


class Opponent(Protocol):
    """A player of the other seats: a planner, a `PolicyAgent` or any object with this method."""

    def act(self, model: CarcassonneModel, /) -> int:
        """Chooses a legal action of the model and must not change the model."""


def turn_of(player: Opponent, model: CarcassonneModel) -> list[int]:
    """The next actions of a player: of a planner the whole turn, of other players one action.

    Where a turn takes two actions, a planner so gets the position with one action a turn. Other
    players get the position as it is, because they may have learned to act in two steps.
    """
    if isinstance(player, Planner):
        return plan_turn(model, player.act)
    return [player.act(model)]
