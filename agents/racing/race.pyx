# distutils: extra_compile_args = -O1
"""The race: rollouts from the most visited actions of a search, on the same futures.

A round plays one rollout from each contestant. All rollouts of a round meet the same future: the chance
outcomes to come are drawn once, where the game can draw them; elsewhere the rollouts begin with the same
random numbers. What remains of a difference between two contestants is due less to luck and more to the
actions.

The tree's mean counts as k rollouts: `prior_rollouts`, or its visits if these are fewer. With n rounds, the
value of a contestant is

    (k * mean in the tree + sum of the returns) / (k + n)

and the standard error of the difference between two contestants is the standard deviation of the differences
within a round, divided by sqrt(k + n). So that few rounds that happen to be alike do not pass for certainty,
the mean of this variance over all pairs enters it as one more round. A contestant whose value is `Z` standard
errors below the best one leaves the race. Its distance from that one is then final: the later luck of the
best one moves both.
"""

cimport cython
from cpython.time cimport perf_counter

import numpy as np

from libc.math cimport NAN, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free

from agents.forward_model cimport ForwardModel, allocated, zeroed
from agents.mcts.iteration cimport ROOT
from agents.mcts.rollouts cimport RolloutPolicy
from agents.mcts.search cimport Search
from agents.mcts.tree cimport Node
from agents.rng cimport rng_next, rng_t

from agents.racing.result import RaceRecord


cdef enum:
    MIN_ROUNDS = 8   # before a contestant can leave: deviations of fewer differences say little
    MAX_AHEAD = 1000   # actions to the next draw

cdef double Z = 2.5


ctypedef struct Contestant:
    int32_t action
    double mean      # in the tree, for the player who searches
    double prior     # number of rollouts for which this mean counts
    double latest    # return of the latest rollout minus this mean
    double sum       # of all of these
    double squares   # of their squares
    int64_t rollouts
    bint is_racing
    int leader       # once it has left the race: who was the best then,
    double distance  # and by how much


