"""Any installed game at a table: its picture, its moves in words, and what planners think.

A model may show more by the methods ``_repr_svg_`` and ``places``, which the page "Your own game"
of the documentation describes; without a picture, the page shows the model as text.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from agents import catalogue
from agents.catalogue import game_names, named_players
from agents.forward_model import ForwardModel
from agents.game import seat
from agents.playing.analysis import Judged, MoveLoss
from agents.playing.found import attention_by
from agents.playing.game_file import PlayedGame, started
from agents.playing.players import Players, names_of
from agents.playing.session import Session
from agents.specification import parsed

from . import messages, room, table, thinking

LEVELS = {
    "beginner": "mcts(iterations=50)",
    "casual": "mcts(iterations=500)",
    "strong": "mcts(time_limit=1)",
}
"""Specifications of planners that play any game, by the name of the level."""
JUDGES = {"strong": "mcts(time_limit=0.5)"}
"""Specifications with which levels analyse games, as a position has several searches.

Of 44 moves of three games of Reversi, one got another mark (?!, ?, ??) than by searches twice as
long.
"""
HINT = "strong"
"""The level that gives hints and analyses games."""
DECIDED = 0.9
"""Return that decides a game of win, draw and loss: a winning chance of 95 %."""
MAX_CHOICES = 2000
"""Number of legal actions that a page lists at most."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Choice:
    """A legal action."""

    action: int
    words: str
    place: Point | None  # in the picture


class Thinking(thinking.Thinking[ForwardModel]):
    """One decision of an agent."""

    @staticmethod
    def shown(model: ForwardModel, action: int) -> str:
        """An action of a position as the page shows it: in words."""
        return model.action_to_string(action)

    def _rows(self, result: Any, scale: float) -> Iterator[thinking.Row]:
        """The best actions of a result, best first, with their places."""
        places = places_of(self.model)
        for row in super()._rows(result, scale):
            yield replace(row, place=places.get(row.action))

    def heat(self, result: Any) -> dict[Point, float]:
        """The attention that each place has, which many actions may share."""
        places = places_of(self.model)
        found = attention_by([places.get(int(action)) for action in result.actions], result)
        return {place: share for place, share in found.items() if place is not None}


@dataclass(frozen=True, kw_only=True)
class View(table.View):
    """A position of a game, as everybody at the table may see it."""

    game: str  # its specification
    picture: str | None  # SVG; None if the game has no pictures
    text: str | None  # the position as text, if there is no picture
    choices: list[Choice]  # the legal actions, if a person is to move now
    returns: list[float] | None  # of each player, at the end without a resignation


class Table(table.Table[ForwardModel, PlayedGame]):
    """One game between people, who are None among the players, and agents.

    Args:
        game: The game, as `agents.catalogue.make_game` takes it.
        seed: The seed of its start.
        players: The agents.
        names: A name for each player.
        past: Actions and chance outcomes with which the game has begun.
        luck: The seed of further chance outcomes and of the agents; None for `seed`.

    Raises:
        ImportError, TypeError, ValueError: If there is no such game, or the players do not fit it.
    """

    view_type = View
    seed: int

    def __init__(
        self,
        game: str,
        seed: int,
        players: Sequence[str | None],
        names: Sequence[str],
        past: Iterable[int] = (),
        luck: int | None = None,
    ) -> None:
        seated, draws = seat(players, seed if luck is None else luck)
        super().__init__(Session(started(game, seed), seated, names, draws, past), seed)
        self.game = game
        self.judge = HINT
        self._is_win_or_loss = catalogue.game(parsed("game", game)[0]).is_win_or_loss

    def game_of(self, names: Sequence[str], actions: Sequence[int]) -> partial[PlayedGame]:
        """Makes a game from this one's start, in any thread and however this one goes on."""
        return partial(PlayedGame, self.game, self.seed, names, actions)

    def lost(
        self, judged: Judged[ForwardModel], search: Callable[[ForwardModel], Any]
    ) -> MoveLoss[Any]:
        """What a move lost, with moves as a `Choice`.

        None is better if the loss is less than its error, or the move decides nothing.
        """
        loss: MoveLoss[Any] = judged.loss
        shown = partial(_choice, judged.position, places=places_of(judged.position))
        better = None if loss.standard_error > loss.difference else loss.better
        if better is not None:
            is_decided = self._is_win_or_loss and _is_decided(judged, search)
            better = None if is_decided else shown(better)
        return replace(loss, played=shown(loss.played), better=better)

    def own_members(self, model: ForwardModel, is_present: bool) -> dict[str, Any]:
        """The members that the game adds to the view of a position."""
        picture = picture_of(model)
        return {
            "game": self.game,
            "picture": picture,
            "text": str(model) if picture is None else None,
            "choices": choices_of(model) if is_present and self.is_person_to_move else [],
            "returns": self.scores() if is_present else None,
        }

    def scores(self) -> list[float] | None:
        """The returns of the players at the end."""
        if not self.session.is_over:
            return None
        rng = copy.deepcopy(self.session.rng)  # returns may be random, and stay as they are
        return list(map(float, self.session.model.sample_returns(rng)))


