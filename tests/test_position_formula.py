"""Formulas that value positions: text, types, compiled values, and the searches that use them."""

from __future__ import annotations

import itertools
import math
import pickle
import random
import time
from contextlib import suppress

import numpy as np
import pytest

from agents import (
    MCTS,
    EvolvedRollout,
    Expectimax,
    Indicator,
    PositionFormula,
    StarMinimax,
    make,
)
from agents.evolving.typed_gp import Operators
from agents.formulas import position_text
from agents.formulas.position_text import MAX_DEPTH, Node, parse, written
from agents.testing import check_forward_model
from games import TicTacToe
from models import positions


def random_texts(count: int, seed: int = 0, indicators=TicTacToe.indicators) -> list[str]:
    """Random formulas that have been mutated, as text."""
    operators = Operators(indicators, 8, random.Random(str(seed)))
    trees = [operators.random_tree() for _ in range(count)]
    for _ in range(5):
        trees = [operators.mutated(tree, 0.5) for tree in trees]
    return [str(tree) for tree in trees]


def random_positions(count: int, seed: int = 0) -> list[TicTacToe]:
    games = (positions(TicTacToe(), number) for number in itertools.count(seed))
    found = (model.clone() for game in games for model in game if not model.is_terminal())
    return list(itertools.islice(found, count))


def by_hand(node: Node, model: TicTacToe, player: int) -> float:
    """The value of a part; every part runs, introns too."""
    if node.name == position_text.CONSTANT:
        return node.factor
    if node.name in ("true", "false"):
        return node.name == "true"
    if not node.operands:
        return node.factor * model.indicator(player, node.name, node.place)
    x = [by_hand(operand, model, player) for operand in node.operands]
    value = {
        "plus": lambda: x[0] + x[1],
        "minus": lambda: x[0] - x[1],
        "mult_erc": lambda: x[0] * x[1],
        "null": lambda: x[0],
        "if": lambda: x[1] if x[0] else x[2],
        "lower_equal": lambda: x[0] <= x[1],
        "and": lambda: x[0] and x[1],
        "or": lambda: x[0] or x[1],
        "nand": lambda: not (x[0] and x[1]),
        "nor": lambda: not (x[0] or x[1]),
        "notg": lambda: not x[0],
    }[node.name]()
    return node.factor * value


# Text


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "-2.5",
        "mobility",
        "0.5*mobility",
        "if(lower_equal(mobility, 3), friendly_corners, -1.5*plus(mobility, 1))",
        "mult_erc(null(man(d3), 1), 1e-07)",
        "if(nand(true, notg(man(+1-1), false)), 1, 2)",
    ],
)
def test_text_is_read_and_written(text):
    assert written(parse(text)) == text
    assert str(PositionFormula(f"  {text}\n")) == text


def test_factors_multiply():
    assert written(parse("-2 * -3*mobility")) == "6*mobility"
    assert written(parse("2*0.5")) == "1"


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("", "incomplete", 0),
        ("plus(1, 2", r"plus takes 2 operands in parentheses: '\)' is missing", 9),
        ("plus(1)", "',' is missing", 6),
        ("plus", r"'\(' is missing", 4),
        ("plus(1, 2, 3)", r"'\)' is missing", 9),
        ("plus(1,,2)", "must stand here", 7),
        ("1 2", "ends before this", 1),
        ("1e999", "finite", 0),
        ("1e308*-1e308*mobility", "product of the factors must be finite", 13),
        ("2*", "incomplete", 2),
        ("min(1, 2)", "min is no function and takes one place", 0),
        ("mult_erc(1, mobility)", "second operand of mult_erc must be a constant", 12),
        ("1 + 2", "ends before this", 1),
        ("plus(1, $)", "must stand here", 8),
    ],
)
def test_errors_name_the_place(text, message, at):
    with pytest.raises(ValueError, match=message) as caught:
        PositionFormula(text)
    assert f"at position {at}:" in str(caught.value)
    assert str(caught.value).splitlines()[-1].index("^") == 2 + at


