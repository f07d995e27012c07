"""Depth-limited search: the line of positions, the walk along it, the budget and the statistics."""

from typing import TYPE_CHECKING
from cpython.exc cimport PyErr_CheckSignals
from cpython.ref cimport PyObject
from cpython.time cimport perf_counter

import numpy as np

from agents.agent import WATCH_SECONDS, Watch
from agents.formulas.position_formula import Heuristic

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from agents.formulas.valuation cimport ALL_PLAYERS, Valuation
from agents.forward_model cimport CHANCE, TERMINAL, ForwardModel, allocated, bytes_at, data_of, give_way

if TYPE_CHECKING:
    TIE: float


cdef enum:
    MAX_LINE = 5000         # largest number of actions and outcomes since the root
    CHECK_INTERVAL = 2048   # positions valued between two checks of clock and signals, in compiled games

cdef int64_t NO_BUDGET = 2**62

# Two values of root actions tie if they differ by less than this times the larger of |value| and 1.
cdef double TIE = 1e-12
globals().update(TIE=TIE)


class OutOfBudgetError(Exception):
    """The budget was spent before the search was finished."""


cdef class Lookahead:
    """Searches of one position, each to a given depth.

    Args:
        root: The position, in which a player is to move. It is not changed.
        heuristic: One of the model's ``heuristics``, None for the first of them, a function of (model,
            player), a `PositionFormula`, or the text of one that has a function, a factor or a place.
        max_positions: Budget in positions valued, or None.
        time_limit: Budget in seconds from now, or None.

    Raises:
        ValueError: If no player is to move, the model does not have the heuristic, or a formula does not fit
            the game.
        MemoryError: If the lists of actions and outcomes do not fit into memory.
    """

    watch: Watch | None

    def __cinit__(
        self,
        ForwardModel root not None,
        heuristic: Heuristic,
        max_positions: int | None,
        time_limit: float | None,
        *args: Any,
    ):
        self.models = []
        self.num_players = root.num_players
        self.num_outcomes = root.max_chance_outcomes
        self.width = max(root.max_legal_actions, root.max_chance_outcomes)
        self.add_level(NULL, root.clone())   # nothing is shared with other searches
        self.actions = <int32_t*> allocated(self.width * sizeof(int32_t))
        self.values = <double*> allocated(self.width * sizeof(double))
        self.are_exact = <uint8_t*> allocated(self.width)
        cdef ForwardModel model = self.models[0]
        self.player = self.top.player = model.c_current_player()
        if self.player < 0:
            raise ValueError(f"a player must be to move, the current player is {self.player}")
        self.repeats_draws = root.repeats_draws
        self.valuation = Valuation(root, heuristic)
        self.runs_python = root.needs_gil or self.valuation.runs_python
        self.max_positions = max_positions or NO_BUDGET
        self.deadline = perf_counter() + (time_limit or INFINITY)
        self.num_actions = model.c_legal_actions(self.actions)

    def __dealloc__(self):
        cdef Level* level
        while self.top != NULL:
            level = self.top
            self.top = level.below
            free(level)
        free(self.actions)
        free(self.values)
        free(self.are_exact)

    @property
    def cutoffs(self) -> dict[str, int]:
        """How often the rest of a position's options was left out, by kind of cutoff."""
        return {}

    def search(self, depth: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values every root action, `depth` decisions ahead.

        Returns:
            (actions int32[n], values float64[n], are_exact bool[n]), actions ascending.

        Raises:
            OutOfBudgetError: If depth > 1 and the budget is spent before the search is finished.
            RecursionError: If the game goes on for too many actions and outcomes.
        """
        self.depth = self.top.depth = depth
        self.is_complete = True
        self.next_check = self.positions
        if self.runs_python:
            self.search_actions()
        else:
            with nogil:
                self.search_actions()
        actions = np.frombuffer(bytes_at(self.actions, self.num_actions * sizeof(int32_t)), np.int32)
        values = np.frombuffer(bytes_at(self.values, self.num_actions * sizeof(double)), np.float64)
        are_exact = np.frombuffer(bytes_at(self.are_exact, self.num_actions), np.bool_)
        best_first = actions[np.argsort(-values, kind="stable")]   # as the next search takes them
        memcpy(self.actions, data_of(best_first), self.num_actions * sizeof(int32_t))
        order = np.argsort(actions)
        return actions[order], values[order], are_exact[order]

    cdef int search_actions(self) except -1 nogil:
        cdef double alpha = -INFINITY, best = -INFINITY
        cdef int i
        for i in range(self.num_actions):
            if not self.is_exhaustive and i:
                alpha = best - TIE * max(1, fabs(best))   # so that the values of ties are exact
            self.values[i] = self.action_value(self.actions[i], alpha)
            self.are_exact[i] = self.is_exhaustive or self.values[i] > alpha
            best = max(best, self.values[i])
        return 0

    cdef double action_value(self, int32_t action, double alpha) except? -1.5e308 nogil:
        raise NotImplementedError("action_value")

    cdef bint go_down(self, Level* level) except -1 nogil:
        raise NotImplementedError("go_down")

    cdef int take(self, Level* level) except -1 nogil:
        raise NotImplementedError("take")

    # A loop, because recursion to the length of a line can exceed a thread's stack.
    cdef int search_below(self, Level* level) except -1 nogil:
        cdef Level* start = level
        while True:
            if self.go_down(level):
                level = level.below
            elif level == start:
                return 0
            else:
                level = level.above
                self.take(level)

    cdef int descend(self, Level* level, int32_t option) except -1 nogil:
        cdef Level* below = level.below
        if below == NULL:
            with gil:
                self.add_level(level, <ForwardModel> level.model)
            below = level.below
        (<ForwardModel> below.model).c_copy_from(<ForwardModel> level.model)
        (<ForwardModel> below.model).c_apply_action(option)
        below.player = (<ForwardModel> below.model).c_current_player()
        below.depth = level.depth - (level.player != CHANCE)
        self.nodes += 1
        return 0

    cdef int add_level(self, Level* above, ForwardModel model) except -1:
        cdef size_t width = self.width, num_outcomes = self.num_outcomes   # so that the products have 64 bits
        cdef size_t size = sizeof(Level) + (5 * num_outcomes + self.num_players) * sizeof(double)
        cdef Level* level
        if above != NULL and above.height == MAX_LINE:
            raise RecursionError(f"the search met a line of {MAX_LINE} actions and outcomes")
        twin = model.c_clone()   # it may raise, and a level without a model must not be found
        # Not by `allocated`: the error names the width.
        level = <Level*> malloc(size + width * sizeof(int32_t))
        if level == NULL:
            raise MemoryError(f"no memory for a position with up to {width} actions or outcomes")
        memset(level, 0, sizeof(Level))
        level.values = <double*> (level + 1)
        level.chances = level.values + self.num_players
        level.lowers = level.chances + num_outcomes
        level.uppers = level.lowers + num_outcomes
        level.rest_lowers = level.uppers + num_outcomes
        level.rest_uppers = level.rest_lowers + num_outcomes
        level.options = <int32_t*> (level.rest_uppers + num_outcomes)
        level.above = above
        if above == NULL:
            self.top = level
        else:
            above.below = level
            level.height = above.height + 1
        self.models.append(twin)
        level.model = <PyObject*> twin
        return 0

    cdef int list_outcomes(self, Level* level) except -1 nogil:
        cdef int i, kept = 0
        cdef int count = (<ForwardModel> level.model).c_chance_outcomes(level.options, level.chances)
        cdef double mass = 0
        level.count = count
        if not self.repeats_draws:
            return 0
        for i in range(count):
            self.descend(level, level.options[i])
            if level.below.player != CHANCE:
                level.options[kept] = level.options[i]
                level.chances[kept] = level.chances[i]
                mass += level.chances[i]
                kept += 1
        self.nodes -= count   # they are counted when they are searched
        if kept == 0:         # every draw is repeated; any order of them leads to the same position
            kept = 1
            mass = level.chances[0]
        for i in range(kept):
            level.chances[i] /= mass
        level.count = kept
        return 0

    cdef int evaluate(self, Level* level) except -1 nogil:
        if self.positions >= self.next_check:
            with gil:
                self.check()
        self.positions += 1
        if level.player == TERMINAL:
            return (<ForwardModel> level.model).c_returns(level.values)
        self.is_complete = False
        return self.valuation.c_values(
            <ForwardModel> level.model, ALL_PLAYERS if self.is_exhaustive else self.player, level.values
        )

    cdef int check(self) except -1:
        cdef double now = perf_counter()
        if self.runs_python:
            self.next_turn = give_way(self.next_turn)
        PyErr_CheckSignals()
        if self.depth > 1 and (
            self.positions >= self.max_positions or now >= self.deadline or self.is_stopped(now)
        ):
            raise OutOfBudgetError
        interval = 1 if self.runs_python else CHECK_INTERVAL
        self.next_check = min(self.positions + interval, self.max_positions)
        return 0

    cdef bint is_stopped(self, double now) except -1:
        if self.watch is None or now < self.next_look:
            return False
        self.next_look = now + WATCH_SECONDS
        return bool(self.watch(None))
