"""Learners as players of the benchmark.

    carcassonne benchmark "ppo=benchmark_entries:maskable_ppo" --task 1p-3m-s

An adapter is all that a checkpoint of any library needs: it loads the network and hands it to
`carcassonne_env.PolicyAgent` together with an environment as the network has learned in. Run in
this folder, so that the module is found. Needs the extra ``rl``.
"""

from __future__ import annotations

from pathlib import Path

import gymnasium
import torch

from carcassonne_env import PolicyAgent
from carcassonne_env.sb3 import NativeVecEnv
from carcassonne_learner import SETTINGS, learner

torch.set_num_threads(1)


def maskable_ppo_agent() -> PolicyAgent:
    """The network that `maskable_ppo.py` trains in ten minutes, from features of the actions."""
    envs = NativeVecEnv("Carcassonne-1p-3m-s", 1, **SETTINGS["actions"])
    model = learner(envs, batch_size=1, seed=0)
    weights = torch.load(Path(__file__).with_name("maskable_ppo.pt"), weights_only=True)
    model.policy.load_state_dict(weights)
    env = gymnasium.make("Carcassonne-1p-3m-s", **SETTINGS["actions"])
    return PolicyAgent(model.policy, env)  # the policy alone can be sent to worker processes


maskable_ppo = maskable_ppo_agent()
