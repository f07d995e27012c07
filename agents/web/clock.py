"""The clocks of a game: each player has some time, and more after each move."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence


class Clock:
    """Counts the time of the player to move.

    No clock runs before the first move, so that all can take their seats. All times are in seconds:
    what each player has left, the increment after each move, and, in the past, what each player had
    left after each number of moves, from none on.
    """

    def __init__(
        self,
        left: Sequence[float],
        increment: float,
        now: Callable[[], float] = time.monotonic,
        past: Sequence[list[float]] = (),
    ) -> None:
        self.running: int | None = None  # the player whose clock runs
        self.increment = increment
        self._now = now
        self._left = [*map(float, left)]
        self._since = now()
        self.past = [*past]
        self._ply = 0  # the most moves so far; a move that is made again gives no time

    def turn(self, ply: int, player: int | None) -> None:
        """Has the clock of a player run after so many moves; none if it is None or before them."""
        left, before = self.left(), self.running
        if before is not None and ply > self._ply:
            left[before] += self.increment
        self._left, self._since, self._ply = left, self._now(), max(self._ply, ply)
        self.running = player if ply else None
        del self.past[ply + 1 :]  # those of moves that were taken back
        self.past += [[round(each, 1) for each in left]] * (ply + 1 - len(self.past))

    def left_after(self, ply: int) -> list[float]:
        """The seconds that each player had left after so many moves, or has after all moves."""
        return self.past[ply] if ply < len(self.past) - 1 else self.left()

    def left(self) -> list[float]:
        """The seconds that each player has left."""
        left = self._left.copy()
        if self.running is not None:
            left[self.running] = max(0.0, left[self.running] - (self._now() - self._since))
        return left
