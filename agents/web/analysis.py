"""The analysis of a game at a table, which the pages are told move by move."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Event
from typing import Any

from agents.forward_model import ForwardModel
from agents.playing.analysis import MoveLoss
from agents.playing.players import Players

from .table import Table
from .thinking import Thinking, Thought

SEARCHES = 3
"""Number of searches of each position of a game that is analysed."""


class Analysis:
    """What a planner finds that the moves of a game lost. Its methods run in the event loop.

    Args:
        thinking: What shows the searches.
        table: The table of the game, which holds the losses.
        players: The players that the game may name; their levels can analyse it.
        pool: The threads of the searches.
        tell: Is called when the losses have changed, or the analysis begins or ends.
        refuse: Is called with words for what went wrong.
    """

    def __init__(
        self,
        thinking: type[Thinking[Any]],
        table: Table[Any, Any],
        players: Players,
        pool: ThreadPoolExecutor,
        tell: Callable[[], None],
        refuse: Callable[[str], None],
    ) -> None:
        self._thinking = thinking
        self._table = table
        self._players = players
        self._pool = pool
        self._tell = tell
        self._refuse = refuse
        self._end: Event | None = None  # set to end the analysis
        self._following: asyncio.Task[None] | None = None

    def start(self, level: str, first: int = 1) -> None:
        """Has a level analyse the moves from the first one on.

        Raises:
            ValueError: If there is no such level, or an analysis is under way.
        """
        if self._end is not None:
            raise ValueError("an analysis is under way; stop it first")
        if level not in (levels := self._players.levels):
            raise ValueError(f"a game is analysed by one of {', '.join(levels)}, got {level!r}")
        end, table, thoughts = Event(), self._table, dict[int, Thought]()

        def searched(number: int, model: ForwardModel, result: Any) -> None:
            thinking = self._thinking(judge, model, partial(thoughts.__setitem__, number))
            thinking.conclude(result, result.seconds)

        judge, planner = self._players.agent(level), self._players.limited(levels[level])
        heard = {"is_stopped": end.is_set, "searched": searched}
        losses = table.analysed(planner, searches=SEARCHES, first=first, **heard)
        self._end, table.judge = end, level
        table.forget(first - 1)
        following = self._follow(losses, thoughts, end)
        self._following = asyncio.get_running_loop().create_task(following)
        self._tell()

    def stop(self) -> None:
        """Ends the analysis, if one is under way."""
        if self._end is not None:
            self._end.set()
        self._end = None

    def state(self) -> dict[str, Any]:
        """The members of the message "analysis"."""
        table = self._table
        return {
            "is_running": self._end is not None,
            "judge": table.judge,
            "losses": [table.told(loss) for _, loss in sorted(table.losses.items())],
            "practice": table.practice,
        }

    async def _follow(
        self, losses: Iterator[MoveLoss[Any]], thoughts: dict[int, Thought], end: Event
    ) -> None:
        """Tells how an analysis goes on, until it ends or is stopped.

        Other searches take turns with those of each move.
        """
        loop = asyncio.get_running_loop()
        try:
            while (loss := await loop.run_in_executor(self._pool, next, losses, None)) is not None:
                if end.is_set():
                    return
                self._table.losses[loss.number] = loss
                if (thought := thoughts.pop(loss.number, None)) and loss.better is not None:
                    judged = replace(thought, judge=self._table.judge)
                    self._table.judged[loss.number - 1] = judged
                self._tell()
        except Exception as error:
            self._refuse(f"the analysis failed: {error}")
        if not end.is_set():
            self.stop()
            self._tell()
