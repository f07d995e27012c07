# distutils: extra_compile_args = -O1
"""The base of evaluators in C, and of all policies of a search."""

from libc.math cimport exp
from libc.stdint cimport int32_t
from libc.stdlib cimport free

from agents.forward_model cimport ForwardModel, allocated

from agents.checks import exact


cdef class Policy:
    """Base of tree policies, rollout policies and evaluators: pickled and shown by their arguments."""

    ARGUMENTS: tuple[str, ...] = ()   # names of the arguments of `__init__`, which are attributes too

    cpdef Policy for_search(self, ForwardModel model):
        """A copy for one search of this game, which has the memory that it needs."""
        cdef Policy twin = type(self)(*[getattr(self, name) for name in self.ARGUMENTS])
        twin.prepare(model)
        return twin

    cdef prepare(self, ForwardModel model):
        pass

    def __reduce__(self) -> tuple[type[Policy], tuple[Any, ...]]:
        return type(self), tuple([getattr(self, name) for name in self.ARGUMENTS])

    def __repr__(self):
        values = [(name, getattr(self, name)) for name in self.ARGUMENTS]
        shown = [f"{name}={exact(v) if type(v) is float else repr(v)}" for name, v in values]
        return f"{type(self).__name__}({', '.join(shown)})"


cdef class NativeEvaluator(Policy):
    """Base of evaluators in C, which rate the legal actions of a position and value it.

    The prior probabilities of the actions are proportional to exp(rating / temperature), so the actions are
    tried in the order of their ratings; of equal ones, the later legal action first.
    """

    def __dealloc__(self):
        free(self.ratings)

    cdef prepare(self, ForwardModel model):
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
        fill_softmax(self.ratings, count, self.temperature, priors)
        return count


cdef void sort_by_rating(int32_t* actions, double* ratings, int count) noexcept nogil:
    """Sorts actions and their ratings by rating, ascending; equal ones keep their order."""
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


cdef void fill_softmax(
    const double* values, int count, double temperature, double* probabilities
) noexcept nogil:
    cdef double total = 0, highest = values[0]
    cdef int i
    for i in range(1, count):
        highest = max(highest, values[i])
    for i in range(count):
        probabilities[i] = exp((values[i] - highest) / temperature)
        total += probabilities[i]
    for i in range(count):
        probabilities[i] /= total
