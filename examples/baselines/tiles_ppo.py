"""PPO from the tiles on the board: an attention network that knows no rule and no term.

    cd examples && python -m baselines.tiles_ppo

All but the network is that of single_file_ppo.py. `player` plays the stored network in the
benchmark::

    carcassonne benchmark "tiles-ppo=baselines.tiles_ppo:player" --task 1p-3m-s

Needs PyTorch and the extra ``experiments``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch

from baselines.common import ENV, Games, arguments
from baselines.network import Critic
from baselines.single_file_ppo import ActorCritic, train
from baselines.tiles_network import TileRater
from carcassonne_env import PolicyAgent

WEIGHTS = Path(__file__).parent / "results" / "tiles_ppo-0.npz"


def main() -> None:
    """Trains and measures."""
    args = arguments(__doc__)
    envs = Games(args.num_envs, network=TileRater)
    size = envs.single_observation_space["vector"].shape[0]
    train("tiles_ppo", args, envs, ActorCritic(TileRater(size), Critic(size)))


def player() -> PolicyAgent:
    """The player of the stored network."""
    env = gymnasium.make(ENV, **TileRater.settings)
    network = TileRater(env.observation_space["vector"].shape[0])
    network.load(WEIGHTS)
    torch.set_num_threads(1)

    def choose(observation: dict[str, np.ndarray], info: dict[str, Any]) -> int:
        mask = {"action_mask": observation["action_mask"][: network.settings["max_rows"]]}
        return int(network.best({k: v[None] for k, v in (observation | mask).items()})[0])

    return PolicyAgent(choose, env)


if __name__ == "__main__":
    main()
