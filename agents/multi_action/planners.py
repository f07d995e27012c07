"""The planners of whole turns, played action by action: greedy ones, evolution, and MCTS."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from dataclasses import KW_ONLY, InitVar, dataclass, field
from functools import cached_property
from typing import Any

from agents.agent import Planner, Watch, model_to_move, watched
from agents.checks import (
    ON_PAGES,
    PAGE_SECONDS,
    CheckedFields,
    check_choice,
    check_count,
    check_flag,
    check_number,
    check_seconds,
    checked,
)
from agents.formulas.position_formula import Heuristic
from agents.forward_model import ForwardModel
from agents.mcts.options import (
    DEFAULT_ITERATIONS,
    MAX_ITERATIONS,
    PAGE_CALLS,
    PAGE_ITERATIONS,
    TreePolicyLike,
)
from agents.mcts.planner import MCTS
from agents.mcts.policies import UCB1
from agents.mcts.result import SearchResult
from agents.mcts.rollouts import OrderedRollout
from agents.multi_action.models import MutationModel, TurnModel, TurnRollout, TurnValue
from agents.multi_action.result import TurnResult
from agents.multi_action.searches import evolve_turn, search_turn
from agents.multi_action.turn import Turn, greedy_turn, random_turn, value_of
from agents.rng import Rng, Seed

MAX_BUDGET = 2**62
MAX_ACTIONS = 10_000
MAX_PHASES = 10**6
RESTS = ("model", "quiet")
"""How a turn goes on where a search ended before it: see `completed`."""
Found = tuple[tuple[int, ...], SearchResult | None]
"""The plan, and the MCTS that found it if there is one."""


def planned_turn(tree: SearchResult) -> Turn:
    """The turn of its own that a search planned, with what it found."""
    assert isinstance(tree.model, TurnModel | MutationModel)
    return tree.model.turn


@dataclass(eq=False, repr=False)
class TurnPlanner(CheckedFields, Planner):
    """Base class of planners of whole turns.

    A turn lasts until another player or chance is to move, or the game is over. `search` plans a
    turn. `choose` plays the plan action by action, without a new search as long as the game goes
    as planned; where chance or a player did something else, it plans anew. `decide` returns what is
    left of the plan, whose first action `choose` plays.

    Args:
        heuristic: What values a position in which the game is not over: one of the model's
            ``heuristics``, None for the first of them, a `PositionFormula` or the text of one, or a
            function of (model, player) that returns an estimate of the player's return.
        max_actions: A plan has at most so many actions, which bounds the turns of games that one
            player plays alone.
        seed: None, an int >= 0, a numpy SeedSequence or Generator, or an `Rng`. The
            same seed gives the same turns, search after search, unless time is the budget.
    """

    _: KW_ONLY
    heuristic: Heuristic = field(default=None, metadata=ON_PAGES)
    max_actions: int = checked(100, check_count, 1, MAX_ACTIONS, on_pages=100)
    seed: InitVar[Seed] = None

    def __post_init__(self, seed: Seed) -> None:
        self.rng = Rng(seed)
        self._ahead: TurnResult | None = None  # what is left of the plan

    def search(self, game: Any, *, watch: Watch | None = None) -> TurnResult:
        """Plans the turn of the player to move: see `Planner.search`.

        `watch` gets None; if it returns True, the search ends as if its budget were spent.
        """
        start = time.perf_counter()
        model = model_to_move(game).clone()
        rng = self.rng.copy()
        turn = self._turn(model, rng, start)
        turn.watch = watch and (lambda _: watch(None))
        plan, tree = self._plan(turn, rng, start)
        turn = turn if tree is None else planned_turn(tree)
        evaluations, history = turn.evaluations, turn.history  # without that of the plan
        value = turn.best_value if plan == turn.best_actions else value_of(turn, plan)
        seconds = time.perf_counter() - start
        self.rng = rng  # only now: a search that is interrupted consumes no random numbers
        return TurnResult(
            plan, value, model, turn.player, evaluations, turn.calls, seconds, history, tree
        )

    def decide(self, game: Any, *, watch: Watch | None = None) -> TurnResult:
        """What is left of the plan; a new plan if the game did not go as planned."""
        model, result = model_to_move(game), self._ahead
        if result is None or model != result.model:
            result = watched(self.search, model, watch)
        self._ahead = result.rest()
        return result

    def _turn(self, model: ForwardModel, rng: Rng, start: float) -> Turn:
        """The turn to be planned in a search that began at this time."""
        return Turn(model, self.heuristic, max_actions=self.max_actions)

    @abstractmethod
    def _plan(self, turn: Turn, rng: Rng, start: float) -> Found:
        """Plans the turn."""


@dataclass(eq=False, repr=False)
class SearchingPlanner(TurnPlanner):
    """Base class of planners of turns that have a budget.

    The search stops at whichever budget is spent first; after 5,000 turns if none is given.

    Args:
        iterations: Budget in complete turns valued; see `TurnPlanner` for the arguments that are
            not listed here.
        time_limit: Budget in seconds.
        model_calls: Budget in actions and chance outcomes applied to forward models.
        reply: Whether a turn is valued after the replies of the other players, up to the next turn
            of this player: each plays by Greedy Action, and chance events are the same for all
            turns compared. Otherwise it is valued where it ends.
    """

    iterations: int | None = checked(
        None, check_count, 1, MAX_BUDGET, also=None, on_pages=PAGE_ITERATIONS
    )
    _: KW_ONLY
    time_limit: float | None = checked(None, check_seconds, on_pages=PAGE_SECONDS)
    model_calls: int | None = checked(
        None, check_count, 1, MAX_BUDGET, also=None, on_pages=PAGE_CALLS
    )
    reply: bool = checked(False, check_flag, on_pages=True)

    def __post_init__(self, seed: Seed) -> None:
        super().__post_init__(seed)
        self._fill_budget()

    def _fill_budget(self) -> None:
        """Sets the default budget where none is given: without one, evolution would not end."""
        if self.iterations is self.time_limit is self.model_calls is None:
            self.iterations = DEFAULT_ITERATIONS

    def _turn(self, model: ForwardModel, rng: Rng, start: float) -> Turn:
        self._fill_budget()  # the one that was given may have been set to None
        turn = Turn(
            model, self.heuristic, max_actions=self.max_actions, reply=self.reply, rng=Rng(rng)
        )
        turn.limit(self.iterations, self.model_calls, self._seconds_left(start))
        return turn

    def _seconds_left(self, start: float) -> float | None:
        """What is left of the time budget of a search that began at this time; None if none."""
        passed = time.perf_counter() - start
        return self.time_limit and max(1e-9, self.time_limit - passed)


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
    order: str = checked("model", check_choice, ("model", "legal"), on_pages=True)
    depth: int | None = checked(None, check_count, 1, MAX_ACTIONS, also=None, on_pages=True)
    rest: str = checked("model", check_choice, RESTS)

    name = "greedy-turn"

    def _plan(self, turn: Turn, rng: Rng, start: float) -> Found:
        search_turn(turn, self.depth, self.order == "model")
        if not turn.best_actions:
            return greedy_turn(turn), None
        return completed(turn, list(turn.best_actions), self.rest), None


@dataclass(eq=False, repr=False)
class OnlineEvolution(SearchingPlanner):
    """Online evolutionary planning (OEP): a population of turns evolves, and the best is played.

    In each generation the worse half is removed. Uniform crossover of two survivors, which repairs
    illegal actions, refills the population, and some of the offspring are mutated: one action is
    replaced by another legal one.

    Source: Justesen, Mahlmann, Risi and Togelius (2017), see `GreedyAction`. Greedy repair: Baier
    and Cowling (2018), see `EvolutionaryMCTS`.

    Args:
        iterations: Budget; see `SearchingPlanner` for the other arguments.
        population: Number of turns, 4 or more.
        repair: What replaces an illegal action for which the parents have no legal one: "random",
            a random action, or "greedy", that of Greedy Action.
        greedy_share: The share of the first population that are copies of the turn of Greedy
            Action; the rest is random. None: 0 with random repair and 0.2 with greedy repair.
        mutation_rate: The share of the offspring that are mutated.
    """

    _: KW_ONLY
    population: int = checked(100, check_count, 4, 10**6, on_pages=1000)
    repair: str = checked("random", check_choice, ("random", "greedy"), on_pages=True)
    greedy_share: float | None = checked(None, check_number, 0, 1, on_pages=True)
    mutation_rate: float = checked(0.1, check_number, 0, 1, on_pages=True)

    name = "oep"

    def _plan(self, turn: Turn, rng: Rng, start: float) -> Found:
        is_greedy = self.repair == "greedy"
        share = 0.2 * is_greedy if self.greedy_share is None else self.greedy_share
        evolve_turn(turn, rng, self.population, is_greedy, share, self.mutation_rate)
        return turn.best_actions, None


@dataclass(eq=False, repr=False)
class TreeSearchingPlanner(SearchingPlanner):
    """Base class of planners whose budget is that of an MCTS."""

    iterations: int | None = checked(
        None, check_count, 1, MAX_ITERATIONS, also=None, on_pages=PAGE_ITERATIONS
    )

    def _budgeted(self, mcts: MCTS, turn: Turn, rng: Rng, start: float) -> MCTS:
        """The MCTS with what is left of the budgets after the work on the turn so far."""
        mcts.iterations = self.iterations and max(1, self.iterations - turn.evaluations)
        mcts.model_calls = self.model_calls and max(1, self.model_calls - turn.calls)
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
    rest: str = checked("model", check_choice, RESTS)

    name = "non-exploring-mcts"

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
    c: float = checked(2 * math.sqrt(2), check_number, 0, math.inf, on_pages=True)
    epsilon: float = checked(0.5, check_number, 0, 1, on_pages=True)
    phases: int | None = checked(None, check_count, 1, MAX_PHASES, also=None, on_pages=1000)

    name = "bb-mcts"

    def _options(self, turn: Turn) -> dict[str, Any]:
        return super()._options(turn) | {
            "tree_policy": UCB1(self.c, UCB1.FORMS[1]),
            "rollout_policy": TurnRollout(OrderedRollout(self.epsilon)),
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
    phases: int = checked(20, check_count, 1, MAX_PHASES, on_pages=1000)
    c: float | None = field(default=0.0, metadata=ON_PAGES)
    tree_policy: TreePolicyLike = field(default="ucb1", metadata=ON_PAGES)
    mutations: str = checked("random", check_choice, ("random", "ordered"), on_pages=True)
    starts: int = checked(1, check_count, 1, 10**4, on_pages=100)

    name = "emcts"
    _derived = "_mcts"

    def __post_init__(self, seed: Seed) -> None:
        super().__post_init__(seed)
        _ = self._mcts  # raises

    @cached_property
    def _mcts(self) -> MCTS:
        """The MCTS of all searches until an option is set; making it takes as long as 100 turns."""
        return MCTS(
            c=self.c,
            tree_policy=self.tree_policy,
            expansion="ordered" if self.mutations == "ordered" else "uniform",
            rollout_policy=TurnValue(),
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


def completed(turn: Turn, actions: list[int], rest: str) -> tuple[int, ...]:
    """A turn that begins with these actions.

    As `rest` says, it goes on with the first action of the model's order each time ("model"), or
    with the one after which the value of the position has changed least ("quiet"; of equals, that
    of the lowest number).
    """
    model = TurnModel(turn, actions)
    plan = list(actions)
    while not model.is_terminal():
        plan.append(_quietest(model, plan) if rest == "quiet" else int(model.ordered_actions()[0]))
        model.apply_action(plan[-1])
    return tuple(plan)


def _quietest(model: TurnModel, plan: list[int]) -> int:
    """The quiet action in the position after a plan."""
    now = model.heuristic(0, "value")

    def change(action: int) -> float:
        after = TurnModel(model.turn, [*plan, action])  # a clone would have its own count of calls
        return abs(after.heuristic(0, "value") - now)

    return int(min(sorted(model.legal_actions()), key=change))
