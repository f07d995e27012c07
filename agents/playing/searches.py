"""How many searches of a position an analysis may have."""

SEARCHES = 4
"""Number of searches of a position; so few give a rough standard error."""
MAX_SEARCHES = 1000
