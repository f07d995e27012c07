"""Games between people and agents, whatever the game is and whatever shows it."""

MAX_SPECIFICATION = 1000
"""Characters of a player that a page or a file names."""
SEARCHES = 4
"""Number of searches of each position in an analysis; so few give a rough standard error."""
MAX_SEARCHES = 1000
"""The greatest number of them."""
