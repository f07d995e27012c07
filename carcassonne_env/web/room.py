"""A table and the pages that watch it: agents move by themselves, and everybody is told."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event

from agents.agent import Agent

from ..game_setup import Setup
from ..play.players import HINT, LEVELS, MAX_SEARCHES, limited, names_of, player_of_page
from ..play.preview import preview_of
from ..replaying import MoveLoss, SavedGame, analyse_game
from ..replaying.analysis import loss_of
from ..replaying.kept import new_name
from . import messages
from .keeper import Keeper
from .messages import Message, written
from .table import Table
from .thinking import Thinking, Thought

MAX_ROOMS = 200
"""Number of games that are kept; the one left longest ago makes room for a new one."""
PAUSE = 0.6
"""Seconds between moves of agents in a game that is resumed."""
SEARCHES = 3
"""Number of searches of each position of a game that is analysed."""

Send = Callable[[str], None]
"""Sends a text to a page; never waits."""


class Room:
    """A game and the pages that show it. Its methods run in the event loop.

    Pages open it by its name. While at least one is open, the agents search in the threads of a
    pool, with a pause between two moves of at least so many seconds. The keeper writes the game to
    a file when it changes.
    """

    def __init__(
        self, name: str, table: Table, pool: ThreadPoolExecutor, pause: float, keeper: Keeper
    ) -> None:
        self.name = name
        self.table = table
        self.pause = pause
        self.is_held = False
        self.left_at = time.monotonic()
        self._pool = pool
        self._keeper = keeper
        self._pages: set[Send] = set()
        self._task: asyncio.Task[None] | None = None
        self._thinking: Thinking | None = None
        self._search: Future[int] | None = None
        self._analysing: Event | None = None  # set to end the analysis
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
        page(self._state())
        page(self._analysis())

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
        self._hurry()
        if self._task is not None:
            self._task.cancel()
        self._task = self._thinking = None

    def _hurry(self) -> None:
        if self._thinking is not None:
            self._thinking.stop()

    def _stop_analysis(self) -> None:
        if self._analysing is not None:
            self._analysing.set()
        self._analysing = None

    def take(self, message: Message, page: Send) -> None:
        """Does what a page asks.

        Raises:
            ValueError: If it cannot be done now.
        """
        match message:
            case messages.Look():
                return page(self._state(message.ply))
            case messages.Weigh():
                return page(self._weighed(message.ply, message.action))
            case messages.Analyse():
                return self._analyse(message.level)
            case messages.Wish(type="hint"):
                return self._hint()
            case messages.Wish(type="hurry"):
                return self._hurry()
            case messages.Play():
                self._play(message.ply, message.action)
            case messages.Hold():
                self.is_held = message.is_held
                if self.is_held:
                    self._stop_search()
            case messages.Wish(type="undo"):
                self.table.undo()
                self._keep()
                self.stop()
                self._tell_all(self._analysis())
            case messages.Wish(type="resign"):
                self.table.resign()
                self._stop_search()
        self._go_on()
        return self._tell_all(self._state())

    def _play(self, ply: int, action: int) -> None:
        self._check_turn(ply)
        self.table.play(action)
        self._keep()
        self._stop_search()  # a hint may still be searched for

    def _check_turn(self, ply: int) -> None:
        if ply != self.table.ply or not self.table.is_person_to_move:
            raise ValueError("it is no longer your turn in the position that this page shows")

    def _hint(self) -> None:
        if not self.table.is_person_to_move:
            raise ValueError("a hint is for the person to move, and nobody is to move now")
        if self._task is None:
            agent = player_of_page(HINT)
            assert agent is not None
            self._start(lambda: self._decide(agent, is_hint=True))
            self._tell_all(self._state())

    # Analysis

    def _analyse(self, level: str | None) -> None:
        if level is None:
            self._stop_analysis()
            return self._tell_all(self._analysis())
        if self._analysing is not None:
            raise ValueError("an analysis is under way; stop it first")
        if level not in LEVELS:
            raise ValueError(f"a game is analysed by one of {', '.join(LEVELS)}, got {level!r}")
        end = Event()
        planner, game = limited(LEVELS[level]), self.table.saved()
        losses = analyse_game(game, planner, searches=SEARCHES, is_stopped=end.is_set)
        self._analysing, self.table.losses = end, {}
        self._following = asyncio.get_running_loop().create_task(self._follow(losses, end))
        return self._tell_all(self._analysis())

    async def _follow(self, losses: Iterator[MoveLoss], end: Event) -> None:
        """Tells the pages how an analysis goes on, until it ends or is stopped.

        Other searches take turns with those of each move.
        """
        loop = asyncio.get_running_loop()
        try:
            while (loss := await loop.run_in_executor(self._pool, next, losses, None)) is not None:
                if end.is_set():
                    return
                self.table.losses[loss.number] = loss
                self._tell_all(self._analysis())
        except Exception as error:
            self._refuse(f"the analysis failed: {error}")
        if not end.is_set():
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
            self._refuse(f"the planner failed: {error}")
        self._task = self._thinking = None
        self._tell_all(self._state())

    async def _move_agents(self) -> None:
        while (agent := self.table.agent_to_move) is not None:
            start = time.monotonic()
            action = await self._decide(agent)
            await asyncio.sleep(max(0.0, self.pause - (time.monotonic() - start)))
            self.table.play(action)
            self._keep()
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
            text = written("thought", game=self.name, ply=ply, thought=thought)
            loop.call_soon_threadsafe(show, thought, text)

        def show(thought: Thought, text: str) -> None:
            if self._thinking is thinking:
                self.table.thoughts[ply] = thought
                self._tell_all(text)

        thinking = Thinking(agent, self.table.position, tell, is_hint=is_hint)
        self._thinking = thinking
        self._search = self._pool.submit(thinking.run)
        action = await asyncio.wrap_future(self._search)
        await asyncio.sleep(0)  # the last thought is shown
        self._thinking = None
        return action

    def _keep(self) -> None:
        self._keeper.keep(self.name, self.table)

    # What pages see

    def _state(self, ply: int | None = None) -> str:
        return written(
            "state",
            game=self.name,
            view=self.table.view(ply),
            is_thinking=self._task is not None,
            is_held=self.is_held,
            is_answer=ply is not None,
        )

    def _weighed(self, ply: int, action: int) -> str:
        self._check_turn(ply)
        preview = preview_of(self.table.position, action)
        return written("weighed", game=self.name, ply=ply, action=action, preview=preview)

    def _analysis(self) -> str:
        losses = [loss_of(loss) for _, loss in sorted(self.table.losses.items())]
        is_running = self._analysing is not None
        return written("analysis", game=self.name, is_running=is_running, losses=losses)

    def _refuse(self, message: str) -> None:
        self._tell_all(written("error", message=message))

    def _tell_all(self, text: str) -> None:
        for page in self._pages:
            page(text)


class House:
    """All games of a server, and the threads in which their agents search.

    Args:
        games: The folder in which games are kept; None to keep none.
    """

    def __init__(self, games: Path | None = None) -> None:
        self.keeper = Keeper(games)
        self.pool = ThreadPoolExecutor(MAX_SEARCHES, thread_name_prefix="search")
        self.rooms: dict[str, Room] = {}

    def room(self, message: messages.Entry) -> Room:
        """The game that a page starts or opens.

        Raises:
            ValueError: If there is no such game, a player or a saved game is refused, or too many
                games are open.
        """
        if isinstance(message, messages.Open):
            return self.rooms.get(message.game) or self._resumed(message.game)
        pause = message.pause if isinstance(message, messages.New) else 0.0
        return self._room(new_name(secrets.token_hex(4)), table_of(message), pause)

    def _resumed(self, name: str) -> Room:
        """A game of an earlier server."""
        game = self.keeper.load(name)
        if game is None:
            raise ValueError("this game is gone; start a new one")
        return self._room(name, Table.resumed(game, secrets.randbelow(2**31)), PAUSE)

    def _room(self, name: str, table: Table, pause: float) -> Room:
        self._make_room()
        self.rooms[name] = Room(name, table, self.pool, pause, self.keeper)
        return self.rooms[name]

    def close(self) -> None:
        """Stops all searches."""
        for room in self.rooms.values():
            room.stop()
        self.pool.shutdown(wait=False, cancel_futures=True)
        self.keeper.close()

    def _make_room(self) -> None:
        """Removes the game that was left longest ago if there are too many."""
        if len(self.rooms) < MAX_ROOMS:
            return
        empty = [name for name, room in self.rooms.items() if room.is_empty]
        if not empty:
            raise ValueError(f"{MAX_ROOMS} games are open; close the page of one")
        del self.rooms[min(empty, key=lambda name: self.rooms[name].left_at)]


def table_of(message: messages.New | messages.Load | messages.Recorded) -> Table:
    """The table with the game that a page starts, or brings.

    Raises:
        ValueError: If a player or the game is refused.
    """
    if isinstance(message, messages.Load):
        return Table.of(SavedGame.from_json(message.text), secrets.randbelow(2**31))
    if isinstance(message, messages.Recorded):
        setup = Setup.named(message.setup)
        game = SavedGame.of(setup, message.players, message.actions, message.seed)
        return Table.of(game, message.seed)
    players = [player_of_page(text) for text in message.players]
    setup = Setup(len(players), message.meeples, message.tiles, message.known_order)
    seed = secrets.randbelow(2**31) if message.seed is None else message.seed
    return Table(setup, players, names_of(message.players), seed)
