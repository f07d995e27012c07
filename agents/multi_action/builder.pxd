"""Turns put together action by action: repair, and positions that are kept from one turn to the next.

The builder keeps the positions along the turn that it built last. The next turn starts from the last
position that both share.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t

from agents.forward_model cimport ForwardModel
from agents.multi_action.turn cimport Turn
from agents.rng cimport rng_t


cdef class TurnBuilder:
    cdef Turn turn
    cdef bint is_greedy          # whether Greedy Action replaces illegal actions, not chance
    cdef int length              # of the turn, as far as it is built
    cdef int32_t* actions        # [turn.max_actions], its actions
    cdef PyObject** positions    # [turn.max_actions + 1], the ForwardModel after so many actions
    cdef int num_positions       # made so far
    cdef list owned              # the same positions, which keeps them alive

    # Starts anew with the first `length` actions of a turn, which are legal.
    cdef int rewind(self, const int32_t* actions, int length) except -1 nogil
    # Whether the turn that is being built goes on.
    cdef bint is_open(self) except -1 nogil
    # Adds a legal action.
    cdef int add(self, int32_t action) except -1 nogil
    # Adds the first proposed action that is legal here; if none is, one by Greedy Action or at random.
    cdef int add_first_legal(self, const int32_t* proposed, int count, rng_t* rng) except -1 nogil
    # Completes the turn: its action number n is proposed[n], if n < length and the action is legal.
    cdef int complete(self, const int32_t* proposed, int length, rng_t* rng) except -1 nogil
    # Values the turn, which is complete; the turn counts it, and keeps it if it is the best so far.
    cdef double value(self) except? -1.5e308 nogil

    # Starts anew with the actions of a plan, after a check of each.
    cdef int follow(self, plan) except -1
    cdef int make_position(self) except -1
