"""A table and the pages that watch it: agents move by themselves, and everybody is told."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

from agents.catalogue import game_names
from agents.playing.game_file import GameFile, PlayedGame, new_name
from agents.playing.players import PARALLEL_SEARCHES, Players, names_of, players_of
from agents.specification import parsed

from . import any_game, messages
from .agent_loop import AgentLoop
from .analysis import Analysis
from .clock import Clock
from .keeper import Keeper, SavedRoom
from .messages import written
from .seats import Seats, Send
from .table import Practice, Table, Variation, table_of
from .thinking import Thinking

_LOG = logging.getLogger(__name__)
MAX_ROOMS = 200
"""Number of games that are kept; the one left longest ago makes room for a new one."""
MOVES_TOLD = 4
"""Number of moves of a variation that the game is told from which it comes."""
PAUSE = 0.6
"""Seconds between moves of agents in a game that is resumed or tried again."""
FOR_ALL = ("look", "sit")
"""Messages of pages that only look on, too."""


class Room:
    """A game and the pages that show it. Its methods run in the event loop.

    Pages open it by its name. While at least one is open, the agents search in the threads of a
    pool, with a pause between two moves of at least so many seconds. The keeper writes the game to
    a file when it changes.
    """

    def __init__(self, house: House, name: str, table: Any, pause: float) -> None:
        self.name = name
        self.table = table
        self.players = house.players_for(table)  # that the game may name
        self.seats = Seats(table, self.players)
        self.is_held = self.is_trial  # the person first sees what the move lost
        self.clock: Clock | None = None
        self.is_from_file = False  # then nobody expects the clocks to run again
        self.left_at = time.monotonic()
        self.missing: list[str] = []  # players of its file whose seats people have
        self._alarm: asyncio.TimerHandle | None = None
        self._house = house  # of all games of the server
        self._agents = AgentLoop(
            name, table, house.thinking, house.pool, pause, self.tell_all, self._moved, self._ended
        )
        self._analysis = Analysis(
            house.thinking, table, self.players, house.pool, self._tell_analysis, self.refuse
        )

    @property
    def is_trial(self) -> bool:
        """Whether moves of another game are tried; such a game is neither kept nor listed."""
        return self.table.practice is not None

    @property
    def is_empty(self) -> bool:
        """Whether no page shows the game."""
        return not self.seats.pages

    def enter(self, page: Send, browser: str = "") -> None:
        """Adds a page of a browser, shows it the game, and lets the agents go on."""
        self.seats.enter(page, browser)
        self._let_agents_move()
        if self.seats.is_owner(page) or len(self.seats.pages) == 1:
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
        was_owner = self.seats.is_owner(page)
        self.seats.pages.pop(page, None)
        self.left_at = time.monotonic()
        if self.is_empty:
            self.stop()
        if was_owner or self.is_empty:
            self.show()

    def stop(self) -> None:
        """Stops all that runs in threads."""
        self._agents.stop()
        self._analysis.stop()

    def close(self) -> None:
        """Stops the clock, too."""
        self.stop()
        if self._alarm is not None:
            self._alarm.cancel()

    # What pages ask

    def take(self, message: Any, page: Send) -> None:
        """Does what a page asks; the ValueError says why if it cannot be done now."""
        if message.type not in FOR_ALL:
            self.seats.check_player(page)
        self.answers[message.type](self, message, page)

    def _look(self, message: messages.Look, page: Send) -> None:
        page(self._state(page, message.ply))

    def _sit(self, message: messages.Sit, page: Send) -> None:
        self.seats.sit(page, message.seat, message.name.strip())
        self._keep()
        self.show()

    def _hint(self, _: messages.Wish, page: Send) -> None:
        if self.table.mover not in self.seats.own(page):
            raise ValueError("a hint is for the person to move, and that is not you")
        if not self._agents.is_running:
            self._agents.hint(self.players.agent(self._house.hint))
            self.show()

    def _hurry(self, *_: object) -> None:
        self._agents.hurry()

    def _analyse(self, message: messages.Analyse, _: Send) -> None:
        if message.level is None:
            self._analysis.stop()
            self._tell_losses()
        else:
            self._analysis.start(message.level)

    def _play(self, message: messages.Play, page: Send) -> None:
        self.seats.check_turn(page, message.ply)
        self.table.play(message.action)
        self._keep()
        self._agents.stop()  # a hint may still be searched for
        self._go_on()
        practice = self.table.practice
        if practice is not None and practice.ply == message.ply:
            self.table.practice = practice.tried()
            self._analysis.stop()
            self._judge_trial()

    def _hold(self, message: messages.Hold, _: Send) -> None:
        self.is_held = message.is_held
        if self.is_held:
            self._agents.stop()
        self._go_on()

    def _undo(self, _: messages.Wish, page: Send) -> None:
        if self.table.undoer not in (None, *self.seats.own(page)):
            raise ValueError("the last move is not yours")
        self.table.undo()
        if self.is_from_file:
            self.clock = None
        self._keep()
        self.stop()
        self._go_on()
        self._tell_losses()

    def _resign(self, _: messages.Wish, page: Send) -> None:
        self.table.resign(self.seats.own(page))
        self._keep()
        self._agents.stop()
        self._go_on()

    answers: ClassVar[dict[str, Callable[[Any, Any, Send], None]]] = {
        "look": _look,
        "sit": _sit,
        "hint": _hint,
        "hurry": _hurry,
        "analyse": _analyse,
        "play": _play,
        "hold": _hold,
        "undo": _undo,
        "resign": _resign,
    }
    """What each type of message calls."""

    def _judge_trial(self) -> None:
        """Has the move judged that was tried in practice, unless that is done or under way."""
        table, practice = self.table, self.table.practice
        if practice is None or self._analysis.is_running:
            return
        if practice.ply < table.ply and practice.ply + 1 not in table.losses:
            self._analysis.start(table.judge, first=practice.ply + 1)

    # Agents

    def _go_on(self) -> None:
        self._let_agents_move()
        self.show()

    def _let_agents_move(self) -> None:
        """Lets the agents move until a person is to move, unless they do, or must wait."""
        must_wait = self.is_held or self.is_empty
        if self.table.agent_to_move is not None and not must_wait and not self._agents.is_running:
            self._agents.move()

    def _moved(self) -> None:
        """An agent has moved."""
        self._keep()
        if self.table.agent_to_move is not None:
            self.show()

    def _ended(self, failure: Exception | None) -> None:
        """The agents have moved or searched for a hint; if one failed, they are halted."""
        if failure is not None:
            self.is_held = True
            self.refuse(f"the planner failed: {failure}")
        try:
            self.show()
        except Exception as error:
            _LOG.exception("a position cannot be shown")
            self.refuse(f"the position cannot be shown: {error}")

    # Keeping

    def _keep(self) -> None:
        if self.is_trial:
            return self.tell_origin()
        if self.clock is not None:
            self._set_clock(self.clock)
        if self.table.is_over:
            self._tell_losses()  # with the variations, which were not told before
        return self._house.keeper.keep(self.name, self.table, self.saved())

    def saved(self) -> SavedRoom:
        """What the room has besides its game."""
        table, clock, times = self.table, self.clock, dict[str, Any]()
        if clock is not None:
            times = {"left": clock.left(), "past": clock.past, "increment": clock.increment}
        ended = {"resigned": table.resigned, "is_late": table.is_late, "is_over": table.is_over}
        return SavedRoom(owners=self.seats.owners, **ended, **times)

    def restore(self, saved: SavedRoom) -> None:
        """Goes on as the room was when its game was saved."""
        self.seats.owners = dict(saved.owners)
        clock = Clock(saved.left, saved.increment, past=saved.past) if saved.left else None
        self.clock = clock
        if not self.table.is_over:
            self.table.resigned, self.table.is_late = saved.resigned, saved.is_late

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
        self._agents.stop()
        self.show()

    # What pages see

    def show(self) -> None:
        """Shows the present to all pages, after the clocks have changed."""
        if self.clock is not None:
            self._set_clock(self.clock)
        for page in self.seats.pages:
            page(self._state(page))

    def _state(self, page: Send, ply: int | None = None) -> str:
        return written(
            "state",
            game=self.name,
            view=self.table.view(ply),
            is_thinking=self._agents.is_running,
            is_held=self.is_held,
            is_answer=ply is not None,
            own=self.seats.own(page),
            taken=self.seats.taken(),
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
        for page in self.seats.pages:
            page(text)


class House:
    """All games of a server, and the threads in which their agents search.

    A house is for any game, unless a subclass is for one. Pages and files may then name the games
    that are installed, and one more: ``game``. Collections have games that read files, or take any
    time and memory to build.

    Games are kept in the folder ``games``; None is for no folder.
    """

    room_type: ClassVar[type[Room]] = Room
    file_type: ClassVar[type[GameFile[Any]]] = PlayedGame
    read: ClassVar[messages.Reader] = messages.Reader(messages.New | messages.KINDS)
    """Reads what a page sends."""
    thinking: ClassVar[type[Thinking]] = Thinking
    """What shows the searches."""
    hint: ClassVar[str] = any_game.HINT
    """The level that gives hints."""

    def __init__(self, games: Path | None = None, game: str = "") -> None:
        self.game = game
        self.keeper = Keeper(games, self.file_type)
        self.pool = ThreadPoolExecutor(PARALLEL_SEARCHES, thread_name_prefix="search")
        self.rooms: dict[str, Room] = {}

    # What a house for one game has of its own

    def new(self, message: Any) -> Table:
        """The table with the game that a page starts by a message of its own."""
        self._check(message.game)
        allowed = any_game.players_for(message.game)
        players = [allowed.player(text) for text in message.players]
        seed = random_seed() if message.seed is None else message.seed
        try:
            return table_of(message.game, seed, players, names_of(message.players))
        except ValueError:
            raise
        except Exception as error:  # games of other packages may raise anything
            raise ValueError(f"{message.game} cannot be played: {error}") from None

    def going_on(self, game: Any, players: Sequence[str | None]) -> Table:
        """A table at which a saved game goes on."""
        luck = random_seed()
        return table_of(game.game, game.seed, players, game.players, game.actions, luck)

    def players_for(self, game: Any) -> Players:
        """The players that a game may name; ``game`` is a table or a saved game."""
        return any_game.players_for(game.game)

    def file(self, text: str) -> Any:
        """The game that the text of a file holds; it is built only if a page may name it."""
        members = PlayedGame.members_of(text)
        if isinstance(game := members.get("game"), str):
            self._check(game)
        return PlayedGame.of_members(members)

    def _check(self, game: str) -> None:
        name, _ = parsed("game", game)
        if name not in game_names() and game != self.game:
            known = ", ".join(filter(None, dict.fromkeys([*game_names(), self.game])))
            raise ValueError(f"game must be one of {known}, got {game!r}")

    # Rooms

    def room(self, message: messages.Arrival) -> Room:
        """The game that a page starts or opens; the ValueError says why if there is none."""
        match message:
            case messages.Open():
                return self.opened(message.game)
            case messages.Retry():
                return self._add(self._retried(message))
            case messages.Load():
                return self._loaded(message.text)
            case messages.Start():
                return self._started(message)
            case _:
                return self._add(self.new(message))

    def _started(self, message: messages.Start) -> Room:
        room = self._add(self.new(message), message.pause)
        if (time := message.clock) is not None:
            num_players = len(room.table.session.players)
            room.clock = Clock([time.seconds] * num_players, time.increment)
        return room

    def opened(self, name: str) -> Room:
        """The game of this name, which may be one of an earlier server."""
        if (room := self.rooms.get(name)) is not None:
            return room
        if (kept := self.keeper.load(name, self.file)) is None:
            raise ValueError("this game is gone; start a new one")
        return self._restored(*kept, name=name)

    def _loaded(self, text: str) -> Room:
        """The game of a file; only one that is over has its clocks and its resignation."""
        game = self.file(text)
        saved = SavedRoom.of(text, len(game.players))
        if not saved.is_over:
            saved = SavedRoom()
        room = self._restored(game, saved.model_copy(update={"owners": {}}))
        room.is_from_file = True
        return room

    def _restored(self, game: Any, saved: SavedRoom, name: str = "") -> Room:
        room = self._add(self.resumed(game), name=name)
        room.restore(saved)
        return room

    def _retried(self, message: messages.Retry) -> Table:
        """A table with a position of another game, and what the moves before it lost."""
        past = self.opened(message.game).table
        table: Table = self.resumed(past.before(message.ply, is_free=message.is_free))
        table.judge = past.judge
        lost = past.losses.get(message.ply + 1)
        opened = message.model_dump(exclude={"type", "browser"})
        table.practice = Practice(**opened, lost=lost and past.told(lost))
        table.losses, table.judged = past.losses, past.judged
        table.forget(message.ply)
        return table

    def resumed(self, game: Any) -> Any:
        """The table of a saved game; people take the seats of names that no planner has."""
        allowed = self.players_for(game)
        return self.going_on(game, [allowed.player_or_person(x) for x in players_of(game.players)])

    def _add(self, table: Table, pause: float = PAUSE, name: str = "") -> Room:
        """Adds a room; without a name, it gets a new one."""
        self._make_room()
        name = name or new_name(secrets.token_hex(4))
        room = self.rooms[name] = self.room_type(self, name, table, pause)
        if not room.is_trial:
            names = players_of(table.session.names)
            room.missing = [each for each in names if room.players.is_missing(each)]
        return room

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

    def close(self) -> None:
        """Stops all searches."""
        for room in self.rooms.values():
            room.close()
        self.pool.shutdown(wait=False, cancel_futures=True)
        self.keeper.close()


def random_seed() -> int:
    """A seed for a game whose page gives none."""
    return secrets.randbelow(2**31)
