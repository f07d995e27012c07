"""The address of a server: its port, and a token that nobody can guess.

A file can keep it, so that pages find their games again after the server was started anew.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import socket
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from agents.files import write_file

_LOG = logging.getLogger(__name__)
HOST = "127.0.0.1"
"""This machine, which no other one reaches by this address."""
ANY = "0.0.0.0"
"""All addresses of this machine."""
_ADDRESS = re.compile(r"http://[\w.-]+:(\d{1,5})/([\w-]{32})/\s*", re.ASCII)


class Address(NamedTuple):
    """The port, 0 for one that is free, the token, and the host that the page is opened at."""

    port: int
    token: str
    host: str = HOST

    def __str__(self) -> str:
        return f"http://{self.host}:{self.port}/{self.token}/"

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

    def found_at(self, host: str) -> Address:
        """The address for pages if the server listens at a host, written as browsers send it."""
        with suppress(OSError):  # a number, such as 0 for 0.0.0.0
            host = socket.inet_ntoa(socket.inet_aton(host))
        return self._replace(host=_own_address() if host == ANY else host.lower())

    def save(self, path: Path) -> None:
        """Writes the address to a file that only its owner can read."""
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        write_file(path, f"{self}\n")


def _own_address() -> str:
    """The address of this machine in its network; `HOST` if it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:  # no route leads there
            _LOG.warning(
                "other machines of the network may reach this server, but its address there is "
                "unknown; to see it in links, start with --host and that address"
            )
            return HOST
        return str(probe.getsockname()[0])
