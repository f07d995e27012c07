"""A game of Reversi as planners see it."""

cimport cython

from agents.forward_model cimport ForwardModel

from .bits cimport Pair
from .board cimport State


@cython.final
cdef class Reversi(ForwardModel):
    cdef State state
    cdef void set_sizes(self) noexcept
    cdef Pair men(self) noexcept nogil
    cdef int num_pieces(self, int player) noexcept nogil
    cdef int num_corners(self, int player) noexcept nogil
    cdef int mobility(self, int player) noexcept nogil
    cdef squares_in(self, Pair bits)
