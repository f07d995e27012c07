"""A planner that decides on the tile and on the meeple one after the other."""

from __future__ import annotations

from agents.agent import Agent

from ..model import CarcassonneModel


class TwoStepAgent(Agent):
    """A planner for whom a move is two decisions: first the placement, then the meeple.

    Its search trees have two levels a turn, with far fewer actions each. In games of one step a
    turn the planner searches the same position with two, once for either decision, each time with
    its whole budget. Of every move, whoever made it, it is told the two decisions, so that with
    ``reuse_tree`` it goes on with its tree, from the first decision to the second and from turn to
    turn.

    Args:
        planner: An agent.
    """

    def __init__(self, planner: Agent) -> None:
        self.planner = planner
        self._game: CarcassonneModel | None = None  # the position to which the planner was told all
        self._told: list[int] = []  # of the decisions of the coming move

    def choose(self, model: CarcassonneModel) -> int:  # type: ignore[override]
        """The action that both decisions make."""
        self._game = None  # until the planner has decided, whatever interrupts it
        if model.is_two_step:
            action, self._told = self.planner.choose(model), []
        else:
            twin = model.in_two_steps()
            placement = self.planner.choose(twin)
            twin.apply_action(placement)
            self.planner.advance(placement)
            move = twin.decode_action(self.planner.choose(twin))
            action, self._told = model.encode_action(move), [placement]
        self._game = model.clone()
        return action

    def advance(self, action: int) -> None:
        """Tells the planner what was played or drawn, in its own numbers.

        It is told nothing before its first choice, nor after a move that does not go on from there,
        until it chooses again.
        """
        if self._game is None:
            return
        told, self._told = self._told, []
        try:
            decisions = decisions_of(self._game, action)
            self._game.apply_action(action)
        except ValueError:
            self._game = None
            return
        if decisions[: len(told)] != told:
            self._game = None
            return
        for decision in decisions[len(told) :]:
            self.planner.advance(decision)


def decisions_of(model: CarcassonneModel, action: int) -> list[int]:
    """The actions of a game of two steps a turn that make an action of this one.

    Raises:
        ValueError: If the action is not one of a placement that is possible.
    """
    if model.is_two_step or model.is_chance_node():
        return [action]
    move, twin = model.decode_action(action), model.in_two_steps()
    placement = twin.encode_action(move)
    twin.apply_action(placement)
    return [placement, twin.encode_action(move)]
