"""Files of games: JSON objects with a start, the players, and every action; and their folder."""

from __future__ import annotations

import json
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar
from unicodedata import category

from agents.catalogue import make_game
from agents.checks import is_text
from agents.files import write_file
from agents.forward_model import ForwardModel
from agents.specification import parsed

from .session import Model

if TYPE_CHECKING:
    from typing_extensions import Self

Game = TypeVar("Game")
_LONGEST = 64
_NAME = re.compile(rf"[\w-]{{1,{_LONGEST}}}", re.ASCII)


class GameFile(ABC, Generic[Model]):
    """A game from its start, finished or not, as a file holds it.

    The object of a file has the members ``format``, ``version``, and those of `members`. A subclass
    is a dataclass with the fields ``players`` and ``actions``, which calls `check` when it is made.

    Attributes:
        players: A name for each player.
        actions: Actions and chance outcomes in order.
    """

    FORMAT: ClassVar[str]
    VERSION: ClassVar[int] = 1
    players: Sequence[str]
    actions: Sequence[int]

    @abstractmethod
    def start(self) -> Model:
        """The position before the first action."""

    @abstractmethod
    def members(self) -> dict[str, Any]:
        """What the file holds besides ``format`` and ``version``."""

    @classmethod
    @abstractmethod
    def of_members(cls, members: Mapping[str, Any]) -> Self:
        """The game that these members of a file describe; ValueError if they describe none."""

    def check(self, num_players: int) -> Model:
        """Checks the players and all actions; returns the position after the last one."""
        object.__setattr__(self, "players", _names(self.players, num_players))
        object.__setattr__(self, "actions", tuple(self.actions))
        model = self.start()
        for i, action in enumerate(self.actions):
            if model.is_terminal():
                raise ValueError(
                    f"actions must end with the game, which is over after {i} of them, "
                    f"got {len(self.actions)}"
                )
            if isinstance(action, bool) or not model.is_legal(action):
                kind = "a possible draw" if model.is_chance_node() else "a legal action"
                raise ValueError(f"actions[{i}] must be {kind} there, got {action!r:.80}")
            model.apply_action(action)
        object.__setattr__(self, "actions", tuple(map(operator.index, self.actions)))
        return model

    def positions(self) -> Iterator[Model]:
        """Yields every position, one more than there are actions, each as a new model."""
        model = self.start()
        yield model.clone()
        for action in self.actions:
            model.apply_action(action)
            yield model.clone()

    def moves(self) -> list[tuple[Model, int]]:
        """The position before each move of a player, and the action."""
        played = zip(self.positions(), self.actions, strict=False)
        return [(model, action) for model, action in played if not model.is_chance_node()]

    def boards(self) -> list[Model]:
        """The positions after 0, 1, ... moves, with the next chance outcome if the game goes on."""
        *_, last = self.positions()
        return [*(model for model, _ in self.moves()), last]

    def save(self, path: str | Path) -> None:
        """Writes the game to a file, which takes the place of an earlier one in one step.

        Raises:
            OSError: If the file cannot be written; an earlier one is then unchanged.
        """
        write_file(path, self.to_json())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Reads a game from a file.

        Raises:
            OSError: If the file cannot be read.
            ValueError: If it does not hold a saved game. The message says what is wrong where.
        """
        return read_game(path, cls.from_json)

    def to_json(self, **more: Any) -> str:
        """The game as the text of a file, with more members, which readers of games ignore."""
        kind = {"format": self.FORMAT, "version": self.VERSION}
        return json.dumps({**kind, **self.members(), **more}) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The game that the text of a file holds; ValueError if it holds none."""
        return cls.of_members(cls.members_of(text))

    @classmethod
    def progress(cls, members: Mapping[str, Any]) -> str:
        """How far the game of these members has come, in a few words; empty if unknown."""
        return ""

    @classmethod
    def members_of(cls, text: str) -> dict[str, Any]:
        """The members of the text of a file, after a check of its format and version."""
        members = object_in(text, ("format", "version"))
        for name, only in (("format", cls.FORMAT), ("version", cls.VERSION)):
            if members[name] != only or type(members[name]) is not type(only):
                raise ValueError(f"{name} must be {only!r}, got {members[name]!r:.80}")
        return members


