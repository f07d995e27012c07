"""What a browser can ask of a house: the page, its files, the games and a WebSocket."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote, urljoin

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from agents.pages import imported, included
from agents.playing.page_words import ENGLISH, as_data, languages, words_in, words_of

from .messages import MAX_FILE
from .visit import Visit

if TYPE_CHECKING:
    from .room import House, Room

MAX_PAGES = 100
"""Number of pages that may be open at the same time."""
STATIC = Path(__file__).parent / "static"
"""The files that all pages share."""
_TIME = len("2026-11-25-103000")
_MAX_NAME = 80
"""Longest name of a file that the browser saves, in characters."""


class Site:
    """The page of any game, and what it asks for.

    The page proposes a game, and for the first one players, or its own choice if they are None.
    Games are kept in the folder ``games``; None is for no folder. The house is made in a thread
    while the first page is sent.
    """

    static: ClassVar[Path] = STATIC
    """The folder of ``index.html`` and the page's own files; ``words`` beside it has its words."""

    def __init__(
        self, game: str, players: Sequence[str] | None = None, games: Path | None = None
    ) -> None:
        self.game, self.players, self.games = game, players, games
        self.check_players(players or ())
        self._house: asyncio.Future[House]
        self._visits: set[Visit] = set()
        page = self.html().replace("static/", "./")
        self._scripts = "".join(imported(page, self.static, STATIC))

    # What the page of one game has of its own

    def check_players(self, players: Sequence[str]) -> None:
        """Raises ValueError if there is no such game, or these cannot be its players."""
        from agents.playing.game_file import started

        from .any_game import players_for

        size = started(self.game, 0).num_players
        if players and len(players) != size:
            raise ValueError(f"players must be {size} for {self.game}, got {len(players)}")
        for player in players:
            players_for(self.game).player(player)

    def make_house(self) -> House:
        """The house; this imports the game, which the first page does without."""
        from .room import House

        return House(self.games, self.game)

    def facts(self, language: str) -> dict[str, Any]:
        """What the page needs to know of its games."""
        from agents.catalogue import game_names

        from .any_game import LEVELS, facts_of

        games = facts_of({*game_names(), self.game}, language)
        return {"game": self.game, "levels": LEVELS, **games}

    def routes(self) -> Sequence[BaseRoute]:
        """What this page asks for besides."""
        return ()

    # What all pages have

    def html(self) -> str:
        """The page: a template with a "$" before each key of the words."""
        return included("$index_html", self.static, STATIC)

    def application(self) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                Route("/", self._page),
                Route("/facts.json", self._facts),
                Route("/games/{game}.json", self._saved),
                Route("/games/{game}.svg", self._invitation),
                Route("/kept.json", self._kept),
                Route("/results.json", self._results),
                WebSocketRoute("/game", self._visited),
                *self.routes(),
                Route("/static/pages.js", _elements),
                Mount(
                    "/static",
                    StaticFiles(directory=self.static, packages=[("agents.web", "static")]),
                ),
            ],
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self._house = asyncio.get_running_loop().run_in_executor(None, self.make_house)
        yield
        (await self.house()).close()

    async def house(self) -> House:
        """The house, as soon as it is made."""
        return await asyncio.shield(self._house)

    async def room(self, request: Request) -> Room:
        """The game that the path of a request names."""
        if (room := (await self.house()).rooms.get(request.path_params["game"])) is None:
            raise HTTPException(404, "This game is gone.")
        return room

    def words(self, language: str) -> dict[str, str]:
        """The words of the page in a language."""
        return words_of(language, self.static.parent / "words")

    async def _page(self, request: Request) -> Response:
        language = language_of(request)
        words, english = self.words(language), self.words(ENGLISH)
        sentences = {key: words[key] for key in words if key not in english}
        choices = "".join(
            f'<option value="{code}"{" selected" * (code == language)}>{code.upper()}</option>'
            for code in languages()
        )
        html = Template(self.html()).substitute(
            words, words=as_data(words_in(self._scripts, words) | sentences), languages=choices
        )
        return Response(html, media_type="text/html")

    async def _facts(self, request: Request) -> Response:
        await self.house()  # which has imported the game
        own = {"players": self.players, "max_file": MAX_FILE}
        facts = await asyncio.to_thread(self.facts, language_of(request))
        return JSONResponse(own | facts)

    async def _kept(self, _: Request) -> Response:
        games = await asyncio.to_thread((await self.house()).keeper.latest)
        return JSONResponse([game._asdict() for game in games])

    async def _saved(self, request: Request) -> Response:
        room = await self.room(request)
        more = {"room": room.saved().model_dump(exclude={"owners"})}
        return file_of(room, "json", "application/json", room.table.saved().to_json(**more))

    async def _results(self, _: Request) -> Response:
        rooms = (await self.house()).rooms
        games = [
            {"name": name, **room.table.summary()}
            for name, room in rooms.items()
            if not room.is_trial
        ]
        return JSONResponse(games)

    async def _invitation(self, request: Request) -> Response:
        import segno

        address = urljoin(str(request.url), f"../#{(await self.room(request)).name}")
        picture = io.BytesIO()
        segno.make(address).save(picture, kind="svg", light="white", xmldecl=False)
        return Response(picture.getvalue(), media_type="image/svg+xml")

    async def _visited(self, socket: WebSocket) -> None:
        if len(self._visits) >= MAX_PAGES:
            return await socket.close(1013, f"{MAX_PAGES} pages are open")
        await socket.accept()
        visit = Visit(await self.house(), socket)
        self._visits.add(visit)
        try:
            await visit.run()
        finally:
            self._visits.remove(visit)


def language_of(request: Request) -> str:
    """The language that the reader chose on a page, else the first known one of the browser."""
    wanted = f"{request.cookies.get('language', '')},{request.headers.get('accept-language', '')}"
    codes = [re.split("[-;]", text.strip())[0].lower() for text in wanted.split(",")]
    return next((code for code in codes if code in languages()), ENGLISH)


def file_of(room: Room, ending: str, kind: str, content: str) -> Response:
    """A file that the browser saves under the game, its date and time, and its players."""
    words = "-".join([room.table.game, room.name[:_TIME], *room.table.session.names])
    name = re.sub(r"\W+", "-", words)[:_MAX_NAME].rstrip("-")
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name)}.{ending}"}
    return Response(content, media_type=kind, headers=headers)


async def _elements(_: Request) -> Response:
    return Response((files("agents") / "pages.js").read_bytes(), media_type="text/javascript")
