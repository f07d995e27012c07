"""The network that rates actions of Carcassonne by the tiles on the board, in plain PyTorch.

It knows nothing but what lies where: attention collects what a tile and an action have around them.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from baselines.network import ILLEGAL, SETTINGS, ActionRater, Tensors

WIDTH, HEADS = 64, 4
ANGLES = torch.pi / torch.tensor([2, 4, 8, 16])
"""Of one step along x or y, for each pair of numbers of a head."""
NUM_TYPES, NUM_TURNS, NUM_SLOTS, NUM_KINDS = 24, 4, 16, 5


class Tokens(NamedTuple):
    """The tiles or the legal actions of a batch of boards."""

    rows: torch.Tensor
    """float[tokens, WIDTH], only those that there are"""
    cells: torch.Tensor
    """int[tokens, 2], where they are"""
    mask: torch.Tensor
    """bool[batch, most tokens of a board], where there is one"""

    def by_board(self, rows: torch.Tensor) -> torch.Tensor:
        """What the tokens have, float[tokens, HEADS, size], as float[batch, HEADS, most, size]."""
        blank = rows.new_zeros(*self.mask.shape, *rows.shape[1:])
        return blank.index_put(self.mask.nonzero(as_tuple=True), rows).transpose(1, 2)


class Attention(nn.Module):
    """Multi-head attention to the tiles of a board, by what lies there and by the way to it.

    Queries and keys are turned by angles that are proportional to x and y (Su et al. 2021,
    "RoFormer: enhanced transformer with rotary position embedding"), so their products depend on
    the way from one cell to the other, wherever both are.
    """

    def __init__(self) -> None:
        super().__init__()
        self.queries, self.keys, self.values = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.after = nn.Sequential(nn.Linear(2 * WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))

    def forward(self, tokens: Tokens, tiles: Tokens) -> Tokens:
        """The tokens with what they have around them."""
        found = nn.functional.scaled_dot_product_attention(
            tokens.by_board(turned(self.queries(tokens.rows), tokens.cells)),
            tiles.by_board(turned(self.keys(tiles.rows), tiles.cells)),
            tiles.by_board(self.values(tiles.rows).unflatten(1, (HEADS, -1))),
            tiles.mask[:, None, None],
        )
        around = found.transpose(1, 2)[tokens.mask].flatten(1)
        rows = tokens.rows + self.after(torch.cat([tokens.rows, around], dim=1))
        return tokens._replace(rows=rows)


def turned(rows: torch.Tensor, cells: torch.Tensor) -> torch.Tensor:
    """Rows, float[tokens, WIDTH], turned by cells: float[tokens, HEADS, WIDTH / HEADS]."""
    angles = (cells[:, :, None] * ANGLES).flatten(1)[:, None]
    cos, sin = angles.cos(), angles.sin()
    a, b = rows.unflatten(1, (HEADS, -1)).chunk(2, 2)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=2)


class TileRater(ActionRater):
    """Rates the legal actions by the tiles around them."""

    settings = SETTINGS | {"observation": "tiles"}
    observed = ("vector", "observation", "actions", "action_mask")

    def __init__(self, vector_size: int) -> None:
        super().__init__()
        self.of_tile = nn.Embedding((NUM_TYPES + 1) * NUM_TURNS, WIDTH)
        self.of_meeple = nn.Embedding(2 * NUM_SLOTS, WIDTH)  # the viewer's, and others'
        self.of_feature = nn.Embedding(NUM_KINDS, WIDTH)
        self.of_vector = nn.Linear(vector_size, WIDTH)
        self.tiles, self.actions = Attention(), Attention()
        self.logit = nn.Linear(WIDTH, 1)
        nn.init.normal_(self.logit.weight, std=0.01)  # at first all actions are about equal

    def rate(self, observation: Tensors) -> torch.Tensor:
        """Returns float[batch, num_rows], `ILLEGAL` for illegal actions."""
        tiles = self.tiles_of(observation["observation"])
        actions = self.actions(self.actions_of(observation), self.tiles(tiles, tiles))
        blank = actions.rows.new_full(observation["action_mask"].shape, ILLEGAL)
        places = actions.mask.nonzero(as_tuple=True)
        return blank.index_put(places, self.logit(actions.rows)[:, 0])

    def tiles_of(self, placed: torch.Tensor) -> Tokens:
        """The tiles on the boards."""
        mask = placed[..., 0] > 0
        kind, turns, x, y, slot, owner = placed[mask].long().unbind(1)
        rows = self.of_tile(kind * NUM_TURNS + turns) + self.of_meeple(
            slot + NUM_SLOTS * (owner > 1)
        )
        return Tokens(rows, torch.stack([x, y], dim=1), mask)

    def actions_of(self, observation: Tensors) -> Tokens:
        """The legal actions: the tile drawn, as it would lie, and the meeple."""
        mask, vector = observation["action_mask"] > 0, observation["vector"]
        mask = mask[:, : max(1, int(mask.sum(1).max()))]
        boards = mask.nonzero(as_tuple=True)[0]
        x, y, turns, slot, feature = (
            observation["actions"][:, : mask.shape[1]][mask].long().unbind(1)
        )
        drawn = 1 + vector[:, :NUM_TYPES].argmax(1)[boards]
        rows = self.of_tile(drawn * NUM_TURNS + turns) + self.of_meeple(slot)
        rows = rows + self.of_feature(feature) + self.of_vector(vector)[boards]
        return Tokens(rows, torch.stack([x, y], dim=1), mask)

    def save(self, path: Path) -> None:
        """Writes the weights to an .npz file, which `load` reads."""
        np.savez_compressed(path, **{name: w.numpy() for name, w in self.state_dict().items()})

    def load(self, path: Path) -> None:
        """Reads the weights from a file of `save`."""
        with np.load(path) as arrays:
            self.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
