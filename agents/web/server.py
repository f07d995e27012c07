"""The local server."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType

import h11
import uvicorn
import websockets  # noqa: F401  # uvicorn imports it when a page has come
from uvicorn.protocols.http.h11_impl import H11Protocol

from .address import HOST, MAX_HEADERS, Address, Guard
from .messages import MAX_MESSAGE
from .site import Site

REQUEST_SECONDS = 10.0
"""Time for the whole of a request."""
CLOSING_SECONDS = 0.2
"""Time for what is still to be sent when the server ends."""


def serve(
    site: Site,
    port: int = 0,
    ready: Callable[[str], None] = print,
    *,
    address: Path | None = None,
    host: str = HOST,
) -> None:
    """Serves a site until the process is interrupted.

    Args:
        site: The site.
        port: The port; 0 for a free one.
        ready: Called with the address of the page as soon as it can be opened.
        address: File that keeps the address, so that a later server has the same; it is made if it
            is missing. None for a new address.
        host: The address of this machine at which it listens: `HOST` for no other machine,
            `agents.web.address.ANY` for all of the network.

    Raises:
        OSError: If port or host cannot be listened at, or the file cannot be written.
        ValueError: If the file holds no address or one with another port, or the host is empty.
    """
    if not host:
        raise ValueError("host must be an address or a name of this machine, got ''")
    wanted = Address.new(port) if address is None else Address.load(address, port)
    # asyncio sends at once only through a socket that names its protocol
    with socket.socket(proto=socket.IPPROTO_TCP) as listener:
        if sys.platform != "win32":  # where the option would let two servers have one port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, wanted.port))
        listener.listen(128)
        at = wanted._replace(port=listener.getsockname()[1]).found_at(host)
        if address is not None:
            at.save(address)
        ready(str(at))  # requests wait until the server runs
        config = uvicorn.Config(
            Guard(site.application(), at),
            log_level="error",
            http=Impatient,
            h11_max_incomplete_event_size=MAX_HEADERS,
            ws="websockets-sansio",
            ws_max_size=4 * MAX_MESSAGE,
            timeout_graceful_shutdown=1,
            server_header=False,
        )
        with suppress(KeyboardInterrupt):
            _Server(config).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that does not wait at its end for clients that read nothing."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Has the server end, also at a second interrupt: it takes no long time."""
        super().handle_exit(sig, frame)
        self.force_exit = False  # the searches and the writing of games would not be ended

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends all connections."""
        asyncio.get_running_loop().call_later(CLOSING_SECONDS, self._abort)
        await super().shutdown(sockets)

    def _abort(self) -> None:
        """Drops what connections still have to send."""
        for connection in list(self.server_state.connections):
            connection.transport.abort()


class Impatient(H11Protocol):
    """A connection that ends when a request takes too long to arrive."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Takes a part of a request, and waits for the rest."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends all waiting."""
        self._end_wait()
        super().connection_lost(exc)

    def _wait(self) -> None:
        is_socket = self.transport.get_protocol() is not self  # the request became a WebSocket
        if is_socket or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._end_wait()
        elif self._timer is None:
            self._timer = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def _end_wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
