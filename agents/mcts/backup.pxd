"""Backup: updates the nodes of the path with the returns of an iteration."""

from agents.mcts.state cimport SearchState


# Updates the nodes of the path from `means`.
cdef void backpropagate(SearchState s) noexcept nogil
