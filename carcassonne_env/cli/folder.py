"""The folder in which games are kept while people play them."""

from __future__ import annotations

import os
from pathlib import Path

import typer


def games_folder() -> Path:
    """The folder that the environment variable CARCASSONNE_GAMES names, or else the program's."""
    own = Path(typer.get_app_dir("carcassonne"), "games")
    return Path(os.environ.get("CARCASSONNE_GAMES") or own)
