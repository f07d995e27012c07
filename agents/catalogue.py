"""Games that installed distributions register, and the named players of these games.

A distribution registers a game with an entry point of the group ``agents.games`` in its
``pyproject.toml``::

    [project.entry-points."agents.games"]
    carcassonne = "carcassonne_env.entry"

The entry point is a module, or another object, with three attributes:

- ``make``: a function or a Python class that takes options by name, one of them perhaps
  ``seed``, and returns a `ForwardModel`;
- ``HEURISTICS``: a tuple of the names of the heuristics that its models know;
- ``PLAYERS``: a mapping from names of players to specifications for `agents.make`, for example
  ``{"greedy": "expectimax(depth=1)"}``.

Others are optional:

- ``AGENTS``: a mapping from names to factories of agents that play this game only. Its options are
  their keyword arguments, one of them ``seed``.
- ``TITLE``: the name of the game for people; without it, its name with a capital letter.
- ``RULES``: the rules for people, as plain text; the first sentence tells the aim. An empty line
  begins a paragraph, and "• " a line of its own;
- ``TRANSLATED_RULES``: a mapping from codes of languages, such as "de", to the rules in them;
- ``SIDES``: a word for each player, such as the colour of the pieces;
- ``IS_WIN_OR_LOSS``: whether returns are 1 for a win, 0 for a draw and -1 for a loss, which pages
  tell as a winning chance.

A library with many games of its own registers all of them with one entry point of the group
``agents.game_collections``, a module with a function ``entry`` that returns such an object for the
name of a game. The collection's name and a colon come before the name of the game::

    [project.entry-points."agents.game_collections"]
    openspiel = "agents.adapters.openspiel_entry"  # openspiel:hex

`add_game` makes a game known in one process, without an entry point.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from agents.checks import suggestion
from agents.forward_model import ForwardModel
from agents.rng import Seed
from agents.specification import build, parsed, signature_of

GROUP = "agents.games"
COLLECTIONS = "agents.game_collections"
T = TypeVar("T")
_added: dict[str, Callable[..., ForwardModel]] = {}
"""What makes the games that `add_game` added, by name."""


class Game(NamedTuple):
    """A registered game: the name of its entry point, and what that has, as the module says."""

    name: str
    make: Callable[..., ForwardModel]
    heuristics: tuple[str, ...]
    players: Mapping[str, str]
    agents: Mapping[str, Callable[..., Any]]
    rules: str = ""
    sides: tuple[str, ...] = ()
    translated_rules: Mapping[str, str] = MappingProxyType({})
    is_win_or_loss: bool = False
    title: str = ""


@cache
def game_names() -> tuple[str, ...]:
    """The names of all installed games, sorted."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


@cache
def collection_names() -> tuple[str, ...]:
    """The names of all installed collections of games, sorted."""
    return tuple(sorted({point.name for point in entry_points(group=COLLECTIONS)}))


def known_names() -> tuple[str, ...]:
    """How each game can be named; ``openspiel:NAME`` stands for all games of a collection."""
    return (*game_names(), *(f"{collection}:NAME" for collection in collection_names()))


def add_game(name: str, make: Callable[..., ForwardModel]) -> None:
    """Makes a game known in this process by any name; it has no named players."""
    if _added.get(name) is not make:
        _added[name] = make
        game.cache_clear()


