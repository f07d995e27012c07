"""A table of Carcassonne and its pages: moves are weighed, and games analysed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from agents.agent import Agent
from agents.playing.players import Players, names_of
from agents.web import room
from agents.web.keeper import Keeper
from agents.web.messages import Play, Wish, written
from agents.web.room import Send, random_seed

from ..drawing.rendering import symbols_svg
from ..game_setup import Setup
from ..jcloisterzone.messages import from_json
from ..model import CarcassonneModel
from ..play.players import ALLOWED, HINT, LEVELS, limited, player_of_page
from ..play.preview import preview_of
from ..play.view import regions_of
from ..position import PlacedTile
from ..replaying import MoveLoss, SavedGame, analyse_game
from ..replaying.analysis import loss_of
from ..tiles import LETTERS
from . import messages
from .table import Practice, Table
from .thinking import Thinking, Thought

SEARCHES = 3
"""Number of searches of each position of a game that is analysed."""


class Room(room.Room):
    """A game and the pages that show it. Its methods run in the event loop."""

    thinking = Thinking
    hint = HINT
    table: Table

    def __init__(
        self,
        name: str,
        table: Table,
        players: Players,
        pool: ThreadPoolExecutor,
        pause: float,
        keeper: Keeper,
    ) -> None:
        super().__init__(name, table, players, pool, pause, keeper)
        self.is_held = table.practice is not None  # until the person has seen what the move lost
        self._analysing: Event | None = None  # set to end the analysis
        self._following: asyncio.Task[None] | None = None

    def enter(self, page: Send, browser: str = "") -> None:
        """Adds a page of a browser, shows it the game, and lets the agents go on."""
        super().enter(page, browser)
        page(self._analysis())

    def stop(self) -> None:
        """Stops the search and the analysis."""
        super().stop()
        self._stop_analysis()

    def take(self, message: Any, page: Send) -> None:
        """Does what a page asks.

        Raises:
            ValueError: If it cannot be done now.
        """
        match message:
            case messages.Weigh():
                page(self._weighed(message.ply, message.action, page))
            case messages.Analyse():
                self.check_player(page)
                self._analyse(message.level)
            case Play(ply=ply) if self.table.practice and ply == self.table.practice.ply:
                super().take(message, page)
                self._stop_analysis()
                self._analyse(self.table.judge, first=ply + 1)
            case Wish(type="undo"):
                super().take(message, page)
                self.tell_all(self._analysis())
            case _:
                super().take(message, page)

    def _weighed(self, ply: int, action: int, page: Send) -> str:
        self.check_turn(ply, page)
        after = self.table.position
        preview = preview_of(after, action)
        after.apply_action(action)
        farms = [region for region in regions_of(after) if region["kind"] == "farm"]
        what = {"game": self.name, "ply": ply, "action": action}
        return written("weighed", **what, preview=preview, farms=farms)

    def _keep(self) -> None:
        """Keeps the game, but no practice before planners go on."""
        if self.table.practice is None or not self.is_held:
            super()._keep()

    # Analysis

    def _analyse(self, level: str | None, first: int = 1) -> None:
        """Analyses the moves from the first one on; None for the level ends the analysis."""
        if level is None:
            self._stop_analysis()
            return self.tell_all(self._analysis())
        if self._analysing is not None:
            raise ValueError("an analysis is under way; stop it first")
        if level not in LEVELS:
            raise ValueError(f"a game is analysed by one of {', '.join(LEVELS)}, got {level!r}")
        end, table, thoughts = Event(), self.table, dict[int, Thought]()

        def searched(number: int, model: CarcassonneModel, result: Any) -> None:
            thinking = Thinking(judge, model, partial(thoughts.__setitem__, number))
            thinking.conclude(result, result.seconds)

        judge = ALLOWED.agent(level)
        losses = analyse_game(
            table.saved(),
            limited(LEVELS[level]),
            searches=SEARCHES,
            first=first,
            is_stopped=end.is_set,
            searched=searched,
        )
        self._analysing, table.judge = end, level
        table.forget(first - 1)
        self._following = asyncio.get_running_loop().create_task(
            self._follow(losses, thoughts, end)
        )
        return self.tell_all(self._analysis())

    async def _follow(
        self, losses: Iterator[MoveLoss], thoughts: dict[int, Thought], end: Event
    ) -> None:
        """Tells the pages how an analysis goes on, until it ends or is stopped.

        Other searches take turns with those of each move.
        """
        loop = asyncio.get_running_loop()
        try:
            while (loss := await loop.run_in_executor(self._pool, next, losses, None)) is not None:
                if end.is_set():
                    return
                self.table.losses[loss.number] = loss
                thought = thoughts.pop(loss.number, None)
                if thought and loss.better:
                    judged = replace(thought, judge=self.table.judge)
                    self.table.judged[loss.number - 1] = judged
                self.tell_all(self._analysis())
        except Exception as error:
            self.refuse(f"the analysis failed: {error}")
        if not end.is_set():
            self._stop_analysis()
            self.tell_all(self._analysis())

    def _stop_analysis(self) -> None:
        if self._analysing is not None:
            self._analysing.set()
        self._analysing = None

    def _analysis(self) -> str:
        losses = [loss_of(loss) for _, loss in sorted(self.table.losses.items())]
        state = {"is_running": self._analysing is not None, "judge": self.table.judge}
        practice = self.table.practice
        return written("analysis", game=self.name, **state, losses=losses, practice=practice)


class House(room.House):
    """All games of a server.

    Attributes:
        drawing: What ends when a tile is drawn: while the browser starts.
    """

    room_type = Room
    file_type = SavedGame
    read = messages.read

    def __init__(self, games: Path | None = None) -> None:
        super().__init__(games)
        self.drawing = [self.pool.submit(_draw, letter) for letter in LETTERS]

    def new(self, message: messages.New | messages.Recorded | messages.Retry) -> Table:
        """The table with the game that a page starts, tries again, or brings from a table of games.

        Raises:
            ValueError: If a player or the game is refused.
        """
        if isinstance(message, messages.Recorded):
            setup = Setup.named(message.setup)
            game = SavedGame.of(setup, message.players, message.actions, message.seed)
            return Table(setup, [None] * len(game.players), game.players, message.seed, game)
        if isinstance(message, messages.Retry):
            return self._retried(self.opened(message.game).table, message)
        players = [player_of_page(text) for text in message.players]
        setup = Setup(len(players), message.meeples, message.tiles, message.known_order)
        seed = random_seed() if message.seed is None else message.seed
        return Table(setup, players, names_of(message.players), seed)

    def _retried(self, past: Any, message: messages.Retry) -> Table:
        """A table with a position of the past, and what the moves before it lost."""
        table: Table = self.resumed(past.before(message.ply, is_free=message.is_free))
        table.judge = past.judge
        table.practice = Practice(message.game, message.ply, message.is_free)
        table.losses, table.judged = past.losses, past.judged
        table.forget(message.ply)
        return table

    def file(self, text: str) -> SavedGame:
        """The game that the text of a file holds, which may be one of JCloisterZone.

        Raises:
            ValueError: If it holds none.
        """
        return from_json(text)

    def going_on(self, game: SavedGame, players: Sequence[Agent | None]) -> Table:
        """A table at which a saved game goes on."""
        return Table(game.setup, players, game.players, random_seed(), game)

    def players_for(self, game: Table | SavedGame) -> Players:
        """The players that a game may name."""
        return ALLOWED


def _draw(letter: str) -> None:
    """Draws a tile in every rotation; `symbols_svg` has it then at once."""
    symbols_svg(PlacedTile(letter, 0, 0, rotation) for rotation in range(4))
