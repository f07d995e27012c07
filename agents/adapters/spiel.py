"""What the model takes from OpenSpiel: games that planners can search, and tensors as planes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.checks import extra, suggestion
from agents.rng import Rng

with extra("openspiel", "OpenSpiel"):
    import pyspiel as pyspiel

_MOVES = re.compile(r"[-+\d\s]+")
"""How most games write a position: the numbers of the moves that led to it, with blanks between."""
_TYPE = pyspiel.GameType
_SEARCHABLE = {
    "dynamics": (_TYPE.Dynamics.SEQUENTIAL,),
    "information": (_TYPE.Information.PERFECT_INFORMATION,),
    "chance_mode": (_TYPE.ChanceMode.DETERMINISTIC, _TYPE.ChanceMode.EXPLICIT_STOCHASTIC),
}
"""The properties of a game's type that planners need, and their values."""
NUM_GAMES = 10
"""Random games in which the range of a game's tensors is found."""


def loaded(game: Any, position: str | None = None) -> tuple[Any, Any]:
    """A ``pyspiel.Game`` that planners can search, and a new ``pyspiel.State`` of it.

    The game is given by name, by a ``pyspiel.Game``, or by a ``pyspiel.State``, which is copied;
    the position by the text of ``pyspiel.State.serialize``, or it is the start. Whatever OpenSpiel
    refuses is a ValueError.
    """
    state = None
    if isinstance(game, pyspiel.State) and position is None:
        game, state = game.get_game(), game.clone()
    elif isinstance(game, str):
        check_name(game.partition("(")[0])
        game = _called(pyspiel.load_game, "game", game)
    if not isinstance(game, pyspiel.Game):
        raise TypeError(
            "game must be a text, a pyspiel.Game, or a pyspiel.State without a further position, "
            f"got {game!r}"
        )
    _check(game)
    if position is not None:
        state = _called(partial(_read, game), "position", position)
    if state is None:
        state = _called(lambda _: game.new_initial_state(), "game", str(game))
    return game, state


def check_name(name: str) -> None:
    """Raises ValueError unless OpenSpiel has a game with this name."""
    names = pyspiel.registered_names()
    if name not in names:
        hint = suggestion(name, names) or "; pyspiel.registered_names() lists them"
        raise ValueError(f"game must be one of OpenSpiel, got {name!r}{hint}")


def _read(game: Any, text: str) -> Any:
    """The position of a game with this text; moves are checked, OpenSpiel itself would crash.

    Its own check crashes, too, where it cannot name the move.
    """
    if not _MOVES.fullmatch(text):  # the game has a format of its own
        return game.deserialize_state(text)
    state = game.new_initial_state()
    for move in map(int, text.split()):
        if move not in state.legal_actions():
            raise ValueError(f"{move} is not legal after {state.move_number()} moves")
        state.apply_action(move)
    return state


def _called(function: Any, name: str, text: str) -> Any:
    """What a function of OpenSpiel makes of a text."""
    try:
        return function(text)
    except (pyspiel.SpielError, IndexError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(f"OpenSpiel cannot read the {name} {text!r}: {error}") from None


def _check(game: Any) -> None:
    """Raises ValueError unless planners can search the game; names the property that is wrong."""
    kind = game.get_type()
    for name, allowed in _SEARCHABLE.items():
        value = getattr(kind, name)
        if value not in allowed:
            shown = " or ".join(one.name for one in allowed)
            raise ValueError(
                f"planners need a game whose {name} is {shown}, that of {kind.short_name!r} is "
                f"{value.name}"
            )


def planes(state: Any, player: int) -> NDArray[np.float32]:
    """The observation tensor of a ``pyspiel.State``: float32[planes, rows, columns] in [0, 1].

    A tensor with one dimension becomes planes of one cell, and a tensor with two becomes one plane.
    If there are more than three, all dimensions but the last two count planes. A game without
    observation tensors shows its information state, which is the same with perfect information.

    The numbers are OpenSpiel's if these lie in [0, 1]. Otherwise, as in backgammon, they are scaled
    by the range that `NUM_GAMES` random games meet, and cut where they leave it.
    """
    game = state.get_game()
    low, high = _range(str(game))
    shape = getattr(game, f"{_kind(game)}_shape")()
    cells = shape[-2:] if len(shape) > 1 else (1, 1)
    numbers = (_tensor(state, player) - low) / np.float32(high - low)
    return numbers.clip(0, 1).reshape(-1, *cells)


def _kind(game: Any) -> str:
    """The name of the tensor that a game has."""
    kind = game.get_type()
    if kind.provides_observation_tensor:
        return "observation_tensor"
    if kind.provides_information_state_tensor:
        return "information_state_tensor"
    raise NotImplementedError(
        f"the game {kind.short_name!r} of OpenSpiel has no observation tensor"
    )


def _tensor(state: Any, player: int) -> NDArray[np.float32]:
    return np.asarray(getattr(state, _kind(state.get_game()))(player), dtype=np.float32)


@cache
def _range(name: str) -> tuple[np.float32, np.float32]:
    """The smallest and the largest number in the tensors of random games, and 0 and 1."""
    game, rng = pyspiel.load_game(name), Rng(0)
    numbers = [np.arange(2, dtype=np.float32)]
    for _ in range(NUM_GAMES):
        for state in _random_game(game, rng):
            for player in range(game.num_players()):
                tensor = _tensor(state, player)
                numbers.append(np.array([tensor.min(), tensor.max()]))
    return np.min(numbers), np.max(numbers)


def _random_game(game: Any, rng: Rng) -> Iterator[Any]:
    """Yields the positions of a game in which all actions and outcomes are equally likely."""
    state = game.new_initial_state()
    yield state
    while not state.is_terminal():
        actions = state.legal_actions()
        state.apply_action(actions[rng.below(len(actions))])
        yield state
