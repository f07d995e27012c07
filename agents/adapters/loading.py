"""Loads games of OpenSpiel, and refuses those that planners cannot search."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from agents.adapters.package import pyspiel
from agents.checks import suggestion

_MOVES = re.compile(r"[-+\d\s]+")
"""How most games write a position: the numbers of the moves that led to it, with blanks between."""
_TYPE = pyspiel.GameType
_SEARCHABLE = {
    "dynamics": (_TYPE.Dynamics.SEQUENTIAL,),
    "information": (_TYPE.Information.PERFECT_INFORMATION,),
    "chance_mode": (_TYPE.ChanceMode.DETERMINISTIC, _TYPE.ChanceMode.EXPLICIT_STOCHASTIC),
}
"""The properties of a game's type that planners need, and their values."""


def loaded(game: Any, position: str | None = None) -> tuple[Any, Any]:
    """A game of OpenSpiel and one of its positions.

    Args:
        game: The name of a game, a ``pyspiel.Game``, or a ``pyspiel.State``, which is copied.
        position: The text of a position, from ``pyspiel.State.serialize``; None for the start.

    Returns:
        A ``pyspiel.Game`` and a new ``pyspiel.State``.

    Raises:
        TypeError: If `game` is none of these.
        ValueError: If OpenSpiel does not know the game, a parameter or the position, or planners
            cannot search the game.
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
