"""The network that tiles_ppo.py trained, as a player.

    cd examples
    carcassonne benchmark "tiles-ppo=baselines.tiles_player:player" --task 1p-3m-s

Needs PyTorch and the extra ``experiments``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch

from baselines.common import ENV
from baselines.tiles_network import TileRater
from carcassonne_env import PolicyAgent

WEIGHTS = Path(__file__).parent / "results" / "tiles_ppo-0.npz"

torch.set_num_threads(1)
env = gymnasium.make(ENV, **TileRater.settings)
network = TileRater(env.observation_space["vector"].shape[0])
network.load(WEIGHTS)


def choose(observation: dict[str, np.ndarray], info: dict[str, Any]) -> int:
    """The action of the highest rating."""
    mask = {"action_mask": observation["action_mask"][: network.settings["max_rows"]]}
    batch = {name: part[None] for name, part in (observation | mask).items()}
    return int(network.best(batch)[0])


player = PolicyAgent(choose, env)
