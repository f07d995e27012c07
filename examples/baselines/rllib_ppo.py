"""PPO of RLlib (its new API) on the vector environment.

    cd examples && python -m baselines.rllib_ppo

RLlib makes the vector environment itself, once it has a name, and steps it in this process. Needs
``ray[rllib]`` and the extra ``experiments``.
"""

from __future__ import annotations

import math
from typing import Any

import ray
import torch
from gymnasium.vector import AutoresetMode
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.tune import register_env

from baselines import hyperparameters as ppo
from baselines.common import Games, Training, arguments
from baselines.network import Critic, Rater, sizes_of


class Networks(TorchRLModule, ValueFunctionAPI):
    """Both networks; the logits of illegal actions are masked already."""

    def setup(self) -> None:
        """Makes the networks."""
        sizes = sizes_of(self.observation_space)
        self.rater, self.critic = Rater(*sizes), Critic(sizes[-1])

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, torch.Tensor]:
        return {Columns.ACTION_DIST_INPUTS: self.rater(batch[Columns.OBS])}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """Returns float[batch]."""
        return self.critic(batch[Columns.OBS])


def learner(num_envs: int, seed: int) -> PPO:
    """The learner of RLlib with the hyperparameters of all baselines."""
    register_env("games", lambda options: Games(options["num_envs"], AutoresetMode.NEXT_STEP))
    config = (
        PPOConfig()
        .environment("games", disable_env_checking=True)
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=num_envs,
            rollout_fragment_length=ppo.NUM_STEPS,
            gym_env_vectorize_mode="vector_entry_point",
        )
        .learners(num_learners=0)
        .training(
            train_batch_size_per_learner=num_envs * ppo.NUM_STEPS,
            minibatch_size=min(ppo.BATCH_SIZE, num_envs * ppo.NUM_STEPS),
            num_epochs=ppo.EPOCHS,
            lr=ppo.LEARNING_RATE,
            gamma=ppo.GAMMA,
            lambda_=ppo.GAE_LAMBDA,
            clip_param=ppo.CLIP,
            vf_clip_param=math.inf,
            vf_loss_coeff=ppo.VALUE_WEIGHT,
            entropy_coeff=ppo.ENTROPY_WEIGHT,
            use_kl_loss=False,
            grad_clip=ppo.MAX_GRADIENT,
        )
        .rl_module(rl_module_spec=RLModuleSpec(module_class=Networks))
        .debugging(seed=seed)
    )
    return config.build_algo()


def main() -> None:
    args = arguments(__doc__)
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    training = Training("rllib_ppo", args)
    algorithm, steps = learner(args.num_envs, training.first_seed), 0
    while training.goes_on(algorithm.get_module().rater, steps):
        result = algorithm.train()
        steps = int(result["num_env_steps_sampled_lifetime"])
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
