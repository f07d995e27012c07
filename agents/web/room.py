"""A table and the pages that watch it: agents move by themselves, and everybody is told."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from agents.agent import Agent
from agents.playing.game_file import GameFile, new_name
from agents.playing.page_words import languages, words_of
from agents.playing.players import PARALLEL_SEARCHES, PERSON, Players, players_of

from . import messages
from .analysis import Analysis
from .clock import Clock
from .keeper import Keeper, Seats
from .messages import written
from .table import Practice, Table, Variation
from .thinking import Thinking, Thought

_LOG = logging.getLogger(__name__)
MAX_ROOMS = 200
"""Number of games that are kept; the one left longest ago makes room for a new one."""
MOVES_TOLD = 4
"""Number of moves of a variation that the game is told from which it comes."""
PAUSE = 0.6
"""Seconds between moves of agents in a game that is resumed or tried again."""

Send = Callable[[str], None]
"""Sends a text to a page; never waits."""


class Room:
    """A game and the pages that show it. Its methods run in the event loop.

    Pages open it by its name. While at least one is open, the agents search in the threads of a
    pool, with a pause between two moves of at least so many seconds. The keeper writes the game to
    a file when it changes.

    Every page may move for all persons until a browser takes a seat. From then on each browser
    moves for its own seats, and pages without one only look on. A seat is free again when its
    browser shows the game no more. Only hashes of the browsers' secrets are held.
    """

    def __init__(self, house: House, name: str, table: Any, pause: float) -> None:
        self.name = name
        self.table = table
        self.players = house.players_for(table)  # that the game may name
        self.pause = pause
        self.is_held = self.is_trial  # the person first sees what the move lost
        self.clock: Clock | None = None
        self.is_from_file = False  # then nobody expects the clocks to run again
        self._alarm: asyncio.TimerHandle | None = None
        self.left_at = time.monotonic()
        self.missing: list[str] = []  # players of its file whose seats people have
        self._house = house  # of all games of the server
        self._pages: dict[Send, str] = {}  # and the browser of each
        self._owners: dict[int, str] = {}  # the browser of each seat that was taken
        self._task: asyncio.Task[None] | None = None
        self._thinking: Thinking[Any] | None = None
        self._search: Future[int] | None = None
        told = self._tell_analysis, self.refuse
        self._analysis = Analysis(house.thinking, table, self.players, house.pool, *told)

    @property
    def is_trial(self) -> bool:
        """Whether moves of another game are tried; such a game is neither kept nor listed."""
        return self.table.practice is not None

    @property
    def is_empty(self) -> bool:
        """Whether no page shows the game."""
        return not self._pages

    def enter(self, page: Send, browser: str = "") -> None:
        """Adds a page of a browser, shows it the game, and lets the agents go on."""
        self._pages[page] = browser = sha256(browser.encode()).hexdigest()
        if self._task is None:
            self._go_on()
        if browser in self._owners.values() or len(self._pages) == 1:
            self.show()
        else:
            page(self._state(page))
        if self.missing:
            names = ", ".join(map(repr, self.missing))
            message = f"people have the seats of players that may not play here: {names}"
            page(written("error", message=message))
            self.missing = []
        self._judge_trial()
        page(self._losses())

    def leave(self, page: Send) -> None:
        """Removes a page; the search stops if it was the last one."""
        browser = self._pages.pop(page, "")
        self.left_at = time.monotonic()
        if self.is_empty:
            self.stop()
        if browser in self._owners.values() or self.is_empty:
            self.show()

    def stop(self) -> None:
        """Stops all that runs in threads."""
        self._stop_search()
        self._analysis.stop()

    def close(self) -> None:
        """Stops the clock, too."""
        self.stop()
        if self._alarm is not None:
            self._alarm.cancel()

    def _stop_search(self) -> None:
        self._hurry()
        if self._task is not None:
            self._task.cancel()
        self._task = self._thinking = None

    def _hurry(self) -> None:
        if self._thinking is not None:
            self._thinking.stop()

    def take(self, message: Any, page: Send) -> None:
        """Does what a page asks.

        Raises:
            ValueError: If it cannot be done now.
        """
        if isinstance(message, messages.Look):
            return page(self._state(page, message.ply))
        if isinstance(message, messages.Sit):
            return self._sit(message.seat, message.name.strip(), self._pages[page])
        self.check_player(page)
        match message:
            case messages.Wish(type="hint"):
                return self._hint(page)
            case messages.Wish(type="hurry"):
                return self._hurry()
            case messages.Analyse(level=str(level)):
                return self._analysis.start(level)
            case messages.Analyse():
                self._analysis.stop()
                return self._tell_losses()
            case messages.Play():
                self.check_turn(message.ply, page)
                self.table.play(message.action)
                self._keep()
                self._stop_search()  # a hint may still be searched for
            case messages.Hold():
                self.is_held = message.is_held
                if self.is_held:
                    self._stop_search()
            case messages.Wish(type="undo"):
                if self.table.undoer not in (None, *self._own(page)):
                    raise ValueError("the last move is not yours")
                self.table.undo()
                if self.is_from_file:
                    self.clock = None
                self._keep()
                self.stop()
            case messages.Wish(type="resign"):
                self.table.resign(self._own(page))
                self._keep()
                self._stop_search()
        self._go_on()
        self.show()
        match message:
            case messages.Play(ply=ply) if self.table.practice and ply == self.table.practice.ply:
                self.table.practice = self.table.practice.tried()
                self._analysis.stop()
                self._judge_trial()
            case messages.Wish(type="undo"):
                self._tell_losses()
        return None

    def _judge_trial(self) -> None:
        """Has the move judged that was tried in practice, unless that is done or under way."""
        table, practice = self.table, self.table.practice
        if practice is None or self._analysis.is_running:
            return
        if practice.ply < table.ply and practice.ply + 1 not in table.losses:
            self._analysis.start(table.judge, first=practice.ply + 1)

    # Seats

    def _own(self, page: Send) -> list[int]:
        """The seats for which a page may move."""
        if not self._owners:
            return list(self.table.people)
        return sorted(seat for seat, owner in self._owners.items() if owner == self._pages[page])

    def _taken(self) -> list[int]:
        """The seats whose browsers show the game."""
        present = set(self._pages.values())
        return sorted(seat for seat, owner in self._owners.items() if owner in present)

    def _sit(self, seat: int, name: str, browser: str) -> None:
        is_other = self._owners.get(seat) != browser
        if seat not in self.table.people or (seat in self._taken() and is_other):
            raise ValueError("this seat is not free")
        if not self._is_of_person(name):
            raise ValueError("this name is no name of a person; choose another one")
        names = self.table.session.names
        if name in names[:seat] + names[seat + 1 :]:
            raise ValueError("another player has this name; choose another one")
        self._owners[seat] = browser
        self.table.session.names[seat] = name
        self._keep()
        self.show()

    def _is_of_person(self, name: str) -> bool:
        """Whether a name is none of a planner, and not the word for a person without a name."""
        (player,) = players_of([name.casefold()])
        you = {words_of(language)["name_you"] for language in languages()}
        return (
            name.isprintable()
            and player not in {"", PERSON, *you}
            and self.players.player_or_person(*players_of([name])) is None
        )

    def check_player(self, page: Send) -> None:
        """Raises ValueError if a page only looks on while others play."""
        if self._owners and not self._own(page):
            raise ValueError("you look on; take a seat to play")

    def check_turn(self, ply: int, page: Send) -> None:
        """Raises ValueError if a page is not to move in the position that it shows."""
        mover = self.table.mover
        if ply != self.table.ply or mover not in self._own(page):
            raise ValueError("it is no longer your turn in the position that this page shows")

    def _hint(self, page: Send) -> None:
        if self.table.mover not in self._own(page):
            raise ValueError("a hint is for the person to move, and that is not you")
        if self._task is None:
            agent = self.players.agent(self._house.hint)
            self._start(lambda: self._decide(agent, is_hint=True))
            self.show()

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
            self.refuse(f"the planner failed: {error}")
        self._task = self._thinking = None
        try:
            self.show()
        except Exception as error:
            _LOG.exception("a position cannot be shown")
            self.refuse(f"the position cannot be shown: {error}")

    async def _move_agents(self) -> None:
        while (agent := self.table.agent_to_move) is not None:
            start = time.monotonic()
            action = await self._decide(agent)
            await asyncio.sleep(max(0.0, self.pause - (time.monotonic() - start)))
            self.table.play(action)
            self._keep()
            if self.table.agent_to_move is not None:
                self.show()

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
                self.tell_all(text)

        thinking = self._house.thinking(agent, self.table.position, tell, is_hint=is_hint)
        self._thinking = thinking
        self._search = self._house.pool.submit(thinking.run)
        action = await asyncio.wrap_future(self._search)
        await asyncio.sleep(0)  # the last thought is shown
        self._thinking = None
        return action

    def _keep(self) -> None:
        if self.is_trial:
            return self.tell_origin()
        if self.clock is not None:
            self._set_clock(self.clock)
        if self.table.is_over:
            self._tell_losses()  # with the variations, which were not told before
        return self._house.keeper.keep(self.name, self.table, self.seats())

    def seats(self) -> Seats:
        """What the room has besides its game."""
        table, clock, times = self.table, self.clock, dict[str, Any]()
        if clock is not None:
            times = {"left": clock.left(), "past": clock.past, "increment": clock.increment}
        ended = {"resigned": table.resigned, "is_late": table.is_late, "is_over": table.is_over}
        return Seats(owners=self._owners, **ended, **times)

    def restore(self, seats: Seats) -> None:
        """Goes on as the room was when its game was saved."""
        self._owners = dict(seats.owners)
        clock = Clock(seats.left, seats.increment, past=seats.past) if seats.left else None
        self.clock = clock
        if not self.table.is_over:
            self.table.resigned, self.table.is_late = seats.resigned, seats.is_late

    # Clocks

    def _set_clock(self, clock: Clock) -> None:
        """Has the clock of the player to move run, unless it is a planner that cannot move."""
        if self._alarm is not None:
            self._alarm.cancel()
        table = self.table
        is_waiting = table.agent_to_move is not None and (self.is_held or self.is_empty)
        mover = None if table.is_over or is_waiting else table.session.model.current_player()
        clock.turn(table.ply, mover)
        if (late := clock.running) is not None:
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(clock.left()[late], self._end, late)

    def _end(self, late: int) -> None:
        self.table.run_out(late)
        self._keep()
        self._stop_search()
        self.show()

    # What pages see

    def show(self) -> None:
        """Shows the present to all pages, after the clocks have changed."""
        if self.clock is not None:
            self._set_clock(self.clock)
        for page in self._pages:
            page(self._state(page))

    def _state(self, page: Send, ply: int | None = None) -> str:
        return written(
            "state",
            game=self.name,
            view=self.table.view(ply),
            is_thinking=self._task is not None,
            is_held=self.is_held,
            is_answer=ply is not None,
            own=self._own(page),
            taken=self._taken(),
            clock=self.clock and self._time(self.clock, ply),
        )

    def _time(self, clock: Clock, ply: int | None) -> dict[str, Any]:
        """The clocks as they are; of a game that is over as they were after so many moves."""
        left = clock.left() if ply is None or not self.table.is_over else clock.left_after(ply)
        return {"left": left, "running": clock.running}

    def _losses(self) -> str:
        found = {**self._analysis.state(), "variations": [*self._told_variations()]}
        return written("analysis", game=self.name, **found)

    def variations(self) -> Iterator[tuple[str, int, Any]]:
        """The variations of this game: name, number of moves that they share with it, and table.

        There are none while the game goes on: after an undo they might tell what comes.
        """
        for name, room in self._house.rooms.items() if self.table.is_over else ():
            practice = room.table.practice
            if practice is not None and practice.is_free and practice.game == self.name:
                yield name, self.table.session.num_shared(room.table.session), room.table

    def _told_variations(self) -> Iterator[Variation]:
        """The variations as pages see them, as far as they have moves of their own."""
        for name, ply, table in self.variations():
            if moves := table.record(ply, ply + MOVES_TOLD):
                yield Variation(name, ply, moves, table.told_losses(ply, ply + len(moves)))

    def tell_origin(self) -> None:
        """Tells the pages of the game from which this one comes how its variations go on."""
        practice = self.table.practice
        rooms = self._house.rooms
        if practice is not None and practice.is_free and practice.game in rooms:
            rooms[practice.game]._tell_losses()

    def _tell_analysis(self) -> None:
        """Tells what the moves lost, also the game from which they come."""
        self._tell_losses()
        self.tell_origin()

    def _tell_losses(self) -> None:
        self.tell_all(self._losses())

    def refuse(self, message: str) -> None:
        """Tells all pages that something went wrong."""
        self.tell_all(written("error", message=message))

    def tell_all(self, text: str) -> None:
        """Sends a message to all pages."""
        for page in self._pages:
            page(text)


class House(ABC):
    """All games of a server, and the threads in which their agents search.

    Args:
        games: The folder in which games are kept; None to keep none.
    """

    room_type: ClassVar[type[Room]] = Room
    file_type: ClassVar[type[GameFile[Any]]]
    read: ClassVar[messages.Reader]
    """Reads what a page sends."""
    thinking: ClassVar[type[Thinking[Any]]]
    """What shows the searches."""
    hint: ClassVar[str]
    """The level that gives hints."""

    def __init__(self, games: Path | None = None) -> None:
        self.keeper = Keeper(games, self.file_type)
        self.pool = ThreadPoolExecutor(PARALLEL_SEARCHES, thread_name_prefix="search")
        self.rooms: dict[str, Room] = {}

    @abstractmethod
    def new(self, message: Any) -> Table[Any, Any]:
        """The table with the game that a page starts by a message of its own.

        Raises:
            ValueError: If a player or the game is refused.
        """

    @abstractmethod
    def going_on(self, game: Any, players: Sequence[str | None]) -> Table[Any, Any]:
        """A table at which a saved game goes on."""

    @abstractmethod
    def players_for(self, game: Any) -> Players:
        """The players that a game may name; ``game`` is a table or a saved game."""

    def file(self, text: str) -> Any:
        """The game that the text of a file holds.

        Raises:
            ValueError: If it holds none.
        """
        return self.file_type.from_json(text)

    def room(self, message: Any) -> Room:
        """The game that a page starts or opens.

        Raises:
            ValueError: If there is no such game, a player or a saved game is refused, or too many
                games are open.
        """
        if isinstance(message, messages.Open):
            return self.opened(message.game)
        name = new_name(secrets.token_hex(4))
        if isinstance(message, messages.Retry):
            table = self._retried(self.opened(message.game).table, message)
            return self._room(name, table, PAUSE)
        if isinstance(message, messages.Load):
            game = self.file(message.text)
            seats = Seats.of(message.text, len(game.players))
            if not seats.is_over:
                seats = Seats()
            room = self._restored(name, game, seats.model_copy(update={"owners": {}}))
            room.is_from_file = True
            return room
        pause = getattr(message, "pause", 0.0)  # of a new game
        room = self._room(name, self.new(message), pause)
        if time := getattr(message, "clock", None):
            num_players = len(room.table.session.players)
            room.clock = Clock([time.seconds] * num_players, time.increment)
        return room

    def opened(self, name: str) -> Room:
        """The game of this name, which may be one of an earlier server.

        Raises:
            ValueError: If there is none.
        """
        if (room := self.rooms.get(name)) is not None:
            return room
        if (kept := self.keeper.load(name, self.file)) is None:
            raise ValueError("this game is gone; start a new one")
        return self._restored(name, *kept)

    def _restored(self, name: str, game: Any, seats: Seats) -> Room:
        room = self._room(name, self.resumed(game), PAUSE)
        room.restore(seats)
        room.missing = [name for name in players_of(game.players) if room.players.is_missing(name)]
        return room

    def resumed(self, game: Any) -> Any:
        """The table of a saved game; people take the seats of names that no planner has."""
        allowed = self.players_for(game)
        return self.going_on(game, [allowed.player_or_person(x) for x in players_of(game.players)])

    def _retried(self, past: Any, message: messages.Retry) -> Any:
        """A table with a position of the past, and what the moves before it lost."""
        table = self.resumed(past.before(message.ply, is_free=message.is_free))
        table.judge = past.judge
        lost = past.losses.get(message.ply + 1)
        opened = message.model_dump(exclude={"type", "browser"})
        table.practice = Practice(**opened, lost=lost and past.told(lost))
        table.losses, table.judged = past.losses, past.judged
        table.forget(message.ply)
        return table

    def _room(self, name: str, table: Table[Any, Any], pause: float) -> Room:
        self._make_room()
        room = self.rooms[name] = self.room_type(self, name, table, pause)
        return room

    def close(self) -> None:
        """Stops all searches."""
        for room in self.rooms.values():
            room.close()
        self.pool.shutdown(wait=False, cancel_futures=True)
        self.keeper.close()

    def _make_room(self) -> None:
        """Removes the game that was left longest ago if there are too many; first trials."""
        if len(self.rooms) < MAX_ROOMS:
            return
        empty = [name for name, room in self.rooms.items() if room.is_empty]
        if not empty:
            raise ValueError(f"{MAX_ROOMS} games are open; close the page of one")
        first = min(empty, key=lambda x: (not self.rooms[x].is_trial, self.rooms[x].left_at))
        room = self.rooms.pop(first)
        room.close()
        room.tell_origin()


def random_seed() -> int:
    """A seed for a game whose page gives none."""
    return secrets.randbelow(2**31)
