"""An agent's decision in a worker thread: it shows how its search goes on, and can be stopped."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, watched
from agents.forward_model import CHANCE
from agents.game import is_searching

from ..model import CarcassonneModel
from ..play.found import action_values, heat_of, points_of_return, ranked
from ..play.view import Placement, placement_of
from ..play.words import lead_words, move_words
from ..position import Move

SHOWN_ROWS = 12
"""Number of the best actions that a thought lists."""
SHOWN_LINE = 6
"""Number of moves of the principal variation that a thought shows."""
TELL_SECONDS = 0.2
"""Least time between two thoughts of one search."""
_MIN_BATCHES = 3
_DEGREES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 60, 120, math.inf)
_QUANTILES = (
    *(4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.179, 2.131, 2.086, 2.042, 2.000, 1.980, 1.960),
)
"""Student's t for these degrees of freedom, which 2.5 % of the distribution exceed.

Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, table 26.10.
"""


@dataclass(frozen=True)
class Row:
    """An action of the root."""

    action: int
    placement: Placement
    words: str  # for the move
    visits: int | None  # None if the planner counts none; in a race, its rollouts
    points: float  # mean return in points: the score of a single player, else the lead
    margin: float | None
    """Half the width of the interval of about 95 % confidence of the points, by the method of batch
    means over the slices of the search; None if too few slices tried the action."""
    is_out: bool  # whether it has fallen behind in the race


@dataclass(frozen=True)
class Racing:
    """A race between the best actions, which decides in place of the tree."""

    contestants: int
    num_left: int  # that have not fallen behind
    rollouts: int


@dataclass(frozen=True)
class Thought:
    """What a search has found so far."""

    player: int  # who searches
    is_final: bool  # whether the search has ended
    is_hint: bool  # whether it is a hint for a person
    action: int  # that it recommends
    words: str  # for the result that it expects
    points: float  # the expected return
    iterations: int | None  # so far, without the race; None if the planner has none
    rate: float | None  # iterations a second, in the time before the race
    race: Racing | None  # None if there is none (yet)
    seconds: float  # wall time so far
    num_nodes: int | None  # of the tree; None without one
    rows: list[Row]  # the best actions, best first; only the contestants of a race
    places: list[tuple[int, int, float]]
    """(x, y, share of visits) of each cell, or the share of the value's range from worst to best in
    a race, or if no visits are counted."""
    line: list[Placement]  # the principal variation


class Intervals:
    """Intervals of the root's means by the method of batch means.

    Each slice of the search is a batch. The means of the batches vary as the search wanders, so
    the interval is honest about values that still drift. Its width is by Student's t: with three
    batches it is more than twice as wide as with many that vary as much.

    Reference: Law and Kelton, Simulation Modeling and Analysis, 2000, section 9.5.3.
    """

    def __init__(self) -> None:
        self._visits: NDArray[np.float64] | None = None

    def add(self, counts: NDArray[np.int64], means: NDArray[np.float64]) -> None:
        """Adds the slice that ends with these visits int64[n] and means float64[n]."""
        visits = counts.astype(np.float64)
        if self._visits is None:
            self._visits, self._sums, self._batches, self._squares = np.zeros((4, len(visits)))
        sums = visits * np.nan_to_num(means)
        new = visits - self._visits
        batch = np.divide(sums - self._sums, new, out=np.zeros_like(sums), where=new > 0)
        self._batches += new > 0
        self._squares += new * batch**2
        self._visits, self._sums = visits, sums

    def margins(self) -> NDArray[np.float64]:
        """Half the width of each interval, float64[n]; NaN with fewer than three batches."""
        if self._visits is None:
            return np.empty(0)
        total = np.maximum(self._visits, 1)
        spread = np.maximum(self._squares - self._sums**2 / total, 0)
        variance = spread / (np.maximum(self._batches - 1, 1) * total)
        return half_widths(np.sqrt(variance), self._batches)


def half_widths(errors: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Half the width of intervals of 95 % confidence, float64[n].

    Args:
        errors: float64[n], standard errors.
        counts: float64[n], how many values each was estimated from; NaN results from fewer than 3.
    """
    degrees = np.maximum(counts - 1, _DEGREES[0])
    inverses = [1 / degree for degree in reversed(_DEGREES)]
    quantiles = np.interp(1 / degrees, inverses, _QUANTILES[::-1])
    return np.where(counts >= _MIN_BATCHES, quantiles * errors, np.nan)


