"""Expectimax and *-minimax, which search a number of decisions ahead, and their results."""

from __future__ import annotations

import math
import time
import warnings
from abc import abstractmethod
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Any

import numpy as np

from agents.agent import Planner, Watch, model_to_move
from agents.checks import (
    ON_PAGES,
    CheckedFields,
    check_count,
    check_number,
    check_seconds,
    checked,
)
from agents.formulas.position_formula import Heuristic
from agents.forward_model import CHANCE, ForwardModel
from agents.lookahead.expectimax import ExpectimaxSearch
from agents.lookahead.lookahead import TIE, Lookahead, OutOfBudgetError
from agents.lookahead.star_minimax import StarSearch
from agents.rng import Rng, Seed
from agents.tables import ActionTable

MAX_DEPTH = 1000
MAX_POSITIONS = 2**62
MAX_PROBES = 1000

Found = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Actions int32[n], values float64[n], are_exact bool[n]."""


@dataclass(frozen=True, eq=False, repr=False)
class LookaheadResult:
    """The result of a depth-limited search of one position.

    Attributes:
        action: The action of highest value, drawn at random if several tie.
        model: A copy of the position searched. Do not change it.
        player: The player who searched. Values are in units of this player's return.
        actions: int32[n], the legal actions, ascending.
        values: float64[n], the value of each action.
        are_exact: bool[n], whether each value is exact. Otherwise it is an upper bound, which is
            below the best value.
        value: The value of the position, which is that of the best action.
        depth: Number of decisions looked ahead. It is 1 if there is only one action and a heuristic
            can value it.
        is_complete: Whether the search followed every line to the end of the game. The values are
            then the true ones, unless the game repeats draws (`ForwardModel.repeats_draws`).
        nodes: Number of positions visited after the root, over all depths searched.
        positions: Number of those that were valued by the heuristic or as ends of the game.
        cutoffs: How often *-minimax left out the rest of a position's actions or outcomes: at a
            "decision", at a "chance" node, or at a chance node while "probing". Empty for
            `Expectimax`.
        num_clipped: Number of values that *-minimax moved to one of its bounds.
        seconds: Wall time.
    """

    action: int
    model: ForwardModel
    player: int
    actions: np.ndarray
    values: np.ndarray
    are_exact: np.ndarray
    value: float
    depth: int
    is_complete: bool
    nodes: int
    positions: int
    cutoffs: dict[str, int]
    num_clipped: int
    seconds: float

    def ranking(self) -> np.ndarray:
        """The indices of the ``actions``, the best first and the chosen one at the top: intp[n]."""
        return np.lexsort((-self.values, self.actions != self.action))

    def __str__(self) -> str:
        return self._table().text()

    def __repr__(self) -> str:
        action = self.model.action_to_string(self.action)
        return f"<LookaheadResult: {action}, value {self.value:.4g}, depth {self.depth}>"

    def _repr_html_(self) -> str:
        """The actions as a table, which notebooks display."""
        return self._table().html()

    def _table(self) -> ActionTable:
        """The actions as `ranking` orders them."""
        unit = self.model.max_score()
        rows = [
            [
                self.model.action_to_string(int(self.actions[i])),
                f"{self.values[i]:.4f}",
                *([] if unit is None else [f"{self.values[i] * unit:+.2f}"]),
                "" if self.are_exact[i] else "or less",
            ]
            for i in self.ranking()
        ]
        note = (
            f"depth {self.depth}, {self.positions} positions valued, {self.nodes} visited, "
            f"{self.seconds:.3f} s"
        )
        header = ["action", "value", *([] if unit is None else ["points"]), ""]
        return ActionTable(header, rows, [note])


@dataclass(eq=False, repr=False)
class LookaheadAgent(CheckedFields, Planner):
    """Base class of agents that search to a fixed depth, or as deep as a budget allows."""

    depth: int | None = checked(None, check_count, 1, MAX_DEPTH, also=None, on_pages=3)
    heuristic: Heuristic = field(default=None, metadata=ON_PAGES)
    _: KW_ONLY
    max_positions: int | None = checked(
        None, check_count, 1, MAX_POSITIONS, also=None, on_pages=1_000_000_000
    )
    time_limit: float | None = checked(None, check_seconds, on_pages=10.0)
    seed: InitVar[Seed] = None

    def __post_init__(self, seed: Seed) -> None:
        self.rng = Rng(seed)

    def search(self, game: Any, *, watch: Watch | None = None) -> LookaheadResult:
        """Searches the position and values each of its actions: see `Planner.search`.

        `watch` gets None; if it returns True, the search ends as if its budget were spent. Without
        a budget, it then looks 1 decision ahead.

        Raises:
            ValueError: Also if a value of the heuristic is not finite.
            RecursionError: If the search meets a line of more than 5000 actions and outcomes.
            RuntimeError: If `watch` stopped it in a game without a heuristic.
        """
        start = time.perf_counter()
        model = model_to_move(game).clone()  # another thread may change the game
        lookahead = self._lookahead(model)
        lookahead.watch = watch
        depth, is_complete, (actions, values, are_exact) = self._deepen(lookahead)
        best = values.max()
        ties = np.flatnonzero(are_exact & ~(values < best - TIE * max(1, abs(best))))
        return LookaheadResult(
            action=int(actions[ties[self.rng.below(len(ties))]]),
            model=model,
            player=lookahead.player,
            actions=actions,
            values=values,
            are_exact=are_exact,
            value=float(best),
            depth=depth,
            is_complete=is_complete,
            nodes=lookahead.nodes,
            positions=lookahead.positions,
            cutoffs=lookahead.cutoffs,
            num_clipped=lookahead.num_clipped,
            seconds=time.perf_counter() - start,
        )

    @abstractmethod
    def _lookahead(self, model: ForwardModel, is_other: bool = False) -> Lookahead:
        """A new search; `is_other` says that the opponent of the agent's player searches."""

    def _deepen(self, lookahead: Lookahead) -> tuple[int, bool, Found]:
        """The depth of the deepest finished search, whether it was complete, and its values."""
        has_budget = self.max_positions is not None or self.time_limit is not None
        deepest = self.depth or (MAX_DEPTH if has_budget else 1)
        is_forced = lookahead.num_actions == 1 and lookahead.valuation.exists
        depth = 1 if has_budget or is_forced else deepest
        try:
            found = lookahead.search(depth)
        except OutOfBudgetError:  # stopped
            if not lookahead.valuation.exists:
                raise RuntimeError(
                    "the search was stopped before its end, and the game has no heuristic to value "
                    "its positions by"
                ) from None
            found = lookahead.search(1)
            return 1, lookahead.is_complete, found
        while depth < deepest and not (is_forced or lookahead.is_complete):
            try:
                found = lookahead.search(depth + 1)
            except OutOfBudgetError:
                return depth, False, found
            depth += 1
        return depth, lookahead.is_complete, found

    def principal_variation(self, result: LookaheadResult) -> list[tuple[int, int]]:
        """The line of best actions, with the most probable outcome at each chance node.

        Each position of the line is searched again, to one decision less than the position before.
        Each of these searches has the whole budget; the line ends before a search that exceeds it.

        Returns:
            Pairs (player, action) in order, with `CHANCE` as the player of an outcome.
        """
        model, action = result.model.clone(), result.action
        line: list[tuple[int, int]] = []
        for depth in range(result.depth - 1, -1, -1):
            line.append((model.current_player(), action))
            model.apply_action(action)
            while model.is_chance_node():
                outcomes, probabilities = model.chance_outcomes()
                line.append((CHANCE, int(outcomes[int(np.argmax(probabilities))])))
                model.apply_action(line[-1][1])
            if depth == 0 or model.is_terminal():
                break
            try:
                is_other = model.current_player() != result.player
                actions, values, _ = self._lookahead(model, is_other).search(depth)
            except OutOfBudgetError:
                break
            action = int(actions[values.argmax()])  # upper bounds are below the best value
        return line


