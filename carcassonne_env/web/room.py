"""A table and the pages that watch it: agents move by themselves, and everybody is told."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor

from agents.agent import Agent

from ..game_setup import Setup
from ..play.players import HINT, MAX_SEARCHES, names_of, player_of_page
from ..replaying import SavedGame
from ..replaying.analysis import loss_of
from .analysing import Analysing
from .messages import (
    Analyse,
    Analysis,
    Entry,
    Hold,
    Load,
    Look,
    Message,
    New,
    Open,
    Play,
    Progress,
    Recorded,
    Refusal,
    State,
    Told,
    written,
)
from .table import Table
from .thinking import Thinking, Thought

MAX_ROOMS = 200
"""Number of games that are kept; the one left longest ago makes room for a new one."""

Send = Callable[[str], None]
"""Sends a text to a page; never waits."""


class Room:
    """A game and the pages that show it. Its methods run in the event loop.

    The agents search while at least one page is open.

    Args:
        name: The name by which pages open the game.
        table: The game.
        pool: The threads in which agents search.
        pause: Least seconds between two moves of agents.
    """

    def __init__(self, name: str, table: Table, pool: ThreadPoolExecutor, pause: float) -> None:
        self.name = name
        self.table = table
        self.pause = pause
        self.is_held = False
        self.left_at = time.monotonic()
        self._pool = pool
        self._pages: set[Send] = set()
        self._task: asyncio.Task[None] | None = None
        self._thinking: Thinking | None = None
        self._search: Future[int] | None = None
        self._analysing: Analysing | None = None
        self._following: asyncio.Task[None] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no page shows the game."""
        return not self._pages

    def enter(self, page: Send) -> None:
        """Adds a page, shows it the game, and lets the agents go on."""
        self._pages.add(page)
        if self._task is None:
            self._go_on()
        page(written(self._state()))
        page(written(self._analysis()))

    def leave(self, page: Send) -> None:
        """Removes a page; the search stops if it was the last one."""
        self._pages.discard(page)
        self.left_at = time.monotonic()
        if self.is_empty:
            self.stop()

    def stop(self) -> None:
        """Stops the search and the analysis."""
        self._stop_search()
        self._stop_analysis()

    def _stop_search(self) -> None:
        if self._thinking is not None:
            self._thinking.stop()
        if self._task is not None:
            self._task.cancel()
        self._task = self._thinking = None

    def _stop_analysis(self) -> None:
        if self._analysing is not None:
            self._analysing.is_stopped = True
        self._analysing = None

    def take(self, message: Message, page: Send) -> None:
        """Does what a page asks.

        Raises:
            ValueError: If it cannot be done now.
        """
        if isinstance(message, Look):
            return page(written(self._state(message.ply)))
        if isinstance(message, Analyse):
            return self._analyse(message.level)
        if isinstance(message, Play):
            self._play(message)
        elif isinstance(message, Hold):
            self._hold(message.is_held)
        elif message.type == "undo":
            self.table.undo()
            self.stop()
            self._tell_all(self._analysis())
        elif message.type == "resign":
            self.table.resign()
            self._stop_search()
        elif message.type == "hint":
            return self._hint()
        elif message.type == "hurry":
            return self._hurry()
        self._go_on()
        return self._tell_all(self._state())

    # What pages ask for

    def _play(self, message: Play) -> None:
        if message.ply != self.table.ply or not self.table.is_person_to_move:
            raise ValueError("it is no longer your turn in the position that this page shows")
        self.table.play(message.action)
        self._stop_search()  # a hint may still be searched for

    def _hold(self, is_held: bool) -> None:
        self.is_held = is_held
        if is_held:
            self._stop_search()

    def _hint(self) -> None:
        if not self.table.is_person_to_move:
            raise ValueError("a hint is for the person to move, and nobody is to move now")
        if self._task is None:
            agent = player_of_page(HINT)
            assert agent is not None
            self._start(lambda: self._decide(agent, is_hint=True))
            self._tell_all(self._state())

    def _hurry(self) -> None:
        if self._thinking is not None:
            self._thinking.stop()

    def _analyse(self, level: str | None) -> None:
        if level is None:
            self._stop_analysis()
            return self._tell_all(self._analysis())
        if self._analysing is not None:
            raise ValueError("an analysis is under way; stop it first")
        self._analysing = Analysing(self.table.saved(), level)
        self.table.losses = {}
        self._following = asyncio.get_running_loop().create_task(self._follow(self._analysing))
        return self._tell_all(self._analysis())

    async def _follow(self, analysing: Analysing) -> None:
        """Tells the pages how an analysis goes on, until it ends or is stopped."""
        try:
            async for loss in analysing.losses(self._pool):
                if analysing.is_stopped:
                    return
                self.table.losses[loss.number] = loss
                self._tell_all(self._analysis())
        except Exception as error:
            self._tell_all(Refusal(f"the analysis failed: {error}"))
        if not analysing.is_stopped:
            self._stop_analysis()
            self._tell_all(self._analysis())

    # Agents

    def _go_on(self) -> None:
        """Lets the agents move until a person is to move."""
        is_wanted = self.table.agent_to_move is not None and not self.is_held and self._pages
        if self._task is None and is_wanted:
            self._start(self._move_agents)

    def _start(self, work: Callable[[], Awaitable[object]]) -> None:
        self._task = asyncio.get_running_loop().create_task(self._watched(work))

    async def _watched(self, work: Callable[[], Awaitable[object]]) -> None:
        """Awaits work of the agents; if an agent fails, tells why and halts them."""
        try:
            await work()
        except Exception as error:
            self.is_held = True
            self._tell_all(Refusal(f"the planner failed: {error}"))
        self._task = self._thinking = None
        self._tell_all(self._state())

    async def _move_agents(self) -> None:
        while (agent := self.table.agent_to_move) is not None:
            start = time.monotonic()
            action = await self._decide(agent)
            await asyncio.sleep(max(0.0, self.pause - (time.monotonic() - start)))
            self.table.play(action)
            if self.table.agent_to_move is not None:
                self._tell_all(self._state())

    async def _decide(self, agent: Agent, *, is_hint: bool = False) -> int:
        """The decision of an agent in a thread; thoughts go to all pages meanwhile.

        It begins when the thread of the search before it has ended, which may have been stopped a
        moment ago: an agent has one search at a time.
        """
        loop, ply = asyncio.get_running_loop(), self.table.ply
        if self._search is not None:
            await asyncio.gather(asyncio.wrap_future(self._search), return_exceptions=True)

        def tell(thought: Thought) -> None:
            text = written(Progress(self.name, ply, thought))
            loop.call_soon_threadsafe(show, thought, text)

        def show(thought: Thought, text: str) -> None:
            if self._thinking is thinking:
                self.table.thoughts[ply] = thought
                self._tell_all_text(text)

        thinking = Thinking(agent, self.table.position, tell, is_hint=is_hint)
        self._thinking = thinking
        self._search = self._pool.submit(thinking.run)
        action = await asyncio.wrap_future(self._search)
        await asyncio.sleep(0)  # the last thought is shown
        self._thinking = None
        return action

    # What pages see

    def _state(self, ply: int | None = None) -> State:
        is_thinking = self._task is not None
        view = self.table.view(ply)
        return State(self.name, view, is_thinking, self.is_held, is_answer=ply is not None)

    def _analysis(self) -> Analysis:
        losses = tuple(loss_of(self.table.losses[number]) for number in sorted(self.table.losses))
        return Analysis(self.name, self._analysing is not None, losses)

    def _tell_all(self, told: Told) -> None:
        self._tell_all_text(written(told))

    def _tell_all_text(self, text: str) -> None:
        for page in self._pages:
            page(text)


