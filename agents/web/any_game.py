"""What pages need of any installed game: pictures, moves in words, levels and players.

A model may show more by the methods ``_repr_svg_`` and ``places``, which the page "Your own game"
of the documentation describes; without a picture, the page shows the model as text.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from agents import catalogue
from agents.catalogue import named_players
from agents.forward_model import ForwardModel
from agents.playing.analysis import Judged
from agents.playing.game_file import started
from agents.playing.players import Players
from agents.specification import parsed

_LOG = logging.getLogger(__name__)
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
    return [choice_of(model, action, places) for action in actions]


def choice_of(model: ForwardModel, action: int, places: Mapping[int, Point]) -> Choice:
    """An action of a position as the page shows it."""
    return Choice(action, model.action_to_string(action), places.get(action))


def players_for(game: str) -> Players:
    """The players that a page may name in a game: those of any game, and its own."""
    name, _ = parsed("game", game)
    players = catalogue.game(name).players
    known = named_players()
    full = {f"{name}.{key}": text for key, text in players.items()}
    short = {key: text for key, text in players.items() if known.get(key) == text}
    allowed = Players(LEVELS, full | short, judges=JUDGES)
    named = {key: text for key, text in allowed.named.items() if allowed.allows(key)}
    return replace(allowed, named=named)


def facts_of(games: set[str], language: str) -> dict[str, Any]:
    """What the page needs to know of games; those that cannot be built are left out."""
    sizes, about = _sizes_of(games), dict[str, Any]()
    for text in sizes:
        game = catalogue.game(parsed("game", text)[0])
        about[game.name] = {
            "title": game.title,
            "rules": game.translated_rules.get(language, game.rules),
            "sides": game.sides,
            "is_win_or_loss": game.is_win_or_loss,
        }
    named = {text: [*players_for(text).named] for text in sizes}
    return {"sizes": sizes, "named": named, "about": about}


def _sizes_of(games: set[str]) -> dict[str, int]:
    """The number of players of each game that can be built."""
    sizes: dict[str, int] = {}
    for game in sorted(games):
        try:
            sizes[game] = started(game, 0).num_players
        except Exception as error:  # games of other packages may raise anything
            _LOG.warning("the game %r cannot be built: %s", game, error)
    return sizes


def is_decided(judged: Judged[ForwardModel], search: Callable[[ForwardModel], Any]) -> bool:
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
