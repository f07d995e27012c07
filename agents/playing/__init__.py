"""Games between people and agents, whatever the game is and whatever shows it."""

MAX_SPECIFICATION = 1000
"""Characters of a player that a page or a file names."""
