"""The address of a server, and a guard that lets through only pages that the server delivered.

The address has a port and a token that nobody can guess. A file can keep it, so that pages find
their games again after the server was started anew.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount

from agents.files import write_file

_LOG = logging.getLogger(__name__)
HOST = "127.0.0.1"
"""This machine, which no other one reaches by this address."""
ANY = "0.0.0.0"
"""All addresses of this machine."""
MAX_HEADERS = 32_768
"""Longest head of a request, in bytes."""
_ADDRESS = re.compile(r"http://[\w.-]+:(\d{1,5})/([\w-]{32})/\s*", re.ASCII)
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]


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

        A file with no address, or with another port than this, is refused by ValueError; 0 is any.
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


class Guard:
    """ASGI middleware that refuses what does not come from a page of this server.

    The path of every address must begin with the token, the host must be the one of the address,
    or this machine, and a request that names another origin is refused.
    """

    def __init__(self, app: Starlette, address: Address) -> None:
        lifespan = app.router.lifespan_context
        self._app = Starlette(routes=[Mount(f"/{address.token}", app)], lifespan=lifespan)
        self._token = address.token.encode()
        names = {HOST, "localhost", address.host}
        ends = [f":{address.port}"] + [""] * (address.port == 80)
        self._hosts = {name + end for name in names for end in ends}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or lets it through."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        refusal = self._refusal(scope)
        if refusal is None:
            return await self._app(scope, receive, _with_headers(send))
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008})
        status, words = refusal
        return await PlainTextResponse(words + "\n", status)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the reason why a request is refused, or None."""
        headers = [(name.lower(), value) for name, value in scope["headers"]]
        hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
        origins = [value.decode("latin-1") for name, value in headers if name == b"origin"]
        names = {name for name, _ in headers}
        if sum(len(name) + len(value) for name, value in headers) > MAX_HEADERS:
            return 431, "The head of the request is too long."
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, "This server answers only to its own address."
        if any(origin not in self._origins for origin in origins):
            return 403, "Pages of other origins may not talk to this server."
        token = scope["path"].split("/")[1:2]
        if not token or not secrets.compare_digest(token[0].encode(), self._token):
            return 404, "Open the address that the command printed; it contains a secret."
        has_body = b"transfer-encoding" in names or any(
            name == b"content-length" and value.strip() != b"0" for name, value in headers
        )
        if scope["type"] == "http" and has_body:
            return 413, "This server takes no request bodies."
        return None


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


def _with_headers(send: Send) -> Send:
    """Adds the security headers to responses."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            extra = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            message["headers"] = [*message.get("headers", []), *extra]
        await send(message)

    return sending
