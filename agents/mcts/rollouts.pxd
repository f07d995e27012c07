"""Rollouts that a heuristic guides or cuts short, and the playouts of a game."""

from libc.stdint cimport int32_t

from agents.forward_model cimport ForwardModel
from agents.mcts.policies cimport RolloutPolicy
from agents.rng cimport rng_t


cdef class GuidedRollout(RolloutPolicy):
    cdef readonly double epsilon
    cdef readonly object max_moves
    cdef readonly object heuristic
    # Set for one search
    cdef int kind               # index of the heuristic
    cdef int limit              # decisions
    cdef ForwardModel scratch   # the position after an action
    cdef int32_t* actions
    cdef double* values

    # The legal action after which the heuristic is highest for `player`, who is to move; uniform among
    # ties. Adds the number of actions that it tried to `calls`.
    cdef int32_t best_action(
        self, ForwardModel model, int player, rng_t* rng, int* calls
    ) except? -1 nogil


cdef class GameRollout(RolloutPolicy):
    cdef readonly str name
    cdef readonly double parameter
    cdef int kind


cdef class OrderedRollout(RolloutPolicy):
    cdef readonly double epsilon
    cdef int32_t* actions   # set for one search


cdef class WinRollout(RolloutPolicy):
    pass
