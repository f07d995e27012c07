"""The race: rollouts from the most visited actions of a search, on the same futures.

A round plays one rollout from each contestant. All rollouts of a round meet the same future: the chance
outcomes to come are drawn once, where the game can draw them; elsewhere the rollouts begin with the same random
numbers. What remains of a difference between two contestants is due less to luck and more to the actions.

The tree's mean counts as `prior_rollouts` rollouts. With n rounds, the value of a contestant is

    (prior_rollouts * mean in the tree + sum of the returns) / (prior_rollouts + n)

and the standard error of the difference between two contestants is the standard deviation of the differences
within a round, divided by sqrt(prior_rollouts + n). A contestant whose value is further below the best one than
`Z` standard errors leaves the race.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.time cimport perf_counter

import numpy as np

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free

from agents.forward_model cimport ForwardModel
from agents.mcts.policies cimport RolloutPolicy
from agents.mcts.search cimport Search
from agents.mcts.state cimport ROOT
from agents.mcts.tree cimport Node
from agents.rng cimport rng_next, rng_t

from agents.racing.result import RaceRecord


cdef enum:
    MIN_ROUNDS = 8   # before a contestant can leave: deviations of fewer differences say little

cdef double Z = 2.5


ctypedef struct Contestant:
    int32_t action
    double mean      # in the tree, for the player who searches
    double latest    # return of the latest rollout minus this mean
    double sum       # of all of these
    int64_t rollouts
    bint is_racing


@cython.final
cdef class Race:
    """The race at the end of one search.

    Args:
        search: A search that has grown its tree; the race has what is left of its budgets.
        policy: Plays the rollouts.
        contestants: Number of actions that race: the most visited ones.
        prior_rollouts: Number of rollouts for which the tree's mean counts, above 0.
    """

    cdef Search search
    cdef RolloutPolicy policy
    cdef ForwardModel start       # the root, with the future of the current round
    cdef ForwardModel model       # plays the rollouts
    cdef bint draws_futures       # whether the game can draw all outcomes to come
    cdef double prior_rollouts
    cdef double* returns          # of one rollout, by player
    cdef Contestant* contestants
    cdef double* squares          # [count, count]: sums of squared differences between two contestants
    cdef int count, num_racing
    cdef int64_t rounds

    def __init__(self, Search search not None, RolloutPolicy policy not None, int contestants, prior_rollouts):
        self.search = search
        self.policy = policy.for_search(search.root)
        self.prior_rollouts = prior_rollouts
        self.start = search.root.c_clone()
        self.draws_futures = can_determinize(self.start)
        if self.draws_futures:
            self.start.c_copy_from(search.root)
        self.model = self.start.c_clone()
        self.enter(contestants)

    def __dealloc__(self):
        free(self.returns)
        free(self.contestants)
        free(self.squares)

    cdef int enter(self, int limit) except -1:
        """Makes the most visited children of the root contestants, the most visited one first."""
        cdef const Node* root = &self.search.tree.nodes[ROOT]
        cdef const Node* children = &self.search.tree.nodes[root.first_child]
        cdef int i, k
        visits = [children[i].visits for i in range(root.num_children)]
        order = np.argsort(-np.array(visits, dtype=np.int64), kind="stable")[:limit]
        self.count = self.num_racing = len(order)
        self.returns = <double*> calloc(self.search.root.num_players, sizeof(double))
        self.contestants = <Contestant*> calloc(self.count + 1, sizeof(Contestant))
        self.squares = <double*> calloc(<size_t> self.count * self.count + 1, sizeof(double))
        if self.returns == NULL or self.contestants == NULL or self.squares == NULL:
            raise MemoryError("no memory for a race")
        for i, k in enumerate(order):
            self.contestants[i].action = children[k].action
            self.contestants[i].mean = children[k].mean
            self.contestants[i].is_racing = True
        return 0

    def run(self):
        """Plays rounds until one contestant is left or a budget is spent.

        Returns:
            A `RaceRecord`; None if there was nothing to race for: one contestant, no budget, or a root that
            is proven.
        """
        cdef Search search = self.search
        cdef double now = perf_counter(), elapsed = 0
        while self.num_racing > 1 and not search.is_over() and self.affords(search):
            if now + 0.5 * elapsed >= search.deadline:
                break
            with nogil:
                self.play_round()
                self.drop_those_behind()
            PyErr_CheckSignals()
            elapsed = perf_counter() - now
            now += elapsed
            if search.look is not None and now >= search.next_look:
                search.look()
                now = perf_counter()
                search.next_look = now + search.look_seconds
        return self.record() if self.rounds else None

    cdef bint affords(self, Search search) noexcept:
        """Whether the iterations that are left suffice for a round."""
        return search.iterations + self.num_rollouts() + self.num_racing <= search.max_iterations

    cdef int64_t num_rollouts(self) noexcept:
        cdef int64_t total = 0
        cdef int i
        for i in range(self.count):
            total += self.contestants[i].rollouts
        return total

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
            rng = begin
            self.model.c_copy_from(self.start)
            self.model.c_apply_action(one.action)
            self.search.calls += 1 + self.policy.c_simulate(self.model, &rng, self.returns)
            one.latest = self.returns[self.search.player] - one.mean
            one.sum += one.latest
            one.rollouts += 1
        self.rounds += 1
        self.note_differences()
        return 0

    cdef void note_differences(self) noexcept nogil:
        cdef int i, k
        cdef double difference
        for i in range(self.count):
            for k in range(self.count):
                difference = self.contestants[i].latest - self.contestants[k].latest
                self.squares[i * self.count + k] += difference * difference

    cdef double value(self, int i) noexcept nogil:
        cdef const Contestant* one = &self.contestants[i]
        return one.mean + one.sum / (self.prior_rollouts + one.rollouts)

    cdef double error(self, int i, int k) noexcept nogil:
        """The standard error of the difference between two contestants that are in the race."""
        cdef double mean = (self.contestants[i].sum - self.contestants[k].sum) / self.rounds
        cdef double variance = self.squares[i * self.count + k] / self.rounds - mean * mean
        return sqrt(max(variance, 0) / (self.prior_rollouts + self.rounds))

    cdef int best(self) noexcept nogil:
        """The contestant in the race with the highest value; of several, the most visited one."""
        cdef int i, best = -1
        for i in range(self.count):
            if self.contestants[i].is_racing and (best < 0 or self.value(i) > self.value(best)):
                best = i
        return best

    cdef void drop_those_behind(self) noexcept nogil:
        cdef int i, best = self.best()
        if self.rounds < MIN_ROUNDS:
            return
        for i in range(self.count):
            if i == best or not self.contestants[i].is_racing:
                continue
            if self.value(best) - self.value(i) >= Z * self.error(best, i):
                self.contestants[i].is_racing = False
                self.num_racing -= 1

    cdef object record(self):
        cdef int i, best = self.best()
        return RaceRecord(
            action=self.contestants[best].action,
            actions=np.array([self.contestants[i].action for i in range(self.count)], dtype=np.int32),
            rollouts=np.array([self.contestants[i].rollouts for i in range(self.count)], dtype=np.int64),
            values=np.array([self.value(i) for i in range(self.count)]),
            tree_means=np.array([self.contestants[i].mean for i in range(self.count)]),
            num_left=self.num_racing,
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
