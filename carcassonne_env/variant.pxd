"""A variant of the game as the state that all its games begin from."""

cimport cython

from agents.rng cimport rng_t

from .board cimport State


@cython.final
cdef class Variant:
    cdef State blank       # configuration and bag; no tile laid, not shuffled
    cdef dict arguments
    cdef bint has_order    # whether the order is given
    cdef set_order(self, order, counts)
    # Begins a game; what is shuffled, `rng` shuffles.
    cdef void start(self, State* state, rng_t* rng) noexcept nogil
