"""FopModel: functions, intervals, chances, values of nodes, copies, users' functions."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy import stats

from agents import MCTS, Rng
from fop_env import FUNCTIONS, FopModel
from fop_env.figures import location_figure, value_figure
from fop_env.values import node_values
from games import children, reached, solve
from models import FOP, assert_mean, finished, line, slope

NUMPY: dict[str, Callable[..., Any]] = {
    "f1": lambda x: np.sin(np.pi * x),
    "f2": lambda x: np.sin(13 * x) * np.sin(27 * x) / 2 + 1 / 2,
    "f3": lambda x: np.where(x < 0.5, 0.5, 7 / 20) + np.abs(np.sin(x**-5.0)) / 2,
    "f4": lambda x: x / 2 + (1 - 7 * x / 10) * np.sin(5 * np.pi * x) ** 4,
    "f5": lambda x: x / 2 + (1 - 7 * x / 10) * np.sin(5 * np.pi * x) ** 80,
}


variants = pytest.mark.parametrize("config", FOP.values(), ids=FOP)


def after(model: FopModel, num_actions: int, seed: int = 0) -> FopModel:
    rng = Rng(seed)
    return reached(model, [rng.below(model.num_actions) for _ in range(num_actions)])


def value(model: FopModel) -> float:
    if callable(model.function):
        return float(model.function(*model.centre))
    return math.prod(float(NUMPY[model.function](x)) for x in model.centre)


# --- The game ---


@variants
def test_players_alternate_and_gain_the_function_at_the_centre(config):
    start, rng = FopModel(*config), Rng(0)
    signs = np.array([1, -1])[: start.num_players]
    for model in [start.clone() for _ in range(2)]:
        for depth in range(model.num_levels):
            assert (model.depth, model.current_player()) == (depth, depth % model.num_players)
            estimates = [model.heuristic(player, "centre") for player in range(len(signs))]
            np.testing.assert_allclose(estimates, signs * value(model), rtol=0, atol=1e-6)
            model.apply_action(model.sample_action(rng))
        np.testing.assert_allclose(model.returns(), signs * value(model), rtol=0, atol=1e-6)
        draws = model.rollout_returns(5000, 1)
        assert_mean(draws[:, 0], model.returns()[0])
        np.testing.assert_array_equal(draws, draws[:, :1] * signs)
        np.testing.assert_array_equal(model.sample_returns(1), draws[0])


@pytest.mark.parametrize(
    ("branching", "threshold", "num_levels"),
    [
        *((2, 1e-5, 17), (3, 1e-5, 11), (10, 0.1, 2), (10, 1e-5, 6), (5, 0.04, 3), (2, 0.5, 2)),
        *((3, 1, 1), (2, 1e-12, 40), (2, 2.3e-16, 52), (65535, 0.5, 1)),
    ],
)
def test_number_of_choices(branching, threshold, num_levels):
    model = FopModel("f1", branching, threshold)
    assert model.num_levels == model.clone().rollout(0) == num_levels
    assert model.num_actions == model.max_legal_actions == branching


@pytest.mark.parametrize(("branching", "threshold"), [(2, 2.3e-16), (3, 6e-16), (7, 7e-16)])
def test_bounds_are_the_floats_nearest_to_the_exact_ones(branching, threshold):
    start, rng = FopModel(line, branching, threshold), Rng(0)
    for model in [start.clone() for _ in range(30)]:
        lower, width = Fraction(0), Fraction(1)
        while not model.is_terminal():
            action = model.sample_action(rng)
            model.apply_action(action)
            width /= branching
            lower += action * width
            assert model.indices == (lower / width,)
            assert model.intervals == ((float(lower), float(lower + width)),)
            assert model.centre == (float(lower + width / 2),)
        assert model.returns() == [float(lower + width / 2)]
        assert width < threshold <= width * branching


def test_actions_in_two_dimensions():
    model = reached(FopModel("f1", 3, dimensions=2), [5])  # part 2 of x, part 1 of y
    assert model.intervals == ((2 / 3, 1), (1 / 3, 2 / 3))
    for action in range(9):
        child = reached(model, [action])
        assert child.indices == (6 + action % 3, 3 + action // 3)
        assert child.intervals == tuple((i / 9, (i + 1) / 9) for i in child.indices)


# --- Functions ---


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_the_published_ones(name):
    x = np.linspace(0, 1, 2001)[100 if name == "f3" else 0 :]
    expected = NUMPY[name](x)
    np.testing.assert_allclose(FopModel(name).evaluate(x), expected, rtol=0, atol=1e-7)
    squares = FopModel(name, dimensions=2).evaluate(x[:, None], x[::500])
    np.testing.assert_allclose(squares, np.outer(expected, expected[::500]), rtol=0, atol=1e-7)


def test_f3_near_zero():
    f3 = FopModel("f3").evaluate
    for n in range(2, 205):  # 1 / x**5 is exact and finite
        assert f3(2.0**-n) == pytest.approx(0.5 + abs(math.sin(2.0 ** (5 * n))) / 2, abs=1e-14)
    for x in (0, -0.0, 5e-324, 1e-100, 2.0**-205):
        assert f3(x) == pytest.approx(0.5 + 0.5 * abs(math.sin(1e6)), abs=1e-14)


def test_maximum_of_f2_is_where_the_literature_has_it():
    values = FopModel("f2").evaluate(np.linspace(0, 1, 10**6 + 1))
    assert values.argmax() == 867_526
    assert values.max() == pytest.approx(0.975599, abs=1e-6)


# --- Rollouts ---


def ends_below(model: FopModel, count: int) -> np.ndarray:
    """Where rollouts end, counted from the node's lower bounds: int64[count, dimensions]."""
    end, rng, num_left = model.clone(), Rng(0), model.num_levels - model.depth
    indices = np.empty((count, model.dimensions), dtype=np.int64)
    for row in indices:
        end.copy_from(model)
        assert end.rollout(rng) == num_left
        row[:] = end.indices
    assert np.all(indices // model.branching**num_left == model.indices)
    return indices % model.branching**num_left


@pytest.mark.parametrize("path", [(), (1,), (0, 1)])
@pytest.mark.parametrize("dimensions", [1, 2])
@pytest.mark.parametrize(("branching", "threshold"), [(2, 0.12), (3, 0.04)])
def test_rollouts_are_uniform_over_the_ends_below(branching, threshold, dimensions, path):
    model = reached(FopModel("f1", branching, threshold, dimensions), path)
    side = branching ** (model.num_levels - model.depth)
    cells = ends_below(model, 20_000) @ side ** np.arange(dimensions)
    assert stats.chisquare(np.bincount(cells, minlength=side**dimensions)).pvalue > 1e-3


@pytest.mark.parametrize("depth", [0, 5])
@pytest.mark.parametrize(
    ("branching", "threshold", "dimensions"),
    [(2, 1e-12, 1), (2, 2.3e-16, 1), (2, 1e-12, 2), (3, 1e-12, 1), (7, 7e-16, 2)],
)
def test_digits_of_deep_ends_are_uniform_and_independent(branching, threshold, dimensions, depth):
    """Also where one draw of 32 bits is not enough."""
    model, count = after(FopModel("f1", branching, threshold, dimensions), depth), 4000
    scales = branching ** np.arange(model.num_levels - depth)
    digits = (ends_below(model, count)[:, :, None] // scales % branching).reshape(count, -1).T
    pvalues = [stats.chisquare(np.bincount(row, minlength=branching)).pvalue for row in digits]
    assert min(pvalues) * len(pvalues) > 1e-3
    correlations = np.corrcoef(digits)[np.triu_indices(len(digits), 1)]
    assert np.abs(correlations).max() < 5 / math.sqrt(count)


# --- Values of nodes ---


def mean_return(model: FopModel) -> float:
    """Of uniformly random play, to the first player."""
    if model.is_terminal():
        return value(model)
    return float(np.mean([mean_return(child) for child in children(model, model.legal_actions())]))


@pytest.mark.parametrize("num_players", [1, 2])
@pytest.mark.parametrize(
    "config", [("f2", 2, 0.1), ("f4", 3, 0.12), (slope, 2, 0.2, 2), ("f2", 3, 0.3, 2)]
)
def test_node_values_are_those_of_brute_force(config, num_players):
    nodes = [FopModel(*config, num_players=num_players)]
    for node in nodes:  # breadth first
        nodes += children(node, node.legal_actions())
    nodes.sort(key=lambda node: (node.depth, node.indices))
    rows = node_values(finished(nodes[0]), nodes[0].num_levels)
    for row, node in zip(rows, nodes, strict=True):
        assert row["depth"] == node.depth
        assert list(zip(row["lower"], row["upper"], strict=True)) == list(node.intervals)
        assert row["belief_value"] == pytest.approx(mean_return(node), abs=1e-12)
        assert row["game_value"] == pytest.approx(solve(node)[0][0], abs=1e-12)
    np.testing.assert_array_equal(node_values(nodes[0], 1), rows[rows["depth"] <= 1])
    for depth in range(nodes[-1].depth + 1):
        centres = np.stack(nodes[0].centres(depth), axis=-1).reshape(-1, nodes[0].dimensions)
        assert list(map(tuple, centres)) == [node.centre for node in nodes if node.depth == depth]


# --- Copies ---


def view(model: FopModel) -> tuple[Any, ...]:
    draws = model.rollout_returns(20, 0).tolist()
    sizes = (model.num_players, model.num_actions, model.max_legal_actions, model.num_levels)
    return repr(model), str(model), sizes, model.current_player(), model.intervals, draws


def test_copy_from_any_other_problem():
    problems = [FopModel(*config) for config in FOP.values()]
    ends, others = map(finished, problems), [after(problem, 1) for problem in problems]
    views = list(map(view, others))
    for end, (other, before) in itertools.product(ends, zip(others, views, strict=True)):
        model = end.clone()
        model.copy_from(other)
        assert model == other
        assert view(model) == before
        model.rollout(0)
        assert view(other) == before


def test_equal_are_the_same_positions_of_equal_problems():
    models = [FopModel(*config) for config in FOP.values()]
    first = models[0]
    models += [FopModel(threshold=9e-6), FopModel(num_players=2)]
    models += [reached(first, [1]), reached(first, [0, 1])]
    for i, model in enumerate(models):
        assert [model == other for other in models] == [i == j for j in range(len(models))]
    assert first == FopModel("f1", np.int64(2), np.float64(1e-5)) != "f1"
    assert list(filter(first.is_same_problem, models)) == [first, *models[-2:]]


def test_pictures():
    model = reached(FopModel("f3", dimensions=2), [1])
    assert repr(model) == "<FopModel: f3(x)*f3(y), choice 1 of 17, [0.5, 1] x [0, 0.5]>"
    title, *bars = str(model).splitlines()
    assert title == "f3(x)*f3(y), 1 of 17 choices made"
    assert bars == ["." * 32 + "#" * 32 + " [0.5, 1]", "#" * 32 + "." * 32 + " [0, 0.5]"]
    last = str(reached(FopModel(line), [1] * 17))
    assert last == "line, 17 of 17 choices made\n" + "." * 63 + "# [0.999992, 1]"


# --- Users' functions and bad input ---


@pytest.mark.parametrize(("threshold", "num_calls"), [(1e-6, 0), (9e-7, 50 + 40 + 1)])
def test_function_is_called_once_if_its_table_is_small(threshold, num_calls):
    shapes = []
    model = FopModel(lambda x: shapes.append(x.shape) or x, threshold=threshold)
    model.rollout_returns(50, 0)
    MCTS(40).search(model)
    finished(copy.deepcopy(model)).returns()
    assert shapes == [(2**20,)] + [(1,)] * num_calls


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: 2 * x, r"function must lie in \[0, 1\], got 1.125 at 0.5625"),
        (lambda x: x - 0.5, r"function must lie in \[0, 1\], got -0.4375 at 0.0625"),
        (lambda x: np.where(x > 0.6, np.nan, x), r"function must lie in .* got nan at 0.6875"),
        (lambda x: None, "function must return one real number for each of 8 .*None"),
        (lambda x: x[:2], r"function .* each of 8 points, got array\(\[0.0625, 0.1875\]\)"),
        (lambda x: x[:1], r"function .* each of 8 points, got array\(\[0.0625\]\)"),
        (lambda x: [x, x], "function must return one real number for each of 8 points"),
        (lambda x: "high", "function must return one real number .*'high'"),
        (lambda x: x + 1j, "function must return one real number .*1[.]j"),
        (math.sin, "function failed on 1 float64 array of one axis"),
        (slope, "function failed on 1 float64 array .* missing 1 required .* 'y'"),
        (lambda x: {}["mine"], "^'mine'$"),  # the function's own exception
    ],
)
def test_function_that_is_none_is_refused(function, message):
    with pytest.raises((TypeError, ValueError, KeyError), match=message):
        FopModel(function, threshold=0.2)


