"""Named levels of opponents, from the weakest to the strongest."""

from __future__ import annotations

LEVELS = {
    "beginner": "uct(iterations=30)",
    "casual": "greedy",
    "experienced": "uct(time_limit=0.3)",
    "expert": "expectimax-1-outlook",
    "strongest": "strongest(time_limit=1)",
}
"""Specifications of `agents.make` by the name of the level."""
