"""A search tree as a picture: the board, and on it the moves that lead to a node."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.tree_walk import steps

from ..position import PlacedMeeple, PlacedTile
from .rendering import moves_svg


def tree_svg(model: Any, nodes: np.ndarray) -> str:
    """The board at the root, and the move of each node, under its row among the nodes."""
    moves = {
        row: _move(before, action)
        for row, (before, action) in enumerate(steps(nodes, model), start=1)
        if not before.is_chance_node()
    }
    return moves_svg(model.board, model.placed_meeples, moves)


def _move(before: Any, action: int) -> tuple[PlacedTile, PlacedMeeple | None]:
    x, y, rotation, target = before.decode_action(action)
    tile = PlacedTile(before.current_tile, x, y, rotation)
    player = before.current_player()
    return tile, None if target is None else PlacedMeeple(player, x, y, target)
