"""Formulas: their values to the last bit, their text, and the searches that they steer."""

from __future__ import annotations

import copy
import functools
import itertools
import math
import pickle
import random
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from matplotlib.mathtext import MathTextParser
from scipy import stats

from agents import (
    MCTS,
    PUCT,
    UCB1,
    Formula,
    FormulaPolicy,
    ForwardModel,
    Grammar,
    Rng,
    SearchResult,
)
from agents.mcts.names import tree_policy_of
from agents.mcts.policies import OPPONENTS
from fop_env import FopModel
from games import Bandit, Dice, ThreePlayers, TicTacToe
from playing import one_player, opening
from replaying import Recorded, Visited, assert_same_tree, replayed, variables

VARIABLES = ("Q", "n", "Q_max", "sd", "P", "N", "b", "d")
WITHOUT_PRIOR = tuple(name for name in VARIABLES if name != "P")
"""With these, every action is tried first."""
SHARED = ("N", "b", "d")
"""Variables that are the same for all children."""
UNARY, PAIRED = ("ln", "sqrt", "exp", "abs"), ("max", "min")
BINARY = ("+", "-", "*", "/", "**", *PAIRED)
NAN, INF = math.nan, math.inf
CAPACITY = 528

Tree = float | str | tuple
"""A constant, a variable, or (operator, operand, ...)."""
Numbers = Mapping[str, float]


# --- Formulas, slow and obvious ---


def text_of(tree: Tree) -> str:
    """Infix, with parentheses wherever they may be."""
    if not isinstance(tree, tuple):
        return f"({tree})" if str(tree).startswith("-") else str(tree)
    operator, *operands = tree
    if operator in UNARY + PAIRED:
        return f"{operator}({', '.join(map(text_of, operands))})"
    return f"({text_of(operands[0])} {operator} {text_of(operands[1])})"


def tokens_of(tree: Tree) -> list[str | float]:
    if not isinstance(tree, tuple):
        return [tree]
    operator, *operands = tree
    return [token for operand in operands for token in tokens_of(operand)] + [operator]


def tree_of(formula: Formula) -> Tree:
    stack: list[Tree] = []
    for token in formula.tokens:
        num_operands = 1 if token in UNARY else 2 if token in BINARY else 0
        operands = [stack.pop() for _ in range(num_operands)][::-1]
        stack.append((token, *operands) if operands else token)
    (tree,) = stack
    return tree


def depth_of(tree: Tree) -> int:
    return 1 + max(map(depth_of, tree[1:])) if isinstance(tree, tuple) else 0


def subtrees(tree: Tree) -> Iterator[Tree]:
    yield tree
    for operand in tree[1:] if isinstance(tree, tuple) else ():
        yield from subtrees(operand)


def is_over_root(tree: Tree) -> bool:
    """Whether it is sqrt(x / n), n being the variable and x of constants, N, b and d."""
    if not isinstance(tree, tuple) or tree[0] != "sqrt":
        return False
    ratio = tree[1]
    if not isinstance(ratio, tuple) or ratio[0] != "/" or ratio[2] != "n":
        return False
    return all(
        isinstance(token, float) or token not in VARIABLES[:5] for token in tokens_of(ratio[1])
    )


def power(x: float, y: float) -> float:
    if y < 0 and abs(x) < 0.001:
        return 1.0
    is_whole = math.isinf(y) or (math.isfinite(y) and y == math.floor(y))
    base = x if is_whole else abs(x)
    return finite_or(-math.inf if base < 0 and y % 2 else math.inf, math.pow, base, y)


def finite_or(limit: float, function: Callable[..., float], *operands: float) -> float:
    """The value of the function, or the limit if it is too large."""
    try:
        return function(*operands)
    except OverflowError:
        return limit


OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: 1.0 if abs(y) < 0.001 else x / y,
    "**": power,
    "max": lambda x, y: x if x >= y or math.isnan(y) else y,
    "min": lambda x, y: x if x <= y or math.isnan(y) else y,
    "sqrt": lambda x, _: math.sqrt(abs(x)),
    "exp": lambda x, _: finite_or(INF, math.exp, x),
    "abs": lambda x, _: abs(x),
    "ln": lambda x, _: 0.0 if x == 0 else math.log(abs(x)),
}
"""As agents/formulas/program.pxd says; functions of one operand leave the other out."""


def value_of(tree: Tree, numbers: Numbers, *, is_compiled: bool = True) -> float:
    """The value of a formula; compiled, with sqrt(x / n) as agents/formulas/program.pxd says."""
    if isinstance(tree, float):
        return tree
    if isinstance(tree, str):
        return numbers[tree]
    if is_compiled and is_over_root(tree):
        x, n = value_of(tree[1][1], numbers), abs(numbers["n"])
        return 1.0 if n < 0.001 else math.sqrt(abs(x)) * (1 / math.sqrt(n))
    values = [value_of(operand, numbers, is_compiled=is_compiled) for operand in tree[1:]]
    return OPERATORS[tree[0]](values[0], values[-1])


def assert_same_bits(actual: Any, expected: Any) -> None:
    """Equal as numbers to the last bit, the sign of zero included; any NaN equals any other."""
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    np.testing.assert_array_equal(actual, expected)
    is_number = ~np.isnan(expected)
    signs = [np.signbit(values)[is_number] for values in (actual, expected)]
    np.testing.assert_array_equal(*signs)


