"""What ``gymnasium.make_vec`` calls for the registered ids."""

from __future__ import annotations

from typing import Any

from .vector_env import CarcassonneVectorEnv


def vector_env(
    num_envs: int = 1, *, max_episode_steps: int | None = None, **settings: Any
) -> CarcassonneVectorEnv:
    """Makes a `CarcassonneVectorEnv`, which takes all arguments but the limit of steps.

    Args:
        num_envs: Number of games.
        max_episode_steps: The limit of the registered ids, which ``make_vec`` hands over. It has no
            effect: the vector environment truncates no game.
        settings: Further arguments of `CarcassonneVectorEnv`.
    """
    return CarcassonneVectorEnv(num_envs, **settings)
