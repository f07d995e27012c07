"""The planners: right on solved games, exact in their arithmetic, polite to their callers."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from agents import CHANCE, MCTS, TERMINAL, PythonForwardModel, TreePolicy
from games import (
    Bandit,
    Corridor,
    Dice,
    ThreePlayers,
    TicTacToe,
    nodes_by_path,
    reached,
    recommended,
    solve,
)
from playing import one_player, opening

GAMES = [TicTacToe, Dice, ThreePlayers, lambda: Bandit(0.2, 0.5), one_player, opening]


# --- Solved games ---


@pytest.mark.parametrize(
    "cells",
    ["XX.OO....", "OO.XX.X..", "XX..O....", "O.X.X....", "XOX.O....", "X...O...X", "X........"],
)
@pytest.mark.slow(keep=r"^(XX|OO|O\.X|XOX)")
def test_tic_tac_toe_positions(cells):
    model = TicTacToe(cells)
    values, best = solve(model)
    for seed in range(2):
        result = MCTS(5000, c=1, seed=seed).search(model)
        assert result.action in best
        assert result.player == model.current_player()
        mean = result.means[result.actions == result.action].item()
        assert abs(mean - values[result.player]) < 0.06


@pytest.mark.parametrize("chance_backup", ["weighted", "sampled"])
@pytest.mark.parametrize("points", [0, 4, 5, 7, 8])
def test_dice_are_valued_right(points, chance_backup):
    model = Dice(points, player=1)
    result = MCTS(20_000, c=0.5, chance_backup=chance_backup, seed=0).search(model)
    (_, value), (best,) = solve(model)
    assert result.action == best
    assert abs(result.means[best] - value) < 0.01
    assert abs(result.value - value) < 0.01


def test_every_player_maximises_their_own_return():
    by_choice = [
        [returns[0] for choices, returns in ThreePlayers.RETURNS.items() if choices[0] == i]
        for i in range(3)
    ]
    assert np.argmax([min(returns) for returns in by_choice]) == 1  # paranoid
    assert np.argmax([max(returns) for returns in by_choice]) == 2  # all for player 0
    values, best = solve(ThreePlayers())
    for seed in range(5):
        result = MCTS(5000, seed=seed).search(ThreePlayers())
        assert [result.action] == best == [0]
        assert result.principal_variation == [(0, 0), (1, 0), (2, 0)]
        nodes = nodes_by_path(result)
        for player, path in enumerate([(0,), (0, 0), (0, 0, 0)]):
            assert abs(nodes[path]["mean"] - values[player]) < 0.03


# --- The tree ---


@pytest.mark.parametrize("make_model", GAMES)
def test_tree_is_a_part_of_the_game(make_model):
    """Rows are in breadth-first order; players, actions and probabilities are the game's."""
    model = make_model()
    result = MCTS(1500, c=0.3, seed=0).search(model)
    rows = result.tree()
    assert rows[0]["parent"] == rows[0]["action"] == -1
    assert rows[0]["depth"] == 0
    assert np.all(rows["parent"][1:] >= 0)
    assert np.all(np.diff(rows["parent"]) >= 0)
    assert np.all(rows["depth"][1:] == rows["depth"][rows["parent"][1:]] + 1)
    counts = np.bincount(rows["parent"][1:], minlength=len(rows))
    np.testing.assert_array_equal(rows["num_children"], counts)
    nodes = nodes_by_path(result)
    assert len(nodes) == len(rows) == result.search_tree.num_nodes
    for path, row in nodes.items():
        position = reached(model, path)
        assert row["player"] == position.current_player()
        if path and nodes[path[:-1]]["player"] == CHANCE:
            outcomes, probabilities = reached(model, path[:-1]).chance_outcomes()
            assert row["probability"] == dict(zip(outcomes, probabilities, strict=True))[path[-1]]
        else:
            assert row["probability"] == 1


@pytest.mark.parametrize("make_model", GAMES)
def test_visits_add_up(make_model):
    """A node keeps one visit for itself, of when it was added, unless play went on from there.

    It did at the root and at nodes that follow chance. All visits of terminal nodes are their own.
    """
    result = MCTS(1500, seed=0).search(make_model())
    rows = result.tree()
    below = np.bincount(rows["parent"][1:], rows["visits"][1:], minlength=len(rows))
    own = rows["visits"] - below
    follows_chance = rows["player"][rows["parent"]] == CHANCE
    is_terminal = rows["player"] == TERMINAL
    assert result.visits.sum() == result.iterations == rows["visits"][0] == 1500
    assert own[0] == 0
    assert np.all(own[1:][~is_terminal[1:]] == ~follows_chance[1:][~is_terminal[1:]])
    assert np.all(own >= 0)


