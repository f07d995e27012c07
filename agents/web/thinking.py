"""An agent's decision in a worker thread: it shows how its search goes on, and can be stopped."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, watched
from agents.forward_model import CHANCE
from agents.game import is_searching
from agents.playing.found import candidates
from agents.playing.session import Model

from .intervals import Intervals, half_widths

SHOWN_ROWS = 12
"""Number of the best actions that a thought lists."""
SHOWN_LINE = 6
"""Number of moves of the principal variation that a thought shows."""
TELL_SECONDS = 0.2
"""Least time between two thoughts of one search."""


@dataclass(frozen=True)
class Racing:
    """A race between the best actions, which decides in place of the tree."""

    contestants: int
    num_left: int  # that have not fallen behind
    rollouts: int


@dataclass(frozen=True, kw_only=True)
class Thought:
    """What a search has found so far; a game adds its own words."""

    player: int  # who searches
    is_final: bool  # whether the search has ended
    is_hint: bool  # whether it is a hint for a person
    action: int  # that it recommends
    iterations: int | None  # so far, without the race; None if the planner has none
    rate: float | None  # iterations a second, in the time before the race
    race: Racing | None  # None if there is none (yet)
    seconds: float  # wall time so far
    num_nodes: int | None  # of the tree; None without one
    judge: str = ""  # the level that judges the player's move; "" for the player's own search


class Ranked(NamedTuple):
    """What a search found of an action."""

    action: int
    visits: int | None  # None if the planner counts none; in a race, its rollouts
    value: float  # mean return, in the units that the game shows
    margin: float | None
    """Half the width of the interval of about 95 % confidence of the value, by the method of batch
    means over the slices of the search; None if too few slices tried the action."""
    is_out: bool  # whether it has fallen behind in the race


@dataclass(eq=False)
class Thinking(ABC, Generic[Model]):
    """One decision of an agent."""

    agent: Agent  # nothing else may use it meanwhile
    model: Model  # the position, which must not change meanwhile
    tell: Callable[[Any], None]  # is called with thoughts, in the thread that calls `run`
    is_hint: bool = field(default=False, kw_only=True)  # whether it is a hint for a person
    is_stopped: bool = field(default=False, init=False)
    _intervals: Intervals = field(default_factory=Intervals, init=False)
    _next_telling: float = field(default=0.0, init=False)

    @abstractmethod
    def thought(self, result: Any, numbers: dict[str, Any]) -> Thought:
        """The thought about a search's result.

        Args:
            result: The result.
            numbers: The fields that all thoughts have.
        """

    def stop(self) -> None:
        """Ends the search within about a tenth of a second; for other threads."""
        self.is_stopped = True

    def run(self) -> int:
        """The action that the agent chooses. The last thought is told before it returns."""
        if not is_searching(self.agent):
            return int(self.agent.act(self.model))
        start = time.perf_counter()
        result = watched(self.agent.decide, self.model, self._watch)
        self.conclude(result, time.perf_counter() - start)
        return int(result.action)

    def conclude(self, result: Any, seconds: float) -> None:
        """Tells the last thought, of the result of a search that took so long."""
        self._note(result)
        self._tell(result, seconds, is_final=True)

    def ranked(self, result: Any, scale: float) -> Iterator[Ranked]:
        """The best actions of a result, best first; only the contestants of a race.

        Args:
            result: The result of a search with ``actions``.
            scale: What a return of 1 is in the units that the game shows.
        """
        margins, race = self._margins(result) * scale, getattr(result, "race", None)
        rollouts, out, count = dict[int, int](), set[int](), SHOWN_ROWS
        if race is not None:
            rollouts = dict(zip(race.actions.tolist(), race.rollouts.tolist(), strict=True))
            out, count = set(race.actions[~race.is_left].tolist()), min(count, len(rollouts))
        for i, action, visits, value in candidates(result, count):
            tries = rollouts.get(action, visits)
            margin = None if np.isnan(margins[i]) else float(margins[i])
            if tries != 0:
                yield Ranked(action, tries, value * scale, margin, action in out)

    def line(self, result: Any) -> Iterator[tuple[Model, int]]:
        """The first moves that a search expects, or plans, each after the position before it.

        The position is the same object every time, which the next move changes.
        """
        plan = [(self.model.current_player(), action) for action in getattr(result, "plan", ())]
        model, left = self.model.clone(), SHOWN_LINE
        for player, action in getattr(result, "principal_variation", plan):
            if player != CHANCE:
                yield model, int(action)
                left -= 1
            if not left:
                return
            model.apply_action(int(action))

    def _watch(self, result: Any) -> bool:
        if result is not None:
            self._note(result)
            if result.seconds >= self._next_telling and not self.is_stopped:
                self._next_telling = result.seconds + TELL_SECONDS
                self._tell(result, result.seconds, is_final=False)
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

    def _tell(self, result: Any, seconds: float, *, is_final: bool) -> None:
        tree, race = getattr(result, "search_tree", None), getattr(result, "race", None)
        iterations, tree_seconds = getattr(result, "iterations", None), seconds
        if race is not None:
            iterations, tree_seconds = result.tree_iterations, result.tree_seconds
        numbers = {
            "player": self.model.current_player(),
            "is_final": is_final,
            "is_hint": self.is_hint,
            "action": int(result.action),
            "iterations": iterations,
            "rate": iterations / max(tree_seconds, 1e-3) if iterations else None,
            "race": None if race is None else _racing(race),
            "seconds": seconds,
            "num_nodes": None if tree is None else int(tree.num_nodes),
        }
        self.tell(self.thought(result, numbers))


def _racing(race: Any) -> Racing:
    return Racing(len(race.actions), race.num_left, int(race.rollouts.sum()))
