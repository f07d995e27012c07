"""The base of tree policies, rollout policies and evaluators."""

from agents.forward_model cimport ForwardModel


cdef class Policy:
    # The policy for one search of this game: a copy, prepared for it. Arguments that are None become their
    # `DEFAULTS` times `return_spread`.
    cpdef Policy for_search(self, ForwardModel model, double return_spread=*)
    # Gives such a copy the memory that it needs; raises ValueError if it does not fit the game.
    cdef prepare(self, ForwardModel model)


# A number of 0 or more in units of the returns, above 0 if `is_open`, as a float; None stays None.
cdef object in_returns(str name, value, bint is_open=*)
# Fills probabilities proportional to exp(value / temperature); they may take the place of the values.
cdef void fill_softmax(
    const double* values, int count, double temperature, double* probabilities
) noexcept nogil