CONSTANTS = st.sampled_from([0.0, 0.5, 1.0, 2.0, -1.0, -7.0, 0.001, 1e-5, 1e200, -1e308])
CONSTANTS |= st.floats(allow_nan=False, allow_infinity=False).map(lambda value: value + 0.0)
SPECIAL = [NAN, INF, -INF, 0.0, -0.0, 5e-324, -1e-310, 1e-4, 0.1, -2.5, 1e308, -1e308]
EDGES = [math.nextafter(0.001, 0), 0.001, -0.001, math.nextafter(-0.001, 0), 8191.0, 8192.0, 8193.0]
NUMBERS = st.one_of(
    st.sampled_from(SPECIAL + EDGES), st.integers(-3, 9000).map(float), st.floats(), st.floats(0, 1)
)
FINITE = st.one_of(
    st.sampled_from([0.0, -0.0, 1e-4, *EDGES]), st.integers(0, 9000).map(float), st.floats(-1, 1)
)


@st.composite
def trees(draw: st.DrawFn, depth: int = 8, variables: Sequence[str] = VARIABLES) -> Tree:
    """Of at most this depth; not a few have a sqrt(x / n) of the special kind."""
    kind = draw(st.sampled_from(["leaf", *["unary"] * 2, *["binary"] * 4])) if depth else "leaf"
    part = trees(depth=depth - 1, variables=variables)
    if kind == "unary":
        return draw(st.sampled_from(UNARY)), draw(part)
    if kind == "binary" and depth > 1 and "n" in variables and draw(st.integers(0, 4)) == 0:
        return "sqrt", ("/", draw(trees(depth=depth - 2, variables=SHARED)), "n")
    if kind == "binary":
        return draw(st.sampled_from(BINARY)), draw(part), draw(part)
    return draw(st.sampled_from(variables) if variables and draw(st.integers(0, 2)) else CONSTANTS)


def numbers(values: st.SearchStrategy[float] = NUMBERS) -> st.SearchStrategy[dict[str, float]]:
    return st.fixed_dictionaries(dict.fromkeys(VARIABLES, values))


def columns(rows: Sequence[Numbers]) -> dict[str, list[float]]:
    return {name: [row[name] for row in rows] for name in VARIABLES}


# --- Values ---


@settings(deadline=None, max_examples=50)
@given(tree=trees(), rows=st.lists(numbers(), min_size=1, max_size=4))
def test_values_are_those_of_the_tree(tree, rows):
    formula = Formula(text_of(tree))
    values = formula.evaluate(**columns(rows))
    assert_same_bits(values, [value_of(tree, row) for row in rows])
    assert_same_bits(formula.evaluate(**rows[0]), value_of(tree, rows[0]))


@pytest.mark.parametrize("seed", range(10))
def test_values_of_the_largest_trees(seed):
    """All leaves at depth 8; all of the 511 tokens need a register."""
    rng = random.Random(seed)

    def full(depth):
        if depth:
            return rng.choice(BINARY), full(depth - 1), full(depth - 1)
        return rng.choice([*VARIABLES, rng.uniform(-2, 2)])

    tree = full(8)
    formula = Formula(text_of(tree))
    assert (formula.size, formula.depth) == (511, 8)
    rows = [{name: rng.uniform(-2, 2) for name in VARIABLES} for _ in range(20)]
    assert_same_bits(formula.evaluate(**columns(rows)), [value_of(tree, row) for row in rows])


@pytest.mark.parametrize(
    "text",
    [
        *(f"Q {operator} n" for operator in BINARY[:5]),
        *(f"{name}(Q, n)" for name in PAIRED),
        *(f"{name}(Q)" for name in UNARY),
        *("sqrt(N/n)", "sqrt((N - 5)/n)"),
    ],
)
def test_operators_at_special_numbers(text):
    formula = Formula(text)
    special = [*SPECIAL, *EDGES, 0.5, 2.0, 3.0, -3.0, 400.0, 1000.0]
    rows = [dict.fromkeys(VARIABLES, x) | {"n": y} for x in special for y in special]
    expected = [value_of(tree_of(formula), row) for row in rows]
    assert_same_bits(formula.evaluate(**columns(rows)), expected)


OWN_WAY = (
    *("sqrt(N/n)", "sqrt((N*d - b)/n)", "sqrt(10*7/n)", "0*Q + sqrt(sqrt(N)/n)*1", "sqrt(ln(N)/n)"),
)
PLAIN_WAY = (
    *("sqrt(Q/n)", "sqrt((N + 0*Q)/n)", "sqrt(n/n)", "sqrt(N/(n*1))", "sqrt(N/Q)", "sqrt(N/b)"),
    *("sqrt(n/N)", "sqrt(N/n*1)", "sqrt(N/n + 0)"),
)


@pytest.mark.parametrize("text", OWN_WAY + PLAIN_WAY)
def test_which_roots_are_computed_in_their_own_way(text):
    """By numbers at which the two ways differ in the last bits, or not."""
    tree = tree_of(Formula(text))
    rng = random.Random(0)
    rows = [{name: float(rng.randint(2, 9999)) for name in VARIABLES} for _ in range(300)]
    own, plain = ([value_of(tree, row, is_compiled=way) for row in rows] for way in (True, False))
    assert (own != plain) == (text in OWN_WAY)
    np.testing.assert_allclose(own, plain, rtol=1e-14)
    assert_same_bits(Formula(text).evaluate(**columns(rows)), own)