def test_long_formulas_are_cut_in_errors():
    with pytest.raises(ValueError, match="must stand here") as caught:
        PositionFormula("plus(1, " * 50 + "?")
    shown, mark = str(caught.value).splitlines()[1:]
    assert shown[mark.index("^")] == "?"
    assert len(shown) < 90


@pytest.mark.parametrize("text", ["plus(1, " * 5000, "(" * 5000])
def test_deep_formulas_are_refused(text):
    with pytest.raises(ValueError, match=r"nested more than|must stand here"):
        PositionFormula(text)


@pytest.mark.parametrize(
    "text", ["9" * 100_000, "." + "1" * 100_000, "0." + "1" * 100_000 + "x", "1e" + "9" * 100_000]
)
def test_long_numbers_are_read_in_a_moment(text):
    """With a regular expression that has two ways to read digits it takes many minutes."""
    start = time.thread_time()
    with suppress(ValueError):
        PositionFormula(text)
    assert time.thread_time() - start < 2


def test_the_largest_depth_works_and_factors_do_not_count():
    assert str(PositionFormula("-1*" * 5001 + "mobility")) == "-1*mobility"
    text = "2*plus(1, " * MAX_DEPTH + "2*mobility" + ")" * MAX_DEPTH
    assert PositionFormula(text).depth == MAX_DEPTH
    text = "plus(1, " * MAX_DEPTH + "mobility" + ")" * MAX_DEPTH
    formula = PositionFormula(text)
    assert formula.depth == MAX_DEPTH
    assert formula.value(TicTacToe(), 0) == MAX_DEPTH + 9
    with pytest.raises(ValueError, match="nested more than 100 deep"):
        PositionFormula(f"plus({text}, 1)")


@pytest.mark.parametrize("formula", [1, None, b"1"])
def test_formulas_are_text(formula):
    with pytest.raises(TypeError, match="must be text"):
        PositionFormula(formula)


# Types


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("corners", "unknown name 'corners'; the game's indicators are mobility, lines"),
        ("empty(9)", "empty takes one of the places 0, 1, 2, 3, ..., got '9'"),
        ("if(empty, 1, 2)", r"empty takes one of the places 0, 1, 2, 3, \.\.\., got none"),
        ("mobility(3)", "mobility takes no place, got '3'"),
        ("empty(3)", "empty has type B, true or false; type F, a number, must stand here"),
        ("if(mobility, 1, 2)", "mobility has type F, a number; type B, true or false, must stand"),
        ("plus(1, true)", "true has type B"),
        ("if(and(true, 1), 1, 2)", "a constant has type F"),
        ("if(2*and(true, true), 1, 2)", "so it takes no factor"),
        ("true(a1)", "unknown name 'true'"),
        ("constant", "unknown name 'constant'"),
    ],
)
def test_types_are_checked_in_the_game(text, message):
    formula = PositionFormula(text)
    with pytest.raises(ValueError, match=message) as caught:
        formula.program(TicTacToe())
    assert "^" in str(caught.value)
    with pytest.raises(ValueError, match=message):
        MCTS(1, rollout_policy=EvolvedRollout(formula)).search(TicTacToe())


# Values


def test_values_are_those_by_hand():
    positions = random_positions(15)
    num_different = 0
    for text in random_texts(200):
        tree = parse(text)
        program = PositionFormula(text).program(positions[0])
        values = [program.value(model, player) for model in positions for player in (0, 1)]
        expected = [float(by_hand(tree, m, player)) for m in positions for player in (0, 1)]
        assert values == pytest.approx(expected, rel=1e-9, abs=1e-9), text
        num_different += len(set(values)) > 1
    assert num_different > 60


