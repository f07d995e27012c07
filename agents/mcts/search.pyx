"""The loop of Monte Carlo tree search, over any forward model, with policies to choose.

Reference: Browne et al. (2012), "A survey of Monte Carlo tree search methods"; the treatment of chance
nodes (outcomes weighted by their probabilities) and of terminal nodes selected again is an option each.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.time cimport perf_counter

import pickle

import numpy as np

from libc.math cimport INFINITY, NAN, pow, sqrt
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memcpy, memset

from agents.forward_model cimport CHANCE, TERMINAL, ForwardModel
from agents.mcts.policies cimport RolloutPolicy, TreePolicy, argmax
from agents.rng cimport Rng, rng_below
from agents.mcts.tree cimport Detail, Node, Tree

from agents.mcts.result import SearchResult
from agents.checks import heuristic_index


cdef enum:
    ROOT = 0
    NOWHERE = 0              # a child's index is never 0
    MAX_NODES = 0x7FFFFFFF
    MAX_PLAYERS = 127        # of the one byte in a node

cdef int64_t MAX_ITERATIONS = 0xFFFFFFFF   # visits are counted in 32 bits
cdef int64_t MAX_CALLS = 2**62

# A batch of iterations between two looks at the clock and at signals lasts about this long.
cdef double BATCH_SECONDS = 0.01


cdef class Search:
    """One search of one position: the tree, and the loop that grows it."""

    def __cinit__(self, ForwardModel root not None, *args):
        if root.num_players > MAX_PLAYERS:
            raise ValueError(f"MCTS takes at most {MAX_PLAYERS} players, got {root.num_players}")
        self.max_path = 64
        self.path = <Step*> malloc(self.max_path * sizeof(Step))
        width = max(root.max_legal_actions, root.max_chance_outcomes)
        self.values = <double*> malloc(width * sizeof(double))
        self.outcomes = <int32_t*> malloc(width * sizeof(int32_t))
        self.returns = <double*> malloc(2 * root.num_players * sizeof(double))
        self.means = self.returns + root.num_players
        if self.path == NULL or self.values == NULL or self.outcomes == NULL or self.returns == NULL:
            raise MemoryError("no memory for a search")

    def __init__(
        self, ForwardModel root not None, TreePolicy tree_policy not None, Rng rng not None, planner
    ):
        tree_policy.check_game(root)
        self.rng = rng
        self.root = root.c_clone()
        if planner.determinize:
            self.root.c_determinize(&self.rng.state)
        self.model = self.root.c_clone()
        self.playout = self.root.c_clone() if planner.rollouts != 1 else self.model
        self.player = root.c_current_player()
        self.tree_policy = tree_policy
        self.rollout_policy = planner.rollout_policy.for_search(root)
        self.rollouts = 0 if planner.rollouts == "growing" else planner.rollouts
        self.heuristic = heuristic_index(root, planner.heuristic) if tree_policy.needs_priors else -1
        self.is_ordered = planner.expansion == "ordered"
        self.first_play_urgency = INFINITY
        if planner.first_play_urgency is not None:
            self.first_play_urgency = planner.first_play_urgency
        self.widening_factor = INFINITY
        if planner.widening is not None:
            self.widening_factor, self.widening_exponent = planner.widening
        self.is_selective = self.first_play_urgency < INFINITY or planner.widening is not None
        self.is_solving = planner.solver
        self.max_return = INFINITY if planner.max_return is None else planner.max_return
        if self.is_solving and root.num_players > 2:
            raise ValueError(f"solver is for one or two players, got a game of {root.num_players}")
        self.weight_growth = 2 ** min(1 / (planner.weight_doubling or INFINITY), 1000)
        if tree_policy.needs_amaf and type(self.rollout_policy) is not RolloutPolicy:
            raise ValueError(
                f"{tree_policy!r} needs uniform rollouts, got rollout_policy={self.rollout_policy!r}"
            )
        if tree_policy.needs_amaf:
            self.stamps = <uint32_t*> calloc(<size_t> root.num_players * root.num_actions, sizeof(uint32_t))
            if self.stamps == NULL:
                raise MemoryError("no memory for a search")
        self.is_weighted = planner.chance_backup == "weighted"
        self.is_resampling = planner.resample_terminals
        self.max_nodes = planner.max_nodes or MAX_NODES
        max_seconds = planner.time_limit or INFINITY
        self.deadline = perf_counter() + max_seconds
        self.batch = 1
        self.batch_seconds = min(BATCH_SECONDS, 0.01 * max_seconds)
        self.tree = Tree(tree_policy.needs_details or self.weight_growth != 1)
        self.tree.nodes[ROOT].player = self.player

    def __dealloc__(self):
        free(self.path)
        free(self.values)
        free(self.outcomes)
        free(self.returns)
        free(self.stamps)

    def limit(self, iterations, calls):
        """Sets the budgets in iterations and model calls; None for none."""
        self.max_iterations = iterations or MAX_ITERATIONS
        self.max_calls = calls or MAX_CALLS

    def stop(self):
        """Ends the search after the batch it is in, from another thread."""
        self.is_stopped = True

    def adopt(self, Search earlier not None, moves):
        """Goes on with the part of an earlier search's tree that begins here, if there is one.

        Args:
            earlier: It ended.
            moves: Actions and outcomes since, which must lead to this very position.
        """
        cdef uint32_t index = ROOT
        cdef Node* root
        if not are_equal(after(earlier.root, moves), self.root):
            return
        for action in moves:
            index = earlier.tree.child(index, action)
            if index == NOWHERE:
                return
        root = &earlier.tree.nodes[index]
        if root.is_listed and not root.is_proven and earlier.tree.has_details == self.tree.has_details:
            self.tree = earlier.tree.subtree(index, self.root.num_players)
            self.tree.nodes[ROOT].mean = mean_of_children(self.tree)

    def spend(self):
        """Iterates until a budget is spent."""
        self.run(self.max_iterations, NULL)

    cdef int64_t run(self, int64_t count, Sample* samples) except -1:
        cdef int64_t done = 0, batch
        cdef double now = perf_counter(), elapsed = 0
        if not self.is_rehearsing:
            count = min(count, self.max_iterations - self.iterations)
        while done < count and self.calls < self.max_calls and not self.tree.nodes[ROOT].is_proven:
            if self.is_stopped:
                break
            if now + 0.5 * elapsed >= self.deadline and self.iterations:
                break
            batch = min(self.batch, count - done)
            if self.root.needs_gil:
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
            if elapsed < 0.5 * self.batch_seconds and batch == self.batch:
                self.batch *= 2
            elif elapsed > 2 * self.batch_seconds:
                self.batch = max(1, self.batch // 2)
        return done

    cdef int64_t run_batch(self, int64_t count, Sample* samples) except -1 nogil:
        """Iterates `count` times, or until nothing is left to do or to spend; returns how often."""
        cdef int64_t done = 0
        while True:
            self.iterate()
            self.iterations += not self.is_rehearsing
            if samples != NULL:
                samples[done].value = self.means[self.player]
                samples[done].action = -1
                if self.path_length > 1:
                    samples[done].action = self.tree.nodes[self.path[1].node].action
            done += 1
            if done == count or self.calls >= self.max_calls or self.tree.nodes[ROOT].is_proven:
                return done

    cdef int iterate(self) except -1 nogil:
        """Selection, expansion, simulation, backpropagation."""
        self.model.c_copy_from(self.root)
        self.path_length = 0
        self.step_to(ROOT, self.player)
        self.descend()
        self.calls += self.path_length - 1
        self.simulate(self.path[self.path_length - 1].node)
        if not self.is_frozen:
            self.backpropagate()
        return 0

    cdef int descend(self) except -1 nogil:
        """Walks from the root to a leaf, a new one while the tree may grow; the model follows."""
        cdef uint32_t index = ROOT
        cdef const Node* node
        cdef int pick
        while True:
            if self.path_length == self.max_path:
                self.lengthen_path()
            node = &self.tree.nodes[index]
            if node.player == TERMINAL or node.is_proven:
                return 0
            if node.player == CHANCE:
                index = self.draw(index)
                if index == NOWHERE:
                    return 0
                continue
            if not node.is_listed:
                if self.is_frozen:
                    return 0
                self.list_actions(index)
            if (
                node.num_untried
                and self.tree.num_nodes < self.max_nodes
                and (not self.is_selective or node.num_children == 0 or self.has_room(index))
            ):
                return 0 if self.is_frozen else self.expand(index)
            if node.num_children == 0:
                return 0
            pick = self.tree_policy.c_select(
                self.tree, index, self.path_length - 1, self.values, &self.rng.state
            )
            if self.tree.nodes[node.first_child + pick].is_proven:
                pick = self.best_unproven(index)
            index = node.first_child + pick
            self.model.c_apply_action(self.tree.nodes[index].action)
            self.step_to(index, node.player)

    cdef int best_unproven(self, uint32_t index) except -1 nogil:
        """Of a node's children, by the tree policy; one that is proven if all are."""
        cdef const Node* node = &self.tree.nodes[index]
        cdef int i
        self.tree_policy.c_values(self.tree, index, self.path_length - 1, self.values)
        for i in range(node.num_children):
            if self.tree.nodes[node.first_child + i].is_proven:
                self.values[i] = -INFINITY
        return argmax(self.values, node.num_children, &self.rng.state)

    cdef bint has_room(self, uint32_t index) except -1 nogil:
        """By progressive widening, and by the first-play urgency against children to be searched."""
        cdef const Node* node = &self.tree.nodes[index]
        cdef int i, num_open = 0
        for i in range(node.num_children):
            num_open += not self.tree.nodes[node.first_child + i].is_proven
        if num_open == 0:
            return True
        if node.num_children >= self.widening_factor * pow(node.visits, self.widening_exponent):
            return False
        if self.first_play_urgency < INFINITY:
            self.tree_policy.c_values(self.tree, index, self.path_length - 1, self.values)
            for i in range(node.num_children):
                if (
                    self.values[i] > self.first_play_urgency
                    and not self.tree.nodes[node.first_child + i].is_proven
                ):
                    return False
        return True

    cdef uint32_t draw(self, uint32_t node) except? 0xFFFFFFFF nogil:
        """Follows a sampled outcome of a chance node; NOWHERE if it is new and the tree full."""
        cdef int32_t outcome = 0
        cdef uint32_t child
        self.model.c_sample_chance(&self.rng.state, &outcome)
        child = self.tree.child(node, outcome)
        if child != NOWHERE:
            self.model.c_apply_action(outcome)
            self.step_to(child, self.path[self.path_length - 1].decider)
        elif self.tree.num_nodes < self.max_nodes and not self.is_frozen:
            child = self.add_child(node, outcome, self.probability(outcome))
        else:
            if not self.is_frozen:
                self.tree.nodes[node].is_truncated = True
            self.model.c_apply_action(outcome)
            self.calls += 1
        return child

    cdef int list_actions(self, uint32_t node) except -1 nogil:
        cdef uint32_t first = self.tree.reserve_actions(self.root.max_legal_actions)
        cdef int count = self.model.c_legal_actions(self.tree.actions + first)
        if self.is_ordered:
            qsort(self.tree.actions + first, count, sizeof(int32_t), ascending)
            self.model.c_order_actions(self.tree.actions + first, count)
            reverse(self.tree.actions + first, count)   # the last one is tried first
        if count > 0xFFFF:
            with gil:
                raise ValueError(f"a position has {count} legal actions, MCTS takes at most 65535")
        self.tree.num_actions = first + count
        self.tree.nodes[node].payload = first
        self.tree.nodes[node].num_untried = count
        self.tree.nodes[node].is_listed = True
        return 0

    cdef int expand(self, uint32_t node) except -1 nogil:
        """Adds an untried action, in the game's order or a uniformly random one, and steps to it."""
        cdef int last = self.tree.nodes[node].num_untried - 1
        cdef int32_t* untried = self.tree.actions + self.tree.nodes[node].payload
        cdef int pick = last if self.is_ordered else <int> rng_below(&self.rng.state, last + 1)
        cdef int32_t action = untried[pick]
        untried[pick] = untried[last]
        self.tree.nodes[node].num_untried = last
        self.add_child(node, action, 1)
        return 0

    cdef uint32_t add_child(self, uint32_t node, int32_t action, double probability) except 0 nogil:
        """Adds a child, applies what leads there and steps to it."""
        cdef int player = self.tree.nodes[node].player
        cdef uint32_t child = self.tree.add_child(node, action, probability, self.iterations)
        self.model.c_apply_action(action)
        self.tree.nodes[child].player = self.model.c_current_player()
        if player == CHANCE:
            player = self.path[self.path_length - 1].decider
        self.step_to(child, player)
        if self.heuristic >= 0:
            self.note_prior(child, player)
        return child

    cdef int note_prior(self, uint32_t node, int player) except -1 nogil:
        """Keeps the heuristic value of the model's position, or at the end its return."""
        if self.tree.nodes[node].player == TERMINAL:
            self.model.c_returns(self.returns)
        else:
            self.model.c_heuristic(self.heuristic, self.returns)
        self.tree.details[node].prior = self.returns[player]
        return 0

    cdef double probability(self, int32_t outcome) except -1 nogil:
        """The probability of an outcome at the model's chance node."""
        cdef int i, count = self.model.c_chance_outcomes(self.outcomes, self.values)
        for i in range(count):
            if self.outcomes[i] == outcome:
                return self.values[i]
        with gil:
            raise ValueError(f"chance drew {outcome}, which is not among chance_outcomes()")

    cdef inline void step_to(self, uint32_t node, int decider) noexcept nogil:
        self.path[self.path_length].node = node
        self.path[self.path_length].decider = decider
        self.path_length += 1

    cdef int lengthen_path(self) except -1 nogil:
        cdef Step* longer = <Step*> realloc(self.path, 2 * self.max_path * sizeof(Step))
        if longer == NULL:
            raise MemoryError("no memory for a longer path")
        self.path = longer
        self.max_path *= 2
        return 0

    cdef int simulate(self, uint32_t leaf) except -1 nogil:
        """Fills `means` with the mean returns of the rollouts from the leaf, where the model is."""
        if self.tree.nodes[leaf].is_proven:
            self.repeat_proven(leaf)
        elif self.tree.nodes[leaf].player == TERMINAL and self.is_solving:
            self.prove_terminal(leaf)
        elif self.tree.nodes[leaf].player == TERMINAL and not self.is_resampling:
            self.reuse_returns(leaf)
        elif self.rollouts == 1:
            self.calls += self.roll_out(self.model, self.means)
        else:
            self.average_rollouts(self.rollouts or self.iterations + 1)
        return 0

    cdef int average_rollouts(self, int64_t count) except -1 nogil:
        cdef int player, num_players = self.root.num_players
        cdef int64_t _
        memset(self.means, 0, num_players * sizeof(double))
        for _ in range(count):
            self.playout.c_copy_from(self.model)
            self.calls += self.roll_out(self.playout, self.returns)
            for player in range(num_players):
                self.means[player] += self.returns[player] / count
        return 0

    cdef inline int roll_out(self, ForwardModel model, double* returns) except -1 nogil:
        if self.stamps != NULL:
            return self.stamped_rollout(model, returns)
        return self.rollout_policy.c_simulate(model, &self.rng.state, returns)

    cdef int stamped_rollout(self, ForwardModel model, double* returns) except -1 nogil:
        """A uniformly random rollout that stamps its actions; returns how many and outcomes it had."""
        cdef int player, calls = 0
        cdef int32_t action
        while True:
            player = model.c_current_player()
            if player == TERMINAL:
                model.c_sample_returns(&self.rng.state, returns)
                return calls
            if player == CHANCE:
                model.c_sample_chance(&self.rng.state, &action)
            else:
                model.c_sample_action(&self.rng.state, &action)
                self.stamps[player * self.root.num_actions + action] = self.iterations + 1
            model.c_apply_action(action)
            calls += 1

    cdef int reuse_returns(self, uint32_t leaf) except -1 nogil:
        """Fills `means` with the returns drawn when the terminal leaf was first reached."""
        cdef int num_players = self.root.num_players
        if not self.tree.nodes[leaf].is_listed:
            if self.is_frozen:
                self.model.c_sample_returns(&self.rng.state, self.means)
                return 0
            self.tree.nodes[leaf].payload = self.tree.reserve_returns(num_players)
            self.tree.nodes[leaf].is_listed = True
            self.model.c_sample_returns(
                &self.rng.state, self.tree.returns + self.tree.nodes[leaf].payload
            )
        memcpy(
            self.means,
            self.tree.returns + self.tree.nodes[leaf].payload,
            num_players * sizeof(double),
        )
        return 0

    cdef void backpropagate(self) noexcept nogil:
        cdef int i, decider
        cdef uint32_t index
        cdef Node* node
        if self.tree.has_details:
            for i in range(self.path_length):
                self.tree.note_return(self.path[i].node, self.means[self.path[i].decider])
        if self.stamps != NULL:
            self.note_amaf()
        for i in range(self.path_length - 1, -1, -1):
            index = self.path[i].node
            decider = self.path[i].decider
            node = &self.tree.nodes[index]
            node.visits += 1
            if self.is_solving and self.prove(node, decider):
                continue
            if self.weight_growth != 1:
                self.grow_weight(index)
            if (
                self.is_weighted
                and node.player == CHANCE
                and node.num_children
                and not node.is_truncated   # with outcomes outside the tree the plain mean goes on
            ):
                node.mean = weighted_mean(self.tree, node)
            elif self.weight_growth == 1:
                node.mean += (self.means[decider] - node.mean) / node.visits
            else:
                node.mean += (self.means[decider] - node.mean) / self.tree.details[index].weight

    cdef void grow_weight(self, uint32_t index) noexcept nogil:
        """Adds this iteration to the weights of a node's returns."""
        cdef Detail* detail = &self.tree.details[index]
        cdef uint32_t now = self.iterations + 1
        detail.weight = detail.weight * pow(self.weight_growth, <double> detail.last - now) + 1
        detail.last = now

    cdef void note_amaf(self) noexcept nogil:
        """Notes the returns for each child whose action its player took there or later."""
        cdef uint32_t now = self.iterations + 1
        cdef const Node* node
        cdef uint32_t* stamps
        cdef Detail* detail
        cdef int i, k
        for i in range(self.path_length - 1, -1, -1):
            node = &self.tree.nodes[self.path[i].node]
            if node.player < 0:
                continue
            stamps = self.stamps + <size_t> node.player * self.root.num_actions
            if i + 1 < self.path_length:
                stamps[self.tree.nodes[self.path[i + 1].node].action] = now
            for k in range(node.num_children):
                if stamps[self.tree.nodes[node.first_child + k].action] == now:
                    detail = &self.tree.details[node.first_child + k]
                    detail.amaf_count += 1
                    detail.amaf_mean += (self.means[node.player] - detail.amaf_mean) / detail.amaf_count

    # --- The solver (Winands, Björnsson and Saito 2008, "Monte-Carlo tree search solver") ---

    cdef int prove_terminal(self, uint32_t leaf) except -1 nogil:
        """An end of the game is worth its expected return."""
        cdef Node* node = &self.tree.nodes[leaf]
        self.model.c_returns(self.means)
        node.mean = self.means[self.path[self.path_length - 1].decider]
        node.is_proven = True
        return 0

    cdef void repeat_proven(self, uint32_t leaf) noexcept nogil:
        """Fills `means` with the exact value of the leaf."""
        self.set_means(self.path[self.path_length - 1].decider, self.tree.nodes[leaf].mean)

    cdef void set_means(self, int player, double value) noexcept nogil:
        cdef int i
        for i in range(self.root.num_players):
            self.means[i] = value if i == player else -value

    cdef bint prove(self, Node* node, int decider) noexcept nogil:
        """Whether a node is proven, also by its children now.

        A player who moves can have what a proven child is worth, so the returns of an iteration through
        another one count as no less.
        """
        cdef const Node* children = &self.tree.nodes[node.first_child]
        cdef double highest = -INFINITY
        cdef int i, num_proven = 0
        if node.is_proven:
            return True
        for i in range(node.num_children):
            if children[i].is_proven:
                num_proven += 1
                highest = max(highest, children[i].mean)
        if num_proven == 0:
            return False
        if node.player == CHANCE:
            node.is_proven = num_proven == node.num_children and self.has_all_outcomes(node)
            if node.is_proven:
                node.mean = weighted_mean(self.tree, node)
            return node.is_proven
        node.is_proven = highest >= self.max_return or (
            num_proven == node.num_children and node.num_untried == 0
        )
        if node.is_proven:
            node.mean = highest if decider == node.player else -highest
        if highest > self.means[node.player]:
            self.set_means(node.player, highest)
        return node.is_proven

    cdef bint has_all_outcomes(self, const Node* node) noexcept nogil:
        cdef double mass = 0
        cdef uint32_t child
        for child in range(node.first_child, node.first_child + node.num_children):
            mass += self.tree.probabilities[child]
        return mass > 1 - 1e-9

    cdef int recommended(self, Tree tree, str recommendation) except -1:
        """Index, among the root's children, of the child to play; uniform among ties."""
        cdef const Node* children = &tree.nodes[tree.nodes[ROOT].first_child]
        cdef int i, count = tree.nodes[ROOT].num_children, pick
        cdef uint32_t most_visits = 0
        cdef double highest = -INFINITY
        for i in range(count):
            most_visits = max(most_visits, children[i].visits)
            highest = max(highest, children[i].mean)
        for i in range(count):
            if children[i].is_proven:
                self.values[i] = -INFINITY
            elif recommendation == "max":
                self.values[i] = children[i].mean
            elif recommendation == "secure":
                self.values[i] = children[i].mean - 1 / sqrt(children[i].visits)
            else:
                self.values[i] = children[i].visits
            if recommendation == "robust-max" and children[i].visits == most_visits:
                self.values[i] += children[i].mean == highest
        pick = argmax(self.values, count, &self.rng.state)
        return self.proven_or(pick) if self.is_solving else pick

    cdef int proven_or(self, int pick) except -1:
        """The best proven child of the root, if it is worth no less than the best other one; or that."""
        cdef const Node* children = &self.tree.nodes[self.tree.nodes[ROOT].first_child]
        cdef int i, count = self.tree.nodes[ROOT].num_children
        cdef int best
        for i in range(count):
            self.values[i] = children[i].mean if children[i].is_proven else -INFINITY
        best = argmax(self.values, count, &self.rng.state)
        if children[best].is_proven and (
            children[best].mean >= children[pick].mean or self.tree.nodes[ROOT].is_proven
        ):
            return best
        return pick

    def result(self, recommendation, seconds, evolution=None, others=()):
        """The `SearchResult` of the tree as it stands, and of those of other searches of the position."""
        cdef Tree total = self.tree if not others else self.summary(others)
        cdef const Node* root = &total.nodes[ROOT]
        cdef const Node* child
        cdef Search other
        cdef int64_t iterations = self.iterations, calls = self.calls
        cdef int i
        for other in others:
            iterations += other.iterations
            calls += other.calls
        actions = np.sort(np.asarray(self.root.legal_actions(), dtype=np.int32))
        visits = np.zeros(len(actions), dtype=np.int64)
        means = np.full(len(actions), NAN)
        policy_values = np.full(len(actions), NAN)
        pick = self.recommended(total, recommendation)
        for i in range(root.num_children):
            child = &total.nodes[root.first_child + i]
            row = np.searchsorted(actions, child.action)
            visits[row] = child.visits
            means[row] = child.mean
        self.tree_policy.c_values(self.tree, ROOT, 0, self.values)
        for i in range(self.tree.nodes[ROOT].num_children):
            child = &self.tree.nodes[self.tree.nodes[ROOT].first_child + i]
            policy_values[np.searchsorted(actions, child.action)] = self.values[i]
        return SearchResult(
            action=total.nodes[root.first_child + pick].action,
            model=self.root,
            player=self.player,
            actions=actions,
            visits=visits,
            means=means,
            policy_values=policy_values,
            value=root.mean,
            is_proven=bool(root.is_proven),
            iterations=iterations,
            model_calls=calls,
            seconds=seconds,
            search_tree=self.tree,
            tree_iterations=self.iterations,
            evolution=evolution,
        )

    cdef Tree summary(self, others):
        """A root with its children, with the visits and means of several searches together."""
        cdef Tree total = Tree()
        cdef Search search
        cdef const Node* source
        cdef Node* target
        cdef uint32_t i, index, first
        for search in (self, *others):
            first = search.tree.nodes[ROOT].first_child
            for i in range(first, first + search.tree.nodes[ROOT].num_children):
                source = &search.tree.nodes[i]
                index = total.child(ROOT, source.action) or total.add_child(ROOT, source.action, 1, 0)
                target = &total.nodes[index]
                target.visits += source.visits
                target.mean += (source.mean - target.mean) * source.visits / target.visits
        total.nodes[ROOT].mean = mean_of_children(total)
        return total


