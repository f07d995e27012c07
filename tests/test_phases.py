"""Bridge burning (``phases`` of MCTS), and rollouts in the game's own order."""

from __future__ import annotations

import pickle
import time
from typing import Any

import numpy as np
import pytest

from agents import MCTS, SIEAMCTS, TERMINAL, OrderedRollout, PythonForwardModel, Rng
from agents.multi_action.turn import Turn
from agents.multi_action.turn_model import TurnModel
from carcassonne_env import CarcassonneModel
from fop_env import FopModel
from games import TicTacToe


def rest_of_game(seed: int = 1) -> TurnModel:
    """A game of Carcassonne for one player as one turn of 23 actions."""
    game = CarcassonneModel(
        num_players=1, num_meeples=3, tiles="small", deterministic=True, seed=seed
    )
    return TurnModel(Turn(game))


def test_one_phase_settles_nothing() -> None:
    assert MCTS(100, phases=1, seed=0).search(FopModel("f1")).settled == ()


@pytest.mark.parametrize("recommendation", ["robust", "max", "secure"])
def test_each_phase_settles_the_best_child(recommendation: str) -> None:
    """The tree of k phases is that of k - 1 phases of the same length, and one phase more."""
    length, c = 200, 0.3
    earlier = MCTS(length, c=c, recommendation=recommendation, seed=3).search(FopModel("f3"))
    for phases in (2, 3, 4):
        planner = MCTS(phases * length, c=c, recommendation=recommendation, phases=phases, seed=3)
        result = planner.search(FopModel("f3"))
        assert len(result.settled) == phases - 1
        assert result.settled[:-1] == earlier.settled
        assert result.settled[-1] == best_below(earlier, recommendation)
        assert result.action == result.settled[0]
        line = [action for _, action in result.principal_variation]
        assert tuple(line[: phases - 1]) == result.settled
        # the iterations of the last phase all went through the last start
        assert visits_at(result, result.settled[:-1]) == visits_at(earlier, earlier.settled)
        assert (
            visits_at(result, result.settled)
            == visits_at(earlier, (*earlier.settled, result.settled[-1])) + length
        )
        earlier = result


def node_at(result: Any, line: tuple[int, ...]) -> Any:
    """The row of the tree that a line of actions leads to, and the table."""
    table = result.tree()
    node = 0
    for action in line:
        children = np.flatnonzero(table["parent"] == node)
        children = children[children != 0]
        node = int(children[table["action"][children] == action][0])
    return table, node


def visits_at(result: Any, line: tuple[int, ...]) -> int:
    table, node = node_at(result, line)
    return int(table["visits"][node])


def best_below(result: Any, recommendation: str) -> int:
    """The best child of the node at which a search ended."""
    table, node = node_at(result, result.settled)
    children = np.flatnonzero(table["parent"] == node)
    children = children[children != 0]
    visits, means = table["visits"][children], table["mean"][children]
    values = {"robust": visits, "max": means, "secure": means - 1 / np.sqrt(visits)}
    assert (values[recommendation] == values[recommendation].max()).sum() == 1
    return int(table["action"][children[values[recommendation].argmax()]])


def test_nothing_is_settled_beyond_the_turn() -> None:
    """The other player moves after each move, so that only the start of a search is in the turn."""
    result = MCTS(1000, phases=10, seed=0).search(TicTacToe())
    assert result.settled == ()
    alone = MCTS(1000, seed=0).search(TicTacToe())
    assert result.visits.tolist() == alone.visits.tolist()


def test_a_whole_turn_can_be_settled() -> None:
    model = rest_of_game()
    result = MCTS(3000, phases=40, c=0.1, seed=1).search(model)
    end = model.clone()
    for action in result.settled:
        end.apply_action(action)
    assert len(result.settled) == 22  # the child of the last one is the end
    assert result.principal_position().is_terminal()


