"""Carcassonne for RLlib's action-masking models, which expect the key ``observations``.

The wrapper only renames a key, because ``observation="flat"`` has everything in one array. This
script runs without RLlib. With RLlib, write
``tune.register_env("carcassonne", lambda config: Renamed())``.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

import carcassonne_env  # noqa: F401  (registers the environments)


class Renamed(gymnasium.ObservationWrapper):
    """Observations with the keys ``observations`` and ``action_mask``."""

    def __init__(self, env_id: str = "Carcassonne-1p-3m-d") -> None:
        super().__init__(
            gymnasium.make(env_id, action_mode="two_step", observation="flat", reward="virtual")
        )
        self.observation_space = spaces.Dict(self.observation(self.env.observation_space))

    def observation(self, observation: Any) -> dict[str, Any]:
        """The observation, or its space, with the new key."""
        return {
            "observations": observation["observation"],
            "action_mask": observation["action_mask"],
        }


def main() -> None:
    env = Renamed()
    observation, info = env.reset(seed=0)
    rng, is_over = np.random.default_rng(0), False
    while not is_over:
        assert observation in env.observation_space
        action = rng.choice(np.flatnonzero(observation["action_mask"]))
        observation, _, is_over, _, info = env.step(int(action))
    print({name: array.shape for name, array in observation.items()}, "score", info["scores"][0])


if __name__ == "__main__":
    main()
