"""Players of Carcassonne: the levels, and who may sit at a page or in a file."""

from __future__ import annotations

from agents.playing.players import Players

from ..entry import AGENTS, PLAYERS
from .levels import HINT as HINT, LEVELS as LEVELS

ALLOWED = Players(LEVELS, PLAYERS, AGENTS)
"""The players that pages and files may name."""
player_text, player_of_page, limited = ALLOWED.text, ALLOWED.player, ALLOWED.limited
