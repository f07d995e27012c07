"""Tree policies that are Python functions of arrays: slow, as every descent calls them at every node."""

import numpy as np

from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from agents.forward_model cimport data_of
from agents.mcts.tree cimport Node, Tree

from agents.mcts.answers import numbers_of


cdef class FunctionPolicy(TreePolicy):
    """The child of highest value by a Python function; for trying ideas, not for speed.

    Args:
        function: Called as ``function(means, visits, priors, parent_visits)`` with float64[n] mean returns
            of the children for the player to move, int64[n] visits, each 1 or more, float64[n] prior
            probabilities (equal ones without an evaluator that gives them) and the visits of their
            parent, an int. It returns n numbers; the child of the highest is chosen, of several a
            random one. NaN is never chosen unless all are.

    Raises:
        TypeError: If it cannot be called.
        ValueError: By searches, if it returns anything else than n numbers.
    """

    def __init__(self, function):
        if not callable(function):
            raise TypeError(f"function must be callable, got {function!r}")
        self.function = function

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        with gil:
            return self.call(tree, parent, values)

    cdef int call(self, Tree tree, uint32_t parent, double* values) except -1:
        cdef const Node* node = &tree.nodes[parent]
        cdef int i, count = node.num_children
        children = range(count)
        means = np.array([tree.nodes[node.first_child + <int> i].mean for i in children])
        visits = np.array([tree.nodes[node.first_child + <int> i].visits for i in children], np.int64)
        priors = np.array([tree.prior_of_child(parent, <int> i) for i in children])
        answer = self.function(means, visits, priors, int(node.visits))
        numbers = numbers_of(answer, count, f"a tree policy must return {count} numbers here, one a child")
        memcpy(values, data_of(numbers), count * sizeof(double))
        return 0

    def __reduce__(self):
        return FunctionPolicy, (self.function,)

    def __repr__(self):
        return f"FunctionPolicy({self.function!r})"
