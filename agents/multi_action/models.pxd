"""Turns as games of one player without chance, which MCTS searches.

`TurnModel` is played action by action; it ends with the turn, and its return is the value of the turn.

The positions of `MutationModel` are complete turns. A move replaces the action at one place of the turn by
another action that is legal there. Later actions that are no longer legal are replaced by those of Greedy
Action. The game never ends. MCTS on it is Evolutionary MCTS (Baier and Cowling 2018), with `TurnValue` as its
rollout policy.
"""

cimport cython
from libc.stdint cimport int32_t

from agents.forward_model cimport ForwardModel
from agents.mcts.rollouts cimport RolloutPolicy
from agents.multi_action.turn cimport Turn, TurnBuilder


cdef class TurnGame(ForwardModel):
    cdef readonly Turn turn       # shared with all models of a search
    cdef int32_t* actions         # [turn.max_actions], those of the turn

    cdef TurnGame copied(self, Turn turn)   # a copy that plans the turn


@cython.final
cdef class TurnModel(TurnGame):
    cdef ForwardModel game       # the position
    cdef int num_played          # actions since the start of the turn


@cython.final
cdef class TurnRollout(RolloutPolicy):
    cdef readonly RolloutPolicy play


cdef enum:
    NO_TURN = -1   # the length while a turn is still to be chosen among the starts


# A mutation, and how much better than the action it replaces it looks one action ahead.
ctypedef struct Ranked:
    double gain
    int32_t mutation


@cython.final
cdef class MutationModel(TurnGame):
    cdef object starts            # int32[n, turn.max_actions], starts, shared by copies; -1 after their ends
    cdef int num_starts           # n; if it is more than 1, the first move chooses
    cdef int length               # how many actions the turn has, or NO_TURN
    cdef TurnBuilder builder      # plays turns; not part of the position
    cdef Ranked* ranked           # scratch
    cdef int max_ranked           # allocated

    cdef int take_start(self, int start) except -1 nogil
    # Replaces the action at a place of the turn.
    cdef int mutate(self, int place, int32_t action) except -1 nogil
    # The value of the turn.
    cdef double value(self) except? -1.5e308 nogil
    # Fills `ranked` for mutations that ascend.
    cdef int rank(self, const int32_t* mutations, int count) except -1 nogil
    cdef double worth_after(self, int32_t action) except? -1.5e308 nogil
    cdef int make_room(self, int count) except -1


@cython.final
cdef class TurnValue(RolloutPolicy):
    pass
