# distutils: extra_compile_args = -O1
"""The base of all policies of a search, and the softmax that several of them draw by."""

import math

from libc.math cimport exp

from agents.forward_model cimport ForwardModel

from agents.checks import check_number, exact


cdef class Policy:
    """Base of tree policies, rollout policies and evaluators: pickled and shown by their arguments."""

    ARGUMENTS: tuple[str, ...] = ()   # names of the arguments of `__init__`, which are attributes too

    DEFAULTS: dict[str, float] = {}
    """Of arguments in units of the returns: what None means in games with a `return_spread` of 1."""

    cpdef Policy for_search(self, ForwardModel model, double return_spread=1.0):
        """A copy for one search of this game, which has the memory that it needs.

        `return_spread` multiplies the defaults of arguments in units of the returns.
        """
        arguments = {name: getattr(self, name) for name in self.ARGUMENTS}
        for name, default in self.DEFAULTS.items():
            if arguments[name] is None:
                arguments[name] = default * return_spread
        cdef Policy twin = type(self)(*arguments.values())
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


cdef object in_returns(str name, value, bint is_open=False):
    """A number of 0 or more in units of the returns, or above 0 if `is_open`; None for the default."""
    if value is None:
        return None
    check_number(name, value, 0, math.inf, is_open=is_open)
    return float(value)


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
