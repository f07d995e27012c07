"""Depth-limited search: expectimax and *-minimax."""
