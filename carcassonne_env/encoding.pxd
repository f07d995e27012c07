"""The encoder lies between models and environments. It shows positions in arrays, numbers the actions, and
plays an action by its number, with the draws and the moves of random opponents that follow it.

The board of a model is unbounded. An observation shows it in a window of ``width`` by ``width`` cells, with
the start tile in the middle and the north at the top. Cells are taken modulo ``width``: a board that grows
beyond an edge of the window continues at the opposite edge. With `board_size`, the width is the board size,
and no tile can lie beyond the edges. Without it, the width is the number of tiles + 2. As the tiles are
connected, no two cells of a game then share a place in the window, and the window shows all of them.
"""

cimport cython
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from agents.rng cimport rng_t

from . cimport board
from .board cimport Points, State
from .model cimport CarcassonneModel
from .outlook cimport View


cdef enum Mode:
    FLAT       # one number for cell, rotation and meeple slot
    TWO_STEP   # first a number for cell and rotation, then one for the slot
    INDEX      # the index in the sorted list of legal actions

cdef enum Layout:   # what an observation consists of
    FULL            # planes and a vector
    WITH_FEATURES   # and the terms of the outlook
    PLANES_ONLY     # planes, those of the vector among them
    FLAT_ONLY       # planes and vector in one row
    TILES           # rows of tiles in place of planes, and a vector


# The arrays that show positions.
cdef enum:
    MERGED          # planes and vectors, if they are one array; otherwise they are apart:
    BOARDS
    PLACED          # tiles on the board
    MASKS
    VECTORS
    ACTIONS
    FEATURES
    AFTERSTATES
    SCORES          # from here on numbers for infos
    VIRTUAL_SCORES
    MEEPLES
    BREAKDOWNS
    DISCARDED
    CURRENT_TILES   # or -1
    CUT_OFF
    NUM_ARRAYS


# The memory of these arrays, which have a row for each position; NULL for arrays that are not wanted.
ctypedef struct Rows:
    void* of[NUM_ARRAYS]
    # How many tiles of its game each row shows already, so that only new ones are written. A row of zeros
    # shows 0; NULL stands for rows that are all zero.
    uint8_t* num_tiles


# Adds new arrays of zeros by name, for `count` positions, and their memory to `rows`.
cdef add_arrays(dict arrays, tuple specs, Py_ssize_t count, Rows* rows)


@cython.final
cdef class Encoder:
    cdef readonly int width
    cdef readonly int num_actions
    cdef readonly int num_planes
    cdef readonly int vector_size
    cdef readonly int num_terms   # of the outlook, of all players
    cdef readonly int num_tiles
    cdef readonly int num_players
    cdef readonly int num_rows   # of the actions that an observation describes in the mode INDEX
    cdef int board_size       # 0: no bound
    cdef uint8_t window[board.SPAN]   # MAX_COORDINATE + x: the column of a cell of the board, see `place`
    cdef size_t sizes[NUM_ARRAYS]     # of the rows of arrays, in bytes
    cdef Mode mode
    cdef int merged_size      # numbers of planes and vector, if they are one array
    cdef Layout layout
    cdef bint is_scaled       # whether terms are divided by their scales
    cdef int num_placements   # number of cells times number of rotations
    cdef tuple specs            # the `ArraySpec`s of all arrays, in the order of the enum above
    cdef tuple observed         # those of an observation
    cdef tuple player_numbers   # those of infos with a number for each player or more
    cdef tuple single_numbers   # those of infos that are one number

    cdef set_window(self)
    cdef set_counts(self)
    cdef set_specs(self)
    cdef check_model(self, CarcassonneModel model)
    cdef check_number(self, CarcassonneModel model, number)
    # Index row * width + column of a cell of the board in the window.
    cdef int place(self, int x, int y) noexcept nogil
    # The environment's number of a model's action. In the mode INDEX the action must be legal.
    cdef int encoded(self, const State* state, int32_t action) noexcept nogil
    # The model's action for a number; -1 if it has none in this position. The action may be illegal.
    cdef int32_t decoded(self, const State* state, int number) noexcept nogil
    # The same; -1 also if the action is illegal.
    cdef int32_t legal(self, const State* state, int number) noexcept nogil
    # Plays the action for a number if it is legal, and then `board.go_on`; returns whether it is legal.
    cdef bint played(self, State* state, int number, rng_t* rng, int seat) noexcept nogil
    # Fills a row, which must be zero or erased, with what a player sees of a position. Unless the player is
    # to move, no actions are shown.
    cdef void write_row(
        self, const State* state, int viewer, bint is_to_move, const Rows* rows, size_t row
    ) noexcept nogil
    # Erases what a row shows of a position, but for the first tiles in the planes.
    cdef void erase_row(
        self, const State* state, int viewer, int num_tiles, const Rows* rows, size_t row
    ) noexcept nogil
    cdef void* row_of(self, const Rows* rows, int index, size_t row) noexcept nogil
    # New arrays of a position by name, and an info with its numbers or, without numbers, None.
    cdef tuple arrays_of(
        self, CarcassonneModel model, int viewer, bint is_to_move, tuple specs, bint with_numbers
    )
    # One of these arrays.
    cdef array_of(self, int index, CarcassonneModel model, int viewer)
    # These fill arrays, which must be zero. `final` is the result of `virtual_points`.
    cdef void fill_mask(self, const State* state, int8_t* mask) noexcept nogil   # if a player is to move
    cdef void fill_vector(
        self, const State* state, const Points* final, int viewer, float* vector
    ) noexcept nogil
    # The terms, and the share of tiles left.
    cdef void fill_features(self, const State* state, View* view, int viewer, float* features) noexcept nogil
    # The terms after a legal action.
    cdef void fill_afterstate(
        self, const State* state, View* view, int32_t action, int viewer, float* terms
    ) noexcept nogil


# Writes the legal actions in ascending order and returns their number.
cdef int sorted_actions(const State* state, int32_t* actions) noexcept nogil
