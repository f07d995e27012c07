"""Depth-limited search: the line of positions, its statistics and its budget."""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.time cimport perf_counter

import numpy as np

from libc.math cimport INFINITY, fabs, isfinite
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc

from agents.forward_model cimport CHANCE, ForwardModel

from agents.checks import heuristic_index


cdef enum:
    MAX_LINE = 5000         # positions in a line, for each of which the searches call themselves
    CHECK_INTERVAL = 2048   # positions between two looks at the clock, where no Python code runs

cdef int64_t NO_BUDGET = 2**62

# Two values of root actions that differ by less, relative to the larger or to 1, are a tie.
cdef double TIE = 1e-12
globals().update(TIE=TIE)


class OutOfBudgetError(Exception):
    """The budget was spent before a search was through."""


@cython.final
cdef class Level:
    def __cinit__(self, ForwardModel model not None):
        cdef int width = max(model.max_legal_actions, model.max_chance_outcomes)
        self.model = model.c_clone()
        self.options = <int32_t*> malloc(width * sizeof(int32_t))
        self.chances = <double*> malloc(5 * width * sizeof(double))
        self.lowers = self.chances + width
        self.uppers = self.lowers + width
        self.rest_lowers = self.uppers + width
        self.rest_uppers = self.rest_lowers + width
        self.values = <double*> malloc(model.num_players * sizeof(double))
        if self.options == NULL or self.chances == NULL or self.values == NULL:
            raise MemoryError("no memory for a level of the search")

    def __dealloc__(self):
        free(self.options)
        free(self.chances)
        free(self.values)


cdef class Lookahead:
    """Searches of one position, to one depth after another.

    Args:
        root: The position, in which a player is to move; not changed.
        heuristic: One of the model's ``heuristics``, None for the first of them, or a function of
            (model, player).
        max_positions: Budget in positions valued, or None.
        time_limit: Budget in seconds from now, or None.

    Raises:
        ValueError: If the model does not know the heuristic.
    """

    def __cinit__(self, ForwardModel root not None, *args):
        self.top = Level(root)
        self.actions = <int32_t*> malloc(root.max_legal_actions * sizeof(int32_t))
        self.values = <double*> malloc(root.max_legal_actions * sizeof(double))
        self.are_exact = <uint8_t*> malloc(root.max_legal_actions)
        if self.actions == NULL or self.values == NULL or self.are_exact == NULL:
            raise MemoryError("no memory for a search")

    def __init__(self, ForwardModel root not None, heuristic, max_positions, time_limit):
        self.player = root.c_current_player()
        self.repeats_draws = root.repeats_draws
        self.heuristic = _index(root, heuristic)
        self.function = heuristic if callable(heuristic) else None
        self.max_positions = max_positions or NO_BUDGET
        self.deadline = perf_counter() + (time_limit or INFINITY)
        self.num_actions = self.top.model.c_legal_actions(self.actions)
        self.top.model.c_order_actions(self.actions, self.num_actions)

    def __dealloc__(self):
        free(self.actions)
        free(self.values)
        free(self.are_exact)

    @property
    def has_heuristic(self):
        """Whether positions before the end can be valued."""
        return self.heuristic >= 0 or self.function is not None

    @property
    def cutoffs(self):
        """How often what was left out, by kind."""
        return {}

    def search(self, depth):
        """Values every root action, `depth` decisions ahead.

        Returns:
            (actions int32[n], values float64[n], are_exact bool[n]), actions ascending.

        Raises:
            OutOfBudgetError: If the budget is spent before, at a depth of more than 1.
        """
        self.depth = depth
        self.is_complete = True
        self.next_check = self.positions
        if self.top.model.needs_gil or self.function is not None:
            self.search_actions()
        else:
            with nogil:
                self.search_actions()
        actions = np.asarray(<int32_t[:self.num_actions]> self.actions)
        values = np.asarray(<double[:self.num_actions]> self.values)
        are_exact = np.asarray(<uint8_t[:self.num_actions]> self.are_exact)
        order = np.argsort(actions)
        found = actions[order], values[order], are_exact[order].astype(bool)
        actions[:] = actions[np.argsort(-values, kind="stable")]   # the best come first next time
        return found

    cdef int search_actions(self) except -1 nogil:
        cdef double alpha = -INFINITY, best = -INFINITY
        cdef int i
        for i in range(self.num_actions):
            if not self.is_exhaustive and i:
                alpha = best - TIE * max(1, fabs(best))   # so that ties are exact
            self.values[i] = self.action_value(self.actions[i], self.depth - 1, alpha)
            self.are_exact[i] = self.is_exhaustive or self.values[i] > alpha
            best = max(best, self.values[i])
        return 0

    cdef double action_value(self, int32_t action, int depth, double alpha) except? -1.5e308 nogil:
        raise NotImplementedError("action_value")

    cdef int list_outcomes(self, Level level) except -1 nogil:
        cdef int i, kept = 0, count = level.model.c_chance_outcomes(level.options, level.chances)
        cdef double mass = 0
        if not self.repeats_draws:
            return count
        for i in range(count):
            if self.descend(level, level.options[i]) != CHANCE:
                level.options[kept] = level.options[i]
                level.chances[kept] = level.chances[i]
                mass += level.chances[i]
                kept += 1
        self.nodes -= count   # they are counted when they are searched
        if kept == 0:         # all are set aside, in whatever order
            kept = 1
            mass = level.chances[0]
        for i in range(kept):
            level.chances[i] /= mass
        return kept

    cdef int descend(self, Level level, int32_t option) except? -99 nogil:
        if level.below is None:
            with gil:
                if level.height == MAX_LINE:
                    raise RecursionError(f"the search met a line of {MAX_LINE} actions and outcomes")
                level.below = Level(level.model)
                level.below.height = level.height + 1
        level.below.model.c_copy_from(level.model)
        level.below.model.c_apply_action(option)
        self.nodes += 1
        return level.below.model.c_current_player()

    cdef int evaluate(self, Level level, bint is_over) except -1 nogil:
        if self.positions >= self.next_check:
            with gil:
                self.check()
        self.positions += 1
        if is_over:
            return level.model.c_returns(level.values)
        self.is_complete = False
        if self.heuristic >= 0:
            return level.model.c_heuristic(self.heuristic, level.values)
        with gil:
            return self.call_function(level)

    cdef int check(self) except -1:
        PyErr_CheckSignals()
        if self.depth > 1 and (self.positions >= self.max_positions or perf_counter() >= self.deadline):
            raise OutOfBudgetError
        is_slow = self.function is not None or self.top.model.needs_gil
        self.next_check = min(self.positions + (1 if is_slow else CHECK_INTERVAL), self.max_positions)
        return 0

    cdef int call_function(self, Level level) except -1:
        cdef int player
        if self.function is None:
            raise ValueError(
                f"{type(level.model).__name__} has no heuristics: search to the end, or give a function"
            )
        for player in range(level.model.num_players):
            if not self.is_exhaustive and player != self.player:
                continue
            level.values[player] = self.function(level.model, player)
            if not isfinite(level.values[player]):
                raise ValueError(
                    f"the heuristic must be finite, got {level.values[player]} for {level.model!r}"
                )
        return 0


def _index(model, heuristic):
    """The index of a heuristic; -1 for functions, and for None in games without."""
    if callable(heuristic) or (heuristic is None and not model.heuristics):
        return -1
    return heuristic_index(model, heuristic, also="a function or ")
