"""Which actions are legal where a player acts, and which of them look strong."""

from libc.stdint cimport int32_t

from agents.rng cimport rng_t

from .state cimport Choice, Rules, State


# Fills `choices`, MAX_CHOICES at most, and returns their number.
cdef int find_choices(const Rules* rules, const State* state, Choice* choices) noexcept nogil
# Whether the player has any action, weak ones included.
cdef bint has_action(const Rules* rules, const State* state) noexcept nogil
cdef bint is_legal(const Rules* rules, const State* state, int number) noexcept nogil
cdef int sample_action(const Rules* rules, const State* state, rng_t* rng) noexcept nogil
# Sorts legal actions, those that look strong first.
cdef void order(const Rules* rules, const State* state, int32_t* actions, int length) noexcept nogil