@dataclass(eq=False)
class Thinking:
    """One decision of an agent."""

    agent: Agent  # nothing else may use it meanwhile
    model: CarcassonneModel  # the position, which must not change meanwhile
    tell: Callable[[Thought], None]  # is called with thoughts, in the thread that calls `run`
    is_hint: bool = field(default=False, kw_only=True)  # whether it is a hint for a person
    is_stopped: bool = field(default=False, init=False)
    _intervals: Intervals = field(default_factory=Intervals, init=False)
    _next_telling: float = field(default=0.0, init=False)

    def stop(self) -> None:
        """Ends the search within about a tenth of a second; for other threads."""
        self.is_stopped = True

    def run(self) -> int:
        """The action that the agent chooses. The last thought is told before it returns."""
        if not is_searching(self.agent):
            return int(self.agent.act(self.model))
        start = time.perf_counter()
        result = watched(self.agent.decide, self.model, self._watch)
        self._note(result)
        self.tell(self._thought(result, time.perf_counter() - start, is_final=True))
        return int(result.action)

    def _watch(self, result: Any) -> bool:
        if result is not None:
            self._note(result)
            if result.seconds >= self._next_telling and not self.is_stopped:
                self._next_telling = result.seconds + TELL_SECONDS
                self.tell(self._thought(result, result.seconds, is_final=False))
        return self.is_stopped

    def _note(self, result: Any) -> None:
        """Adds the slice of the search that ends with this result to the intervals."""
        if hasattr(result, "visits"):
            self._intervals.add(result.visits, result.means)

    def _margins(self, result: Any) -> NDArray[np.float64]:
        """Half the width of the interval of each value, float64[n]; NaN where it is not known."""
        if not hasattr(result, "visits"):
            return np.full(len(result.actions), np.nan)
        race = getattr(result, "race", None)
        if race is None:
            return self._intervals.margins()
        counts = result.visits.astype(np.float64)  # how often each action was played on from
        counts[np.searchsorted(result.actions, race.actions)] = race.rollouts
        return half_widths(result.standard_errors, counts)

    def _thought(self, result: Any, seconds: float, *, is_final: bool) -> Thought:
        model, race = self.model, getattr(result, "race", None)
        points = float(result.value) * points_of_return(self.agent, model)
        moves = [model.decode_action(int(action)) for action in result.actions]
        tree = getattr(result, "search_tree", None)
        iterations, tree_seconds = getattr(result, "iterations", None), seconds
        if race is not None:
            iterations, tree_seconds = result.tree_iterations, result.tree_seconds
        return Thought(
            player=model.current_player(),
            is_final=is_final,
            is_hint=self.is_hint,
            action=int(result.action),
            words=lead_words(points, model.num_players),
            points=points,
            iterations=iterations,
            rate=iterations / max(tree_seconds, 1e-3) if iterations else None,
            race=None if race is None else _racing(race),
            seconds=seconds,
            num_nodes=None if tree is None else int(tree.num_nodes),
            rows=self._rows(result, moves),
            places=[(*cell, round(share, 4)) for cell, share in heat_of(moves, result).items()],
            line=line_of(model, getattr(result, "principal_variation", [])),
        )

    def _rows(self, result: Any, moves: list[Move]) -> list[Row]:
        scale, values = points_of_return(self.agent, self.model), action_values(result)
        margins, visits = self._margins(result), getattr(result, "visits", np.empty(0)).copy()
        race, count, out = getattr(result, "race", None), SHOWN_ROWS, set[int]()
        if race is not None:
            at = np.searchsorted(result.actions, race.actions)
            visits[at] = race.rollouts
            count, out = min(count, len(at)), set(at[~race.is_left].tolist())
        return [
            Row(
                int(result.actions[i]),
                placement_of(self.model, moves[i]),
                move_words(moves[i]),
                int(visits[i]) if len(visits) else None,
                float(values[i]) * scale,
                None if np.isnan(margins[i]) else float(margins[i]) * scale,
                i in out,
            )
            for i in ranked(result)[:count].tolist()
            if not len(visits) or visits[i]
        ]


def _racing(race: Any) -> Racing:
    return Racing(len(race.actions), race.num_left, int(race.rollouts.sum()))


def line_of(model: CarcassonneModel, variation: list[tuple[int, int]]) -> list[Placement]:
    """The first moves of a principal variation."""
    model, line = model.clone(), list[Placement]()
    for player, action in variation:
        if player != CHANCE:
            line.append(placement_of(model, model.decode_action(action)))
        if len(line) == SHOWN_LINE:
            break
        model.apply_action(action)
    return line