def test_simplified_formulas_have_the_same_values_and_no_introns():
    positions = random_positions(12, seed=1)
    saved = 0
    for text in random_texts(200, seed=1):
        formula = PositionFormula(text)
        short = formula.simplified()
        assert "null" not in str(short)
        assert "mult_erc" not in str(short)
        assert short.simplified() == short
        saved += formula.size - short.size
        for model in positions:
            value = pytest.approx(formula.value(model, 1), rel=1e-9, abs=1e-9)
            assert short.value(model, 1) == value, text
    assert saved > 200


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("plus(1, 2)", "3"),
        ("null(mobility, lines)", "mobility"),
        ("2*mult_erc(3*mobility, 4)", "24*mobility"),
        ("if(notg(false, empty(0)), mobility, lines)", "mobility"),
        (
            "if(notg(empty(0), empty(1)), mobility, lines)",
            "if(notg(empty(0), true), mobility, lines)",
        ),
        ("if(nor(empty(0), true), mobility, lines)", "lines"),
        ("if(nand(empty(0), empty(0)), 1, 2)", "if(notg(empty(0), true), 1, 2)"),
        ("minus(3*mobility, mobility)", "2*mobility"),
        ("minus(0, mobility)", "-1*mobility"),
        ("0*plus(mobility, lines)", "0"),
        ("if(lower_equal(lines, lines), 5, 6)", "5"),
    ],
)
def test_simplification(text, short):
    assert str(PositionFormula(text).simplified()) == short


@pytest.mark.parametrize(
    "text",
    [
        "plus(1e308, 1e308)",
        "mult_erc(1e308*mobility, -1e308)",
        "1e308*null(1e308*mobility, 1)",
        "minus(1e308*mobility, -1e308*mobility)",
    ],
)
def test_simplified_numbers_stay_finite(text):
    short = PositionFormula(text).simplified()
    assert "1.7976931348623157e+308" in str(short)
    values = [PositionFormula(formula).value(TicTacToe(), 0) for formula in (text, str(short))]
    assert math.copysign(1, values[0]) == math.copysign(1, values[1])


def test_a_program_runs_only_what_decides():
    asked = []

    class Asked(TicTacToe):
        def indicator(self, player, name, place):
            asked.append((name, place))
            return super().indicator(player, name, place)

    text = "if(or(empty(0), empty(1)), null(mobility, lines), lines)"
    PositionFormula(text).value(Asked(), 0)
    assert asked == [("empty", "0"), ("mobility", None)]


def test_values_are_asked_of_known_players_in_the_same_game():
    program = PositionFormula("if(empty(8), 1, mobility)").program(TicTacToe())
    assert program.value(TicTacToe(), 1) == 1
    for player in (-1, 2):
        with pytest.raises(ValueError, match=r"player must be in \[0, 1\], got"):
            program.value(TicTacToe(), player)

    class Smaller(TicTacToe):
        indicators = TicTacToe.indicators[:1]

    with pytest.raises(ValueError, match="model must have the indicators of the compiled game"):
        program.value(Smaller(), 0)


def test_formulas_are_values():
    one, two = PositionFormula("plus(1,mobility)"), PositionFormula("plus(1, mobility)")
    assert one == two
    assert hash(one) == hash(two)
    assert one != PositionFormula("plus(mobility, 1)")
    assert pickle.loads(pickle.dumps(one)) == one
    assert eval(repr(one)) == one
    assert (one.size, one.depth) == (3, 1)


# Searches


def greedy(model: TicTacToe, text: str) -> int:
    """The first action of the highest value, where all are valued."""
    player = model.current_player()
    tree = parse(text)

    def worth(action: int) -> float:
        after = model.clone()
        after.apply_action(action)
        if after.is_terminal():
            return after.returns()[player]
        value = by_hand(tree, after, player)
        return value / (1 + abs(value))

    return max(model.legal_actions(), key=worth)


def test_rollouts_play_the_best_action():
    """With many draws, all actions are drawn; by different values, the play has no choice."""
    text = "plus(" * 8 + "if(friendly(0), 0.5, 0)"
    for i in range(1, 9):
        text += f", if(friendly({i}), {0.5 + 0.01 * i * i}, 0))"
    model = TicTacToe()
    while not model.is_terminal():
        model.apply_action(greedy(model, text))
    policy = EvolvedRollout(text, branching=200)
    result = MCTS(1, rollout_policy=policy, seed=0).search(TicTacToe())
    first = TicTacToe()
    first.apply_action(result.action)
    while not first.is_terminal():
        first.apply_action(greedy(first, text))
    assert result.value == first.returns()[0]


