"""*-minimax: expectimax for two-player zero-sum games that skips positions which cannot change the choice.

Each position is searched with a window (alpha, beta). A result between alpha and beta is the exact value;
a result <= alpha is an upper bound of the value, a result >= beta a lower bound (fail-soft). Decisions
pass the window down as alpha-beta does; in a game without chance nodes *-minimax is alpha-beta. A chance
node gives each outcome a window of its own: outside of it, the value of the chance node is outside of its
window even if all later outcomes have their best, or their worst, possible value. For this every value
must lie in [lower, upper].
"""

from typing import TYPE_CHECKING
import warnings

cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

from agents.forward_model cimport CHANCE, TERMINAL, ForwardModel
from agents.lookahead.line cimport Level, Lookahead

from agents.checks import check_count, check_number
from agents.lookahead.planner import LookaheadAgent

if TYPE_CHECKING:
    from agents.formulas.position_formula import Heuristic
    from agents.rng import Seed


cdef enum:
    MAX_PROBES = 1000   # largest `probing_factor`


@cython.final
cdef class StarSearch(Lookahead):
    cdef double lower
    cdef double upper
    cdef int probing_factor         # number of actions probed after each outcome
    cdef int64_t decision_cutoffs   # how often the rest of a position's options was left out
    cdef int64_t chance_cutoffs
    cdef int64_t probe_cutoffs

    def __cinit__(
        self,
        ForwardModel root not None,
        heuristic: Heuristic,
        max_positions: int | None,
        time_limit: float | None,
        double lower,
        double upper,
        int probing_factor,
    ):
        if root.num_players > 2:
            raise ValueError(
                f"*-minimax is for one or two players, got {root.num_players}; Expectimax is for any number"
            )
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

    cdef double action_value(self, int32_t action, double alpha) except? -1.5e308 nogil:
        self.descend(self.top, action)
        self.open(self.top.below, max(alpha, self.lower), self.upper)
        self.search_below(self.top.below)
        return self.top.below.value

    cdef int open(self, Level* level, double alpha, double beta) except -1 nogil:
        """Values a leaf; lists the options of any other level, to be searched with this window."""
        level.next = level.count = 0
        level.alpha = alpha
        level.beta = beta
        if level.player == TERMINAL or level.depth == 0:
            return self.open_leaf(level)
        if level.player == CHANCE:
            return self.open_chance_node(level)
        level.count = (<ForwardModel> level.model).c_legal_actions(level.options)
        return (<ForwardModel> level.model).c_order_actions(level.options, level.count)

    cdef int open_leaf(self, Level* level) except -1 nogil:
        cdef double value
        self.evaluate(level)
        value = level.values[self.player]
        self.num_clipped += not self.lower <= value <= self.upper
        level.value = max(self.lower, min(self.upper, value))
        return 0

    cdef int open_chance_node(self, Level* level) except -1 nogil:
        cdef int i
        self.list_outcomes(level)
        for i in range(level.count):
            level.lowers[i] = self.lower
            level.uppers[i] = self.upper
        sum_rests(level)
        level.value = 0
        level.is_probing = self.probing_factor > 0
        level.low = level.high = 0
        return 0

    cdef bint go_down(self, Level* level) except -1 nogil:
        while level.next < level.count:
            if level.player != CHANCE:
                self.go_to_action(level)
            elif level.is_probing:
                self.go_to_probe(level)
            else:
                self.go_to_outcome(level)
            if level.below.next < level.below.count:
                return True
            self.take(level)
        return False

    cdef int take(self, Level* level) except -1 nogil:
        if level.player != CHANCE:
            self.take_action(level)
        elif level.is_probing:
            self.take_probe(level)
        else:
            self.take_outcome(level)
        return 0

    cdef int go_to_action(self, Level* level) except -1 nogil:
        self.descend(level, level.options[level.next])
        return self.open(level.below, level.alpha, level.beta)

    cdef void take_action(self, Level* level) noexcept nogil:
        cdef int sign = 1 if level.player == self.player else -1
        if level.next == 0 or sign * level.below.value > sign * level.value:
            level.value = level.below.value
        level.next += 1
        self.narrow_window(level)

    cdef void narrow_window(self, Level* level) noexcept nogil:
        """Narrows the window by the value so far; leaves out later actions if none is left (alpha-beta)."""
        if level.player == self.player:
            level.alpha = max(level.alpha, level.value)
        else:
            level.beta = min(level.beta, level.value)
        if level.alpha >= level.beta and level.next < level.count:
            self.decision_cutoffs += 1
            level.next = level.count

    cdef int go_to_probe(self, Level* level) except -1 nogil:
        """Opens the next outcome with its first actions only, which bound the value after it (Star2)."""
        self.descend(level, level.options[level.next])
        if level.below.player == CHANCE:
            level.below.next = level.below.count = 0   # it is not probed
            return 0
        self.open(level.below, self.lower, self.upper)
        level.below.count = min(level.below.count, self.probing_factor)
        return 0

    cdef void take_probe(self, Level* level) noexcept nogil:
        cdef int i = level.next, player = level.below.player
        if player == self.player or player == TERMINAL:
            level.lowers[i] = level.below.value
        if player != self.player and player != CHANCE:
            level.uppers[i] = level.below.value
        level.low += level.chances[i] * level.lowers[i]
        level.high += level.chances[i] * level.uppers[i]
        level.next += 1
        if level.high + level.rest_uppers[i] <= level.alpha:
            self.probe_cutoffs += 1
            finish(level, level.high + level.rest_uppers[i])
        elif level.low + level.rest_lowers[i] >= level.beta:
            self.probe_cutoffs += 1
            finish(level, level.low + level.rest_lowers[i])
        elif level.next == level.count:
            level.is_probing = False
            level.next = 0
            sum_rests(level)

    cdef int go_to_outcome(self, Level* level) except -1 nogil:
        """Opens the next outcome with the window that the value of the chance node needs (Star1)."""
        cdef int i = level.next
        cdef double low = level.lowers[i], high = level.uppers[i]
        if low == high:   # probing found the value, so nothing is left to search
            level.below.next = level.below.count = 0
            level.below.value = low
            return 0
        self.descend(level, level.options[i])
        self.open(level.below, max(outcome_alpha(level), low), min(outcome_beta(level), high))
        if self.probing_factor:
            self.nodes -= 1   # the outcome was counted when it was probed
            if level.below.player != CHANCE:
                level.below.next = self.probing_factor   # the actions before were probed
                level.below.value = low if level.below.player == self.player else high
                self.narrow_window(level.below)
        return 0

    cdef void take_outcome(self, Level* level) noexcept nogil:
        cdef int i = level.next
        cdef double value = level.below.value, total = level.value + level.chances[i] * value
        cdef bint is_low = value <= outcome_alpha(level), is_high = value >= outcome_beta(level)
        level.next += 1
        level.value = total
        if is_low or is_high:
            self.chance_cutoffs += level.next < level.count
            if is_low:
                finish(level, min(level.alpha, total + level.rest_uppers[i]))
            else:
                finish(level, max(level.beta, total + level.rest_lowers[i]))