def test_tabled_and_other_numbers():
    numbers = np.concatenate([np.arange(1, 4500), np.arange(1, 4500) + 0.5, [2.0**31, 2.0**32]])
    for signed in (numbers, -numbers):
        assert_same_bits(Formula("ln(Q)").evaluate(Q=signed), [math.log(x) for x in numbers])
        roots = [math.sqrt(7) * (1 / math.sqrt(x)) for x in numbers]
        assert_same_bits(Formula("sqrt(N/n)").evaluate(N=7, n=signed), roots)


def test_arrays_are_broadcast():
    formula = Formula("Q + n*N")
    values = formula.evaluate(Q=[[1], [2]], n=np.arange(3, dtype=np.int8), N=10)
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, [[1, 11, 21], [2, 12, 22]])
    assert formula.evaluate(Q=np.float32(1), n=2, N=3).shape == ()
    assert formula.evaluate(Q=np.zeros((0, 2)), n=1, N=1).shape == (0, 2)
    strided = np.arange(12.0).reshape(3, 4)[::2, ::-1].T
    np.testing.assert_array_equal(formula.evaluate(Q=strided, n=1, N=1, d=5), strided + 1)
    strided.flags.writeable = False
    np.testing.assert_array_equal(formula.evaluate(Q=strided, n=0, N=1), strided)
    np.testing.assert_array_equal(Formula("2").evaluate(Q=np.zeros(3)), [2, 2, 2])


def test_variables_must_fit():
    with pytest.raises(ValueError, match=r"Q \+ n.*needs values for \('Q', 'n'\), got \('Q',\)"):
        Formula("Q + n").evaluate(Q=1)
    with pytest.raises(ValueError, match=r"needs values for \('Q',\), got \('Q', 'c'\)"):
        Formula("Q").evaluate(Q=1, c=2)
    with pytest.raises(ValueError, match=r"shape mismatch|broadcast"):
        Formula("Q + n").evaluate(Q=[1, 2], n=[1, 2, 3])
    with pytest.raises((TypeError, ValueError)):
        Formula("Q").evaluate(Q="one")


# --- Text ---


@settings(deadline=None, max_examples=60)
@given(tree=trees())
def test_formulas_are_read_and_written(tree):
    formula = Formula(text_of(tree))
    assert formula.tokens == tokens_of(tree)
    assert tree_of(formula) == tree
    assert formula.size == len(formula.tokens)
    assert formula.depth == depth_of(tree)
    assert formula.variables == tuple(name for name in VARIABLES if name in formula.tokens)
    twins = [
        Formula(str(formula)),
        eval(repr(formula)),
        copy.copy(formula),
        copy.deepcopy(formula),
        pickle.loads(pickle.dumps(formula)),
    ]
    assert {formula, *twins} == {formula}
    assert all(twin == formula and twin.tokens == formula.tokens for twin in twins)
    assert len(str(formula)) <= len(text_of(tree))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        *(("Q - n - N", "(Q - n) - N"), ("Q/n/N", "(Q/n)/N"), ("Q/n*N", "(Q/n)*N")),
        *(("Q*n/N", "(Q*n)/N"), ("Q - n + N", "(Q - n) + N"), ("Q + n*N", "Q + (n*N)")),
        *(("Q/n - N*b", "(Q/n) - (N*b)"), ("-2*Q", "(-2)*Q"), ("Q--2", "Q - (-2)")),
        *(("Q*-2/n", "(Q*(-2))/n"), ("+2 - +1.0", "2 - 1"), ("- 2", "-2"), ("-(2)", "-2")),
        *(("-0.0", "0"), (" \tQ+n  \n", "Q + n"), ("Q +\n  sqrt(\n\tN\r\n  /n)", "Q + sqrt(N/n)")),
        *(("ln ( Q )", "ln(Q)"), ("1_000 + .5 + 1. + 1e3", "1000 + 0.5 + 1 + 1000")),
        *(("Q**n**N", "Q**(n**N)"), ("2*Q**n", "2*(Q**n)"), ("Q**-2", "Q**(-2)")),
        *(("max( Q,n )", "max(Q, n)"), ("((((Q))))", "Q"), ("sqrt((Q))", "sqrt(Q)")),
    ],
)
def test_precedence_and_spelling(text, same):
    assert Formula(text) == Formula(same)
    assert hash(Formula(text)) == hash(Formula(same))


@pytest.mark.parametrize(
    "text",
    [
        *("Q + 0.5*sqrt(ln(N)/n)", "Q - (n - N) - (Q + n)", "Q*(n*N)/(b/d)", "(Q + n)*(N - 2)"),
        *("Q/n/N*b", "-1*Q - -1", "Q*-3", "sqrt(Q_max + sd)", "(Q**n)**N + Q**n**N"),
        *("(-2)**n*(2*n)**(Q + 1)", "Q**-2/abs(sd)**0.5", "max(Q, min(n, N - 1)) + exp(-1)"),
        *("Q + 1.25*sqrt(N)*P/(1 + n)", "ln(-1)", "0.1 + 1e-05 + 1e+20 + 100000000000000"),
        "1234567890123456.0",
    ],
)
def test_formulas_are_written_like_this(text):
    assert str(Formula(text)) == text
    assert repr(Formula(text)) == f"Formula({text!r})"


