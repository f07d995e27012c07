# distutils: extra_compile_args = -O1
"""The loop of Monte Carlo tree search: budgets, rehearsals, kept trees, and batches of leaves."""

import numpy as np

cimport cython

from cpython.exc cimport PyErr_CheckSignals
from cpython.time cimport perf_counter
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from agents.evaluator cimport NativeEvaluator, sort_by_rating
from agents.forward_model cimport TERMINAL, ForwardModel, allocated, zeroed
from agents.mcts.iteration cimport (
    NOWHERE, ROOT, SearchState, ask, backpropagate, descend, draw_on, evaluate_leaf, iterate, last_node,
    note_answer, simulate, step_to,
)
from agents.mcts.policies cimport TreePolicy
from agents.mcts.tree cimport Node, Tree, mean_of_children
from agents.rng cimport Rng, rng_next

from agents.checks import check_number, heuristic_index
from agents.mcts import options as _options


cdef int64_t MAX_ITERATIONS = _options.MAX_ITERATIONS
cdef int64_t MAX_CALLS = _options.MAX_CALLS
cdef uint32_t MAX_NODES = _options.MAX_NODES

# Between two looks at the clock and at signals the search iterates for about this long.
cdef double STRIDE_SECONDS = 0.01


@cython.final
cdef class Search(SearchState):
    """One search of one position: the tree, and the loop that grows it.

    Args:
        root: The position; not changed.
        tree_policy: The tree policy of this search.
        rng: The source of all random numbers of the search, which advances it.
        options: An `agents.mcts.options.Options`, checked.

    Raises:
        ValueError: If the options do not fit the game.
    """

    def __cinit__(
        self,
        ForwardModel root not None,
        TreePolicy tree_policy not None,
        Rng rng not None,
        options: _options.Options,
    ):
        self.begin = perf_counter()
        self.deadline = INFINITY
        self.stride = 1
        self.stride_seconds = min(STRIDE_SECONDS, 0.01 * (options.time_limit or INFINITY) / options.phases)
        self.rng = rng
        self.root = (<ForwardModel?> root.clone()).c_clone()   # nothing is shared with other searches
        if options.determinize:
            self.root.c_determinize(&self.rng.state)
        self.base = self.root
        self.model = self.root.c_clone()
        self.playout = self.root.c_clone() if options.rollouts != 1 else self.model
        self.player = self.root.c_current_player()
        if self.player < 0:
            raise ValueError(f"no player is to move, the current player is {self.player}")
        self.return_spread = 1 if options.rollout_policy.changes_returns else root.return_spread
        check_number("return_spread", self.return_spread, 0, INFINITY)
        self.tree_policy = tree_policy.for_search(root, self.return_spread)
        self._set_expansion(options)
        self._set_values(options)
        self.tree = Tree(tree_policy.needs_details or options.standard_errors, self.is_evaluating)
        self.tree.nodes[ROOT].player = self.player
        step_to(self, ROOT, self.player)

    def _set_expansion(self, options):
        """Takes over the options about which children are added."""
        self.heuristic = -1
        if self.tree_policy.needs_heuristic:
            self.heuristic = heuristic_index(self.root, options.heuristic)
        self.is_ordered = options.expansion == "ordered"
        self.is_stratified = options.chance_selection == "stratified"
        self.first_play_urgency = INFINITY
        if options.first_play_urgency is not None:
            self.first_play_urgency = options.first_play_urgency
        self.widening_factor = INFINITY
        if options.widening is not None:
            self.widening_factor, self.widening_exponent = options.widening
        self.is_selective = (
            self.first_play_urgency < INFINITY
            or options.widening is not None
            or self.tree_policy.weighs_untried
        )
        self.max_nodes = options.max_nodes or MAX_NODES

    def _set_values(self, options):
        """Takes over the options about the values of leaves and their backup."""
        self.rollout_policy = options.rollout_policy.for_search(self.root)
        self.rollouts = options.rollouts
        self.is_evaluating = options.evaluator is not None
        if isinstance(options.evaluator, NativeEvaluator):
            self.native = options.evaluator.for_search(self.root, self.return_spread)
        else:
            self.evaluator = options.evaluator
        self.num_leaves = options.batch_size or 1
        self.is_batched = options.batch_size is not None
        self.virtual_loss = self.return_spread if options.virtual_loss is None else options.virtual_loss
        self.noise_share, self.noise_alpha = options.root_noise or (0, 1)
        self.is_resampling = options.resample_terminals
        self.is_weighted = options.chance_backup == "weighted"
        self.is_solving = options.solver
        self.max_return = INFINITY if options.max_return is None else options.max_return
        if self.is_solving and self.root.num_players > 2:
            raise ValueError(f"solver is for one or two players, got a game of {self.root.num_players}")
        cdef size_t size = <size_t> self.root.num_players * self.root.num_actions * sizeof(uint32_t)
        if self.tree_policy.needs_amaf:
            self.stamps = <uint32_t*> zeroed(size)
            self.stamp = 1

    # --- Budgets ---

    def limit(
        self,
        iterations: int | None,
        calls: int | None,
        seconds: float | None,
        phase: int = 1,
        phases: int = 1,
    ) -> None:
        """Sets the budgets in iterations, model calls and seconds since the search was made.

        Args:
            iterations: None for no limit, as below.
            calls: Actions and outcomes applied to models.
            seconds: Wall time.
            phase: The share of each that may be spent is phase / phases, rounded up.
            phases: Number of phases.
        """
        self.max_iterations = -(-int(iterations) * phase // phases) if iterations else MAX_ITERATIONS
        self.max_calls = -(-int(calls) * phase // phases) if calls else MAX_CALLS
        self.deadline = self.begin + (phase / phases * seconds if seconds else INFINITY)

    def stop(self) -> None:
        """Ends the search soon; any thread may call it."""
        self.is_stopped = True

    cdef bint is_over(self) noexcept nogil:
        """Whether the root is proven, the model calls are spent, or `stop` was called."""
        return self.calls >= self.max_calls or self.tree.nodes[ROOT].is_proven or self.is_stopped

    cdef bint is_spent(self) noexcept:
        """Whether the search is over or a budget is spent."""
        return self.is_over() or self.iterations >= self.max_iterations or perf_counter() >= self.deadline

    # --- The loop ---

    def spend(self) -> None:
        """Iterates until the search is over or a budget is spent."""
        self.run(self.max_iterations, NULL)

    cdef int64_t run(self, int64_t count, Sample* samples) except -1:
        cdef int64_t done = 0, stride
        cdef double now = perf_counter(), elapsed = 0
        if self.is_evaluating and not self.tree.nodes[ROOT].is_listed:
            value_root(self, None)
        if not self.is_rehearsing:
            count = min(count, self.max_iterations - self.iterations)
        while done < count and not (self.is_over() and self.iterations):   # the first one is always made
            if now + 0.5 * elapsed >= self.deadline and self.iterations:   # the next stride may overrun
                break
            stride = min(self.stride, count - done)
            if self.num_leaves > 1:
                stride = iterate_together([self], count - done)
            elif self.root.needs_gil:
                stride = self.run_stride(stride, samples)
            else:
                self.tree.is_growing = True
                try:
                    with nogil:
                        stride = self.run_stride(stride, samples)
                finally:
                    self.tree.is_growing = False
            done += stride
            if samples != NULL:
                samples += stride
            elapsed = perf_counter() - now
            now = self.pause(True)
            if elapsed < 0.5 * self.stride_seconds and stride == self.stride:
                self.stride *= 2
            elif elapsed > 2 * self.stride_seconds:
                self.stride = max(1, self.stride // 2)
        return done

    cdef int64_t run_stride(self, int64_t count, Sample* samples) except -1 nogil:
        """Iterates `count` times, or until the search is over; returns how often."""
        cdef int64_t done = 0
        while True:
            iterate(self)
            self.iterations += not self.is_rehearsing
            if samples != NULL:
                samples[done] = self.sample()
            done += 1
            if done == count or self.is_over():
                return done

    cdef Sample sample(self) noexcept nogil:
        """The sample of the current iteration."""
        cdef Sample sample
        sample.value = self.means[self.player]
        sample.action = self.tree.nodes[self.path[1].node].action if self.path_length > 1 else -1
        return sample

    cdef int64_t rehearse(self, int64_t count, Sample* samples, bint is_frozen) except -1:
        cdef Tree tree = self.tree
        self.grown = tree
        self.is_rehearsing = True
        self.is_frozen = is_frozen
        try:
            if not is_frozen:
                self.tree = tree.copied()
            return self.run(count, samples)
        finally:
            self.tree = tree
            self.is_rehearsing = self.is_frozen = False

    # --- Reuse of trees ---

    def adopt(self, Search earlier not None, moves: Iterable[int]) -> None:
        """Starts from the part of an earlier search's tree below this position.

        Nothing is taken over if the tree has no node of this position, or one without children: its mean may
        be in the returns of another player.

        Args:
            earlier: A search that has ended.
            moves: The actions and outcomes since then. If they lead elsewhere, nothing is taken over.
        """
        cdef uint32_t index = ROOT
        cdef const Node* root
        cdef ForwardModel model = earlier.root.clone()
        for action in moves:
            if not model.is_legal(action):
                return
            model.apply_action(action)
            index = earlier.tree.child(index, action)
            if index == NOWHERE:
                return
        if model.num_players != self.root.num_players or model.num_actions != self.root.num_actions:
            return
        if not model.c_equals(self.root):
            return
        root = &earlier.tree.nodes[index]
        is_alike = (
            earlier.tree.has_details == self.tree.has_details
            and earlier.tree.has_priors == self.tree.has_priors
        )
        if root.num_children and not root.is_proven and root.player == self.player and is_alike:
            self.tree = earlier.tree.subtree(index, self.root.num_players)
            self.tree.nodes[ROOT].mean = mean_of_children(self.tree, ROOT)


# --- Evaluators: the priors of the root, and batches of leaves ---


cdef int value_root(Search s, answer) except -1:
    """Gives the root's actions their priors before the first iteration; asks the evaluator if it is None."""
    s.model.c_copy_from(s.root)
    s.path_length = 1
    s.is_outside = False
    if answer is None:
        evaluate_leaf(s)
    else:
        note_answer(s, answer)
    if s.noise_share:
        add_noise(s)
    return 0


cdef int add_noise(Search s) except -1:
    """Mixes Dirichlet noise into the priors of the root's actions, none of which has been tried."""
    cdef uint32_t first = s.tree.nodes[ROOT].payload
    cdef int32_t* actions = s.tree.actions + first
    cdef double* priors = s.tree.priors + first
    cdef int i, count = s.tree.nodes[ROOT].num_untried
    noise = np.random.default_rng(rng_next(&s.rng.state)).dirichlet([s.noise_alpha] * count)
    for i in range(count):
        priors[i] = (1 - s.noise_share) * priors[i] + s.noise_share * <double> noise[i]
    sort_by_rating(actions, priors, count)
    return 0


cdef struct WaitingStep:
    int32_t action     # that leads to the node; not used for the root
    int decider        # as in `Step`
    uint32_t visits    # of the node before the leaf began to wait
    double mean


@cython.final
cdef class WaitingLeaf:
    """A leaf that waits for its value. Nodes may move meanwhile: its path is kept as actions and outcomes."""
    cdef ForwardModel model   # at the position to value; None if the game is over there
    cdef bint is_outside      # whether that position has no node in the tree
    cdef int length           # number of steps of the path, the root included
    cdef WaitingStep* steps
    cdef double* returns      # by player, if the game is over

    def __dealloc__(self):
        free(self.steps)
        free(self.returns)

    cdef int begin(self, Search s) except -1:
        """Stores the current path, and counts a visit with a loss of `virtual_loss` in its nodes.

        If the game is over at the model's position, `means` must hold the returns.
        """
        cdef Node* node
        cdef int i
        cdef double urgency = 0 if s.first_play_urgency == INFINITY else s.first_play_urgency
        self.is_outside = s.is_outside
        self.length = s.path_length
        self.steps = <WaitingStep*> allocated(self.length * sizeof(WaitingStep))
        self.returns = <double*> allocated(s.root.num_players * sizeof(double))
        if s.model.c_current_player() != TERMINAL:
            self.model = s.model.c_clone()
        memcpy(self.returns, s.means, s.root.num_players * sizeof(double))
        for i in range(self.length):
            node = &s.tree.nodes[s.path[i].node]
            self.steps[i] = WaitingStep(node.action, s.path[i].decider, node.visits, node.mean)
            if i and node.visits == 0:   # new: the policy will compare it with its siblings
                node.mean = mean_of_children(s.tree, s.path[i - 1].node, urgency)
            node.visits += 1
            node.mean -= s.virtual_loss / node.visits
        return 0

    cdef int retrace(self, Search s) except -1:
        """Makes the stored path the current one."""
        cdef uint32_t index = ROOT
        cdef int i
        s.path_length = 0
        for i in range(self.length):
            if i:
                index = s.tree.child(index, self.steps[i].action)
            step_to(s, index, self.steps[i].decider)
        return 0

    cdef int undo(self, Search s) except -1:
        """Restores the nodes. Leaves are undone in the reverse order of their beginnings."""
        cdef int i
        self.retrace(s)
        for i in range(self.length):
            s.tree.nodes[s.path[i].node].mean = self.steps[i].mean
            s.tree.nodes[s.path[i].node].visits = self.steps[i].visits
        return 0

    cdef int finish(self, Search s, answers) except -1:
        """Ends the iteration; takes the next answer unless the game is over at the leaf."""
        self.retrace(s)
        if self.model is None:
            memcpy(s.means, self.returns, s.root.num_players * sizeof(double))
        else:
            s.model.c_copy_from(self.model)
            s.is_outside = self.is_outside
            note_answer(s, next(answers))
        backpropagate(s)
        return 0


cdef bint is_waiting(Search s) noexcept nogil:
    """Whether the leaf waits for its value: a decision node that has been valued has its actions listed."""
    cdef const Node* leaf = last_node(s)
    return leaf.player >= 0 and leaf.visits and not leaf.is_listed


cdef list collect_leaves(Search s, int64_t count):
    """Descends to at most `count` leaves, without a trace in the tree.

    Stops early at a leaf met twice, or if the search is over.
    """
    cdef WaitingLeaf leaf
    leaves = []
    while len(leaves) < count:
        descend(s)
        if is_waiting(s):
            if not leaves:   # then nothing is: it was terminal when it was to be valued
                raise ValueError("a position of the game was terminal at first, and is no more")
            break
        if s.is_outside:
            draw_on(s)
        if s.model.c_current_player() == TERMINAL:
            simulate(s)
        leaf = WaitingLeaf()
        leaf.begin(s)
        leaves.append(leaf)
        s.iterations += 1
        if s.is_over():
            break
    for leaf in reversed(leaves):
        leaf.undo(s)
    return leaves


cdef int64_t iterate_together(list searches, int64_t most) except -1:
    """At most so many iterations of each search, whose leaves are valued in one call; returns how many."""
    cdef Search search
    cdef WaitingLeaf leaf
    waiting = []
    for search in searches:
        count = min(search.num_leaves, most, search.max_iterations - search.iterations)
        waiting += [(search, leaf) for leaf in collect_leaves(search, count)]
    answers = iter(ask(searches[0], [leaf.model for _, leaf in waiting if leaf.model is not None]))
    for search, leaf in waiting:
        leaf.finish(search, answers)
    return len(waiting)


def spend_together(searches: Iterable[Search]) -> None:
    """Spends the budgets of searches with the same evaluator, in lockstep.

    Args:
        searches: Searches whose evaluator takes lists of models. Each of its calls gets leaves of all
            searches that are not over.
    """
    cdef Search search
    growing = list(searches)
    answers = ask(growing[0], [search.root for search in growing]) if growing else []
    for search, answer in zip(growing, answers):
        value_root(search, answer)
    while growing:
        iterate_together(growing, MAX_ITERATIONS)
        PyErr_CheckSignals()
        growing = [search for search in growing if not search.is_spent()]
