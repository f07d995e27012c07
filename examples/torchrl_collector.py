"""A torchrl collector gathers games of Carcassonne with random legal actions.

The mask in the observation becomes the mask of the action's distribution. To train a policy, put it
in the place of random play. Needs torchrl (extra ``rl``).
"""

from __future__ import annotations

import argparse

import torch
from torchrl.collectors import Collector
from torchrl.envs import ActionMask, GymEnv, RewardSum, TransformedEnv

import carcassonne_env  # noqa: F401  (registers the environments)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--env", default="Carcassonne-1p-3m-d", help="the environment's id")
    parser.add_argument("--frames", type=int, default=4_000, help="actions to collect")
    parser.add_argument("--quick", action="store_true", help="an eighth of the frames")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    env = TransformedEnv(GymEnv(args.env, action_mode="two_step"), ActionMask())
    env.append_transform(RewardSum())
    env.set_seed(args.seed)
    torch.manual_seed(args.seed)
    collector = Collector(
        env,
        env.rand_action,
        frames_per_batch=500,
        total_frames=args.frames // (8 if args.quick else 1),
    )
    scores: list[float] = []
    for batch in collector:
        ends = batch["next", "done"].squeeze(-1)
        scores += batch["next", "episode_reward"].squeeze(-1)[ends].tolist()
        print(f"{len(scores):4} games, mean score {sum(scores) / max(len(scores), 1):.1f}")
    collector.shutdown()


if __name__ == "__main__":
    main()
