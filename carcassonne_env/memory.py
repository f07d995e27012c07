"""Memory: how much there is, against how much is wanted."""

from __future__ import annotations

import os
from pathlib import Path

_LINUX = Path("/proc/meminfo")


def memory_left() -> int | None:
    """Bytes of physical memory that programs may still take; None if the system does not tell.

    Linux tells what is available, other systems what is installed.
    """
    try:
        lines = dict(line.split(":") for line in _LINUX.read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, LookupError, ValueError):
        return _memory_installed()


def _memory_installed() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # Windows, which refuses by itself
        return None


def check_memory(what: str, needed: int) -> None:
    """Refuses what would not fit into memory, which some systems answer by ending the program.

    Args:
        what: What needs the memory, such as an argument and its value.
        needed: Bytes.

    Raises:
        MemoryError: If there are not so many bytes.
    """
    left = memory_left()
    if left is not None and needed > left:
        raise MemoryError(
            f"{what} needs about {needed / 1e9:.3g} GB of memory, {left / 1e9:.3g} GB are available"
        )
