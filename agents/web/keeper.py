"""Keeps the games of a server in files, so that they go on after its end.

A file of a game has the member ``room`` besides: `Seats`.
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


class Seats(BaseModel, frozen=True):
    """What a room has besides its game."""

    owners: dict[int, str] = {}  # the hash of the browser of each seat that was taken
    left: list[Seconds] = []  # seconds of each player after the last move, with clocks
    past: list[list[Seconds]] = []  # the same after each number of moves
    increment: Seconds = 0.0  # of the clocks
    is_over: bool = False  # for the list of kept games
    resigned: int | None = None  # the player who has
    is_late: bool = False  # whether that was because of the clock

    @staticmethod
    def of(text: str, num_players: int) -> Seats:
        """The seats in the text of a game's file.

        Raises:
            ValueError: If they are not those of so many players.
        """
        seats = validated("room", Seats.model_validate, json.loads(text).get("room", {}))
        players = {*seats.owners, seats.resigned} - {None}
        lengths = {len(seats.left) or num_players, *map(len, seats.past)}
        is_late_alone = seats.is_late and seats.resigned is None
        if not players <= {*range(num_players)} or lengths != {num_players} or is_late_alone:
            raise ValueError(f"room must be that of {num_players} players, got {seats!r:.80}")
        return seats


class Keeper:
    """Writes games to a folder, each to one file, in a thread of its own.

    Args:
        folder: The folder, which is made when the first game is kept; None to keep nothing.
        kind: What the files hold.
    """

    def __init__(self, folder: Path | None, kind: type[GameFile[Any]]) -> None:
        self._folder = folder
        self._kind = kind
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="keeper")

    def keep(self, name: str, table: Table[Any, Any], seats: Seats) -> None:
        """Has a game written as it is now; does not wait."""
        if self._folder is not None:
            self._writer.submit(_write, path_of(self._folder, name), table.saving(), seats)

    def load(self, name: str, read: Callable[[str], Game]) -> tuple[Game, Seats] | None:
        """The game of this name, and its seats; None if none is kept.

        Args:
            name: The name.
            read: Makes a game of the text of its file.

        Raises:
            ValueError: If the file is damaged.
        """
        if self._folder is None:
            return None

        def kept(text: str) -> tuple[Game, Seats]:
            game = read(text)
            return game, Seats.of(text, len(game.players))

        path = path_of(self._folder, name)
        return read_game(path, kept) if path.is_file() else None

    def latest(self) -> list[KeptGame]:
        """The games kept last, newest first."""
        return [] if self._folder is None else latest(self._folder, SHOWN_GAMES, self._kind)

    def close(self) -> None:
        """Waits until all is written."""
        self._writer.shutdown()


def _write(path: Path, game: Callable[[], GameFile[Any]], seats: Seats) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, game().to_json(room=seats.model_dump()))
    except Exception as error:  # the thread goes on with other games
        _LOG.error("a game cannot be kept: %s", error)
