"""The base of tree policies, rollout policies and evaluators."""

from agents.forward_model cimport ForwardModel


cdef class Policy:
    # The policy for one search of this game: a copy, prepared for it.
    cpdef Policy for_search(self, ForwardModel model)
    # Gives such a copy the memory that it needs; raises ValueError if it does not fit the game.
    cdef prepare(self, ForwardModel model)


# Fills probabilities proportional to exp(value / temperature); they may take the place of the values.
cdef void fill_softmax(
    const double* values, int count, double temperature, double* probabilities
) noexcept nogil
