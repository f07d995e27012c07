"""Positions of a data set in batches, as an environment shows them, with targets for learning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.checks import check_range

from ..encoding import Encoder
from ..model import CarcassonneModel
from .games import Dataset

MAX_SIZE = 2**20


class Batch(NamedTuple):
    """Positions in which the player chose, n of them, and what came of them.

    Attributes:
        observations: What the player to move observes, by name: arrays as of `Encoder.many`.
        actions: int64[n], the actions of the player, as the environment numbers them.
        values: float32[n], the return that the player's search expected; NaN without a search.
        returns: float32[n], the return of the game for the player to move, as the model counts it.
        games: int64[n], the index of the game in the data set.
    """

    observations: dict[str, NDArray[Any]]
    actions: NDArray[np.int64]
    values: NDArray[np.float32]
    returns: NDArray[np.float32]
    games: NDArray[np.int64]


_Sample = tuple[CarcassonneModel, int, float, float, int]
"""A position, the model's action in it, and what a batch says of it: value, return and game."""


def batches(
    dataset: Dataset,
    size: int = 256,
    *,
    action_mode: str = "flat",
    observation: str = "full",
    max_rows: int | None = None,
    games: Iterable[int] | None = None,
) -> Iterator[Batch]:
    """The positions of games in batches, game after game.

    Moves at random are left out. With the action mode "two_step", each move is two positions: in
    the first the tile is placed, in the second the meeple.

    Args:
        dataset: The data set.
        size: The number of positions of a batch; the last one may have fewer.
        action_mode: As of `CarcassonneEnv`.
        observation: As of `CarcassonneEnv`.
        max_rows: As of `CarcassonneEnv`. An action beyond the last row has no row.
        games: Indices of games, in the order in which they are wanted; all by default.

    Yields:
        A batch of new arrays.

    Raises:
        IndexError: If there is no game with such an index.
        TypeError, ValueError: If another argument is not as described.
    """
    check_range("size", size, 1, MAX_SIZE)
    start = dataset.setup(0)
    game = start.num_tiles, start.num_players, action_mode, start.board_size
    encoder = Encoder(*game, observation, max_rows)
    return _batches(dataset, size, encoder, range(len(dataset.games)) if games is None else games)


def _batches(
    dataset: Dataset, size: int, encoder: Encoder, games: Iterable[int]
) -> Iterator[Batch]:
    waiting: list[_Sample] = []
    for game in games:
        waiting += _samples(dataset, game, encoder.action_mode == "two_step")
        while len(waiting) >= size:
            yield _batch(encoder, waiting[:size])
            del waiting[:size]
    if waiting:
        yield _batch(encoder, waiting)


def _samples(dataset: Dataset, game: int, in_two_steps: bool) -> Iterator[_Sample]:
    """The positions of a game in which the player chose."""
    found = []
    for model, step in dataset.replay(game):
        if not step.is_random:
            position = model.in_two_steps() if in_two_steps else model.clone()
            for action in step.actions_in(model, in_two_steps):
                found.append((position.clone(), action, step.value))
                position.apply_action(action)
    returns = model.returns()
    for position, action, value in found:
        yield position, action, value, returns[position.current_player()], game


def _batch(encoder: Encoder, samples: list[_Sample]) -> Batch:
    models, actions, values, returns, games = zip(*samples, strict=True)
    return Batch(
        encoder.many(models),
        np.array(list(map(encoder.encode, models, actions)), np.int64),
        np.array(values, np.float32),
        np.array(returns, np.float32),
        np.array(games, np.int64),
    )
