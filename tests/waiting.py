"""Waiting for what other threads and processes do."""

from __future__ import annotations

import time
from collections.abc import Callable


def soon(condition: Callable[[], object], seconds: float = 60) -> bool:
    """Whether a condition comes to hold within so many seconds."""
    end = time.monotonic() + seconds
    while not (holds := condition()) and time.monotonic() < end:
        time.sleep(0.005)
    return bool(holds)
