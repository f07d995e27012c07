"""The address of a server: its port, and a token that nobody can guess.

A file can keep it, so that pages find their games again after the server was started anew.
"""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path
from typing import NamedTuple

from agents.files import write_file

HOST = "127.0.0.1"
_ADDRESS = re.compile(rf"http://{re.escape(HOST)}:(\d{{1,5}})/([\w-]{{32}})/\s*", re.ASCII)


class Address(NamedTuple):
    """The port, 0 for one that is free, and the token."""

    port: int
    token: str

    def __str__(self) -> str:
        return f"http://{HOST}:{self.port}/{self.token}/"

    @staticmethod
    def new(port: int) -> Address:
        """An address with a new token."""
        return Address(port, secrets.token_urlsafe(24))

    @staticmethod
    def load(path: Path, port: int) -> Address:
        """The address that a file keeps; a new one if there is no file yet.

        Args:
            path: The file.
            port: The port that is wanted; 0 for that of the file.

        Raises:
            ValueError: If the file holds no address, or one with another port.
        """
        if not path.exists():
            return Address.new(port)
        match = _ADDRESS.fullmatch(path.read_text(encoding="utf-8"))
        if match is None:
            raise ValueError(f"{path} must hold the address of a server; remove it for a new one")
        kept = Address(int(match[1]), match[2])
        if port not in (0, kept.port):
            raise ValueError(f"port must be {kept.port}, which {path} keeps, got {port}")
        return kept

    def save(self, path: Path) -> None:
        """Writes the address to a file that only its owner can read."""
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        write_file(path, f"{self}\n")
