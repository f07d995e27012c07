"""Games that are kept in a folder while people play them: names, files and a list."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

_NAME = re.compile(r"[\w-]{1,64}", re.ASCII)


class KeptGame(NamedTuple):
    """A game of the folder, as a list shows it."""

    name: str  # begins with the date, such as "2026-11-25-180302-7"
    players: list[str]
    game: str  # which one, if the folder has files of several


def new_name(end: object) -> str:
    """The name of a game that begins now; the end tells it from others of the same second."""
    return f"{datetime.now():%Y-%m-%d-%H%M%S}-{end}"


def path_of(folder: Path, name: str) -> Path:
    """The file of a game.

    Raises:
        ValueError: If the name could lead out of the folder.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"a game's name must have letters, digits and dashes, got {name!r:.80}")
    return folder / f"{name}.json"


def latest(folder: Path, count: int, format: str) -> list[KeptGame]:
    """The games begun last, newest first.

    Files that cannot be read are left out, and those of another format.
    """
    games: list[KeptGame] = []
    for path in sorted(folder.glob("*.json"), reverse=True):
        try:
            members = json.loads(path.read_text(encoding="utf-8"))
            if members["format"] == format:
                players = [str(player) for player in members["players"]]
                games.append(KeptGame(path.stem, players, str(members.get("game", ""))))
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if len(games) == count:
            break
    return games
