"""A position of Hex."""

cimport cython

from agents.struct_model cimport StructModel

from .board cimport Board


@cython.final
cdef class Hex(StructModel):
    cdef Board state
    cdef void set_sizes(self) noexcept
