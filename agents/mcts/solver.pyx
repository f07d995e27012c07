"""The solver: proves nodes during backup."""

from libc.math cimport INFINITY
from libc.stdint cimport uint32_t

from agents.forward_model cimport CHANCE
from agents.mcts.state cimport SearchState
from agents.mcts.tree cimport Node, weighted_mean


cdef int prove_terminal(SearchState s, uint32_t leaf) except -1 nogil:
    cdef Node* node = &s.tree.nodes[leaf]
    s.model.c_returns(s.means)
    node.mean = s.means[s.path[s.path_length - 1].decider]
    node.is_proven = True
    return 0


cdef void repeat_proven(SearchState s, uint32_t leaf) noexcept nogil:
    set_means(s, s.path[s.path_length - 1].decider, s.tree.nodes[leaf].mean)


cdef void set_means(SearchState s, int player, double value) noexcept nogil:
    """Fills `means` with a player's value, and with its negative for the other player."""
    cdef int i
    for i in range(s.root.num_players):
        s.means[i] = value if i == player else -value


cdef bint prove(SearchState s, Node* node, int decider) noexcept nogil:
    cdef const Node* children = &s.tree.nodes[node.first_child]
    cdef double highest = -INFINITY
    cdef int i, num_proven = 0
    if node.is_proven:
        return True
    for i in range(node.num_children):
        if children[i].is_proven:
            num_proven += 1
            highest = max(highest, children[i].mean)
    if num_proven == 0:
        return False
    if node.player == CHANCE:
        node.is_proven = num_proven == node.num_children and has_all_outcomes(s, node)
        if node.is_proven:
            node.mean = weighted_mean(s.tree, node)
        return node.is_proven
    node.is_proven = highest >= s.max_return or (
        num_proven == node.num_children and node.num_untried == 0
    )
    if node.is_proven:
        node.mean = highest if decider == node.player else -highest
    if highest > s.means[node.player]:
        set_means(s, node.player, highest)
    return node.is_proven


cdef bint has_all_outcomes(SearchState s, const Node* node) noexcept nogil:
    cdef double mass = 0
    cdef uint32_t child
    for child in range(node.first_child, node.first_child + node.num_children):
        mass += s.tree.probabilities[child]
    return mass > 1 - 1e-9
