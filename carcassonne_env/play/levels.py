"""The levels of players of Carcassonne, which commands name before they load planners."""

LEVELS = {
    "beginner": "uct(iterations=60)",
    "casual": "uct(iterations=300)",
    "experienced": "uct(iterations=3000)",
    "expert": "expectimax-1-forecast",
    "master": "strongest-forecast(time_limit=1)",
}
"""Specifications of `agents.make` by the name of the level.

Each level beats the one below it in the base game for two: examples/experiments/levels.py measures
by how much.
"""
HINT = "master"
"""The level that gives hints."""
