"""Evaluators in C: what a search asks for the values of positions and the priors of actions.

A game's package may define one; see `carcassonne_env.network`.
"""

from libc.stdint cimport int32_t

from agents.forward_model cimport ForwardModel
from agents.policy cimport Policy


cdef class NativeEvaluator(Policy):
    cdef readonly object temperature   # a float, or None for the default of the game that is searched
    # Set for one search
    cdef double divisor    # the temperature
    cdef double* ratings   # of the legal actions

    # Fills `ratings`, and the values of the position, by player.
    cdef int c_rate(
        self, ForwardModel model, const int32_t* actions, int count, double* values
    ) except -1 nogil
    # Lists the legal actions, the best one last, with their prior probabilities, and fills the values of the
    # position, by player. Returns the number of actions.
    cdef int c_evaluate(
        self, ForwardModel model, int32_t* actions, double* priors, double* values
    ) except -1 nogil


# Sorts actions and their ratings by rating, ascending; equal ones keep their order.
cdef void sort_by_rating(int32_t* actions, double* ratings, int count) noexcept nogil
