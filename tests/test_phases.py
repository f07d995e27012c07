"""Bridge burning: ``phases`` of MCTS."""

from __future__ import annotations

import math
import pickle
import time
from typing import Any

import numpy as np
import pytest

from agents import (
    MCTS,
)
from agents.multi_action.models import TurnModel
from agents.multi_action.turn import Turn
from fop_env import FopModel
from games import (
    Corridor,
    Dice,
    Picks,
    TicTacToe,
    Turns,
    nodes_by_path,
    recommended,
)
from playing import one_player

RECOMMENDATIONS = ("robust", "robust-random", "max", "secure", "secure(margin=0.2)")


# --- By hand ---


def test_two_phases_in_figures():
    """Two of three items: three iterations find that item 2 is best, three more that 1 is next."""
    worths = (0.1, 0.3, 0.5)
    game = Picks(1, 2, worths)
    options: dict[str, Any] = {"expansion": "ordered", "rollout_policy": "ordered"}
    result = MCTS(6, 0, phases=2, recommendation="max", seed=0, **options).search(game)
    lines = [line for line, _ in game.log]
    assert lines == [(0, 1), (1, 0), (2, 0), (2, 0), (2, 1), (2, 1)]
    assert result.settled == (2,)
    assert result.action == 2
    assert result.principal_variation == [(0, 2), (0, 1)]
    assert result.visits.tolist() == [1, 1, 4]
    np.testing.assert_allclose(result.means, [0.4, 0.4, (0.6 + 0.6 + 0.8 + 0.8) / 4])
    assert result.value == pytest.approx((0.4 + 0.4 + 0.6 + 0.6 + 0.8 + 0.8) / 6)
    assert result.model_calls == 3 * 2 + 1 + 3  # the settled action is applied once
    assert result.tree_statistics.max_depth == 2
    assert result.tree_statistics.num_nodes == 6
    assert result.principal_position().is_terminal()


def test_the_line_of_play_begins_with_what_was_settled():
    """Also where another action has more visits: some, when the highest mean is settled late."""
    differing = 0
    for seed in range(20):
        agent = MCTS(400, 0.1, phases=4, recommendation="max", seed=seed)
        result = agent.search(Turns(2, 4, 1, 13))
        line = [action for _, action in result.principal_variation]
        assert len(result.settled) == 3
        assert tuple(line[:3]) == result.settled
        assert agent.principal_variation(result) == result.principal_variation
        assert result.principal_position().taken == tuple(line)
        differing += result.search_tree.principal_variation() != result.principal_variation
    assert differing > 0


@pytest.mark.parametrize("recommendation", RECOMMENDATIONS)
@pytest.mark.parametrize("make_model", [lambda: FopModel("f3"), lambda: Turns(2, 3, 2, 13)])
def test_a_phase_goes_on_where_those_before_it_ended(make_model, recommendation):
    """The tree of k phases is that of k - 1 phases of the same length, and one phase more.

    In between the recommended action is settled, unless another player moves after it.
    """
    length, options = 200, {"c": 0.3, "recommendation": recommendation, "seed": 3}
    earlier = MCTS(length, **options).search(make_model())
    for phases in (2, 3, 4):
        result = MCTS(phases * length, phases=phases, **options).search(make_model())
        *before, last = result.settled
        if len(result.settled) == len(earlier.settled):
            assert isinstance(result.model, Turns)
            assert phases == 4
            break
        assert tuple(before) == earlier.settled
        nodes, after = nodes_by_path(earlier), nodes_by_path(result)
        below = {path[-1]: row for path, row in nodes.items() if [*path[:-1]] == before and path}
        assert last in recommended(below, recommendation)
        for path, row in nodes.items():
            is_elsewhere = path[: phases - 1] != result.settled[: len(path)]
            assert not is_elsewhere or after[path]["visits"] == row["visits"]
        for depth in range(phases):
            line = result.settled[:depth]
            assert after[line]["visits"] == nodes[line]["visits"] + length
        earlier = result


