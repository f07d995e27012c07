"""A check that the system has enough memory before large arrays are allocated."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_LINUX = Path("/proc/meminfo")


def memory_left() -> int | None:
    """Physical memory in bytes; None if the system does not report it.

    On Linux this is the available memory, on other systems the installed memory.
    """
    with suppress(OSError, LookupError, ValueError):
        lines = dict(line.split(":") for line in _LINUX.read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    with suppress(AttributeError, OSError, ValueError):  # Windows refuses too large arrays itself
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def check_memory(what: str, needed: int) -> None:
    """Raises MemoryError if the system has too little memory.

    Without this check, some systems kill the program when it uses the memory.

    Args:
        what: The argument that needs the memory, with its value, for the message.
        needed: Number of bytes.

    Raises:
        MemoryError: If fewer bytes are left.
    """
    left = memory_left()
    if left is not None and needed > left:
        raise MemoryError(
            f"{what} needs about {needed / 1e9:.3g} GB of memory, {left / 1e9:.3g} GB are available"
        )
