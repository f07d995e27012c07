"""An analysis of the game at a table: a level searches every position, and can be stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ..play.levels import LEVELS
from ..play.words import move_words
from ..replaying import MoveLoss, SavedGame, analyse_game
from ..replaying.analysis import rounded
from .players import limited
from .thinking import Placement, placed

SEARCHES = 3
"""Number of searches of each position."""


@dataclass(frozen=True)
class Loss:
    """What a move lost.

    Attributes:
        number: The number of the move, from 1.
        player: The player who moved.
        points: The points lost; None if the search never tried the move.
        error: Their standard error; None if it is unknown.
        better: The better move; None if there is none.
        words: The better move in words.
    """

    number: int
    player: int
    points: float | None
    error: float | None
    better: Placement | None
    words: str


class Analysing:
    """One analysis of a game.

    Args:
        game: The game.
        level: The name of the level that searches.

    Raises:
        ValueError: If there is no such level.
    """

    def __init__(self, game: SavedGame, level: str) -> None:
        if level not in LEVELS:
            raise ValueError(f"a game is analysed by one of {', '.join(LEVELS)}, got {level!r}")
        self.is_stopped = False
        planner = limited(LEVELS[level])
        self._losses = analyse_game(
            game, planner, searches=SEARCHES, is_stopped=lambda: self.is_stopped
        )

    async def losses(self, pool: ThreadPoolExecutor) -> AsyncIterator[MoveLoss]:
        """Yields what the moves lost; other searches take turns with those of each move."""
        loop = asyncio.get_running_loop()
        while (loss := await loop.run_in_executor(pool, next, self._losses, None)) is not None:
            yield loss


def loss_of(move: MoveLoss) -> Loss:
    """An analysed move as pages see it."""
    return Loss(
        number=move.number,
        player=move.player,
        points=rounded(move.loss),
        error=rounded(move.standard_error),
        better=None if move.better is None else placed(move.player, move.tile, move.better),
        words="" if move.better is None else move_words(move.better),
    )
