"""The analysis of a game at a table, which the pages are told move by move."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from agents.agent import watched
from agents.playing.analysis import Judged, MoveLoss, judge_game
from agents.playing.players import Players

from .table import Table
from .thinking import Thinking, Thought

SEARCHES = 3
"""Of each position: fewer than `agents.playing.SEARCHES`, because people at the table wait."""


@dataclass(eq=False)
class Analysis:
    """What a planner finds that the moves of a game lost. Its methods run in the event loop."""

    thinking: type[Thinking]  # shows the searches
    table: Table  # holds the losses
    players: Players  # whose levels can analyse
    pool: ThreadPoolExecutor  # of the searches
    tell: Callable[[], None]  # is called when losses are new, or the analysis begins or ends
    refuse: Callable[[str], None]  # is called with words for what went wrong
    _end: Event | None = field(default=None, init=False)  # set to end the analysis
    _following: asyncio.Task[None] | None = field(default=None, init=False)

    @property
    def is_running(self) -> bool:
        """Whether an analysis is under way."""
        return self._end is not None

    def start(self, level: str, first: int = 1) -> None:
        """Has a level analyse the moves from the first one on, if no analysis is under way."""
        if self.is_running:
            raise ValueError("an analysis is under way; stop it first")
        planner = self.players.judge(level)
        end, table = Event(), self.table
        options: dict[str, Any] = {"searches": SEARCHES, "first": first, "is_stopped": end.is_set}
        judged = judge_game(table.saved(), planner, scale=self.thinking.scale, **options)
        self._end, table.judge = end, level
        table.forget(first - 1)
        following = self._follow(self._shown(judged, level, planner, end), end)
        self._following = asyncio.get_running_loop().create_task(following)
        self.tell()

    def stop(self) -> None:
        """Ends the analysis, if one is under way."""
        if self._end is not None:
            self._end.set()
        self._end = None

    def state(self) -> dict[str, Any]:
        """The members of the message "analysis"."""
        table = self.table
        return {
            "is_running": self.is_running,
            "judge": table.judge,
            "losses": table.told_losses(),
            "practice": table.practice,
        }

    def _shown(
        self, judged: Iterator[Judged[Any]], level: str, planner: str, end: Event
    ) -> Iterator[tuple[MoveLoss[Any], Thought | None]]:
        """What the moves lost, and the judge's thought of those that lost; works in the pool."""
        judge: Any = self.players.agent(planner)

        def search(model: Any) -> Any:
            return watched(judge.search, model, lambda _: end.is_set())

        for each in judged:
            loss, thought = self.table.lost(each, search), None
            if loss.better is not None:
                thinking = self.thinking(judge, each.position)
                thought = thinking.judged(each.result, level)
            yield loss, thought

    async def _follow(
        self, shown: Iterator[tuple[MoveLoss[Any], Thought | None]], end: Event
    ) -> None:
        """Tells how an analysis goes on, until it ends or is stopped.

        Other searches take turns with those of each move.
        """
        loop, table = asyncio.get_running_loop(), self.table
        try:
            while (found := await loop.run_in_executor(self.pool, next, shown, None)) is not None:
                if end.is_set():
                    return
                loss, thought = found
                table.losses[loss.number] = loss
                if thought is not None:
                    table.judged[loss.number - 1] = thought
                self.tell()
        except Exception as error:
            if not end.is_set():
                self.refuse(f"the analysis failed: {error}")
        if not end.is_set():
            self.stop()
            self.tell()
