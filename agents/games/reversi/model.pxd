"""A game of Reversi as planners see it."""

cimport cython

from agents.struct_model cimport StructModel

from .bits cimport Pair
from .board cimport State


@cython.final
cdef class Reversi(StructModel):
    cdef State state
    cdef void set_sizes(self) noexcept
    cdef Pair men(self) noexcept nogil
    cdef int num_pieces(self, int player) noexcept nogil
    cdef int num_corners(self, int player) noexcept nogil
    cdef int mobility(self, int player) noexcept nogil
    cdef squares_in(self, Pair bits)
