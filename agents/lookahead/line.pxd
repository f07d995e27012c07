"""Depth-limited search: what expectimax and *-minimax have in common.

The value of a position, `depth` decisions ahead, is

    where the game is over    the return
    at depth 0                the heuristic, also where chance moves: an action is judged before the draw
    where chance moves        the expectation over the outcomes, at the same depth; where a game repeats
                              draws, over those that it does not repeat, their chances scaled up
    at a decision             that of the action which is best for the player to move, at depth - 1

`expectimax` computes it for every player, `star_minimax` for the one who searches, leaving out what
cannot change the choice.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from agents.forward_model cimport ForwardModel


# One position of the line that is being searched; the line grows with the first search that needs it.
@cython.final
cdef class Level:
    cdef ForwardModel model
    cdef int32_t* options       # its actions or outcomes
    cdef double* chances        # of the outcomes
    cdef double* lowers         # *-minimax: bounds of the value after each outcome
    cdef double* uppers
    cdef double* rest_lowers    # the same of all outcomes behind it together, times their chances
    cdef double* rest_uppers
    cdef double* values         # of the position, by player
    cdef Level below            # None at the end of the line
    cdef int height             # actions and outcomes since the root


# The search of one position to one depth after another.
cdef class Lookahead:
    cdef Level top              # the root
    cdef int player             # who searches
    cdef bint is_exhaustive     # whether every root action is valued exactly, and for every player
    cdef readonly int num_actions   # at the root, in the order in which they are searched
    cdef int32_t* actions
    cdef double* values         # of these, to the player who searches
    cdef uint8_t* are_exact        # whether they are; else the values are upper bounds
    cdef bint repeats_draws     # `ForwardModel.repeats_draws`
    cdef int heuristic          # index in the model's `heuristics`, or -1
    cdef object function        # f(model, player) instead, or None
    cdef int64_t max_positions  # budgets, which end a search to more than depth 1 by OutOfBudgetError
    cdef double deadline        # on the clock of perf_counter
    cdef int64_t next_check     # positions at which the clock and signals are looked at again

    # Statistics
    cdef readonly int depth         # of the last search
    cdef readonly bint is_complete  # whether it saw the end of the game everywhere
    cdef readonly int64_t positions   # valued by the heuristic or as ends of the game
    cdef readonly int64_t nodes       # visited: these, decisions and chance nodes
    cdef readonly int64_t num_clipped   # values moved to a bound

    # The value of a root action to the player who searches: exact if > alpha, else an upper bound. What
    # signals an exception here is no value that occurs, as asking costs more than a position.
    cdef double action_value(self, int32_t action, int depth, double alpha) except? -1.5e308 nogil
    cdef int search_actions(self) except -1 nogil   # fills `values` and `are_exact`

    # For the searches. Fills the options and chances of a level with the outcomes that count, of draws
    # that are repeated only those that are not; returns how many.
    cdef int list_outcomes(self, Level level) except -1 nogil
    # Goes on to the level below by an action or outcome; returns who moves there.
    cdef int descend(self, Level level, int32_t option) except? -99 nogil
    # Fills the values of a level that is valued as it is, for each player.
    cdef int evaluate(self, Level level, bint is_over) except -1 nogil
    cdef int check(self) except -1                   # of budgets and signals
    cdef int call_function(self, Level level) except -1
