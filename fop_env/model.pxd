"""A position of the Function Optimisation Problem."""

cimport cython
from libc.stdint cimport int64_t, uint64_t

from agents.struct_model cimport StructModel

from .problem cimport MAX_DIMENSIONS, Problem


ctypedef struct State:   # without padding, which would count in comparisons
    uint64_t index[MAX_DIMENSIONS]   # number of the interval in each dimension, among all of its depth
    int64_t depth                    # number of choices made by all players


@cython.final
cdef class FopModel(StructModel):
    cdef State state
    cdef Problem problem   # shared with all copies, never changed
    cdef set_problem(self, Problem problem)
