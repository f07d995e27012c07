"""A table of Carcassonne and its pages: moves are weighed."""

from __future__ import annotations

from collections.abc import Sequence

from agents.playing.players import Players, names_of
from agents.web import room
from agents.web.messages import written
from agents.web.room import random_seed
from agents.web.seats import Send

from ..game_setup import Setup
from ..jcloisterzone.messages import from_json
from ..play.players import ALLOWED, HINT, player_of_page
from ..play.points import preview_of
from ..play.view import regions_of
from ..replaying import SavedGame
from . import messages
from .table import Table, Thinking


class Room(room.Room):
    """A game and the pages that show it. Its methods run in the event loop."""

    table: Table

    def _weigh(self, message: messages.Weigh, page: Send) -> None:
        self.seats.check_turn(page, message.ply)
        after = self.table.position
        preview = preview_of(after, message.action)
        after.apply_action(message.action)
        farms = [region for region in regions_of(after) if region["kind"] == "farm"]
        what = {"game": self.name, "ply": message.ply, "action": message.action}
        page(written("weighed", **what, preview=preview, farms=farms))

    answers = room.Room.answers | {"weigh": _weigh}


class House(room.House):
    """All games of a server."""

    room_type = Room
    file_type = SavedGame
    read = messages.read
    thinking = Thinking
    hint = HINT

    def new(self, message: messages.New | messages.Recorded) -> Table:
        """The table with the game that a page starts or brings from a table of games."""
        if isinstance(message, messages.Recorded):
            setup = Setup.named(message.setup)
            game = SavedGame.of(setup, message.players, message.actions, message.seed)
            past: Table = self.resumed(game)
            return past
        players = [player_of_page(text) for text in message.players]
        setup = Setup(len(players), message.meeples, message.tiles, message.known_order)
        seed = random_seed() if message.seed is None else message.seed
        return Table(setup, players, names_of(message.players), seed)

    def file(self, text: str) -> SavedGame:
        """The game that the text of a file holds, which may be one of JCloisterZone."""
        return from_json(text)

    def going_on(self, game: SavedGame, players: Sequence[str | None]) -> Table:
        """A table at which a saved game goes on."""
        return Table(game.setup, players, game.players, random_seed(), game)

    def players_for(self, game: Table | SavedGame) -> Players:
        """The players that a game may name."""
        return ALLOWED
