"""Stable-Baselines3: its checker, and MaskablePPO trained and asked with the masks."""

from __future__ import annotations

import gymnasium as gym
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env

ONE_MEEPLE = "carcassonne_env:Carcassonne-1p-1m-d"
IDS = [f"carcassonne_env:Carcassonne-1p-{m}m-{order}" for m in (1, 3) for order in "ds"]


# Unavoidable with planes: the checker takes any array of three dimensions for an image, which it
# wants to be uint8 from 0 to 255 (such are fed to a CNN made for photographs) and 36 pixels wide.
@pytest.mark.filterwarnings("ignore:.*observation is an image but its `dtype`:UserWarning")
@pytest.mark.filterwarnings("ignore:.*observation is an image but the upper and:UserWarning")
@pytest.mark.filterwarnings("ignore:The minimal resolution for an image is 36x36:UserWarning")
@pytest.mark.parametrize("is_wrapped", [True, False], ids=["wrapped", "unwrapped"])
@pytest.mark.parametrize("name", IDS)
def test_check_env(name, is_wrapped):
    env = gym.make(name)
    check_env(env if is_wrapped else env.unwrapped)


@pytest.fixture(scope="module")
def learner():
    """A tiny network after a few hundred steps, in which an illegal action would have raised."""
    torch.set_num_threads(1)  # for so small a network more threads are slower
    envs = make_vec_env(ONE_MEEPLE, n_envs=2, seed=0, env_kwargs={"illegal_action": "raise"})
    learner = MaskablePPO(
        "MultiInputPolicy",
        envs,
        n_steps=32,
        batch_size=32,
        n_epochs=1,
        policy_kwargs={"net_arch": [4]},
        seed=0,
        device="cpu",
    )
    return learner.learn(256)


def test_learning_plays_whole_episodes(learner):
    lengths = [episode["l"] for episode in learner.ep_info_buffer]
    assert len(lengths) == 2 * (128 // 23)
    assert all(20 <= length <= 23 for length in lengths)  # a tile or two may be discarded


def test_masks_of_several_environments(learner):
    envs = learner.get_env()
    masks = get_action_masks(envs)
    assert masks.shape == (2, 24_336)
    assert masks.sum(axis=1).tolist() == [len(m.legal_actions()) for m in envs.get_attr("model")]


@pytest.mark.parametrize("deterministic", [True, False])
def test_predictions_are_legal(learner, deterministic):
    env = gym.make(ONE_MEEPLE, illegal_action="raise")
    observation, _ = env.reset(seed=1)
    terminated = False
    while not terminated:
        masks = get_action_masks(env)
        action, _ = learner.predict(observation, action_masks=masks, deterministic=deterministic)
        assert masks[action] == 1
        observation, _, terminated, _, _ = env.step(action)
