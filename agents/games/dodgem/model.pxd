"""A position of Dodgem."""

cimport cython
from libc.stdint cimport int16_t, int32_t, uint16_t, uint64_t

from agents.forward_model cimport ForwardModel

from .board cimport Side


cdef enum:
    BLACK
    WHITE
    NUM_PLAYERS


cdef enum:
    # Outcomes beside BLACK and WHITE, the winner.
    DRAW = 2
    OPEN = 3      # the game goes on


ctypedef struct State:
    uint64_t cars[NUM_PLAYERS]   # the board of each player's cars, see `board.pxd`; disjoint
    uint16_t plies               # number of moves made; black makes the even ones
    int16_t last_action          # for pictures alone, so it does not count in comparisons; -1 at the start
    int16_t outcome              # BLACK, WHITE, DRAW or OPEN; follows from the cars and the plies


@cython.final
cdef class Dodgem(ForwardModel):
    cdef State state
    cdef Side sides[NUM_PLAYERS]   # this and the rest depend on the options alone
    cdef readonly int size
    cdef readonly int max_plies
    cdef set_options(self, int size, int max_plies)
    cdef void find_outcome(self) noexcept nogil
    cdef tuple ends_of(self, action, int player)
    cdef str status(self)
    cdef tuple last_move(self)
    cdef bint can_be(self, cars, plies, last_action)
    cdef bint can_have(self, int player, cars, plies)
