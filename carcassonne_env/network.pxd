"""A small network that rates the legal actions of a position, evaluated in C without a library.

It has the form of the "actions" network of examples/baselines/network.py. An action is rated by the terms of
the outlook that it changes and by the position, which is worked out once for all actions:

    hidden = relu(of_changes @ (terms after the action - terms now) + of_position @ position + bias)
    deeper = relu(rating @ hidden + rating_bias)
    rating = logit @ deeper + outlook[0] * expected
    value = tanh(value @ deeper + value_bias + outlook[1] * expected)

where `expected` is the return of the mover that the outlook expects after the action: a network may correct
the outlook in place of learning all from the terms. A network need not have values. The value of a position
is that of its action with the highest rating.
"""

from libc.stdint cimport int32_t

from agents.evaluator cimport NativeEvaluator

from .board cimport MAX_PLAYERS, NUM_TYPES, State
from .encoding cimport Encoder
from .model cimport CarcassonneModel
from .outlook cimport NUM_TERMS


cdef enum:
    MAX_UNITS = 64   # of each of the two hidden layers
    MAX_TERMS = NUM_TERMS * MAX_PLAYERS
    MAX_INPUTS = 2 * NUM_TYPES + 3 * MAX_PLAYERS + 1 + MAX_TERMS + 1   # vector and features of the encoder


# The weights from each input or unit to all units of the next layer; 0 for units that a network lacks.
ctypedef struct Layers:
    float of_changes[MAX_TERMS][MAX_UNITS]
    float of_position[MAX_INPUTS][MAX_UNITS]
    float bias[MAX_UNITS]
    float rating[MAX_UNITS][MAX_UNITS]
    float rating_bias[MAX_UNITS]
    float logit[MAX_UNITS]
    float value[MAX_UNITS]
    float value_bias
    float outlook[2]


cdef class ActionNetwork:
    cdef readonly Encoder encoder
    cdef readonly double scale   # the return that a value of 1 stands for
    cdef dict arrays
    cdef Layers layers
    cdef check(self, CarcassonneModel model)
    # The return that the outlook expects after an action, if the terms are these and change so.
    cdef double expected(
        self,
        const State* state,
        int32_t action,
        const double* weights,
        const float* terms,
        const float* changes,
    ) noexcept nogil
    # Fills the ratings of legal actions and, if `values` is not NULL, their values.
    cdef void rate(
        self, const State* state, const int32_t* actions, int num_actions, float* ratings, float* values
    ) noexcept nogil


cdef class NetworkEvaluator(NativeEvaluator):
    cdef readonly ActionNetwork network
