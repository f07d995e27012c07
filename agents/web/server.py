"""The local server: an ASGI application with one page, its files and a WebSocket.

Only pages that this server delivered may talk to it. Every address begins with a random token, the
host must be the one of the address, or this machine, and a request that names another origin is
refused.
"""

from __future__ import annotations

import asyncio
import io
import logging
import re
import secrets
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urljoin

import h11
import uvicorn
import websockets  # noqa: F401  # uvicorn imports it when a page has come
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol

from agents.playing.page_words import ENGLISH, as_data, languages, words_in, words_of

from .address import HOST, Address
from .messages import MAX_MESSAGE, Arrival, written

if TYPE_CHECKING:
    from .room import House, Room

_LOG = logging.getLogger(__name__)
MAX_PAGES = 100
"""Number of pages that may be open at the same time."""
MAX_WAITING = 100
"""Number of messages that wait for a slow page; it is closed when there are more."""
MAX_HEADERS = 32_768
"""Longest head of a request, in bytes."""
REQUEST_SECONDS = 10.0
"""Time for the whole of a request."""
CLOSING_SECONDS = 0.2
"""Time for what is still to be sent when the server ends."""
_STATIC = Path(__file__).parent / "static"
"""The files that all pages share."""
_DATE = len("2026-11-25")
_MAX_NAME = 80
"""Longest name of a file that the browser saves, in characters."""
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


class Door:
    """Leads to the house, which is made in a thread while the first page is sent.

    Args:
        made: Returns the house; it imports the game, which the first page does without.
    """

    def __init__(self, made: Callable[[], House]) -> None:
        self._made = made
        self._house: asyncio.Future[House]

    def open(self) -> None:
        """Begins to make the house."""
        self._house = asyncio.get_running_loop().run_in_executor(None, self._made)

    async def house(self) -> House:
        """The house, as soon as it is made."""
        return await asyncio.shield(self._house)

    async def room(self, request: Request) -> Room:
        """The game that the path of a request names.

        Raises:
            HTTPException: If there is none.
        """
        if (room := (await self.house()).rooms.get(request.path_params["game"])) is None:
            raise HTTPException(404, "This game is gone.")
        return room


def application(
    door: Door, static: Path, page: Callable[[], str], routes: Sequence[BaseRoute] = ()
) -> Starlette:
    """The ASGI application of a house.

    Args:
        door: Leads to the house.
        static: The folder of the page's own files. Those that all pages share need not be there.
            The folder ``words`` beside it has the page's own words.
        page: Returns the HTML of the page, a template with a "$" before each key of the words.
        routes: What the page asks for besides.
    """
    visits = set[_Visit]()
    scripts = _scripts(page(), static)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        door.open()
        yield
        (await door.house()).close()

    async def shown(request: Request) -> Response:
        language = language_of(request)
        own = static.parent / "words"
        words, english = words_of(language, own), words_of(ENGLISH, own)
        sentences = {key: words[key] for key in words if key not in english}
        choices = "".join(
            f'<option value="{code}"{" selected" * (code == language)}>{code.upper()}</option>'
            for code in languages()
        )
        html = Template(page()).substitute(
            words, words=as_data(words_in(scripts, words) | sentences), languages=choices
        )
        return Response(html, media_type="text/html")

    async def kept(_: Request) -> Response:
        games = await asyncio.to_thread((await door.house()).keeper.latest)
        return JSONResponse([game._asdict() for game in games])

    async def saved(request: Request) -> Response:
        room = await door.room(request)
        return file_of(room, "json", "application/json", room.table.saved().to_json())

    async def results(_: Request) -> Response:
        rooms = (await door.house()).rooms
        games = [{"name": name, **room.table.summary()} for name, room in rooms.items()]
        return JSONResponse(games)

    async def invitation(request: Request) -> Response:
        import segno

        address = urljoin(str(request.url), f"../#{(await door.room(request)).name}")
        picture = io.BytesIO()
        segno.make(address).save(picture, kind="svg", light="white", xmldecl=False)
        return Response(picture.getvalue(), media_type="image/svg+xml")

    async def visited(socket: WebSocket) -> None:
        if len(visits) >= MAX_PAGES:
            return await socket.close(1013, f"{MAX_PAGES} pages are open")
        await socket.accept()
        visit = _Visit(await door.house(), socket)
        visits.add(visit)
        try:
            await visit.run()
        finally:
            visits.remove(visit)

    return Starlette(
        routes=[
            Route("/", shown),
            Route("/games/{game}.json", saved),
            Route("/games/{game}.svg", invitation),
            Route("/kept.json", kept),
            Route("/results.json", results),
            WebSocketRoute("/game", visited),
            *routes,
            Route("/static/pages.js", _elements),
            Mount("/static", StaticFiles(directory=static, packages=[("agents.web", "static")])),
        ],
        lifespan=lifespan,
    )


