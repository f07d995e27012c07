"""The agents of a game: they search in threads, and move until a person is to move."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from agents.agent import Agent

from .messages import written
from .table import Table
from .thinking import Thinking, Thought


@dataclass(eq=False)
class AgentLoop:
    """Lets agents move or search for a hint, one at a time. Its methods run in the event loop."""

    game: str  # the name by which pages know it
    table: Table
    thinking: type[Thinking]  # shows the searches
    pool: ThreadPoolExecutor  # of the searches
    pause: float  # least seconds between two moves
    tell: Callable[[str], None]  # sends a message to all pages
    moved: Callable[[], None]  # is called after each move
    ended: Callable[[Exception | None], None]  # is called at the end, with what an agent raised
    _task: asyncio.Task[None] | None = field(default=None, init=False)
    _thinking: Thinking | None = field(default=None, init=False)
    _search: Future[int] | None = field(default=None, init=False)

    @property
    def is_running(self) -> bool:
        """Whether an agent or a hint is searching, or waits for a free processor."""
        return self._task is not None

    def move(self) -> None:
        """Lets the agents move until a person is to move."""
        self._start(self._move)

    def hint(self, agent: Agent) -> None:
        """Has an agent think about the position of a person."""
        self._start(lambda: self._decide(agent, is_hint=True))

    def hurry(self) -> None:
        """Has the agent that thinks decide now."""
        if self._thinking is not None:
            self._thinking.stop()

    def stop(self) -> None:
        """Stops what is under way; nothing is told of it any more."""
        self.hurry()
        if self._task is not None:
            self._task.cancel()
        self._task = self._thinking = None

    def _start(self, work: Callable[[], Awaitable[object]]) -> None:
        self._task = asyncio.get_running_loop().create_task(self._watched(work))

    async def _watched(self, work: Callable[[], Awaitable[object]]) -> None:
        """Awaits work of the agents, and reports its end."""
        failure = None
        try:
            await work()
        except Exception as error:
            failure = error
        self._task = self._thinking = None
        self.ended(failure)

    async def _move(self) -> None:
        while (agent := self.table.agent_to_move) is not None:
            start = time.monotonic()
            action = await self._decide(agent)
            await asyncio.sleep(max(0.0, self.pause - (time.monotonic() - start)))
            self.table.play(action)
            self.moved()

    async def _decide(self, agent: Agent, *, is_hint: bool = False) -> int:
        """The decision of an agent in a thread; thoughts go to all pages meanwhile.

        It begins when the thread of the search before it has ended, which may have been stopped a
        moment ago: an agent has one search at a time.
        """
        loop, ply = asyncio.get_running_loop(), self.table.ply
        if self._search is not None:
            await asyncio.gather(asyncio.wrap_future(self._search), return_exceptions=True)

        def tell(thought: Thought) -> None:
            text = written("thought", game=self.game, ply=ply, thought=thought)
            loop.call_soon_threadsafe(show, thought, text)

        def show(thought: Thought, text: str) -> None:
            if self._thinking is thinking:
                self.table.thoughts[ply] = thought
                self.tell(text)

        thinking = self.thinking(agent, self.table.position, tell, is_hint=is_hint)
        self._thinking = thinking
        self._search = self.pool.submit(thinking.run)
        action = await asyncio.wrap_future(self._search)
        await asyncio.sleep(0)  # the last thought is shown
        self._thinking = None
        return action
