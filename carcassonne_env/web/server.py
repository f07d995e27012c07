"""The server of Carcassonne in the browser."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agents.checks import check_range
from agents.web import server, site
from agents.web.address import HOST
from agents.web.messages import MAX_FILE
from agents.web.site import file_of, language_of

from .. import replaying
from ..play.levels import LEVELS

if TYPE_CHECKING:
    from .room import House

STATIC = Path(__file__).parent / "static"


class Site(site.Site):
    """The page of Carcassonne.

    Args:
        players: Players that the page proposes for the first game; None for its own choice.
        games: Folder in which games are kept; None to keep none.
    """

    static = STATIC

    def __init__(self, players: list[str] | None = None, games: Path | None = None) -> None:
        super().__init__(partial(_house, games))
        self._players = players

    def routes(self) -> list[Route]:
        """What the page asks for besides."""
        return [
            Route("/games/{game}.html", self._replayed),
            Route("/symbols.svg", self._symbols),
            Route("/facts.json", self._facts),
            Route("/help.html", self._help),
        ]

    async def _symbols(self, request: Request) -> Response:
        house: Any = await self.house()  # which has imported the game, here and below
        from ..drawing.rendering import symbols_svg

        for tile in house.drawing:
            await asyncio.shield(asyncio.wrap_future(tile))
            if await request.is_disconnected():  # as when the server ends
                return Response(status_code=503)
        return Response(await asyncio.to_thread(symbols_svg), media_type="image/svg+xml")

    def _help(self, request: Request) -> Response:
        text = (STATIC / "help.html").read_text("utf-8")
        html = Template(text).substitute(self.words(language_of(request)))
        return Response(html, media_type="text/html")

    async def _facts(self, _: Request) -> Response:
        await self.house()
        from ..play.view import game_facts

        known = await asyncio.to_thread(game_facts)
        own = {"players": self._players, "levels": LEVELS, "max_file": MAX_FILE}
        return JSONResponse(own | known)

    async def _replayed(self, request: Request) -> Response:
        room = await self.room(request)
        variations = [(table.saved(), table.losses.values()) for _, _, table in room.variations()]
        page = replaying.replay(room.table.saved(), room.table.losses.values(), variations)
        html = await asyncio.to_thread(page.to_html, language=language_of(request))
        return file_of(room, "html", "text/html", html)


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
        ValueError: If there are too many players or one is refused, or the file holds no address or
            one with another port.
    """
    if players:
        from ..play.players import player_of_page
        from .messages import MAX_PLAYERS

        check_range("the number of players", len(players), 1, MAX_PLAYERS)
        for player in players:
            player_of_page(player)
    server.serve(partial(Site, players, games), port, ready, address, host)


def _house(games: Path | None) -> House:
    from .room import House

    return House(games)
