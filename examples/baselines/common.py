"""What all baselines share: the task, the games, the budget, the measurements and the files.

The budget is processor time, so that a busy machine takes nothing from a learner. Measurements do
not count. They are greedy games with seeds that neither the learner nor the benchmark plays.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pandas as pd
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper

import carcassonne_env  # noqa: F401  (registers the environments)
from agents.csv_tables import write_table
from agents.evaluation import half_width
from agents.progress import progress_bar
from baselines.hyperparameters import NUM_ENVS, REWARD_SCALE
from baselines.network import ActionRater, Rater

ENV = "Carcassonne-1p-3m-s"
"""The environment of the task 1p-3m-s of the benchmark."""
INTERVAL = 30.0
"""Seconds of the budget between two measurements."""
FIRST_SEED = 900_000
"""The first seed of the measurements; the benchmark has those from 1,000,000 on."""
NUM_GAMES = 200
"""Number of games of a measurement."""


class Games(VectorWrapper):
    """Many games of the task, with only what a network reads, and as many actions as it has rows.

    `reward_scale` is the reward of one point.
    """

    def __init__(
        self,
        num_envs: int,
        autoreset_mode: AutoresetMode = AutoresetMode.SAME_STEP,
        reward_scale: float = REWARD_SCALE,
        network: type[ActionRater] = Rater,
    ) -> None:
        envs: VectorEnv = gymnasium.make_vec(
            ENV, num_envs, autoreset_mode=autoreset_mode, reward="virtual", **network.settings
        )
        super().__init__(envs)
        self.autoreset_mode = autoreset_mode  # where torchrl looks for it
        self.reward_scale = reward_scale
        self.observed, self.rows = network.observed, network.settings["max_rows"]
        parts = {name: envs.single_observation_space[name] for name in self.observed}
        parts["action_mask"] = spaces.MultiBinary(self.rows)
        self.single_observation_space = spaces.Dict(parts)
        self.single_action_space = spaces.Discrete(self.rows)
        batch = gymnasium.vector.utils.batch_space
        self.observation_space = batch(self.single_observation_space, num_envs)
        self.action_space = batch(self.single_action_space, num_envs)

    def reset(self, **options: Any) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Starts all games."""
        return self._read(self.env.reset(**options)[0]), {}

    def step(self, actions: np.ndarray) -> tuple[dict[str, np.ndarray], Any, Any, Any, Any]:
        """Plays an action in every game."""
        observations, rewards, ends, truncations, _ = self.env.step(actions)
        scaled = (self.reward_scale * rewards).astype(np.float32)
        return self._read(observations), scaled, ends, truncations, {}

    def _read(self, observation: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        parts = {name: observation[name] for name in self.observed}
        parts["action_mask"] = parts["action_mask"][..., : self.rows]
        return parts


def measured(network: ActionRater, num_games: int) -> np.ndarray:
    """The final scores of greedy games: float64[num_games]."""
    games = Games(num_games, AutoresetMode.NEXT_STEP, 1.0, type(network))
    scores, is_over = np.zeros(num_games), np.zeros(num_games, dtype=np.bool_)
    observation, _ = games.reset(seed=FIRST_SEED)
    while not is_over.all():
        observation, rewards, ends, _, _ = games.step(network.best(observation))
        scores += np.where(is_over, 0, rewards)
        is_over |= ends
    return scores


def arguments(description: str) -> argparse.Namespace:
    """The arguments of the command line of a baseline, and beside them the sizes of the run.

    The folder ``out`` is made.
    """
    parser = argparse.ArgumentParser(
        description=description.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--seconds", type=float, default=600, help="processor time of training")
    parser.add_argument("--seed", type=int, default=0, help="of the games and the network, 0 to 99")
    parser.add_argument("--out", type=Path, default=Path("results/baselines"), help="folder")
    parser.add_argument("--quick", action="store_true", help="a second, with few games")
    args = parser.parse_args()
    if not 0 < args.seconds < math.inf:
        parser.error(f"--seconds must be a number greater than 0, got {args.seconds:g}")
    if not 0 <= args.seed < 100:
        parser.error(f"--seed must be an integer in [0, 99], got {args.seed}")
    args.num_envs, args.num_games = NUM_ENVS, NUM_GAMES
    if args.quick:
        args.seconds, args.num_envs, args.num_games = 1.0, 8, 4
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # a second thread helps on an idle machine and harms on a busy one
    torch.manual_seed(args.seed)
    return args


class Training:
    """The clock, the measurements and the files of a training.

    Files in ``args.out``: ``NAME-SEED.csv`` has a row for each measurement, and ``NAME-SEED.npz``
    the network; both are written after each measurement. A training that was interrupted begins
    anew.
    """

    def __init__(self, name: str, args: argparse.Namespace) -> None:
        self.name, self.args = name, args
        self.rows: list[dict[str, Any]] = []
        self.begin = time.process_time()
        self.due = min(INTERVAL, args.seconds)
        self.bar = progress_bar(total=round(args.seconds), desc=f"{name}, seconds")

    @property
    def seconds(self) -> float:
        """Processor time of the training so far, without the measurements."""
        return time.process_time() - self.begin

    @property
    def progress(self) -> float:
        """The share of the budget that is used, in [0, 1]."""
        return min(1.0, self.seconds / self.args.seconds)

    @property
    def first_seed(self) -> int:
        """The seed of the first game; the seeds of the games of all trainings differ."""
        return NUM_ENVS * self.args.seed

    def goes_on(self, network: ActionRater, steps: int) -> bool:
        """Whether there is budget left; measures the network if that is due and it has learned.

        `steps` is the number of actions that the learner has made in games.
        """
        seconds = self.seconds
        if seconds < self.due or steps == 0:  # to make a learner may take longer than a second
            return True
        self._measure(network, steps, seconds)
        self.begin += self.seconds - seconds
        self.bar.update(round(seconds) - self.bar.n)
        self.due = min(seconds + INTERVAL, self.args.seconds)
        return seconds < self.args.seconds

    def _measure(self, network: ActionRater, steps: int, seconds: float) -> None:
        scores = measured(network, self.args.num_games)
        row = {
            "name": self.name,
            "seed": self.args.seed,
            "seconds": round(seconds, 1),
            "steps": steps,
            "mean": round(float(scores.mean()), 3),
            "half_width": round(half_width(pd.Series(scores)), 3),
        }
        self.rows.append(row)
        stem = f"{self.name}-{self.args.seed}"
        write_table(self.args.out / f"{stem}.csv", pd.DataFrame(self.rows))
        network.save(self.args.out / f"{stem}.npz")
        print(f"{seconds:5.0f} s, {steps:>9,} steps, score {row['mean']:.1f}", flush=True)
