"""MaskablePPO learns single-player Carcassonne and is measured beside planners and random play.

The script trains on the native vector environment. The observation has the terms of Carcassonne's
outlook after each legal action, and a small network rates an action by what it changes. With
``--features none`` a convolutional network rates every placement by its neighbourhood on the board,
and a turn takes two actions; ``--features position`` adds the terms of the position for it. The
reward is the gain in virtual score: these gains sum up to the final score, too, but show at once
how much a meeple is worth. carcassonne_learner.py has both networks.

The script writes the learning curve, a table of results, the model, and the weights of its network.
Training takes ``--minutes``; ``--weights FILE`` measures stored weights in place of training, and
``--quick`` shortens everything to seconds, to see that it runs. Needs the extras ``rl`` and
``experiments``.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from stable_baselines3.common.callbacks import BaseCallback

from agents import MCTS, Agent, RandomAgent, make
from agents.csv_tables import write_table
from agents.evaluation import evaluate
from agents.files import replacing
from agents.pictures import save_figure
from baselines.hyperparameters import REWARD_SCALE
from carcassonne_env.sb3 import NativeVecEnv
from carcassonne_learner import SETTINGS, learner

NAME = "Carcassonne-1p-3m-s"


class Curve(BaseCallback):
    """Records the mean result of games during training, and ends training at the deadline."""

    def __init__(self, seconds: float, result: str = "score") -> None:
        super().__init__()
        self.result = result
        self.deadline = time.monotonic() + seconds
        self.points: list[tuple[int, float]] = []

    def _on_step(self) -> bool:
        return time.monotonic() < self.deadline

    def _on_rollout_end(self) -> None:
        results = [episode["r"] for episode in self.model.ep_info_buffer]
        if results:
            self.points.append((self.num_timesteps, float(np.mean(results))))
            print(f"{self.num_timesteps:>9,} steps, mean {self.result} {self.points[-1][1]:.1f}")


def planners(iterations: list[int], c: float) -> dict[str, Agent]:
    """The planners that are measured beside the learner, by name."""
    searches = {f"MCTS, {n} iterations": MCTS(n, c=c, seed=0) for n in iterations}
    ahead = {name: make(name, seed=0) for name in ("greedy", "expectimax-1-outlook")}
    return {"random": RandomAgent(seed=0), **ahead, **searches}


def main() -> None:
    parser = command_line(__doc__, [10, 100, 1000])
    parser.add_argument("--weights", type=Path, help="measure these in place of training")
    parser.add_argument("--env", default=NAME, help="the environment's id")
    args = prepared(parser)
    settings = SETTINGS[args.features]
    name = "maskable_ppo" + (f"_{args.features}" if args.features != "actions" else "")
    envs = NativeVecEnv(
        args.env, args.num_envs, reward="virtual", reward_scale=REWARD_SCALE, **settings
    )
    model = learner(envs, args.batch_size, args.seed)
    curve = Curve(60 * args.minutes)
    if args.weights:
        model.policy.load_state_dict(torch.load(args.weights, weights_only=True))
    else:
        model.learn(10**9, callback=curve)
        with replacing(args.out / f"{name}.zip") as file:
            model.save(file)
        with replacing(args.out / f"{name}.pt") as file:
            torch.save(model.policy.state_dict(), file)
    if args.features == "actions":  # for agents.make("network(checkpoint=FILE)")
        encoder = envs.envs.encoder
        network = model.policy.mlp_extractor
        network.save(args.out / f"{name}.npz", encoder.num_tiles, encoder.num_players)
    table = evaluate(
        model,
        args.env,
        args.episodes,
        planners(args.iterations, c=0.5),
        seeds=range(10**6, 10**6 + args.episodes),
        **settings,
    )
    how = args.weights.name if args.weights else f"{args.minutes:g} minutes"
    table["policy"] = table["policy"].replace("policy", f"MaskablePPO, {how}")
    write_table(args.out / f"{name}.csv", table)
    print(table.to_string(index=False, float_format="%.3g"))
    if curve.points:
        draw(curve.points, table, args.env, args.out / f"{name}.png")


def draw(points: list[tuple[int, float]], table: Any, title: str, path: Path) -> None:
    """Draws the learning curve, and the planners' means as lines."""
    figure = Figure(figsize=(9, 4), layout="constrained")
    ax = figure.subplots()
    ax.plot(*zip(*points, strict=True), color="#08519c", label="MaskablePPO, last 100 games")
    for i, (name, mean) in enumerate(zip(table["policy"][1:], table["mean"][1:], strict=True)):
        ax.axhline(mean, color=f"C{i + 1}", lw=1, ls="--", label=f"{name}: {mean:.1f}")
    ax.set(xlabel="actions", ylabel="final score", title=title, ylim=(0, 80))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    figure.legend(loc="outside right center")
    save_figure(figure, path)


def command_line(text: str, iterations: list[int]) -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = argparse.ArgumentParser(
        description=text.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes")
    parser.add_argument("--minutes", type=float, default=10, help="of training")
    parser.add_argument("--features", choices=SETTINGS, default="actions", help="that are observed")
    parser.add_argument("--iterations", type=int, nargs="*", default=iterations, help="of MCTS")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder to write to")
    return parser


def prepared(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The arguments, and beside them the sizes of the run; the folder is made."""
    args = parser.parse_args()
    if not args.minutes > 0:
        parser.error(f"--minutes must be greater than 0, got {args.minutes:g}")
    args.num_envs, args.batch_size, args.episodes = 64, 512, 50
    if args.quick:
        args.minutes, args.num_envs, args.batch_size, args.episodes = 0.02, 4, 64, 2
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # a second thread helps on an idle machine and harms on a busy one
    return args


if __name__ == "__main__":
    main()
