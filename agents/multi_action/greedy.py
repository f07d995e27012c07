"""Greedy planners of turns."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from agents.checks import check_choice, check_count
from agents.multi_action.builder import greedy_turn
from agents.multi_action.completion import RESTS, completed
from agents.multi_action.depth_first import search_turn
from agents.multi_action.planner import MAX_ACTIONS, Found, SearchingPlanner, TurnPlanner
from agents.multi_action.turn import Turn
from agents.rng import Rng, Seed


@dataclass(eq=False, repr=False)
class GreedyAction(TurnPlanner):
    """Greedy Action: every action is the one after which the position is worth most.

    Of equal actions it plays the one of the lowest number. See `TurnPlanner` for the arguments.

    Source: Justesen, Mahlmann, Risi and Togelius (2017), "Playing Multi-Action Adversarial Games:
    Online Evolution versus Tree Search", IEEE Transactions on Computational Intelligence and AI in
    Games.
    """

    name = "greedy-action"

    def _plan(self, turn: Turn, rng: Rng, start: float) -> Found:
        return greedy_turn(turn), None


@dataclass(eq=False, repr=False)
class GreedyTurn(SearchingPlanner):
    """Greedy Turn: depth-first search of all turns, which plays the best one met.

    A position that was met before is not searched again. In most games the budget ends the search
    long before all turns were met; then nearly all of them begin alike.

    Source: Justesen, Mahlmann, Risi and Togelius (2017), see `GreedyAction`. The published program
    does not sort the actions, searches 6 actions deep and then ends the turn, with actions unspent
    if it has more: ``order="legal", depth=6, rest="quiet"``, as `NonExploringMCTS` explains.

    Args:
        iterations: Budget; see `SearchingPlanner` for the other arguments.
        order: In which order actions are tried: "model", that of `ForwardModel.ordered_actions`,
            or "legal", that of `ForwardModel.legal_actions`.
        depth: Number of actions after which a turn is valued as if it ended there, without a
            reply; None for complete turns.
        rest: How a turn goes on behind `depth`: see `NonExploringMCTS`.
    """

    _: KW_ONLY
    order: str = "model"
    depth: int | None = None
    rest: str = "model"

    name = "greedy-turn"

    def __post_init__(self, seed: Seed) -> None:
        """Checks the arguments."""
        super().__post_init__(seed)
        check_choice("order", self.order, ("model", "legal"))
        self.depth = check_count("depth", self.depth, 1, MAX_ACTIONS, also=None)
        check_choice("rest", self.rest, RESTS)

    def _plan(self, turn: Turn, rng: Rng, start: float) -> Found:
        search_turn(turn, self.depth, self.order == "model")
        if not turn.best_actions:
            return greedy_turn(turn), None
        return completed(turn, list(turn.best_actions), self.rest), None
