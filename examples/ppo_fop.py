"""PPO of Stable-Baselines3 learns the Function Optimisation Problem and is compared with MCTS.

The reward is 1 with a probability equal to the function value found, so the mean return is that
value. Needs the extras ``rl`` and ``experiments``.
"""

from __future__ import annotations

import argparse

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

import fop_env
from agents import MCTS, RandomAgent
from agents.evaluation import evaluate


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--function", choices=fop_env.FUNCTIONS, default="f2")
    parser.add_argument("--steps", type=int, default=200_000, help="of training")
    parser.add_argument("--quick", action="store_true", help="a fiftieth of the steps")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.set_num_threads(1)  # more threads are slower for such a small network
    env_id = f"FOP-{args.function}"
    envs = make_vec_env(env_id, n_envs=8, seed=args.seed)
    model = PPO("MultiInputPolicy", envs, n_steps=256, gamma=1.0, ent_coef=0.01, seed=args.seed)
    model.learn(args.steps // 50 if args.quick else args.steps)
    rivals = {
        "random": RandomAgent(seed=args.seed),
        "MCTS, 500 iterations": MCTS(500, c=1.0, seed=args.seed),
    }
    table = evaluate(model, env_id, 30, rivals, reward="expected")
    print(table.to_string(index=False, float_format="%.3f"))


if __name__ == "__main__":
    main()
