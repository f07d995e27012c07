"""The server of Carcassonne in the browser."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agents.playing.page_words import words_of
from agents.web import server
from agents.web.address import HOST
from agents.web.messages import MAX_FILE
from agents.web.server import Door, file_of, language_of

from .. import replaying
from ..play.levels import LEVELS

if TYPE_CHECKING:
    from .room import House

STATIC = Path(__file__).parent / "static"


def application(players: list[str] | None = None, games: Path | None = None) -> Starlette:
    """The ASGI application.

    The page proposes the players for the first game; None for its own choice.
    Games are kept in the folder ``games``; None to keep none.
    """
    door = Door(partial(_house, games))

    async def symbols(request: Request) -> Response:
        house: Any = await door.house()  # which has imported the game, here and below
        from ..drawing.rendering import symbols_svg

        for tile in house.drawing:
            await asyncio.shield(asyncio.wrap_future(tile))
            if await request.is_disconnected():  # as when the server ends
                return Response(status_code=503)
        return Response(await asyncio.to_thread(symbols_svg), media_type="image/svg+xml")

    def help_text(request: Request) -> Response:
        words = words_of(language_of(request), STATIC.parent / "words")
        html = Template((STATIC / "help.html").read_text("utf-8")).substitute(words)
        return Response(html, media_type="text/html")

    async def facts(_: Request) -> Response:
        await door.house()
        from ..play.view import game_facts

        known = await asyncio.to_thread(game_facts)
        own = {"players": players, "levels": LEVELS, "max_file": MAX_FILE}
        return JSONResponse(own | known)

    async def replayed(request: Request) -> Response:
        room = await door.room(request)
        page = replaying.replay(room.table.saved(), room.table.losses.values())
        html = await asyncio.to_thread(page.to_html, language=language_of(request))
        return file_of(room, "html", "text/html", html)

    routes = [
        Route("/games/{game}.html", replayed),
        Route("/symbols.svg", symbols),
        Route("/facts.json", facts),
        Route("/help.html", help_text),
    ]
    return server.application(door, STATIC, _page, routes)


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
    if players:
        from ..play.players import player_of_page

        for player in players:
            player_of_page(player)
    server.serve(partial(application, players, games), port, ready, address, host)


def _house(games: Path | None) -> House:
    from .room import House

    return House(games)


def _page() -> str:
    index, game = ((STATIC / f"{name}.html").read_text("utf-8") for name in ("index", "game"))
    return index.replace("$body", game)
