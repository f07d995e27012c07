"""What games on boards have in common: names of squares and colours, indicators of squares."""

from __future__ import annotations

from functools import cache

from agents.forward_model import Indicator

LETTERS = "abcdefghijklmnopqrstuvwxyz"
"""The names of columns."""
COLOURS = ("black", "white")
"""The players, as texts and pages name them."""


@cache  # texts are read by comparison with all of them
def square_name(index: int, width: int) -> str:
    """The name of a square, such as "b1": the letter of its column and the number of its row.

    Squares are numbered row by row from the upper left one, "a1", with the index 0.
    """
    row, column = divmod(index, width)
    return f"{LETTERS[column]}{row + 1}"


@cache  # formulas are compiled anew for other indicators
def square_indicators(numbers: tuple[str, ...], size: int) -> tuple[Indicator, ...]:
    """Numbers that belong to the whole position, then "empty", "friendly" and "man" of squares.

    Args:
        numbers: The names of the numbers.
        size: Rows and columns of the board.
    """
    squares = tuple(square_name(square, size) for square in range(size * size))
    return (
        *(Indicator(name, float) for name in numbers),
        *(Indicator(name, bool, squares) for name in ("empty", "friendly", "man")),
    )
