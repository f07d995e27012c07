"""Formulas that value positions, as text: parsing, types, printing, simplification.

The language is strongly typed: F is a number, B is true or false.

| text | type | value |
|---|---|---|
| `0.5`, `-3` | F | a constant |
| `true`, `false` | B | a constant |
| `mobility` | F or B | an indicator of the game |
| `man(d3)` | F or B | an indicator of the game, at a place |
| `plus(F, F)`, `minus(F, F)` | F | the sum, the difference |
| `mult_erc(F, constant)` | F | the product |
| `if(B, F, F)` | F | the first number if the condition is true, else the second |
| `null(F, F)` | F | the first number |
| `lower_equal(F, F)` | B | whether the first number is lower than the second, or equal |
| `and(B, B)`, `or(B, B)`, `nand(B, B)`, `nor(B, B)` | B | as in logic |
| `notg(B, B)` | B | true if the first is false |

`2.5*mobility` multiplies a part of type F by a *factor*. The second operands of `null` and `notg`
have no effect: they are *introns*, which evolution keeps and changes.

Source: Benbassat and Sipper, "EvoMCTS: A Scalable Approach for General Game Learning", IEEE
Transactions on Computational Intelligence and AI in Games 6(4), 2014. The names of indicators
("terminals" there) belong to the games.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping
from typing import NamedTuple

from agents.formulas.text import error, number
from agents.forward_model import Indicator

F, B = float, bool
FUNCTIONS: dict[str, tuple[type, tuple[type, ...]]] = {
    "plus": (F, (F, F)),
    "minus": (F, (F, F)),
    "mult_erc": (F, (F, F)),
    "if": (F, (B, F, F)),
    "null": (F, (F, F)),
    "lower_equal": (B, (F, F)),
    "and": (B, (B, B)),
    "or": (B, (B, B)),
    "nand": (B, (B, B)),
    "nor": (B, (B, B)),
    "notg": (B, (B, B)),
}
"""The type of a function's value and the types of its operands."""
TYPES: dict[type, str] = {F: "F, a number", B: "B, true or false"}
CONSTANT = "a constant"
"""The name of constants, which no text can name."""
TRUE, FALSE = "true", "false"
MAX_DEPTH = 100
"""Largest number of functions around a part of a formula."""


class Node(NamedTuple):
    """A part of a formula.

    Attributes:
        name: The name of a function or indicator, "true", "false" or `CONSTANT`.
        operands: The operands of a function.
        factor: The number that multiplies the value, or the value of a constant; finite.
        place: The place at which an indicator is asked, if it has places.
        at: Index in the text, for error messages.
    """

    name: str
    operands: tuple[Node, ...] = ()
    factor: float = 1.0
    place: str | None = None
    at: int = 0


# Parsing

_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_FACTOR = re.compile(rf"\s*({_NUMBER})\s*\*")
_TOKEN = re.compile(rf"\s*(?:({_NUMBER})|([A-Za-z_]\w*)|(\S))")
_PLACE = re.compile(r"\s*\(\s*([^\s(),]+)\s*\)")


def parse(text: str) -> Node:
    """Reads a formula; the types of indicators are not known yet (see `check`).

    Raises:
        TypeError: If the text is no string.
        ValueError: If the text is no formula; the message shows where.
    """
    if not isinstance(text, str):
        raise TypeError(f"formula must be text, got {text!r}")
    reader = _Reader(text)
    node = reader.part(0)
    if text[reader.end :].strip():
        raise error(text, reader.end, "the formula ends before this")
    return node


