"""One search of MCTS: the loop, its budgets, and the reuse of an earlier tree."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from agents.mcts.iteration cimport SearchState


# The result of one iteration.
ctypedef struct Sample:
    double value      # return of the searching player, a mean if there are several rollouts
    int32_t action    # taken at the root; -1 if the iteration ended there


@cython.final
cdef class Search(SearchState):
    cdef double begin              # on the clock of perf_counter
    cdef int64_t max_iterations    # budgets
    cdef int64_t max_calls
    cdef int64_t stride            # iterations between two looks at the clock
    cdef double stride_seconds     # time that these should take
    cdef int num_leaves            # most leaves that an evaluator values in one call
    cdef double virtual_loss       # of a leaf that waits for its value, see `MCTS`
    cdef double return_spread      # of the game, or 1 if rollouts have returns of their own
    cdef double noise_share        # of Dirichlet noise in the priors of the root's actions
    cdef double noise_alpha        # its concentration: the smaller, the fewer actions share the noise

    # Iterates `count` times, or until a budget is spent; the first iteration of a search is always made.
    # Returns how often. Fills a sample for each iteration unless `samples` is NULL; not in batches.
    cdef int64_t run(self, int64_t count, Sample* samples) except -1
    # The same in a copy of the tree, or with the tree frozen. These iterations are not counted.
    cdef int64_t rehearse(self, int64_t count, Sample* samples, bint is_frozen) except -1

    cdef bint is_over(self) noexcept nogil
    cdef bint is_spent(self) noexcept
    cdef int64_t run_stride(self, int64_t count, Sample* samples) except -1 nogil
    cdef Sample sample(self) noexcept nogil