@pytest.mark.parametrize("make_model", GAMES)
def test_principal_variation_follows_the_most_visits(make_model):
    result = MCTS(1000, seed=0).search(make_model())
    rows, line, row = result.tree(), [], 0
    while rows[row]["num_children"]:
        candidates = np.flatnonzero(rows["parent"] == row)
        child = candidates[np.argmax(rows["visits"][candidates])]
        line.append((rows[row]["player"], rows[child]["action"]))
        row = child
    assert result.principal_variation == line


def test_deep_trees():
    """A path of any length; each iteration adds one node and at the end none."""
    result = MCTS(400, seed=0).search(Corridor(300))
    rows = result.tree()
    assert rows["depth"].tolist() == list(range(301))
    assert rows["visits"].tolist() == [400, *range(400, 100, -1)]
    assert result.principal_variation == [(0, 0)] * 300
    assert result.model_calls == 400 * 300


def test_many_players():
    assert MCTS(100, seed=0).search(Dice(player=126)).player == 126
    with pytest.raises(ValueError, match="at most 127 players, got 128"):
        MCTS(1).search(Dice(player=127))


def test_golden_trees(golden):
    """The visits of two small searches, one with chance: equal on every machine."""
    for name, model in (("small_deterministic", one_player()), ("base", opening())):
        result = MCTS(400, c=0.5, seed=0).search(model)
        fields = ["depth", "player", "action", "visits"]
        lines = [" ".join(str(row[field]) for field in fields) for row in result.tree()]
        golden(f"tree_{name}.txt", "\n".join([" ".join(fields), *lines, ""]))


# --- Selection and backpropagation ---


def test_untried_actions_are_tried_in_random_order():
    firsts = [MCTS(1, seed=seed).search(TicTacToe()).action for seed in range(900)]
    assert stats.chisquare(np.bincount(firsts, minlength=9)).pvalue > 1e-4


def test_ties_are_broken_at_random():
    """After each arm was pulled once, all are equal, whatever their order in the tree."""
    visits = [MCTS(5, seed=i).search(Bandit(1, 1, 1, 1)).tree()["visits"] for i in range(900)]
    assert stats.chisquare(np.sum(visits, axis=0)[1:] - 900).pvalue > 1e-4


def test_chance_outcomes_are_visited_by_their_probabilities():
    rows = MCTS(30_000, seed=0).search(Dice(rolls=1)).tree()
    for index in np.flatnonzero(rows["player"] == CHANCE):
        outcomes = rows[rows["parent"] == index]
        expected = outcomes["probability"] * outcomes["visits"].sum()
        assert stats.chisquare(outcomes["visits"], expected).pvalue > 1e-4


def test_terminals_reuse_their_first_return():
    for seed in range(20):
        result = MCTS(200, resample_terminals=False, seed=seed).search(Bandit(0.3, 0.5, 0.9))
        assert result.visits.min() > 1
        assert set(result.means) <= {0.0, 1.0}


def test_terminals_draw_anew():
    probabilities = np.array([0.3, 0.5, 0.9])
    result = MCTS(20_000, c=50, resample_terminals=True, seed=0).search(Bandit(*probabilities))
    deviations = np.sqrt(probabilities * (1 - probabilities) / result.visits)
    assert np.all(np.abs(result.means - probabilities) < 4 * deviations)


# --- Recommendation ---


def test_recommendations_follow_their_definitions():
    """With one seed all see the same tree; over seeds, each pair of rules must have disagreed."""
    names = ("robust", "robust-random", "max", "secure", "secure(margin=0.2)")
    disagreements = dict.fromkeys(itertools.combinations(names, 2), 0)
    for seed in range(300):
        allowed = {}
        for name in names:
            agent = MCTS(24, c=0.5, recommendation=name, seed=seed)
            result = agent.search(Bandit(0.4, 0.5, 0.6, 0.5))
            nodes = nodes_by_path(result).items()
            children = {path[0]: row for path, row in nodes if len(path) == 1}
            allowed[name] = recommended(children, name)
            assert result.action in allowed[name]
        for one, other in disagreements:
            disagreements[one, other] += allowed[one] != allowed[other]
    assert min(disagreements.values()) > 0


