"""An agent's decision in a worker thread: it shows how its search goes on, and can be stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, watched
from agents.forward_model import CHANCE, ForwardModel
from agents.game import is_searching
from agents.playing.found import attention_by, candidates

from .any_game import Point, places_of
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


@dataclass(frozen=True)
class Row:
    """What a search found of an action."""

    action: int
    move: Any  # as the page shows it
    visits: int | None  # None if the planner counts none; in a race, its rollouts
    value: float  # mean return, in the units that the game shows
    margin: float | None
    """Half the width of the interval of about 95 % confidence of the value, by the method of batch
    means over the slices of the search; None if too few slices tried the action."""
    is_out: bool  # whether it has fallen behind in the race
    place: Point | None  # of the move in the picture of the position, if there is one


@dataclass(frozen=True)
class Thought:
    """What a search has found so far."""

    player: int  # who searches
    is_final: bool  # whether the search has ended
    is_hint: bool  # whether it is a hint for a person
    action: int  # that it recommends
    value: float  # what it expects of this action, in the units that the game shows
    rows: list[Row]  # the best actions, best first; only the contestants of a race
    places: list[tuple[float, ...]]  # (x, y, attention) of each place
    line: list[Any]  # the principal variation, or the rest of the planned turn; moves as in `Row`
    iterations: int | None  # so far, without the race; None if the planner has none
    rate: float | None  # iterations a second, in the time before the race
    race: Racing | None  # None if there is none (yet)
    seconds: float  # wall time so far
    num_nodes: int | None  # of the tree; None without one
    judge: str = ""  # the level that judges the player's move; "" for the player's own search


@dataclass(eq=False)
class Thinking:
    """One decision of an agent; the methods that say how it is shown are those of any game."""

    agent: Agent  # nothing else may use it meanwhile
    model: ForwardModel  # the position, which must not change meanwhile
    tell: Callable[[Thought], None] = lambda _: None  # in the thread that calls `run`
    is_hint: bool = field(default=False, kw_only=True)  # whether it is a hint for a person
    is_stopped: bool = field(default=False, init=False)
    _intervals: Intervals = field(default_factory=Intervals, init=False)
    _next_telling: float = field(default=0.0, init=False)

    @staticmethod
    def scale(planner: Any, model: Any) -> float:
        """What a return of 1 of a planner is in the units that the game shows."""
        return 1.0

    @staticmethod
    def shown(model: Any, action: int) -> Any:
        """An action of a position as the page shows it: in words."""
        return model.action_to_string(action)

    def places(self) -> Mapping[int, Point]:
        """The point of the picture that belongs to each action, as far as there is one."""
        return places_of(self.model)

    def heat(self, result: Any) -> Mapping[Any, float]:
        """The attention that each place (x, y) has in the result of a search with ``actions``.

        Many actions may share a place.
        """
        places = self.places()
        found = attention_by([places.get(int(action)) for action in result.actions], result)
        return {place: share for place, share in found.items() if place is not None}

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
        self.tell(self.thought(result, time.perf_counter() - start))
        return int(result.action)

    def judged(self, result: Any, judge: str) -> Thought:
        """The thought of a level that has searched to judge a move."""
        self._note(result)
        return replace(self.thought(result, result.seconds), judge=judge)

    def thought(self, result: Any, seconds: float, *, is_final: bool = True) -> Thought:
        """The thought of the result of a search that has taken so long."""
        tree, race = getattr(result, "search_tree", None), getattr(result, "race", None)
        iterations, tree_seconds = getattr(result, "iterations", None), seconds
        if race is not None:
            iterations, tree_seconds = result.tree_iterations, result.tree_seconds
        has_actions = hasattr(result, "actions")
        heat, scale = self.heat(result) if has_actions else {}, self.scale(self.agent, self.model)
        rows = list(self._rows(result, scale)) if has_actions else []
        return Thought(
            player=self.model.current_player(),
            is_final=is_final,
            is_hint=self.is_hint,
            action=int(result.action),
            value=rows[0].value if rows else float(result.value) * scale,
            rows=rows,
            places=[(*place, round(share, 4)) for place, share in heat.items()],
            line=[self.shown(model, action) for model, action in self._line(result)],
            iterations=iterations,
            rate=iterations / max(tree_seconds, 1e-3) if iterations else None,
            race=None if race is None else _racing(race),
            seconds=seconds,
            num_nodes=None if tree is None else int(tree.num_nodes),
        )

    def _rows(self, result: Any, scale: float) -> Iterator[Row]:
        """The best actions of a result, best first; only the contestants of a race."""
        margins, race = self._margins(result) * scale, getattr(result, "race", None)
        rollouts, out, count = dict[int, int](), set[int](), SHOWN_ROWS
        places = self.places()
        if race is not None:
            rollouts = dict(zip(race.actions.tolist(), race.rollouts.tolist(), strict=True))
            out, count = set(race.actions[~race.is_left].tolist()), min(count, len(rollouts))
        for i, action, visits, value in candidates(result, count):
            tries = rollouts.get(action, visits)
            margin = None if np.isnan(margins[i]) else float(margins[i])
            if tries != 0:
                move = self.shown(self.model, action)
                yield Row(
                    action, move, tries, value * scale, margin, action in out, places.get(action)
                )

    def _line(self, result: Any) -> Iterator[tuple[ForwardModel, int]]:
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
                self.tell(self.thought(result, result.seconds, is_final=False))
        return self.is_stopped

    def _note(self, result: Any) -> None:
        """Adds the slice of the search that ends with this result to the intervals."""
        if hasattr(result, "visits"):
            self._intervals.add(result.visits, result.values)

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


def _racing(race: Any) -> Racing:
    return Racing(len(race.actions), race.num_left, int(race.rollouts.sum()))
