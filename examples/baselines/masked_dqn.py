"""Double DQN in one file: plain PyTorch on the vector environment.

    cd examples && python -m baselines.masked_dqn

The ratings of actions are their values. Illegal actions have very low ones, so that neither the
player nor the target takes them. van Hasselt et al. (2016), "Deep Reinforcement Learning with
Double Q-learning". Needs PyTorch and the extra ``experiments``.
"""

from __future__ import annotations

import copy

import numpy as np
import torch
from torch import nn

from baselines.common import Games, Training, arguments
from baselines.hyperparameters import GAMMA, MAX_GRADIENT
from baselines.network import OBSERVED, Rater, Tensors, sizes_of

CAPACITY = 1_000
"""Number of the latest steps of each game that are kept."""
WARM_UP = 50
"""Number of steps of each game before the first update; then there is one after each step."""
BATCH_SIZE = 256
LEARNING_RATE = 5e-4
TARGET_RATE = 0.005
"""The share of the network in the target after each update."""
LAST_EPSILON = 0.02
EXPLORATION = 0.3
"""The share of the budget in which the share of random actions falls from 1 to `LAST_EPSILON`."""


class Replay:
    """The latest steps of all games; of the afterstates only the rows of legal actions."""

    def __init__(self, num_envs: int, seed: int) -> None:
        self.num_envs = num_envs
        self.rng = np.random.default_rng(seed)
        self.count = 0
        self.arrays: dict[str, np.ndarray] = {}
        self.rows: list[list[np.ndarray]] = [[] for _ in range(CAPACITY)]

    def add(self, observation: dict[str, np.ndarray], **others: np.ndarray) -> None:
        """Adds what was seen, the actions and what followed: one number for each game."""
        place = self.count % CAPACITY
        is_legal = observation["action_mask"] == 1
        ends = is_legal.sum(axis=1).cumsum()
        self.rows[place] = np.split(observation["afterstates"][is_legal], ends[:-1])
        kept = {name: observation[name] for name in OBSERVED if name != "afterstates"}
        for name, array in {**kept, **others}.items():
            if name not in self.arrays:
                self.arrays[name] = np.zeros((CAPACITY, *array.shape), array.dtype)
            self.arrays[name][place] = array
        self.count += 1

    def sample(self) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
        """Random steps with actions, rewards and ends; and the observations after them."""
        steps = self.rng.integers(max(0, self.count - CAPACITY), self.count - 1, BATCH_SIZE)
        games = self.rng.integers(self.num_envs, size=BATCH_SIZE)
        return self._at(steps % CAPACITY, games), self._at((steps + 1) % CAPACITY, games)

    def _at(self, places: np.ndarray, games: np.ndarray) -> dict[str, torch.Tensor]:
        found = {name: torch.as_tensor(a[places, games]) for name, a in self.arrays.items()}
        rows = [self.rows[i][game] for i, game in zip(places, games, strict=True)]
        return {**found, "afterstates": torch.as_tensor(np.concatenate(rows))}


def main() -> None:
    args = arguments(__doc__)
    envs = Games(args.num_envs)
    network = Rater(*sizes_of(envs.single_observation_space))
    target = copy.deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    replay = Replay(args.num_envs, args.seed)
    training = Training("masked_dqn", args)
    observation, steps = envs.reset(seed=training.first_seed)[0], 0
    while training.goes_on(network, steps):
        epsilon = max(LAST_EPSILON, 1 - training.progress / EXPLORATION)
        actions = choose(network, observation, epsilon)
        after, rewards, ends, _, _ = envs.step(actions)
        replay.add(observation, actions=actions, rewards=rewards, ends=ends)
        observation, steps = after, steps + args.num_envs
        if replay.count >= WARM_UP:
            learn(network, target, optimizer, *replay.sample())


def choose(network: Rater, observation: dict[str, np.ndarray], epsilon: float) -> np.ndarray:
    """The best actions, or with the probability epsilon random legal ones."""
    mask = torch.as_tensor(observation["action_mask"]).float()
    drawn = torch.multinomial(mask, 1)[:, 0].numpy()
    is_random = (torch.rand(len(drawn)) < epsilon).numpy()
    return np.where(is_random, drawn, network.best(observation))


def learn(
    network: Rater,
    target: Rater,
    optimizer: torch.optim.Optimizer,
    steps: Tensors,
    after: Tensors,
) -> None:
    """Moves the values of actions towards those of their rewards and the best actions after."""
    with torch.no_grad():
        best = network(after).argmax(1, keepdim=True)
        values = target(after).gather(1, best)[:, 0]
        wanted = steps["rewards"] + GAMMA * torch.where(steps["ends"], 0.0, values)
    found = network(steps).gather(1, steps["actions"][:, None])[:, 0]
    loss = nn.functional.smooth_l1_loss(found, wanted)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), MAX_GRADIENT)
    optimizer.step()
    with torch.no_grad():
        for kept, new in zip(target.parameters(), network.parameters(), strict=True):
            kept.lerp_(new, TARGET_RATE)


if __name__ == "__main__":
    main()
