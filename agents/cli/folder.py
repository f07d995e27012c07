"""The folder in which games are kept while people play them."""

from __future__ import annotations

import os
from pathlib import Path

import typer


def games_folder(program: str) -> Path:
    """The folder that an environment variable names, such as CARCASSONNE_GAMES, or the program's.

    Args:
        program: The name of the program.
    """
    own = Path(typer.get_app_dir(program), "games")
    return Path(os.environ.get(f"{program.upper()}_GAMES") or own)
