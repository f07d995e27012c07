"""The squares of a board, and what can be told of them before the game.

Square ``row * width + column`` is the bit of that number in sets of squares; row 0 is the northern one,
column 0 the western one.
"""

from libc.stdint cimport int8_t, int16_t, uint64_t

from .units cimport MAX_REACH, NUM_KINDS


cdef enum:
    MAX_SQUARES = 64


cdef enum:
    # Directions, in the order in which a wizard's lightning prefers them.
    NORTH
    EAST
    WEST
    SOUTH
    NORTH_EAST
    NORTH_WEST
    SOUTH_EAST
    SOUTH_WEST
    NUM_DIRECTIONS


ctypedef struct Board:
    int width
    int height
    int num_squares
    uint64_t inverse                                # 2**32 / num_squares, rounded up
    uint64_t squares                                # all of them
    uint64_t deploy[2]                              # of each player
    uint64_t crystals[2]                            # of each player, at the start of the game
    uint64_t assault
    uint64_t defence
    uint64_t power
    uint64_t within[MAX_REACH + 1][MAX_SQUARES]     # others at a Manhattan distance of at most so many
    uint64_t around[MAX_SQUARES]                    # the square itself and its up to 8 neighbours
    # The squares whose units block the sight between two squares: those that the segment between the centres
    # touches, without the two. None between neighbours, the diagonal ones included.
    uint64_t between[MAX_SQUARES][MAX_SQUARES]
    int8_t neighbours[MAX_SQUARES][NUM_DIRECTIONS]  # the next square in each direction, or -1
    int16_t worth[NUM_KINDS][MAX_SQUARES]           # of a square to a kind of unit, in the evaluation


cdef class BoardTable:
    cdef Board board
    cdef readonly tuple rows   # of text, see `boards.py`


# From one square to another one: the direction by the signs of the steps.
cdef int direction_between(const Board* board, int source, int target) noexcept nogil
# The direction back.
cdef int OPPOSITE[NUM_DIRECTIONS]
