"""Several trees, trees that are used again, and futures drawn before the search."""

from __future__ import annotations

import copy
import pickle
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest

from agents import MCTS, ForwardModel, Rng
from agents.testing import check_forward_model
from carcassonne_env import CarcassonneModel
from fop_env import FopModel
from games import Bandit, Dice, ThreePlayers, TicTacToe
from playing import opening

# --- Several trees ---


def test_trees_are_independent_and_their_means_are_weighted():
    """As separate searches with generators that are spawned from that of the planner."""
    total = MCTS(1000, trees=3, seed=5).search(opening())
    planners = [MCTS(count) for count in (333, 333, 334)]
    for planner, rng in zip(planners, Rng(5).spawn(3), strict=True):
        planner.rng = rng
    trees = [planner.search(opening()) for planner in planners]
    np.testing.assert_array_equal(total.tree(), trees[0].tree())
    np.testing.assert_array_equal(total.visits, sum(tree.visits for tree in trees))
    means = np.ma.masked_invalid([tree.means for tree in trees])
    weights = [tree.visits for tree in trees]
    np.testing.assert_allclose(total.means, np.ma.average(means, axis=0, weights=weights))
    means = total.means[total.visits > 0]
    weights = total.visits[total.visits > 0]
    assert total.value == pytest.approx(np.average(means, weights=weights))
    assert total.visits[total.actions == total.action] == total.visits.max()
    assert total.model_calls == sum(tree.model_calls for tree in trees)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_an_error_in_one_tree_ends_the_others(which, error):
    class Troubled(TicTacToe):
        threads: ClassVar[list[int]] = []

        def rollout(self, rng):
            thread = threading.get_ident()
            if thread not in self.threads:
                self.threads.append(thread)
            if len(self.threads) == 2 and thread == self.threads[which]:
                raise error
            return super().rollout(rng)

    num_threads, start = threading.active_count(), time.perf_counter()
    with pytest.raises(error):
        MCTS(time_limit=60, trees=2).search(Troubled())
    assert len(Troubled.threads) == 2
    assert time.perf_counter() - start < 10
    assert threading.active_count() == num_threads


def test_the_majority_can_outvote_the_visits():
    rounds = Counter()
    for seed in range(100):
        model = Bandit(0.5, 0.5)
        votes = MCTS(90, trees=3, vote="majority", seed=seed).search(model)
        visits = MCTS(90, trees=3, vote="visits", seed=seed).search(model)
        np.testing.assert_array_equal(votes.visits, visits.visits)
        rounds[votes.action == visits.action] += 1
    assert rounds[True] > rounds[False] > 0


# --- Futures drawn before the search ---


def test_determinized_models_have_no_chance_nodes_and_the_same_tiles():
    for seed in range(5):
        model = opening()
        before = model.clone()
        model.determinize(seed)
        assert model.is_deterministic
        assert Counter(model.order) == Counter(before.bag)
        assert model.current_tile == before.current_tile
        assert (model.bag, model.board, model.scores) == (before.bag, before.board, before.scores)
        while not model.is_terminal():
            assert not model.is_chance_node()
            model.apply_action(model.sample_action(seed))


def test_determinized_orders_are_random():
    firsts = Counter()
    for seed in range(2000):
        model = opening(tiles={"D": 3, "A": 2, "B": 1})
        model.determinize(seed)
        firsts[model.order[0]] += 1
    bag = opening(tiles={"D": 3, "A": 2, "B": 1}).bag
    for letter, count in bag.items():
        assert firsts[letter] == pytest.approx(2000 * count / sum(bag.values()), rel=0.15)


def test_a_chance_node_becomes_what_follows_it():
    model = CarcassonneModel()
    model.determinize(0)
    assert model.current_tile is not None
    assert len(model.order) == 70
    check_forward_model(determinized, num_games=2)


def determinized() -> CarcassonneModel:
    model = CarcassonneModel(tiles="small")
    model.determinize(0)
    return model


def test_the_ensemble_searches_positions_of_known_order():
    model = opening()
    result = MCTS(2000, trees=4, determinize=True, vote="majority", seed=1).search(model)
    assert Counter(result.model.order) == Counter(model.bag)
    assert result.tree_statistics.num_nodes == result.search_tree.num_nodes
    assert not (result.tree()["player"] == -1).any()
    assert (MCTS(2000, seed=1).search(model).tree()["player"] == -1).any()
    assert result.action in model.legal_actions()


def test_games_that_cannot_draw_their_future_say_so():
    with pytest.raises(ValueError, match="Dice cannot draw the chance outcomes to come"):
        MCTS(10, determinize=True).search(Dice())
    with pytest.raises(ValueError, match="FopModel cannot draw the chance outcomes"):
        FopModel("f1").determinize(0)


# --- Trees that are used again ---


