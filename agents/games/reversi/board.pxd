"""A position of Reversi as one plain C struct, and the rules that advance it.

Square ``row * size + column`` is bit of that number in sets of squares; row 0 is rank 1, column 0 is file a.
The action of a square is its number; the action after the last square is to pass.
"""

from libc.stdint cimport int16_t

from agents.rng cimport rng_t

from .bits cimport Pair


cdef enum:
    BLACK = 0
    WHITE = 1
    NUM_DRAWS = 8     # chance events at the start of Reversi Plus
    MAX_MOVES = 64    # no more squares are free, on either board
    NOWHERE = -1


# Equal positions have equal bytes up to `last`. There is no padding.
ctypedef struct State:
    Pair pieces[2]      # squares of black, of white
    Pair moves          # squares where `player` can move; if empty, he passes, or the game is over
    int16_t player      # BLACK, WHITE, CHANCE or TERMINAL
    int16_t is_plus     # whether this is the board of 10x10
    int16_t num_draws   # how many of the first squares have been drawn; 0 in 8x8
    int16_t last        # the last action of a player, or NOWHERE; it does not count for equality


# By is_plus: squares on which pieces can lie, and those among them that can never change hands again.
cdef Pair PLAYABLE[2]
cdef Pair CORNERS[2]


cdef inline int size_of(const State* state) noexcept nogil:
    """Number of rows and of columns."""
    return 10 if state.is_plus else 8


cdef void start(State* state, bint is_plus) noexcept nogil
cdef void apply(State* state, int action) noexcept nogil
cdef void draw_rest(State* state, rng_t* rng) noexcept nogil
# Plays at random to the end; returns the number of actions, passes included, and of chance events.
cdef int play_out(State* state, rng_t* rng) noexcept nogil
# The squares where a player can move if it is his turn.
cdef Pair moves_of(const State* state, int player) noexcept nogil
# Whether the rules can lead to a struct like this; random bytes are refused.
cdef bint is_sound(const State* state) noexcept nogil
