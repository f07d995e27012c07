"""The learner of maskable_ppo.py and self_play.py: two networks for Carcassonne in MaskablePPO.

One network rates every placement by its neighbourhood on the board. The other one, of
baselines/network.py, rates an action by the terms of Carcassonne's outlook that it changes.
`SETTINGS` has the observations that they need. Needs the extra ``rl``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBuffer
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import nn
from torch.distributions import Categorical

from baselines import hyperparameters as ppo, network
from baselines.network import Actions, Rater, actions_of, sizes_of, vector_of
from carcassonne_env.encoding import PLANES

SETTINGS = {
    "none": {"action_mode": "two_step"},
    "position": {"action_mode": "two_step", "observation": "features"},
    "actions": network.SETTINGS,
}
"""Settings of the environment by the features that the network sees."""
CHANNELS = 32


def vector_size(observation_space: gymnasium.spaces.Dict) -> int:
    """The size of `vector_of`."""
    parts = [observation_space.spaces.get(name) for name in ("vector", "features")]
    return sum(part.shape[0] for part in parts if part is not None)


# --- The network for boards ---


class Board(NamedTuple):
    """The extractor's output for the heads: features of the cells in a window of each board."""

    cells: torch.Tensor
    """float[batch, CHANNELS, rows, columns]"""
    chosen: torch.Tensor
    """float[batch, CHANNELS], the features of the cell chosen in the first step"""
    vector: torch.Tensor
    places: tuple[torch.Tensor, torch.Tensor, torch.Tensor]
    """For each cell of each window, the indices of board, row and column"""


class Extractor(BaseFeaturesExtractor):
    """Three convolutions over the planes; the vector is added to the features of every cell."""

    def __init__(self, observation_space: gymnasium.spaces.Dict) -> None:
        super().__init__(observation_space, features_dim=1)
        planes = observation_space["observation"]
        self.of_planes = nn.Conv2d(planes.shape[0], CHANNELS, 3, padding=1)
        self.of_vector = nn.Linear(vector_size(observation_space), CHANNELS)
        self.deeper = nn.ModuleList(nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1) for _ in range(2))

    def forward(self, observation: dict[str, torch.Tensor]) -> Board:
        """The features of a batch of observations."""
        places = used_places(observation["observation"])
        planes = observation["observation"].permute(0, 2, 3, 1)[places].float().permute(0, 3, 1, 2)
        vector = vector_of(observation)
        cells = torch.relu(self.of_planes(planes) + self.of_vector(vector)[:, :, None, None])
        for convolution in self.deeper:
            cells = cells + torch.relu(convolution(cells))
        chosen = (cells * planes[:, len(PLANES), None]).sum((2, 3))
        return Board(cells, chosen, vector, places)


