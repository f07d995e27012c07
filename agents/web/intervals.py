"""Intervals of confidence for the values that a search finds."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_MIN_BATCHES = 3
_DEGREES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 60, 120, math.inf)
_QUANTILES = (
    *(4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.179, 2.131, 2.086, 2.042, 2.000, 1.980, 1.960),
)
"""Student's t for these degrees of freedom, which 2.5 % of the distribution exceed.

Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, table 26.10.
"""


class Intervals:
    """Intervals of the root's means by the method of batch means.

    Each slice of the search is a batch. The means of the batches vary as the search wanders, so
    the interval is honest about values that still drift. Its width is by Student's t: with three
    batches it is more than twice as wide as with many that vary as much.

    Reference: Law and Kelton, Simulation Modeling and Analysis, 2000, section 9.5.3.
    """

    def __init__(self) -> None:
        self._visits: NDArray[np.float64] | None = None

    def add(self, counts: NDArray[np.int64], means: NDArray[np.float64]) -> None:
        """Adds the slice that ends with these visits int64[n] and means float64[n]."""
        visits = counts.astype(np.float64)
        if self._visits is None:
            self._visits, self._sums, self._batches, self._squares = np.zeros((4, len(visits)))
        sums = visits * np.nan_to_num(means)
        new = visits - self._visits
        batch = np.divide(sums - self._sums, new, out=np.zeros_like(sums), where=new > 0)
        self._batches += new > 0
        self._squares += new * batch**2
        self._visits, self._sums = visits, sums

    def margins(self) -> NDArray[np.float64]:
        """Half the width of each interval, float64[n]; NaN with fewer than three batches."""
        if self._visits is None:
            return np.empty(0)
        total = np.maximum(self._visits, 1)
        spread = np.maximum(self._squares - self._sums**2 / total, 0)
        variance = spread / (np.maximum(self._batches - 1, 1) * total)
        return half_widths(np.sqrt(variance), self._batches)


def half_widths(errors: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Half the width of intervals of 95 % confidence, float64[n].

    They belong to n standard errors, each estimated from so many values; NaN for fewer than 3.
    """
    degrees = np.maximum(counts - 1, _DEGREES[0])
    inverses = [1 / degree for degree in reversed(_DEGREES)]
    quantiles = np.interp(1 / degrees, inverses, _QUANTILES[::-1])
    return np.where(counts >= _MIN_BATCHES, quantiles * errors, np.nan)
