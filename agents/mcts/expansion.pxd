"""Expansion: the actions of a node, and a child for one of them."""

from libc.stdint cimport int32_t, uint32_t

from agents.mcts.state cimport SearchState


# Lists the actions at the model's position as untried ones of a node.
cdef int list_actions(SearchState s, uint32_t node) except -1 nogil
# The same, with prior probabilities: one for each legal action, actions ascending. The likeliest is tried
# first, of several a random one.
cdef int list_with_priors(SearchState s, uint32_t node, const double* priors, int count) except -1
# Adds the child of an untried action and steps to it; returns its index.
cdef uint32_t expand(SearchState s, uint32_t node) except 0 nogil
# Adds a child, applies what leads there and steps to it; returns its index.
cdef uint32_t add_child(
    SearchState s, uint32_t node, int32_t action, double probability
) except 0 nogil
