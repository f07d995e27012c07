"""Planners that evolve the selection formula of MCTS while they search."""
