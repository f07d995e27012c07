# distutils: extra_compile_args = -O1
"""Tree policies that are Python functions of arrays."""

import numpy as np

from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from agents.forward_model cimport data_of
from agents.mcts.tree cimport Node, Tree

from agents.mcts.answers import numbers_of


cdef class FunctionPolicy(TreePolicy):
    """The child of highest value by a Python function.

    It is for trying ideas, not for speed: every descent calls the function at every node where all actions
    have been tried.

    Args:
        function: Called as ``function(means, visits, priors, parent_visits)``. The first three describe the
            n children of a node: float64[n] mean returns for the player who moves; int64[n] visits, 1 or
            more; float64[n] prior probabilities, all equal unless an evaluator gives others. The last, an
            int, is the number of visits of the node. The function returns n numbers. The child with the
            highest is chosen, on ties a random one of them; NaN is chosen only if all are NaN.

    Raises:
        TypeError: If the function cannot be called.
        ValueError: In a search, if it does not return n numbers.
    """

    function: Callable[..., Any]

    def __init__(self, function: Callable[..., Any]):
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

    def __reduce__(self) -> tuple[Any, ...]:
        return FunctionPolicy, (self.function,)

    def __repr__(self):
        return f"FunctionPolicy({self.function!r})"
