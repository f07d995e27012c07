"""The server of Carcassonne in the browser."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agents.web import server
from agents.web.address import HOST
from agents.web.messages import MAX_FILE
from agents.web.server import file_of, language_of, room_of

from ..drawing.rendering import symbols_svg
from ..play.players import LEVELS, player_of_page
from ..play.view import game_facts
from ..position import PlacedTile
from ..replaying import replay
from ..tiles import LETTERS
from .room import House

STATIC = Path(__file__).parent / "static"


def application(players: list[str] | None = None, games: Path | None = None) -> Starlette:
    """The ASGI application.

    The page proposes the players for the first game; None for its own choice.
    Games are kept in the folder ``games``; None to keep none.
    """
    house = House(games)
    drawing = [house.pool.submit(_draw, letter) for letter in LETTERS]  # while the browser starts

    async def symbols(request: Request) -> Response:
        for tile in drawing:
            await asyncio.shield(asyncio.wrap_future(tile))
            if await request.is_disconnected():  # as when the server ends
                return Response(status_code=503)
        return Response(await asyncio.to_thread(symbols_svg), media_type="image/svg+xml")

    async def facts(_: Request) -> Response:
        known = await asyncio.to_thread(game_facts)
        own = {"players": players, "levels": LEVELS, "max_file": MAX_FILE}
        return JSONResponse(own | known)

    async def replayed(request: Request) -> Response:
        room = room_of(house, request)
        page = replay(room.table.saved(), room.table.losses.values())
        html = await asyncio.to_thread(page.to_html, language=language_of(request))
        return file_of(room, "html", "text/html", html)

    routes = [
        Route("/games/{game}.html", replayed),
        Route("/symbols.svg", symbols),
        Route("/facts.json", facts),
    ]
    return server.application(house, STATIC, _page, routes)


def serve(
    port: int = 0,
    players: list[str] | None = None,
    ready: Callable[[str], None] = print,
    *,
    games: Path | None = None,
    address: Path | None = None,
    host: str = HOST,
) -> None:
    """Serves until the process is interrupted.

    Args:
        port: As in `agents.web.server.serve`.
        players: Players that the page proposes for the first game.
        ready: As in `agents.web.server.serve`.
        games: Folder in which games are kept, so that a later server goes on with them; None to
            keep none.
        address: As in `agents.web.server.serve`.
        host: As in `agents.web.server.serve`.

    Raises:
        OSError: If port or host cannot be listened at, or the file cannot be written.
        ValueError: If a player is refused, or the file holds no address or one with another port.
    """
    for player in players or []:
        player_of_page(player)
    server.serve(partial(application, players, games), port, ready, address, host)


def _page() -> str:
    index, game = ((STATIC / f"{name}.html").read_text("utf-8") for name in ("index", "game"))
    return index.replace("$body", game)


def _draw(letter: str) -> None:
    """Draws a tile in every rotation; `symbols_svg` has it then at once."""
    symbols_svg(PlacedTile(letter, 0, 0, rotation) for rotation in range(4))
