"""Progress bars, which only people at a terminal or a notebook see."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from tqdm import tqdm


def progress_bar(iterable: Iterable[Any] | None = None, **options: Any) -> tqdm[Any]:
    """A progress bar on the error stream; nothing is written if that is a file or a pipe.

    Args:
        iterable: What it counts, if it is to be iterated.
        options: Those of ``tqdm``, by name.
    """
    is_seen = sys.stderr.isatty() or "ipykernel" in sys.modules
    return tqdm(iterable, **{"disable": not is_seen, **options})
