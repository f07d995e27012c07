"""*-minimax: what expectimax finds in two-player zero-sum games, without what cannot change the choice.

A search has a window (alpha, beta). What it answers is exact inside; an answer <= alpha is only an upper
bound of the value, one >= beta a lower bound (fail-soft). Decisions hand the window down as alpha-beta
does, and without chance nodes nothing else happens. Chance nodes hand down what it says about one outcome
if all others were as good, or as bad, as can be; for this every value must lie in [lower, upper].
"""

import warnings

cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

from agents.forward_model cimport CHANCE, TERMINAL, ForwardModel
from agents.lookahead.line cimport Level, Lookahead

from agents.checks import check_count, check_number
from agents.lookahead.planner import LookaheadAgent


cdef enum:
    MAX_PROBES = 1000
    ALL = 0x7FFFFFFF   # as the end of a range of actions


@cython.final
cdef class StarSearch(Lookahead):
    cdef double lower
    cdef double upper
    cdef int probing_factor             # actions probed behind each outcome
    cdef int64_t decision_cutoffs
    cdef int64_t chance_cutoffs
    cdef int64_t probe_cutoffs

    def __init__(
        self,
        ForwardModel root not None,
        heuristic,
        max_positions,
        time_limit,
        double lower,
        double upper,
        int probing_factor,
    ):
        if root.num_players > 2:
            raise ValueError(
                f"*-minimax is for one or two players, got {root.num_players}; Expectimax is for any number"
            )
        super().__init__(root, heuristic, max_positions, time_limit)
        self.lower = lower
        self.upper = upper
        self.probing_factor = probing_factor

    @property
    def cutoffs(self):
        return {
            "decision": self.decision_cutoffs,
            "chance": self.chance_cutoffs,
            "probing": self.probe_cutoffs,
        }

    cdef double action_value(self, int32_t action, int depth, double alpha) except? -1.5e308 nogil:
        cdef int player = self.descend(self.top, action)
        return self.value(self.top.below, player, depth, max(alpha, self.lower), self.upper)

    cdef double value(
        self, Level level, int player, int depth, double alpha, double beta
    ) except? -1.5e308 nogil:
        """The value of a level where `player` is to move."""
        if player == TERMINAL or depth == 0:
            return self.leaf_value(level, player)
        if player == CHANCE:
            return self.chance_value(level, depth, alpha, beta)
        return self.decision_value(level, player, depth, 0, ALL, 0, alpha, beta)

    cdef double leaf_value(self, Level level, int player) except? -1.5e308 nogil:
        cdef double value
        self.evaluate(level, player == TERMINAL)
        value = level.values[self.player]
        self.num_clipped += not self.lower <= value <= self.upper
        return max(self.lower, min(self.upper, value))

    cdef double decision_value(
        self,
        Level level,
        int player,
        int depth,
        int first,
        int end,
        double best,
        double alpha,
        double beta,
    ) except? -1.5e308 nogil:
        """The best over the actions [first, end), and over those before, which had `best`."""
        cdef int sign = 1 if player == self.player else -1
        cdef double value
        cdef int i, next_player
        end = min(end, self.list_actions(level))
        for i in range(first, end):
            if i:
                if sign > 0:
                    alpha = max(alpha, best)
                else:
                    beta = min(beta, best)
                if alpha >= beta:
                    self.decision_cutoffs += 1
                    break
            next_player = self.descend(level, level.options[i])
            value = self.value(level.below, next_player, depth - 1, alpha, beta)
            if i == 0 or sign * value > sign * best:
                best = value
        return best

    cdef int list_actions(self, Level level) except -1 nogil:
        cdef int count = level.model.c_legal_actions(level.options)
        level.model.c_order_actions(level.options, count)
        return count

    cdef double chance_value(self, Level level, int depth, double alpha, double beta) except? -1.5e308 nogil:
        """The expectation over the outcomes."""
        cdef int i, count = self.list_outcomes(level)
        cdef double low = 0, high = 0   # of the outcomes probed so far
        for i in range(count):
            level.lowers[i] = self.lower
            level.uppers[i] = self.upper
        sum_rests(level, count)
        for i in range(count if self.probing_factor else 0):
            self.probe(level, i, depth)
            low += level.chances[i] * level.lowers[i]
            high += level.chances[i] * level.uppers[i]
            if high + level.rest_uppers[i] <= alpha:
                self.probe_cutoffs += 1
                return high + level.rest_uppers[i]
            if low + level.rest_lowers[i] >= beta:
                self.probe_cutoffs += 1
                return low + level.rest_lowers[i]
        sum_rests(level, count)
        return self.expectation(level, count, depth, alpha, beta)

    cdef int probe(self, Level level, int i, int depth) except -1 nogil:
        """Bounds the value after an outcome by its first actions (Star2)."""
        cdef double value
        cdef int player = self.descend(level, level.options[i])
        if player == TERMINAL:
            level.lowers[i] = level.uppers[i] = self.leaf_value(level.below, player)
        elif player != CHANCE:
            value = self.decision_value(
                level.below, player, depth, 0, self.probing_factor, 0, self.lower, self.upper
            )
            if player == self.player:
                level.lowers[i] = value
            else:
                level.uppers[i] = value
        return 0

    cdef double expectation(
        self, Level level, int count, int depth, double alpha, double beta
    ) except? -1.5e308 nogil:
        """Searches each outcome only as exactly as the window asks (Star1)."""
        cdef double total = 0, p, value, a, b
        cdef int i
        for i in range(count):
            p = level.chances[i]
            a = (alpha - total - level.rest_uppers[i]) / p
            b = (beta - total - level.rest_lowers[i]) / p
            value = self.outcome_value(level, i, depth, a, b)
            if value <= a or value >= b:
                self.chance_cutoffs += i + 1 < count
                if value <= a:
                    return min(alpha, total + p * value + level.rest_uppers[i])
                return max(beta, total + p * value + level.rest_lowers[i])
            total += p * value
        return total

    cdef double outcome_value(
        self, Level level, int i, int depth, double alpha, double beta
    ) except? -1.5e308 nogil:
        """The value after an outcome, going on where probing stopped."""
        cdef double low = level.lowers[i], high = level.uppers[i]
        cdef int player
        if low == high:
            return low
        player = self.descend(level, level.options[i])
        alpha = max(alpha, low)
        beta = min(beta, high)
        if self.probing_factor == 0:
            return self.value(level.below, player, depth, alpha, beta)
        self.nodes -= 1   # counted while probing
        if player == CHANCE:
            return self.value(level.below, player, depth, alpha, beta)
        return self.decision_value(
            level.below,
            player,
            depth,
            self.probing_factor,
            ALL,
            low if player == self.player else high,
            alpha,
            beta,
        )


