"""Playout: what a leaf is worth, by playing on from it or by other means."""

from libc.stdint cimport uint32_t

from agents.mcts.state cimport SearchState


# Fills `means` with the mean returns of the rollouts from the leaf, where the model is.
cdef int simulate(SearchState s, uint32_t leaf) except -1 nogil
