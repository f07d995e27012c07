"""A position of Dodgem."""

cimport cython
from libc.stdint cimport int16_t, int32_t, uint64_t

from agents.struct_model cimport StructModel

from .board cimport Side


cdef enum:
    BLACK
    WHITE
    NUM_PLAYERS


cdef enum:
    # Outcomes beside BLACK and WHITE, the winner.
    DRAW = 2
    OPEN = 3      # the game goes on


# Equal positions of equal games have equal bytes up to `last_action`. There is no padding.
ctypedef struct State:
    uint64_t cars[NUM_PLAYERS]   # the board of each player's cars, see `board.pxd`; disjoint
    int16_t size                 # rows and columns of the board; this and `max_plies` do not change
    int16_t outcome              # BLACK, WHITE, DRAW or OPEN; follows from the cars and the plies
    int32_t max_plies
    int32_t plies                # number of moves made; black makes the even ones
    int32_t last_action          # -1 at the start; for pictures alone


@cython.final
cdef class Dodgem(StructModel):
    cdef State state
    cdef Side sides[NUM_PLAYERS]   # this depends on the size alone
    cdef void set_sizes(self) noexcept
    cdef void find_outcome(self) noexcept nogil
    cdef tuple ends_of(self, action, int player)
    cdef str status(self)
    cdef tuple last_move(self)
    cdef str name_of(self, square)
    cdef bint is_sound(self) noexcept
    cdef bint can_have(self, int player, int plies) noexcept
