"""Observations as the docstring of the environment describes them, slow and obvious."""

from __future__ import annotations

import numpy as np

from carcassonne_env import CarcassonneModel
from carcassonne_env.encoding import PLANES
from carcassonne_env.tiles import BY_LETTER, KINDS, LETTERS, SIDES
from reference import STEPS, neighbour, terrain


def is_inside(x: int, y: int, size: int) -> bool:
    """Whether a cell lies in the square with the start tile at row and column size // 2."""
    return x + size // 2 in range(size) and size // 2 - y in range(size)


def expected_planes(model: CarcassonneModel, viewer: int, mode: str, width: int) -> np.ndarray:
    """The planes of a position as the docstring of the environment describes them."""
    names = (*PLANES, "chosen cell") if mode == "two_step" else PLANES
    planes = {name: np.zeros((width, width), np.int8) for name in names}
    terrains = {"C": "city", "R": "road", "F": "field"}

    def mark(name: str, x: int, y: int) -> None:
        planes[name][(width // 2 - y) % width, (width // 2 + x) % width] = 1

    cells = {(tile.x, tile.y) for tile in model.board}
    shown = [*model.board, *([(model.current_tile, *model.chosen)] if model.chosen else [])]
    for letter, x, y, rotation in shown:
        segments = BY_LETTER[letter].segments
        for side in SIDES:
            mark(f"{terrains[terrain(letter, rotation, side)]} {side}", x, y)
        if any(segment.kind == "cloister" for segment in segments):
            mark("cloister", x, y)
        if any(segment.shields for segment in segments):
            mark("shield", x, y)
    for meeple in model.placed_meeples:
        owner = "own" if meeple.player == viewer else "other"
        mark(f"{owner} meeple on a {meeple.target[0]}", meeple.x, meeple.y)
    for x, y in {neighbour(cell, side) for cell in cells for side in STEPS} - cells:
        if model.board_size is None or is_inside(x, y, model.board_size):
            mark("open cell", x, y)
    if model.chosen:
        mark("chosen cell", *model.chosen[:2])
    elif viewer == model.mover:
        for cell in model.legal_cells:
            mark("legal cell", *cell)
    return np.stack(list(planes.values()))


def expected_vector(model: CarcassonneModel, viewer: int, mode: str, num_tiles: int) -> np.ndarray:
    """The vector of a position as the docstring of the environment describes it."""
    num_left = sum(model.bag.values())
    vector = [float(letter == model.current_tile) for letter in LETTERS]
    vector += [model.bag.get(letter, 0) / max(num_left, 1) for letter in LETTERS]
    for i in range(model.num_players):
        player = (viewer + i) % model.num_players
        vector.append(model.meeples[player] / max(model.num_meeples, 1))
        vector.append(min(1, model.scores[player] / model.max_score()))
        vector.append(min(1, model.virtual_scores[player] / model.max_score()))
    vector.append(num_left / num_tiles)
    if mode == "two_step":
        vector += [float(model.chosen is not None and model.chosen[2] == i) for i in range(4)]
    return np.array(vector, np.float32)


def expected_actions(model: CarcassonneModel, num_rows: int) -> np.ndarray:
    """The rows of the mode "index" as the docstring of the environment describes them."""
    rows = np.zeros((num_rows, 5), np.int8)
    for row, action in zip(rows, model.legal_actions(), strict=False):
        move, slot = model.decode_action(action), action % 9
        kind = 0 if move.target is None else 1 + KINDS.index(move.target[0])
        row[:] = move.x, move.y, move.rotation, slot, kind
    return rows


def expected_observation(
    model: CarcassonneModel, viewer: int, mode: str, num_tiles: int, width: int, num_actions: int
) -> dict[str, np.ndarray]:
    """What a player sees of a game of at most so many tiles."""
    legal = model.legal_actions().tolist() if viewer == model.current_player() else []
    mask = np.zeros(num_actions, np.int8)
    mask[[expected_number(model, mode, width, action) for action in legal]] = 1
    assert mask.sum() == len(legal)
    observation = {
        "observation": expected_planes(model, viewer, mode, width),
        "action_mask": mask,
        "vector": expected_vector(model, viewer, mode, num_tiles),
    }
    if mode == "index":
        rows = expected_actions(model, num_actions)
        observation["actions"] = rows if legal else np.zeros_like(rows)
    return observation


def expected_number(model: CarcassonneModel, mode: str, width: int, action: int) -> int:
    """The number of an action as the docstring of the encoder describes it."""
    if mode == "index":
        return model.legal_actions().tolist().index(action)
    move = model.decode_action(action)
    row, column = (width // 2 - move.y) % width, (width // 2 + move.x) % width
    place = (row * width + column) * 4 + move.rotation
    if mode == "two_step":
        return width * width * 4 + action if model.chosen else place
    return place * 9 + action % 9
