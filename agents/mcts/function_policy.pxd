"""Tree policies that are Python functions."""

from libc.stdint cimport uint32_t

from agents.mcts.policies cimport TreePolicy
from agents.mcts.tree cimport Tree


cdef class FunctionPolicy(TreePolicy):
    cdef readonly object function
    cdef int call(self, Tree tree, uint32_t parent, double* values) except -1