def test_budgets_are_shared_by_the_phases() -> None:
    assert MCTS(1000, phases=7, seed=0).search(FopModel("f1")).iterations == 1000
    calls = MCTS(model_calls=20_000, phases=5, seed=0).search(FopModel("f1")).model_calls
    assert 20_000 <= calls < 20_200
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        assert MCTS(time_limit=0.2, phases=10, seed=0).search(rest_of_game()).settled
        seconds.append(time.perf_counter() - start)
    assert 0.19 < min(seconds) < 0.21


def test_same_seed_same_tree() -> None:
    trees = [MCTS(500, phases=5, seed=7).search(rest_of_game()).tree().tobytes() for _ in range(2)]
    assert trees[0] == trees[1]


def test_results_survive_pickling() -> None:
    result = MCTS(500, phases=5, seed=7).search(FopModel("f2"))
    again = pickle.loads(pickle.dumps(result))
    assert again.settled == result.settled != ()
    assert again.principal_variation == result.principal_variation


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"phases": 0}, "phases must be"),
        ({"phases": 2.5}, "phases must be"),
        ({"phases": 3, "trees": 2}, "phases=3 needs trees=1"),
        ({"phases": 3, "solver": True}, "phases=3 needs solver=False"),
        ({"phases": 3, "reuse_tree": True}, "phases=3 needs reuse_tree=False"),
        (
            {"phases": 3, "evaluator": lambda models: [[0.0]] * len(models), "batch_size": 8},
            "phases=3 needs batch_size=None",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MCTS(100, **options)


def test_evolving_planners_have_no_phases() -> None:
    with pytest.raises(ValueError, match="phases"):
        SIEAMCTS(100, phases=2)


class _Ordered(PythonForwardModel):
    """Three digits, whose sum is the return; the order puts the middle digit first."""

    def __init__(self) -> None:
        super().__init__(num_players=1, num_actions=3)
        self.digits: tuple[int, ...] = ()

    def current_player(self) -> int:
        return TERMINAL if len(self.digits) == 3 else 0

    def legal_actions(self) -> list[int]:
        return [2, 0, 1]

    def apply_action(self, action: int) -> None:
        self.digits += (action,)

    def returns(self) -> list[float]:
        return [float(sum(self.digits))]

    def copy_from(self, source: _Ordered) -> None:
        self.digits = source.digits


class _MiddleFirst(_Ordered):
    def ordered_actions(self) -> list[int]:
        return [1, 2, 0]


def test_ordered_rollouts_take_the_first_action() -> None:
    for game, expected in ((_MiddleFirst, 1), (_Ordered, 0)):
        result = MCTS(3, rollout_policy="ordered", expansion="ordered", seed=0).search(game())
        means = {0: 2 * expected, 1: 1 + 2 * expected, 2: 2 + 2 * expected}
        assert result.means.tolist() == [means[action] for action in (0, 1, 2)]


def test_epsilon_is_the_share_of_random_actions() -> None:
    """Where it is not random, the second and third digit are 1; the return counts the others."""
    game = _MiddleFirst()
    values = []
    for seed in range(2000):
        search = MCTS(1, rollout_policy="ordered(epsilon=0.3)", expansion="ordered", seed=seed)
        values.append(search.search(game).value)
    # the first digit is 1; each of the other two is 0 or 2 with probability 0.1
    assert np.mean(values) == pytest.approx(3, abs=0.04)
    assert np.var(values) == pytest.approx(2 * 0.2, abs=0.05)


def test_ordered_rollouts_follow_carcassonnes_order() -> None:
    model = rest_of_game(2)
    rng = Rng(0)
    by_hand = model.clone()
    by_hand.apply_action(int(by_hand.ordered_actions()[0]))
    while not by_hand.is_terminal():
        by_hand.apply_action(int(by_hand.ordered_actions()[0]))
    result = MCTS(1, rollout_policy="ordered", expansion="ordered", seed=rng).search(model)
    assert result.value == by_hand.returns()[0]
    assert repr(pickle.loads(pickle.dumps(OrderedRollout(0.5)))) == "OrderedRollout(0.5)"
    with pytest.raises(ValueError, match="epsilon must be"):
        OrderedRollout(1.5)
