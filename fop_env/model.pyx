# distutils: extra_compile_args = -O1
"""The forward model of the Function Optimisation Problem."""

from html import escape

import numpy as np

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from agents.forward_model cimport NO_PLAYER, TERMINAL, ForwardModel
from agents.rng cimport rng_below, rng_t, rng_uniform
from agents.struct_model cimport StructModel

from .problem cimport MAX_DIMENSIONS, Problem

from agents.checks import check_range

from . import picture as _picture
from .problem import Function


cdef enum:
    PICKLE_VERSION = 2

_FIRST = Problem()


ctypedef struct State:   # without padding, which would count in comparisons
    uint64_t index[MAX_DIMENSIONS]   # number of the interval in each dimension, among all of its depth
    int64_t depth                    # number of choices made by all players


@cython.final
cdef class FopModel(StructModel):
    """Find the maximum of a function on [0, 1] by choosing one of k equal parts again and again.

    Action i takes part i of the current interval, from left to right. The game is over when the interval
    is shorter than the threshold. The return is the function's value at the centre of the last interval.
    `sample_returns`, which planners use, is 1 with that probability and else 0. Interval bounds are
    quotients of integers, not sums, so they carry no accumulated rounding errors.

    In two dimensions the interval is a rectangle. The k * k actions are ``x + k * y``, with part x of the
    first dimension and part y of the second. A built-in f then stands for f(x) * f(y). Two players
    alternate. The second one minimises: its returns are those of the first with the opposite sign.

    The heuristic "centre" is the function's value at the centre of the current interval.

    Source: Valdez Ameneyro (2024, see the README), chapter 4, after Bubeck et al. (2011) and Finnsson and
    Bjoernsson (2011). The thesis prints a threshold of 1e-6; its tables are those of 1e-5.

    Args:
        function: "f1" (sin(pi x)), "f2" (0.5 sin(13x) sin(27x) + 0.5), "f3" (0.5 + 0.5 |sin(1/x^5)|, for
            x >= 0.5 less 0.15), "f4" (0.5x + (1 - 0.7x) sin(5 pi x)^4), "f5" (the same with the power
            80). Or a callable that takes float64[n] arrays of coordinates in [0, 1], one for each
            dimension, and returns the n values, in [0, 1], or one number for all points. If there are at
            most 2**20 terminal intervals, it is called once on all of them, when the model is made, and
            games use this table. Otherwise it is called during the game, which is slower, and each value
            is checked then.
        branching: Number of parts k of an interval in each dimension, 2 to 65535, or with two dimensions 255.
        threshold: Length in (0, 1] below which an interval is terminal. With 2 parts, 1e-5 makes 17
            choices.
        dimensions: 1 or 2.
        num_players: 1 or 2.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument is out of range, the threshold needs more than 2**52 intervals in a
            dimension, or the function has values outside [0, 1].
    """

    heuristics = ("centre",)

    cdef State state
    cdef Problem problem   # shared with all copies, never changed

    def __cinit__(self, *args, **kwargs):
        self.hold(&self.state, sizeof(State), sizeof(State), PICKLE_VERSION)
        self.problem = _FIRST   # also where __init__ is not called

    def __init__(
        self,
        function: str | Function = "f1",
        branching: int = 2,
        threshold: float = 1e-5,
        dimensions: int = 1,
        num_players: int = 1,
    ):
        self.set_problem(Problem(function, branching, threshold, dimensions, num_players))
        memset(&self.state, 0, sizeof(self.state))

    cdef set_problem(self, Problem problem):
        self.problem = problem
        self.num_players = problem.num_players
        self.num_actions = self.max_legal_actions = problem.num_cells(1)
        self.needs_gil = problem.kind < 0 and not problem.is_tabled

    cdef void copy_sizes(self, ForwardModel source) noexcept:
        ForwardModel.copy_sizes(self, source)
        self.problem = (<FopModel> source).problem

    cdef object options(self):
        return self.problem

    cdef bint take_over(self, options) except -1:
        if not isinstance(options, Problem):
            return False
        self.set_problem(options)
        cdef int i
        cdef long long depth = self.state.depth
        if not 0 <= depth <= self.problem.num_levels:
            return False
        for i in range(MAX_DIMENSIONS):
            if self.state.index[i] >= (self.problem.power[depth] if i < self.problem.dimensions else 1):
                return False
        return True

    # --- The contract ---

    cdef int c_current_player(self) except? NO_PLAYER nogil:
        if self.state.depth == self.problem.num_levels:
            return TERMINAL
        return 0 if self.num_players == 1 else self.state.depth & 1

    cdef int c_legal_actions(self, int32_t* actions) except -1 nogil:
        cdef int action
        for action in range(self.num_actions):
            actions[action] = action
        return self.num_actions

    cdef int c_apply_action(self, int32_t action) except -1 nogil:
        cdef int branching = self.problem.branching
        if self.problem.dimensions == 2:
            self.state.index[1] = self.state.index[1] * branching + action // branching
            action %= branching
        self.state.index[0] = self.state.index[0] * branching + action
        self.state.depth += 1
        return 0

    cdef int c_returns(self, double* returns) except -1 nogil:
        cdef int num_players = self.num_players   # before the user's function, which may change the model
        fill(returns, num_players, self.problem.c_value(self.state.index, self.state.depth))
        return 0

    cdef int c_sample_returns(self, rng_t* rng, double* returns) except -1 nogil:
        cdef int num_players = self.num_players   # as above
        cdef double value = self.problem.c_value(self.state.index, self.state.depth)
        fill(returns, num_players, rng_uniform(rng) < value)
        return 0

    cdef int c_sample_action(self, rng_t* rng, int32_t* action) except -1 nogil:
        action[0] = rng_below(rng, self.num_actions)
        return 0

    cdef int c_rollout(self, rng_t* rng) except -1 nogil:
        """Draws a terminal interval below this one, independently in each dimension."""
        cdef int dimension, levels, left = 0, count = self.problem.num_levels - self.state.depth
        for dimension in range(self.problem.dimensions):
            left = count
            while left:
                levels = min(left, self.problem.chunk)
                self.state.index[dimension] *= self.problem.power[levels]
                self.state.index[dimension] += rng_below(rng, self.problem.power[levels])
                left -= levels
        self.state.depth += count
        return count

    cdef int c_heuristic(self, int kind, double* values) except -1 nogil:
        return self.c_returns(values)

    cdef bint c_equals(self, ForwardModel other) except -1 nogil:
        if not StructModel.c_equals(self, other):
            return False
        with gil:
            return self.is_same_problem(other)

    cdef bint c_is_legal(self, int32_t action) except -1 nogil:
        return True

    # --- The position in Python ---

    @property
    def function(self) -> str | Function:
        """The function that is maximised: its name, or the user's callable."""
        return self.problem.function

    @property
    def branching(self) -> int:
        """Number of parts of an interval in each dimension."""
        return self.problem.branching

    @property
    def threshold(self) -> float:
        """The length below which an interval is terminal."""
        return self.problem.threshold

    @property
    def dimensions(self) -> int:
        """Number of dimensions, 1 or 2."""
        return self.problem.dimensions

    @property
    def num_levels(self) -> int:
        """Number of choices from the start to the end of a game."""
        return self.problem.num_levels

    @property
    def depth(self) -> int:
        """Number of choices made so far."""
        return self.state.depth

    @property
    def indices(self) -> tuple[int, ...]:
        """The number of the interval in each dimension, among ``branching**depth`` from left to right."""
        return tuple([self.state.index[i] for i in range(self.dimensions)])

    @property
    def intervals(self) -> tuple[tuple[float, float], ...]:
        """The bounds (lower, upper) of the current interval in each dimension, rounded to floats."""
        num_parts = self.branching**self.depth
        return tuple([(i / num_parts, (i + 1) / num_parts) for i in self.indices])

    @property
    def centre(self) -> tuple[float, ...]:
        """The centre of the current interval, one float for each dimension."""
        num_parts = 2 * self.branching**self.depth
        return tuple([(2 * i + 1) / num_parts for i in self.indices])

    def centres(self, depth: int) -> list[NDArray[np.float64]]:
        """The centres of all intervals of a depth, 0 to ``num_levels``.

        Returns:
            A float64 array for each dimension. Each array has one axis of length ``branching**depth``
            for each dimension.
        """
        return self.problem.centres(depth)

    def evaluate(self, *coordinates: ArrayLike) -> NDArray[np.float64]:
        """The values of the function at any points.

        Args:
            coordinates: An array or a number in [0, 1] for each dimension; they are broadcast against
                each other.

        Returns:
            float64 array of values in [0, 1], in the common shape.

        Raises:
            TypeError: If there are not as many arrays as dimensions.
            ValueError: If a coordinate, or a value of the user's function, is outside [0, 1].
        """
        return self.problem.evaluate(*coordinates)

    # --- Copies ---

    def is_same_problem(self, FopModel other not None) -> bool:
        """Whether the other model is a position of an equal problem."""
        return self.problem == other.problem

    def action_to_string(self, action):
        """The text of an action: "left" or "right", or with more parts the number of the part.

        Parts are numbered from the left. In two dimensions the text is "(x, y)", with the numbers of both
        parts.

        Raises:
            TypeError: If the action is not an integer.
            ValueError: If the game has no such action.
        """
        check_range("action", action, 0, self.num_actions - 1)
        if self.dimensions == 2:
            return f"({action % self.branching}, {action // self.branching})"
        return ("left", "right")[action] if self.branching == 2 else str(int(action))

    def tree_picture(self, nodes: NDArray[Any]) -> str | None:
        """The function, and below it the intervals of the nodes; None in two dimensions."""
        if self.dimensions != 1:
            return None
        return _picture.tree_svg(self.evaluate, self.branching, self.intervals[0], nodes)

    def __repr__(self):
        where = " x ".join([f"[{lower:g}, {upper:g}]" for lower, upper in self.intervals])
        return f"<FopModel: {self.problem}, choice {self.depth} of {self.num_levels}, {where}>"

    def _repr_html_(self) -> str:
        """The function with the current interval, which notebooks display."""
        picture = _picture.position_svg(self.evaluate, self.intervals)
        return f"{picture}<div>{escape(repr(self)[1:-1])}</div>"

    def __str__(self):
        lines = [f"{self.problem}, {self.depth} of {self.num_levels} choices made"]
        for lower, upper in self.intervals:
            first, last = int(64 * lower), max(int(64 * lower) + 1, round(64 * upper))
            bar = "." * first + "#" * (last - first) + "." * (64 - last)
            lines.append(f"{bar} [{lower:g}, {upper:g}]")
        return "\n".join(lines)


cdef inline void fill(double* returns, int num_players, double value) noexcept nogil:
    returns[0] = value
    if num_players == 2:
        returns[1] = 0 - value
