"""Keeps the games of a server in files, so that they go on after its end."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from agents.playing.game_file import GameFile, read_game
from agents.playing.kept import KeptGame, latest, path_of

from .table import Table

Game = TypeVar("Game")
_LOG = logging.getLogger(__name__)
SHOWN_GAMES = 20
"""Number of kept games that a page proposes."""


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

    def keep(self, name: str, table: Table[Any, Any]) -> None:
        """Has a game written as it is now; does not wait."""
        if self._folder is not None:
            self._writer.submit(_write, path_of(self._folder, name), table.saving())

    def load(self, name: str, read: Callable[[str], Game]) -> Game | None:
        """The game of this name; None if none is kept.

        Args:
            name: The name.
            read: Makes a game of the text of its file.

        Raises:
            ValueError: If the file is damaged.
        """
        if self._folder is None:
            return None
        path = path_of(self._folder, name)
        return read_game(path, read) if path.is_file() else None

    def latest(self) -> list[KeptGame]:
        """The games kept last, newest first."""
        return [] if self._folder is None else latest(self._folder, SHOWN_GAMES, self._kind)

    def close(self) -> None:
        """Waits until all is written."""
        self._writer.shutdown()


def _write(path: Path, game: Callable[[], GameFile[Any]]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        game().save(path)
    except Exception as error:  # the thread goes on with other games
        _LOG.error("a game cannot be kept: %s", error)