def _is_decided(judged: Judged[ForwardModel], search: Callable[[ForwardModel], Any]) -> bool:
    """Whether a game for two is lost before the move, or still won after it.

    The search before the move looks less closely at the moves that it holds to be weaker, so that
    the judge searches once more after a move that may win as well.
    """
    values = dict(zip(judged.result.actions, judged.result.values, strict=True))
    best = values[judged.loss.better]
    if abs(best) < DECIDED:
        return False
    after = judged.position.clone()
    after.apply_action(judged.loss.played)
    if best < 0 or after.is_chance_node():
        return bool(best < 0)
    if after.is_terminal():
        return bool(after.returns()[judged.loss.player] >= DECIDED)
    sign = 1 if after.current_player() == judged.loss.player else -1
    return bool(sign * search(after).value >= DECIDED)


def picture_of(model: ForwardModel) -> str | None:
    """The picture of a position, if its game has pictures."""
    draw = getattr(model, "_repr_svg_", None)
    return None if draw is None else str(draw())


def places_of(model: ForwardModel) -> Mapping[int, Point]:
    """The point of the picture that belongs to each legal action, as far as the game tells it."""
    places: Mapping[Any, Any] = getattr(model, "places", dict)()
    return {int(action): (float(x), float(y)) for action, (x, y) in places.items()}


def choices_of(model: ForwardModel) -> list[Choice]:
    """The legal actions of the player to move, so many that a page can list them."""
    places, actions = places_of(model), map(int, model.legal_actions()[:MAX_CHOICES])
    return [_choice(model, action, places) for action in actions]


def _choice(model: ForwardModel, action: int, places: Mapping[int, Point]) -> Choice:
    return Choice(action, model.action_to_string(action), places.get(action))


def players_for(game: str) -> Players:
    """The players that a page may name in a game: those of any game, and its own.

    Raises:
        ValueError: If there is no such game.
    """
    name, _ = parsed("game", game)
    players = catalogue.game(name).players
    known = named_players()
    full = {f"{name}.{key}": text for key, text in players.items()}
    short = {key: text for key, text in players.items() if known.get(key) == text}
    allowed = Players(LEVELS, full | short, judges=JUDGES)
    named = {key: text for key, text in allowed.named.items() if allowed.allows(key)}
    return replace(allowed, named=named)


class New(messages.New):
    """Starts a game."""

    game: Annotated[str, Field(min_length=1, max_length=1000)]
    players: Annotated[list[messages.Player], Field(min_length=1, max_length=32)]


class House(room.House):
    """All games of a server.

    Pages and files may name the games that are installed, and one more. Collections have games that
    read files, or take any time and memory to build.

    Args:
        games: The folder in which games are kept; None to keep none.
        game: The game that may be named in these words besides.
    """

    file_type = PlayedGame
    read = messages.Reader(New | messages.KINDS)
    thinking = Thinking
    hint = HINT

    def __init__(self, games: Path | None = None, game: str = "") -> None:
        super().__init__(games)
        self.game = game

    def new(self, message: New) -> Table:
        """The table with the game that a page starts.

        Raises:
            ValueError: If a player or the game is refused.
        """
        self._check(message.game)
        allowed = players_for(message.game)
        players = [allowed.player(text) for text in message.players]
        seed = room.random_seed() if message.seed is None else message.seed
        try:
            return Table(message.game, seed, players, names_of(message.players))
        except ValueError:
            raise
        except Exception as error:  # games of other packages may raise anything
            raise ValueError(f"{message.game} cannot be played: {error}") from None

    def going_on(self, game: PlayedGame, players: Sequence[str | None]) -> Table:
        """A table at which a saved game goes on."""
        return Table(game.game, game.seed, players, game.players, game.actions, room.random_seed())

    def players_for(self, game: Table | PlayedGame) -> Players:
        """The players that a game may name."""
        return players_for(game.game)

    def file(self, text: str) -> PlayedGame:
        """The game that the text of a file holds; it is built only if a page may name it.

        Raises:
            ValueError: If it holds none.
        """
        members = PlayedGame.members_of(text)
        if isinstance(game := members.get("game"), str):
            self._check(game)
        return PlayedGame.of_members(members)

    def _check(self, game: str) -> None:
        name, _ = parsed("game", game)
        if name not in game_names() and game != self.game:
            known = ", ".join(filter(None, dict.fromkeys([*game_names(), self.game])))
            raise ValueError(f"game must be one of {known}, got {game!r}")
