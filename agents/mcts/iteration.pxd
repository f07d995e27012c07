"""One iteration of Monte Carlo tree search, and the state of the search that it reads and writes."""

from libc.stdint cimport int32_t, int64_t, uint32_t

from agents.evaluator cimport NativeEvaluator
from agents.forward_model cimport ForwardModel
from agents.mcts.policies cimport TreePolicy
from agents.mcts.rollouts cimport RolloutPolicy
from agents.mcts.tree cimport Node, Tree
from agents.rng cimport Rng


cdef enum:
    ROOT = 0
    NOWHERE = 0   # no child has this index: see `Tree.child`


# One step of the path from the root to the leaf of an iteration.
ctypedef struct Step:
    uint32_t node
    int decider   # the player who decided last before the node: its mean is in this player's returns


cdef class SearchState:
    # The position
    cdef Tree tree
    cdef ForwardModel root         # the position searched, never advanced
    cdef ForwardModel base         # the position after the settled actions; `root` itself if there are none
    cdef ForwardModel model        # descends from `base` in every iteration
    cdef ForwardModel playout      # plays rollouts from the leaf; `model` itself if there is one a leaf
    cdef int player                # who moves at `root`: the searching player
    cdef Rng rng

    # Selection and expansion
    cdef TreePolicy tree_policy
    cdef int heuristic             # index in the model's `heuristics`, for the tree policy; -1 for none
    cdef bint is_ordered           # whether actions are added in the model's order, not at random
    cdef bint is_selective         # whether untried actions may wait: by urgency, widening or the tree policy
    cdef double first_play_urgency   # value of an untried action; infinite if each is tried first
    cdef double widening_factor    # a node of N visits has room for factor * N ** exponent children
    cdef double widening_exponent
    cdef uint32_t max_nodes        # the tree does not grow beyond
    cdef bint is_stratified        # whether chance nodes draw the outcome that is behind its probability
    cdef bint is_frozen            # whether the tree is neither grown nor updated

    # Simulation
    cdef RolloutPolicy rollout_policy
    cdef int rollouts              # from each leaf
    cdef object evaluator          # function that values leaves in place of rollouts, or None
    cdef NativeEvaluator native    # evaluator in C, or None
    cdef bint is_evaluating        # whether there is one of them
    cdef bint is_batched           # whether it takes a list of models, not one model
    cdef bint is_resampling        # whether terminal nodes draw their returns anew

    # Backup
    cdef bint is_weighted          # chance nodes: whether outcomes count by their probabilities
    cdef bint is_solving           # whether exact values are proven, from the ends of the game upwards
    cdef double max_return         # upper bound on the returns
    cdef uint32_t* stamps          # AMAF: by player and action, the number of the rollout that last saw it
    cdef uint32_t stamp            # that number, from 1; it wraps after 2**32, and miscounts one rollout

    # Progress
    cdef double deadline           # on the clock of perf_counter
    cdef bint is_stopped           # whether `stop` was called
    cdef public object look        # function of `is_whole` (see `pause`) called about ten times a second
    cdef double next_look          # the time at which it is called next
    cdef double next_turn          # the time at which other threads may run next, if the game needs the GIL
    cdef int64_t iterations        # done or, in a batch, begun
    cdef int64_t calls             # actions and outcomes applied to models
    cdef bint is_rehearsing        # whether iterations leave tree and budget alone, see `Search.rehearse`
    cdef Tree grown                # then: the tree, of which they may grow a copy

    # The current iteration
    cdef Step* path                # the root first, then the settled actions, which all iterations share
    cdef int num_settled           # the descent starts at the end of so many actions
    cdef int path_length
    cdef int max_path              # steps allocated
    cdef bint is_outside           # whether the position of the model has no node in the tree
    cdef double* values            # scratch: one number for each action or outcome of a position
    cdef int32_t* outcomes         # scratch: the outcomes of a chance node
    cdef double* returns           # of one rollout, by player
    cdef double* means             # by player: the value of the current leaf, which is backed up

    cdef int lengthen_path(self) except -1 nogil   # makes room for as many steps again
    # Looks at signals, calls `look` if it is due, and returns the time on the clock of perf_counter.
    # `is_whole` is false in the middle of an iteration, when the tree has a leaf without a value.
    cdef double pause(self, bint is_whole) except -1


cdef inline int step_to(SearchState s, uint32_t node, int decider) except -1 nogil:
    """Adds a step to the current path."""
    if s.path_length == s.max_path:
        s.lengthen_path()
    s.path[s.path_length].node = node
    s.path[s.path_length].decider = decider
    s.path_length += 1
    return 0


cdef inline const Step* last_step(SearchState s) noexcept nogil:
    """The end of the current path: the node that the descent has reached, at last the leaf."""
    return &s.path[s.path_length - 1]


cdef inline Node* last_node(SearchState s) noexcept nogil:
    """The node at the end of the current path; its address holds until the tree gets another node."""
    return &s.tree.nodes[last_step(s).node]


# The whole iteration, and its parts.
cdef int iterate(SearchState s) except -1 nogil
cdef int descend(SearchState s) except -1 nogil
cdef int simulate(SearchState s) except -1 nogil
cdef void backpropagate(SearchState s) noexcept nogil

# Fills `means` with the evaluator's values of the model's position, or with the returns if the game is over
# there. Lists the actions of a new leaf by its priors.
cdef int evaluate_leaf(SearchState s) except -1 nogil
# The same from the evaluator's answer about the model's position, where the game is not over.
cdef int note_answer(SearchState s, answer) except -1
# The evaluator's answers about positions, which it may change.
cdef list ask(SearchState s, list models)
# Draws chance outcomes until a player is to move or the game is over; returns the player or TERMINAL.
cdef int draw_on(SearchState s) except? -99 nogil
