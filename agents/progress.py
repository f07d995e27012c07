"""Progress bars, which only people at a terminal or a notebook see."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from tqdm import tqdm


def progress_bar(iterable: Iterable[Any] | None = None, **options: Any) -> tqdm[Any]:
    """A bar of ``tqdm``, with its options, on the error stream; nothing in a file or a pipe."""
    is_terminal = sys.stderr is not None and sys.stderr.isatty()  # None if it is closed
    is_seen = is_terminal or "ipykernel" in sys.modules
    return tqdm(iterable, **{"disable": not is_seen, **options})
