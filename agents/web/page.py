"""The server of the page of any game."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agents.catalogue import game_names, make_game

from . import server
from .any_game import LEVELS, House, players_for

STATIC = Path(__file__).parent / "static"


def application(
    game: str, players: list[str] | None = None, games: Path | None = None
) -> Starlette:
    """The ASGI application.

    The page proposes the game and the players for the first game; None for its own choice.
    Games are kept in the folder ``games``; None to keep none.
    """

    def facts(_: Request) -> Response:
        sizes = {name: make_game(name, seed=0).num_players for name in game_names()}
        sizes[game] = make_game(game, seed=0).num_players
        named = {name: [*players_for(name).named] for name in sizes}
        own = {"game": game, "players": players, "levels": LEVELS}
        return JSONResponse({**own, "sizes": sizes, "named": named})

    page = partial((STATIC / "page.html").read_text, "utf-8")
    return server.application(House(games), STATIC, page, [Route("/facts.json", facts)])


def serve(
    game: str,
    port: int = 0,
    players: list[str] | None = None,
    ready: Callable[[str], None] = print,
    *,
    games: Path | None = None,
    address: Path | None = None,
) -> None:
    """Serves until the process is interrupted.

    Args:
        game: The game that the page proposes, as `agents.catalogue.make_game` takes it.
        port: The port; 0 for a free one.
        players: Players that the page proposes for the first game.
        ready: Called with the address of the page as soon as it can be opened.
        games: Folder in which games are kept, so that a later server goes on with them; None to
            keep none.
        address: File that keeps the address, so that a later server has the same; it is made if it
            is missing. None for a new address.

    Raises:
        ImportError: If the game needs a package that is not installed.
        OSError: If the port is taken or the file cannot be written.
        TypeError, ValueError: If the game or a player is refused, or the file holds no address or
            one with another port.
    """
    make_game(game, seed=0)
    for player in players or []:
        players_for(game).player(player)
    server.serve(partial(application, game, players, games), port, ready, address)