@pytest.mark.parametrize(
    ("iterations", "phases", "ends"),
    [
        (10, 4, [3, 5, 8]),
        (4, 4, [1, 2, 3]),
        (400, 4, [100, 200, 300]),
        (100, 25, range(4, 100, 4)),  # 7 / 25 * 100 is more than 28 in floating point
    ],
)
def test_iterations_are_split_evenly(iterations, phases, ends):
    """After the end of each phase, all lines begin with the actions settled so far."""
    game = Picks(1, 30, [0.1 * item for item in range(32)])
    result = MCTS(iterations, 10, phases=phases, seed=1).search(game)
    lines = [line for line, _ in game.log]
    assert len(lines) == result.iterations == result.visits.sum() == iterations
    assert len(result.settled) == phases - 1
    for depth, end in enumerate(ends, 1):
        begun = [line[:depth] == result.settled[:depth] for line in lines]
        assert all(begun[end:])
        assert not all(begun[end - iterations // phases : end]) or iterations < 100


# --- What is not settled ---


@pytest.mark.parametrize("make_model", [TicTacToe, Dice, lambda: Corridor(1)])
def test_nothing_is_settled_where_the_player_does_not_move_again(make_model):
    """After every action another player moves, or chance, or the game is over."""
    plain, phased = (MCTS(300, phases=phases, seed=3).search(make_model()) for phases in (1, 4))
    assert plain.settled == phased.settled == ()
    assert phased.iterations == 300
    assert phased.action == plain.action
    assert phased.model_calls == plain.model_calls
    np.testing.assert_array_equal(phased.tree(), plain.tree())


def test_a_whole_turn_can_be_settled():
    model = TurnModel(Turn(one_player(1)))
    result = MCTS(3000, phases=40, c=0.1, seed=1).search(model)
    assert len(result.settled) == 22  # the child of the last action is the end
    end = model.clone()
    for action in result.settled:
        end.apply_action(action)
    assert len(end.legal_actions())
    assert result.principal_position().is_terminal()


def test_phases_can_outnumber_the_iterations():
    result = MCTS(4, phases=10, seed=0).search(Turns(1, 20, 1, 25))
    assert result.iterations == 4


def test_settled_actions_can_be_many():
    result = MCTS(150, phases=150, seed=0).search(Corridor(100))
    assert result.settled == (0,) * 99
    assert result.principal_variation == [(0, 0)] * 100
    assert result.tree_statistics.max_depth == 100
    assert result.iterations == 150


def test_a_full_tree_settles_what_it_has():
    result = MCTS(60, phases=4, max_nodes=2, seed=0).search(Turns(1, 5, 1, 6))
    assert len(result.settled) == 1
    assert result.iterations == 60


# --- Together with other options ---


@pytest.mark.parametrize(
    "options",
    [
        {"tree_policy": "rave"},
        {"tree_policy": "decaying-ucb1"},
        {"tree_policy": "Q + sd*sqrt(ln(N)/n)"},
        {"tree_policy": "puct", "evaluator": lambda model: [0.1, -0.1]},
        {"widening": (1, 0.5)},
        {"rollouts": 3},
        {"tree_policy": "ucb1(c=0)", "rollout_policy": "ordered(epsilon=0.5)"},
    ],
)
def test_other_options_go_with_phases(options):
    def search(seed):
        return MCTS(200, phases=3, seed=seed, **options).search(Turns(2, 3, 2, 14))

    result, twin, other = search(1), search(1), search(2)
    rows = result.tree()
    assert len(result.settled) == 2
    assert rows["visits"][0] == result.iterations == 200
    np.testing.assert_array_equal(rows, twin.tree())
    assert (result.settled, result.model_calls) == (twin.settled, twin.model_calls)
    assert len(rows) != len(other.tree()) or (rows != other.tree()).any()
    again = pickle.loads(pickle.dumps(result))
    assert again.settled == result.settled
    assert again.principal_variation == result.principal_variation


@pytest.mark.parametrize("batch_size", [1, 2, 16])
def test_leaves_are_valued_in_batches_below_what_was_settled(batch_size):
    """Batches of one make the tree of a search without batches; all count at the root."""

    def evaluate(model):
        worth = math.sin(sum(model.taken) + len(model.taken))
        return [worth, -worth]

    def evaluate_all(models):
        return [evaluate(model) for model in models]

    game, options = Turns(2, 3, 2, 14), {"c": 0.7, "phases": 3, "seed": 0}
    one_by_one = MCTS(200, evaluator=evaluate, **options).search(game)
    result = MCTS(200, evaluator=evaluate_all, batch_size=batch_size, **options).search(game)
    assert len(result.settled) == 2
    assert result.visits.sum() == result.iterations == 200
    assert nodes_by_path(result)[result.settled]["visits"] >= 67
    if batch_size == 1:
        np.testing.assert_array_equal(result.tree(), one_by_one.tree())


def test_decaying_exploration_counts_all_iterations():
    result = MCTS(300, 40, tree_policy="decaying-ucb1", phases=3, seed=0).search(Turns(1, 4, 1, 9))
    bonus = 40 / 301 * np.sqrt(np.log(300) / result.visits)
    np.testing.assert_allclose(result.policy_values, result.means + bonus)


# --- Budgets ---


def test_time_is_split_evenly():
    """But for the last iteration, or half of it, whatever else the machine does.

    So much exploration tries all actions in turn until one is settled.
    """
    ends: list[tuple[tuple[int, ...], float]] = []

    class Slow(Turns):
        def returns(self):
            ends.append((self.taken, time.perf_counter()))
            time.sleep(0.002)
            return super().returns()

    start = time.perf_counter()
    settled = MCTS(c=100, time_limit=0.4, phases=4).search(Slow(1, 6, 1, 12)).settled
    lines, times = [taken for taken, _ in ends], [at for _, at in ends]
    assert len(settled) == 3
    for depth in (1, 2, 3):
        last = max(i for i, line in enumerate(lines) if line[:depth] != settled[:depth])
        assert times[last - 1] <= times[0] + 0.1 * depth
        around = times[last - 2 : last + 4]
        assert around[-1] >= start + 0.1 * depth - max(np.diff(around)) / 2


def test_the_first_budget_spent_ends_a_phase():
    game = Picks(1, 6, [0.1 * item for item in range(8)])
    result = MCTS(90, time_limit=60, model_calls=10**6, phases=3, seed=0).search(game)
    assert (result.iterations, len(result.settled)) == (90, 2)
    assert MCTS(time_limit=1e-9, phases=3).search(game).iterations == 1
