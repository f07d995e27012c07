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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from agents.playing.game_file import GameFile, check_lists, object_of

from ..game_setup import Setup
from ..model import CarcassonneModel

_LISTS = ("players", "actions", "scores")


@dataclass(frozen=True)
class SavedGame(GameFile[CarcassonneModel]):
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

    FORMAT: ClassVar[str] = "carcassonne-game"

    setup: Setup
    players: Sequence[str]
    actions: Sequence[int]
    order: str | None = None
    scores: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", self.check(self.setup.num_players).scores)

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

    def members(self) -> dict[str, Any]:
        """What the file holds besides ``format`` and ``version``."""
        setup = {"name": self.setup.name, "order": self.order}
        return {"setup": setup, **{name: getattr(self, name) for name in _LISTS}}

    @classmethod
    def of_members(cls, members: Mapping[str, Any]) -> SavedGame:
        """The game that these members of a file describe.

        Raises:
            ValueError: If they describe none.
        """
        object_of("the file", members, ("setup", *_LISTS))
        setup = object_of("setup", members["setup"], ("name", "order"))
        check_lists(members, _LISTS)
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

    @classmethod
    def progress(cls, members: Mapping[str, Any]) -> str:
        """The number of the tile to place, or that none is left, and the scores."""
        *_, end = cls.of_members(members).positions()
        tile = end.num_tiles - sum(end.bag.values())
        far = "finished" if end.is_terminal() else f"tile {tile} of {end.num_tiles}"
        return f"{far}, {' : '.join(map(str, end.scores))}"


def order_of(start: CarcassonneModel) -> str | None:
    """The order of the tiles at the start of a game, which `SavedGame` takes."""
    return None if start.order is None else (start.current_tile or "") + start.order
