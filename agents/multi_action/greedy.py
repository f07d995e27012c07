"""Greedy planners of turns."""

from __future__ import annotations

from dataclasses import dataclass

from agents.multi_action.builder import greedy_turn
from agents.multi_action.depth_first import search_turn
from agents.multi_action.planner import Found, SearchingPlanner, TurnPlanner
from agents.multi_action.turn import Turn
from agents.rng import Rng


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

    Actions are tried in the model's order (`ForwardModel.ordered_actions`), and a position that
    was met before is not searched again. In most games the budget ends the search long before all
    turns were met; then nearly all of them begin alike. See `SearchingPlanner` for the arguments.

    Source: Justesen, Mahlmann, Risi and Togelius (2017), see `GreedyAction`.
    """

    name = "greedy-turn"

    def _plan(self, turn: Turn, rng: Rng, start: float) -> Found:
        search_turn(turn)
        return turn.best_actions or greedy_turn(turn), None
