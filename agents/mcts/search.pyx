"""The loop of Monte Carlo tree search.

Reference: Browne et al. (2012), "A survey of Monte Carlo tree search methods". Options decide whether chance
nodes weight their outcomes by probabilities, and whether terminal nodes draw their returns anew.
"""

from typing import TYPE_CHECKING
cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.time cimport perf_counter
from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport calloc

from agents.forward_model cimport TERMINAL, ForwardModel
from agents.mcts.afterstates cimport Afterstates
from agents.mcts.backup cimport backpropagate
from agents.mcts.evaluator cimport Waiting, ask, draw_on, evaluate_leaf, is_waiting, note_answer
from agents.mcts.expansion cimport add_noise
from agents.mcts.playout cimport simulate
from agents.mcts.policies cimport RolloutPolicy, TreePolicy
from agents.mcts.selection cimport descend
from agents.mcts.state cimport NOWHERE, ROOT, step_to
from agents.mcts.tree cimport Node, Tree, mean_of_children
from agents.rng cimport Rng

from agents.checks import heuristic_index

if TYPE_CHECKING:
    from agents.mcts.options import Options


cdef enum:
    MAX_NODES = 0x7FFFFFFF

cdef int64_t MAX_ITERATIONS = 0xFFFFFFFF   # visits are counted in 32 bits
cdef int64_t MAX_CALLS = 2**62

