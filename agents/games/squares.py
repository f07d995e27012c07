"""Names of the squares of boards, and indicators of games on boards."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from agents.forward_model import Indicator

LETTERS = "abcdefghijklmnopqrstuvwxyz"
"""The names of columns."""


@cache  # texts are read by comparison with all of them
def square_name(index: int, width: int) -> str:
    """The name of a square, such as "b1": the letter of its column and the number of its row.

    Squares are numbered row by row from the upper left one, "a1", with the index 0.
    """
    row, column = divmod(index, width)
    return f"{LETTERS[column]}{row + 1}"


def square_indicators(
    numbers: Iterable[str], flags: Iterable[str], size: int
) -> tuple[Indicator, ...]:
    """Numbers that belong to the whole position, then flags that belong to squares.

    Args:
        numbers: The names of the numbers.
        flags: The names of the flags.
        size: Rows and columns of the board.
    """
    squares = tuple(square_name(square, size) for square in range(size * size))
    return (
        *(Indicator(name, float) for name in numbers),
        *(Indicator(name, bool, squares) for name in flags),
    )
