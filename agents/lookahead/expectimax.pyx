"""Expectimax: every action and every outcome, for every player."""

cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

from agents.forward_model cimport CHANCE, TERMINAL, ForwardModel
from agents.lookahead.line cimport Level, Lookahead

from agents.lookahead.planner import LookaheadAgent


@cython.final
cdef class ExpectimaxSearch(Lookahead):
    def __init__(self, ForwardModel root not None, heuristic, max_positions, time_limit):
        super().__init__(root, heuristic, max_positions, time_limit)
        self.is_exhaustive = True

    cdef double action_value(self, int32_t action, int depth, double alpha) except? -1.5e308 nogil:
        cdef int player = self.descend(self.top, action)
        self.fill(self.top.below, player, depth)
        return self.top.below.values[self.player]

    cdef int fill(self, Level level, int player, int depth) except -1 nogil:
        """Fills the values of a level where `player` is to move."""
        if player == TERMINAL or depth == 0:
            return self.evaluate(level, player == TERMINAL)
        if player == CHANCE:
            return self.fill_expectation(level, depth)
        return self.fill_best(level, player, depth)

    cdef int fill_expectation(self, Level level, int depth) except -1 nogil:
        cdef int count = self.list_outcomes(level)
        cdef int i, player, num_players = level.model.num_players
        memset(level.values, 0, num_players * sizeof(double))
        for i in range(count):
            player = self.descend(level, level.options[i])
            self.fill(level.below, player, depth)
            for player in range(num_players):
                level.values[player] += level.chances[i] * level.below.values[player]
        return 0

    cdef int fill_best(self, Level level, int player, int depth) except -1 nogil:
        """The values of the action that is best for the player; of the lowest one among equals."""
        cdef int count = level.model.c_legal_actions(level.options)
        cdef int32_t best = 0
        cdef double highest = -INFINITY, value
        cdef int i, next_player
        for i in range(count):
            next_player = self.descend(level, level.options[i])
            self.fill(level.below, next_player, depth - 1)
            value = level.below.values[player]
            if value > highest or (value == highest and level.options[i] < best):
                highest = value
                best = level.options[i]
                memcpy(level.values, level.below.values, level.model.num_players * sizeof(double))
        return 0


class Expectimax(LookaheadAgent):
    """Expectimax: looks at every action and every chance outcome some decisions ahead.

    Depth counts decisions of whatever player. At depth 1 each own action is valued right after it, before
    chance moves. Ends of the game count with their (expected) returns. Each player is taken to maximise
    their own value, which in two-player zero-sum games is minimax and with more players max^n (Luckhardt
    and Irani 1986, "An algorithmic solution of N-person games"). Where a game repeats draws (a tile that
    fits nowhere is set aside) only the last draw counts: what is set aside would change but the chances
    of later ones, and its orders are too many to follow.

    With a budget the search deepens from depth 1 until the budget is spent and answers from the deepest
    search that was finished; the one to depth 1 always is. Without one it takes as long as it takes:
    the number of positions grows with actions times outcomes for each further decision.

    Args:
        depth: Decisions to look ahead, 1 to 1000; with a budget, the most.
        heuristic: One of the model's ``heuristics``, None for the first of them, or a function of a model,
            which it must not change, and a player that returns a finite estimate of that player's return.
        max_positions: Budget in positions valued, by the heuristic or as ends of the game.
        time_limit: Budget in seconds.
        seed: None, an int >= 0, a numpy SeedSequence or Generator, or an `Rng` to start from. It decides
            between root actions whose values differ by less than one part in 10^12.

    Raises:
        ValueError: If an argument is out of range.
    """

    name = "expectimax"
    search_class = ExpectimaxSearch
