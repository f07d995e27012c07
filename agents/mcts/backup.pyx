"""Backup: visits, means, and the statistics that options need."""

from libc.math cimport pow
from libc.stdint cimport uint32_t

from agents.forward_model cimport CHANCE
from agents.mcts.amaf cimport note_amaf
from agents.mcts.solver cimport prove
from agents.mcts.state cimport SearchState, Step
from agents.mcts.tree cimport Detail, Node, weighted_mean


cdef void backpropagate(SearchState s) noexcept nogil:
    # Copies of what stays the same: the compiler must take it that each node written changes the fields.
    cdef const Step* path = s.path
    cdef const double* means = s.means
    cdef Node* nodes = s.tree.nodes
    cdef bint is_solving = s.is_solving, is_weighted = s.is_weighted, grows = s.weight_growth != 1
    cdef int i, decider
    cdef Node* node
    if s.tree.has_details:
        for i in range(s.path_length):
            s.tree.note_return(path[i].node, means[path[i].decider])
    if s.stamps != NULL:
        note_amaf(s)
    for i in range(s.path_length - 1, -1, -1):
        decider = path[i].decider
        node = &nodes[path[i].node]
        node.visits += 1
        if is_solving and prove(s, node, decider):
            continue
        if grows:
            grow_weight(s, path[i].node)
        if (
            is_weighted
            and node.player == CHANCE
            and node.num_children
            and not node.is_truncated   # else some outcomes are outside the tree: a plain mean
        ):
            node.mean = weighted_mean(s.tree, node)
        elif grows:
            node.mean += (means[decider] - node.mean) / s.tree.details[path[i].node].weight
        else:
            node.mean += (means[decider] - node.mean) / node.visits


cdef void grow_weight(SearchState s, uint32_t index) noexcept nogil:
    """Adds this iteration to the sum of the weights of a node's returns."""
    cdef Detail* detail = &s.tree.details[index]
    cdef uint32_t now = s.iterations + 1
    detail.weight = detail.weight * pow(s.weight_growth, <double> detail.last - now) + 1
    detail.last = now
