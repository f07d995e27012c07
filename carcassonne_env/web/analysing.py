"""An analysis of the game at a table: a level searches every position, and can be stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

from ..play.players import LEVELS, limited
from ..replaying import MoveLoss, SavedGame, analyse_game

SEARCHES = 3
"""Number of searches of each position."""


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
