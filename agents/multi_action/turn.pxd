"""A turn to be planned: its rules, its budget, and the best one found so far.

A turn begins at a position and lasts until somebody else is to move: another player, chance, or nobody as the
game is over. A complete turn is a sequence of actions, each legal after the ones before. Its value is that
of the position in which it ends, to the player whose turn it is.

One object is shared by all parts of one search. Each search has its own: it holds what the search writes. A
builder puts turns together action by action. It keeps the positions along the turn that it built last, and
the next turn starts from the last position that both share.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint64_t

from agents.formulas.valuation cimport Valuation
from agents.forward_model cimport ForwardModel
from agents.rng cimport Rng, rng_t


# The best action of a position that was met before.
ctypedef struct Known:
    uint64_t hash         # of the position
    int32_t action


cdef class Turn:
    # Rules
    cdef ForwardModel root         # the position at the start of the turn, never advanced
    cdef readonly int player       # whose turn it is
    cdef readonly int max_actions  # a turn ends after so many actions at the latest
    cdef object heuristic          # as it was given
    cdef Valuation valuation       # of positions in which the game is not over
    cdef readonly bint runs_python   # whether the game or the heuristic runs Python code
    cdef readonly bint reply       # whether the others' greedy turns are played before the end is valued
    cdef Rng chance                # the chance outcomes of every reply are drawn by a copy of it

    # Budget
    cdef int64_t max_evaluations
    cdef int64_t max_calls
    cdef double deadline           # on the clock of perf_counter
    cdef int64_t next_check        # number of calls at which clock and signals are looked at
    cdef int64_t check_interval    # calls between two looks
    cdef public object watch       # called about ten times a second with None; ends the search with True
    cdef double next_watch         # the time at which it is called next
    cdef double next_turn          # the time at which other threads may run next, if it runs Python

    # Spent
    cdef readonly int64_t evaluations   # complete turns valued
    cdef readonly int64_t calls         # actions and outcomes applied to models
    cdef int64_t moves                  # those among them that a search over models of the turn counts itself
    cdef int64_t reported               # those among the others that it was told of

    # Found
    cdef readonly double best_value     # of the best turn; -inf before the first one
    cdef int32_t* best                  # [max_actions], its actions
    cdef int best_length
    cdef list improvements              # (turns valued, value) of each turn better than all before it

    # Scratch
    cdef ForwardModel trial             # the position after an action
    cdef ForwardModel after             # the position after the others' replies
    cdef int32_t* options               # [root.max_legal_actions]
    cdef double* values                 # [root.num_players]
    cdef Known* known                   # table of greedy actions by hash; NULL for games in Python

    cdef Turn copied(self)   # with all that was found, for another search

    # Whether the turn goes on in this position, after so many actions.
    cdef bint is_open(self, ForwardModel model, int num_actions) except -1 nogil
    # The value of a position to a player: the return, or the valuation.
    cdef double worth(self, ForwardModel model, int player) except? -1.5e308 nogil
    # The value of a complete turn that ends in this position; counts it, and keeps it if it is the best.
    cdef double value_turn(
        self, ForwardModel model, const int32_t* actions, int length
    ) except? -1.5e308 nogil
    # The action after which the position is worth most to the player to move; of equals the lowest.
    cdef int32_t greedy_action(self, ForwardModel model) except -1 nogil
    # Whether a budget is spent; raises KeyboardInterrupt.
    cdef bint is_over(self) except -1 nogil

    # The calls since the last report that a search over models of the turn does not count itself.
    cdef int report_calls(self) noexcept nogil

    cdef int32_t best_action(self, ForwardModel model) except -1 nogil
    cdef double worth_after_reply(self, ForwardModel model) except? -1.5e308 nogil


cdef class TurnBuilder:
    cdef Turn turn
    cdef bint is_greedy          # whether Greedy Action replaces illegal actions, not chance
    cdef int length              # of the turn, as far as it is built
    cdef int32_t* actions        # [turn.max_actions], its actions
    cdef PyObject** positions    # [turn.max_actions + 1], the ForwardModel after so many actions
    cdef int num_positions       # made so far
    cdef list owned              # the same positions, which keeps them alive

    # Starts anew with the first `length` actions of a turn, which are legal.
    cdef int rewind(self, const int32_t* actions, int length) except -1 nogil
    # Whether the turn that is being built goes on.
    cdef bint is_open(self) except -1 nogil
    # Adds a legal action.
    cdef int add(self, int32_t action) except -1 nogil
    # Adds the first proposed action that is legal here; if none is, one by Greedy Action or at random.
    cdef int add_first_legal(self, const int32_t* proposed, int count, rng_t* rng) except -1 nogil
    # Completes the turn: its action number n is proposed[n], if n < length and the action is legal.
    cdef int complete(self, const int32_t* proposed, int length, rng_t* rng) except -1 nogil
    # Values the turn, which is complete; the turn counts it, and keeps it if it is the best so far.
    cdef double value(self) except? -1.5e308 nogil

    # Starts anew with the actions of a plan, after a check of each.
    cdef int follow(self, plan) except -1
    cdef int make_position(self) except -1
