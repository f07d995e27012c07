"""AMAF statistics, for RAVE. Each action has, by player, the number of the last iteration that played it."""

from libc.stdint cimport int32_t, uint32_t

from agents.forward_model cimport CHANCE, TERMINAL, ForwardModel, watch_rollout
from agents.mcts.state cimport SearchState
from agents.mcts.tree cimport Detail, Node


cdef inline uint32_t* stamps_of(SearchState s, int player) noexcept nogil:
    return s.stamps + <size_t> player * s.root.num_actions


cdef int stamped_rollout(SearchState s, ForwardModel model, double* returns) except -1 nogil:
    cdef int player, calls = 0
    cdef int32_t action
    while True:
        player = model.c_current_player()
        if player == TERMINAL:
            model.c_sample_returns(&s.rng.state, returns)
            return calls
        if player == CHANCE:
            model.c_sample_chance(&s.rng.state, &action)
        else:
            model.c_sample_action(&s.rng.state, &action)
            stamps_of(s, player)[action] = s.iterations + 1
        model.c_apply_action(action)
        watch_rollout(calls)
        calls += 1


cdef void note_amaf(SearchState s) noexcept nogil:
    cdef uint32_t now = s.iterations + 1
    cdef const Node* node
    cdef uint32_t* stamps
    cdef Detail* detail
    cdef int i, k
    for i in range(s.path_length - 1, -1, -1):
        node = &s.tree.nodes[s.path[i].node]
        if node.player < 0:
            continue
        stamps = stamps_of(s, node.player)
        if i + 1 < s.path_length:
            stamps[s.tree.nodes[s.path[i + 1].node].action] = now
        for k in range(node.num_children):
            if stamps[s.tree.nodes[node.first_child + k].action] == now:
                detail = &s.tree.details[node.first_child + k]
                detail.amaf_count += 1
                detail.amaf_mean += (s.means[node.player] - detail.amaf_mean) / detail.amaf_count
