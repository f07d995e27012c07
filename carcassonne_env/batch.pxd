"""Steps many games of one variant without the GIL: the core of the vector environment."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from agents.rng cimport rng_t

from .board cimport MAX_PLAYERS, State
from .encoding cimport Encoder, Rows
from .variant cimport Variant


cdef enum:
    ALL_SEATS = -1   # in place of the learner's seat: learners play all seats


cdef enum Reward:
    SCORE   # the points gained by a step
    FINAL   # the return, at the end
    WIN     # the sign of the return, at the end
    VIRTUAL   # the lead by virtual scores gained by a step; with one player, the virtual score gained

cdef enum IllegalAction:
    TERMINATE
    NOOP
    RAISE


ctypedef struct Game:
    State state
    rng_t rng          # for draws, shuffling and the moves of the other players
    bint is_over       # whether a step has reported the end of the episode
    bint is_new        # whether no action of the learner has been played
    int32_t forfeit    # see `Variant`
    int32_t elapsed    # steps of the episode
    int32_t counted[MAX_PLAYERS]   # points for which rewards have been given (SCORE and VIRTUAL only)


# Arrays for the results of a step, with a row for each game. NULL for results that are not wanted.
ctypedef struct StepRows:
    Rows shown             # observations and infos
    double* rewards
    double* all_rewards    # of each player; with ALL_SEATS only
    int64_t* movers        # whose view the observation shows; with ALL_SEATS only
    uint8_t* is_over
    uint8_t* is_truncated
    uint8_t* is_illegal


cdef class Batch


cdef class Results:
    cdef Batch batch       # the batch to which the results belong
    cdef StepRows rows
    cdef readonly dict observations, infos
    cdef readonly object rewards, terminations, truncations, is_illegal


@cython.final
cdef class Batch:
    cdef Game* games
    cdef readonly int num_games
    cdef Variant variant
    cdef Encoder encoder
    cdef int seat              # the learner's seat, or ALL_SEATS
    cdef bint others_wait      # whether the other players do not move at random, but wait for `play`
    cdef Reward reward
    cdef IllegalAction illegal_action
    cdef int max_steps         # of an episode, which then is truncated; 0: no limit
    cdef bint is_busy          # whether a thread plays the games without the GIL; needs the GIL

    cdef int claim(self) except -1
    cdef int check_game(self, int i) except -1
    cpdef int check_idle(self) except -1
    cdef const int64_t* numbers_in(self, actions) except NULL
    cdef int check_row(self, int i, Results results) except -1
    cdef void start_one(self, Game* game, Variant variant) noexcept nogil
    cdef void step_one(self, int i, int64_t number, const StepRows* rows) noexcept nogil
    cdef bint play_one(self, Game* game, int64_t number) noexcept nogil
    cdef int32_t legal_action(self, const Game* game, int64_t number) noexcept nogil
    cdef void play_randomly_one(
        self, Game* game, rng_t* rng, double* reward, uint8_t* is_over
    ) noexcept nogil
    cdef void finish_turn(self, Game* game) noexcept nogil
    cdef bint is_at_limit(self, Game* game) noexcept nogil
    cdef bint is_waiting(self, const Game* game) noexcept nogil
    cdef void settle_one(self, int i, int mover, const StepRows* rows) noexcept nogil
    cdef double reward_of(self, Game* game, int player) noexcept nogil
    cdef double forfeit_of(self, const Game* game, int player) noexcept nogil
    cdef void show_one(self, int i, const StepRows* rows) noexcept nogil