def test_one_draw_is_uniform_play():
    values = {}
    for policy in ("uniform", EvolvedRollout("lines", 1)):
        returns = [
            MCTS(1, rollout_policy=policy, seed=seed).search(TicTacToe()).value
            for seed in range(800)
        ]
        values[str(policy)] = np.mean(returns)
    one, two = values.values()
    assert abs(one - two) < 4 * math.sqrt(2 / 800)


def test_text_names_the_policy():
    text = (
        "mcts(iterations=50, rollout_policy=evolved(formula=plus(lines, 2*mobility), branching=3))"
    )
    by_name = make(text, seed=3)
    direct = MCTS(50, rollout_policy=EvolvedRollout("plus(lines, 2*mobility)", 3), seed=3)
    one, two = by_name.search(TicTacToe()), direct.search(TicTacToe())
    assert one.visits.tolist() == two.visits.tolist()
    assert pickle.loads(pickle.dumps(direct)).search(TicTacToe()).visits.sum() == 50
    assert EvolvedRollout(2.5).formula == PositionFormula("2.5")


@pytest.mark.parametrize("branching", [0, 1001, 2.5, True])
def test_branching_is_checked(branching):
    with pytest.raises(ValueError, match="branching must be an integer in"):
        EvolvedRollout("1", branching)


@pytest.mark.parametrize("planner", [Expectimax, StarMinimax])
def test_formulas_are_heuristics(planner):
    text = "minus(lines, mult_erc(mobility, 0.25))"
    tree = parse(text)

    def function(model, player):
        """The value for the one who has moved, the opposite for the one to move."""
        mover = 1 - model.current_player()
        value = by_hand(tree, model, mover)
        return (1 if player == mover else -1) * value / (1 + abs(value))

    for model in random_positions(6, seed=4):
        for depth in (1, 2, 3):
            expected = planner(depth, function, seed=0).search(model)
            for heuristic in (text, PositionFormula(text)):
                found = planner(depth, heuristic, seed=0).search(model)
                assert found.values.tolist() == pytest.approx(expected.values.tolist())
                assert found.positions == expected.positions


# Indicators of games


def test_indicators_are_checked():
    model = TicTacToe("XO.......")
    check_forward_model(TicTacToe, num_games=3)
    for arguments, message in [
        ((2, "mobility", None), "player must be in"),
        ((0, "corners", None), "name must be one of mobility, lines"),
        ((0, "empty", None), "place must be one of"),
        ((0, "mobility", "1"), "place must be None, got '1'"),
    ]:
        with pytest.raises(ValueError, match=message):
            super(TicTacToe.__base__, model).indicator(*arguments)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (math.nan, ValueError, r"indicator\(\) must return a finite number"),
        (KeyError("no such thing"), KeyError, "no such thing"),
    ],
)
def test_errors_in_indicators_of_python_come_out_of_searches(value, error, message, monkeypatch):
    def indicator(self, player, name, place):
        if isinstance(value, KeyError):
            raise value
        return value

    monkeypatch.setattr(TicTacToe, "indicator", indicator)
    with pytest.raises(error, match=message):
        PositionFormula("lines").value(TicTacToe(), 0)
    with pytest.raises(error, match=message):
        MCTS(10, rollout_policy=EvolvedRollout("lines")).search(TicTacToe())


def test_the_check_of_models_finds_wrong_types(monkeypatch):
    monkeypatch.setattr(TicTacToe, "indicators", (Indicator("lines", bool),))
    monkeypatch.setattr(TicTacToe, "indicator", lambda self, player, name, place: 2.5)
    with pytest.raises(AssertionError, match="indicator lines"):
        check_forward_model(TicTacToe, num_games=1)


class Generous(TicTacToe):
    """Tic-tac-toe in which the loser gets nothing, rather than -1."""

    def returns(self) -> tuple[int, int]:
        first, second = super().returns()
        return max(first, 0), max(second, 0)


@pytest.mark.parametrize(
    "planner", ["expectimax(heuristic=1*mobility)", "star-minimax(heuristic=1*mobility)"]
)
def test_formulas_value_zero_sum_games_only(planner):
    make(planner).search(TicTacToe())
    with pytest.raises(ValueError, match="zero-sum games for two players, got TicTacToe"):
        make(planner).search(Generous())