class House:
    """All games of a server, and the threads in which their agents search."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(MAX_SEARCHES, thread_name_prefix="search")
        self.rooms: dict[str, Room] = {}

    def room(self, message: Entry) -> Room:
        """The game that a page starts or opens.

        Raises:
            ValueError: If there is no such game, a player or a saved game is refused, or too many
                games are open.
        """
        if isinstance(message, Open):
            if message.game not in self.rooms:
                raise ValueError("this game is gone; start a new one")
            return self.rooms[message.game]
        table = table_of(message)
        self._make_room()
        name = secrets.token_urlsafe(9)
        pause = message.pause if isinstance(message, New) else 0.0
        self.rooms[name] = Room(name, table, self.pool, pause)
        return self.rooms[name]

    def close(self) -> None:
        """Stops all searches."""
        for room in self.rooms.values():
            room.stop()
        self.pool.shutdown(wait=False, cancel_futures=True)

    def _make_room(self) -> None:
        """Removes the game that was left longest ago if there are too many."""
        if len(self.rooms) < MAX_ROOMS:
            return
        empty = [name for name, room in self.rooms.items() if room.is_empty]
        if not empty:
            raise ValueError(f"{MAX_ROOMS} games are open; close the page of one")
        del self.rooms[min(empty, key=lambda name: self.rooms[name].left_at)]


def table_of(message: New | Load | Recorded) -> Table:
    """The table with the game that a page starts, or brings.

    Raises:
        ValueError: If a player or the game is refused.
    """
    if isinstance(message, Load):
        return Table.of(SavedGame.from_json(message.text), secrets.randbelow(2**31))
    if isinstance(message, Recorded):
        setup = Setup.named(message.setup)
        game = SavedGame.of(setup, message.players, message.actions, message.seed)
        return Table.of(game, message.seed)
    players = [player_of_page(text) for text in message.players]
    setup = Setup(len(players), message.meeples, message.tiles, message.known_order)
    seed = secrets.randbelow(2**31) if message.seed is None else message.seed
    return Table(setup, players, names_of(message.players), seed)
