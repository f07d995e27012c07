"""The games of a data set, and playing them again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.checks import check_number, is_text
from agents.version import __version__

from ..game_setup import Setup
from ..model import CarcassonneModel
from ..tiles import LETTERS
from ..turns import decisions_of


class Game(NamedTuple):
    """A game as it was played.

    Attributes:
        seed: The seed of the game.
        outcomes: uint8[draws], the types of the tiles, 0 (A) to 23 (X), in the order in which they
            were drawn. If the players know the order, it is here as a whole.
        actions: uint16[moves], of each move the index of the action among the legal ones in
            ascending order.
        values: float32[moves], the return that the player's search expected for the player to move;
            NaN for random moves, and for players that do not search.
        is_random: bool[moves], whether the move was drawn at random in place of the player's.
        scores: int32[players], the final scores.
    """

    seed: int
    outcomes: NDArray[np.uint8]
    actions: NDArray[np.uint16]
    values: NDArray[np.float32]
    is_random: NDArray[np.bool_]
    scores: NDArray[np.int32]

    @staticmethod
    def of(
        seed: int,
        outcomes: Sequence[int],
        actions: Sequence[int],
        values: Sequence[float | None],
        is_random: Sequence[bool],
        scores: Sequence[int],
    ) -> Game:
        """A game of these numbers; None stands for a value that is not known."""
        return Game(
            seed,
            np.array(outcomes, np.uint8),
            np.array(actions, np.uint16),
            np.array(values, np.float32),
            np.array(is_random, np.bool_),
            np.array(scores, np.int32),
        )


class Step(NamedTuple):
    """A move of a game: the model's action, and what `Game` says of it."""

    action: int
    value: float
    is_random: bool

    def actions_in(self, model: CarcassonneModel, in_two_steps: bool) -> list[int]:
        """The action as one or as the two of a turn in two steps, in the position before it."""
        return decisions_of(model, self.action) if in_two_steps else [self.action]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Games of one kind, with one player in all seats. They are checked when the data set is made.

    Attributes:
        setup: The kind of game.
        player: The specification of the player.
        exploration: The probability of a move at random in place of the player's.
        games: The games.
        package: The version of the distribution that played them.

    Raises:
        ValueError: If an attribute is not as described, a game has a draw or an action that is not
            possible, or does not lead to its scores. The message names the game.
    """

    setup: Setup
    player: str
    exploration: float
    games: Sequence[Game]
    package: str = __version__

    def __post_init__(self) -> None:
        for name, text in (("player", self.player), ("package", self.package)):
            if not is_text(text) or not text.isprintable():
                raise ValueError(f"{name} must be a text without control characters, got {text!r}")
        check_number("exploration", self.exploration, 0, 1)
        if not self.games:
            raise ValueError("games must be one or more, got none")
        for number, game in enumerate(self.games):
            try:
                self._check(game)
            except ValueError as error:
                raise ValueError(f"game {number} (seed {game.seed}): {error}") from None

    def _check(self, game: Game) -> None:
        lengths = len(game.actions), len(game.values), len(game.is_random)
        if len(set(lengths)) > 1:
            raise ValueError(f"actions, values and is_random must have one length, got {lengths}")
        if np.isinf(game.values).any():
            raise ValueError("values must be finite or NaN, got an infinite one")
        *_, (model, _) = _replay(self.setup, game)
        if tuple(game.scores) != model.scores:
            raise ValueError(
                f"scores must be those of the last position, {model.scores}, got {game.scores}"
            )

    def replay(self, number: int) -> Iterator[tuple[CarcassonneModel, Step]]:
        """Plays a game again.

        Args:
            number: The index of the game in `games`.

        Yields:
            The position before each move of a player, and the move. The position is always the same
            object: clone it to keep it. After the last move it is the final position.

        Raises:
            IndexError: If there is no such game.
        """
        if not 0 <= number < len(self.games):
            raise IndexError(f"number must be in [0, {len(self.games)}), got {number}")
        return _replay(self.setup, self.games[number])


def _replay(setup: Setup, game: Game) -> Iterator[tuple[CarcassonneModel, Step]]:
    """As `Dataset.replay`; raises ValueError where the game breaks the rules."""
    model, draws = _start(setup, game)
    moves = zip(*(column.tolist() for column in game[2:5]), strict=True)
    while not model.is_terminal():
        if model.is_chance_node():
            model.apply_action(_next("outcomes", draws))
            continue
        index, value, is_random = _next("actions", moves)
        actions = model.legal_actions()
        if not 0 <= index < len(actions):
            raise ValueError(
                f"an action must be an index of {len(actions)} legal ones after "
                f"{len(model.board)} tiles, got {index}"
            )
        step = Step(int(actions[index]), value, is_random)
        yield model, step
        model.apply_action(step.action)
    for name, rest in (("outcomes", draws), ("actions", moves)):
        if left := len(list(rest)):
            raise ValueError(f"{name} must end with the game, got {left} more")


def _start(setup: Setup, game: Game) -> tuple[CarcassonneModel, Iterator[int]]:
    """The start of a game, and the outcomes of its chance nodes."""
    if (game.outcomes >= len(LETTERS)).any():
        raise ValueError(f"outcomes must be below {len(LETTERS)}, got {game.outcomes.max()}")
    outcomes = game.outcomes.tolist()
    order = [LETTERS[outcome] for outcome in outcomes] if setup.known_order else None
    model = CarcassonneModel(setup.num_players, setup.num_meeples, setup.tiles, order=order)
    return model, iter([] if setup.known_order else outcomes)


def _next(name: str, items: Iterator[Any]) -> Any:
    try:
        return next(items)
    except StopIteration:
        raise ValueError(f"{name} must go on to the end of the game, got too few") from None
