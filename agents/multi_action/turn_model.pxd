"""A turn as a game of its own, which any planner can search.

It has one player, no chance, and ends with the turn; its return is the value of the turn.
"""

cimport cython
from libc.stdint cimport int32_t

from agents.forward_model cimport ForwardModel
from agents.mcts.rollouts cimport RolloutPolicy
from agents.multi_action.turn cimport Turn


@cython.final
cdef class TurnModel(ForwardModel):
    cdef readonly Turn turn      # shared with all models of a search
    cdef ForwardModel game       # the position
    cdef int32_t* actions        # [turn.max_actions], the actions since the start of the turn
    cdef int num_played          # how many they are

    cdef TurnModel copied(self, Turn turn)


@cython.final
cdef class TurnRollout(RolloutPolicy):
    cdef readonly RolloutPolicy play
