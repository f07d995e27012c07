# distutils: extra_compile_args = -O1
"""The base of evaluators in C."""

from libc.stdint cimport int32_t
from libc.stdlib cimport free

from agents.forward_model cimport ForwardModel, allocated
from agents.policy cimport Policy, fill_softmax


cdef class NativeEvaluator(Policy):
    """Base of evaluators in C, which rate the legal actions of a position and value it.

    The prior probabilities of the actions are proportional to exp(rating / temperature), so the actions are
    tried in the order of their ratings; of equal ones, the later legal action first.
    """

    def __dealloc__(self):
        free(self.ratings)

    cdef prepare(self, ForwardModel model):
        self.divisor = self.temperature
        self.ratings = <double*> allocated(model.max_legal_actions * sizeof(double))

    cdef int c_rate(
        self, ForwardModel model, const int32_t* actions, int count, double* values
    ) except -1 nogil:
        with gil:
            raise NotImplementedError("c_rate")

    cdef int c_evaluate(
        self, ForwardModel model, int32_t* actions, double* priors, double* values
    ) except -1 nogil:
        cdef int count = model.c_legal_actions(actions)
        self.c_rate(model, actions, count, values)
        sort_by_rating(actions, self.ratings, count)
        fill_softmax(self.ratings, count, self.divisor, priors)
        return count


cdef void sort_by_rating(int32_t* actions, double* ratings, int count) noexcept nogil:
    cdef int i, k
    cdef int32_t action
    cdef double rating
    for i in range(1, count):
        action, rating = actions[i], ratings[i]
        k = i
        while k > 0 and ratings[k - 1] > rating:
            actions[k] = actions[k - 1]
            ratings[k] = ratings[k - 1]
            k -= 1
        actions[k] = action
        ratings[k] = rating
