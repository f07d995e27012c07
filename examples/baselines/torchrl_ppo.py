"""PPO of torchrl: its collector, its advantages and its loss, on the vector environment.

    cd examples && python -m baselines.torchrl_ppo

torchrl resets the games itself, so the vector environment does not. Needs the extras ``rl`` and
``experiments``.
"""

from __future__ import annotations

import torch
from gymnasium.vector import AutoresetMode
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torch.distributions import Categorical
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper
from torchrl.modules import ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from baselines import hyperparameters as ppo
from baselines.common import Games, Training, arguments
from baselines.network import OBSERVED, Critic, Rater, sizes_of


class OfParts(nn.Module):
    """A network as a function of the parts of observations, in batches of any shape."""

    def __init__(self, network: Rater | Critic) -> None:
        super().__init__()
        self.network = network

    def forward(self, *parts: torch.Tensor) -> torch.Tensor:
        """Returns float[batch, rows], or float[batch, 1] of values."""
        batch = parts[0].shape[:-1]
        flat = (part.flatten(0, len(batch) - 1) for part in parts)
        return self.network(dict(zip(OBSERVED, flat, strict=True))).reshape(*batch, -1)


def main() -> None:
    args = arguments(__doc__)
    games = Games(args.num_envs, AutoresetMode.DISABLED)
    envs = GymWrapper(games, categorical_action_encoding=True)
    sizes = sizes_of(games.single_observation_space)
    rater = Rater(*sizes)
    actor = ProbabilisticActor(
        TensorDictModule(OfParts(rater), in_keys=list(OBSERVED), out_keys=["logits"]),
        in_keys=["logits"],
        distribution_class=Categorical,
        distribution_kwargs={"validate_args": False},
        return_log_prob=True,
    )
    critic = ValueOperator(OfParts(Critic(sizes[-1])), in_keys=list(OBSERVED))
    advantages = GAE(gamma=ppo.GAMMA, lmbda=ppo.GAE_LAMBDA, value_network=critic)
    loss = ClipPPOLoss(
        actor,
        critic,
        clip_epsilon=ppo.CLIP,
        entropy_coeff=ppo.ENTROPY_WEIGHT,
        critic_coeff=ppo.VALUE_WEIGHT,
        loss_critic_type="l2",
        normalize_advantage=True,
    )
    optimizer = torch.optim.Adam(loss.parameters(), lr=ppo.LEARNING_RATE, eps=1e-5)
    training = Training("torchrl_ppo", args)
    envs.set_seed(training.first_seed)
    frames = args.num_envs * ppo.NUM_STEPS
    collector = Collector(
        envs,
        actor,
        frames_per_batch=frames,
        total_frames=-1,
        auto_register_policy_transforms=True,
    )
    for number, rollout in enumerate(collector, start=1):
        learn(loss, optimizer, advantages, rollout)
        if not training.goes_on(rater, number * frames):
            break
    collector.shutdown()


def learn(
    loss: ClipPPOLoss, optimizer: torch.optim.Optimizer, advantages: GAE, rollout: TensorDict
) -> None:
    """Improves the network by the steps of a rollout, in some epochs of random batches."""
    with torch.no_grad():
        advantages(rollout)
    steps = rollout.exclude("next", "collector").flatten()
    for _ in range(ppo.EPOCHS):
        for indices in torch.randperm(len(steps)).split(ppo.BATCH_SIZE):
            losses = loss(steps[indices])
            optimizer.zero_grad()
            sum(
                losses[name] for name in ("loss_objective", "loss_critic", "loss_entropy")
            ).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), ppo.MAX_GRADIENT)
            optimizer.step()


if __name__ == "__main__":
    main()
