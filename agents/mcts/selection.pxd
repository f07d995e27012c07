"""Selection: the descent to a leaf."""

from agents.mcts.state cimport SearchState


# Descends from the end of the path, with the model, to a leaf; adds the leaf while the tree may grow.
cdef int descend(SearchState s) except -1 nogil
