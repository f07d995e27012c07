"""The forward model: all that a planner knows of a game.

Names follow OpenSpiel's State. Each `c_` method is the nogil twin of the Python method of the same
name, which the base class writes once on top of it. A game implements the first group; the second has
generic defaults that a game may replace by faster code.

Three laws hold for every model:

1. Chance is a player (`CHANCE`). `apply_action` is deterministic, always; at a chance node the action
   is the outcome. The model holds no random generator: whoever samples passes one in.
2. The twins do not check their arguments: planners apply legal actions only. The Python methods check.
3. A position is a value: `c_copy_from` makes two models independent and equal.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy

from agents.rng cimport rng_t


cdef enum:
    CHANCE = -1      # current player of a position where the next event is drawn by chance
    TERMINAL = -4    # current player of a position where the game is over
    NO_PLAYER = -99  # never a player: the value that signals an exception


cdef class ForwardModel:
    cdef readonly int num_players          # players 0 .. num_players - 1
    cdef readonly int num_actions          # actions are ids in [0, num_actions), chance outcomes too
    cdef readonly int max_legal_actions    # upper bound on the legal actions of one position
    cdef readonly int max_chance_outcomes  # upper bound on the outcomes of one chance node, or 0
    cdef bint needs_gil                    # whether the twins run Python code
    # Whether the numbers above cannot change: a planner made this copy, and arrays of these sizes for it.
    cdef bint has_fixed_sizes

    # A game implements these.
    cdef int c_current_player(self) except? NO_PLAYER nogil
    # Fills `actions` where a player moves, each action once; returns their number, at least 1.
    cdef int c_legal_actions(self, int32_t* actions) except -1 nogil
    # Fills both arrays, outcomes in ascending order, probabilities > 0 summing to 1; returns the number.
    # Games without chance leave it out.
    cdef int c_chance_outcomes(self, int32_t* outcomes, double* probabilities) except -1 nogil
    cdef int c_apply_action(self, int32_t action) except -1 nogil
    # Fills the return of each player at a terminal position (where it is random: its expectation).
    cdef int c_returns(self, double* returns) except -1 nogil
    # Takes over the position of `source`, a model of the same class.
    cdef int c_copy_from(self, ForwardModel source) except -1 nogil

    # A game may replace these.
    cdef int c_sample_action(self, rng_t* rng, int32_t* action) except -1 nogil   # uniform, legal
    cdef int c_sample_chance(self, rng_t* rng, int32_t* outcome) except -1 nogil
    # One draw of the returns of a terminal position; `c_returns` unless the game's are random.
    cdef int c_sample_returns(self, rng_t* rng, double* returns) except -1 nogil
    # Plays uniformly random actions to the end; returns the number of actions and outcomes applied.
    cdef int c_rollout(self, rng_t* rng) except -1 nogil
    # Plays to the end in the way of index `kind` in `playouts`; otherwise as `c_rollout`.
    cdef int c_playout(self, int kind, double parameter, rng_t* rng) except -1 nogil
    # Draws all chance outcomes to come, so that from now on there are no chance nodes.
    cdef int c_determinize(self, rng_t* rng) except -1 nogil
    # Puts legal actions that look strong first, cheaply, for searches that leave out what comes late.
    cdef int c_order_actions(self, int32_t* actions, int count) except -1 nogil
    # Fills an estimate of each player's return, by the heuristic of index `kind` in `heuristics`.
    cdef int c_heuristic(self, int kind, double* values) except -1 nogil
    # The value for `player` of the indicator of index `kind` in `indicators`, finite; a bool is 0 or 1.
    # `place` is an index in its places, or 0 if it has none.
    cdef double c_indicator(self, int kind, int place, int player) except? -1.5e308 nogil
    # Whether the player to move has this action, a number in [0, num_actions).
    cdef bint c_is_legal(self, int32_t action) except -1 nogil
    # Whether `other`, a model of the same class, is in an equal position of an equal game.
    cdef bint c_equals(self, ForwardModel other) except -1 nogil
    # A number that is the same for equal positions.
    cdef uint64_t c_hash(self) except? 0 nogil

    cdef ForwardModel c_clone(self)   # of fixed sizes, for planners
    cdef void copy_sizes(self, ForwardModel source) noexcept


# Memory that whoever asks for it frees, and the same set to 0.
cdef void* allocated(size_t size) except NULL nogil
cdef void* zeroed(size_t size) except NULL nogil


cdef inline void* data_of(object array) except NULL:
    """The numbers of a contiguous array, which must outlive the pointer."""
    cdef Py_buffer buffer
    PyObject_GetBuffer(array, &buffer, PyBUF_SIMPLE)
    PyBuffer_Release(&buffer)
    return buffer.buf


cdef inline bytes bytes_at(const void* data, size_t size):
    """A copy of memory, for `numpy.frombuffer`."""
    return PyBytes_FromStringAndSize(<const char*> data, size)


cdef inline void zero_sum(double* values, double first) noexcept nogil:
    """Fills the values of two players, the second one's being that of the first with the opposite sign."""
    values[0] = first
    values[1] = 0 - first


cdef inline uint64_t mixed(uint64_t word) noexcept nogil:
    word *= <uint64_t> 0x9E3779B97F4A7C15
    word = (word ^ (word >> 32)) * <uint64_t> 0xD6E8FEB86659FD93
    return word ^ (word >> 32)


cdef inline uint64_t hash_of(const void* data, size_t size) noexcept nogil:
    """A hash of bytes. Each word is mixed alone, so that a processor mixes several at once."""
    cdef const uint8_t* bytes = <const uint8_t*> data
    cdef uint64_t word, total = size
    cdef size_t i, num_words = size // 8
    for i in range(num_words):
        memcpy(&word, bytes + 8 * i, 8)
        total += mixed(word ^ i * <uint64_t> 0xA0761D6478BD642F)
    word = 0
    memcpy(&word, bytes + 8 * num_words, size % 8)
    return mixed(total ^ word)


cdef enum:
    CHECK_INTERVAL = 1 << 8    # actions of a rollout between two looks at signals, a power of two
    MAX_ROLLOUT = 1 << 20      # actions and outcomes of a rollout

# Looks at signals, and raises RuntimeError if a rollout of so many actions and outcomes has not ended.
cdef int look_up(int count) except -1 nogil


cdef inline int watch_rollout(int count) except -1 nogil:
    """To be called for every action of a rollout: it can be interrupted then, and is bounded."""
    return look_up(count) if count & (CHECK_INTERVAL - 1) == CHECK_INTERVAL - 1 else 0


# Lets other threads run for a moment if that time, of perf_counter, has come; returns the next such time.
# A search holds the GIL all the while in a compiled game of another library.
cdef double give_way(double next_turn) except -1

# Puts actions into ascending order.
cdef void sort_actions(int32_t* actions, int count) noexcept nogil

# Raises ValueError unless the returns of a game for two sum to 0.
cdef int check_zero_sum(ForwardModel model, const double* returns) except -1 nogil

# Fills the legal actions, those that look strong first where the game knows, otherwise ascending.
cdef int list_in_order(ForwardModel model, int32_t* actions) except -1 nogil
