"""Saved games: one JSON file each, with the setup, the players and every action.

A file is an object with these members:

- ``format``: "carcassonne-game"; ``version``: 1.
- ``setup``: ``name``, as in `Setup.name`, and ``order``: the letters of the tiles in the order of
  drawing if the players know it, else null.
- ``players``: a name for each player.
- ``actions``: actions and chance outcomes in order, as `CarcassonneModel` numbers them.
- ``scores``: the score of each player after the last action.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unicodedata import category

from agents.checks import is_text
from agents.files import write_file

from ..game_setup import Setup
from ..model import CarcassonneModel

FORMAT = "carcassonne-game"
VERSION = 1
_LISTS = ("players", "actions", "scores")


@dataclass(frozen=True)
class SavedGame:
    """A game from its start, finished or not. It is checked when it is made.

    Attributes:
        setup: The kind of game.
        players: A name for each player.
        actions: Actions and chance outcomes in order.
        order: Letters of the tiles in the order of drawing, without the start tile, in a setup with
            known order; None in others. `order_of` reads it from a start.
        scores: The score of each player after the last action.

    Raises:
        ValueError: If the setup, the players or the order do not fit together, or if an action is
            illegal. The message names its index.
    """

    setup: Setup
    players: Sequence[str]
    actions: Sequence[int]
    order: str | None = None
    scores: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", _names(self.players, self.setup.num_players))
        object.__setattr__(self, "actions", tuple(self.actions))
        object.__setattr__(self, "scores", self._checked_end().scores)
        object.__setattr__(self, "actions", tuple(map(operator.index, self.actions)))

    @staticmethod
    def of(setup: Setup, players: Sequence[str], actions: Sequence[int], seed: int) -> SavedGame:
        """A game that began with a seed, as `agents.game.play_game` and tournaments play it."""
        return SavedGame(setup, players, actions, order_of(setup(seed)))

    def start(self) -> CarcassonneModel:
        """The position before the first action."""
        setup, order = self.setup, self.order
        if not (isinstance(order, str) if setup.known_order else order is None):
            needed = "the letters of the tiles" if setup.known_order else None
            raise ValueError(
                f"order must be {needed} in the setup {setup.name!r}, got {order!r:.80}"
            )
        return CarcassonneModel(setup.num_players, setup.num_meeples, setup.tiles, order=order)

    def positions(self) -> Iterator[CarcassonneModel]:
        """Yields every position, one more than there are actions, each as a new model."""
        model = self.start()
        yield model.clone()
        for action in self.actions:
            model.apply_action(action)
            yield model.clone()

    def moves(self) -> list[tuple[CarcassonneModel, int]]:
        """The position before each move of a player, and the action."""
        played = zip(self.positions(), self.actions, strict=False)
        return [(model, action) for model, action in played if not model.is_chance_node()]

    def boards(self) -> list[CarcassonneModel]:
        """The positions after 0, 1, ... moves, with the next tile drawn if the game goes on."""
        *_, last = self.positions()
        return [*(model for model, _ in self.moves()), last]

    def _checked_end(self) -> CarcassonneModel:
        """The position after the last action; checks all actions."""
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
        return model

    # Files

    def save(self, path: str | Path) -> None:
        """Writes the game to a file, which takes the place of an earlier one in one step.

        Raises:
            OSError: If the file cannot be written; an earlier one is then unchanged.
        """
        write_file(path, self.to_json())

    @staticmethod
    def load(path: str | Path) -> SavedGame:
        """Reads a game from a file.

        Raises:
            OSError: If the file cannot be read.
            ValueError: If it does not hold a saved game. The message says what is wrong where.
        """
        try:
            return SavedGame.from_json(Path(path).read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is not a saved game: {error}") from None

    def to_json(self) -> str:
        """The game as the text of a file."""
        setup = {"name": self.setup.name, "order": self.order}
        members = {"format": FORMAT, "version": VERSION, "setup": setup}
        members |= {name: getattr(self, name) for name in _LISTS}
        return json.dumps(members) + "\n"

    @staticmethod
    def from_json(text: str) -> SavedGame:
        """The game that the text of a file holds.

        Raises:
            ValueError: If the text does not hold a saved game.
        """
        try:
            members = _object("the file", json.loads(text), ("format", "version"))
        except RecursionError:
            raise ValueError("its JSON is nested too deeply") from None
        for name, only in (("format", FORMAT), ("version", VERSION)):
            if members[name] != only or type(members[name]) is not type(only):
                raise ValueError(f"{name} must be {only!r}, got {members[name]!r:.80}")
        _object("the file", members, ("setup", *_LISTS))
        setup = _object("setup", members["setup"], ("name", "order"))
        for name in _LISTS:
            if not isinstance(members[name], list):
                raise ValueError(f"{name} must be a list, got {members[name]!r:.80}")
        if not isinstance(setup["name"], str):
            raise ValueError(f"setup's name must be a text, got {setup['name']!r:.80}")
        game = SavedGame(
            Setup.named(setup["name"]), members["players"], members["actions"], setup["order"]
        )
        if members["scores"] != list(game.scores):
            raise ValueError(
                f"scores must be {list(game.scores)}, which the actions lead to, "
                f"got {members['scores']!r:.80}"
            )
        return game


def order_of(start: CarcassonneModel) -> str | None:
    """The order of the tiles at the start of a game, which `SavedGame` takes."""
    return None if start.order is None else (start.current_tile or "") + start.order


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


def _object(name: str, value: Any, members: Sequence[str]) -> dict[str, Any]:
    """The value, if it is a JSON object with these members."""
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be a JSON object, got {value!r:.80}")
    if missing := [member for member in members if member not in value]:
        raise ValueError(f"{name} must have the member {missing[0]!r}")
    return value
