"""Expansion: nodes get their children one by one."""

import numpy as np

from libc.stdint cimport int32_t, uint32_t

from agents.forward_model cimport CHANCE, TERMINAL, list_in_order, sort_actions
from agents.mcts.state cimport ROOT, SearchState, step_to

from agents.rng cimport rng_below, rng_next


cdef enum:
    MAX_ACTIONS = 0xFFFF   # of one node, counted in 16 bits


cdef int list_actions(SearchState s, uint32_t node) except -1 nogil:
    cdef uint32_t first = s.tree.reserve_actions(s.root.max_legal_actions)
    cdef int count
    if s.is_ordered:
        count = list_in_order(s.model, s.tree.actions + first)
        reverse(s.tree.actions + first, count)   # the last one is tried first
    else:
        count = s.model.c_legal_actions(s.tree.actions + first)
    note_list(s, node, first, count)
    return count


cdef int note_list(SearchState s, uint32_t node, uint32_t first, int count) except -1 nogil:
    if not 0 < count <= MAX_ACTIONS:
        with gil:
            raise ValueError(f"a position has {count} legal actions, MCTS takes 1 to {MAX_ACTIONS}")
    s.tree.num_actions = first + count
    s.tree.nodes[node].payload = first
    s.tree.nodes[node].num_untried = count
    s.tree.nodes[node].is_listed = True
    return 0


cdef int list_with_priors(SearchState s, uint32_t node, const double* priors, int count) except -1:
    cdef uint32_t first = s.tree.reserve_actions(s.root.max_legal_actions)
    cdef int32_t* actions = s.tree.actions + first
    cdef int i, k
    if s.model.c_legal_actions(actions) != count:
        raise ValueError("the legal actions of a position changed while it was valued")
    sort_actions(actions, count)
    order = list(range(count))
    for i in range(count - 1, 0, -1):
        k = rng_below(&s.rng.state, i + 1)
        order[i], order[k] = order[k], order[i]
    order.sort(key=lambda place: priors[<int> place])
    listed = [(actions[<int> place], priors[<int> place]) for place in order]
    for i in range(count):
        actions[i], s.tree.priors[first + i] = listed[i]
    note_list(s, node, first, count)
    return 0


cdef int add_noise(SearchState s) except -1:
    cdef uint32_t first = s.tree.nodes[ROOT].payload
    cdef int32_t* actions = s.tree.actions + first
    cdef double* priors = s.tree.priors + first
    cdef int i, count = s.tree.nodes[ROOT].num_untried
    noise = np.random.default_rng(rng_next(&s.rng.state)).dirichlet([s.noise_alpha] * count)
    mixed = (1 - s.noise_share) * np.array([priors[i] for i in range(count)]) + s.noise_share * noise
    listed = sorted([(mixed[i], actions[i]) for i in range(count)])
    for i in range(count):
        priors[i], actions[i] = listed[i]
    return 0


cdef uint32_t expand(SearchState s, uint32_t node) except 0 nogil:
    cdef int last = s.tree.nodes[node].num_untried - 1
    cdef int32_t* untried = s.tree.actions + s.tree.nodes[node].payload
    cdef int pick = last
    cdef int32_t action
    if not (s.is_ordered or s.tree.has_priors):
        pick = <int> rng_below(&s.rng.state, last + 1)
    action = untried[pick]
    untried[pick] = untried[last]
    s.tree.nodes[node].num_untried = last
    return add_child(s, node, action, s.tree.prior_of_untried(node, last))


cdef uint32_t add_child(
    SearchState s, uint32_t node, int32_t action, double probability
) except 0 nogil:
    cdef int player = s.tree.nodes[node].player
    cdef uint32_t child = s.tree.add_child(node, action, probability, s.iterations)
    s.model.c_apply_action(action)
    s.tree.nodes[child].player = s.model.c_current_player()
    if player == CHANCE:
        player = s.path[s.path_length - 1].decider
    step_to(s, child, player)
    if s.heuristic >= 0:
        note_heuristic(s, child, player)
    return child


cdef int note_heuristic(SearchState s, uint32_t node, int player) except -1 nogil:
    """Stores the heuristic value of the model's position for a player; at the end of the game the return."""
    if s.tree.nodes[node].player == TERMINAL:
        s.model.c_returns(s.returns)
    else:
        s.model.c_heuristic(s.heuristic, s.returns)
    s.tree.details[node].heuristic = s.returns[player]
    return 0


cdef void reverse(int32_t* actions, int count) noexcept nogil:
    cdef int i
    for i in range(count // 2):
        actions[i], actions[count - 1 - i] = actions[count - 1 - i], actions[i]
