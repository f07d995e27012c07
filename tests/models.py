"""The models that tests of the contract run over, and how tests play them."""

from __future__ import annotations

import itertools
import math
import random
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from agents import Rng
from agents.forward_model import ForwardModel
from agents.games import Dodgem, Hex, Reversi, TacticsModel
from carcassonne_env import CarcassonneModel
from fop_env import FUNCTIONS, FopModel
from games import Bandit, Corridor, Dice, ThreePlayers, TicTacToe


def line(x: Any) -> Any:
    """A function for `FopModel`."""
    return x


def slope(x: Any, y: Any) -> Any:
    """Not the same along both axes."""
    return (x + 3 * y * y) / 4


def assert_mean(draws: Any, mean: float) -> None:
    """Draws of 0 and 1 have this mean, within four standard errors."""
    assert set(np.unique(draws)) <= {0, 1}
    assert abs(np.mean(draws) - mean) < 4 * math.sqrt(mean * (1 - mean) / len(draws))


# Arguments of FopModel; f3 is kept clear of 0, where roundings make it another function.
FOP: dict[str, tuple[Any, ...]] = {
    **{name: (name, 2, 0.02 if name == "f3" else 1e-5) for name in FUNCTIONS},
    "three parts": ("f2", 3, 1e-12),
    "two dimensions": ("f4", 2, 1e-5, 2),
    "two players": ("f2", 10, 1e-5, 1, 2),
    "two players in two dimensions": ("f5", 3, 1e-5, 2, 2),
    "one choice": ("f4", 3, 1),
    "table": (line, 10, 1e-4, 1, 2),
    "no table": (line, 2, 1e-12),
    "table in two dimensions": (slope, 3, 0.01, 2),
    "no table in two dimensions": (slope, 2, 1e-5, 2, 2),
}
CARCASSONNE: dict[str, dict[str, Any]] = {
    "one meeple": {"num_players": 1, "num_meeples": 1, "deterministic": True, "seed": 0},
    "three meeples": {"num_players": 1, "num_meeples": 3},
    "two players": {"num_players": 2, "deterministic": True, "seed": 1},
    "many meeples": {"num_players": 5, "num_meeples": 255},
    "no meeples": {"num_players": 1, "num_meeples": 0},
}
CARCASSONNE = {name: config | {"tiles": "small"} for name, config in CARCASSONNE.items()} | {
    "base": {},
    "base without meeples": {"num_players": 3, "num_meeples": 0},
    "four players": {"num_players": 4, "num_meeples": 2, "deterministic": True, "seed": 2},
    "five players": {"num_players": 5, "num_meeples": 1},
    "two steps": {"two_step": True, "board_size": 7},
    "two steps in order": {"num_players": 5, "two_step": True, "deterministic": True, "seed": 3},
    "one type": {"num_players": 1, "tiles": {"D": 2}},
    "two tiles": {"num_meeples": 1, "tiles": {"D": 1, "B": 1}, "deterministic": True},
    "discards": {"num_players": 3, "num_meeples": 1, "tiles": {"D": 1, "C": 12, "U": 9}},
    "cloisters": {"num_meeples": 3, "tiles": {"D": 1, "B": 35}, "deterministic": True},
    "crossings": {"num_meeples": 3, "tiles": {"D": 2, "X": 20, "V": 10, "Q": 1}},
}


def _tactics(board: str, deterministic: bool) -> Callable[[], TacticsModel]:
    seed = 7 if deterministic else None
    return lambda: TacticsModel(board, deterministic=deterministic, max_turns=30, seed=seed)


PYTHON: dict[str, Callable[[], ForwardModel]] = {
    "tic-tac-toe": TicTacToe,
    "dice": Dice,
    "three players": ThreePlayers,
    "bandit": lambda: Bandit(0.2, 0.5),
    "corridor": lambda: Corridor(5),
}
"""What makes the games of `games`, which are in plain Python."""
COMPILED: dict[str, Callable[[], ForwardModel]] = {
    "hex 2, swap": lambda: Hex(2, swap=True),
    "hex 3": lambda: Hex(3),
    "hex 5, swap": lambda: Hex(5, swap=True),
    "hex 11": lambda: Hex(11),
    "hex 16, swap": lambda: Hex(16, swap=True),
    **{f"dodgem {size}": lambda size=size: Dodgem(size) for size in (2, 3, 5, 8)},
    "reversi": Reversi,
    "reversi plus": lambda: Reversi(plus=True),
    **{
        f"tactics {board}{', fixed' * fixed}": _tactics(board, fixed)
        for board, fixed in itertools.product(("tiny", "small", "standard"), (False, True))
    },
    **{f"fop: {name}": lambda name=name: FopModel(*FOP[name]) for name in FOP},
    **{
        f"carcassonne: {name}": lambda name=name: CarcassonneModel(**CARCASSONNE[name])
        for name in CARCASSONNE
    },
}
"""What makes compiled games, with the options that change how they run."""
MODELS = PYTHON | COMPILED
NO_ACTIONS = [2**70, 2**31, -1, -(2**40), "x", None, 1.5, [0], np.array([0, 1]), np.float64(1)]
"""What is an action of none of them."""


def best_other(points: tuple[int, ...], player: int) -> int:
    """The points of a player's best opponent; 0 if there is none."""
    return max((other for i, other in enumerate(points) if i != player), default=0)


def advance(model: ForwardModel, rng: Rng) -> int:
    action = model.sample_chance(rng) if model.is_chance_node() else model.sample_action(rng)
    model.apply_action(action)
    return action


def in_play(model: Any) -> Any:
    """The model, once a player is to move."""
    rng = Rng(0)
    while model.is_chance_node():
        model.apply_action(model.sample_chance(rng))
    return model


def positions(model: ForwardModel, seed: int) -> Iterator[ForwardModel]:
    rng = Rng(seed)
    yield model
    while not model.is_terminal():
        advance(model, rng)
        yield model


def played(model: ForwardModel, *moves: str) -> Any:
    """The position after some moves, in the notation of the game."""
    model = model.clone()
    for move in moves:
        model.apply_action(model.string_to_action(move))
    return model


def reached(model: ForwardModel, moves: str) -> Any:
    """The same for moves without spaces, as one text."""
    return played(model, *moves.split())


def finished(model: ForwardModel, seed: int = 0) -> Any:
    model = model.clone()
    model.rollout(seed)
    return model


def side_by_side(model: ForwardModel, reference: Any, seed: int) -> Iterator[None]:
    """Plays a random game in a model and a reference; yields where both agree, at each position."""
    rng = random.Random(seed)
    while actions := reference.legal_actions():
        assert model.current_player() == reference.mover
        assert model.legal_actions().tolist() == actions
        yield
        action = rng.choice(actions)
        model.apply_action(action)
        reference.apply_action(action)
    assert model.is_terminal()
    assert model.returns().tolist() == reference.returns()
    yield


def restored(model: ForwardModel, data: bytes, version: int = 0, checksum: int = 0) -> Any:
    """What a pickle of the model makes of other bytes; version and checksum differ by so much."""
    restore, (kind, right_version, _, _, options) = model.__reduce__()
    return restore(kind, right_version + version, data, zlib.crc32(data) + checksum, options)


def forged(model: ForwardModel, layout: np.dtype, **changes: Any) -> Any:
    """The same of a C struct of this layout in which some numbers are others."""
    state = np.frombuffer(model.__reduce__()[1][2], dtype=layout).copy()
    for name, value in changes.items():
        state[name] = value
    return restored(model, state.tobytes())