@cython.final
cdef class Race:
    """The race at the end of one search.

    Args:
        search: A search.
        policy: Plays the rollouts.

    Raises:
        ValueError: If the policy does not fit the game.
    """

    cdef Search search
    cdef RolloutPolicy policy
    cdef ForwardModel start       # the root, with the future of the current round
    cdef ForwardModel model       # plays the rollouts
    cdef bint draws_futures       # whether the game can draw all outcomes to come
    cdef double* returns          # of one rollout, by player
    cdef Contestant* contestants
    cdef double* squares          # [count, count]: sums of squared differences between two that race
    cdef int count, num_racing
    cdef int64_t rounds
    cdef int64_t rollouts         # of all contestants

    def __cinit__(self, Search search not None, RolloutPolicy policy not None):
        self.search = search
        self.policy = policy.for_search(search.root)
        self.start = search.root.c_clone()
        self.draws_futures = can_determinize(self.start)
        self.model = self.start.c_clone()

    def __dealloc__(self):
        free(self.returns)
        free(self.contestants)
        free(self.squares)

    def has_luck(self, least: int) -> bool:
        """Whether the next draw has so many outcomes, if the first legal actions lead there.

        With 0, whether the game has chance at all. The first actions of a game may go round in circles: after
        a thousand of them there is no luck.
        """
        if least == 0 or self.search.root.max_chance_outcomes == 0:
            return self.search.root.max_chance_outcomes > 0
        model = self.search.root.clone()
        for _ in range(MAX_AHEAD):
            if model.is_terminal():
                break
            if model.is_chance_node():
                return len(model.chance_outcomes()[0]) >= least
            model.apply_action(int(model.legal_actions()[0]))
        return False

    def enter(self, int limit, double prior_rollouts) -> None:
        """Makes the most visited children of the root contestants, once the tree has grown.

        Of equally many visits, the higher mean counts.

        Args:
            limit: Number of contestants, 2 or more.
            prior_rollouts: Number of rollouts for which the tree's mean counts at most, above 0.
        """
        cdef const Node* root = &self.search.tree.nodes[ROOT]
        cdef const Node* children = &self.search.tree.nodes[root.first_child]
        cdef int i, k
        visits = [children[i].visits for i in range(root.num_children)]
        means = [children[i].mean for i in range(root.num_children)]
        order = np.lexsort((-np.array(means), -np.array(visits, dtype=np.int64)))[:limit]
        self.count = self.num_racing = len(order)
        self.returns = <double*> allocated(self.search.root.num_players * sizeof(double))
        self.contestants = <Contestant*> zeroed(self.count * sizeof(Contestant))
        self.squares = <double*> zeroed(<size_t> self.count * self.count * sizeof(double))
        for i, k in enumerate(order):
            self.contestants[i].action = children[k].action
            self.contestants[i].mean = children[k].mean
            self.contestants[i].prior = min(prior_rollouts, children[k].visits)
            self.contestants[i].is_racing = True

    def run(self) -> None:
        """Plays rounds until one contestant is left or a budget of the search is spent.

        Budgets, signals and `Search.stop` are looked at between rounds, and the time before each rollout:
        a round that the deadline interrupts does not count.
        """
        cdef Search search = self.search
        cdef double start = perf_counter(), now = start
        while self.num_racing > 1 and not search.is_over():
            if search.iterations + self.rollouts + self.num_racing > search.max_iterations:
                break
            if now + 0.5 * (now - start) >= search.deadline:   # the next round would end too late
                break
            start = now
            if search.root.needs_gil:
                self.play_round()
            else:
                with nogil:
                    self.play_round()
            now = search.pause(True)

    cdef int play_round(self) except -1 nogil:
        cdef rng_t* source = &self.search.rng.state
        cdef rng_t begin, rng
        cdef Contestant* one
        cdef int i
        for i in range(4):
            begin.s[i] = rng_next(source)
        self.start.c_copy_from(self.search.root)
        if self.draws_futures:
            self.start.c_determinize(&begin)
        for i in range(self.count):
            one = &self.contestants[i]
            if not one.is_racing:
                continue
            if perf_counter() >= self.search.deadline:
                return 0
            rng = begin
            self.model.c_copy_from(self.start)
            self.model.c_apply_action(one.action)
            self.search.calls += 1 + self.policy.c_simulate(self.model, &rng, self.returns)
            one.latest = self.returns[self.search.player] - one.mean
        self.note_round()
        if self.rounds >= MIN_ROUNDS:
            self.drop_those_behind()
        return 0

    cdef void note_round(self) noexcept nogil:
        cdef int i, k
        cdef double difference
        cdef Contestant* one
        for i in range(self.count):
            one = &self.contestants[i]
            if not one.is_racing:
                continue
            one.sum += one.latest
            one.squares += one.latest * one.latest
            one.rollouts += 1
            for k in range(self.count):
                if self.contestants[k].is_racing:
                    difference = one.latest - self.contestants[k].latest
                    self.squares[i * self.count + k] += difference * difference
        self.rounds += 1
        self.rollouts += self.num_racing

    cdef double value(self, int i) noexcept nogil:
        cdef const Contestant* one = &self.contestants[i]
        if not one.is_racing:
            return self.value(one.leader) - one.distance
        return one.mean + one.sum / (one.prior + one.rollouts)

    cdef double error_of_value(self, int i) noexcept nogil:
        """The standard error of a value by its rollouts alone; NaN after one."""
        cdef const Contestant* one = &self.contestants[i]
        cdef double variance
        if one.rollouts < 2:
            return NAN
        variance = max(0, one.squares - one.sum * one.sum / one.rollouts) / (one.rollouts - 1)
        return sqrt(variance * one.rollouts) / (one.prior + one.rollouts)

    cdef double deviations(self, int i, int k) noexcept nogil:
        """The sum of squared deviations of the difference between two that race from its mean."""
        cdef double total = self.contestants[i].sum - self.contestants[k].sum
        return max(0, self.squares[i * self.count + k] - total * total / self.rounds)

    cdef double mean_variance(self) noexcept nogil:
        """The variance of such a difference, the mean over all pairs that race."""
        cdef double total = 0
        cdef int i, k
        for i in range(self.count):
            for k in range(i):
                if self.contestants[i].is_racing and self.contestants[k].is_racing:
                    total += self.deviations(i, k) / (self.rounds - 1)
        return 2 * total / (self.num_racing * (self.num_racing - 1))

    cdef double error_of_difference(self, int i, int k, double mean_variance) noexcept nogil:
        """The standard error of the difference between two that race."""
        cdef double variance = (self.deviations(i, k) + mean_variance) / self.rounds
        return sqrt(variance / (min(self.contestants[i].prior, self.contestants[k].prior) + self.rounds))

    cdef int best(self) noexcept nogil:
        """The contestant in the race with the highest value; of several, the most visited one."""
        cdef int i, best = -1
        for i in range(self.count):
            if self.contestants[i].is_racing and (best < 0 or self.value(i) > self.value(best)):
                best = i
        return best

    cdef void drop_those_behind(self) noexcept nogil:
        cdef int i, best = self.best()
        cdef double mean_variance = self.mean_variance(), distance
        cdef Contestant* one
        for i in range(self.count):
            one = &self.contestants[i]
            if i == best or not one.is_racing:
                continue
            distance = self.value(best) - self.value(i)
            if distance >= Z * self.error_of_difference(best, i, mean_variance):
                one.is_racing = False
                one.leader = best
                one.distance = distance
                self.num_racing -= 1

    def record(self) -> RaceRecord | None:
        """The `RaceRecord` so far; None before the first round."""
        cdef int i, best
        if self.rounds == 0:
            return None
        best = self.best()
        return RaceRecord(
            action=self.contestants[best].action,
            actions=np.array([self.contestants[i].action for i in range(self.count)], dtype=np.int32),
            rollouts=np.array([self.contestants[i].rollouts for i in range(self.count)], dtype=np.int64),
            values=np.array([self.value(i) for i in range(self.count)]),
            errors=np.array([self.error_of_value(i) for i in range(self.count)]),
            tree_means=np.array([self.contestants[i].mean for i in range(self.count)]),
            is_left=np.array([self.contestants[i].is_racing for i in range(self.count)], dtype=np.bool_),
        )


cdef bint can_determinize(ForwardModel model):
    """Whether the game can draw its outcomes to come; they are then drawn in the model."""
    cdef rng_t rng
    rng.s[0] = rng.s[1] = rng.s[2] = rng.s[3] = 1
    try:
        model.c_determinize(&rng)
    except (ValueError, NotImplementedError):
        return False
    return True
