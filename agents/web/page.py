"""The server of the page of any game."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agents import catalogue
from agents.catalogue import game_names
from agents.playing.game_file import started
from agents.specification import parsed

from . import server, site
from .address import HOST
from .any_game import LEVELS, House, players_for
from .messages import MAX_FILE
from .site import language_of

_LOG = logging.getLogger(__name__)


class Site(site.Site):
    """The page of any game.

    Args:
        game: The game that the page proposes.
        players: Players that it proposes for the first game; None for its own choice.
        games: Folder in which games are kept; None to keep none.
    """

    static = site.STATIC

    def __init__(
        self, game: str, players: list[str] | None = None, games: Path | None = None
    ) -> None:
        super().__init__(partial(House, games, game))
        self._game, self._players = game, players

    def routes(self) -> list[Route]:
        """What the page asks for besides."""
        return [Route("/facts.json", self._facts)]

    def _facts(self, request: Request) -> Response:
        language = language_of(request)
        sizes = sizes_of({*game_names(), self._game})
        named = {name: [*players_for(name).named] for name in sizes}
        games = [catalogue.game(parsed("game", name)[0]) for name in sizes]
        rules = [each.translated_rules.get(language, each.rules) for each in games]
        about = {
            each.name: {
                "title": each.title,
                "rules": text,
                "sides": each.sides,
                "is_win_or_loss": each.is_win_or_loss,
            }
            for each, text in zip(games, rules, strict=True)
        }
        own = {"game": self._game, "players": self._players, "levels": LEVELS}
        page = {"max_file": MAX_FILE, "sizes": sizes, "named": named, "about": about}
        return JSONResponse(own | page)


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
    server.serve(partial(Site, game, players, games), port, ready, address, host)