def test_equality():
    assert Formula("Q + n") == Formula("Q+n")
    assert Formula("Q + n") != Formula("n + Q")
    assert Formula("Q") != "Q"
    assert Formula("Q*0.0") == Formula("Q*-0.0")
    assert hash(Formula("Q*0.0")) == hash(Formula("Q*-0.0"))
    assert str(Formula("Q - 0*-1")) == str(Formula("Q - -0*-1"))
    assert Formula("0.1") != Formula(repr(math.nextafter(0.1, 1)))
    assert len({Formula("2*Q"), Formula("2.0*Q"), Formula("Q*2")}) == 2


def test_c_is_a_constant():
    assert Formula("Q + c*d", c=0.25) == Formula("Q + 0.25*d")
    assert Formula("c - c", c=-3) == Formula("-3 - -3")
    assert Formula("c", c=np.float32(0.5)).tokens == [0.5]
    assert Formula("Q", c=1) == Formula("Q")


# Refusals


def place_in(message: str) -> int:
    """The position that a message states, which is where its caret stands."""
    found = re.search(r"at position (\d+):\n  (.*)\n  ( *)\^$", message, re.S)
    stated, line, caret = found.groups()
    assert len(caret) == int(stated) <= len(line)
    return len(caret)


REFUSED: dict[str, Sequence[str]] = {
    "unknown name 'foo', known are Q, n, Q_max, sd, P, N, b, d, c, at": ["@foo"],
    "unknown name 'q', known are .*; did you mean 'Q'": ["Q + @q"],
    "unknown name 'C', known are .*; did you mean 'c'": ["Q + @C*sqrt(ln(N)/n)"],
    "unknown name 'M'": ["sqrt(ln(@M)/n)"],
    "unknown name 'sqrt'": ["Q + @sqrt"],
    "unknown name 'nan'": ["Q + @nan"],
    "unknown name 'inf'": ["Q + @inf*n"],
    "unknown name 'foo'": ["Q +\n\t@foo", "(Q\n - n\n - @foo)", "Ｑ*n + @foo"],
    "unknown name 'é'": ["@é + 1"],
    "unknown name 'Größe'": ["2*@Größe"],
    "c has no value here": ["Q + @c*n"],
    "a sign belongs to a number here: write 0 - x": ["Q + @-n"],
    "a sign belongs to a number here": ["Q*@+n", "@-(Q + n)", "@--1", "Q + @-2**n"],
    r"only \+ - \* / \*\* and functions are known here": ["n + @Q//2"],
    "only": [
        *("n - (@Q%2)", "@Q@n", "@~1", "@Q < n", "@Q and n", "@not Q", "@Q if n else N"),
        *("@lambda: 1", "(@Q := 1)", "@(Q, n)", "1 + @[Q]", "1 + @Q.real", "1 + @Q[0]"),
        *("1 + @f'{Q}'", "sqrt(@*n)"),
    ],
    "the functions are max, min, ln, sqrt, exp, abs": [
        *("Q + @log(n)", "Q + @n(2)", "Q + @2(n)", "Q + @math.sqrt(n)", "@Q_max(n)"),
        "Ｑ + @ＮＮ(1)",
    ],
    "ln takes one argument": ["1 + @ln()"],
    "sqrt takes one argument": [
        *("1 + @sqrt(Q, n)", "1 + @sqrt(x=n)", "1 + @sqrt(n, x=n)", "1 + @sqrt(**n)")
    ],
    "max takes two arguments": ["1 + @max(Q)"],
    "min takes two arguments": ["1 + @min(Q, n, N)"],
    "exp takes one argument": ["1 + @exp(Q, n)"],
    "constants are decimal numbers": [
        *("Q + @True", "Q + @None", "Q + @1j", "Q + @-2.5j", "Q + @-True", "Q + @'n'"),
        *("Q + @b'n'", "Q + @...", "@'€'*n - 1"),
    ],
    "constants must be finite": ["Q + @1e400", "Q + @-1e309", "Q + @1" + "0" * 400],
    "this is no formula": [
        *("Q +@", "Q @n", "Q@)", "Q + sqrt@(n", "Q + @* n", "Q @= 1", "Q@; n", "Q @$ n"),
        *("@import math", "@", "Ｑ @$ n", "Ｑ + @²"),
    ],
    "formulas have no comments": ["Q + n @# the rest"],
}
"""Messages of texts, with an @ before the place that the message is to point at.

Places are characters, not bytes; a wide Q is the same name in Python.
"""


@pytest.mark.parametrize(
    ("marked", "message"), [(text, message) for message, texts in REFUSED.items() for text in texts]
)
def test_messages_show_the_place(marked, message):
    for blanks in ("", "   ", "\n \t"):
        with pytest.raises(ValueError, match=message) as info:
            Formula(blanks + marked.replace("@", "", 1))
        assert place_in(str(info.value)) == len(blanks) + marked.index("@")


@pytest.mark.parametrize(
    "text",
    [
        *("Q\0", "\0", "\ud800", "1" * 10_000, "Q + \\\n n", "٣", "_"),
        *("(" * 1000 + "Q" + ")" * 1000, "sqrt(" * 1000 + "Q" + ")" * 1000),
        *("1 - (" * 1000 + "Q" + ")" * 1000, "Q" + " - Q" * 3000, "-" * 3000 + "1"),
        "ln(-" * 3000,
    ],
    ids=lambda text: ascii(text[:9]),
)
def test_strange_and_deep_texts_are_refused(text):
    with pytest.raises(ValueError, match="at position"):
        Formula(text)


@pytest.mark.parametrize("text", [None, 1.5, b"Q", ["Q"], Formula("Q")])
def test_formulas_are_made_of_text(text):
    with pytest.raises(TypeError, match="formula must be a string, got "):
        Formula(text)


