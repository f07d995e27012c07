"""PPO from the tiles on the board: an attention network that knows no rule and no term.

    cd examples && python -m baselines.tiles_ppo

All but the network is that of single_file_ppo.py; tiles_player.py plays what it has learned. Needs
PyTorch and the extra ``experiments``.
"""

from __future__ import annotations

from baselines.common import Games, arguments
from baselines.network import Critic
from baselines.single_file_ppo import ActorCritic, train
from baselines.tiles_network import TileRater


def main() -> None:
    args = arguments(__doc__)
    envs = Games(args.num_envs, network=TileRater)
    size = envs.single_observation_space["vector"].shape[0]
    train("tiles_ppo", args, envs, ActorCritic(TileRater(size), Critic(size)))


if __name__ == "__main__":
    main()
