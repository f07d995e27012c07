"""A game as a page of HTML on which one steps through the moves. It needs no network."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from agents.files import write_file
from agents.pages import bundled, framed, page
from agents.rng import Rng

from ..drawing.rendering import symbols_svg
from ..play.session import Session
from ..play.view import facts_of, game_facts, line_of, regions_of
from ..play.words import result_words
from ..position import PlacedTile
from .analysis import MoveLoss, loss_of
from .saved_game import SavedGame

_FRAME_HEIGHT = 720
_LIVE = files("carcassonne_env") / "web" / "static"
"""The folder of the live page, whose board and panels the page shares."""
_SHARED = ("view", "board", "panels", "analysis", "ending", "theme")
_SCRIPTS = [*(_LIVE / f"{name}.js" for name in _SHARED), files(__package__) / "replay_page.js"]
