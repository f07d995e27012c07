"""Games that are kept in a folder while people play them: names, files and a list."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from .game_file import GameFile

_LONGEST = 64
_NAME = re.compile(rf"[\w-]{{1,{_LONGEST}}}", re.ASCII)


class KeptGame(NamedTuple):
    """A game of the folder, as a list shows it."""

    name: str  # begins with the date, such as "2026-11-25-180302-7"
    players: list[str]
    game: str  # which one, if the folder has files of several
    progress: str  # how far it has come, in words
    is_over: bool  # whether its end was kept, which may be a resignation
    resigned: int | None  # the player who has
    is_late: bool  # whether that was because of the clock


def new_name(end: object) -> str:
    """The name of a game that begins now; the end tells it from others of the same second."""
    return f"{datetime.now():%Y-%m-%d-%H%M%S}-{end}"[:_LONGEST]  # a seed may have any length


def path_of(folder: Path, name: str) -> Path:
    """The file of a game; a name that could lead out of the folder is refused by ValueError."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"a game's name must have letters, digits and dashes, got {name!r:.80}")
    return folder / f"{name}.json"


def latest(folder: Path, count: int, kind: type[GameFile[Any]]) -> list[KeptGame]:
    """The games begun last, newest first.

    Files that hold no game of this kind are left out.
    """
    games: list[KeptGame] = []
    for path in sorted(folder.glob("*.json"), reverse=True):
        try:
            members = kind.members_of(path.read_text(encoding="utf-8"))
            players = [str(player) for player in members["players"]]
            game, progress = str(members.get("game", "")), kind.progress(members)
            room = members.get("room", {})
            end = room.get("is_over") is True, room.get("resigned"), room.get("is_late") is True
            games.append(KeptGame(path.stem, players, game, progress, *end))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        if len(games) == count:
            break
    return games
