"""Evaluators: Python functions that value leaves, one by one or in batches."""

from libc.stdint cimport int32_t, uint32_t

from agents.forward_model cimport ForwardModel
from agents.mcts.state cimport SearchState


# Fills `means` with the evaluator's values of the model's position, and lists the actions of the leaf by
# its priors.
cdef int evaluate_leaf(SearchState s, uint32_t leaf) except -1 nogil

# Fills `means` from the evaluator's answer about the model's position, and lists the actions of a leaf that
# is at it.
cdef int note_answer(SearchState s, uint32_t leaf, answer) except -1
# What the evaluator answers about positions.
cdef list ask(SearchState s, list models)


# A leaf that waits for its value, and what is needed to go on with it. Nodes may move meanwhile, so the
# path is kept as the actions and outcomes that lead along it.
cdef class Waiting:
    cdef ForwardModel model     # at the position to value; None if the returns are known
    cdef bint is_outside        # whether that position has no node
    cdef int length             # of the path, the root included
    cdef int32_t* actions       # that lead to each step; the first is not used
    cdef int* deciders
    cdef double* means          # of the nodes of the path before this leaf began to wait
    cdef uint32_t* visits
    cdef double* returns        # by player, if they are known

    # Has the nodes of the current path look as if the iteration had lost `virtual_loss`. Where the game is
    # over, `means` are the returns.
    cdef int begin(self, SearchState s, double virtual_loss) except -1
    # Makes its path the current one again, nodes being where they are now.
    cdef int retrace(self, SearchState s) except -1
    # Gives the nodes the means and visits that they had before.
    cdef int undo(self, SearchState s) except -1
    # Fills `means`, from what the evaluator answered unless the returns were known.
    cdef int finish(self, SearchState s, answer) except -1


# Draws until no more chance node comes; returns who moves then.
cdef int draw_on(SearchState s) except? -99 nogil
# Whether a leaf waits for its value.
cdef bint is_waiting(SearchState s, uint32_t leaf) noexcept nogil
