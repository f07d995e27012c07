"""Evaluators: functions that value leaves, in Python one by one or in batches, or in C."""

from libc.stdint cimport int32_t, uint32_t

from agents.forward_model cimport ForwardModel
from agents.mcts.state cimport SearchState


# Fills `means` with the evaluator's values of the model's position, or with the returns if the game is over
# there. Lists the actions of a new leaf by its priors.
cdef int evaluate_leaf(SearchState s, uint32_t leaf) except -1 nogil

# Fills `means` from the evaluator's answer about the model's position. Lists the actions of the leaf by the
# priors, if it has this position and no list yet.
cdef int note_answer(SearchState s, uint32_t leaf, answer) except -1
# The evaluator's answers about positions, which it may change.
cdef list ask(SearchState s, list models)


# A leaf that waits for its value. Nodes may move meanwhile, so its path is kept as actions and outcomes.
cdef class Waiting:
    cdef ForwardModel model     # at the position to value; None if the game is over there
    cdef bint is_outside        # whether that position has no node in the tree
    cdef int length             # number of steps of the path, the root included
    cdef int32_t* actions       # by step: the action or outcome that leads there; not used for the root
    cdef int* deciders          # by step, as in `Step`
    cdef double* means          # by step: mean of the node before this leaf began to wait
    cdef uint32_t* visits       # by step: visits before
    cdef double* returns        # by player, if the game is over

    # Begins to wait: stores the current path, and counts a visit with a loss of `virtual_loss` in its nodes.
    # If the game is over at the model's position, `means` must hold the returns.
    cdef int begin(self, SearchState s, double virtual_loss) except -1
    # Makes the stored path the current one.
    cdef int retrace(self, SearchState s) except -1
    # Restores the means and visits of the nodes. Leaves are undone in the reverse order of their beginnings.
    cdef int undo(self, SearchState s) except -1
    # Makes the stored path the current one and fills `means`, from the answer unless the game is over.
    cdef int finish(self, SearchState s, answer) except -1


# Draws chance outcomes until a player is to move or the game is over; returns the player or TERMINAL.
cdef int draw_on(SearchState s) except? -99 nogil
# Whether the leaf of the current path waits for its value already.
cdef bint is_waiting(SearchState s, uint32_t leaf) noexcept nogil
