"""How fast networks play themselves: on batched seats, and one game at a time.

``python tests/bench_self_play.py`` prints a table. The same network, without training, plays both
seats of the game of ``examples/self_play.py``, and takes the action that it rates best. On batched
seats, it is the learner and the rival of `RivalsVecEnv`. One game at a time is the usual loop of
PettingZoo: ``agent_iter``, ``last``, ``predict``, ``step``. Steps are the actions of both seats.
The two ways take turns, and the time is that of the processor (``--wall``: of the clock). The ratio
is that of the best rates.

``--training`` measures all that `self_play.py` does: half of the rivals are MCTS, and PPO learns.
One by one, 64 games in the environment of PettingZoo are stepped one after the other, but the
learner's network is asked once for all. Steps are then the learner's.
"""

from __future__ import annotations

import argparse
import copy
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecEnv

import carcassonne_env
from agents import MCTS
from carcassonne_env import PolicyAgent
from carcassonne_env.sb3 import RivalsVecEnv, without_copies

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from carcassonne_learner import SETTINGS, LegalActions, learner
from self_play import EXPLORATION

NAME = "Carcassonne-2p-7m-s"
GAME = {"num_meeples": 3, "tiles": "small"}


class MaskedOnce(MaskableMultiInputActorCriticPolicy):
    """The policy of sb3-contrib with the distribution of the examples."""

    def _build(self, lr_schedule: Any) -> None:
        self.action_dist = LegalActions(self.action_space.n)
        super()._build(lr_schedule)


def of_example(envs: VecEnv) -> Any:
    """The network of `self_play.py`."""
    return learner(envs, batch_size=2, seed=0).policy


def small(policy_class: Any, envs: VecEnv) -> Any:
    """A network of two small layers, as sb3-contrib makes it."""
    return MaskablePPO(policy_class, envs, n_steps=2, seed=0, device="cpu").policy


MODES = {mode: {"action_mode": mode} for mode in ("flat", "two_step", "index")}
ROWS = {
    **{f"self_play.py --features {f}": (of_example, values) for f, values in SETTINGS.items()},
    **{f"MultiInputPolicy, {m}": (partial(small, "MultiInputPolicy"), MODES[m]) for m in MODES},
    **{f"the same, masked once, {m}": (partial(small, MaskedOnce), MODES[m]) for m in MODES},
}
"""The maker of the network, and the settings of the environment."""


def one_by_one(policy: Any, settings: dict[str, Any]) -> Callable[[int], int]:
    """Plays games one after the other, and returns the number of steps."""
    env = carcassonne_env.env(**GAME, **settings)
    env.reset(seed=0)

    def play(size: int) -> int:
        steps = 0
        while steps < size:
            env.reset()
            for _ in env.agent_iter():
                observation, _, is_over, _, _ = env.last()
                if is_over:
                    break
                masks = observation["action_mask"]
                env.step(policy.predict(observation, action_masks=masks, deterministic=True)[0])
                steps += 1
        return steps

    return play


def on_batched_seats(policy: Any, settings: dict[str, Any], num_envs: int) -> Callable[[int], int]:
    """Plays many games at once, and returns the number of steps."""
    choose = without_copies(policy)
    count = 0

    def chosen(observations: Any, infos: Any) -> Any:
        nonlocal count
        count += len(infos["action_mask"])
        return choose(observations, infos)

    envs = RivalsVecEnv(NAME, num_envs, [chosen], **GAME, **settings)
    envs.seed(0)
    observations = envs.reset()

    def play(size: int) -> int:
        nonlocal count, observations
        count = 0
        while count < size:
            observations = envs.step(chosen(observations, observations))[0]
        return count

    return play