@pytest.mark.parametrize("bad", [1.5, -0.1, math.nan, None])
def test_what_goes_wrong_during_a_game_is_raised(bad):
    def function(x, y):
        if len(x) == 1 and bad is None:
            raise KeyError("got None, of mine")
        return np.full(len(x), bad if len(x) == 1 else 0.5)

    model = FopModel(function, dimensions=2)
    end = finished(model)
    for play in (
        *(end.returns, lambda: end.sample_returns(0), lambda: model.rollout_returns(10, 0)),
        *(lambda: model.heuristic(0, "centre"), lambda: MCTS(10).search(model)),
    ):
        with pytest.raises((ValueError, KeyError), match=f"got {bad}"):
            play()


@pytest.mark.parametrize("num_players", [1, 2])
def test_function_that_changes_the_number_of_players(num_players):
    # As another thread may while it runs. The answer is for the players of the position asked.
    def function(x):
        if len(x) == 1:
            model.copy_from(FopModel(num_players=3 - num_players))
        return x

    def asked(method, *args):
        nonlocal model
        model = finished(FopModel(function, branching=7, threshold=1e-8, num_players=num_players))
        centre = model.centre[0]
        return getattr(model, method)(*args), np.array([centre, -centre][:num_players])

    model = None
    assert np.array_equal(*asked("returns"))
    draw, _ = asked("sample_returns", 0)
    assert draw.tolist() == [draw[0], -draw[0]][:num_players]
    value, expected = asked("heuristic", num_players - 1, "centre")
    assert value == expected[-1]


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        *(("function", value) for value in ("f6", "F1", "", None, 1, ["f1"])),
        *(("branching", value) for value in (1, 0, -2, 65536, 2.0, "2", True, None)),
        *(("threshold", value) for value in (0, -1e-5, 1.5, 1e-16, math.nan, math.inf)),
        *(("threshold", value) for value in ("small", None, True, 1j)),
        *(("dimensions", value) for value in (0, 3, 1.0, True)),
        *(("num_players", value) for value in (0, 3, "2", False)),
    ],
)
def test_bad_argument_is_named(argument, value):
    with pytest.raises((TypeError, ValueError), match=f"{argument} (must be|1e-16)") as refusal:
        FopModel(**{argument: value})
    assert repr(value) in str(refusal.value)


