"""The connection with the program that hosts a game of JCloisterZone 5.

The host relays JSON messages over a WebSocket. A client says ``HELLO`` and gets the ``GAME``. It
takes a slot (``TAKE_SLOT``), and everybody hears of it (``SLOT``). After ``START``, the host sends
every message of the game (see `messages`) to all clients, each with its number in the game as
``seq``. ``ERR`` is a refusal.

Needs the extra ``web``.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from .messages import Message, parsed

PORT = 37447
CONNECT_SECONDS = 10.0
REPLY_SECONDS = 30.0
"""Time for an answer of the host."""
AGAIN = "; the same command goes on with the game"


@contextmanager
def connected(address: str) -> Iterator[Host]:
    """The connection with the program at an address, which ends with the ``with``.

    The address is a name or number, and the port after a colon if that is not `PORT`.
    """
    url = _url_of(address)
    try:
        socket = connect(url, open_timeout=CONNECT_SECONDS, compression=None, proxy=None)
    except (OSError, InvalidHandshake) as error:
        raise ConnectionError(f"no JCloisterZone hosts a game at {url}: {error}") from None
    with socket:
        yield Host(socket)


def _url_of(address: str) -> str:
    try:
        parts = urlsplit(f"ws://{address}")
        name, port = parts.hostname, parts.port or PORT
    except ValueError:
        name = None
    if name is None or parts.path or parts.query:
        raise ValueError(f"address must be like 192.168.1.7:{PORT}, got {address!r}")
    return f"ws://{f'[{name}]' if ':' in name else name}:{port}"


class Host:
    """The program that hosts a game, at the other end of a connection."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    def send(self, kind: str, payload: Mapping[str, Any], **members: Any) -> None:
        """Sends a message."""
        message = {"id": uuid.uuid4().hex, "type": kind, "payload": payload, **members}
        try:
            self._socket.send(json.dumps(message))
        except ConnectionClosed as error:
            raise _lost(error) from None

    def receive(self, *kinds: str, seconds: float | None = None) -> Message:
        """The next message of one of these kinds; others are passed over, a refusal is an error."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                text = self._socket.recv(left)
            except TimeoutError:
                raise TimeoutError(f"the host did not answer in {seconds:g} s{AGAIN}") from None
            except ConnectionClosed as error:
                raise _lost(error) from None
            try:
                message = parsed(text)
            except ValueError as error:
                raise ValueError(f"the host sent no message: {error}") from None
            if message["type"] == "ERR":
                raise ValueError(f"the host refuses: {message['message']} ({message['code']})")
            if message["type"] in kinds:
                return message


def _lost(error: ConnectionClosed) -> ConnectionError:
    return ConnectionError(f"the connection with the host is lost: {error}{AGAIN}")
