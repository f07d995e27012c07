"""The evaluation helper: every kind of policy, the same episodes, and its numbers."""

from __future__ import annotations

import doctest
import math
import pickle
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pandas")

import agents.learner
import carcassonne_env  # noqa: F401
import fop_env  # noqa: F401
from agents import MCTS, RandomAgent
from agents.evaluation import evaluate
from agents.learner import as_function

ID = "Carcassonne-1p-3m-d"


class Learner:
    """As a model of Stable-Baselines3 that takes the first legal action."""

    def predict(self, observation: Any, deterministic: bool = False) -> tuple[int, None]:
        """The first one."""
        assert deterministic
        return int(observation["action_mask"].argmax()), None


class MaskedLearner:
    """The same, of a model that is given the mask."""

    def predict(
        self, observation: Any, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[int, None]:
        """The first one."""
        np.testing.assert_array_equal(action_masks, observation["action_mask"])
        return int(action_masks.argmax()), None


def first_legal(observation: Any, info: dict[str, Any]) -> int:
    return int(info["action_mask"].argmax())


def test_every_kind_of_policy_is_asked():
    tables = [evaluate(policy, ID, 3) for policy in (Learner(), MaskedLearner(), first_legal)]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


@pytest.mark.parametrize("policy", [Learner(), MaskedLearner(), first_legal])
def test_learned_policies_are_functions(policy):
    function = pickle.loads(pickle.dumps(as_function(policy)))
    mask = np.array([0, 0, 1, 1], dtype=np.int8)
    assert function({"action_mask": mask}, {"action_mask": mask}) == 2


@pytest.mark.parametrize("policy", [None, RandomAgent(0), Learner, MCTS], ids=repr)
def test_what_is_not_learned_is_refused(policy):
    with pytest.raises(TypeError, match="predict") as refusal:
        as_function(policy)
    assert repr(policy) in str(refusal.value)


def test_docstrings_hold():
    assert doctest.testmod(agents.learner) == (0, 2)


def test_planner_beats_random_on_the_same_episodes():
    table = evaluate(
        MCTS(200, c=0.5, seed=0), ID, 8, {"random": RandomAgent(0), "first": first_legal}
    ).set_index("policy")
    assert list(table.index) == ["policy", "random", "first"]
    assert (table["episodes"] == 8).all()
    assert table.loc["policy", "mean"] > table.loc["random", "maximum"]


def test_numbers_are_those_of_the_returns():
    table = evaluate(first_legal, ID, 5, seeds=[3, 1, 4, 1, 5]).iloc[0]
    alone = [
        evaluate(first_legal, ID, 2, seeds=[seed, seed]).iloc[0]["mean"] for seed in (3, 1, 4, 1, 5)
    ]
    assert table["mean"] == pytest.approx(np.mean(alone))
    assert table["deviation"] == pytest.approx(np.std(alone, ddof=1))
    assert table["half_width"] == pytest.approx(
        2.776 * np.std(alone, ddof=1) / math.sqrt(5), rel=1e-3
    )
    assert (table["minimum"], table["maximum"]) == (min(alone), max(alone))


def test_opponents_take_the_other_seats():
    table = evaluate(
        MCTS(300, c=0.05, seed=0),
        "Carcassonne-2p-7m-s",
        3,
        {"random": RandomAgent(1), "itself": MCTS(300, c=0.05, seed=1)},
        tiles="small",
    ).set_index("opponent")
    assert list(table["policy"]) == ["policy", "policy"]
    assert table.loc["random", "minimum"] > 0
    assert table.loc["random", "mean"] > table.loc["itself", "mean"]


def test_other_games_are_played():
    table = evaluate(MCTS(100, seed=0), "FOP-f1", 4, reward="expected")
    assert table["mean"].item() > 0.9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"episodes": 1}, "episodes"), ({"episodes": 3, "seeds": [1, 2]}, "episodes .* seeds")],
)
def test_bad_numbers_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        evaluate(first_legal, ID, **arguments)


def test_what_is_no_policy_is_refused():
    with pytest.raises(TypeError, match=r"policy must have predict.* got 3"):
        evaluate(3, ID, 2)


def test_rows_do_not_depend_on_each_other():
    rivals = {"a": RandomAgent(0), "b": RandomAgent(0)}
    table = evaluate(first_legal, ID, 4, rivals)
    assert table["mean"][1] == table["mean"][2] == evaluate(rivals["a"], ID, 4)["mean"][0]


@pytest.mark.parametrize("env_id", [ID, "Carcassonne-2p-7m-s"])
def test_an_opponent_does_not_take_the_name_of_the_policy(env_id):
    with pytest.raises(ValueError, match=r"other names than 'policy', .* got \['a', 'policy'\]"):
        evaluate(first_legal, env_id, 2, {"a": RandomAgent(0), "policy": RandomAgent(0)})
