"""One search of MCTS: the loop, its budgets, and the reuse of an earlier tree."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from agents.mcts.state cimport SearchState
from agents.mcts.tree cimport Tree


# The result of one iteration.
ctypedef struct Sample:
    double value      # return of the searching player, a mean if there are several rollouts
    int32_t action    # taken at the root; -1 if the iteration ended there


@cython.final
cdef class Search(SearchState):
    cdef bint is_rehearsing        # whether iterations leave tree and budget alone, see `rehearse`
    cdef Tree grown                # then: the tree, of which they may grow a copy
    cdef double begin              # on the clock of perf_counter
    cdef int64_t max_iterations    # budgets
    cdef int64_t max_calls
    cdef double deadline           # on the clock of perf_counter
    cdef int64_t batch             # iterations between two looks at the clock
    cdef double batch_seconds      # time that these should take
    cdef int num_leaves            # most leaves that an evaluator values in one call
    cdef double virtual_loss       # of a leaf that waits for its value, see `MCTS`

    # Iterates `count` times, or until a budget is spent; the first iteration of a search is always made.
    # Returns how often. Fills a sample for each iteration unless `samples` is NULL; not in batches.
    cdef int64_t run(self, int64_t count, Sample* samples) except -1
    # The same in a copy of the tree, or with the tree frozen. These iterations are not counted.
    cdef int64_t rehearse(self, int64_t count, Sample* samples, bint is_frozen) except -1

    # Gives the root's actions their priors; asks the evaluator if the answer is None.
    cdef int value_root(self, answer) except -1
    cdef bint is_over(self) noexcept nogil
    cdef int show(self) except -1
    cdef int64_t run_batch(self, int64_t count, Sample* samples) except -1 nogil
    # One iteration; leaves its returns in `means`.
    cdef int iterate(self) except -1 nogil
    # At most `count` iterations whose leaves are valued in one call; returns how many.
    cdef int64_t iterate_together(self, int64_t count) except -1
    # Descends from the end of the settled actions to a leaf.
    cdef int walk(self) except -1 nogil
    cdef list collect_leaves(self, int64_t count)
    cdef int value_leaves(self, list leaves, answers) except -1
    cdef bint is_spent(self)
    cdef Sample sample(self) noexcept nogil
