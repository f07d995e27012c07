"""*-minimax: expectimax for two-player zero-sum games that skips positions which cannot change the choice.

Each position is searched with a window (alpha, beta). A result between alpha and beta is the exact value;
a result <= alpha is an upper bound of the value, a result >= beta a lower bound (fail-soft). Decisions
pass the window down as alpha-beta does; in a game without chance nodes *-minimax is alpha-beta. A chance
node gives each outcome a window of its own: outside of it, the value of the chance node is outside of its
window even if all later outcomes have their best, or their worst, possible value. For this every value
must lie in [lower, upper].
"""

cimport cython
from libc.stdint cimport int32_t, int64_t

from agents.forward_model cimport CHANCE, TERMINAL, ForwardModel, check_zero_sum
from agents.lookahead.lookahead cimport Level, Lookahead

from agents.formulas.position_formula import Heuristic


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
        (<ForwardModel> self.models[0]).c_order_actions(self.actions, self.num_actions)

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
        if level.player == TERMINAL:
            check_zero_sum(<ForwardModel> level.model, level.values)
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
