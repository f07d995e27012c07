"""Planners of turns that search by MCTS: on single actions, or on mutations of complete turns."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from agents.checks import check_choice, check_count, check_number
from agents.formulas.formula import Formula
from agents.mcts.planner import MCTS
from agents.mcts.policies import UCB1, TreePolicy
from agents.mcts.rollouts import OrderedRollout, RolloutPolicy
from agents.multi_action.builder import greedy_turn, random_turn
from agents.multi_action.completion import RESTS, completed
from agents.multi_action.mutation_model import MutationModel, TurnValue
from agents.multi_action.planner import Found, SearchingPlanner, planned_turn
from agents.multi_action.turn import Turn
from agents.multi_action.turn_model import TurnModel, TurnRollout
from agents.rng import Rng, Seed

MAX_PHASES = 10**6
MAX_STARTS = 10**4


@dataclass(eq=False, repr=False)
class TreeSearchingPlanner(SearchingPlanner):
    """Base class of the planners in this module."""

    def __post_init__(self, seed: Seed) -> None:
        """Checks the arguments."""
        super().__post_init__(seed)
        MCTS(self.iterations, model_calls=self.model_calls)  # checks the budgets

    def _budgeted(self, mcts: MCTS, turn: Turn, rng: Rng, start: float) -> MCTS:
        """The MCTS with what is left of the budgets after the work on the turn so far."""
        mcts.iterations, mcts.model_calls = (
            None if budget is None else max(1, budget - done)
            for budget, done in (
                (self.iterations, turn.evaluations),
                (self.model_calls, turn.calls),
            )
        )
        mcts.time_limit = self._seconds_left(start)
        mcts.rng = rng
        return mcts


@dataclass(eq=False, repr=False)
class NonExploringMCTS(TreeSearchingPlanner):
    """Non-exploring MCTS: a tree of single actions without an exploration term.

    Children are added in the model's order (`ForwardModel.ordered_actions`). A leaf is valued by
    the end of the turn, which is played out by the first action of that order. The plan is the line
    of the highest means, as far as the tree goes, and then what `rest` says.

    Source: Justesen, Mahlmann, Risi and Togelius (2017), see `GreedyAction`. The published tree
    goes on into the next turn and merges positions that are equal; here it ends with the turn, and
    equal positions have nodes of their own. The published program plays the line alone and ends the
    turn with actions unspent. In a game without passing ``rest="quiet"`` comes closest to that.

    Args:
        iterations: Budget; see `SearchingPlanner` for the other arguments.
        rest: How the turn goes on behind the line: "model", by the first action of the model's
            order each time, or "quiet", by the one that changes the value of the position least.
    """

    _: KW_ONLY
    rest: str = "model"

    name = "non-exploring-mcts"

    def __post_init__(self, seed: Seed) -> None:
        """Checks the arguments."""
        super().__post_init__(seed)
        check_choice("rest", self.rest, RESTS)

    def _plan(self, turn: Turn, rng: Rng, start: float) -> Found:
        mcts = self._budgeted(MCTS(**self._options(turn)), turn, rng, start)
        result = mcts.search(TurnModel(turn), watch=turn.watch)
        line = result.search_tree.principal_variation(result.settled, by="mean")
        return completed(planned_turn(result), [action for _, action in line], self.rest), result

    def _options(self, turn: Turn) -> dict[str, Any]:
        """The options of the MCTS."""
        return {
            "tree_policy": UCB1(0),
            "expansion": "ordered",
            "rollout_policy": TurnRollout(OrderedRollout(0)),
            "recommendation": "max",
        }


@dataclass(eq=False, repr=False)
class BridgeBurningMCTS(NonExploringMCTS):
    """Bridge-burning MCTS (BB-MCTS): after each part of the budget one action is settled for good.

    It differs from `NonExploringMCTS` in that its tree policy explores, by UCB1 in the form
    Q + C * sqrt(2 ln(N) / n), half of the actions of its rollouts are random, and the budget is
    split into phases (see ``phases`` of `MCTS`).

    Source: Justesen, Mahlmann, Risi and Togelius (2017), see `GreedyAction`.

    Args:
        iterations: Budget; see `NonExploringMCTS` for the other arguments.
        c: The exploration constant C, in units of the returns. The default is the published one,
            2 / sqrt(2) for values from 0 to 1, for returns from -1 to 1, which are twice as wide.
        epsilon: The share of random actions in rollouts.
        phases: Number of phases; None for as many as there are actions in a turn played in the
            model's order.
    """

    _: KW_ONLY
    c: float = 2 * math.sqrt(2)
    epsilon: float = 0.5
    phases: int | None = None

    name = "bb-mcts"

    def __post_init__(self, seed: Seed) -> None:
        """Checks the arguments."""
        super().__post_init__(seed)
        check_number("c", self.c, 0, math.inf)
        check_number("epsilon", self.epsilon, 0, 1)
        self.phases = check_count("phases", self.phases, 1, MAX_PHASES, also=None)

    def _options(self, turn: Turn) -> dict[str, Any]:
        return {
            "tree_policy": UCB1(self.c, UCB1.FORMS[1]),
            "expansion": "ordered",
            "rollout_policy": TurnRollout(OrderedRollout(self.epsilon)),
            "recommendation": "max",
            "phases": self.phases or len(completed(turn, [], "model")),
        }


@dataclass(eq=False, repr=False)
class EvolutionaryMCTS(TreeSearchingPlanner):
    """Evolutionary MCTS (EMCTS): a tree of complete turns, whose edges change one action.

    The root is the turn of Greedy Action. An edge replaces the action at one place of the turn by
    another legal one, and Greedy Action repairs the actions after it that became illegal. A new
    node is valued by the position in which its turn ends; there are no rollouts. After each of
    several phases, the mutation of the root with the highest mean is made for good. The best turn
    that was valued is played.

    Source: Baier and Cowling (2018), "Evolutionary MCTS for Multi-Action Adversarial Games", IEEE
    Conference on Computational Intelligence and Games. Their future work is in `mutations`, `c`,
    `tree_policy`, `starts` and `reply`.

    Args:
        iterations: Budget; see `SearchingPlanner` for the other arguments.
        phases: Number of phases; 20, 40 and 100 in the publication for turns of 0.2, 1 and 5
            seconds of a Java program.
        c: Exploration constant of the tree policy, in units of the returns; None where the tree
            policy takes none.
        tree_policy: How a mutation is chosen where all were tried; see `MCTS`.
        mutations: Which mutation is tried next: "random", or "ordered", the one after which the
            position looks best compared with the action that it replaces.
        starts: Number of turns to start from: the first is that of Greedy Action, in the others a
            random action goes before Greedy Action. They are the children of the root then, equal
            ones once.
    """

    _: KW_ONLY
    phases: int = 20
    c: float | None = 0.0
    tree_policy: str | Formula | TreePolicy | Callable[..., Any] = "ucb1"
    mutations: str = "random"
    starts: int = 1

    name = "emcts"

    def __post_init__(self, seed: Seed) -> None:
        """Checks the arguments."""
        super().__post_init__(seed)
        self.phases = check_count("phases", self.phases, 1, MAX_PHASES)
        check_choice("mutations", self.mutations, ("random", "ordered"))
        self.starts = check_count("starts", self.starts, 1, MAX_STARTS)
        rollouts: RolloutPolicy = TurnValue()
        self._mcts = MCTS(  # once: the checks take as long as 100 iterations
            c=self.c,
            tree_policy=self.tree_policy,
            expansion="ordered" if self.mutations == "ordered" else "uniform",
            rollout_policy=rollouts,
            recommendation="max",
            phases=self.phases,
        )

    def _plan(self, turn: Turn, rng: Rng, start: float) -> Found:
        model = MutationModel(turn, self._starts(turn, rng))
        if turn.is_spent or not len(model.legal_actions()):
            return turn.best_actions, None
        result = self._budgeted(self._mcts, turn, rng, start).search(model, watch=turn.watch)
        return planned_turn(result).best_actions, result

    def _starts(self, turn: Turn, rng: Rng) -> list[tuple[int, ...]]:
        """The turns to start from, each once; fewer if the budget is spent before."""
        starts = [greedy_turn(turn)]
        for _ in range(self.starts - 1):
            if turn.is_spent:
                break
            starts.append(random_turn(turn, rng))
        return list(dict.fromkeys(starts))
