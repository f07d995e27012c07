"""Formulas as text: parsing, printing, simplification for display, LaTeX.

In this module a formula is the list of its tokens in postfix order. A token is the name of an
operator or a variable, or a float.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from itertools import chain

from agents.checks import check_number, suggestion

FUNCTIONS = {"max": 2, "min": 2, "ln": 1, "sqrt": 1, "exp": 1, "abs": 1}
"""The operators that are written as functions, and their numbers of operands."""
OPERATORS = ("+", "-", "*", "/", "**", *FUNCTIONS)
VARIABLES = ("Q", "n", "Q_max", "sd", "P", "N", "b", "d")
LATEX = {"Q_max": r"Q_{\max}", "sd": r"\sigma", "*": r"\cdot"}
"""The variables and operators whose names are different in LaTeX."""
FUNCTIONS_LATEX = {
    **{name: rf"\{name}\left({{}}\right)" for name in ("max", "min", "ln", "exp")},
    "sqrt": r"\sqrt{{{}}}",
    "abs": r"\left|{}\right|",
}
"""Functions in LaTeX, with {} for their operands."""
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 4}
BASE = 3
"""Precedence of what needs parentheses only as the base of a power: negative numbers; in LaTeX also
fractions and functions."""
ATOM = 5
"""Precedence of what never needs parentheses: other numbers, names; in text also functions."""

Tokens = list[str | float]

_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_NEUTRAL = {"+": 0.0, "-": 0.0, "*": 1.0, "/": 1.0, "**": 1.0}
"""The second operands that change nothing."""


def parse(text: str, c: float | None = None) -> Tokens:
    """The tokens of a formula that is written like a Python expression.

    Args:
        text: An expression of the operators, the variables and decimal numbers.
        c: The value of the name c in the text; without it, the text must not contain c.

    Raises:
        TypeError: If the text is no string.
        ValueError: If the text is no formula; the message shows where it fails.
    """
    if not isinstance(text, str):
        raise TypeError(f"formula must be a string, got {text!r}")
    text = re.sub(r"\s", " ", text)  # on one line, columns are positions
    if "#" in text:
        raise _error(text, text.strip().index("#"), "formulas have no comments")
    try:
        return _tokens(_parsed(text), text, c)
    except (RecursionError, MemoryError):
        raise _error(text, 0, "the formula is nested too deeply") from None


def _parsed(text: str) -> ast.expr:
    """The expression as parsed by Python."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        end = len(text.strip())  # the place if Python does not name one
        place = min(error.offset - 1, end) if error.offset else end
        raise _error(text, place, "this is no formula") from None
    except ValueError as error:  # characters that Python code cannot contain
        raise _error(text, 0, f"this is no formula ({error})") from None


def _tokens(node: ast.expr, text: str, c: float | None) -> Tokens:
    place = len(text.strip().encode()[: node.col_offset].decode(errors="ignore"))
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        operator = _BINARY[type(node.op)]
        return [*_tokens(node.left, text, c), *_tokens(node.right, text, c), operator]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        if not isinstance(node.operand, ast.Constant):
            raise _error(text, place, "a sign belongs to a number here: write 0 - x")
        value = _number(node.operand, text, place)
        return [-value if isinstance(node.op, ast.USub) else value]
    if isinstance(node, ast.Constant):
        return [_number(node, text, place)]
    if isinstance(node, ast.Call):
        return _call(node, text, place, c)
    if isinstance(node, ast.Name):
        if node.id == "c" and c is not None:
            check_number("c", c)
            return [float(c)]
        if node.id in VARIABLES:
            return [node.id]
        if node.id == "c":
            raise _error(text, place, "c has no value here")
        known = (*VARIABLES, "c")
        hint = suggestion(node.id, known)
        raise _error(text, place, f"unknown name {node.id!r}, known are {', '.join(known)}{hint}")
    raise _error(text, place, f"only {' '.join(PRECEDENCE)} and functions are known here")


def _call(node: ast.Call, text: str, place: int, c: float | None) -> Tokens:
    name = node.func.id if isinstance(node.func, ast.Name) else None
    if name not in FUNCTIONS:
        raise _error(text, place, f"the functions are {', '.join(FUNCTIONS)}")
    if len(node.args) != FUNCTIONS[name] or node.keywords:
        wanted = ("one argument", "two arguments")[FUNCTIONS[name] - 1]
        raise _error(text, place, f"{name} takes {wanted}")
    return [*chain.from_iterable(_tokens(part, text, c) for part in node.args), name]


def _number(node: ast.Constant, text: str, place: int) -> float:
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        raise _error(text, place, "constants are decimal numbers")
    try:
        value = float(node.value)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise _error(text, place, "constants must be finite")
    return value


def _error(text: str, place: int, message: str) -> ValueError:
    return error(text, place + len(text) - len(text.lstrip()), message)


def error(text: str, at: int, message: str) -> ValueError:
    """An error that shows the place in a formula, and at most 40 characters on either side."""
    begin, end = max(0, at - 40), at + 40
    shown = re.sub(r"\s", " ", text[begin:end])
    return ValueError(f"{message}, at position {at}:\n  {shown}\n  {' ' * (at - begin)}^")


