"""Tensors of OpenSpiel as the observations of forward models: planes of numbers in [0, 1]."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.adapters.package import pyspiel
from agents.rng import Rng

NUM_GAMES = 10
"""Random games in which the range of a game's tensors is found."""


def planes(state: Any, player: int) -> NDArray[np.float32]:
    """The observation tensor of a ``pyspiel.State`` as planes.

    A tensor with one dimension becomes planes of one cell, and a tensor with two becomes one plane.
    If there are more than three, all dimensions but the last two count planes. A game without
    observation tensors shows its information state, which is the same with perfect information.

    The numbers are OpenSpiel's if these lie in [0, 1]. Otherwise, as in backgammon, they are scaled
    by the range that `NUM_GAMES` random games meet, and cut where they leave it.

    Returns:
        float32[planes, rows, columns] in [0, 1].

    Raises:
        NotImplementedError: If the game has no tensor.
    """
    game = state.get_game()
    low, high = _range(str(game))
    shape = getattr(game, f"{_kind(game)}_shape")()
    cells = shape[-2:] if len(shape) > 1 else (1, 1)
    numbers = (_tensor(state, player) - low) / np.float32(high - low)
    return numbers.clip(0, 1).reshape(-1, *cells)


def _kind(game: Any) -> str:
    """The name of the tensor that a game has."""
    kind = game.get_type()
    if kind.provides_observation_tensor:
        return "observation_tensor"
    if kind.provides_information_state_tensor:
        return "information_state_tensor"
    raise NotImplementedError(
        f"the game {kind.short_name!r} of OpenSpiel has no observation tensor"
    )


def _tensor(state: Any, player: int) -> NDArray[np.float32]:
    return np.asarray(getattr(state, _kind(state.get_game()))(player), dtype=np.float32)


@cache
def _range(name: str) -> tuple[np.float32, np.float32]:
    """The smallest and the largest number in the tensors of random games, and 0 and 1."""
    game, rng = pyspiel.load_game(name), Rng(0)
    numbers = [np.arange(2, dtype=np.float32)]
    for _ in range(NUM_GAMES):
        for state in _random_game(game, rng):
            for player in range(game.num_players()):
                tensor = _tensor(state, player)
                numbers.append(np.array([tensor.min(), tensor.max()]))
    return np.min(numbers), np.max(numbers)


def _random_game(game: Any, rng: Rng) -> Iterator[Any]:
    """Yields the positions of a game in which all actions and outcomes are equally likely."""
    state = game.new_initial_state()
    yield state
    while not state.is_terminal():
        actions = state.legal_actions()
        state.apply_action(actions[rng.below(len(actions))])
        yield state