def _scripts(page: str, static: Path) -> str:
    """The texts of the scripts that a page loads, at once or later, but for ``pages.js``."""
    paths = {path.name: path for folder in (_STATIC, static) for path in folder.glob("*.js")}
    texts: dict[str, str] = {}
    names = re.findall(r'"static/(\w+\.js)"', page)
    while names:
        if (name := names.pop()) in paths.keys() - texts.keys():
            texts[name] = paths[name].read_text("utf-8")
            names += re.findall(r'"\./(\w+\.js)"', texts[name])
    return "".join(texts.values())


def language_of(request: Request) -> str:
    """The language that the reader chose on a page, else the first known one of the browser."""
    wanted = f"{request.cookies.get('language', '')},{request.headers.get('accept-language', '')}"
    codes = [re.split("[-;]", text.strip())[0].lower() for text in wanted.split(",")]
    return next((code for code in codes if code in languages()), ENGLISH)


def file_of(room: Room, ending: str, kind: str, content: str) -> Response:
    """A file that the browser saves under the date and the players of the game."""
    words = "-".join([room.name[:_DATE], *room.table.session.names])
    name = re.sub(r"\W+", "-", words)[:_MAX_NAME].rstrip("-")
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name)}.{ending}"}
    return Response(content, media_type=kind, headers=headers)


async def _elements(_: Request) -> Response:
    return Response((files("agents") / "pages.js").read_bytes(), media_type="text/javascript")


def serve(
    made: Callable[[], Starlette],
    port: int = 0,
    ready: Callable[[str], None] = print,
    address: Path | None = None,
    host: str = HOST,
) -> None:
    """Serves until the process is interrupted.

    Args:
        made: Returns the application.
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
    with socket.socket() as listener:
        if sys.platform != "win32":  # where the option would let two servers have one port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, wanted.port))
        listener.listen(128)
        at = wanted._replace(port=listener.getsockname()[1]).found_at(host)
        if address is not None:
            at.save(address)
        ready(str(at))  # requests wait until the server runs
        config = uvicorn.Config(
            Guard(made(), at),
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


class _Visit:
    """One page, from its connection to its end."""

    def __init__(self, house: House, socket: WebSocket) -> None:
        self._house = house
        self._socket = socket
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._is_slow = False
        self._room: Room | None = None

    async def run(self) -> None:
        """Reads and answers messages until the page is closed."""
        writing = asyncio.get_running_loop().create_task(self._write())
        try:
            await self._read(writing)
        finally:
            if self._room is not None:
                self._room.leave(self._send)
            writing.cancel()

    async def _read(self, writing: asyncio.Task[None]) -> None:
        while not writing.done():  # then nobody gets the answers to what the page still asks
            event = await self._socket.receive()
            if event["type"] == "websocket.disconnect":
                return
            text, start = event.get("text"), time.perf_counter()
            try:
                if text is None:
                    raise ValueError("a message must be text")
                self._take(text)
            except ValueError as error:
                self._send(written("error", message=str(error)))
            except Exception:
                _LOG.exception("a message of the page failed: %.200r", text)
                words = "this server has a fault; it goes on all the same"
                self._send(written("error", message=words))
            await asyncio.sleep(time.perf_counter() - start)  # half of the time is for others

    def _take(self, text: str) -> None:
        message = self._house.read(text)
        if isinstance(message, Arrival):
            room = self._house.room(message)
            if self._room is not None:
                self._room.leave(self._send)
            self._room = room
            room.enter(self._send, message.browser)
        elif self._room is None:
            raise ValueError("start a game first")
        else:
            self._room.take(message, self._send)

    def _send(self, text: str) -> None:
        if not self._is_slow:
            self._is_slow = self._waiting.qsize() >= MAX_WAITING
            self._waiting.put_nowait(None if self._is_slow else text)

    async def _write(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            while (text := await self._waiting.get()) is not None:
                await self._socket.send_text(text)
            await self._socket.close(1013, "the page is too slow")
