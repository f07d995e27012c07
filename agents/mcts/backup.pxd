"""Backup: the returns of an iteration go up the path."""

from agents.mcts.state cimport SearchState


# Updates the nodes of the path from `means`.
cdef void backpropagate(SearchState s) noexcept nogil