cdef ForwardModel after(ForwardModel model, moves):
    """The position to which moves lead; None if they cannot be made."""
    model = model.clone()
    try:
        for action in moves:
            model.apply_action(action)
    except ValueError:
        return None
    return model


cdef bint are_equal(ForwardModel one, ForwardModel other) except -1:
    """Whether two models are the same, as far as their pickles tell."""
    return one is not None and pickle.dumps(one) == pickle.dumps(other)


cdef double mean_of_children(Tree tree) noexcept nogil:
    """Of the root, weighted by visits."""
    cdef const Node* root = &tree.nodes[ROOT]
    cdef double total = 0, visits = 0
    cdef uint32_t i
    for i in range(root.first_child, root.first_child + root.num_children):
        total += tree.nodes[i].mean * tree.nodes[i].visits
        visits += tree.nodes[i].visits
    return total / visits if visits else root.mean


cdef int ascending(const void* a, const void* b) noexcept nogil:
    cdef int32_t x = (<const int32_t*> a)[0], y = (<const int32_t*> b)[0]
    return (x > y) - (x < y)


cdef void reverse(int32_t* actions, int count) noexcept nogil:
    cdef int i
    for i in range(count // 2):
        actions[i], actions[count - 1 - i] = actions[count - 1 - i], actions[i]


cdef double weighted_mean(Tree tree, const Node* node) noexcept nogil:
    """Mean of the outcomes seen so far, weighted by their probabilities."""
    cdef double total = 0, mass = 0
    cdef uint32_t child
    for child in range(node.first_child, node.first_child + node.num_children):
        total += tree.probabilities[child] * tree.nodes[child].mean
        mass += tree.probabilities[child]
    return total / mass
