"""One search of MCTS: the loop, its budgets, and trees that are kept from an earlier search."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from agents.mcts.state cimport SearchState


# What an iteration brought.
ctypedef struct Sample:
    double value      # mean return of the searching player
    int32_t action    # at the root, -1 if the iteration ended there


@cython.final
cdef class Search(SearchState):
    cdef bint is_rehearsing        # whether iterations do not count, as their tree is a copy or frozen
    cdef int64_t max_iterations    # budgets
    cdef int64_t max_calls
    cdef double deadline           # on the clock of perf_counter
    cdef int64_t batch             # iterations between two looks at the clock
    cdef double batch_seconds      # what they should take
    cdef int num_leaves            # that an evaluator values at a time; 1 for one by one
    cdef double virtual_loss       # of a leaf that waits for its value

    # Iterates `count` times, or until a budget is spent (but a first time always); returns how often.
    # Fills a sample for each iteration unless `samples` is NULL.
    cdef int64_t run(self, int64_t count, Sample* samples) except -1
    # The same in a copy of the tree, or without touching the tree; does not count as iterations.
    cdef int64_t rehearse(self, int64_t count, Sample* samples, bint is_frozen) except -1

    cdef int value_root(self) except -1
    cdef bint is_over(self) noexcept nogil
    cdef int64_t run_batch(self, int64_t count, Sample* samples) except -1 nogil
    # One iteration, whose returns are in `means` afterwards.
    cdef int iterate(self) except -1 nogil
    # At most `count` iterations whose leaves are valued together; returns how many.
    cdef int64_t iterate_together(self, int64_t count) except -1
    # The way down from the root.
    cdef int walk(self) except -1 nogil
    cdef list collect_leaves(self, int64_t count)
    cdef Sample sample(self) noexcept nogil
