# distutils: extra_compile_args = -O1
"""Problems: checked once, when they are made, and shared by all positions of a game."""

import numbers
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

cimport cython
from libc.stdint cimport uint64_t

from .functions cimport NUM_FUNCTIONS, function_value

from agents.checks import check_range

FUNCTIONS: tuple[str, ...] = tuple([f"f{i + 1}" for i in range(NUM_FUNCTIONS)])

Function: TypeAlias = Callable[..., ArrayLike]
"""The type of a function that the user provides."""

MAX_TABLE: int = 2**20
"""If there are at most so many terminal cells, the user's function is called once on all of them."""

MAX_ACTIONS: int = 65535
"""Trees take no more actions of a position; in two dimensions, 255 parts make 65,025."""


@cython.final
cdef class Problem:
    """A function to be maximised by choosing one of k equal parts of an interval again and again.

    See `FopModel` for the arguments.
    """

    function: str | Function

    def __init__(
        self,
        function: str | Function = "f1",
        branching: int = 2,
        threshold: float = 1e-5,
        dimensions: int = 1,
        num_players: int = 1,
    ):
        check_range("dimensions", dimensions, 1, MAX_DIMENSIONS)
        check_range("num_players", num_players, 1, 2)
        check_range("branching", branching, 2, MAX_ACTIONS if dimensions == 1 else 255)
        if isinstance(threshold, bool) or not isinstance(threshold, numbers.Real):
            raise TypeError(f"threshold must be a number, got {threshold!r}")
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold must be in (0, 1], got {threshold!r}")
        self.function = function
        self.branching = branching
        self.threshold = threshold
        self.dimensions = dimensions
        self.num_players = num_players
        self.set_levels()
        self.set_function()

    cdef set_levels(self):
        """Sets the smallest number of cuts that makes intervals shorter than the threshold.

        The threshold counts as the decimal number that is written, not as its binary approximation.
        """
        threshold = Fraction(repr(self.threshold))
        num_parts = 1
        self.num_levels = 0
        while Fraction(1, num_parts) >= threshold:
            self.power[self.num_levels] = num_parts
            num_parts *= self.branching
            self.num_levels += 1
            if num_parts > 2**MAX_LEVELS:
                raise ValueError(
                    f"threshold {self.threshold!r} with branching {self.branching} makes more than "
                    f"2**{MAX_LEVELS} intervals, whose bounds are no exact floats: take a larger threshold"
                )
        self.power[self.num_levels] = num_parts
        self.chunk = self.num_levels
        while self.power[self.chunk] > 2**31:
            self.chunk -= 1

    cdef set_function(self):
        self.kind = -1
        if isinstance(self.function, str):
            if self.function not in FUNCTIONS:
                raise ValueError(
                    f"function must be one of {FUNCTIONS} or a callable, got {self.function!r}"
                )
            self.kind = FUNCTIONS.index(self.function)
            return
        if not callable(self.function):
            raise TypeError(f"function must be one of {FUNCTIONS} or a callable, got {self.function!r}")
        level = self.num_levels
        while self.num_cells(level) > MAX_TABLE:
            level -= 1
        values = self.evaluate(*self.centres(level))   # raises if the function is unusable
        self.is_tabled = level == self.num_levels
        if self.is_tabled:
            self.table_bytes = values.tobytes()
            self.table = <const double*> <const char*> self.table_bytes

    def num_cells(self, level: int) -> int:
        """Number of intervals (in two dimensions: squares) of a level."""
        return self.branching ** (level * self.dimensions)

    def centres(self, level: int) -> list[NDArray[np.float64]]:
        """The centres of all cells of a level: for each dimension, an array with an axis per dimension."""
        check_range("depth", level, 0, self.num_levels)
        num_parts = self.branching**level
        line = (2 * np.arange(num_parts) + 1) / (2 * num_parts)
        return np.meshgrid(*[line] * self.dimensions, indexing="ij")

    def evaluate(self, *coordinates: ArrayLike) -> NDArray[np.float64]:
        """The values of the function at any points; see `FopModel.evaluate`."""
        if len(coordinates) != self.dimensions:
            raise TypeError(
                f"evaluate() takes {self.dimensions} arrays of coordinates here, got {len(coordinates)}"
            )
        points = np.broadcast_arrays(*[np.asarray(values, dtype=np.float64) for values in coordinates])
        shape = points[0].shape
        lines = [np.array(values).ravel() for values in points]
        for line in lines:
            outside = line[~((line >= 0) & (line <= 1))]
            if len(outside):
                raise ValueError(f"coordinates must be in [0, 1], got {outside[0]}")
        values = self._called(lines) if self.kind < 0 else self._computed(lines)
        return values.reshape(shape)

    def _computed(self, lines):
        values = [[function_value(self.kind, x) for x in line.tolist()] for line in lines]
        return np.prod(values, axis=0)

    def _called(self, lines):
        arrays = f"{len(lines)} float64 array{'s' if len(lines) > 1 else ''} of one axis"
        try:
            values = np.asarray(self.function(*lines))
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"function failed on {arrays} (it must work on whole arrays, as NumPy's do): {error}"
            ) from error
        if values.dtype.kind not in "biuf" or values.shape not in ((), lines[0].shape):
            raise ValueError(
                f"function must return one real number for each of {len(lines[0])} points, got {values!r}"
            )
        values = np.broadcast_to(values.astype(np.float64), lines[0].shape)
        is_wrong = ~((values >= 0) & (values <= 1))   # true for NaN, too
        if is_wrong.any():
            where = np.argmax(is_wrong)
            point = ", ".join(f"{line[where]:g}" for line in lines)
            raise ValueError(f"function must lie in [0, 1], got {values[where]} at {point}")
        return np.array(values)

    cdef double c_value(self, const uint64_t* index, int level) except? -1 nogil:
        cdef double num_parts = self.power[level]
        cdef double x = (index[0] + 0.5) / num_parts
        if self.kind >= 0 and self.dimensions == 1:
            return function_value(self.kind, x)
        cdef double y = (index[1] + 0.5) / num_parts
        if self.kind >= 0:
            return function_value(self.kind, x) * function_value(self.kind, y)
        if self.is_tabled and level == self.num_levels:
            return self.table[index[0] if self.dimensions == 1 else index[0] * self.power[level] + index[1]]
        return self.called(x, y)

    cdef double called(self, double x, double y) except? -1 with gil:
        return self.evaluate(*(x, y)[: self.dimensions])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self.__reduce__() == other.__reduce__()

    __hash__ = None

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = self.function, self.branching, self.threshold, self.dimensions, self.num_players
        return Problem, arguments

    def __repr__(self):
        """The name of the function; in two dimensions, a built-in function is a product."""
        if self.kind < 0:
            return getattr(self.function, "__name__", repr(self.function))
        return "*".join([f"{self.function}({x})" for x in "xy"]) if self.dimensions == 2 else self.function
