"""What each move of a game of Carcassonne lost, in points; see `agents.playing.analysis`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from agents.agent import Planner
from agents.playing import SEARCHES, analysis
from agents.playing.analysis import judge_game

from ..model import CarcassonneModel
from ..play.reasons import Reason, reasons
from ..play.session import points_of_return
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
        reasons: What the better move brings more, by the outlook alone, if that is about as much
            as the move lost; see `reasons`.
    """

    tile: str
    reasons: tuple[Reason, ...] = ()


class Loss(analysis.Loss):
    """What a move lost, as pages see it."""

    reasons: tuple[Reason, ...]


def analyse_game(
    game: SavedGame,
    planner: str | Planner,
    seed: int = 0,
    *,
    searches: int = SEARCHES,
    first: int = 1,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Iterator[MoveLoss]:
    """Searches the position before every move of a game, and yields what the moves lost, in points.

    All else is as in `agents.playing.analysis.judge_game`, which tells how moves are compared.

    Raises:
        TypeError, ValueError: As there.
    """
    judged = judge_game(
        game,
        planner,
        seed,
        searches=searches,
        first=first,
        is_stopped=is_stopped,
        scale=points_of_return,
    )
    return (move_of(each.position, each.loss) for each in judged)


def move_of(model: CarcassonneModel, loss: analysis.MoveLoss[int]) -> MoveLoss:
    """What a move lost in a position, with moves of the game in place of actions."""
    better, why = None, tuple[Reason, ...]()
    if loss.better is not None:
        better = model.decode_action(loss.better)
        why = reasons(model, loss.better, loss.played)
        if not explains(sum(each.points for each in why), loss.difference):
            why = ()
    moves = {"played": model.decode_action(loss.played), "better": better}
    return MoveLoss(**vars(loss) | moves, tile=model.current_tile or "", reasons=why)


def explains(points: float, lost: float) -> bool:
    """Whether what the outlook expects is about what a search has found."""
    return abs(points - lost) <= max(1.0, lost / 4)


def _shown(loss: float) -> float:
    """A loss as pages show it: with one digit, of which a half is rounded up."""
    return math.floor(10 * round(loss, 2) + 0.5 + 1e-6) / 10


def lost_points(losses: Iterable[MoveLoss], num_players: int) -> list[tuple[float, float]]:
    """What each player's moves lost in all, and its standard error; NaNs are left out.

    It is the sum of the losses as they are shown, with one digit.
    """
    sums = np.zeros((num_players, 2))
    for move in losses:
        if move.loss > 0:
            sums[move.player] += np.nan_to_num([_shown(move.loss), move.standard_error**2])
    return [(float(loss), math.sqrt(variance)) for loss, variance in sums]


def worst(losses: Iterable[MoveLoss]) -> list[MoveLoss]:
    """The moves that lost points, the worst first."""
    return sorted((move for move in losses if move.loss > 0), key=lambda move: -move.loss)


def loss_of(move: MoveLoss) -> Loss:
    """An analysed move as pages see it."""
    shown = partial(placed, move.player, move.tile)
    better = move.better and shown(move.better)
    moves: dict[str, Any] = {"played": shown(move.played), "better": better}
    return {**analysis.loss_of(replace(move, **moves)), "reasons": move.reasons}
