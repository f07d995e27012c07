"""Checks of what Python functions return to a search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def numbers_of(answer: Any, count: int, wanted: str) -> NDArray[np.float64]:
    """An answer as float64[count].

    Args:
        answer: Any sequence of numbers.
        count: How many it must have.
        wanted: What the answer must be, for the message.

    Raises:
        ValueError: If it is anything else.
    """
    try:
        numbers = np.array(answer, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = None
    if numbers is None or numbers.shape != (count,):
        raise ValueError(f"{wanted}, got {answer!r}")
    return numbers
