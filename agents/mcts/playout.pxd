"""Playout: values a leaf, by rollouts or by other means."""

from libc.stdint cimport uint32_t

from agents.mcts.state cimport SearchState


# Fills `means` with the value of the leaf, at whose position the model is.
cdef int simulate(SearchState s, uint32_t leaf) except -1 nogil
