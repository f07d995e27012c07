"""The clocks of a game: each player has some time, and more after each move."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence


class Clock:
    """Counts the time of the player to move.

    No clock runs before the first move, so that all can take their seats.

    Args:
        left: The seconds that each player has.
        increment: Seconds that a player gets after each move.
        now: Returns the time in seconds.
    """

    def __init__(
        self,
        left: Sequence[float],
        increment: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.running: int | None = None  # the player whose clock runs
        self.increment = increment
        self._now = now
        self._left = [*map(float, left)]
        self._since = now()
        self._ply = 0  # the most moves so far; a move that is made again gives no time

    def turn(self, ply: int, player: int | None) -> None:
        """Has the clock of a player run after so many moves; none if it is None or before them."""
        left, before = self.left(), self.running
        if before is not None and ply > self._ply:
            left[before] += self.increment
        self._left, self._since, self._ply = left, self._now(), max(self._ply, ply)
        self.running = player if ply else None

    def left(self) -> list[float]:
        """The seconds that each player has left."""
        left = self._left.copy()
        if self.running is not None:
            left[self.running] = max(0.0, left[self.running] - (self._now() - self._since))
        return left
