"""Planners that evolve the selection formula of MCTS during every search."""
