"""How OpenSpiel sees a forward model: numbers of actions, and observations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

from agents.forward_model import ForwardModel, PythonForwardModel

M = TypeVar("M", bound=ForwardModel)


class View(Generic[M]):
    """The actions and observations of the model itself.

    A game overrides this to have fewer, denser numbers of actions or observations for learners.

    Args:
        start: The game at its start.
        parameters: The parameters from which it was made.

    Attributes:
        num_actions: Actions are numbers in [0, num_actions).
        num_outcomes: Chance outcomes, which are those of the model, are numbers in
            [0, num_outcomes); 0 if the game has no chance nodes.
    """

    def __init__(self, start: M, parameters: Mapping[str, Any]) -> None:
        self.num_actions = start.num_actions
        self.num_outcomes = start.num_actions if _has_chance_nodes(start) else 0

    def legal_actions(self, model: M) -> list[int]:
        """The numbers of the legal actions of the player to move, ascending."""
        return sorted(map(int, model.legal_actions()))

    def action(self, model: M, number: int) -> int:
        """The model's action with this number."""
        return number

    def observation(self, model: M, player: int) -> NDArray[Any]:
        """What a player sees: an array of one shape for all positions of a game.

        Raises:
            NotImplementedError: If the game has no observations.
        """
        return model.observation(player)


def _has_chance_nodes(model: ForwardModel) -> bool:
    if isinstance(model, PythonForwardModel):  # its maximum of chance outcomes is never 0
        return type(model).chance_outcomes is not PythonForwardModel.chance_outcomes
    return model.max_chance_outcomes > 0
