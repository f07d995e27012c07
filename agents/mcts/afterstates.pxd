"""Evaluation by the positions after each action: a search of depth one as the value of a leaf."""

from libc.stdint cimport int32_t

from agents.forward_model cimport TERMINAL, ForwardModel


cdef class Afterstates:
    cdef readonly object heuristic
    cdef readonly double temperature
    # Set for one search
    cdef int kind               # index of the heuristic
    cdef ForwardModel after     # the position after an action
    cdef double* action_values  # for the player who moves
    cdef double* values         # of one position, by player

    # The evaluator for one search of this game: a copy with its own memory.
    cpdef Afterstates for_search(self, ForwardModel model)
    # Lists the legal actions, the best one last, with their prior probabilities, and fills the values of the
    # position, by player. Returns the number of actions.
    cdef int c_evaluate(
        self, ForwardModel model, int32_t* actions, double* priors, double* values
    ) except -1 nogil


cdef inline int value_after(
    ForwardModel model, ForwardModel after, int32_t action, int heuristic, double* values
) except -1 nogil:
    """Fills the values of the position after an action: its returns if the game is over, else a heuristic's.

    Leaves that position in `after`.
    """
    after.c_copy_from(model)
    after.c_apply_action(action)
    if after.c_current_player() == TERMINAL:
        return after.c_returns(values)
    return after.c_heuristic(heuristic, values)
