"""The forward model of Carcassonne: it implements agents.forward_model for one `State`."""

cimport cython

from agents.struct_model cimport StructModel

from .board cimport State


@cython.final
cdef class CarcassonneModel(StructModel):
    cdef State state

    cdef void set_sizes(self) noexcept
    cdef void expect(self, int kind, double* scores) noexcept nogil

    # A model with a copy of a position.
    @staticmethod
    cdef CarcassonneModel at(const State* state)
