"""A position of Hex."""

cimport cython

from agents.forward_model cimport ForwardModel

from .board cimport Board


@cython.final
cdef class Hex(ForwardModel):
    cdef Board state
    cdef void set_sizes(self) noexcept
    cdef int contacts(self, int player) noexcept nogil
    cdef int count(self, int kind, int player) noexcept nogil
    cdef bint is_at(self, int kind, int place, int player) noexcept nogil
    cdef int holder(self, int place) noexcept nogil