def test_formulas_have_a_size():
    largest = Formula("ln(" + "Q" + " + 1" * 263 + ")")
    assert (largest.size, largest.depth) == (CAPACITY, 264)
    assert Formula(str(largest)) == largest
    assert largest.evaluate(Q=0) == math.log(263)
    with pytest.raises(ValueError, match="formulas have at most 528 tokens, got 529"):
        Formula("Q" + " + 1" * 264)


@pytest.mark.parametrize("c", [math.nan, math.inf, -math.inf, True, "1", 10**400])
def test_c_must_be_a_finite_number(c):
    with pytest.raises(ValueError, match="c must be a finite number, got "):
        Formula("Q + c*d", c)


# Simplification


@settings(deadline=None, max_examples=40)
@given(tree=trees(), row=numbers(FINITE))
def test_simplified_formulas_have_the_same_value(tree, row):
    """Exactly, where no part is infinite or NaN and as far as all roots are computed in one way."""
    formula = Formula(text_of(tree))
    shorter = formula.simplified()
    assert shorter.size <= formula.size
    assert set(shorter.variables) <= set(formula.variables)
    assert shorter.simplified() == shorter
    plain = functools.partial(value_of, numbers=row, is_compiled=False)
    assume(all(math.isfinite(plain(part)) for part in subtrees(tree)))
    simple = tree_of(shorter)
    assert plain(simple) == plain(tree)
    if not any(map(is_over_root, [*subtrees(tree), *subtrees(simple)])):
        assert shorter.evaluate(**row) == formula.evaluate(**row)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("Q + 0", "Q"), ("0 + Q", "Q"), ("Q - 0", "Q"), ("0 - Q", "0 - Q"), ("Q*1", "Q")),
        *(("1*Q", "Q"), ("Q/1", "Q"), ("1/Q", "1/Q"), ("Q*0", "0"), ("0*(Q + n)", "0")),
        *(("Q + n*0 - d*(1 - 1)", "Q"), ("sqrt(Q) - sqrt(Q)", "0"), ("(Q + n)/(Q + n)", "1")),
        *(("(Q + n)/(n + Q)", "(Q + n)/(n + Q)"), ("2*3 + ln(1) - sqrt(-16)", "2")),
        *(("1/0 + 1/0.0001", "2"), ("Q*(2/3)", f"Q*{2 / 3}"), ("0*-1 + ln(Q)", "ln(Q)")),
        *(("1e308*10 + Q", "1e+308*10 + Q"), ("1e308*10 - 1e308*10", "0"), ("3/(1e308*10)", "0")),
        *(("Q + -2", "Q - 2"), ("Q - -2", "Q + 2"), ("Q + (2 + -4)", "Q - 2")),
        *(("(Q - 1) - (Q + -1)", "0"), ("Q/0", "1"), ("Q/-0.0005", "1"), ("Q/0.001", "Q/0.001")),
        *(("Q**1", "Q"), ("1**Q", "1**Q"), ("Q + 2**3", "Q + 8"), ("max(Q + 0, Q)", "Q")),
        *(
            ("min(Q, n)", "min(Q, n)"),
            ("min(Q, 0 + Q)", "Q"),
            ("max(Q, 1)*max(2, 1)", "max(Q, 1)*2"),
        ),
        ("max(Q, 0) + min(0, Q) + max(1, Q)", "max(Q, 0) + min(0, Q) + max(1, Q)"),
        *(("Q", "Q"), ("5", "5")),
    ],
)
def test_simplified(text, expected):
    assert str(Formula(text).simplified()) == expected


# LaTeX


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Q + sqrt(2*ln(N)/n)", r"Q + \sqrt{\frac{2 \cdot \ln\left(N\right)}{n}}"),
        *(("Q_max*sd", r"Q_{\max} \cdot \sigma"), ("(Q + n)*b", r"\left(Q + n\right) \cdot b")),
        *(("Q - (n - d)", r"Q - \left(n - d\right)"), ("(Q - n) - d", "Q - n - d")),
        *(("(Q + n)/(b*d)", r"\frac{Q + n}{b \cdot d}"), ("Q*(n/b)", r"Q \cdot \frac{n}{b}")),
        *(("Q*(n*b)", r"Q \cdot \left(n \cdot b\right)"), ("Q - -2", r"Q - \left(-2\right)")),
        *(("Q*-0.5", r"Q \cdot \left(-0.5\right)"), ("-2", "-2"), ("Q**2", "Q^{2}")),
        ("(Q + n)**(1 - d)", r"\left(Q + n\right)^{1 - d}"),
        *(("Q**n**2", "Q^{n^{2}}"), ("(Q**n)**2", r"\left(Q^{n}\right)^{2}")),
        ("(Q/n)**2", r"\left(\frac{Q}{n}\right)^{2}"),
        ("ln(n)**2", r"\left(\ln\left(n\right)\right)^{2}"),
        ("(-2)**n", r"\left(-2\right)^{n}"),
        ("exp(abs(Q))", r"\exp\left(\left|Q\right|\right)"),
        ("max(Q, min(n, 2))", r"\max\left(Q, \min\left(n, 2\right)\right)"),
        *(("sqrt(-2)", r"\sqrt{-2}"), ("1e-05", r"1 \cdot 10^{-5}")),
        ("Q/2.5e20", r"\frac{Q}{2.5 \cdot 10^{20}}"),
        ("Q*1e300", r"Q \cdot \left(1 \cdot 10^{300}\right)"),
        ("Q + -1e300", r"Q + \left(-1 \cdot 10^{300}\right)"),
    ],
)
def test_latex(text, expected):
    assert Formula(text).latex() == expected
    assert Formula(text)._repr_latex_() == f"${expected}$"


