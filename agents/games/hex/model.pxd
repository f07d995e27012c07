"""A position of Hex."""

cimport cython

from agents.forward_model cimport ForwardModel

from .board cimport Board


@cython.final
cdef class Hex(ForwardModel):
    cdef Board state
    cdef void set_sizes(self) noexcept
