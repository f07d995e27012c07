"""Files that are replaced in one step, so that nobody ever finds a part of one; checksums."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


def write_file(path: str | Path, content: str | bytes) -> None:
    """Writes bytes, or text in UTF-8, to a file in one step: see `replacing`."""
    data = content.encode() if isinstance(content, str) else content
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: str | Path) -> Iterator[IO[bytes]]:
    """A new file to write to, which takes the place of the one at the path at the end.

    However the program or the machine ends, the old file or the whole new one is there; after an
    error it is the old one. The content goes to a file in the same folder until then. A link stays
    a link, to the new content, and a file keeps its permissions. What is no file, such as
    /dev/stdout, is written to as it is. An OSError names the path.
    """
    target = _target_of(path)
    if _is_stream(path, target):
        with Path(path).open("ab") as file:  # what a file behind it holds already stays
            yield file
        return
    try:
        part = _part_of(target)
        try:
            with part.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    except OSError as error:
        raise _named(error, path) from error


def check_writable(path: str | Path) -> None:
    """Refuses a path that `replacing` would refuse, before work whose result it is to hold."""
    target = _target_of(path)
    if not _is_stream(path, target):
        try:
            _part_of(target).unlink()
        except OSError as error:
            raise _named(error, path) from error


def checksum(paths: Iterable[str | Path]) -> int:
    """A checksum of 32 bits of the contents of files in this order; 0 without files."""
    return zlib.crc32(b"".join(Path(path).read_bytes() for path in paths))


def _target_of(path: str | Path) -> Path:
    """Where a path leads through links, if it can be a file."""
    target = os.path.realpath(path)
    if os.path.islink(target):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if str(path).endswith(("/", os.sep)):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return Path(target)


def _is_stream(path: str | Path, target: Path) -> bool:
    """Whether the path names a device, a pipe or an open stream, which may lead to a file."""
    is_special = target.exists() and not target.is_file() and not target.is_dir()
    place = Path(os.path.abspath(path)).parts[1:3]
    return (
        is_special or place[:1] == ("proc",) or (place[:1] == ("dev",) and place != ("dev", "shm"))
    )


def _named(error: OSError, path: str | Path) -> OSError:
    """The error, with the path that the caller knows in place of the part's."""
    if error.errno is None:  # it has words of its own
        return error
    return OSError(error.errno, error.strerror or str(error), str(path))


def _part_of(target: Path) -> Path:
    """A new file beside the target, with its permissions, or those of a new file."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    exists = target.exists()
    if exists and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    part.touch(exist_ok=False)
    if exists:
        shutil.copymode(target, part)
    return part