@dataclass(eq=False, repr=False)
class Expectimax(LookaheadAgent):
    """Expectimax: searches every action and every chance outcome, some decisions ahead.

    Depth counts the decisions of all players. At depth 1 each own action is valued right after it,
    before chance moves. At the end of the game the value is the (expected) return. Each player is
    taken to maximise their own value: this is minimax in two-player zero-sum games and max^n with
    more players (Luckhardt and Irani 1986, "An algorithmic solution of N-person games").

    Some games repeat draws: in Carcassonne a tile that fits nowhere is set aside and another one is
    drawn. The search considers the last of these draws only. The tiles set aside would merely
    change the probabilities of later draws, and there are too many orders of them to follow.

    With a budget, the search first looks 1 decision ahead, which it always finishes, then 2, and so
    on. When the budget is spent, the deepest finished search gives the answer. Without a budget
    nothing limits the search: each further decision multiplies the number of positions by the
    number of actions and by the number of outcomes.

    Args:
        depth: Number of decisions to look ahead, 1 to 1000; with a budget, the largest number. None
            means 1, or 1000 with a budget.
        heuristic: One of the model's ``heuristics``, None for the first of them, a
            `PositionFormula` or the text of one, or a function of (model, player) that returns a
            finite estimate of this player's return and does not change the model. Values of
            formulas are moved into [-1, 1].
        max_positions: Budget in positions valued, by the heuristic or as ends of the game.
        time_limit: Budget in seconds.
        seed: None, an int >= 0, a numpy SeedSequence or Generator, or an `Rng`. It decides between
            root actions whose values differ by less than 1e-12 (of values above 1: by less than one
            part in 10^12).

    Raises:
        ValueError: If an argument is out of range.
    """

    name = "expectimax"

    def _lookahead(self, model: ForwardModel, is_other: bool = False) -> Lookahead:
        return ExpectimaxSearch(model, self.heuristic, self.max_positions, self.time_limit)


