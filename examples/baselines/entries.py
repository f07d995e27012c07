"""The trained networks as players of the benchmark.

    cd examples && carcassonne benchmark "sb3-ppo=baselines.entries:sb3_ppo" --task 1p-3m-s

An adapter is all that a checkpoint of any library needs: it loads the network and hands it to
`carcassonne_env.PolicyAgent` together with an environment as the network has learned in. Needs
PyTorch and the extra ``experiments``.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import torch

from baselines.network import OBSERVED, SETTINGS, Rater, sizes_of
from carcassonne_env import PolicyAgent

torch.set_num_threads(1)
FOLDER = Path(__file__).parent


def choose(network: Rater, observation: dict[str, Any], info: dict[str, Any]) -> int:
    """The action that the network rates highest."""
    return int(network.best({name: observation[name][None] for name in OBSERVED})[0])


def player(path: Path) -> PolicyAgent:
    """The player with the weights in a file, those of a `Rater` or of a policy of sb3-contrib."""
    env = gymnasium.make("Carcassonne-1p-3m-s", **SETTINGS)
    network = Rater(*sizes_of(env.observation_space))
    weights = torch.load(path, weights_only=True)
    own = {name.removeprefix("mlp_extractor."): each for name, each in weights.items()}
    network.load_state_dict({name: own[name] for name in network.state_dict()})
    return PolicyAgent(partial(choose, network), env)


maskable_ppo = player(FOLDER.parent / "maskable_ppo.pt")
"""The network that maskable_ppo.py trains in ten minutes."""
single_file_ppo, sb3_ppo, torchrl_ppo, tianshou_ppo, rllib_ppo, masked_dqn = (
    player(FOLDER / "results" / f"{name}-0.pt")
    for name in (
        "single_file_ppo",
        "sb3_ppo",
        "torchrl_ppo",
        "tianshou_ppo",
        "rllib_ppo",
        "masked_dqn",
    )
)
"""Those of the baselines with seed 0."""
