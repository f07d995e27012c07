"""The forward model of Carcassonne: it implements agents.forward_model for one `State`."""

cimport cython

from agents.struct_model cimport StructModel

from .board cimport State
from .outlook cimport View
from .value cimport Seen


@cython.final
cdef class CarcassonneModel(StructModel):
    cdef State state
    cdef View* view   # what the outlook has seen; NULL before it was asked
    cdef Seen* seen   # the same of the value

    cdef void set_sizes(self) noexcept
    cdef int expect(self, int kind, double* scores) except -1 nogil
    cdef tuple expected(self, int kind)   # `expect` as Python numbers, by player
    cdef View* own_view(self) except NULL nogil
    cdef Seen* own_seen(self) except NULL nogil

    # A model with a copy of a position.
    @staticmethod
    cdef CarcassonneModel at(const State* state)