@dataclass(eq=False, repr=False)
class StarMinimax(LookaheadAgent):
    """*-minimax: the choice of `Expectimax` in games of one or two players, from fewer positions.

    It finds the value that `Expectimax` finds to the same depth if all values are moved into
    [lower, upper] and the game is zero-sum: where the other player moves, it takes the least value
    to the player who searches. In games without chance nodes it is minimax with alpha-beta. The
    value of a root action that is worse than the best one is only an upper bound.

    The search leaves out more if strong actions come first. The model's `ordered_actions` decides
    which come first; at the root, each deeper search starts with the best actions of the search
    before.

    Args:
        depth: Number of decisions to look ahead; see `Expectimax` for it and for heuristic,
            max_positions, time_limit and seed.
        lower: Lower bound of the values, in units of the returns. Lesser values are replaced by it,
            with a warning.
        upper: Upper bound of the values, greater than ``lower``. The closer the bounds, the more is
            left out.
        probing_factor: Number of actions after each outcome of a chance node that are searched
            before any outcome is searched in full; they bound the value after the outcome from one
            side. They are not searched again. 0 is Star1 (Ballard 1983, "The *-minimax search
            procedure for trees containing chance nodes"), which leaves a chance node only when the
            outcomes to come cannot make up for those before. 1 is Star2, more is Star2.5 (Hauk,
            Buro and Schaeffer 2004, "*-minimax performance in backgammon").

    Raises:
        ValueError: If an argument is out of range. ``search`` and ``act`` raise it for games of
            more than two players, and where the returns of two do not sum to 0.
    """

    lower: float = checked(-1.0, check_number, on_pages=True)
    upper: float = field(default=1.0, metadata=ON_PAGES)
    probing_factor: int = checked(0, check_count, 0, MAX_PROBES, on_pages=True)

    name = "star-minimax"

    def __post_init__(self, seed: Seed) -> None:
        super().__post_init__(seed)
        self._check_bounds()

    def _check_bounds(self) -> None:
        check_number("upper", self.upper, self.lower, math.inf, is_open=True)

    def search(self, game: Any, *, watch: Watch | None = None) -> LookaheadResult:
        """Searches the position and values its actions: see `LookaheadAgent.search`."""
        result = super().search(game, watch=watch)
        if result.num_clipped:
            warnings.warn(
                f"{result.num_clipped} of {result.positions} values lay outside [lower, upper] = "
                f"[{self.lower:g}, {self.upper:g}] and were taken as the bound",
                RuntimeWarning,
                stacklevel=2,
            )
        return result

    def _lookahead(self, model: ForwardModel, is_other: bool = False) -> Lookahead:
        self._check_bounds()  # they may have been set
        bounds = (-self.upper, -self.lower) if is_other else (self.lower, self.upper)
        options = self.heuristic, self.max_positions, self.time_limit
        return StarSearch(model, *options, *bounds, self.probing_factor)
