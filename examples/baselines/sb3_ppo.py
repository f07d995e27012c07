"""MaskablePPO of sb3-contrib on the native vector environment.

    cd examples && python -m baselines.sb3_ppo

carcassonne_learner.py makes the learner; maskable_ppo.py is a longer example of it. Needs the
extras ``rl`` and ``experiments``.
"""

from __future__ import annotations

from stable_baselines3.common.callbacks import BaseCallback

from baselines.common import ENV, Training, arguments
from baselines.hyperparameters import BATCH_SIZE, REWARD_SCALE
from baselines.network import SETTINGS
from carcassonne_env.sb3 import NativeVecEnv
from carcassonne_learner import learner


class Measurements(BaseCallback):
    """Measures the network when that is due, and ends the training with its budget."""

    def __init__(self, training: Training) -> None:
        super().__init__()
        self.training = training

    def _on_step(self) -> bool:
        return self.training.goes_on(self.model.policy.mlp_extractor, self.num_timesteps)


def main() -> None:
    args = arguments(__doc__)
    envs = NativeVecEnv(ENV, args.num_envs, reward="virtual", reward_scale=REWARD_SCALE, **SETTINGS)
    training = Training("sb3_ppo", args)
    model = learner(envs, BATCH_SIZE, training.first_seed)
    model.learn(10**9, callback=Measurements(training))


if __name__ == "__main__":
    main()