def test_latex_is_understood():
    parser = MathTextParser("path")
    texts = ["Q + c*sqrt(2*ln(N)/n)", "(Q_max - sd)*-1e-5/(b*(d + 1))", "sqrt(sqrt(ln(ln(n))))"]
    texts += ["max(Q, abs(n))**exp(-2*P)"]
    formulas = [Formula(text, c=0.5) for text in texts]
    formulas += [Grammar(VARIABLES).grow(4, Rng(seed)) for seed in range(20)]
    for formula in formulas:
        assert parser.parse(f"${formula.latex()}$").width > 0


# --- Searches, replayed ---


def by_arm(model: Recorded) -> list[list[float]]:
    return [
        [returns[0] for moves, returns in model.log if moves == (arm,)]
        for arm in range(model.widths[0])
    ]


@settings(deadline=None, max_examples=60)
@given(
    tree=trees(depth=5, variables=WITHOUT_PRIOR),
    num_actions=st.sampled_from([1, 2, 3, 7, 8, 9, 15, 16, 17, 40]),
    rounds=st.floats(0.1, 3),
    seed=st.integers(0, 2**32),
)
def test_children_are_valued_together_as_alone(tree, num_actions, rounds, seed):
    """Whatever their number, and before all were tried."""
    model = Recorded([num_actions])
    formula = Formula(text_of(tree))
    iterations = max(1, round(rounds * num_actions))
    result = MCTS(iterations, tree_policy=str(formula), seed=seed).search(model)
    root = Visited()
    assert len(list(replayed(model, root, lambda *_: 0.0))) == max(0, iterations - num_actions)
    assert_same_tree(result, root)
    tried, is_tried = sorted(root.children.items()), result.visits > 0
    values = [formula.evaluate(**variables(model, root, child)) for _, child in tried]
    assert_same_bits(result.policy_values[is_tried], values)
    assert np.all(np.isnan(result.policy_values[~is_tried]))


GAMES: dict[str, tuple[Any, ...]] = {
    "arms": ([9],),
    "one player": ([3, 2, 4],),
    "one player and chance": ([3, 3, 2, 2], 1, [1, 3]),
    "two players": ([2, 2, 2, 2], 2),
    "two players and chance": ([2, 4, 2, 3], 2, [1]),
    "two players and wide": ([9, 17], 2),
    "three players": ([2, 3, 2], 3),
    "forced": ([1, 40], 2),
}
FORMULAS = [
    "Q",
    "Q + sqrt(2*ln(N)/n)",
    "Q_max + sd*sqrt(ln(N)/n)",
    "(Q - 1)*(d + 1)/n - b*sd",
    "sd - n*d/(b + N) + Q_max*Q",
    "sqrt(sd/n) + ln(Q)*d",
    "d - n*n/(N - b)",
]


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize(
    ("game", "opponent"),
    [
        *((game, "negate_q") for game in GAMES),
        *((game, "negate_formula") for game in GAMES if game.startswith("two players")),
    ],
)
def test_searches_follow_their_formula(game, text, opponent):
    """Every choice of a search was one of highest value, for whoever moves, by its own returns."""
    model, formula = Recorded(*GAMES[game]), Formula(text)
    is_negated = opponent == "negate_formula"
    if is_negated and "Q_max" in text:
        return  # refused, see below
    policy = FormulaPolicy(formula, opponent)
    chance_backup = "sampled" if is_negated else "weighted"
    result = MCTS(120, tree_policy=policy, chance_backup=chance_backup, seed=1).search(model)
    root = Visited()

    def value(parent: Visited, child: Visited, _: int) -> float:
        sign = -1 if is_negated and model.player_at(parent.depth) else 1
        numbers = variables(model, parent, child)
        return sign * formula.evaluate(**numbers | {"Q": sign * child.mean})

    choices = list(replayed(model, root, value, is_weighted=not is_negated))
    assert len(choices) >= 90
    for _, values, action in choices:
        assert values[action] == max(values.values())
    final = [value(root, child, 0) for _, child in sorted(root.children.items())]
    assert_same_bits(result.policy_values, final)
    assert_same_tree(result, root)


@pytest.mark.parametrize("trees", [1, 3])
def test_standard_errors_are_those_of_the_returns(trees):
    model = Recorded([5])
    result = MCTS(300, standard_errors=True, trees=trees, seed=0).search(model)
    errors = [np.std(values, ddof=1) / math.sqrt(len(values)) for values in by_arm(model)]
    np.testing.assert_allclose(result.standard_errors, errors, rtol=1e-12)
    assert "± error" in str(result)
    plain = MCTS(300, trees=trees, seed=0).search(Recorded([5]))
    np.testing.assert_array_equal(plain.visits, result.visits)
    assert np.isnan(plain.standard_errors).all()
    one = MCTS(3, standard_errors=True, seed=0).search(Recorded([5]))
    assert np.isnan(one.standard_errors).all()  # after one visit
    assert "± error" not in str(plain)


