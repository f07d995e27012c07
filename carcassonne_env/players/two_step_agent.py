"""An agent that chooses the tile's placement first and the meeple second."""

from __future__ import annotations

from agents.agent import Agent, PlayerError

from ..model import CarcassonneModel
from ..turns import decisions_of


class TwoStepAgent(Agent):
    """Lets a planner choose a move in two decisions: first the placement, then the meeple.

    The planner's search tree has two levels for each turn, and each level has far fewer actions. In
    a game with one step a turn, the planner searches a copy of the game with two steps a turn. It
    searches once for each decision, each time with its whole budget. The planner's ``advance``
    receives the two decisions of every move of every player. A planner with ``reuse_tree`` can
    therefore keep its tree between the two decisions and from turn to turn.

    Args:
        planner: The agent that makes the decisions.

    Raises:
        TypeError: If it is no agent.
    """

    def __init__(self, planner: Agent) -> None:
        if not isinstance(planner, Agent):
            raise TypeError(f"planner must be an Agent, got {planner!r}")
        self.planner = planner
        self._game: CarcassonneModel | None = None  # the last position that the planner knows
        self._known: list[int] = []  # decisions of the next move that it knows already

    def choose(self, model: CarcassonneModel) -> int:  # type: ignore[override]
        """The action that consists of the planner's two decisions.

        Raises:
            PlayerError: A ValueError, if the game is not Carcassonne.
        """
        if not isinstance(model, CarcassonneModel):
            raise PlayerError("refusal", f"{self!r}: the agent plays Carcassonne, got {model!r}")
        self._game = None  # stays None if an exception interrupts the planner
        if model.is_two_step:
            action, self._known = self.planner.choose(model), []
        else:
            twin = model.in_two_steps()
            placement = self.planner.choose(twin)
            twin.apply_action(placement)
            self.planner.advance(placement)
            move = twin.decode_action(self.planner.choose(twin))
            action, self._known = model.encode_action(move), [placement]
        self._game = model.clone()
        return action

    def advance(self, action: int) -> None:
        """Passes an action or a chance outcome on to the planner, as decisions of a two-step game.

        The planner receives nothing before its first choice. After an action that does not continue
        the known game, it receives nothing until its next choice.
        """
        if self._game is None:
            return
        game, self._game = self._game, None  # stays None unless the action continues it
        known, self._known = self._known, []
        try:
            decisions = decisions_of(game, action)
            game.apply_action(action)
        except (TypeError, ValueError):
            return
        if decisions[: len(known)] == known:
            for decision in decisions[len(known) :]:
                self.planner.advance(decision)
            self._game = game
