"""What each move of a game of Carcassonne lost, in points; see `agents.playing.analysis`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import Planner
from agents.playing import analysis
from agents.playing.analysis import Loss
from agents.playing.searches import SEARCHES

from ..model import CarcassonneModel
from ..play.found import points_of_return
from ..play.view import placed
from ..position import Move
from .saved_game import SavedGame


@dataclass(frozen=True)
class MoveLoss(analysis.MoveLoss[Move]):
    """A move of a game, and what the player lost by it.

    Its difference is in points of the player's score if they play alone, else of their lead over
    the best other player.

    Attributes:
        tile: The letter of the tile.
    """

    tile: str


def analyse_game(
    game: SavedGame,
    planner: str | Planner,
    seed: int = 0,
    *,
    searches: int = SEARCHES,
    first: int = 1,
    is_stopped: Callable[[], bool] | None = None,
    searched: Callable[[int, CarcassonneModel, Any], None] | None = None,
) -> Iterator[MoveLoss]:
    """Searches the position before every move of a game, and yields what the moves lost, in points.

    All else is as in `agents.playing.analysis.analyse_game`, which tells how moves are compared.

    Raises:
        TypeError, ValueError: As there.
    """
    losses = analysis.analyse_game(
        game,
        planner,
        seed,
        searches=searches,
        first=first,
        is_stopped=is_stopped,
        searched=searched,
        scale=points_of_return,
    )
    return map(_with_tile, losses, (model for model, _ in game.moves()[first - 1 :]))


def lost_points(losses: Iterable[MoveLoss], num_players: int) -> list[tuple[float, float]]:
    """The sum of each player's differences, and its standard error; NaNs are left out."""
    sums = np.zeros((num_players, 2))
    for move in losses:
        sums[move.player] += np.nan_to_num([move.difference, move.standard_error**2])
    return [(float(loss), math.sqrt(variance)) for loss, variance in sums]


def worst(losses: Iterable[MoveLoss]) -> list[MoveLoss]:
    """The moves that lost points, the worst first."""
    return sorted((move for move in losses if move.loss > 0), key=lambda move: -move.loss)


def loss_of(move: MoveLoss) -> Loss:
    """An analysed move as pages see it."""
    better = move.better
    return analysis.loss_of(move, better and placed(move.player, move.tile, better))


def _with_tile(move: analysis.MoveLoss[int], model: CarcassonneModel) -> MoveLoss:
    played, better = move.played, move.better
    return MoveLoss(
        move.number,
        move.player,
        model.decode_action(played),
        None if better is None else model.decode_action(better),
        move.difference,
        move.standard_error,
        model.current_tile or "",
    )