cdef void sum_rests(Level level, int count) noexcept nogil:
    """Fills the bounds of the outcomes behind each one; summed up, not down, so that the last are 0."""
    cdef double low = 0, high = 0
    cdef int i
    for i in range(count - 1, -1, -1):
        level.rest_lowers[i] = low
        level.rest_uppers[i] = high
        low += level.chances[i] * level.lowers[i]
        high += level.chances[i] * level.uppers[i]


class StarMinimax(LookaheadAgent):
    """*-minimax: the choice of `Expectimax` in games of one or two players, from fewer positions.

    It finds the value that `Expectimax` finds to the same depth, with its values moved into
    [lower, upper], as long as what is good for one player is as bad for the other: where another player
    moves, the least value to the searching player is taken. Without chance nodes it is minimax with
    alpha-beta. A root action that is worse than the best one is valued only as far as it takes to know it.

    The model's `order_actions` says what is searched first; while deepening, at the root, the values of
    the search before do.

    Args:
        depth: Decisions to look ahead, 1 to 1000; with a budget, the most.
        heuristic: One of the model's ``heuristics``, None for the first of them, or a function of a model,
            which it must not change, and a player that returns a finite estimate of that player's return.
        lower: Least value that counts, in units of the returns; lesser ones are taken as this, with a
            warning.
        upper: Largest value that counts. The closer the bounds, the more is left out.
        probing_factor: 0 for Star1 (Ballard 1983, "The *-minimax search procedure for trees containing
            chance nodes"): a chance node is left when the outcomes to come cannot make up for those before.
            1 for Star2, more for Star2.5 (Hauk, Buro and Schaeffer 2004, "*-minimax performance in
            backgammon"): so many actions behind each outcome are searched first, which bounds its value
            from one side. What was found there is not searched again.
        max_positions: Budget in positions valued, by the heuristic or as ends of the game.
        time_limit: Budget in seconds.
        seed: None, an int >= 0, a numpy SeedSequence or Generator, or an `Rng` to start from. It decides
            between root actions whose values differ by less than one part in 10^12.

    Raises:
        ValueError: If an argument is out of range; by searches of games of more than two players.
    """

    name = "star-minimax"
    search_class = StarSearch

    def __init__(
        self,
        depth=None,
        heuristic=None,
        lower=-1.0,
        upper=1.0,
        probing_factor=0,
        *,
        max_positions=None,
        time_limit=None,
        seed=None,
    ):
        super().__init__(
            depth, heuristic, max_positions=max_positions, time_limit=time_limit, seed=seed
        )
        check_number("lower", lower, -INFINITY, INFINITY)
        check_number("upper", upper, lower, INFINITY, is_open=True)
        check_count("probing_factor", probing_factor, 0, MAX_PROBES)
        self.lower = lower
        self.upper = upper
        self.probing_factor = probing_factor

    def search(self, game):
        result = super().search(game)
        if result.num_clipped:
            warnings.warn(
                f"{result.num_clipped} of {result.positions} values lay outside [lower, upper] = "
                f"[{self.lower:g}, {self.upper:g}] and were taken as the bound",
                RuntimeWarning,
                stacklevel=2,
            )
        return result

    def _lookahead(self, model, is_other=False):
        return StarSearch(
            model,
            self.heuristic,
            self.max_positions,
            self.time_limit,
            -self.upper if is_other else self.lower,
            -self.lower if is_other else self.upper,
            self.probing_factor,
        )
