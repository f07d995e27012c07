"""Expectimax: every action and every outcome, for every player."""

cimport cython
from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

from agents.forward_model cimport CHANCE, TERMINAL, ForwardModel
from agents.lookahead.line cimport Level, Lookahead

from agents.lookahead.planner import LookaheadAgent


@cython.final
cdef class ExpectimaxSearch(Lookahead):
    def __cinit__(self, *args):
        self.is_exhaustive = True

    cdef double action_value(self, int32_t action, double alpha) except? -1.5e308 nogil:
        self.descend(self.top, action)
        self.open(self.top.below)
        self.search_below(self.top.below)
        return self.top.below.values[self.player]

    cdef int open(self, Level* level) except -1 nogil:
        """Values a leaf; lists the options of any other level."""
        level.next = level.count = 0
        if level.player == TERMINAL or level.depth == 0:
            return self.evaluate(level)
        if level.player == CHANCE:
            memset(level.values, 0, self.num_players * sizeof(double))
            return self.list_outcomes(level)
        level.count = (<ForwardModel> level.model).c_legal_actions(level.options)
        return 0

    cdef bint go_down(self, Level* level) except -1 nogil:
        while level.next < level.count:
            self.descend(level, level.options[level.next])
            self.open(level.below)
            if level.below.count:
                return True
            self.take(level)
        return False

    cdef int take(self, Level* level) except -1 nogil:
        if level.player == CHANCE:
            self.add_outcome(level)
        else:
            self.compare_action(level)
        level.next += 1
        return 0

    cdef void add_outcome(self, Level* level) noexcept nogil:
        cdef double chance = level.chances[level.next]
        cdef int player
        for player in range(self.num_players):
            level.values[player] += chance * level.below.values[player]

    cdef void compare_action(self, Level* level) noexcept nogil:
        """Keeps the values of the action that is best for its player; of equals, the lowest action's."""
        cdef int32_t action = level.options[level.next]
        cdef double value = level.below.values[level.player], best = level.values[level.player]
        if level.next == 0 or value > best or (value == best and action < level.best):
            level.best = action
            memcpy(level.values, level.below.values, self.num_players * sizeof(double))


class Expectimax(LookaheadAgent):
    """Expectimax: searches every action and every chance outcome, some decisions ahead.

    Depth counts the decisions of all players. At depth 1 each own action is valued right after it, before
    chance moves. At the end of the game the value is the (expected) return. Each player is taken to
    maximise their own value: this is minimax in two-player zero-sum games and max^n with more players
    (Luckhardt and Irani 1986, "An algorithmic solution of N-person games").

    Some games repeat draws: in Carcassonne a tile that fits nowhere is set aside and another one is drawn.
    The search considers the last of these draws only. The tiles set aside would merely change the
    probabilities of later draws, and there are too many orders of them to follow.

    With a budget, the search first looks 1 decision ahead, which it always finishes, then 2, and so on.
    When the budget is spent, the deepest finished search gives the answer. Without a budget nothing limits
    the search: each further decision multiplies the number of positions by the number of actions and by
    the number of outcomes.

    Args:
        depth: Number of decisions to look ahead, 1 to 1000; with a budget, the largest number. None means
            1, or 1000 with a budget.
        heuristic: One of the model's ``heuristics``, None for the first of them, a `PositionFormula` or the
            text of one, or a function of (model, player) that returns a finite estimate of this player's
            return and does not change the model. Values of formulas are moved into [-1, 1].
        max_positions: Budget in positions valued, by the heuristic or as ends of the game.
        time_limit: Budget in seconds.
        seed: None, an int >= 0, a numpy SeedSequence or Generator, or an `Rng`. It decides
            between root actions whose values differ by less than one part in 10^12.

    Raises:
        ValueError: If an argument is out of range.
    """

    name = "expectimax"
    search_class = ExpectimaxSearch