cdef inline double outcome_alpha(Level* level) noexcept nogil:
    """The value of the next outcome up to which the level's value is at most its alpha."""
    return (level.alpha - level.value - level.rest_uppers[level.next]) / level.chances[level.next]


cdef inline double outcome_beta(Level* level) noexcept nogil:
    """The value of the next outcome from which the level's value is at least its beta."""
    return (level.beta - level.value - level.rest_lowers[level.next]) / level.chances[level.next]


cdef inline void finish(Level* level, double value) noexcept nogil:
    """Leaves out the rest of the options."""
    level.value = value
    level.next = level.count


cdef void sum_rests(Level* level) noexcept nogil:
    """Fills the bounds of the sums over later outcomes, from the last one, so that its are exactly 0."""
    cdef double low = 0, high = 0
    cdef int i
    for i in range(level.count - 1, -1, -1):
        level.rest_lowers[i] = low
        level.rest_uppers[i] = high
        low += level.chances[i] * level.lowers[i]
        high += level.chances[i] * level.uppers[i]


class StarMinimax(LookaheadAgent):
    """*-minimax: makes the choice of `Expectimax` in games of one or two players from fewer positions.

    It finds the value that `Expectimax` finds to the same depth if all values are moved into
    [lower, upper] and the game is zero-sum: where the other player moves, it takes the least value to the
    player who searches. In games without chance nodes it is minimax with alpha-beta. The value of a root
    action that is worse than the best one is only an upper bound.

    The search leaves out more if strong actions come first. The model's `ordered_actions` decides which come
    first; at the root, each deeper search starts with the best actions of the search before.

    Args:
        depth: Number of decisions to look ahead, 1 to 1000; with a budget, the largest number. None means
            1, or 1000 with a budget.
        heuristic: One of the model's ``heuristics``, None for the first of them, a `PositionFormula` or the
            text of one, or a function of (model, player) that returns a finite estimate of this player's
            return and does not change the model. Values of formulas are moved into [-1, 1].
        lower: Lower bound of the values, in units of the returns. Lesser values are replaced by it, with a
            warning.
        upper: Upper bound of the values, greater than ``lower``. The closer the bounds, the more is left
            out.
        probing_factor: Number of actions after each outcome of a chance node that are searched before
            any outcome is searched in full; they bound the value after the outcome from one side. They
            are not searched again. 0 is Star1 (Ballard 1983, "The *-minimax search procedure for trees
            containing chance nodes"), which leaves a chance node only when the outcomes to come cannot
            make up for those before. 1 is Star2, more is Star2.5 (Hauk, Buro and Schaeffer 2004,
            "*-minimax performance in backgammon").
        max_positions: Budget in positions valued, by the heuristic or as ends of the game.
        time_limit: Budget in seconds.
        seed: None, an int >= 0, a numpy SeedSequence or Generator, or an `Rng`. It decides
            between root actions whose values differ by less than one part in 10^12.

    Raises:
        ValueError: If an argument is out of range. ``search`` and ``act`` raise it for games of more than
            two players.
    """

    lower: float
    upper: float
    probing_factor: int

    name = "star-minimax"
    search_class = StarSearch

    @cython.annotation_typing(False)   # the annotations are for specifications
    def __init__(
        self,
        depth: int | None = None,
        heuristic: Heuristic = None,
        lower: float = -1.0,
        upper: float = 1.0,
        probing_factor: int = 0,
        *,
        max_positions: int | None = None,
        time_limit: float | None = None,
        seed: Seed = None,
    ):
        super().__init__(
            depth, heuristic, max_positions=max_positions, time_limit=time_limit, seed=seed
        )
        check_number("lower", lower, -INFINITY, INFINITY)
        check_number("upper", upper, lower, INFINITY, is_open=True)
        probing_factor = check_count("probing_factor", probing_factor, 0, MAX_PROBES)
        self.lower = lower
        self.upper = upper
        self.probing_factor = probing_factor

    def search(self, game, *, watch=None):
        result = super().search(game, watch=watch)
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