@cache
def game(name: str) -> Game:
    """The registered game with this name, or the game of a collection: ``"openspiel:hex"``."""
    if name in _added:
        make = _added[name]
        return Game(name, make, tuple(getattr(make, "heuristics", ())), {}, {}, title=name)
    collection, colon, member = name.partition(":")
    point = _point(COLLECTIONS, collection) if colon else _point(GROUP, name)
    if point is None:
        hint = suggestion(name, game_names()) or (
            f"; an installed package brings a game by an entry point of the group {GROUP!r}"
        )
        raise ValueError(f"game must be one of {', '.join(known_names())}, got {name!r}{hint}")
    entry: Any = point.load().entry(member) if colon else point.load()
    for attribute in ("make", "HEURISTICS", "PLAYERS"):
        if not hasattr(entry, attribute):
            raise TypeError(
                f"the entry point {point.value!r} of the game {name!r} has no {attribute}"
            )
    return Game(
        name,
        entry.make,
        tuple(entry.HEURISTICS),
        dict(entry.PLAYERS),
        dict(getattr(entry, "AGENTS", {})),
        rules=getattr(entry, "RULES", ""),
        sides=tuple(getattr(entry, "SIDES", ())),
        translated_rules=dict(getattr(entry, "TRANSLATED_RULES", {})),
        is_win_or_loss=bool(getattr(entry, "IS_WIN_OR_LOSS", False)),
        title=getattr(entry, "TITLE", name[:1].upper() + name[1:]),
    )


def _point(group: str, name: str) -> EntryPoint | None:
    """The last entry point of a group with this name."""
    return {point.name: point for point in entry_points(group=group)}.get(name)


def make_game(specification: str, *, seed: Seed = None) -> ForwardModel:
    """Builds the game that a specification describes, at its start.

    Args:
        specification: A name from `game_names`, or the name of a game in a collection. Options in
            parentheses replace the defaults: ``"carcassonne(num_players=3)"``,
            ``"fop(function=f4)"``, ``"openspiel:hex(board_size=7)"``. The seed may be one of them:
            ``"tactics(deterministic=True, seed=3)"``.
        seed: Seed of the start, in games whose start is random.

    Raises:
        ImportError: If the game needs a package that is not installed.
        TypeError: If an option has a wrong type.
        ValueError: If the name or an option is unknown, a value is refused, or the text cannot be
            read.
    """
    name, options = parsed("game", specification)
    factory = game(name).make
    takes_seed = "seed" in signature_of(factory).parameters
    if takes_seed and "seed" in options and seed is not None:
        raise ValueError(
            f"{specification!r} fixes the seed, and seed={seed!r} is given as well: leave it out "
            "of the text where each game has a seed of its own"
        )
    given = {"seed": seed} if takes_seed and "seed" not in options else {}
    return build("game", {name: factory}, specification, **given)


@dataclass(frozen=True)
class NamedGame:
    """A game by its specification for `make_game`, as a function of a seed.

    Unlike a model, it can have any start.

    Attributes:
        specification: The specification.
        make: What makes the game, if it is one to `add_game`; other processes do not know it yet.
    """

    specification: str
    make: Callable[..., ForwardModel] | None = None

    def __call__(self, seed: int) -> ForwardModel:
        """The start of a game."""
        if self.make is not None:
            add_game(parsed("game", self.specification)[0], self.make)
        return make_game(self.specification, seed=seed)


def named_players() -> dict[str, str]:
    """The specifications of the named players of all installed games, by ``game.player``.

    A name ``player`` that only one game has is a key too. The players of a game that cannot be
    loaded are missing, with a RuntimeWarning.
    """
    return _of_all_games(lambda game: game.players)


def named_agents() -> dict[str, Callable[..., Any]]:
    """The factories of agents that play one game only, named as in `named_players`."""
    return _of_all_games(lambda game: game.agents)


def _of_all_games(members: Callable[[Game], Mapping[str, T]]) -> dict[str, T]:
    """The members of all games that can be loaded, by ``game.member`` and by unique ``member``."""
    found = {(name, key): member for name in game_names() for key, member in _loaded(name, members)}
    alone = [key for _, key in found]
    return {f"{name}.{key}": member for (name, key), member in found.items()} | {
        key: member for (_, key), member in found.items() if alone.count(key) == 1
    }


def _loaded(name: str, members: Callable[[Game], Mapping[str, T]]) -> list[tuple[str, T]]:
    """The members of a game; none, and a warning, if the game cannot be loaded."""
    try:
        return list(members(game(name)).items())
    except Exception as error:
        warnings.warn(f"the game {name!r} cannot be loaded: {error}", RuntimeWarning, stacklevel=4)
        return []
