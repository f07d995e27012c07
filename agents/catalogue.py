"""The games that installed distributions bring, and the players that these games name.

A distribution brings a game by an entry point of the group ``agents.games``, in its
``pyproject.toml``::

    [project.entry-points."agents.games"]
    carcassonne = "carcassonne_env.entry"

The entry point is a module, or another object, with three attributes:

- ``make``: a function or a Python class that takes options by name, one of them perhaps
  ``seed``, and returns a `ForwardModel`;
- ``HEURISTICS``: the names of the heuristics that its models know, a tuple;
- ``PLAYERS``: specifications of `agents.make` by name, for example
  ``{"greedy": "expectimax(depth=1)"}``.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import NamedTuple

from agents.forward_model import ForwardModel
from agents.rng import Seed
from agents.specification import build, parsed

GROUP = "agents.games"


class Game(NamedTuple):
    """A game that is known by name.

    Attributes:
        name: As the entry point names it.
        make: Builds a model at its start; takes the options of the game by name.
        heuristics: Names of the heuristics that its models know.
        players: Specifications of planners by name.
    """

    name: str
    make: Callable[..., ForwardModel]
    heuristics: tuple[str, ...]
    players: Mapping[str, str]


@cache
def game_names() -> tuple[str, ...]:
    """The names of all games that are installed, sorted."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


@cache
def game(name: str) -> Game:
    """The game of a name.

    Raises:
        TypeError: If its entry point does not have the three attributes.
        ValueError: If no game has this name.
    """
    points = {point.name: point for point in entry_points(group=GROUP)}
    if name not in points:
        raise ValueError(f"game must be one of {', '.join(game_names())}, got {name!r}")
    entry = points[name].load()
    for attribute in ("make", "HEURISTICS", "PLAYERS"):
        if not hasattr(entry, attribute):
            raise TypeError(
                f"the entry point {points[name].value!r} of the game {name!r} has no {attribute}"
            )
    return Game(name, entry.make, tuple(entry.HEURISTICS), dict(entry.PLAYERS))


def make_game(specification: str, *, seed: Seed = None) -> ForwardModel:
    """The game that a text describes, at its start.

    Args:
        specification: A name of `game_names`, with options in parentheses where others than the
            default ones are wanted: ``"carcassonne(num_players=3)"``, ``"fop(function=f4)"``.
        seed: Of the start, in games whose start is random.

    Raises:
        TypeError: If an option is of no usable type.
        ValueError: If the name or an option is unknown, a value is refused, or the text cannot be
            read.
    """
    name, _ = parsed("game", specification)
    factory = game(name).make
    takes_seed = "seed" in inspect.signature(factory).parameters
    return build("game", {name: factory}, specification, **({"seed": seed} if takes_seed else {}))


def named_players() -> dict[str, str]:
    """The specifications of the players that games name.

    Returns:
        By ``game.player``, and by ``player`` alone where only one game has a player of that name.
        The players of a game that cannot be loaded are missing, with a RuntimeWarning.
    """
    players = {(name, player): text for name in game_names() for player, text in _players(name)}
    alone = [player for _, player in players]
    return {f"{name}.{player}": text for (name, player), text in players.items()} | {
        player: text for (_, player), text in players.items() if alone.count(player) == 1
    }


def _players(name: str) -> list[tuple[str, str]]:
    """The players of a game; none, and a warning, if the game cannot be loaded."""
    try:
        return list(game(name).players.items())
    except Exception as error:
        warnings.warn(f"the game {name!r} cannot be loaded: {error}", RuntimeWarning, stacklevel=3)
        return []
