"""Backup: visits, means, and the statistics that options need."""

from libc.math cimport pow
from libc.stdint cimport uint32_t

from agents.forward_model cimport CHANCE
from agents.mcts.amaf cimport note_amaf
from agents.mcts.solver cimport prove
from agents.mcts.state cimport SearchState, Step
from agents.mcts.tree cimport Detail, Node, weighted_mean


cdef void backpropagate(SearchState s) noexcept nogil:
    # Local copies: without them the compiler reads these fields again after every write to a node.
    cdef const Step* path = s.path
    cdef const double* means = s.means
    cdef Node* nodes = s.tree.nodes
    cdef bint has_options = s.is_solving or s.weight_growth != 1
    cdef int i
    cdef Node* node
    if s.tree.has_details:
        for i in range(s.path_length):
            s.tree.note_return(path[i].node, means[path[i].decider])
    if s.stamps != NULL:
        note_amaf(s)
    for i in range(s.path_length - 1, -1, -1):
        node = &nodes[path[i].node]
        node.visits += 1
        if has_options or node.player == CHANCE:
            set_mean(s, &path[i])
        else:
            node.mean += (means[path[i].decider] - node.mean) / node.visits


cdef void set_mean(SearchState s, const Step* step) noexcept nogil:
    """Updates the mean of a node whose visit was counted, if it is not the plain mean of its returns.

    Chance nodes may weight outcomes by their probabilities; options prove values, or weight later returns
    more.
    """
    cdef Node* node = &s.tree.nodes[step.node]
    cdef double weight = node.visits
    if s.is_solving and prove(s, node, step.decider):
        return
    if s.weight_growth != 1:
        weight = grow_weight(s, step.node)
    if (
        s.is_weighted
        and node.player == CHANCE
        and node.num_children
        and not node.is_truncated   # else some outcomes are outside the tree: a plain mean
    ):
        node.mean = weighted_mean(s.tree, node)
    else:
        node.mean += (s.means[step.decider] - node.mean) / weight


cdef double grow_weight(SearchState s, uint32_t index) noexcept nogil:
    """Adds this iteration to the sum of the weights of a node's returns, and returns the sum."""
    cdef Detail* detail = &s.tree.details[index]
    cdef uint32_t now = s.iterations + 1
    detail.weight = detail.weight * pow(s.weight_growth, <double> detail.last - now) + 1
    detail.last = now
    return detail.weight
