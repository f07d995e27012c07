"""Players of Carcassonne: the levels, and who may sit at a page or in a file."""

from __future__ import annotations

from agents.playing.players import Players

from ..entry import PLAYERS

LEVELS = {
    "beginner": "uct(iterations=60)",
    "casual": "uct(iterations=300)",
    "experienced": "uct(iterations=3000)",
    "expert": "expectimax-1-forecast",
    "strongest": "strongest-forecast(time_limit=1)",
}
"""Specifications of `agents.make` by the name of the level.

Each level beats the one below it in the base game for two: examples/experiments/levels.py measures
by how much.
"""
HINT = "strongest"
"""The level that gives hints."""

ALLOWED = Players(
    LEVELS,
    PLAYERS,
    {
        "network": frozenset({"temperature"}),  # no checkpoint, which may be a file
        "network-mcts": frozenset({"iterations"}),
    },
)
"""The players that pages and files may name."""
player_text, player_of_page, limited = ALLOWED.text, ALLOWED.player, ALLOWED.limited
