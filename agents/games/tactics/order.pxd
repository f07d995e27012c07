"""Which actions look strong."""

from libc.stdint cimport int32_t

from .state cimport Rules, State


# Sorts legal actions, those that look strong first.
cdef void order(const Rules* rules, const State* state, int32_t* actions, int length) noexcept nogil
