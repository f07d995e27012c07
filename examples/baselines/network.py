"""The network that rates actions of Carcassonne by what they change, in plain PyTorch.

It reads the terms of the outlook now, and after each legal action.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from carcassonne_env.network import save_network

SETTINGS = {"action_mode": "index", "observation": "features", "max_rows": 128}
"""The settings of the environment that it needs.

More than 128 actions are hardly ever legal at once; those beyond are not considered.
"""
OBSERVED = ("vector", "features", "afterstates", "action_mask")
"""The parts of an observation that the network reads."""
TERM_SCALE = 0.1
"""The factor of the terms of the outlook, most of which are points: small numbers are easier."""
ILLEGAL = -1e8
"""The logit and the value of an illegal action; it is finite, so that 0 times it is 0."""

Tensors = Mapping[str, torch.Tensor]


class Actions(NamedTuple):
    """The legal actions of all observations of a batch."""

    changes: torch.Tensor
    """float[actions, terms]: what each action changes"""
    places: tuple[torch.Tensor, torch.Tensor]
    """For each action, the index of the observation and that of the action"""
    vector: torch.Tensor
    """float[batch, size], of the positions"""


def vector_of(observation: Tensors) -> torch.Tensor:
    """The vector of observations, with the terms of the outlook if they are observed."""
    if "features" not in observation:
        return observation["vector"]
    return torch.cat([observation["vector"], TERM_SCALE * observation["features"]], dim=1)


def actions_of(observation: Tensors, num_rows: int) -> Actions:
    """What the network needs of a batch of observations, float[batch, ...].

    The afterstates may be packed: float[actions, terms], only those of the legal actions of all
    observations. Actions beyond `num_rows` are left out.
    """
    places = observation["action_mask"][:, :num_rows].nonzero(as_tuple=True)
    afterstates = observation["afterstates"]
    after = afterstates if afterstates.dim() == 2 else afterstates[places]
    now = observation["features"][places[0], : after.shape[1]]
    return Actions(TERM_SCALE * (after - now), places, vector_of(observation))


class ActionRater(nn.Module):
    """Rates the legal actions of observations."""

    settings: Mapping[str, Any]
    """Those of the environment that it needs"""
    observed: tuple[str, ...]
    """The parts of an observation that it reads"""

    def rate(self, observation: Tensors) -> torch.Tensor:
        """Returns float[batch, num_rows], `ILLEGAL` for illegal actions."""
        raise NotImplementedError

    def forward(self, observation: Tensors) -> torch.Tensor:
        """The same."""
        return self.rate(observation)

    def save(self, path: Path) -> None:
        """Writes the weights to an .npz file."""
        raise NotImplementedError

    @torch.inference_mode()
    def best(self, observation: Mapping[str, Any]) -> np.ndarray:
        """The actions of the highest rating in a batch of arrays: int64[batch]."""
        return self.rate(tensors(observation, self.observed)).argmax(1).numpy()


class Rater(ActionRater):
    """Rates the legal actions, each by what it changes and by the position; see `sizes_of`."""

    settings, observed = SETTINGS, OBSERVED

    def __init__(self, num_rows: int, num_terms: int, size: int) -> None:
        super().__init__()
        self.num_rows = num_rows
        self.of_changes = nn.Linear(num_terms, 64)
        self.of_position = nn.Linear(size, 64)  # once for all actions of a position
        self.rating = nn.Sequential(nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.logit = nn.Linear(64, 1)
        nn.init.normal_(self.logit.weight, std=0.01)  # at first all actions are about equal

    def ratings(self, actions: Actions, illegal: float = 0.0) -> torch.Tensor:
        """Returns float[batch, num_rows], with this number for illegal actions."""
        positions = self.of_position(actions.vector)[actions.places[0]]
        ratings = self.rating(self.of_changes(actions.changes) + positions)
        blank = actions.vector.new_full((len(actions.vector), self.num_rows), illegal)
        return blank.index_put(actions.places, self.logit(ratings)[:, 0])

    def rate(self, observation: Tensors) -> torch.Tensor:
        """Returns float[batch, num_rows], `ILLEGAL` for illegal actions."""
        return self.ratings(actions_of(observation, self.num_rows), ILLEGAL)

    @torch.no_grad()
    def layers(self) -> dict[str, np.ndarray]:
        """The weights as `carcassonne_env.network.save_network` takes them."""
        scale = torch.ones(self.of_position.in_features)
        scale[-(self.of_changes.in_features + 1) :] = TERM_SCALE  # "features" follow on "vector"
        return {
            "of_changes": TERM_SCALE * self.of_changes.weight.numpy(),
            "of_position": (scale * self.of_position.weight).numpy(),
            "bias": (self.of_changes.bias + self.of_position.bias).numpy(),
            "rating": self.rating[1].weight.numpy(),
            "rating_bias": self.rating[1].bias.numpy(),
            "logit": self.logit.weight[0].numpy(),
        }

    def save(self, path: Path, num_tiles: int = 24, num_players: int = 1) -> None:
        """Writes the weights to a file that `carcassonne_env.NetworkAgent` plays.

        `num_tiles` is that of the games, with the start tile.
        """
        save_network(path, num_tiles, num_players, self.layers())


class Critic(nn.Module):
    """The values of positions, which only learners need; `size` is that of `vector_of`."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.value = nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, 1))

    def forward(self, observation: Tensors) -> torch.Tensor:
        """Returns float[batch]."""
        return self.value(vector_of(observation))[:, 0]


def sizes_of(observation_space: Mapping[str, Any]) -> tuple[int, int, int]:
    """The most actions, the number of terms after each, and the size of `vector_of`.

    They are the arguments of `Rater`; `Critic` takes the last.
    """
    num_rows, num_terms = observation_space["afterstates"].shape
    parts = (observation_space[name].shape[0] for name in ("vector", "features"))
    return num_rows, num_terms, sum(parts)


def tensors(
    observation: Mapping[str, Any], observed: tuple[str, ...] = OBSERVED
) -> dict[str, torch.Tensor]:
    """These parts of a batch of arrays; they share the memory."""
    return {name: torch.as_tensor(observation[name]) for name in observed}