def test_recommendation_breaks_ties_at_random():
    model = Bandit(1, 1, 1)
    for name in ("robust", "robust-random", "max", "robust-max", "secure"):
        actions = [MCTS(3, recommendation=name, seed=seed).act(model) for seed in range(300)]
        assert stats.chisquare(np.bincount(actions, minlength=3)).pvalue > 1e-4


def test_ties_of_visits_go_to_the_higher_mean():
    """Each action has one visit, so "robust" knows the best one, and "robust-random" guesses."""
    model = Bandit(0, 0, 0, 1, 0)
    for name in ("robust", "robust-max"):
        assert {MCTS(5, recommendation=name, seed=seed).act(model) for seed in range(50)} == {3}
    guesses = [MCTS(5, recommendation="robust-random", seed=seed).act(model) for seed in range(600)]
    assert stats.chisquare(np.bincount(guesses, minlength=5)).pvalue > 1e-4


# --- Budgets ---


@pytest.mark.slow
def test_a_full_tree_still_learns():
    """Means of the nodes at the edge go on averaging rollouts."""
    model = TicTacToe("XX.OO....")
    result = MCTS(5000, max_nodes=6, c=10, seed=0).search(model)
    for action, mean, visits in zip(result.actions, result.means, result.visits, strict=True):
        returns = reached(model, (int(action),)).rollout_returns(5000, 1)[:, 0]
        deviation = returns.std() * math.sqrt(1 / visits + 1 / len(returns))
        assert abs(mean - returns.mean()) <= 4 * deviation


@pytest.mark.parametrize("selection", ["sampled", "stratified"])
@pytest.mark.parametrize("max_nodes", [3, 4, 6, 9])
def test_a_full_tree_averages_the_outcomes_it_has_no_node_for(max_nodes, selection):
    """Root, STOP, ROLL and not all that can follow; the expected return of a throw is 0.54."""
    options = {"max_nodes": max_nodes, "c": 10, "chance_selection": selection, "seed": 0}
    result = MCTS(10_000, **options).search(Dice(5, rolls=1))
    assert result.search_tree.num_nodes == max_nodes
    deviation = 0.45 / math.sqrt(result.visits[Dice.ROLL])
    assert abs(result.means[Dice.ROLL] - 0.54) < 4 * deviation


# --- Errors ---


def test_a_game_may_count_its_draws(monkeypatch):
    """A sample_chance of its own can pass the draw on to the one it replaces."""
    draws = []

    def sample_chance(self, rng):
        draws.append(PythonForwardModel.sample_chance(self, rng))
        return draws[-1]

    expected = MCTS(50, seed=0).search(Dice()).tree()
    monkeypatch.setattr(Dice, "sample_chance", sample_chance)
    np.testing.assert_array_equal(MCTS(50, seed=0).search(Dice()).tree(), expected)
    assert len(draws) > 50


def test_chance_must_draw_one_of_its_outcomes(monkeypatch):
    monkeypatch.setattr(Dice, "chance_outcomes", lambda self: ((0, 1), (0.5, 0.5)))
    monkeypatch.setattr(Dice, "sample_chance", lambda self, rng: 2)
    with pytest.raises(ValueError, match="chance drew 2, which is not among chance_outcomes"):
        MCTS(100).search(Dice())


def test_policies_without_a_method_raise():
    with pytest.raises(NotImplementedError, match="c_values"):
        MCTS(100, tree_policy=TreePolicy()).search(TicTacToe())


# --- Agents ---


def test_results_as_text():
    header, *rows, summary = str(MCTS(500, seed=0).search(opening())).splitlines()
    assert header.split() == ["action", "visits", "mean", "points", "policy"]
    assert sum(row.startswith("*") for row in rows) == 1
    assert summary.startswith("500 iterations, ")


# Memory


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.slow
def test_a_decision_of_100_000_iterations_takes_less_than_250_megabytes():
    code = (
        "from agents import MCTS; from carcassonne_env import CarcassonneModel\n"
        "model = CarcassonneModel(); model.apply_action(3)\n"
        "MCTS(100_000, c=0.5, seed=0).search(model)\n"
        "print(next(line for line in open('/proc/self/status') if 'VmHWM' in line).split()[1])"
    )
    kibibytes = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert int(kibibytes) * 1024 < 250e6
