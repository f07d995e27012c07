"""A formula that values positions, as a Python object."""

from __future__ import annotations

from collections.abc import Callable

from agents.formulas import position_text
from agents.formulas.position_program import PositionProgram
from agents.forward_model import ForwardModel, Indicator


class PositionFormula:
    """Values positions by indicators of the game, such as the number of moves or of corners taken.

    `agents.formulas.position_text` describes the language. `EvolvedRollout` plays by such a
    formula, and Expectimax and StarMinimax take it as their heuristic.

    Args:
        text: The formula, such as ``"minus(mobility, 2.5*enemy_corners)"``.

    Raises:
        TypeError: If the text is no string.
        ValueError: If the text is no formula; the message shows where.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = position_text.parse(text)
        self._last: tuple[tuple[Indicator, ...], PositionProgram] | None = None

    @property
    def size(self) -> int:
        """Number of functions, indicators and constants."""
        return position_text.size_of(self.tree)

    @property
    def depth(self) -> int:
        """Number of functions around the innermost part."""
        return position_text.depth_of(self.tree)

    def simplified(self) -> PositionFormula:
        """A shorter formula without introns; its value is the same up to rounding."""
        return PositionFormula(position_text.written(position_text.simplified(self.tree)))

    def program(self, model: ForwardModel) -> PositionProgram:
        """The formula compiled for the game of a model.

        Raises:
            ValueError: If the game lacks an indicator or a place, or a type does not fit; the
                message shows where.
        """
        last, indicators = self._last, model.indicators
        if last is None or last[0] is not indicators:  # compiling takes as long as some playouts
            last = self._last = indicators, PositionProgram(self.tree, self.text, model)
        return last[1]

    def value(self, model: ForwardModel, player: int) -> float:
        """The value of a position to a player; it has no bounds.

        Raises:
            ValueError: If the player is unknown, or as in `program`.
        """
        return self.program(model).value(model, player)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PositionFormula):
            return NotImplemented
        return str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[type[PositionFormula], tuple[str]]:
        return PositionFormula, (self.text,)

    def __str__(self) -> str:
        return position_text.written(self.tree)

    def __repr__(self) -> str:
        return f"PositionFormula({str(self)!r})"


Heuristic = str | PositionFormula | Callable[[ForwardModel, int], float] | None
"""What planners take as a heuristic: see `agents.formulas.valuation.Valuation`."""