def game(planner: MCTS, model: ForwardModel, seed: int) -> Iterator[tuple[Any, ForwardModel]]:
    """Plays against itself and tells the planner everything; yields every search."""
    rng = Rng(seed)
    while not model.is_terminal():
        if model.is_chance_node():
            action = model.sample_chance(rng)
        else:
            result = planner.search(model)
            yield result, model
            action = result.action
        planner.advance(action)
        model.apply_action(action)


@pytest.mark.parametrize(
    "make_model",
    [
        TicTacToe,
        ThreePlayers,
        lambda: FopModel("f4"),
        lambda: opening(tiles="small"),
        lambda: opening(tiles="small", num_players=3, two_step=True),
    ],
)
@pytest.mark.parametrize("options", [{}, {"tree_policy": "rave", "trees": 2}, {"max_nodes": 150}])
def test_trees_are_used_again(make_model, options):
    planner = MCTS(200, reuse_tree=True, seed=0, **options)
    kept = 0
    for result, model in game(planner, make_model(), 1):
        assert result.iterations == 200
        assert result.action in model.legal_actions()
        assert result.actions.tolist() == list(model.legal_actions())
        kept += result.visits.sum() - 200
        rows = result.tree()
        assert len(rows) == result.search_tree.num_nodes <= options.get("max_nodes", 1000)
        assert np.bincount(rows["parent"][1:], minlength=len(rows)).tolist() == [
            *rows["num_children"]
        ]
    assert kept > 0


def test_what_is_kept_is_the_part_below_the_moves():
    planner = MCTS(2000, reuse_tree=True, seed=0)
    before = planner.search(TicTacToe()).tree()
    model = TicTacToe()
    row = 0
    for action in (4, 0):
        planner.advance(action)
        model.apply_action(action)
        (row,) = np.flatnonzero((before["parent"] == row) & (before["action"] == action))
    children = before[before["parent"] == row]
    planner.iterations = 1
    after = planner.search(model)
    visits = dict(zip(after.actions.tolist(), after.visits.tolist(), strict=True))
    grown = {int(c["action"]): visits[int(c["action"])] - int(c["visits"]) for c in children}
    assert sorted(grown.values()) == [0] * (len(grown) - 1) + [1]


def test_a_tree_of_another_position_is_not_used():
    planner = MCTS(300, reuse_tree=True, seed=0)
    model = TicTacToe()
    planner.search(model)
    model.apply_action(4)
    model.apply_action(0)
    assert planner.search(model).visits.sum() == 300  # nothing was told
    planner.advance(8)
    assert planner.search(model).visits.sum() == 300  # nor did this happen
    planner.search(model)
    planner.advance(1)
    planner.advance(2)
    model.apply_action(1)
    model.apply_action(2)
    assert planner.search(model).visits.sum() > 300


def test_a_tree_of_another_game_is_not_used():
    planner = MCTS(300, reuse_tree=True, seed=0)
    planner.search(FopModel("f1"))
    assert planner.search(FopModel("f5")).visits.sum() == 300
    model = FopModel("f1", threshold=0.1)
    planner.search(model)
    model.apply_action(0)
    assert planner.search(model).visits.sum() == 300


def test_planners_are_copied_without_the_tree():
    planner = MCTS(100, reuse_tree=True, seed=0)
    planner.search(TicTacToe())
    for twin in (copy.deepcopy(planner), pickle.loads(pickle.dumps(planner))):
        assert twin.search(TicTacToe()).visits.sum() == 100
    assert planner.search(TicTacToe()).visits.sum() == 200


def test_details_and_kept_trees_are_those_of_each_tree():
    planner = MCTS(200, trees=2, reuse_tree=True, tree_policy="Q + sd", seed=0)
    for rounds in (1, 2, 3):
        result = planner.search(opening(tiles="small"))
        assert result.visits.sum() == 200 * rounds
        assert result.tree()["visits"][0] == 100 * rounds
        assert result.tree_statistics.expansion_rate <= 2 * rounds
    tried = result.tree()["action"][result.tree()["parent"] == 0]
    rows = np.isin(result.actions, tried)
    assert not np.isnan(result.policy_values[rows]).any()


def test_time_alone_is_no_budget_in_calls():
    class Long(TicTacToe):
        def rollout(self, rng):
            super().rollout(rng)
            return 2**30

    assert MCTS(50, trees=2).search(Long()).iterations == 50


def test_decaying_exploration_counts_the_iterations_of_its_own_search():
    """The visits of a kept tree were made in an earlier search, which had its own numbers."""
    game, planner = TicTacToe(), MCTS(200, 40, tree_policy="decaying-ucb1", reuse_tree=True, seed=0)
    for _ in range(2):
        action = planner.choose(game)
        game.apply_action(action)
        planner.advance(action)
    result = planner.search(game)
    visits = result.tree()["visits"][0]
    assert visits > 210  # some are from before
    bonus = 40 / 201 * np.sqrt(np.log(visits) / result.visits)
    np.testing.assert_allclose(result.policy_values, result.means + bonus)
