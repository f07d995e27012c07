"""Rollouts that choose by a formula that values positions."""

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t

from agents.formulas.position_program cimport PositionProgram
from agents.forward_model cimport ForwardModel
from agents.mcts.policies cimport RolloutPolicy
from agents.rng cimport rng_t


cdef enum:
    MAX_BRANCHING = 1000


cdef class EvolvedRollout(RolloutPolicy):
    cdef readonly object formula     # a `PositionFormula`
    cdef readonly int branching
    # Set for one search
    cdef PositionProgram program
    cdef list models                 # owns the two positions
    cdef PyObject* best              # the position after the best action so far
    cdef PyObject* candidate         # the position after another action
    cdef int32_t* actions            # the legal actions
    cdef int32_t* tried              # [branching], the actions drawn
    cdef double* returns             # scratch: one number for each player

    # Moves the model to the best of the positions after `branching` actions, drawn from `count` legal ones.
    # Returns the number of actions applied.
    cdef int play_best(self, ForwardModel model, int player, int count, rng_t* rng) except -1 nogil