@dataclass(frozen=True)
class PlayedGame(GameFile[ForwardModel]):
    """A game of any installed kind. It is checked when it is made.

    The game is one of `agents.catalogue.make_game`, whose errors it raises; the seed is that of its
    start.
    """

    FORMAT: ClassVar[str] = "agents-game"

    game: str
    seed: int
    players: Sequence[str]
    actions: Sequence[int]

    def __post_init__(self) -> None:
        self.check(self.start().num_players)

    def start(self) -> ForwardModel:
        """The position before the first action."""
        return started(self.game, self.seed)

    def members(self) -> dict[str, Any]:
        """The names of the fields, and their values."""
        return vars(self)

    @classmethod
    def of_members(cls, members: Mapping[str, Any]) -> PlayedGame:
        """The game of these fields; ValueError if they describe none."""
        object_of("the file", members, ("game", "seed", "players", "actions"))
        check_lists(members, ("players", "actions"))
        game, seed = members["game"], members["seed"]
        if not isinstance(game, str):
            raise ValueError(f"game must be a text, got {game!r:.80}")
        if type(seed) is not int or seed < 0:
            raise ValueError(f"seed must be an integer of at least 0, got {seed!r:.80}")
        try:
            return PlayedGame(game, seed, members["players"], members["actions"])
        except (ImportError, TypeError) as error:
            raise ValueError(str(error)) from None


def read_game(path: str | Path, read: Callable[[str], Game]) -> Game:
    """The game that `read` makes of the text of a file; its ValueError gets the file's name."""
    try:
        return read(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not a saved game: {error}") from None


def started(game: str, seed: int) -> ForwardModel:
    """The start of a game, with this seed unless its text has one."""
    _, options = parsed("game", game)
    return make_game(game, seed=None if "seed" in options else seed)


def object_in(text: str, members: Sequence[str]) -> dict[str, Any]:
    """The JSON object with these members that the text of a file holds, else ValueError."""
    try:
        return object_of("the file", json.loads(text), members)
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None


def object_of(name: str, value: Any, members: Sequence[str]) -> dict[str, Any]:
    """The value, if it is a JSON object with these members, else ValueError."""
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be a JSON object, got {value!r:.80}")
    if missing := [member for member in members if member not in value]:
        raise ValueError(f"{name} must have the member {missing[0]!r}")
    return value


def check_lists(members: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raises ValueError if a member with one of these names is no list."""
    for name in names:
        if not isinstance(members[name], list):
            raise ValueError(f"{name} must be a list, got {members[name]!r:.80}")


def _names(names: Sequence[str], num_players: int) -> tuple[str, ...]:
    if isinstance(names, str) or not all(map(_is_name, names)):
        raise ValueError(
            f"players must be names, each a text without control characters, got {names!r:.80}"
        )
    if len(names) != num_players:
        raise ValueError(f"players must be {num_players} names, got {len(names)}")
    return tuple(names)


def _is_name(name: Any) -> bool:
    """Whether a terminal shows the name and does nothing else with it."""
    return is_text(name) and all(category(character) != "Cc" for character in name)


# The folder in which games are kept while people play them


class KeptGame(NamedTuple):
    """A game of the folder, as a list shows it."""

    name: str  # begins with the date, such as "2026-11-25-180302-7"
    players: list[str]
    game: str  # which one, if the folder has files of several
    progress: str  # how far it has come, in words
    is_over: bool  # whether its end was kept, which may be a resignation
    resigned: int | None  # the player who has
    is_late: bool  # whether that was because of the clock


def new_name(end: object) -> str:
    """The name of a game that begins now; the end tells it from others of the same second."""
    return f"{datetime.now():%Y-%m-%d-%H%M%S}-{end}"[:_LONGEST]  # a seed may have any length


def path_of(folder: Path, name: str) -> Path:
    """The file of a game; a name that could lead out of the folder is refused by ValueError."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"a game's name must have letters, digits and dashes, got {name!r:.80}")
    return folder / f"{name}.json"


def latest(folder: Path, count: int, kind: type[GameFile[Any]]) -> list[KeptGame]:
    """The games begun last, newest first.

    Files that hold no game of this kind are left out.
    """
    games: list[KeptGame] = []
    for path in sorted(folder.glob("*.json"), reverse=True):
        try:
            members = kind.members_of(path.read_text(encoding="utf-8"))
            players = [str(player) for player in members["players"]]
            game, progress = str(members.get("game", "")), kind.progress(members)
            room = members.get("room", {})
            end = room.get("is_over") is True, room.get("resigned"), room.get("is_late") is True
            games.append(KeptGame(path.stem, players, game, progress, *end))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        if len(games) == count:
            break
    return games
