"""A position of the Function Optimisation Problem."""

cimport cython
from libc.stdint cimport int32_t, uint64_t

from agents.forward_model cimport ForwardModel

from .problem cimport MAX_DIMENSIONS, Problem


ctypedef struct State:
    uint64_t index[MAX_DIMENSIONS]   # number of the interval in each dimension, among all of its depth
    int32_t depth                    # number of choices made by all players


@cython.final
cdef class FopModel(ForwardModel):
    cdef State state
    cdef Problem problem   # shared with all copies, never changed
    cdef set_problem(self, Problem problem)
