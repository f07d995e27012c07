# distutils: extra_compile_args = -O1
"""The base of all policies of a search, and the softmax that several of them draw by."""

from libc.math cimport exp

from agents.forward_model cimport ForwardModel

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
