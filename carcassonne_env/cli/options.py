"""Options that several commands share, and players named by text."""

from __future__ import annotations

import importlib
import os
import sys
from enum import Enum
from typing import Annotated, Any

import typer

from agents import Agent, make


class TileSet(str, Enum):
    """Names of tile sets."""

    base = "base"
    small = "small"


class Backend(str, Enum):
    """Names of backends that run games."""

    local = "local"
    dask = "dask"
    ray = "ray"


Tiles = Annotated[TileSet, typer.Option(help="tile set: base has 72 tiles, small 24")]
Meeples = Annotated[int, typer.Option(min=1, max=7, help="meeples of each player")]
KnownOrder = Annotated[
    bool, typer.Option("--known-order", help="players know the order of the tiles")
]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="worker processes; default 1, in a cluster all its workers"),
]
On = Annotated[Backend, typer.Option("--backend", help="where games run: here or in a cluster")]
Address = Annotated[str | None, typer.Option(help="address of a running Dask or Ray cluster")]


def player_of(text: str) -> Any:
    """Returns the player that a text names.

    Args:
        text: A specification of `agents.make`, or ``module:name`` for an agent or a function.

    Returns:
        The specification itself as text, or the imported agent or function.

    Raises:
        ValueError: If the text names no player.
    """
    module, colon, name = text.partition(":")
    if not colon or "(" in module:
        make(text)  # raises
        return text
    if os.getcwd() not in sys.path:  # not removed: worker processes copy the path
        sys.path.insert(0, os.getcwd())
    try:
        player = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, SyntaxError) as error:
        raise ValueError(f"player {text!r} cannot be imported: {error}") from error
    if isinstance(player, type) or not (isinstance(player, Agent) or callable(player)):
        raise ValueError(
            f"player {text!r} must be an instance of a subclass of agents.Agent with the method "
            f"choose, or a function of the model, got {player!r}"
        )
    return player