def has_c(text: str) -> bool:
    """Whether the text of a formula contains the name c."""
    return re.search(r"\bc\b", text) is not None


def infix(tokens: Tokens) -> str:
    """The text of a formula; `parse` turns it into the same tokens again."""
    return _written(tokens, _in_text)


def latex(tokens: Tokens) -> str:
    """The formula in LaTeX, for math mode."""
    return _written(tokens, _in_latex)


def number(value: float) -> str:
    """The shortest text of a number; whole numbers have no decimal point."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


Part = tuple[str, int]
"""A part of a formula that is written, and its precedence."""


def _written(tokens: Tokens, write: Callable[[str | float, list[Part]], Part]) -> str:
    """A formula; the function writes a part from its last token and its operands."""
    stack: list[Part] = []
    for token in tokens:
        count = 2 if token in PRECEDENCE else FUNCTIONS.get(str(token), 0)
        start = len(stack) - count
        stack[start:] = [write(token, stack[start:])]
    return stack[0][0]


def _in_text(token: str | float, operands: list[Part]) -> Part:
    if isinstance(token, float):
        return number(token), BASE if token < 0 else ATOM
    if token not in PRECEDENCE:
        return f"{token}({_listed(operands)})" if operands else token, ATOM
    (left, left_rank), (right, right_rank) = operands
    mine = PRECEDENCE[token]
    if token == "**":  # a**b**c is a**(b**c), and -a**b is -(a**b)
        is_left_enclosed, is_right_enclosed = left_rank <= mine, right_rank < BASE
    else:
        is_left_enclosed, is_right_enclosed = left_rank < mine, right_rank <= mine
    first = f"({left})" if is_left_enclosed else left
    second = f"({right})" if is_right_enclosed else right
    space = " " if mine == 1 else ""
    return f"{first}{space}{token}{space}{second}", mine


def _listed(operands: list[Part]) -> str:
    return ", ".join(text for text, _ in operands)


def _in_latex(token: str | float, operands: list[Part]) -> Part:
    if isinstance(token, float):
        mantissa, _, exponent = number(token).partition("e")
        if exponent:
            return rf"{mantissa} \cdot 10^{{{int(exponent)}}}", PRECEDENCE["*"]
        return mantissa, BASE if token < 0 else ATOM
    if token in FUNCTIONS:
        return FUNCTIONS_LATEX[token].format(_listed(operands)), BASE
    if not operands:
        return LATEX.get(token, token), ATOM
    left, right = operands
    mine = PRECEDENCE[token]
    if token == "/":
        return rf"\frac{{{left[0]}}}{{{right[0]}}}", BASE
    if token == "**":
        return f"{_enclosed(left, left[1] < ATOM)}^{{{right[0]}}}", mine
    first, second = _enclosed(left, left[1] < mine), _enclosed(right, right[1] <= mine)
    return f"{first} {LATEX.get(token, token)} {second}", mine


def _enclosed(part: Part, is_enclosed: bool) -> str:
    is_negative = part[0].startswith("-")
    return rf"\left({part[0]}\right)" if is_enclosed or is_negative else part[0]


def simplified(tokens: Tokens, fold: Callable[[Tokens], float]) -> Tokens:
    """A shorter formula with the same value, unless a part of the formula is infinite or NaN.

    `fold` computes the value of a formula without variables.
    """
    stack: list[Tokens] = []
    for token in tokens:
        if token not in OPERATORS:
            stack.append([token])
        elif FUNCTIONS.get(token) == 1:
            stack.append(_folded([*stack.pop(), token], fold))
        else:
            right, left = stack.pop(), stack.pop()
            whole = _folded([*left, *right, token], fold)
            shorter = _shorter(str(token), left, right) if len(whole) > 1 else None
            stack.append(shorter or whole)
    return stack[0]


def _shorter(operator: str, left: Tokens, right: Tokens) -> Tokens | None:
    """The simplified operation if one of the rules applies, else None."""
    if operator in _NEUTRAL and right == [_NEUTRAL[operator]]:
        return left
    if operator in ("+", "*") and left == [_NEUTRAL[operator]]:
        return right
    if operator in ("max", "min") and left == right:
        return left
    if operator == "*" and [0.0] in (left, right):
        return [0.0]
    if len(right) == 1 and isinstance(right[0], float):
        if operator == "/" and abs(right[0]) < 0.001:  # protected division
            return [1.0]
        if operator in ("+", "-") and right[0] < 0:
            return [*left, -right[0], "-" if operator == "+" else "+"]
    if left == right and operator in ("-", "/"):  # protected division makes x / x 1 for every x
        return [0.0] if operator == "-" else [1.0]
    return None


def _folded(tokens: Tokens, fold: Callable[[Tokens], float]) -> Tokens:
    if any(token in VARIABLES for token in tokens):
        return tokens
    value = fold(tokens)
    return [value] if math.isfinite(value) else tokens
