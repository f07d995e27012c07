"""What the players of a game in an environment are paid; ``CarcassonneEnv`` describes the rewards."""

cimport cython
from libc.stdint cimport int32_t

from .board cimport MAX_PLAYERS, State


# The indices of `REWARDS`.
cdef enum Reward:
    SCORE     # the points gained by a step
    FINAL     # the return, at the end
    WIN       # the sign of the return, at the end
    VIRTUAL   # the lead by virtual scores gained by a step; with one player, the virtual score gained


# What the players of one game have been paid.
ctypedef struct account_t:
    Reward reward
    int32_t forfeit                # see `Variant`
    double counted[MAX_PLAYERS]    # points for which rewards have been given (SCORE and VIRTUAL only)


# Fills the reward of each player: with SCORE and VIRTUAL the points gained since the last call, with the
# others the result of the game at its end, and 0 before.
cdef void fill_rewards(account_t* account, const State* state, double* rewards) noexcept nogil
# The reward of a player for an illegal action. If it ends the episode, no legal play from the same position
# has a lower return.
cdef double forfeit_of(const account_t* account, const State* state, int player) noexcept nogil


@cython.final
cdef class Account:
    cdef account_t of
