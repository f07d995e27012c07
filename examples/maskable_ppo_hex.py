"""MaskablePPO learns Hex against a mixture of opponents, in an environment made from a model.

`agents.environments.gymnasium_env` turns any forward model into a Gymnasium environment. The script
trains in Hex on 5 x 5 cells, in either seat, and prints the share of games won against random play
and MCTS before and after. ``--quick`` trains for a moment, to see that it runs. Needs the extra
``rl``.

    python examples/maskable_ppo_hex.py
"""

from __future__ import annotations

import argparse
from functools import partial

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

from agents.environments import aec_env, gymnasium_env
from agents.game import play_game

GAME = "hex(size=5)"
OPPONENTS = ("random", "mcts(iterations=20, c=1.4)", "mcts(iterations=100, c=1.4)")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--steps", type=int, default=200_000, help="of training")
    options.add_argument("--games", type=int, default=200, help="against each opponent")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--quick", action="store_true", help="a small version")
    args = options.parse_args()
    if args.quick:
        args.steps, args.games = 1024, 2
    torch.set_num_threads(1)  # more threads are slower for such a small network

    envs = DummyVecEnv(
        [partial(gymnasium_env, GAME, opponent=one, seat=None) for one in OPPONENTS * 4]
    )
    learner = MaskablePPO(
        "MultiInputPolicy", envs, n_steps=256, batch_size=512, ent_coef=0.01, seed=args.seed
    )
    before = [share_won(learner, one, args.games) for one in OPPONENTS]
    learner.learn(args.steps)
    after = [share_won(learner, one, args.games) for one in OPPONENTS]

    print("| opponent | games won before training | after |\n|---|---|---|")
    for opponent, *shares in zip(OPPONENTS, before, after, strict=True):
        print(f"| {opponent} | {shares[0]:.0%} | {shares[1]:.0%} |")


def share_won(learner: MaskablePPO, opponent: str, games: int) -> float:
    """The share of games that the learner wins, half of them in either seat."""
    won = 0
    for game in range(games):
        seat = game % 2
        players = [learner, opponent] if seat == 0 else [opponent, learner]
        won += play_game(aec_env(GAME), players, seed=game).returns[seat] > 0
    return won / games


if __name__ == "__main__":
    main()
