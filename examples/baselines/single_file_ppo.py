"""PPO in one file, in CleanRL's manner: plain PyTorch on the vector environment.

    cd examples && python -m baselines.single_file_ppo

Schulman et al. (2017), "Proximal Policy Optimization Algorithms". Needs PyTorch and the extra
``experiments``.
"""

from __future__ import annotations

from argparse import Namespace
from typing import NamedTuple

import torch
from torch import nn
from torch.distributions import Categorical

from baselines import hyperparameters as ppo
from baselines.common import Games, Training, arguments
from baselines.network import ActionRater, Critic, Rater, Tensors, sizes_of, tensors


class ActorCritic(nn.Module):
    """Both networks."""

    def __init__(self, actor: ActionRater, critic: Critic) -> None:
        super().__init__()
        self.actor, self.critic = actor, critic

    def forward(self, observation: Tensors) -> tuple[Categorical, torch.Tensor]:
        """The policy and the values of a batch of observations."""
        logits = self.actor(observation)
        return Categorical(logits=logits, validate_args=False), self.critic(observation)


class Batch(NamedTuple):
    """Steps of games, with what PPO learns from them; the first dimension is that of the steps."""

    observation: Tensors
    actions: torch.Tensor
    log_probs: torch.Tensor
    """Of the actions, when they were chosen"""
    advantages: torch.Tensor
    returns: torch.Tensor


def main() -> None:
    args = arguments(__doc__)
    envs = Games(args.num_envs)
    sizes = sizes_of(envs.single_observation_space)
    train("single_file_ppo", args, envs, ActorCritic(Rater(*sizes), Critic(sizes[-1])))


def train(name: str, args: Namespace, envs: Games, network: ActorCritic) -> None:
    """Trains both networks until the budget is used."""
    optimizer = torch.optim.Adam(network.parameters(), lr=ppo.LEARNING_RATE, eps=1e-5)
    training = Training(name, args)
    observation, steps = tensors(envs.reset(seed=training.first_seed)[0], envs.observed), 0
    while training.goes_on(network.actor, steps):
        rollout, observation = play(network, envs, observation)
        learn(network, optimizer, rollout)
        steps += len(rollout.actions)


@torch.no_grad()
def play(network: ActorCritic, envs: Games, observation: Tensors) -> tuple[Batch, Tensors]:
    """Plays all games for some steps; returns the steps and the observation after them."""
    seen, told = [], []
    for _ in range(ppo.NUM_STEPS):
        policy, values = network(observation)
        actions = policy.sample()
        after, rewards, is_over, _, _ = envs.step(actions.numpy())
        ends = torch.as_tensor(is_over).float()
        seen.append(observation)
        told.append((actions, policy.log_prob(actions), values, torch.as_tensor(rewards), ends))
        observation = tensors(after, envs.observed)
    actions, log_probs, values, rewards, ends = map(torch.stack, zip(*told, strict=True))
    advantages = advantages_of(rewards, values, ends, network.critic(observation))
    steps = {name: torch.cat([each[name] for each in seen]) for name in observation}
    parts = (actions, log_probs, advantages, advantages + values)
    return Batch(steps, *(part.flatten() for part in parts)), observation


def advantages_of(
    rewards: torch.Tensor, values: torch.Tensor, ends: torch.Tensor, last_values: torch.Tensor
) -> torch.Tensor:
    """Generalised advantage estimates, float[steps, games] as the arguments before the last."""
    advantages = torch.zeros_like(rewards)
    advantage, next_values = torch.zeros_like(last_values), last_values
    for t in reversed(range(len(rewards))):
        goes_on = ppo.GAMMA * (1 - ends[t])
        surprise = rewards[t] + goes_on * next_values - values[t]
        advantage = surprise + goes_on * ppo.GAE_LAMBDA * advantage
        advantages[t], next_values = advantage, values[t]
    return advantages


def learn(network: ActorCritic, optimizer: torch.optim.Optimizer, rollout: Batch) -> None:
    """Improves the network by the steps of a rollout, in some epochs of random batches."""
    for _ in range(ppo.EPOCHS):
        for indices in torch.randperm(len(rollout.actions)).split(ppo.BATCH_SIZE):
            observation = {name: part[indices] for name, part in rollout.observation.items()}
            loss = loss_of(network, Batch(observation, *(part[indices] for part in rollout[1:])))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), ppo.MAX_GRADIENT)
            optimizer.step()


def loss_of(network: ActorCritic, batch: Batch) -> torch.Tensor:
    """The clipped loss of the policy, with those of the values and of the entropy."""
    policy, values = network(batch.observation)
    ratios = (policy.log_prob(batch.actions) - batch.log_probs).exp()
    advantages = batch.advantages - batch.advantages.mean()
    advantages = advantages / (batch.advantages.std() + 1e-8)
    clipped = ratios.clamp(1 - ppo.CLIP, 1 + ppo.CLIP)
    gain = torch.minimum(advantages * ratios, advantages * clipped).mean()
    of_values = nn.functional.mse_loss(values, batch.returns)
    return ppo.VALUE_WEIGHT * of_values - gain - ppo.ENTROPY_WEIGHT * policy.entropy().mean()


if __name__ == "__main__":
    main()
