"""Keeps the games of a server in files, so that they go on after its end.

A file of a game has the member ``room`` besides: a `SavedRoom`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field

from agents.files import write_file
from agents.playing.game_file import GameFile, KeptGame, latest, path_of, read_game

from .messages import validated
from .table import Table

Game = TypeVar("Game", bound=GameFile[Any])
_LOG = logging.getLogger(__name__)
SHOWN_GAMES = 20
"""Number of kept games that a page proposes."""


Seconds = Annotated[float, Field(ge=0, le=1e6)]


class SavedRoom(BaseModel, frozen=True):
    """What a room has besides its game."""

    owners: dict[int, str] = {}  # the hash of the browser of each seat that was taken
    left: list[Seconds] = []  # seconds of each player after the last move, with clocks
    past: list[list[Seconds]] = []  # the same after each number of moves
    increment: Seconds = 0.0  # of the clocks
    is_over: bool = False  # for the list of kept games
    resigned: int | None = None  # the player who has
    is_late: bool = False  # whether that was because of the clock

    @staticmethod
    def of(text: str, num_players: int) -> SavedRoom:
        """The room in the text of a game's file, if it can be that of so many players."""
        room = validated("room", SavedRoom.model_validate, json.loads(text).get("room", {}))
        players = {*room.owners, room.resigned} - {None}
        lengths = {len(room.left) or num_players, *map(len, room.past)}
        is_late_alone = room.is_late and room.resigned is None
        if not players <= {*range(num_players)} or lengths != {num_players} or is_late_alone:
            raise ValueError(f"room must be that of {num_players} players, got {room!r:.80}")
        return room


class Keeper:
    """Writes games to a folder, each to one file, in a thread of its own.

    The folder is made when the first game is kept; without a folder, none is.
    """

    def __init__(self, folder: Path | None, kind: type[GameFile[Any]]) -> None:
        self._folder = folder
        self._kind = kind
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="keeper")

    def keep(self, name: str, table: Table, room: SavedRoom) -> None:
        """Has a game written as it is now; does not wait."""
        if self._folder is not None:
            self._writer.submit(_write, path_of(self._folder, name), table.saving(), room)

    def load(self, name: str, read: Callable[[str], Game]) -> tuple[Game, SavedRoom] | None:
        """The game of this name, which ``read`` makes of text, and its room; None without one."""
        if self._folder is None:
            return None

        def kept(text: str) -> tuple[Game, SavedRoom]:
            game = read(text)
            return game, SavedRoom.of(text, len(game.players))

        path = path_of(self._folder, name)
        return read_game(path, kept) if path.is_file() else None

    def latest(self) -> list[KeptGame]:
        """The games kept last, newest first."""
        return [] if self._folder is None else latest(self._folder, SHOWN_GAMES, self._kind)

    def close(self) -> None:
        """Waits until all is written."""
        self._writer.shutdown()


def _write(path: Path, game: Callable[[], GameFile[Any]], room: SavedRoom) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, game().to_json(room=room.model_dump()))
    except Exception as error:  # the thread goes on with other games
        _LOG.error("a game cannot be kept: %s", error)