@pytest.mark.parametrize(
    ("misuse", "message"),
    [
        (lambda: FopModel(branching=256, dimensions=2), r"branching .* \[2, 255\], got 256"),
        (lambda: FopModel().evaluate([0.5, -1e-9]), r"coordinates .* \[0, 1\], got -1e-09"),
        (lambda: FopModel().evaluate(math.nan), r"coordinates .* \[0, 1\], got nan"),
        (lambda: FopModel().evaluate(0.5, 0.5), "takes 1 arrays of coordinates here, got 2"),
        (lambda: location_figure(FopModel(), {}), "histograms must be of one agent or more"),
        (lambda: value_figure(FopModel(threshold=0.1), 0), r"depth must be in \[1, 4\], got 0"),
        (lambda: value_figure(FopModel(threshold=0.1), 5), r"depth must be in \[1, 4\], got 5"),
        (lambda: node_values(FopModel(), 18), r"depth must be in \[0, 17\], got 18"),
        (lambda: node_values(FopModel(), -1), r"depth must be in \[0, 17\], got -1"),
        (lambda: node_values(FopModel(), 1.0), "depth must be an integer, got 1.0"),
        (lambda: node_values(FopModel("f1", 2, 1e-8), 1), "134217728 terminal intervals"),
        (lambda: node_values(FopModel(dimensions=2), 1), "17179869184 .* larger threshold"),
        (lambda: FopModel().apply_action(0.5), "action 0.5 is not legal"),
    ],
)
def test_misuse_is_refused(misuse, message):
    with pytest.raises((TypeError, ValueError), match=message):
        misuse()


@pytest.mark.parametrize(
    ("model", "frame"),
    [
        (FopModel("f4"), ("320.0", "0", "160.0")),
        (FopModel("f2", 4, dimensions=2), ("120.0", "60.0", "60.0")),
    ],
)
def test_notebooks_show_the_function_and_the_interval(model, frame):
    """The interval [0.5, 0.75], in two dimensions beside the second half from below."""
    actions = [1, 0] if model.dimensions == 1 else [2 + 4 * 2]
    for action in actions:
        model.apply_action(action)
    svg, _, caption = model._repr_html_().partition("<div>")
    assert caption == f"{repr(model)[1:-1]}</div>"
    shapes = list(ElementTree.fromstring(svg))
    found = {tuple(shape.get(name) for name in ("x", "y", "width")) for shape in shapes}
    assert frame in found
    if model.dimensions == 1:
        heights = [float(pair.split(",")[1]) for pair in shapes[-1].get("points").split()]
        assert heights[640] == pytest.approx(152 - 144 * model.evaluate(0.5), abs=0.06)


def test_a_model_made_without_init_has_a_problem():
    model = FopModel.__new__(FopModel)
    assert model.function == "f1"
    assert model.clone().current_player() == 0
