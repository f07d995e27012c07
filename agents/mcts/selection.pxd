"""Selection: the way from the root down to a leaf."""

from agents.mcts.state cimport SearchState


# Walks from the root to a leaf, a new one while the tree may grow; the model follows.
cdef int descend(SearchState s) except -1 nogil