# Between two looks at the clock and at signals the search iterates for about this long.
cdef double BATCH_SECONDS = 0.01


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
        self, ForwardModel root not None, TreePolicy tree_policy not None, Rng rng not None, options: Options
    ):
        self.begin = perf_counter()
        self.deadline = INFINITY
        self.batch = 1
        self.batch_seconds = min(BATCH_SECONDS, 0.01 * (options.time_limit or INFINITY) / options.phases)
        tree_policy.check_game(root)
        self.rng = rng
        self.root = (<ForwardModel?> root.clone()).c_clone()   # nothing is shared with other searches
        if options.determinize:
            self.root.c_determinize(&self.rng.state)
        self.base = self.root
        self.model = self.root.c_clone()
        is_scratch_used = options.rollouts != 1
        self.playout = self.root.c_clone() if is_scratch_used else self.model
        self.player = self.root.c_current_player()
        if self.player < 0:
            raise ValueError(f"no player is to move, the current player is {self.player}")
        self.tree_policy = tree_policy
        self._set_expansion(options)
        self._set_values(options)
        self.tree = Tree(
            tree_policy.needs_details or options.standard_errors or self.weight_growth != 1,
            self.is_evaluating,
        )
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
        self.rollouts = 0 if options.rollouts == "growing" else options.rollouts
        self.is_evaluating = options.evaluator is not None
        if isinstance(options.evaluator, Afterstates):
            self.afterstates = options.evaluator.for_search(self.root)
        else:
            self.evaluator = options.evaluator
        self.num_leaves = options.batch_size or 1
        self.is_batched = options.batch_size is not None
        self.virtual_loss = options.virtual_loss
        self.noise_share, self.noise_alpha = options.root_noise or (0, 1)
        self.is_resampling = options.resample_terminals
        self.is_weighted = options.chance_backup == "weighted"
        self.weight_growth = 2 ** min(1 / (options.weight_doubling or INFINITY), 1000)
        self.is_solving = options.solver
        self.max_return = INFINITY if options.max_return is None else options.max_return
        if self.is_solving and self.root.num_players > 2:
            raise ValueError(f"solver is for one or two players, got a game of {self.root.num_players}")
        if not self.tree_policy.needs_amaf:
            return
        if type(self.rollout_policy) is not RolloutPolicy or self.is_evaluating:
            raise ValueError(
                f"{self.tree_policy!r} needs uniform rollouts, got rollout_policy={self.rollout_policy!r}"
                f" and evaluator={self.evaluator!r}"
            )
        self.stamps = <uint32_t*> calloc(
            <size_t> self.root.num_players * self.root.num_actions, sizeof(uint32_t)
        )
        if self.stamps == NULL:
            raise MemoryError("no memory for a search")

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
        """Ends the search soon; for other threads."""
        self.is_stopped = True

    def watch(self, look: Callable[[], None] | None, seconds: float) -> None:
        """Has a function called between iterations, about every so many seconds, in the search's thread."""
        self.look = look
        self.look_seconds = seconds
        self.next_look = self.begin + seconds

    cdef bint is_over(self) noexcept nogil:
        """Whether the root is proven, the model calls are spent, or another thread stopped the search."""
        return self.calls >= self.max_calls or self.tree.nodes[ROOT].is_proven or self.is_stopped

    # --- The loop ---

    def spend(self) -> None:
        """Iterates until the search is over or a budget is spent."""
        self.run(self.max_iterations, NULL)

    cdef int64_t run(self, int64_t count, Sample* samples) except -1:
        cdef int64_t done = 0, batch
        cdef double now = perf_counter(), elapsed = 0
        if self.is_evaluating and not self.tree.nodes[ROOT].is_listed:
            self.value_root(None)
        if not self.is_rehearsing:
            count = min(count, self.max_iterations - self.iterations)
        while done < count and not self.is_over():
            if now + 0.5 * elapsed >= self.deadline and self.iterations:
                break
            batch = min(self.batch, count - done)
            if self.num_leaves > 1:
                batch = self.iterate_together(min(self.num_leaves, count - done))
            elif self.root.needs_gil:
                batch = self.run_batch(batch, samples)
            else:
                with nogil:
                    batch = self.run_batch(batch, samples)
            done += batch
            if samples != NULL:
                samples += batch
            PyErr_CheckSignals()
            elapsed = perf_counter() - now
            now += elapsed
            if self.look is not None and now >= self.next_look:
                self.show()
                now = perf_counter()
                self.next_look = now + self.look_seconds
            if elapsed < 0.5 * self.batch_seconds and batch == self.batch:
                self.batch *= 2
            elif elapsed > 2 * self.batch_seconds:
                self.batch = max(1, self.batch // 2)
        return done

    cdef int value_root(self, answer) except -1:
        """Takes the priors of the root's actions from the evaluator's answer, before the first iteration."""
        self.model.c_copy_from(self.root)
        self.is_outside = False
        if answer is None:
            evaluate_leaf(self, ROOT)
        else:
            note_answer(self, ROOT, answer)
        if self.noise_share:
            add_noise(self)
        return 0

    cdef int show(self) except -1:
        """Calls `look`, which sees the tree itself while the search rehearses in a copy."""
        cdef Tree tree = self.tree
        if self.is_rehearsing:
            self.tree = self.grown
        try:
            self.look()
        finally:
            self.tree = tree
        return 0

    cdef int64_t run_batch(self, int64_t count, Sample* samples) except -1 nogil:
        """Iterates `count` times, or until the search is over; returns how often."""
        cdef int64_t done = 0
        while True:
            self.iterate()
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

    cdef int iterate(self) except -1 nogil:
        """Selection, expansion, simulation, backpropagation."""
        self.walk()
        simulate(self, self.path[self.path_length - 1].node)
        if not self.is_frozen:
            backpropagate(self)
        return 0

    cdef int walk(self) except -1 nogil:
        self.model.c_copy_from(self.base)
        self.path_length = self.num_settled + 1
        self.is_outside = False
        descend(self)
        self.calls += self.path_length - self.num_settled - 1
        return 0

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

    # --- Batches of leaves for an evaluator ---

    cdef int64_t iterate_together(self, int64_t count) except -1:
        leaves = self.collect_leaves(count)
        self.value_leaves(leaves, iter(ask(self, models_of(leaves))))
        return len(leaves)

    cdef int value_leaves(self, list leaves, answers) except -1:
        """Ends the iterations of leaves that wait; takes the next answer for each that has a model."""
        cdef Waiting leaf
        for leaf in leaves:
            leaf.finish(self, None if leaf.model is None else next(answers))
            backpropagate(self)
        return 0

    cdef list collect_leaves(self, int64_t count):
        """Descends to at most `count` leaves, without a trace in the tree.

        Stops early at a leaf met twice, or if the search is over.
        """
        cdef Waiting leaf
        cdef uint32_t index
        leaves = []
        while len(leaves) < count:
            self.walk()
            index = self.path[self.path_length - 1].node
            if is_waiting(self, index):
                if not leaves:   # then nothing is: it was terminal when it was to be valued
                    raise ValueError("a position of the game was terminal at first, and is no more")
                break
            if self.is_outside:
                draw_on(self)
            if self.model.c_current_player() == TERMINAL:
                simulate(self, index)
            leaf = Waiting()
            leaf.begin(self, self.virtual_loss)
            leaves.append(leaf)
            self.iterations += 1
            if self.is_over():
                break
        for leaf in reversed(leaves):
            leaf.undo(self)
        return leaves

    cdef bint is_spent(self):
        """Whether the search is over or a budget is spent."""
        return self.is_over() or self.iterations >= self.max_iterations or perf_counter() >= self.deadline

    # --- Reuse of trees ---

    def adopt(self, Search earlier not None, moves: Iterable[int]) -> None:
        """Starts from the part of an earlier search's tree below this position, if the tree has it.

        Args:
            earlier: A search that has ended.
            moves: The actions and outcomes since then. If they lead elsewhere, nothing is taken over.
        """
        cdef uint32_t index = ROOT
        cdef const Node* root
        cdef ForwardModel model = after(earlier.root, moves)
        if model is None or not have_equal_sizes(model, self.root) or not model.c_equals(self.root):
            return
        for action in moves:
            index = earlier.tree.child(index, action)
            if index == NOWHERE:
                return
        root = &earlier.tree.nodes[index]
        is_alike = (
            earlier.tree.has_details == self.tree.has_details
            and earlier.tree.has_priors == self.tree.has_priors
        )
        if root.is_listed and not root.is_proven and root.player == self.player and is_alike:
            self.tree = earlier.tree.subtree(index, self.root.num_players)
            self.tree.nodes[ROOT].mean = mean_of_children(self.tree, ROOT)


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
        search.value_root(answer)
    while growing:
        waiting = []
        for search in growing:
            count = min(search.num_leaves, search.max_iterations - search.iterations)
            waiting.append(search.collect_leaves(count))
        models = [model for leaves in waiting for model in models_of(leaves)]
        answers = iter(ask(growing[0], models))
        for search, leaves in zip(growing, waiting):
            search.value_leaves(leaves, answers)
        PyErr_CheckSignals()
        growing = [search for search in growing if not search.is_spent()]


cdef list models_of(list leaves):
    """The positions to value."""
    cdef Waiting leaf
    return [leaf.model for leaf in leaves if leaf.model is not None]


cdef ForwardModel after(ForwardModel model, moves):
    """The position to which moves lead; None if one of them is illegal."""
    model = model.clone()
    for action in moves:
        if not model.is_legal(action):
            return None
        model.apply_action(action)
    return model


cdef bint have_equal_sizes(ForwardModel one, ForwardModel other) noexcept:
    return one.num_players == other.num_players and one.num_actions == other.num_actions
