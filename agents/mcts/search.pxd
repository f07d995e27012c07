"""One search of MCTS: its loop, and all that it holds."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t

from agents.forward_model cimport ForwardModel
from agents.mcts.policies cimport RolloutPolicy, TreePolicy
from agents.rng cimport Rng
from agents.mcts.tree cimport Node, Tree


# One step of the path from the root to the leaf of an iteration.
ctypedef struct Step:
    uint32_t node
    int decider   # the player who decided last before the node: its mean is in this player's returns


# What an iteration brought.
ctypedef struct Sample:
    double value      # mean return of the searching player
    int32_t action    # at the root, -1 if the iteration ended there


@cython.final
cdef class Search:
    cdef Tree tree
    cdef ForwardModel root         # the position searched, never advanced
    cdef ForwardModel model        # walks down from the root in every iteration
    cdef ForwardModel playout      # plays on from the leaf: `model` itself unless a leaf gets several
    cdef TreePolicy tree_policy    # may be exchanged between iterations
    cdef RolloutPolicy rollout_policy
    cdef Rng rng
    cdef int player                # who searches
    cdef int rollouts              # from each leaf; 0 if as many as the number of the iteration
    cdef int heuristic             # index in the model's `heuristics`, for priors
    cdef bint is_ordered           # whether actions are added in the model's order, not at random
    cdef bint is_selective         # whether actions untried compete with children, by the next three
    cdef double first_play_urgency   # value of an action untried; infinite if each is tried first
    cdef double widening_factor    # a node of N visits has room for factor * N ** exponent children
    cdef double widening_exponent
    cdef bint is_solving           # whether exact values are proven, from the ends of the game upwards
    cdef double max_return         # none is higher
    cdef double weight_growth      # of the weights of returns from one iteration to the next; 1 for none
    cdef uint32_t* stamps          # AMAF: the iteration, from 1, that last saw an action, by player
    cdef bint is_weighted          # chance nodes: whether outcomes count by their probabilities
    cdef bint is_resampling        # whether terminal nodes draw their returns anew
    cdef uint32_t max_nodes        # the tree does not grow beyond
    cdef bint is_rehearsing        # whether iterations do not count, as their tree is a copy or frozen
    cdef bint is_stopped           # from another thread
    cdef bint is_frozen            # whether the tree is not to be touched: neither grown nor updated
    cdef int64_t iterations        # done
    cdef int64_t calls             # actions and outcomes applied to models
    cdef int64_t max_iterations    # budgets
    cdef int64_t max_calls
    cdef double deadline           # on the clock of perf_counter
    cdef int64_t batch             # iterations between two looks at the clock
    cdef double batch_seconds      # what they should take
    cdef Step* path                # of the current iteration, the root first
    cdef int path_length
    cdef int max_path              # steps allocated
    cdef double* values            # scratch: one number for each action or outcome of a position
    cdef int32_t* outcomes         # scratch: the outcomes of a chance node
    cdef double* returns           # of one rollout, by player
    cdef double* means             # of the rollouts of the current leaf, by player

    # Iterates `count` times, or until a budget is spent (but a first time always); returns how often.
    # Fills a sample for each iteration unless `samples` is NULL.
    cdef int64_t run(self, int64_t count, Sample* samples) except -1
    cdef int64_t run_batch(self, int64_t count, Sample* samples) except -1 nogil
    # One iteration, whose returns are in `means` afterwards.
    cdef int iterate(self) except -1 nogil
    # Index, among the children of a tree's root, of the one to play.
    cdef int recommended(self, Tree tree, str recommendation) except -1
    cdef Tree summary(self, others)

    # Selection and expansion. `draw` answers NOWHERE (0) where the tree ends and may not grow.
    cdef int descend(self) except -1 nogil
    cdef uint32_t draw(self, uint32_t node) except? 0xFFFFFFFF nogil
    cdef int list_actions(self, uint32_t node) except -1 nogil
    cdef int expand(self, uint32_t node) except -1 nogil
    cdef uint32_t add_child(self, uint32_t node, int32_t action, double probability) except 0 nogil
    cdef double probability(self, int32_t outcome) except -1 nogil
    cdef void step_to(self, uint32_t node, int decider) noexcept nogil
    cdef int lengthen_path(self) except -1 nogil
    cdef int note_prior(self, uint32_t node, int player) except -1 nogil
    # Whether a node with actions untried, and with children, gets one more.
    cdef bint has_room(self, uint32_t node) except -1 nogil
    cdef int best_unproven(self, uint32_t index) except -1 nogil
    # Simulation and backpropagation
    cdef int simulate(self, uint32_t leaf) except -1 nogil
    cdef int prove_terminal(self, uint32_t leaf) except -1 nogil
    cdef void repeat_proven(self, uint32_t leaf) noexcept nogil
    cdef int average_rollouts(self, int64_t count) except -1 nogil
    # Plays on from the leaf; returns the actions and outcomes applied.
    cdef int roll_out(self, ForwardModel model, double* returns) except -1 nogil
    cdef int stamped_rollout(self, ForwardModel model, double* returns) except -1 nogil
    cdef int reuse_returns(self, uint32_t leaf) except -1 nogil
    cdef void backpropagate(self) noexcept nogil
    cdef void grow_weight(self, uint32_t index) noexcept nogil
    cdef void note_amaf(self) noexcept nogil
    cdef void set_means(self, int player, double value) noexcept nogil
    cdef bint prove(self, Node* node, int decider) noexcept nogil
    cdef bint has_all_outcomes(self, const Node* node) noexcept nogil
    cdef int proven_or(self, int pick) except -1
