"""Playout: rollouts from a leaf, and the values of leaves without rollouts."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcpy, memset

from agents.forward_model cimport TERMINAL, ForwardModel
from agents.mcts.amaf cimport stamped_rollout
from agents.mcts.evaluator cimport evaluate_leaf
from agents.mcts.solver cimport prove_terminal, repeat_proven
from agents.mcts.state cimport SearchState


cdef enum:
    CHECK_INTERVAL = 10000   # rollouts, and actions in them, between two looks at signals


cdef int simulate(SearchState s, uint32_t leaf) except -1 nogil:
    if s.tree.nodes[leaf].is_proven:
        repeat_proven(s, leaf)
    elif s.tree.nodes[leaf].player == TERMINAL and s.is_solving:
        prove_terminal(s, leaf)
    elif s.tree.nodes[leaf].player == TERMINAL and not s.is_resampling:
        reuse_returns(s, leaf)
    elif s.is_evaluating and s.tree.nodes[leaf].player != TERMINAL:
        evaluate_leaf(s, leaf)
    elif s.rollouts == 1:
        s.calls += roll_out(s, s.model, s.means)
    else:
        average_rollouts(s, s.rollouts or s.iterations + 1)
    return 0


cdef int average_rollouts(SearchState s, int64_t count) except -1 nogil:
    cdef int player, num_players = s.root.num_players
    cdef int64_t i, next_check = 0, check_interval = 1 if s.root.needs_gil else CHECK_INTERVAL
    memset(s.means, 0, num_players * sizeof(double))
    for i in range(count):
        if s.calls + i >= next_check:
            next_check = s.calls + i + check_interval
            if s.is_stopped and i:   # the mean of the rollouts so far
                for player in range(num_players):
                    s.means[player] *= <double> count / i
                return 0
            with gil:
                PyErr_CheckSignals()
        s.playout.c_copy_from(s.model)
        s.calls += roll_out(s, s.playout, s.returns)
        for player in range(num_players):
            s.means[player] += s.returns[player] / count
    return 0


cdef inline int roll_out(SearchState s, ForwardModel model, double* returns) except -1 nogil:
    """Plays on from the leaf; returns the number of actions and outcomes applied."""
    if s.stamps != NULL:
        return stamped_rollout(s, model, returns)
    return s.rollout_policy.c_simulate(model, &s.rng.state, returns)


cdef int reuse_returns(SearchState s, uint32_t leaf) except -1 nogil:
    """Fills `means` with the returns drawn when the terminal leaf was first reached."""
    cdef int num_players = s.root.num_players
    if not s.tree.nodes[leaf].is_listed:
        if s.is_frozen:
            s.model.c_sample_returns(&s.rng.state, s.means)
            return 0
        s.tree.nodes[leaf].payload = s.tree.reserve_returns(num_players)
        s.tree.nodes[leaf].is_listed = True
        s.model.c_sample_returns(&s.rng.state, s.tree.returns + s.tree.nodes[leaf].payload)
    memcpy(s.means, s.tree.returns + s.tree.nodes[leaf].payload, num_players * sizeof(double))
    return 0
