"""The native vector environment for Stable-Baselines3 (extra ``rl``)."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from agents.checks import check_number, extra

with extra("rl", __name__):
    from stable_baselines3.common.vec_env import VecEnv

Arrays = dict[str, NDArray[Any]]


class NativeVecEnv(VecEnv):
    """Many games, stepped in C, as a ``VecEnv`` of Stable-Baselines3 and sb3-contrib.

    It is the place of ``make_vec_env("Carcassonne-1p-3m-d", 64)`` and many times as fast. It gives
    ``info["episode"]`` itself, so that no ``Monitor`` is needed, and MaskablePPO finds its masks:

    >>> from carcassonne_env.sb3 import NativeVecEnv
    >>> envs = NativeVecEnv("Carcassonne-1p-3m-d", 64, action_mode="two_step", reward="virtual")
    >>> from sb3_contrib import MaskablePPO
    >>> learner = MaskablePPO("MultiInputPolicy", envs, n_steps=48)

    Args:
        env_id: The id of an environment of this package.
        num_envs: Number of games.
        reward_scale: The factor by which the learner's rewards are multiplied, because networks
            learn small numbers more easily. The returns in ``info["episode"]`` are without it.
        settings: Further arguments of ``CarcassonneVectorEnv``, but for ``autoreset_mode`` and
            ``self_play``.

    Raises:
        ImportError: If Stable-Baselines3 is not installed.
        TypeError: If a setting is unknown or has the wrong type.
        ValueError: If a setting is out of range.
    """

    def __init__(
        self, env_id: str, num_envs: int, *, reward_scale: float = 1.0, **settings: Any
    ) -> None:
        check_number("reward_scale", reward_scale, 0, np.inf, is_open=True)
        if settings.get("self_play"):
            raise ValueError(
                "self_play must be False: to the algorithms of Stable-Baselines3, all steps of a "
                "game belong to one player"
            )
        self.envs: Any = gymnasium.make_vec(
            env_id, num_envs=num_envs, autoreset_mode="SameStep", **settings
        )
        self.reward_scale = reward_scale
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, dtype=np.int64)
        self._masks = np.empty(0)
        self._actions = np.empty(0)
        super().__init__(
            num_envs, self.envs.single_observation_space, self.envs.single_action_space
        )

    def reset(self) -> Arrays:
        """Starts all games, with the seeds of `seed`."""
        observations: Arrays = self.envs.reset(seed=self._seeds)[0]
        self._reset_seeds()
        self._masks = observations["action_mask"]
        self._returns[:] = self._lengths[:] = 0
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keeps the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Arrays, NDArray[Any], NDArray[Any], list[dict[str, Any]]]:
        """Plays the actions of `step_async`; a finished game begins anew at once."""
        observations, rewards, is_over, _, infos = self.envs.step(self._actions)
        self._masks = observations["action_mask"]
        self._returns += rewards
        self._lengths += 1
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(is_over).tolist():
            told[i] = {
                "terminal_observation": infos["final_obs"][i],
                "episode": {"r": float(self._returns[i]), "l": int(self._lengths[i])},
            }
            self._returns[i] = self._lengths[i] = 0
        return observations, (self.reward_scale * rewards).astype(np.float32), is_over, told

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """The results of a method of the games, see ``CarcassonneVectorEnv.call``."""
        if method_name == "action_masks" and len(self._masks):
            values: Any = self._masks  # those of the last observations, already computed
        else:
            values = self.envs.call(method_name, *method_args, **method_kwargs)
        return [values[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The values of an attribute of the games, see ``CarcassonneVectorEnv.get_attr``."""
        values = self.envs.get_attr(attr_name)
        return [values[i] for i in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Whether games have an attribute, also before the first reset."""
        return attr_name == "action_masks" or super().has_attr(attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raises AttributeError, because games in C have no attributes to set."""
        self.envs.set_attr(attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """False for all games, because none is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Closes the environment; further steps are refused."""
        self.envs.close()