def used_places(planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The places of a window of each board, of the smallest size that holds all open cells."""
    is_open = planes[:, PLANES.index("open cell")] > 0
    rows, columns = used_range(is_open.any(2)), used_range(is_open.any(1))
    boards = torch.arange(len(planes), device=planes.device)
    return boards[:, None, None], rows[:, :, None], columns[:, None, :]


def used_range(is_used: torch.Tensor) -> torch.Tensor:
    """For each row, a range that holds the used indices: int[batch, length]."""
    width = is_used.shape[1]
    first, end = is_used.int().argmax(1), width - is_used.flip(1).int().argmax(1)
    length = int((end - first).amax())
    indices = torch.arange(length, device=is_used.device)
    return first.clamp(max=width - length)[:, None] + indices


class Heads(nn.Module):
    """Logits of all actions, each from the features of its cell, and features for the value."""

    def __init__(self, observation_space: gymnasium.spaces.Dict) -> None:
        super().__init__()
        size = vector_size(observation_space)
        self.width = observation_space["observation"].shape[-1]
        self.placement = nn.Conv2d(CHANNELS, 4, 1)
        self.slot = nn.Sequential(nn.Linear(CHANNELS + size, 64), nn.ReLU(), nn.Linear(64, 9))
        self.value = nn.Sequential(nn.Linear(2 * CHANNELS + size, 128), nn.ReLU())
        self.latent_dim_vf = 128
        for layer in (self.placement, self.slot[-1]):
            nn.init.normal_(layer.weight, std=0.01)  # at first all actions are about equally likely

    def forward(self, board: Board) -> tuple[torch.Tensor, torch.Tensor]:
        """The logits and the features for the value."""
        return self.forward_actor(board), self.forward_critic(board)

    def forward_actor(self, board: Board) -> torch.Tensor:
        """Returns float[batch, actions]."""
        logits = board.cells.new_zeros(len(board.cells), self.width, self.width, 4)
        logits[board.places] = self.placement(board.cells).permute(0, 2, 3, 1)
        slots = self.slot(torch.cat([board.chosen, board.vector], dim=1))
        return torch.cat([logits.flatten(1), slots], dim=1)

    def forward_critic(self, board: Board) -> torch.Tensor:
        """Returns float[batch, latent_dim_vf]."""
        total = board.cells.sum((2, 3)) / 100
        return self.value(torch.cat([total, board.cells.amax((2, 3)), board.vector], dim=1))


# --- The network for actions with features ---


class ActionExtractor(BaseFeaturesExtractor):
    """Takes what the network needs from the observations, without layers of its own."""

    def __init__(self, observation_space: gymnasium.spaces.Dict) -> None:
        super().__init__(observation_space, features_dim=1)
        self.num_rows = observation_space["afterstates"].shape[0]

    def forward(self, observation: dict[str, torch.Tensor]) -> Actions:
        """The legal actions of a batch of observations."""
        return actions_of(observation, self.num_rows)


class ActionHeads(Rater):
    """Logits of the legal actions, from what each changes, and features for the value."""

    def __init__(self, observation_space: gymnasium.spaces.Dict) -> None:
        super().__init__(*sizes_of(observation_space))
        self.value = nn.Sequential(nn.Linear(vector_size(observation_space), 128), nn.ReLU())
        self.latent_dim_vf = 128

    def forward(self, actions: Actions) -> tuple[torch.Tensor, torch.Tensor]:
        """The logits and the features for the value."""
        return self.forward_actor(actions), self.forward_critic(actions)

    def forward_actor(self, actions: Actions) -> torch.Tensor:
        """Returns float[batch, rows]; 0 for illegal actions, which are masked."""
        return self.ratings(actions)

    def forward_critic(self, actions: Actions) -> torch.Tensor:
        """Returns float[batch, latent_dim_vf]."""
        return self.value(actions.vector)


class LegalRows(MaskableDictRolloutBuffer):
    """A buffer of what this network reads: of the afterstates only those of legal actions."""

    def reset(self) -> None:
        """Empties the buffer."""
        super().reset()
        for name in ("observation", "actions", "afterstates"):
            del self.observations[name]
        self.afterstates: list[list[np.ndarray]] = []  # of each step and game

    def add(self, obs: dict[str, np.ndarray], *args: Any, **kwargs: Any) -> None:
        """Adds a step of all games."""
        super().add(obs, *args, **kwargs)
        is_legal = obs["action_mask"][:, : obs["afterstates"].shape[1]] == 1
        ends = is_legal.sum(axis=1).cumsum()
        self.afterstates.append(np.split(obs["afterstates"][is_legal], ends[:-1]))

    def _get_samples(self, batch_inds: np.ndarray, env: Any = None) -> Any:
        samples = super()._get_samples(batch_inds, env)
        games, steps = np.divmod(batch_inds, self.buffer_size)
        rows = [self.afterstates[i][game] for i, game in zip(steps, games, strict=True)]
        samples.observations["afterstates"] = self.to_torch(np.concatenate(rows))
        return samples


# --- Learning ---


class LegalActions(MaskableCategoricalDistribution):
    """The distribution of sb3-contrib, over the legal actions that have logits.

    It is normalised once in place of three times, and not at all for the most likely action.
    """

    def proba_distribution(self, action_logits: torch.Tensor) -> LegalActions:
        """Keeps the logits for `apply_masking`."""
        self.logits = action_logits
        self._normalised: Categorical | None = None
        return self

    def apply_masking(self, masks: Any) -> None:
        """Leaves only legal actions."""
        masks = torch.as_tensor(masks, dtype=torch.bool).reshape(len(self.logits), -1)
        self.logits = self.logits.masked_fill(~masks[:, : self.logits.shape[1]], -1e8)
        self._normalised = None

    @property
    def distribution(self) -> Categorical:  # type: ignore[override]
        """The same in PyTorch."""
        if self._normalised is None:
            self._normalised = Categorical(logits=self.logits, validate_args=False)
        return self._normalised

    def mode(self) -> torch.Tensor:
        """The most likely actions."""
        return self.logits.argmax(dim=1)


class Policy(MaskableMultiInputActorCriticPolicy):
    """Either network as a policy of sb3-contrib; the heads compute the logits themselves."""

    def extract_features(self, obs: Any, features_extractor: Any = None) -> Any:
        """The extractor's output; only the extractor converts what it reads to float."""
        return self.features_extractor(obs)

    def get_distribution(self, obs: Any, action_masks: Any = None) -> LegalActions:
        """The distribution of the actions, without the values."""
        latent = self.mlp_extractor.forward_actor(self.extract_features(obs))
        distribution = self._get_action_dist_from_latent(latent)
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return distribution

    def _build(self, lr_schedule: Any) -> None:
        self.action_dist = LegalActions(self.action_space.n)
        heads = ActionHeads if "afterstates" in self.observation_space.spaces else Heads
        self.mlp_extractor = heads(self.observation_space)
        self.action_net = nn.Identity()
        self.value_net = nn.Linear(self.mlp_extractor.latent_dim_vf, 1)
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


def learner(envs: VecEnv, batch_size: int, seed: int) -> MaskablePPO:
    """MaskablePPO with the network for the observations, and its hyperparameters."""
    has_afterstates = "afterstates" in envs.observation_space.spaces
    return MaskablePPO(
        Policy,
        envs,
        n_steps=ppo.NUM_STEPS,
        batch_size=batch_size,
        n_epochs=ppo.EPOCHS,
        gamma=ppo.GAMMA,
        gae_lambda=ppo.GAE_LAMBDA,
        clip_range=ppo.CLIP,
        vf_coef=ppo.VALUE_WEIGHT,
        ent_coef=ppo.ENTROPY_WEIGHT,
        max_grad_norm=ppo.MAX_GRADIENT,
        learning_rate=ppo.LEARNING_RATE,
        policy_kwargs={
            "features_extractor_class": ActionExtractor if has_afterstates else Extractor
        },
        rollout_buffer_class=LegalRows if has_afterstates else None,
        seed=seed,
    )
