"""What games on boards have in common: names of squares, colours, indicators, evolved players."""

from __future__ import annotations

from functools import cache
from pathlib import Path

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
    """Numbers of the whole position, then "empty", "friendly" and "man" of each square."""
    squares = tuple(square_name(square, size) for square in range(size * size))
    return (
        *(Indicator(name, float) for name in numbers),
        *(Indicator(name, bool, squares) for name in ("empty", "friendly", "man")),
    )


def evolved_player(entry: str, name: str = "evolved", *, reuse_tree: bool = True) -> str:
    """The specification of MCTS whose playouts follow an evolved formula.

    The formula is in ``name.txt`` beside the module `entry`, of which the ``__file__`` is given;
    lines that begin with # are comments, which say where it comes from. The settings are the
    published ones: exploration constant 0.7 for returns from 0 to 1, which is 1.4 for ours from -1
    to 1, and 4 moves valued at each step of a playout.
    """
    text = Path(entry).with_name(f"{name}.txt").read_text(encoding="utf-8")
    formula = "".join(line for line in text.splitlines() if not line.startswith("#"))
    rollout = f"evolved(formula={formula}, branching=4)"
    return f"mcts(c=1.4, reuse_tree={reuse_tree}, rollout_policy={rollout})"
