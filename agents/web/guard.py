"""Who may talk to the server: only pages that it delivered.

Every address begins with a random token, the host must be the one of the address, or this machine,
and a request that names another origin is refused.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount

from .address import HOST, Address

MAX_HEADERS = 32_768
"""Longest head of a request, in bytes."""
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


class Guard:
    """ASGI middleware that refuses what does not come from a page of this server.

    The path of every address begins with the token, and the host of every request names the port.
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


def _with_headers(send: Send) -> Send:
    """Adds the security headers to responses."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            extra = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            message["headers"] = [*message.get("headers", []), *extra]
        await send(message)

    return sending
