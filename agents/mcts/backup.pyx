"""Backup: visits, means, and the statistics that options need."""

from libc.math cimport pow
from libc.stdint cimport uint32_t

from agents.forward_model cimport CHANCE
from agents.mcts.amaf cimport note_amaf
from agents.mcts.solver cimport prove
from agents.mcts.state cimport SearchState
from agents.mcts.tree cimport Detail, Node, weighted_mean


cdef void backpropagate(SearchState s) noexcept nogil:
    cdef int i, decider
    cdef uint32_t index
    cdef Node* node
    if s.tree.has_details:
        for i in range(s.path_length):
            s.tree.note_return(s.path[i].node, s.means[s.path[i].decider])
    if s.stamps != NULL:
        note_amaf(s)
    for i in range(s.path_length - 1, -1, -1):
        index = s.path[i].node
        decider = s.path[i].decider
        node = &s.tree.nodes[index]
        node.visits += 1
        if s.is_solving and prove(s, node, decider):
            continue
        if s.weight_growth != 1:
            grow_weight(s, index)
        if (
            s.is_weighted
            and node.player == CHANCE
            and node.num_children
            and not node.is_truncated   # else some outcomes are outside the tree: a plain mean
        ):
            node.mean = weighted_mean(s.tree, node)
        elif s.weight_growth == 1:
            node.mean += (s.means[decider] - node.mean) / node.visits
        else:
            node.mean += (s.means[decider] - node.mean) / s.tree.details[index].weight


cdef void grow_weight(SearchState s, uint32_t index) noexcept nogil:
    """Adds this iteration to the sum of the weights of a node's returns."""
    cdef Detail* detail = &s.tree.details[index]
    cdef uint32_t now = s.iterations + 1
    detail.weight = detail.weight * pow(s.weight_growth, <double> detail.last - now) + 1
    detail.last = now