class Seat(gymnasium.Env):
    """One seat of the environment of PettingZoo, drawn in each game like the rival in the other."""

    def __init__(self, settings: dict[str, Any], rivals: list[Any]) -> None:
        self.game = carcassonne_env.env(**GAME, **settings, reward="virtual")
        self.rivals = rivals
        self.observation_space = self.game.observation_space("player_0")
        self.action_space = self.game.action_space("player_0")

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Starts a game."""
        super().reset(seed=seed)
        self.game.reset(seed=seed)
        self.seat = self.game.possible_agents[self.np_random.integers(2)]
        self.rival = self.rivals[self.np_random.integers(len(self.rivals))]
        return self._reply(0.0)[::4]

    def step(self, action: Any) -> Any:
        """Plays an action and the rival's turn."""
        self.game.step(action)
        return self._reply(self.game.rewards[self.seat])

    def action_masks(self) -> Any:
        """The mask of legal actions, for MaskablePPO."""
        return self.game.observe(self.seat)["action_mask"]

    def _reply(self, gain: float) -> Any:
        """Plays until the learner is to move; returns what `step` returns."""
        while not (is_over := self.game.terminations[self.seat]):
            if self.game.agent_selection == self.seat:
                break
            self.game.step(self.rival.act(self.game))
            gain += self.game.rewards[self.seat]
        return self.game.observe(self.seat), gain, is_over, False, {}


def training(settings: dict[str, Any], num_envs: int, *, is_batched: bool) -> Callable[[int], int]:
    """Trains, and returns the number of steps."""
    rivals: list[Any] = [MCTS(10, c=EXPLORATION, seed=0)]
    if is_batched:
        envs = RivalsVecEnv(NAME, num_envs, rivals, reward="virtual", **GAME, **settings)
    else:
        envs = make_vec_env(lambda: Seat(settings, rivals), num_envs, seed=0)
    model = learner(envs, batch_size=512, seed=0)
    earlier = copy.deepcopy(model.policy)
    if is_batched:
        envs.add_rival(earlier)
    else:
        rivals.append(PolicyAgent(earlier, carcassonne_env.env(**GAME, **settings)))
    return lambda size: model.learn(size).num_timesteps


def ways(
    make: Callable[[VecEnv], Any], settings: dict[str, Any], sizes: list[int], *, is_training: bool
) -> list[Callable[[int], int]]:
    """Plays or trains one by one, and then with each number of games at once."""
    if is_training:
        batched = [training(settings, n, is_batched=True) for n in sizes]
        return [training(settings, 64, is_batched=False), *batched]
    policy = make(RivalsVecEnv(NAME, 1, ["random"], **GAME, **settings))
    return [
        one_by_one(policy, settings),
        *(on_batched_seats(policy, settings, n) for n in sizes),
    ]


def rate(play: Callable[[int], int], size: int, clock: Callable[[], float]) -> float:
    """Steps a second."""
    start = clock()
    return play(size) / (clock() - start)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num-envs", type=int, nargs="*", default=[64, 256], help="games at once")
    parser.add_argument("--rounds", type=int, default=5, help="of each way to play")
    parser.add_argument("--steps", type=int, default=5_000, help="of a round on batched seats")
    parser.add_argument("--training", action="store_true", help="measure training as a whole")
    parser.add_argument("--wall", action="store_true", help="time by the clock")
    parser.add_argument("--core", type=int, help="processor to run on")
    args = parser.parse_args()
    if args.core is not None:
        os.sched_setaffinity(0, {args.core})
    torch.set_num_threads(1)
    clock = time.perf_counter if args.wall else time.process_time
    head = " ".join(f"{f'{n} games':>11} {'ratio':>5}" for n in args.num_envs)
    print(f"{'steps a second':32} {'one by one':>10} {head}")
    for name, (make, settings) in ROWS.items():
        if args.training and make is not of_example:
            continue
        plays = ways(make, settings, args.num_envs, is_training=args.training)
        steps = [args.steps // 10, *(args.steps for _ in args.num_envs)]
        rates = [
            [rate(play, size, clock) for play, size in zip(plays, steps, strict=True)]
            for _ in range(args.rounds)
        ]
        base, *batched = (max(values) for values in zip(*rates, strict=True))
        row = " ".join(f"{value:11,.0f} {value / base:5.1f}" for value in batched)
        print(f"{name:32} {base:10,.0f} {row}", flush=True)


if __name__ == "__main__":
    main()
