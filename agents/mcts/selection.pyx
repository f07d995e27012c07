"""Selection: by the tree policy where a player moves, by the game's probabilities at chance nodes."""

from libc.math cimport INFINITY, pow
from libc.stdint cimport int32_t, uint32_t

from agents.forward_model cimport CHANCE, TERMINAL
from agents.mcts.expansion cimport add_child, expand, list_actions
from agents.mcts.policies cimport UCB1, argmax, highest_bound
from agents.mcts.state cimport NOWHERE, SearchState, step_to
from agents.mcts.tree cimport Node


cdef int descend(SearchState s) except -1 nogil:
    cdef uint32_t index = s.path[s.path_length - 1].node
    cdef const Node* nodes = s.tree.nodes
    cdef const Node* node
    cdef int pick
    while True:
        if s.path_length == s.max_path:
            s.lengthen_path()
        node = &nodes[index]
        if node.is_proven:
            return 0
        if node.player < 0:   # chance nodes and ends are rare: one comparison finds both
            if node.player == TERMINAL:
                return 0
            index = draw(s, index)
            if index == NOWHERE:
                return 0
            nodes = s.tree.nodes   # the pool may have moved
            continue
        if not node.is_listed:
            if s.is_frozen or s.is_evaluating:   # an evaluator values a node before its children
                return 0
            list_actions(s, index)
        if node.num_untried:
            if may_grow(s, index, node):
                if s.is_frozen:
                    return 0
                index = expand(s, index)
                nodes = s.tree.nodes
                if s.is_evaluating and nodes[index].player == CHANCE:
                    continue
                return 0
            if node.num_children == 0:
                return 0
        pick = select(s, index, node, nodes + node.first_child)
        if nodes[node.first_child + pick].is_proven:
            pick = best_unproven(s, index)
        index = node.first_child + pick
        s.model.c_apply_action(nodes[index].action)
        step_to(s, index, node.player)


cdef inline bint may_grow(SearchState s, uint32_t index, const Node* node) except -1 nogil:
    """Whether the next untried action of a node is added now."""
    if s.tree.num_nodes >= s.max_nodes:
        return False
    return not s.is_selective or node.num_children == 0 or has_room(s, index)


cdef inline int select(
    SearchState s, uint32_t index, const Node* node, const Node* children
) except -1 nogil:
    """Index of the child that the tree policy chooses."""
    if node.visits < s.tree_policy.num_tabled:
        return highest_bound(
            children,
            node.num_children,
            (<UCB1> s.tree_policy).factor,
            (<UCB1> s.tree_policy).roots[node.visits],
            &s.rng.state,
        )
    return s.tree_policy.c_select(s.tree, index, s.path_length - 1, s.values, &s.rng.state)


cdef int best_unproven(SearchState s, uint32_t index) except -1 nogil:
    """Index of the child that the tree policy values most among those not proven; a random one if all are."""
    cdef const Node* node = &s.tree.nodes[index]
    cdef int i
    s.tree_policy.c_values(s.tree, index, s.path_length - 1, s.values)
    for i in range(node.num_children):
        if s.tree.nodes[node.first_child + i].is_proven:
            s.values[i] = -INFINITY
    return argmax(s.values, node.num_children, &s.rng.state)


cdef bint has_room(SearchState s, uint32_t index) except -1 nogil:
    """Whether a node with children and untried actions gets one more child now.

    It does not where progressive widening bounds the number of children, nor where a child that is not proven
    has a higher value than the urgency of the next untried action. If all children are proven, it does.
    """
    cdef const Node* node = &s.tree.nodes[index]
    cdef double urgency
    cdef int i, num_open = 0
    for i in range(node.num_children):
        num_open += not s.tree.nodes[node.first_child + i].is_proven
    if num_open == 0:
        return True
    if node.num_children >= s.widening_factor * pow(node.visits, s.widening_exponent):
        return False
    urgency = s.tree_policy.c_urgency(s.tree, index, s.path_length - 1, s.first_play_urgency)
    if urgency < INFINITY:
        s.tree_policy.c_values(s.tree, index, s.path_length - 1, s.values)
        for i in range(node.num_children):
            if s.values[i] > urgency and not s.tree.nodes[node.first_child + i].is_proven:
                return False
    return True


cdef uint32_t draw(SearchState s, uint32_t node) except? 0xFFFFFFFF nogil:
    """Samples an outcome of a chance node and steps to its child.

    Returns NOWHERE if the tree has no child for the outcome and may not grow.
    """
    cdef int32_t outcome = 0
    cdef uint32_t child
    if s.is_stratified:
        outcome = draw_stratified(s, node)
    else:
        s.model.c_sample_chance(&s.rng.state, &outcome)
    child = s.tree.child(node, outcome)
    if child != NOWHERE:
        s.model.c_apply_action(outcome)
        step_to(s, child, s.path[s.path_length - 1].decider)
    elif s.tree.num_nodes < s.max_nodes and not s.is_frozen:
        child = add_child(s, node, outcome, probability(s, outcome))
    else:
        if not s.is_frozen:
            s.tree.nodes[node].is_truncated = True
        s.model.c_apply_action(outcome)
        s.calls += 1
        s.is_outside = True
    return child


cdef int32_t draw_stratified(SearchState s, uint32_t index) except? -1 nogil:
    """The outcome whose visits are furthest below their expected number; a random one among ties."""
    cdef const Node* node = &s.tree.nodes[index]
    cdef const Node* child
    cdef int i, k, count = s.model.c_chance_outcomes(s.outcomes, s.values)
    for i in range(count):
        s.values[i] *= node.visits + 1
    for k in range(node.num_children):
        child = &s.tree.nodes[node.first_child + k]
        for i in range(count):
            if s.outcomes[i] == child.action:
                s.values[i] -= child.visits
                break
    return s.outcomes[argmax(s.values, count, &s.rng.state)]


cdef double probability(SearchState s, int32_t outcome) except -1 nogil:
    """The probability of an outcome at the model's chance node."""
    cdef int i, count = s.model.c_chance_outcomes(s.outcomes, s.values)
    for i in range(count):
        if s.outcomes[i] == outcome:
            return s.values[i]
    with gil:
        raise ValueError(f"chance drew {outcome}, which is not among chance_outcomes()")
