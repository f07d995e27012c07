"""A planner that decides on the tile and on the meeple one after the other."""

from __future__ import annotations

from agents.agent import Agent

from ..model import CarcassonneModel


class TwoStepAgent(Agent):
    """A planner for whom a move is two decisions: first the placement, then the meeple.

    Its search trees have two levels a turn, with far fewer actions each. In games of one step a
    turn the planner searches the same position with two, once for either decision, each time with
    its whole budget; with ``reuse_tree`` it goes on with the tree of the first decision.

    Args:
        planner: An agent.
    """

    def __init__(self, planner: Agent) -> None:
        self.planner = planner

    def choose(self, model: CarcassonneModel) -> int:  # type: ignore[override]
        """The action that both decisions make."""
        if model.is_two_step:
            return self.planner.choose(model)
        twin = model.in_two_steps()
        placement = self.planner.choose(twin)
        twin.apply_action(placement)
        self.planner.advance(placement)
        return model.encode_action(twin.decode_action(self.planner.choose(twin)))