def test_details_are_of_the_mean_of_several_rollouts():
    model = Recorded([3])
    result = MCTS(100, rollouts=2, tree_policy="Q_max", seed=0).search(model)
    for value, values in zip(result.policy_values, by_arm(model), strict=True):
        pairs = zip(values[::2], values[1::2], strict=True)
        assert value == max(one / 2 + other / 2 for one, other in pairs)


@pytest.mark.parametrize("make_model", [TicTacToe, ThreePlayers, lambda: Dice(player=1)])
def test_details_do_not_change_the_search(make_model):
    plain = MCTS(400, 0.5, seed=0)
    detailed = MCTS(400, 0.5, tree_policy="Q + c*sqrt(ln(N)/n) + 0*Q_max*sd", seed=0)
    assert not plain.make_tree_policy().needs_details
    assert detailed.make_tree_policy().needs_details
    assert copy.copy(FormulaPolicy(Formula("Q"), needs_details=True)).needs_details
    assert_same_search(plain.search(make_model()), detailed.search(make_model()))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_details_take_memory_only_where_they_are_asked_for():
    code = """
        from agents import MCTS
        from fop_env import FopModel
        for text in ("Q + sqrt(ln(N)/n)", "Q + sqrt(ln(N)/n)", "Q + sqrt(ln(N)/n) + 0*sd"):
            result = MCTS(100_000, tree_policy=text, seed=0).search(FopModel("f1", 10, 1e-12))
            line = next(line for line in open("/proc/self/status") if "VmHWM" in line)
            print(line.split()[1], result.search_tree.num_nodes)
            del result
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    output = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    numbers = [map(int, line.split()) for line in output.splitlines()]
    _, (plain, num_nodes), (detailed, same) = numbers
    assert num_nodes == same > 50_000
    assert 30 * num_nodes < 1024 * (detailed - plain)


# --- UCB1 ---


def assert_same_search(one: SearchResult, other: SearchResult) -> None:
    np.testing.assert_array_equal(one.tree(), other.tree())
    assert one.action == other.action
    assert_same_bits(one.policy_values, other.policy_values)
    assert_same_bits(one.means, other.means)


SAME_AS_UCB1 = {
    UCB1.FORMS[0]: "Q + c*sqrt(ln(N)/n)",
    UCB1.FORMS[1]: "Q + c*sqrt(2*ln(N)/n)",
    UCB1.FORMS[2]: "Q + 2*c*sqrt(ln(N)/n)",
}
PROBLEMS: dict[str, tuple[Callable[[], ForwardModel], int]] = {
    "a function": (lambda: FopModel("f2"), 3000),
    "a function for two": (lambda: FopModel("f5", 10, 1e-5, 2, 2), 3000),
    "tic-tac-toe": (TicTacToe, 200),
    "dice": (lambda: Dice(player=1), 600),
    "carcassonne": (one_player, 1000),
    "carcassonne for two": (opening, 1000),
}


@pytest.mark.parametrize("c", [0, 0.02, 3.3])
@pytest.mark.parametrize(
    ("problem", "form"),
    [
        *((problem, UCB1.FORMS[0]) for problem in PROBLEMS),
        *itertools.product(("tic-tac-toe", "dice"), UCB1.FORMS[1:]),
    ],
)
def test_ucb1_is_a_formula(problem, form, c):
    """With little exploration one problem also has more visits of a child than are tabled."""
    make_model, iterations = PROBLEMS[problem]
    iterations = 20_000 if (problem, c) == ("a function", 0.02) else iterations
    built_in = MCTS(iterations, tree_policy=UCB1(c, form), seed=0).search(make_model())
    formula = MCTS(iterations, c, tree_policy=SAME_AS_UCB1[form], seed=0).search(make_model())
    assert_same_search(built_in, formula)
    assert iterations < 20_000 or built_in.visits.max() > 8192


# --- Priors ---

PUCT_FORMULA = "Q + c*sqrt(N)*P/(1 + n)"


def graded(model: ForwardModel) -> tuple[list[float], np.ndarray]:
    """An evaluator: later actions have higher priors, and the player to move is ahead."""
    weights = np.arange(1.0, 1 + len(model.legal_actions()))
    ahead = [0.1 if i == model.current_player() else -0.1 for i in range(model.num_players)]
    return ahead, weights / weights.sum()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"first_play_urgency": 0.2},
        {"evaluator": graded},
        {"evaluator": graded, "widening": (2, 0.4)},
        {"evaluator": lambda models: [graded(model) for model in models], "batch_size": 4},
    ],
)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_puct_is_a_formula(problem, options):
    for c in (0.05, 1.25):
        built_in = MCTS(300, tree_policy=PUCT(c), seed=1, **options)
        formula = MCTS(300, c, tree_policy=PUCT_FORMULA, seed=1, **options)
        make_model, _ = PROBLEMS[problem]
        assert_same_search(built_in.search(make_model()), formula.search(make_model()))


def test_formulas_with_priors_let_untried_actions_wait():
    """An action is added when no child has a higher value: it has n = 0 and the mean as Q."""
    formula = Formula("Q + 2*P*sqrt(N)/(1 + n) - 0.1*b*(Q_max - Q) + sd*n/50")
    results = [MCTS(k, tree_policy=formula, seed=0).search(Recorded([9])) for k in range(1, 60)]
    waits = 0
    for before, after in itertools.pairwise(results):
        (chosen,) = np.flatnonzero(after.visits - before.visits)
        is_tried = before.visits > 0
        if is_tried.all():
            break
        mean = np.average(before.means[is_tried], weights=before.visits[is_tried])
        numbers = {"N": before.iterations, "b": is_tried.sum(), "d": 0, "P": 1 / 9}
        urgency = formula.evaluate(Q=mean, Q_max=mean, n=0, sd=0, **numbers)
        highest = before.policy_values[is_tried].max()
        assert is_tried[chosen] == (highest > urgency)
        assert not is_tried[chosen] or before.policy_values[chosen] == highest
        waits += is_tried[chosen]
    assert waits > 5


def test_untried_actions_are_valued_at_their_depth():
    """The bonus of the depth adds all five actions below the first move, and is 0 at the root."""
    for widths, is_full in (([1, 5], True), ([5], False)):
        model = Recorded(widths)
        result = MCTS(12, tree_policy="Q + 50*d*P/(1 + n)", seed=0).search(model)
        assert (len(result.tree()) == 1 + sum(widths)) == is_full


def test_untried_actions_are_valued_for_either_opponent():
    policies = [FormulaPolicy(Formula("Q + 0*P"), opponent) for opponent in OPPONENTS]
    trees = [
        MCTS(200, tree_policy=policy, seed=0).search(TicTacToe()).tree() for policy in policies
    ]
    np.testing.assert_array_equal(*trees)


# --- Policies ---


def test_policies_of_text():
    assert tree_policy_of("Q + c*d", 0.5).formula == Formula("Q + 0.5*d")
    assert tree_policy_of("c", -2).formula == Formula("-2")
    assert repr(MCTS(10, tree_policy="Q")) == "mcts(iterations=10, tree_policy=Q)"


@pytest.mark.parametrize(
    ("tree_policy", "c", "message"),
    [
        ("Q + 2*sqrt(N/n)", 1, "c=1 has no effect beside tree_policy='Q"),
        (FormulaPolicy(Formula("Q + c*d", c=2)), 1, "c=1 has no effect beside .*Formula"),
        ("Q + c*sqrt(N/n)", None, "c has no value here, at position 4"),
        ("Q + c*sqrt(N/n)", math.inf, "c must be a finite number, got inf"),
        ("UCB1", None, "unknown name 'UCB1', known are Q, n, Q_max, sd, P, N, b, d"),
        ("Q + sqrt(log(N)/n)", None, "the functions are .*, at position 9"),
        ("", None, "must be a formula or one of ucb1, .*, got '': this is no formula"),
        (Formula("Q"), 0.5, r"c=0.5 has no effect beside tree_policy=Formula\('Q'\)"),
        (None, None, "a Formula, a TreePolicy or a function of arrays, got None"),
        (FormulaPolicy, None, "a Formula, a TreePolicy or a function of arrays, got "),
    ],
)
def test_bad_policies_are_refused(tree_policy, c, message):
    with pytest.raises(ValueError, match=message):
        MCTS(10, c, tree_policy=tree_policy)


def test_formula_policies_are_checked():
    message = r"opponent must be one of .*'negate_formula'\), got 'max'"
    with pytest.raises(ValueError, match=message):
        FormulaPolicy(Formula("Q"), "max")
    with pytest.raises(ValueError, match="Q_max is not known from the other player's side"):
        FormulaPolicy(Formula("Q + 0*Q_max"), "negate_formula")
    for formula in ("Q", None):
        with pytest.raises(TypeError, match="formula"):
            FormulaPolicy(formula)
    FormulaPolicy(Formula("Q + sd"), "negate_formula")


def test_formulas_are_negated_in_games_of_two():
    agent = MCTS(50, tree_policy=FormulaPolicy(Formula("Q - n"), "negate_formula"), seed=0)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"zero-sum games of two, got one of 3 players"):
            agent.search(ThreePlayers())
    for model in (TicTacToe(), Bandit(0.2, 0.4), Dice(player=1)):
        assert agent.search(model).iterations == 50
    assert MCTS(50, tree_policy="Q - n").search(ThreePlayers()).iterations == 50


NAN_WHERE_PAID = "Q*1e308*1e308 - Q*1e308*1e308"


@pytest.mark.parametrize("num_arms", [2, 5, 11])
@pytest.mark.parametrize("text", ["1e308*10 - 1e308*10", NAN_WHERE_PAID])
def test_among_nan_children_chance_chooses(text, num_arms):
    result = MCTS(4000, tree_policy=text, seed=0).search(Bandit(*[1] * num_arms))
    assert np.all(np.isnan(result.policy_values))
    assert stats.chisquare(result.visits).pvalue > 1e-4
    assert np.ptp(result.visits) > 0


@pytest.mark.parametrize(
    ("text", "unpaid"),
    [
        (NAN_WHERE_PAID, 0),
        (f"-1e300 + ({NAN_WHERE_PAID})", -1e300),
        ("(0 - 1e308*10) + Q*1e308*1e308", -math.inf),
    ],
)
@pytest.mark.parametrize("paid", [[0], [1], [0, 2], [0, 1, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9]])
def test_nan_is_never_highest(text, unpaid, paid):
    """The arms that pay have NaN and are not chosen again after the first time."""
    is_paid = np.isin(np.arange(max(paid) + 3), paid)
    result = MCTS(300, tree_policy=text, seed=0).search(Bandit(*is_paid.tolist()))
    np.testing.assert_array_equal(np.isnan(result.policy_values), is_paid)
    assert np.all(result.policy_values[~is_paid] == unpaid)
    assert np.all(result.visits[is_paid] == 1)
    assert stats.chisquare(result.visits[~is_paid]).pvalue > 1e-4
