"""What is FOP's own in its environments: every number of an episode, and the rewards."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import fop_env
from envs import gains, results, same, started, told
from fop_env import FUNCTIONS, FopModel
from fop_env.gymnasium_env import FopEnv
from models import assert_mean, slope

VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "expected": {"function": "f4", "reward": "expected"},
    "three parts": {"function": "f2", "branching": 3, "threshold": 0.01},
    "two dimensions": {"function": "f3", "dimensions": 2},
    "table": {"function": slope, "dimensions": 2, "threshold": 0.01, "reward": "expected"},
    "no table": {"function": slope, "dimensions": 2},
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_ids_are_the_published_problems(function):
    env = gym.make(f"FOP-{function}")
    env.reset()
    assert env.unwrapped.model.is_same_problem(FopModel(function))


@pytest.mark.parametrize("kwargs", VARIANTS.values(), ids=VARIANTS)
def test_every_number_of_an_episode(kwargs):
    env = FopEnv(**kwargs)
    for num_choices, (observation, *outcome, info) in enumerate(results(env, seed=2)):
        model, is_over = env.model, num_choices == env.model.num_levels
        share = num_choices / model.num_levels
        vector = np.array([*np.ravel(model.intervals), share], np.float32)
        mask = np.full(model.num_actions, not is_over, np.int8)
        assert same(observation, {"observation": vector, "action_mask": mask})
        value, centre = info.pop("value"), np.array(model.centre)
        assert value == pytest.approx(float(model.evaluate(*centre)), abs=1e-12)
        assert same(info, {"action_mask": mask, "depth": num_choices, "centre": centre})
        if num_choices:
            reward, *ended = outcome
            assert ended == [is_over, False]
            assert reward == 0 or is_over
    assert is_over
    assert reward == value if kwargs.get("reward") == "expected" else reward in (0, 1)


def test_rewards_are_drawn_from_the_seed_with_the_probability_of_the_value():
    def rewards(count, seed):
        """Those of episodes of one choice, always the first part, of f4."""
        env, drawn = FopEnv("f4", threshold=1), []
        for i in range(count):
            env.reset(seed=None if i else seed)
            drawn.append(env.step(0)[1])
        return drawn

    assert_mean(rewards(3000, seed=0), FopModel("f4").evaluate(0.25))
    drawn = [tuple(rewards(40, seed)) for seed in (*range(8), None, 0)]
    assert len(set(drawn)) == 9
    assert drawn[0] == drawn[-1]


@pytest.mark.parametrize("make", [FopEnv, fop_env.env])
def test_pictures_in_two_dimensions(make):
    env = started(make, dimensions=2, render_mode="rgb_array")
    before = env.render()
    env.step(1)
    assert env.render().shape == (400, 600, 3)
    assert not np.array_equal(before, env.render())


def test_players_see_the_state_and_are_told_the_same():
    env = started(fop_env.env, branching=3)
    while not env.model.is_terminal():
        for agent in env.agents:
            assert same(env.state(), env.observe(agent)["observation"])
            assert list(env.infos[agent]) == ["depth", "centre", "value"]
        env.step(1)


def test_rewards_are_zero_sum_and_have_the_mean_of_the_value():
    env, drawn = started(fop_env.env, function="f4", threshold=0.5), []
    for _ in range(1000):
        env.step(0)
        assert env.rewards == {"player_0": 0, "player_1": 0}
        env.step(1)
        drawn.append(env.rewards["player_0"])
        assert env.rewards["player_1"] == -drawn[-1]
        assert gains(told(env)) == {"player_0": drawn[-1], "player_1": -drawn[-1]}
        env.reset()
    assert_mean(drawn, FopModel("f4").evaluate(0.375))
