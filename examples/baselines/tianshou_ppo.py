"""PPO of tianshou on the vector environment.

    cd examples && python -m baselines.tianshou_ppo

tianshou asks a vector environment for games by their numbers, and takes one array for each game.
Needs tianshou 2 and the extra ``experiments``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from tianshou.algorithm.modelfree.ppo import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import BaseVectorEnv
from tianshou.utils.torch_utils import policy_within_training_step
from torch import nn
from torch.distributions import Categorical

from baselines import hyperparameters as ppo
from baselines.common import Games, Training, arguments
from baselines.network import OBSERVED, Critic, Rater, sizes_of


class Arrays(BaseVectorEnv):
    """The games with one array for each observation, which has all its parts."""

    def __init__(self, games: Games, seed: int) -> None:
        self.games, self.env_num, self.next_seed = games, games.num_envs, seed
        self.is_async = self.is_closed = False

    def get_env_attr(self, key: str, id: Any = None) -> list[Any]:
        """An attribute of the games."""
        return [getattr(self.games, f"single_{key}")] * self.env_num

    def reset(self, env_id: Any = None, **_: Any) -> tuple[np.ndarray, np.ndarray]:
        """Starts all games for the first time, or those with these numbers anew."""
        numbers = np.arange(self.env_num) if env_id is None else np.asarray(env_id)
        mask = np.isin(np.arange(self.env_num), numbers)
        found, _ = self.games.reset(seed=self.next_seed, options={"reset_mask": mask})
        self.next_seed = None
        return flat(found)[numbers], infos(numbers)

    def step(self, action: np.ndarray, id: Any = None) -> Any:
        """Plays an action in all games."""
        found, rewards, ends, truncations, _ = self.games.step(action)
        return flat(found), rewards, ends, truncations, infos(np.arange(self.env_num))


def flat(observation: dict[str, np.ndarray]) -> np.ndarray:
    """All parts of observations: float32[games, size]."""
    parts = [observation[name].reshape(len(observation[name]), -1) for name in OBSERVED]
    return np.concatenate(parts, axis=1, dtype=np.float32)


def infos(numbers: np.ndarray) -> np.ndarray:
    """What tianshou wants to be told about games with these numbers."""
    return np.array([{"env_id": number} for number in numbers.tolist()])


class OfArrays(nn.Module):
    """A network as a function of the arrays of `flat`."""

    def __init__(self, network: Rater | Critic, observation_space: Any) -> None:
        super().__init__()
        self.network = network
        self.shapes = [observation_space[name].shape for name in OBSERVED]

    def parts(self, arrays: Any) -> dict[str, torch.Tensor]:
        """The parts of observations."""
        sizes = [int(np.prod(shape)) for shape in self.shapes]
        found = torch.as_tensor(arrays).split(sizes, dim=1)
        shaped = (part.unflatten(1, shape) for part, shape in zip(found, self.shapes, strict=True))
        return dict(zip(OBSERVED, shaped, strict=True))


class Actor(OfArrays):
    """The logits and, because tianshou wants to have one, a state."""

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Returns float[batch, rows] and the state."""
        return self.network(self.parts(obs)), state


class Values(OfArrays):
    """The values."""

    def forward(self, obs: Any) -> torch.Tensor:
        """Returns float[batch, 1]."""
        return self.network(self.parts(obs))[:, None]


def main() -> None:
    args = arguments(__doc__)
    np.random.seed(args.seed)  # tianshou draws its batches by it
    games = Games(args.num_envs, AutoresetMode.DISABLED)
    space = games.single_observation_space
    sizes = sizes_of(space)
    rater, critic = Rater(*sizes), Critic(sizes[-1])
    policy = DiscreteActorPolicy(
        actor=Actor(rater, space),
        dist_fn=lambda logits: Categorical(logits=logits, validate_args=False),
        action_space=games.single_action_space,
    )
    algorithm = PPO(
        policy=policy,
        critic=Values(critic, space),
        optim=AdamOptimizerFactory(lr=ppo.LEARNING_RATE, eps=1e-5),
        eps_clip=ppo.CLIP,
        vf_coef=ppo.VALUE_WEIGHT,
        ent_coef=ppo.ENTROPY_WEIGHT,
        max_grad_norm=ppo.MAX_GRADIENT,
        gae_lambda=ppo.GAE_LAMBDA,
        max_batchsize=ppo.BATCH_SIZE,
        gamma=ppo.GAMMA,
    )
    training = Training("tianshou_ppo", args)
    frames, steps = args.num_envs * ppo.NUM_STEPS, 0
    buffer = VectorReplayBuffer(frames, args.num_envs)
    collector = Collector(policy, Arrays(games, training.first_seed), buffer)
    collector.reset()
    while training.goes_on(rater, steps):
        with policy_within_training_step(policy):
            collector.collect(n_step=frames)
            algorithm.update(buffer, batch_size=ppo.BATCH_SIZE, repeat=ppo.EPOCHS)
        collector.reset_buffer(keep_statistics=True)
        steps += frames


if __name__ == "__main__":
    main()
