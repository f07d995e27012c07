"""Carcassonne for RLlib's action-masking models, which expect the key ``observations``.

The wrapper renames one key and flattens the planes and the vector into one array. This script runs
without RLlib. With RLlib, write ``tune.register_env("carcassonne", lambda config: Renamed())``.
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
        super().__init__(gymnasium.make(env_id, action_mode="two_step"))
        parts = self.env.observation_space
        size = int(np.prod(parts["observation"].shape)) + parts["vector"].shape[0]
        self.observation_space = spaces.Dict(
            {
                "observations": spaces.Box(0, 1, (size,), np.float32),
                "action_mask": parts["action_mask"],
            }
        )

    def observation(self, observation: dict[str, np.ndarray]) -> dict[str, Any]:
        """The observation with its new keys."""
        planes = observation["observation"].ravel().astype(np.float32)
        return {
            "observations": np.concatenate([planes, observation["vector"]]),
            "action_mask": observation["action_mask"],
        }


def main() -> None:
    """Plays an episode of random legal actions through the wrapper."""
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
