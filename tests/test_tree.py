"""What can be read from a search tree, recomputed from its table in plain Python."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import statistics
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from agents import (
    CHANCE,
    MCTS,
    TERMINAL,
    ForwardModel,
    PythonForwardModel,
    Rng,
    SearchResult,
    TreeStatistics,
)
from carcassonne_env import CarcassonneModel
from fop_env import FopModel
from fop_env.figures import location_histogram
from games import Bandit, Corridor, Dice, Stairs, ThreePlayers, TicTacToe, nodes_by_path, reached
from models import advance
from playing import one_player, opening

GAMES = {
    "tic-tac-toe": TicTacToe,
    "three players": ThreePlayers,
    "corridor": lambda: Corridor(30),
    "FOP": FopModel,
    "FOP of 3 parts": lambda: FopModel("f2", 3, num_players=2),
    "FOP in 2 dimensions": lambda: FopModel("f3", 2, 0.01, dimensions=2),
    "Carcassonne": one_player,
    "dice": lambda: Dice(3, player=2),
    "bandit": lambda: Bandit(0.2, 0.5, 0.9),
    "Carcassonne with chance": lambda: opening(tiles="small"),
}
BUDGETS = [{"iterations": 1}, {"iterations": 700}, {"iterations": 300, "max_nodes": 40}]
in_all_games = pytest.mark.parametrize("make_model", GAMES.values(), ids=GAMES.keys())


def state(model: ForwardModel) -> Any:
    if isinstance(model, PythonForwardModel):
        return copy.deepcopy(vars(model))
    return pickle.dumps(model)


# --- Statistics ---


@in_all_games
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_statistics_are_those_of_the_table(make_model, budget):
    result = MCTS(**budget, c=0.4, seed=2).search(make_model())
    rows = result.tree()
    parents = set(rows["parent"].tolist())
    leaves = [int(row["depth"]) for index, row in enumerate(rows) if index not in parents]
    found = result.tree_statistics
    assert found._replace(leaf_depth=(0, 0), most_visited_result=0) == TreeStatistics(
        num_nodes=len(rows),
        num_leaves=len(leaves),
        expansion_rate=(len(rows) - 1) / result.iterations,
        terminal_states=rows["player"].tolist().count(TERMINAL),
        leaf_depth=(0, 0),
        max_depth=max(leaves),
        most_visited_result=0,
    )
    exact = statistics.fmean(leaves), statistics.pstdev(leaves)
    assert found.leaf_depth == pytest.approx(exact, rel=1e-12)
    kinds = [type(value) for value in found]
    assert kinds == [int, int, float, int, tuple, int, float]


# --- Where the principal variation leads ---


@in_all_games
@pytest.mark.parametrize("iterations", [1, 20, 1000])
def test_the_principal_position_is_at_the_end_of_its_line(make_model, iterations):
    model = make_model()
    result = MCTS(iterations, c=0.2, seed=3).search(model)
    line = result.principal_variation
    before = state(result.model)
    end = result.principal_position()
    assert state(end) == state(reached(model, [action for _, action in line]))
    assert state(end) != before
    assert state(result.model) == before == state(model)
    assert line[0][0] == result.player


@in_all_games
def test_results_keep_the_position_searched(make_model):
    """Whatever becomes of the model that was given."""
    model = make_model()
    before = state(model)
    result = MCTS(30, seed=0).search(model)
    found = result.tree_statistics
    model.apply_action(int(model.legal_actions()[0]))
    assert state(result.model) == before
    assert repr(result.tree_statistics) == repr(found)


class EstimatedTicTacToe(TicTacToe):
    """With two heuristics."""

    heuristics = ("marks", "nothing")

    def heuristic(self, player: int, kind: str) -> float:
        return 100 * player + 9 - self.cells.count(".") if kind == "marks" else 0


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (EstimatedTicTacToe("XX.OO...."), 1),  # its heuristics are not asked at the end
        (TicTacToe("XX.OO.X.."), 1),  # O wins at once
        (TicTacToe("XOXOOX.X."), 0),
        (ThreePlayers(), 0.6),
        (Corridor(1), 1),
        (Bandit(0.2, 0.75), 0.75),  # the expectation, not a draw
        (Dice(7, rolls=1, player=0), 0.7),
        (Dice(7, rolls=1, player=2), 0.7),  # players 0 and 1 get -0.7
    ],
    ids=repr,
)
def test_the_most_visited_result_at_an_end_is_its_return(model, expected):
    result = MCTS(3000, seed=0).search(model)
    assert result.principal_position().is_terminal()
    assert result.tree_statistics.most_visited_result == expected


@pytest.mark.parametrize("seed", [4, 8, 9])  # in which points were scored
def test_the_most_visited_result_before_the_end_is_the_first_heuristic(seed):
    model, rng, num_moves = CarcassonneModel(2, 7, "small"), Rng(seed), 0
    while num_moves < 10 or model.current_player() != 1:
        advance(model, rng)
        num_moves += 1
    result = MCTS(1500, c=0.02, seed=seed).search(model)
    end = result.principal_position()
    assert not end.is_terminal()
    estimates = [end.heuristic(player, kind) for player in (1, 0) for kind in ("s", "vs")]
    assert result.tree_statistics.most_visited_result == estimates[0]
    assert estimates[0] not in estimates[1:]


@pytest.mark.parametrize(("cells", "expected"), [("." * 9, 0), ("X........", 101)])
def test_heuristics_in_python_are_asked(cells, expected):
    result = MCTS(100, seed=0).search(EstimatedTicTacToe(cells))
    expected += len(result.principal_variation)
    assert not result.principal_position().is_terminal()
    assert result.tree_statistics.most_visited_result == expected


def test_without_heuristics_nothing_is_known_before_the_end():
    result = MCTS(20, seed=0).search(Corridor(300))
    assert len(result.principal_variation) == 20
    assert math.isnan(result.tree_statistics.most_visited_result)
    assert math.isnan(result.search_tree.statistics(20).most_visited_result)


# --- Locations ---


def centres(result: SearchResult, num_parts: int) -> list[Fraction]:
    """Of the interval of each row of the table, in exact arithmetic."""
    intervals: list[tuple[Fraction, Fraction]] = [(Fraction(0), Fraction(1))]
    for parent, action in result.tree()[["parent", "action"]][1:].tolist():
        left, width = intervals[parent]
        intervals.append((left + action * width / num_parts, width / num_parts))
    return [left + width / 2 for left, width in intervals]


def assert_located(result: SearchResult, num_parts: int, bins: Any, phases: Any) -> None:
    """The histograms are those of the centres of the nodes."""
    where, births = np.array(centres(result, num_parts)), result.tree()["birth"].astype(np.int64)
    for columns, rows in itertools.product(bins, phases):
        expected = np.zeros((rows, columns), dtype=np.int64)
        cells = births * rows // result.iterations, np.floor(where * columns).astype(np.int64)
        np.add.at(expected, cells, 1)
        np.testing.assert_array_equal(location_histogram(result, columns, rows), expected)


@pytest.mark.parametrize("branching", [2, 3, 6, 7])
def test_locations_are_exact(branching):
    """No centre is on the edge of two of an odd number of bins."""
    result = MCTS(1000, c=0.1, seed=1).search(FopModel("f2", branching, 1e-6))
    even = (2, 100, 128, 1000) if branching == 2 else ()
    assert_located(result, branching, (1, 3, 9, 127, 999, *even), (1, 3, 7, 1500))


@in_all_games
def test_locations_are_those_of_actions_in_any_game(make_model):
    result = MCTS(500, c=0.3, seed=4).search(make_model())
    assert_located(result, make_model().num_actions, [129], [5])
    assert location_histogram(result).shape == (3, 128)


@pytest.mark.parametrize("name", ["bins", "phases"])
@pytest.mark.parametrize(
    "value", [0, -1, -(2**70), 1e30, 2.5, math.nan, "8", None, True, [3]], ids=repr
)
def test_bins_and_phases_are_counts(name, value):
    result = MCTS(10, seed=0).search(TicTacToe())
    with pytest.raises(ValueError, match=f"{name} must be an integer in .1, 2147483647., got "):
        location_histogram(result, **{name: value})


@pytest.mark.parametrize("value", [0, -1, 1.5, True], ids=repr)
def test_statistics_need_iterations(value):
    tree = MCTS(10, seed=0).search(TicTacToe()).search_tree
    with pytest.raises(ValueError, match=r"^iterations must be an integer in .1, [0-9]+., got "):
        tree.statistics(value)


def test_nodes_born_after_the_iterations_given_are_of_the_last_phase():
    result = MCTS(900, seed=0).search(FopModel())
    for iterations, expected in [(900, [301, 300, 300]), (600, [201, 200, 500]), (1, [2, 0, 899])]:
        counts = location_histogram(replace(result, tree_iterations=iterations), 10, 3)
        assert counts.sum(axis=1).tolist() == expected


# --- Births ---


@in_all_games
def test_a_shorter_search_has_the_nodes_born_before_its_end(make_model):
    def births_by_path(iterations):
        nodes = nodes_by_path(MCTS(iterations, c=0.3, seed=8).search(make_model()))
        return {path: int(row["birth"]) for path, row in nodes.items()}

    longer = births_by_path(400)
    for iterations in (1, 2, 3, 10, 57, 300):
        born = {path: birth for path, birth in longer.items() if birth < iterations}
        assert births_by_path(iterations) == born


def test_births_stay_with_their_nodes_when_these_move():
    rows = MCTS(3000, seed=0).search(Bandit(*[0.5] * 2000)).tree()
    assert rows["birth"].tolist() == [0, *range(2000)]


# --- Copies ---


@in_all_games
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_equal_searches_give_equal_pickles(make_model, budget):
    """Whatever lay in the memory before."""
    pickles = set()
    for _ in range(2):
        result = MCTS(**budget, c=0.3, seed=5).search(make_model())
        pickles.add(pickle.dumps(replace(result, seconds=0)))
        del result
        MCTS(300, seed=1).search(Bandit(*[0.5] * 300))
    assert len(pickles) == 1


# --- Depth ---


def test_trees_may_be_very_deep():
    depth = 50_000
    result = MCTS(2, seed=0).search(Stairs(depth))
    assert location_histogram(result, 3, 2).tolist() == [[0, 2, 0], [0, depth - 1, 0]]
    for tree in (result.search_tree, pickle.loads(pickle.dumps(result.search_tree))):
        assert tree.statistics(2, 1.0) == (depth + 1, 1, depth / 2, 1, (depth, 0), depth, 1)
        assert tree.table()["depth"].tolist() == list(range(depth + 1))
        assert tree.principal_variation() == [(0, 0), *[(CHANCE, 0)] * (depth - 1)]
    assert result.tree_statistics == result.search_tree.statistics(2, 1.0)
