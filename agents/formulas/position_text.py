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
from collections.abc import Sequence
from typing import NamedTuple

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
_TOKEN = re.compile(rf"\s*(?:({_NUMBER})|([A-Za-z_]\w*)|([(),*])|(\S))")
_PLACE = re.compile(r"\(\s*([^\s(),]+)\s*\)")
_END = re.compile(r"\s*$")


def parse(text: str) -> Node:
    """Reads a formula; the types of indicators are not known yet (see `check`).

    Raises:
        TypeError: If the text is no string.
        ValueError: If the text is no formula; the message shows where.
    """
    if not isinstance(text, str):
        raise TypeError(f"formula must be text, got {text!r}")
    node, end = _part(text, 0, 0)
    if not _END.match(text, end):
        raise error(text, end, "the formula ends before this")
    return node


def _part(text: str, start: int, depth: int) -> tuple[Node, int]:
    """The part that begins at an index with its factors, and the index where it ends."""
    factor, start = _factors(text, start)
    node, end = _without_factors(text, start, depth)
    factor *= node.factor
    if not math.isfinite(factor):
        raise error(text, node.at, "the product of the factors must be finite")
    return node._replace(factor=factor), end


def _factors(text: str, start: int) -> tuple[float, int]:
    """The product of the factors before a part, and the index where they end."""
    product = 1.0
    while match := _FACTOR.match(text, start):
        product *= _constant(text, match.start(1), match[1])
        start = match.end()
    return product, start


def _without_factors(text: str, start: int, depth: int) -> tuple[Node, int]:
    match = _TOKEN.match(text, start)
    if match is None:
        raise error(text, len(text), "the formula is incomplete")
    number, name, _, _ = match.groups()
    at, end = match.start(match.lastindex or 0), match.end()
    if depth > MAX_DEPTH:
        raise error(text, at, f"the formula is nested more than {MAX_DEPTH} deep")
    if number is not None:
        return Node(CONSTANT, factor=_constant(text, at, number), at=at), end
    if name is None:
        raise error(text, at, "a number, a name or a function must stand here")
    if name in FUNCTIONS:
        operands, end = _operands(text, at, end, name, depth)
        return Node(name, operands, at=at), end
    place, end = _place(text, at, end, name)
    return Node(name, place=place, at=at), end


def _place(text: str, at: int, end: int, name: str) -> tuple[str | None, int]:
    """The place after the name of an indicator, if there is one, and the index where it ends."""
    if _punctuation(text, end) != "(":
        return None, end
    place = _PLACE.match(text, text.index("(", end))
    if place is None:
        known = ", ".join(FUNCTIONS)
        raise error(text, at, f"{name} is no function and takes one place; functions are {known}")
    return place[1], place.end()


def _operands(text: str, at: int, end: int, name: str, depth: int) -> tuple[tuple[Node, ...], int]:
    """The operands of a function, which are enclosed in parentheses."""
    count = len(FUNCTIONS[name][1])
    operands: list[Node] = []
    for mark in ["(", *[","] * (count - 1)]:
        end = _after(text, end, mark, f"{name} takes {count} operands in parentheses")
        operand, end = _part(text, end, depth + 1)
        operands.append(operand)
    end = _after(text, end, ")", f"{name} takes {count} operands in parentheses")
    if name == "mult_erc" and operands[1].name != CONSTANT:
        raise error(text, operands[1].at, "the second operand of mult_erc must be a constant")
    return tuple(operands), end


def _after(text: str, start: int, mark: str, message: str) -> int:
    if _punctuation(text, start) != mark:
        raise error(text, start, f"{message}: {mark!r} is missing")
    return text.index(mark, start) + 1


def _punctuation(text: str, start: int) -> str | None:
    match = _TOKEN.match(text, start)
    return match[3] if match else None


def _constant(text: str, at: int, number: str) -> float:
    if not math.isfinite(float(number)):
        raise error(text, at, "constants must be finite")
    return float(number)


