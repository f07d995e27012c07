"""Named levels of opponents, from the weakest to the strongest."""

from __future__ import annotations

LEVELS = {
    "beginner": "uct(iterations=60)",
    "casual": "uct(iterations=300)",
    "experienced": "uct(iterations=3000)",
    "expert": "expectimax-1-outlook",
    "strongest": "strongest(time_limit=1)",
}
"""Specifications of `agents.make` by the name of the level.

Each level beats the one below it in the base game for two: examples/experiments/levels.py measures
by how much.
"""
HINT = "strongest"
"""The level that gives hints."""


def player_text(text: str) -> str:
    """The specification of a level, if the text is the name of one, else the text itself."""
    return LEVELS.get(text, text)
