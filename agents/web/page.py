"""The server of the page of any game."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agents import catalogue
from agents.catalogue import game_names
from agents.playing.game_file import started
from agents.specification import parsed

from . import server
from .address import HOST
from .any_game import LEVELS, House, players_for
from .messages import MAX_FILE

_LOG = logging.getLogger(__name__)
STATIC = Path(__file__).parent / "static"


def application(
    game: str, players: list[str] | None = None, games: Path | None = None
) -> Starlette:
    """The ASGI application.

    The page proposes the game and the players for the first game; None for its own choice.
    Games are kept in the folder ``games``; None to keep none.
    """

    def facts(_: Request) -> Response:
        sizes = sizes_of({*game_names(), game})
        named = {name: [*players_for(name).named] for name in sizes}
        games = [catalogue.game(parsed("game", name)[0]) for name in sizes]
        about = {each.name: {"rules": each.rules, "sides": each.sides} for each in games}
        own = {"game": game, "players": players, "levels": LEVELS, "max_file": MAX_FILE}
        return JSONResponse({**own, "sizes": sizes, "named": named, "about": about})

    page = partial((STATIC / "page.html").read_text, "utf-8")
    routes = [Route("/facts.json", facts)]
    return server.application(server.Door(partial(House, games, game)), STATIC, page, routes)


def sizes_of(games: set[str]) -> dict[str, int]:
    """The number of players of each game; those that cannot be built are left out."""
    sizes: dict[str, int] = {}
    for game in sorted(games):
        try:
            sizes[game] = started(game, 0).num_players
        except Exception as error:  # games of other packages may raise anything
            _LOG.warning("the game %r cannot be built: %s", game, error)
    return sizes


def serve(
    game: str,
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
        game: The game that the page proposes, as `agents.catalogue.make_game` takes it.
        port: As in `agents.web.server.serve`.
        players: Players that the page proposes for the first game.
        ready: As in `agents.web.server.serve`.
        games: Folder in which games are kept, so that a later server goes on with them; None to
            keep none.
        address: As in `agents.web.server.serve`.
        host: As in `agents.web.server.serve`.

    Raises:
        ImportError: If the game needs a package that is not installed.
        OSError: If port or host cannot be listened at, or the file cannot be written.
        TypeError, ValueError: If the game or a player is refused, or the file holds no address or
            one with another port.
    """
    size = started(game, 0).num_players
    if players and len(players) != size:
        raise ValueError(f"players must be {size} for {game}, got {len(players)}")
    for player in players or []:
        players_for(game).player(player)
    server.serve(partial(application, game, players, games), port, ready, address, host)