def error(text: str, at: int, message: str) -> ValueError:
    """An error that shows the place in a formula, and at most 40 characters on either side."""
    begin, end = max(0, at - 40), at + 40
    shown = re.sub(r"\s", " ", text[begin:end])
    return ValueError(f"{message}, at position {at}:\n  {shown}\n  {' ' * (at - begin)}^")


# Types


def check(tree: Node, text: str, indicators: Sequence[Indicator]) -> None:
    """Checks that a game has the indicators and places of a formula, and that all types fit.

    Args:
        tree: The formula.
        text: Its text.
        indicators: The indicators of the game.

    Raises:
        ValueError: If a name or a place is unknown or a type does not fit; the message shows where.
    """
    _check(tree, F, text, {indicator.name: indicator for indicator in indicators})


def _check(node: Node, expected: type, text: str, indicators: dict[str, Indicator]) -> None:
    found, operands = _types(node, text, indicators)
    if found is not expected:
        message = f"{node.name} has type {TYPES[found]}; type {TYPES[expected]}, must stand here"
        raise error(text, node.at, message)
    if found is B and node.factor != 1:
        raise error(text, node.at, f"{node.name} has type {TYPES[B]}, so it takes no factor")
    for operand, kind in zip(node.operands, operands, strict=True):
        _check(operand, kind, text, indicators)


def _types(
    node: Node, text: str, indicators: dict[str, Indicator]
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
        return _number(tree.factor)
    factor = "" if tree.factor == 1 else f"{_number(tree.factor)}*"
    inside = ", ".join(map(written, tree.operands)) or tree.place
    return f"{factor}{tree.name}" + (f"({inside})" if inside else "")


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


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
    if shorter is None:
        node = tree._replace(operands=operands)
    else:
        node = _multiplied(shorter, tree.factor)
    return _constant_node(0.0) if node.factor == 0 else node


def _constant_node(value: float) -> Node:
    return Node(CONSTANT, factor=_finite(value))


def _finite(value: float) -> float:
    """The value, or the float nearest to it if it is infinite."""
    return max(-sys.float_info.max, min(value, sys.float_info.max))


def _multiplied(node: Node, factor: float) -> Node:
    return node._replace(factor=_finite(node.factor * factor))


def _truth(is_true: bool) -> Node:
    return Node(TRUE if is_true else FALSE)


def _negated(node: Node) -> Node:
    if node.name in (TRUE, FALSE):
        return _truth(node.name == FALSE)
    return node.operands[0] if node.name == "notg" else Node("notg", (node, Node(TRUE)))


def _shorter(name: str, operands: tuple[Node, ...]) -> Node | None:
    """The shorter form of a function of simplified operands, if there is one."""
    if name == "null":
        return operands[0]
    if name == "mult_erc":
        value, constant = operands
        return _multiplied(value, constant.factor)
    if name == "notg":
        return _negated(operands[0])
    if name == "if":
        return _shorter_if(*operands)
    if name in ("plus", "minus"):
        return _shorter_sum(name, *operands)
    if name == "lower_equal":
        return _shorter_comparison(*operands)
    return _shorter_logic(name, *operands) if name in FUNCTIONS else None


def _shorter_if(condition: Node, first: Node, second: Node) -> Node | None:
    if condition.name in (TRUE, FALSE):
        return first if condition.name == TRUE else second
    return first if _are_same(first, second) else None


def _shorter_sum(name: str, left: Node, right: Node) -> Node | None:
    sign = 1 if name == "plus" else -1
    if left.name == right.name == CONSTANT:
        return _constant_node(left.factor + sign * right.factor)
    if (right.name, right.factor) == (CONSTANT, 0):
        return left
    if (left.name, left.factor) == (CONSTANT, 0):
        return _multiplied(right, sign)
    if _are_same(left._replace(factor=1.0), right._replace(factor=1.0)):
        return left._replace(factor=_finite(left.factor + sign * right.factor))
    return None


def _shorter_comparison(left: Node, right: Node) -> Node | None:
    if left.name == right.name == CONSTANT:
        return _truth(left.factor <= right.factor)
    return _truth(True) if _are_same(left, right) else None


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
