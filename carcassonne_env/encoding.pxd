"""Actions and observations of the environments: one encoder, written straight into fresh arrays.

The board of a model is unbounded; an observation shows it through a window of ``width`` by ``width``
cells with the start tile in the middle and north at the top. Cells are taken modulo ``width``. Without
`board_size`, ``width`` is the number of tiles + 2: tiles hang together, so no two cells of one game share a
place in the window; a board may run out at one edge and in at the other, but nothing is ever cut off. With
`board_size` that is the width, and the game itself ends at the edges.
"""

cimport cython
from libc.stdint cimport int8_t, int32_t, int64_t

from .board cimport Points, State
from .model cimport CarcassonneModel


cdef enum Mode:
    FLAT       # cell, rotation and meeple slot in one number
    TWO_STEP   # cell and rotation, then the slot
    INDEX      # the place among the legal actions

cdef enum:
    NUM_FEATURES = 5   # of an action in the mode INDEX


@cython.final
cdef class Encoder:
    cdef readonly int width
    cdef readonly int num_actions
    cdef readonly int num_planes
    cdef readonly int vector_size
    cdef readonly int num_tiles
    cdef readonly int num_players
    cdef int bound            # the board size, 0 without
    cdef Mode mode
    cdef int num_placements   # cells times rotations

    cdef check_model(self, CarcassonneModel model)
    # Index row * width + column of a cell of the board in the window.
    cdef int place(self, int x, int y) noexcept nogil
    # The number of an action of the model, which must be legal in the mode INDEX.
    cdef int encoded(self, const State* state, int32_t action) noexcept nogil
    # The action of the model, -1 if there is none of this number here. It need not be legal.
    cdef int32_t decoded(self, const State* state, int number) noexcept nogil
    cdef int32_t open_action(self, const State* state, int place, int turn) noexcept nogil
    # These fill arrays that are zero, the planes and the vector as a player sees them; `final` are the
    # virtual points of the position.
    cdef void fill_mask(self, const State* state, int8_t* mask) noexcept nogil
    cdef void fill_planes(self, const State* state, int viewer, int8_t* planes) noexcept nogil
    cdef void fill_vector(
        self, const State* state, const Points* final, int viewer, float* vector
    ) noexcept nogil
    cdef void fill_numbers(
        self,
        const State* state,
        const Points* final,
        int64_t* scores,
        int64_t* virtual_scores,
        int64_t* meeples,
    ) noexcept nogil
    cdef void fill_actions(self, const State* state, int8_t* rows) noexcept nogil
    cdef int mark_tile(
        self, int8_t* planes, int type, int rotation, int x, int y
    ) noexcept nogil
