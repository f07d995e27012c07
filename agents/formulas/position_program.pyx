# distutils: extra_compile_args = -O1
"""Compiles formulas that value positions, and runs them."""

from libc.math cimport INFINITY, fabs
from libc.stdlib cimport free

from agents.forward_model cimport TERMINAL, ForwardModel, allocated

from agents.formulas import position_text
from agents.formulas.position_text import Node
from agents.forward_model import Indicator

OPERATIONS: dict[str, int] = {
    "plus": PLUS,
    "minus": MINUS,
    "if": BRANCH,
    "lower_equal": LOWER_EQUAL,
    "and": AND,
    "or": OR,
    "nand": NAND,
    "nor": NOR,
    "notg": NOT,
}


cdef class PositionProgram:
    """A formula compiled for the positions of one game.

    Args:
        tree: The formula, as `position_text.parse` returns it.
        text: Its text, for error messages.
        model: Any position of the game.

    Raises:
        ValueError: If the game lacks an indicator or a place, or a type does not fit.
    """

    indicators: tuple[Indicator, ...]

    def __cinit__(self, tree: Node, text: str, ForwardModel model not None):
        position_text.check(tree, text, {indicator.name: indicator for indicator in model.indicators})
        tree = position_text.simplified(tree)
        self.parts = <Part*> allocated(position_text.size_of(tree) * sizeof(Part))
        self.indicators = tuple(model.indicators)
        self._add(tree, [indicator.name for indicator in self.indicators])

    def __dealloc__(self):
        free(self.parts)

    def _add(self, node, names):
        """Adds a node and all below it; returns the index of its part."""
        cdef int index = self.size
        cdef Part part
        self.size += 1
        part.factor = node.factor
        part.second = part.third = part.kind = part.place = 0
        if node.operands:
            part.operation = OPERATIONS[node.name]
            operands = node.operands[:1] if part.operation == NOT else node.operands
            indices = [self._add(operand, names) for operand in operands] + [0, 0]
            part.second, part.third = indices[1], indices[2]
        elif node.name in (position_text.CONSTANT, position_text.TRUE, position_text.FALSE):
            part.operation = CONSTANT
            if node.name == position_text.FALSE:
                part.factor = 0
        else:
            part.operation = INDICATOR
            part.kind = names.index(node.name)
            if node.place is not None:
                part.place = self.indicators[part.kind].places.index(node.place)
        self.parts[index] = part
        return index

    cdef double c_worth(self, ForwardModel model, int player, double* returns) except? -1.5e308 nogil:
        cdef double value
        if model.c_current_player() == TERMINAL:
            model.c_returns(returns)
            return returns[player]
        value = value_of(self.parts, 0, model, player)
        if fabs(value) < INFINITY:
            return value / (1 + fabs(value))
        return 1 if value > 0 else -1

    cdef int c_values(self, ForwardModel model, double* values) except -1 nogil:
        cdef int player, mover = model.c_current_player()
        if model.num_players == 2 and mover >= 0:
            values[1 - mover] = self.c_worth(model, 1 - mover, values)
            values[mover] = 0 - values[1 - mover]
            return 0
        for player in range(model.num_players):
            values[player] = self.c_worth(model, player, values)
        return 0

    def value(self, ForwardModel model not None, player: int) -> float:
        """The value of a position to a player; it has no bounds.

        Raises:
            ValueError: If the player is unknown, or the game has other indicators.
        """
        if tuple(model.indicators) != self.indicators:
            raise ValueError(f"model must have the indicators of the compiled game, got {model!r}")
        model._check_player(player)
        return value_of(self.parts, 0, model, player)


cdef double value_of(const Part* parts, int index, ForwardModel model, int player) except? -1.5e308 nogil:
    """The value of a part; true is 1 and false is 0."""
    cdef const Part* part = &parts[index]
    cdef uint8_t operation = part.operation
    cdef double value
    if operation == INDICATOR:
        return part.factor * model.c_indicator(part.kind, part.place, player)
    if operation == CONSTANT:
        return part.factor
    value = value_of(parts, index + 1, model, player)
    if operation == BRANCH:
        return part.factor * value_of(parts, part.second if value != 0 else part.third, model, player)
    if operation == PLUS:
        return part.factor * (value + value_of(parts, part.second, model, player))
    if operation == MINUS:
        return part.factor * (value - value_of(parts, part.second, model, player))
    if operation == LOWER_EQUAL:
        return value <= value_of(parts, part.second, model, player)
    if operation == NOT:
        return value == 0
    if operation == AND or operation == NAND:
        if value != 0:
            value = value_of(parts, part.second, model, player)
        return (value != 0) == (operation == AND)
    if value == 0:
        value = value_of(parts, part.second, model, player)
    return (value != 0) == (operation == OR)
