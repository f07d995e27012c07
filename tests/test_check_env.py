"""Gymnasium's checker on every id, action mode, observation, reward, info and opponent."""

from __future__ import annotations

import itertools

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

import carcassonne_env  # noqa: F401
import fop_env  # noqa: F401

IDS = [name for name in gymnasium.registry if name.startswith(("Carcassonne", "FOP"))]
OPPONENTS = ["random", "greedy", "mcts(iterations=5)"]
CHOICES = {
    "reward": ["score", "final", "win", "virtual"],
    "observation": ["full", "features", "scaled_features", "planes", "flat"],
    "info": ["numbers", "full"],
}


@pytest.mark.parametrize("action_mode", ["flat", "two_step", "index"])
@pytest.mark.parametrize("name", [name for name in IDS if name.startswith("Carcassonne")])
def test_carcassonne(name, action_mode):
    choices = {**CHOICES, "opponent": OPPONENTS} if "2p" in name else CHOICES
    for values in itertools.product(*choices.values()):
        settings = dict(zip(choices, values, strict=True))
        env = gymnasium.make(name, action_mode=action_mode, board_size=9, **settings)
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("opponent", ["greedy", "mcts(iterations=5)"])
@pytest.mark.parametrize("action_mode", ["flat", "two_step", "index"])
def test_carcassonne_on_the_board_without_a_bound(action_mode, opponent):
    env = gymnasium.make("Carcassonne-2p-7m-s", action_mode=action_mode, opponent=opponent)
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", [name for name in IDS if name.startswith("FOP")])
def test_fop(name):
    for reward in ("sampled", "expected"):
        check_env(gymnasium.make(name, reward=reward).unwrapped, skip_render_check=True)
