"""A variant of the game, stored as the state from which its games start."""

cimport cython

from agents.rng cimport rng_t

from .board cimport State


@cython.final
cdef class Variant:
    cdef State blank       # configuration and bag; no tile is placed and the order is not shuffled
    cdef tuple arguments
    cdef bint has_order    # whether the arguments give an order
    # Points that an illegal action forfeits: as many as a player can be behind; one player, whose score is
    # never negative, forfeits 1.
    cdef readonly int forfeit
    # Starts a game; `rng` shuffles the tiles if their order is to be random.
    cdef void start(self, State* state, rng_t* rng) noexcept nogil
