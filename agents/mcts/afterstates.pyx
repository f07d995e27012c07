"""Evaluation by the positions after each action: a search of depth one as the value of a leaf."""

import math

from libc.math cimport exp
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from agents.checks import check_number, heuristic_index
from agents.specification import exact


cdef class Afterstates:
    """An evaluator in C: values a position by the best of those that one action leads to.

    Each legal action is applied once, and the position after it has the value that the heuristic gives to
    the player who moves, or the return if the game is over there. The position before has the values of the
    best of them. The prior probabilities of the actions are proportional to exp(value / temperature), so the
    actions are tried in the order of their values; of equal ones, the later legal action first.

    Args:
        heuristic: One of the model's ``heuristics``, None for the first of them.
        temperature: Greater than 0, in units of the returns. The lower it is, the more do tree policies that
            weigh priors ("puct" or a function) favour the best action.

    Raises:
        ValueError: If the temperature is out of range; in a search, if the game lacks the heuristic.
    """

    heuristic: str | None

    def __init__(self, heuristic: str | None = None, temperature: float = 1.0):
        check_number("temperature", temperature, 0, math.inf, is_open=True)
        self.heuristic = heuristic
        self.temperature = temperature

    def __dealloc__(self):
        free(self.action_values)
        free(self.values)

    cpdef Afterstates for_search(self, ForwardModel model):
        cdef Afterstates evaluator = Afterstates(self.heuristic, self.temperature)
        evaluator.kind = heuristic_index(model, self.heuristic)
        evaluator.after = model.c_clone()
        evaluator.action_values = <double*> malloc(model.max_legal_actions * sizeof(double))
        evaluator.values = <double*> malloc(model.num_players * sizeof(double))
        if evaluator.action_values == NULL or evaluator.values == NULL:
            raise MemoryError("no memory for an evaluator")
        return evaluator

    cdef int c_evaluate(
        self, ForwardModel model, int32_t* actions, double* priors, double* values
    ) except -1 nogil:
        cdef int player = model.c_current_player()
        cdef int i, count = model.c_legal_actions(actions)
        for i in range(count):
            value_after(model, self.after, actions[i], self.kind, self.values)
            if i == 0 or self.values[player] >= self.action_values[i - 1]:
                memcpy(values, self.values, model.num_players * sizeof(double))
            insert(actions, self.action_values, i, actions[i], self.values[player])
        fill_softmax(self.action_values, count, self.temperature, priors)
        return count

    def __reduce__(self) -> tuple[type[Afterstates], tuple[str | None, float]]:
        return Afterstates, (self.heuristic, self.temperature)

    def __repr__(self):
        return f"Afterstates(heuristic={self.heuristic!r}, temperature={exact(self.temperature)})"


cdef inline void insert(
    int32_t* actions, double* values, int count, int32_t action, double value
) noexcept nogil:
    """Inserts an action into a list that ascends by value, behind its equals."""
    while count > 0 and values[count - 1] > value:
        actions[count] = actions[count - 1]
        values[count] = values[count - 1]
        count -= 1
    actions[count] = action
    values[count] = value


cdef void fill_softmax(
    const double* values, int count, double temperature, double* probabilities
) noexcept nogil:
    """Fills probabilities proportional to exp(value / temperature), for ascending values."""
    cdef double total = 0
    cdef int i
    for i in range(count):
        probabilities[i] = exp((values[i] - values[count - 1]) / temperature)
        total += probabilities[i]
    for i in range(count):
        probabilities[i] /= total
