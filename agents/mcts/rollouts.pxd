"""Rollout policies, which value a leaf by playing on from it, and evaluation by a heuristic."""

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t

from agents.evaluator cimport NativeEvaluator, Policy
from agents.formulas.position_program cimport PositionProgram
from agents.forward_model cimport ForwardModel
from agents.rng cimport rng_t


cdef class RolloutPolicy(Policy):
    cdef readonly bint changes_returns   # whether it replaces the returns at the end of the game
    # The policy for one search of this game: itself, or a copy with its own memory.
    cpdef RolloutPolicy for_search(self, ForwardModel model)
    # Plays on in `model`, fills the returns, and returns the number of actions and outcomes applied.
    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil


# A rollout policy that chooses the actions one by one.
cdef class ChoosingRollout(RolloutPolicy):
    # Set for one search
    cdef int limit              # decisions before a heuristic values the position
    cdef int kind               # index of the heuristic
    cdef int32_t* actions       # scratch: the legal actions
    cdef double* values         # scratch: one number for each player

    # Allocates the scratch for one search.
    cdef int take_memory(self, ForwardModel model) except -1
    # Applies an action of `player`, who is to move; returns the number of actions applied to models.
    cdef int c_play(self, ForwardModel model, int player, rng_t* rng) except -1 nogil


cdef class GuidedRollout(ChoosingRollout):
    cdef readonly double epsilon
    cdef readonly object max_moves
    cdef readonly object heuristic
    cdef ForwardModel scratch   # the position after an action, set for one search

    # The legal action after which the heuristic is highest for `player`, who is to move; uniform among
    # ties. Adds the number of actions that it tried to `calls`.
    cdef int32_t best_action(
        self, ForwardModel model, int player, rng_t* rng, int* calls
    ) except? -1 nogil


cdef class GameRollout(RolloutPolicy):
    cdef readonly str name
    cdef readonly double parameter
    cdef int kind


cdef class OrderedRollout(ChoosingRollout):
    cdef readonly double epsilon


cdef class WinRollout(RolloutPolicy):
    pass


cdef class EvolvedRollout(ChoosingRollout):
    cdef readonly object formula     # a `PositionFormula`
    cdef readonly int branching
    # Set for one search
    cdef PositionProgram program
    cdef list models                 # owns the two positions
    cdef PyObject* best              # the position after the best action so far
    cdef PyObject* candidate         # the position after another action
    cdef int32_t* tried              # [branching], the actions drawn

    # Moves the model to the best of the positions after `branching` actions, drawn from `count` legal ones.
    # Returns the number of actions applied.
    cdef int play_best(self, ForwardModel model, int player, int count, rng_t* rng) except -1 nogil


cdef class Afterstates(NativeEvaluator):
    cdef readonly object heuristic
    # Set for one search
    cdef int kind               # index of the heuristic
    cdef ForwardModel after     # the position after an action
    cdef double* after_values   # of it, by player
