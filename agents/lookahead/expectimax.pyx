"""Expectimax: every action and every outcome, for every player."""

cimport cython
from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

from agents.forward_model cimport CHANCE, TERMINAL, ForwardModel
from agents.lookahead.lookahead cimport Level, Lookahead


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
