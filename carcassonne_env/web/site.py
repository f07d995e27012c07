"""The page of Carcassonne, and what a browser can ask of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from agents.checks import check_range
from agents.web import site
from agents.web.site import file_of, language_of

from .. import replaying
from ..play.levels import LEVELS

if TYPE_CHECKING:
    from .room import House

STATIC = Path(__file__).parent / "static"


class Site(site.Site):
    """The page of Carcassonne."""

    static = STATIC

    def __init__(self, players: Sequence[str] | None = None, games: Path | None = None) -> None:
        super().__init__("carcassonne", players, games)

    def check_players(self, players: Sequence[str]) -> None:
        """Raises ValueError if these cannot be the players of the first game."""
        if players:
            from ..play.players import player_of_page
            from .messages import MAX_PLAYERS

            check_range("the number of players", len(players), 1, MAX_PLAYERS)
            for player in players:
                player_of_page(player)

    def make_house(self) -> House:
        """The house; this imports the game, which the first page does without."""
        from .room import House

        return House(self.games)

    def facts(self, language: str) -> dict[str, Any]:
        """What the page needs to know of the game."""
        from ..play.view import game_facts

        return {"levels": LEVELS, **game_facts()}

    def routes(self) -> list[Route]:
        """What the page asks for besides."""
        return [
            Route("/games/{game}.html", self._replayed),
            Route("/symbols.svg", self._symbols),
            Route("/help.html", self._help),
        ]

    async def _symbols(self, _: Request) -> Response:
        await self.house()  # which has imported the game
        from ..drawing.rendering import symbols_svg

        return Response(await asyncio.to_thread(symbols_svg), media_type="image/svg+xml")

    def _help(self, request: Request) -> Response:
        text = (STATIC / "help.html").read_text("utf-8")
        html = Template(text).substitute(self.words(language_of(request)))
        return Response(html, media_type="text/html")

    async def _replayed(self, request: Request) -> Response:
        room = await self.room(request)
        variations = [(table.saved(), table.losses.values()) for _, _, table in room.variations()]
        page = replaying.replay(room.table.saved(), room.table.losses.values(), variations)
        html = await asyncio.to_thread(page.to_html, language=language_of(request))
        return file_of(room, "html", "text/html", html)