class _Reader:
    """Reads the parts of a formula one after the other, up to the index `end`."""

    def __init__(self, text: str) -> None:
        self.text, self.end = text, 0

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Reads what matches a pattern, if it comes next."""
        if match := pattern.match(self.text, self.end):
            self.end = match.end()
        return match

    def part(self, depth: int) -> Node:
        """Reads a part with its factors; `depth` is the number of functions around it."""
        factor = 1.0
        while match := self.take(_FACTOR):
            factor *= self.constant(match)
        node = self.without_factors(depth)
        factor *= node.factor
        if not math.isfinite(factor):
            raise error(self.text, node.at, "the product of the factors must be finite")
        return node._replace(factor=factor)

    def constant(self, match: re.Match[str]) -> float:
        if not math.isfinite(float(match[1])):
            raise error(self.text, match.start(1), "constants must be finite")
        return float(match[1])

    def without_factors(self, depth: int) -> Node:
        match = self.take(_TOKEN)
        if match is None:
            raise error(self.text, len(self.text), "the formula is incomplete")
        number, name, _ = match.groups()
        at = match.start(match.lastindex or 0)
        if depth > MAX_DEPTH:
            raise error(self.text, at, f"the formula is nested more than {MAX_DEPTH} deep")
        if number is not None:
            return Node(CONSTANT, factor=self.constant(match), at=at)
        if name is None:
            raise error(self.text, at, "a number, a name or a function must stand here")
        if name in FUNCTIONS:
            return Node(name, self.operands(name, depth), at=at)
        place = self.take(_PLACE)
        if place is None and self.text[self.end :].lstrip().startswith("("):
            message = f"{name} is no function and takes one place; functions are "
            raise error(self.text, at, message + ", ".join(FUNCTIONS))
        return Node(name, place=place[1] if place else None, at=at)

    def operands(self, name: str, depth: int) -> tuple[Node, ...]:
        """Reads the operands of a function, which are enclosed in parentheses."""
        count = len(FUNCTIONS[name][1])
        operands: list[Node] = []
        for mark in [*"(,,"[:count], ")"]:
            if not self.take(re.compile(rf"\s*\{mark}")):
                message = f"{name} takes {count} operands in parentheses: {mark!r} is missing"
                raise error(self.text, self.end, message)
            if mark != ")":
                operands.append(self.part(depth + 1))
        if name == "mult_erc" and operands[1].name != CONSTANT:
            message = "the second operand of mult_erc must be a constant"
            raise error(self.text, operands[1].at, message)
        return tuple(operands)


# Types


def check(node: Node, text: str, indicators: Mapping[str, Indicator], expected: type = F) -> None:
    """Checks that a game has the indicators and places of a formula, and that all types fit.

    Args:
        node: A part of the formula, or the whole one.
        text: The text of the formula.
        indicators: Those of the game, by name.
        expected: The type that the part must have.

    Raises:
        ValueError: If a name or a place is unknown or a type does not fit; the message shows where
            in the text.
    """
    found, operands = _types(node, text, indicators)
    if found is not expected:
        message = f"{node.name} has type {TYPES[found]}; type {TYPES[expected]}, must stand here"
        raise error(text, node.at, message)
    if found is B and node.factor != 1:
        raise error(text, node.at, f"{node.name} has type {TYPES[B]}, so it takes no factor")
    for operand, kind in zip(node.operands, operands, strict=True):
        check(operand, text, indicators, kind)


def _types(
    node: Node, text: str, indicators: Mapping[str, Indicator]
) -> tuple[type, tuple[type, ...]]:
    """The type of a part, and those that its operands must have."""
    if node.name in FUNCTIONS:
        return FUNCTIONS[node.name]
    if node.name == CONSTANT:
        return F, ()
    if node.name in (TRUE, FALSE) and node.place is None:
        return B, ()
    if node.name not in indicators:
        known = ", ".join(indicators) or "none"
        raise error(text, node.at, f"unknown name {node.name!r}; the game's indicators are {known}")
    indicator = indicators[node.name]
    if node.place not in (indicator.places or (None,)):
        places = ", ".join(indicator.places[:4]) + ", ..." * (len(indicator.places) > 4)
        allowed = f"one of the places {places}" if places else "no place"
        given = "none" if node.place is None else repr(node.place)
        raise error(text, node.at, f"{node.name} takes {allowed}, got {given}")
    return indicator.type, ()


# Printing


def written(tree: Node) -> str:
    """The text of a formula; `parse` reads the same formula from it."""
    if tree.name == CONSTANT:
        return number(tree.factor)
    factor = "" if tree.factor == 1 else f"{number(tree.factor)}*"
    inside = ", ".join(map(written, tree.operands)) or tree.place
    return f"{factor}{tree.name}" + (f"({inside})" if inside else "")


def size_of(tree: Node) -> int:
    """Number of functions, indicators and constants."""
    return 1 + sum(map(size_of, tree.operands))


def depth_of(tree: Node) -> int:
    """Number of functions around the innermost part."""
    return 1 + max(map(depth_of, tree.operands)) if tree.operands else 0


# Simplification


def simplified(tree: Node) -> Node:
    """A shorter formula without introns.

    Its value is the same up to rounding, as long as no part of either formula overflows. A factor
    or constant that would be infinite becomes the float nearest to it.
    """
    operands = tuple(map(simplified, tree.operands))
    shorter = _shorter(tree.name, operands)
    node = tree._replace(operands=operands)
    if shorter is not None:
        node = _multiplied(shorter, tree.factor)
    return _constant_node(0.0) if node.factor == 0 else node


def _constant_node(value: float) -> Node:
    return _multiplied(Node(CONSTANT), value)


def _multiplied(node: Node, factor: float) -> Node:
    largest = sys.float_info.max  # stands for infinity
    return node._replace(factor=max(-largest, min(node.factor * factor, largest)))


def _truth(is_true: bool) -> Node:
    return Node(TRUE if is_true else FALSE)


def _negated(node: Node) -> Node:
    if node.name in (TRUE, FALSE):
        return _truth(node.name == FALSE)
    return node.operands[0] if node.name == "notg" else Node("notg", (node, Node(TRUE)))


def _shorter(name: str, operands: tuple[Node, ...]) -> Node | None:
    """The shorter form of a function of simplified operands, if there is one."""
    match name, operands:
        case "null", (first, _):
            return first
        case "mult_erc", (value, constant):
            return _multiplied(value, constant.factor)
        case "notg", (first, _):
            return _negated(first)
        case "if", (condition, first, second):
            if condition.name in (TRUE, FALSE):
                return first if condition.name == TRUE else second
            return first if _are_same(first, second) else None
        case "lower_equal", (left, right):
            if left.name == right.name == CONSTANT:
                return _truth(left.factor <= right.factor)
            return _truth(True) if _are_same(left, right) else None
        case "plus", (left, right):
            return _shorter_sum(left, right, 1)
        case "minus", (left, right):
            return _shorter_sum(left, right, -1)
        case _, (left, right):
            return _shorter_logic(name, left, right)
    return None


def _shorter_sum(left: Node, right: Node, sign: int) -> Node | None:
    if left.name == right.name == CONSTANT:
        return _constant_node(left.factor + sign * right.factor)
    if (right.name, right.factor) == (CONSTANT, 0):
        return left
    if (left.name, left.factor) == (CONSTANT, 0):
        return _multiplied(right, sign)
    one = left._replace(factor=1.0)
    if _are_same(one, right._replace(factor=1.0)):
        return _multiplied(one, left.factor + sign * right.factor)
    return None


def _shorter_logic(name: str, left: Node, right: Node) -> Node | None:
    """The shorter form of and, or, nand, nor: one operand decides, or only the other one counts."""
    deciding = FALSE if name in ("and", "nand") else TRUE
    whole: Node | None = None
    if deciding in (left.name, right.name):
        whole = _truth(deciding == TRUE)
    elif left.name in (TRUE, FALSE) or _are_same(left, right):
        whole = right
    elif right.name in (TRUE, FALSE):
        whole = left
    return _negated(whole) if whole is not None and name in ("nand", "nor") else whole


def _are_same(left: Node, right: Node) -> bool:
    return written(left) == written(right)
