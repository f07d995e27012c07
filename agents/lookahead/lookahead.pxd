"""Depth-limited search: the part that expectimax and *-minimax share.

A search to depth d gives each position a value for each player:

- The game is over: the value is the return.
- No decisions are left to look ahead: the value is the heuristic's. This holds at chance nodes too, so
  that an action is judged before the draw that follows it.
- Chance moves: the value is the expectation over the outcomes, each searched to depth d. A game that
  repeats draws (`ForwardModel.repeats_draws`) has outcomes after which chance moves again; these are left
  out and the probabilities of the others are scaled up.
- A player moves: the value is that of the action that is best for this player, searched to depth d - 1.

`expectimax` computes the values of every player. `star_minimax` computes the value of the player who
searches and leaves out positions that cannot change the choice.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t

from agents.formulas.valuation cimport Valuation
from agents.forward_model cimport ForwardModel


# One position on the line from the root to the position that is being searched. Levels are made when a
# search first gets so far and reused for all later positions at the same distance from the root.
cdef struct Level:
    PyObject* model         # the position, a `ForwardModel` that `Lookahead.models` owns
    Level* above            # NULL at the root
    Level* below            # NULL until a search goes further
    int height              # number of actions and outcomes since the root
    int player              # the player to move, CHANCE or TERMINAL
    int depth               # number of decisions left to look ahead
    int32_t* options        # [count], the actions or outcomes
    int count               # number of options; 0 at a leaf
    int next                # index of the option that is searched, or is to be searched next
    double* chances         # [count], probabilities of the outcomes
    double* values          # [num_players], values of the position; StarSearch fills those of leaves only
    int32_t best            # ExpectimaxSearch: the best of the actions searched so far

    # Used by StarSearch only.
    double value            # to the player who searches, of the options searched so far
    double alpha            # the window in which the value must be exact
    double beta
    bint is_probing         # whether the outcomes are being probed, before they are searched
    double low              # sums of probability * bound over the outcomes probed so far
    double high
    double* lowers          # [count], lower bounds of the values after the outcomes
    double* uppers          # [count], upper bounds
    double* rest_lowers     # [count], at i: sum of probability * lower bound over the outcomes after i
    double* rest_uppers     # [count], the same of the upper bounds


# Searches of one position, each to a given depth. Subclasses implement `open`, `go_down`, `take` and
# `action_value`.
cdef class Lookahead:
    cdef Level* top             # the root
    cdef list models            # of all levels
    cdef readonly int player    # the player who searches
    cdef int num_players
    cdef int width              # largest number of options of a position
    cdef int num_outcomes       # largest number of outcomes of a chance node
    cdef bint is_exhaustive     # whether every root action gets its exact value, for every player
    cdef readonly int num_actions   # number of root actions
    cdef int32_t* actions       # [num_actions], root actions in the order in which they are searched
    cdef double* values         # [num_actions], their values to the player who searches
    cdef uint8_t* are_exact     # [num_actions], whether these are exact; otherwise they are upper bounds
    cdef bint repeats_draws     # `ForwardModel.repeats_draws`
    cdef bint runs_python       # whether the game or the heuristic is Python code
    cdef double next_turn       # the time at which other threads may run next, if so
    cdef readonly Valuation valuation   # of positions at the depth limit
    cdef int64_t max_positions  # a deeper search than to depth 1 ends with OutOfBudgetError when it has
    cdef double deadline        # valued so many positions, or at this time of perf_counter
    cdef int64_t next_check     # number of positions at which budgets and signals are checked next
    cdef public object watch    # called about ten times a second with None; ends the search with True
    cdef double next_look       # the time at which it is called next

    # Statistics: `depth` and `is_complete` of the last search, the others of all searches.
    cdef readonly int depth
    cdef readonly bint is_complete      # whether every line was searched to the end of the game
    cdef readonly int64_t positions     # positions valued as ends of the game or by the heuristic
    cdef readonly int64_t nodes         # positions visited: these, decisions and chance nodes
    cdef readonly int64_t num_clipped   # values that were moved to a bound

    cdef int search_actions(self) except -1 nogil   # fills `values` and `are_exact`
    # The value of a root action to the player who searches: exact if > alpha, otherwise an upper bound.
    # The value that may signal an exception is an unlikely one: each time it occurs costs a check.
    cdef double action_value(self, int32_t action, double alpha) except? -1.5e308 nogil
    # Searches all that is below a level which has been opened.
    cdef int search_below(self, Level* level) except -1 nogil
    # Searches options of a level up to the first that is no leaf, which is left open as the level below;
    # returns False if none is left.
    cdef bint go_down(self, Level* level) except -1 nogil
    # Accounts for the level below, whose search is finished, and goes on to the next option.
    cdef int take(self, Level* level) except -1 nogil

    # For subclasses:
    # Copies a level to the level below and applies an action or outcome there.
    cdef int descend(self, Level* level, int32_t option) except -1 nogil
    # Fills the options and chances of a chance node, without the draws that are repeated.
    cdef int list_outcomes(self, Level* level) except -1 nogil
    # Fills the values of a leaf by the returns or the heuristic.
    cdef int evaluate(self, Level* level) except -1 nogil

    cdef int add_level(self, Level* above, ForwardModel model) except -1
    cdef int check(self) except -1   # of budgets and signals
    cdef bint is_stopped(self, double now) except -1   # whether `watch` ends the search
