"""Expansion: lists the actions of a node and adds a child for one of them."""

from libc.stdint cimport int32_t, uint32_t

from agents.mcts.state cimport SearchState


# Lists the legal actions of the model's position as the untried actions of a node; returns how many.
cdef int list_actions(SearchState s, uint32_t node) except -1 nogil
# Makes `count` actions of the tree, from index `first` on, the untried actions of a node; the last one is
# tried first.
cdef int note_list(SearchState s, uint32_t node, uint32_t first, int count) except -1 nogil
# Lists the legal actions with prior probabilities, one for each, in ascending order of the actions. The
# action of highest prior is tried first, a random one among ties.
cdef int list_with_priors(SearchState s, uint32_t node, const double* priors, int count) except -1
# Mixes Dirichlet noise into the priors of the root's actions, none of which has been tried.
cdef int add_noise(SearchState s) except -1
# Adds the child of the next untried action and steps to it; returns its index.
cdef uint32_t expand(SearchState s, uint32_t node) except 0 nogil
# Adds the child of an action or outcome, applies it to the model and steps to the child; returns its index.
cdef uint32_t add_child(
    SearchState s, uint32_t node, int32_t action, double probability
) except 0 nogil
