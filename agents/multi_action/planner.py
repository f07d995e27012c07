"""Planners that plan a whole turn at once, and play it action by action."""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import KW_ONLY, InitVar, dataclass
from typing import Any

from agents.agent import Planner, Watch, model_to_move, watched
from agents.checks import check_fields, check_seconds
from agents.formulas.position_formula import Heuristic
from agents.forward_model import ForwardModel
from agents.mcts.result import SearchResult
from agents.multi_action.builder import value_of
from agents.multi_action.mutation_model import MutationModel
from agents.multi_action.result import TurnResult
from agents.multi_action.turn import Turn
from agents.multi_action.turn_model import TurnModel
from agents.rng import Rng, Seed

DEFAULT_ITERATIONS = 5000
MAX_BUDGET = 2**62
MAX_ACTIONS = 10_000

Found = tuple[tuple[int, ...], SearchResult | None]
"""The plan, and the MCTS that found it if there is one."""


def planned_turn(tree: SearchResult) -> Turn:
    """The turn of its own that a search planned, with what it found."""
    assert isinstance(tree.model, TurnModel | MutationModel)
    return tree.model.turn


@dataclass(eq=False, repr=False)
class TurnPlanner(Planner):
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
    heuristic: Heuristic = None
    max_actions: int = 100
    seed: InitVar[Seed] = None

    def __post_init__(self, seed: Seed) -> None:
        """Checks the arguments."""
        check_fields(self, {"max_actions": (1, MAX_ACTIONS)})
        self.rng = Rng(seed)
        self._ahead: TurnResult | None = None  # what is left of the plan

    def search(self, game: Any, *, watch: Watch | None = None) -> TurnResult:
        """Plans the turn of the player to move.

        Args:
            game: A `ForwardModel`, or an environment that has one as ``unwrapped.model``; not
                changed.
            watch: Called about ten times a second, in the thread of the search, with None. If it
                returns True, the search ends as if its budget were spent.

        Returns:
            A `TurnResult`, whose actions are those of the model.

        Raises:
            TypeError: If the game is neither.
            ValueError: If no player is to move, or the heuristic does not fit the game.
        """
        start = time.perf_counter()
        model = model_to_move(game).clone()
        rng = self.rng.copy()
        turn = self._turn(model, rng, start)
        turn.watch = watch and (lambda _: watch(None))
        plan, tree = self._plan(turn, rng, start)
        turn = turn if tree is None else planned_turn(tree)
        evaluations, calls, history = turn.evaluations, turn.calls, turn.history
        seconds = time.perf_counter() - start
        value = turn.best_value if plan == turn.best_actions else value_of(turn, plan)
        self.rng = rng  # only now: a search that is interrupted consumes no random numbers
        return TurnResult(
            plan, value, model, turn.player, evaluations, calls, seconds, history, tree
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
        iterations: Budget in complete turns valued.
        time_limit: Budget in seconds.
        model_calls: Budget in actions and chance outcomes applied to forward models.
        reply: Whether a turn is valued after the replies of the other players, up to the next turn
            of this player: each plays by Greedy Action, and chance events are the same for all
            turns compared. Otherwise it is valued where it ends.
    """

    iterations: int | None = None
    _: KW_ONLY
    time_limit: float | None = None
    model_calls: int | None = None
    reply: bool = False

    def __post_init__(self, seed: Seed) -> None:
        """Checks the arguments."""
        super().__post_init__(seed)
        if self.iterations is self.time_limit is self.model_calls is None:
            self.iterations = DEFAULT_ITERATIONS
        budgets = dict.fromkeys(("iterations", "model_calls"), (1, MAX_BUDGET))
        check_fields(self, budgets, {"reply": (True, False)})
        if self.time_limit is not None:
            check_seconds("time_limit", self.time_limit)

    def _turn(self, model: ForwardModel, rng: Rng, start: float) -> Turn:
        turn = Turn(
            model, self.heuristic, max_actions=self.max_actions, reply=self.reply, rng=Rng(rng)
        )
        turn.limit(self.iterations, self.model_calls, self._seconds_left(start))
        return turn

    def _seconds_left(self, start: float) -> float | None:
        """What is left of the time budget of a search that began at this time; None if none."""
        if self.time_limit is None:
            return None
        return max(1e-9, self.time_limit - (time.perf_counter() - start))
