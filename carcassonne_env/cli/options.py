"""What the commands share: options, and players as text."""

from __future__ import annotations

import importlib
import os
import sys
from enum import Enum
from typing import Annotated, Any

import typer

from agents import Agent, make


class TileSet(str, Enum):
    """Of the game."""

    base = "base"
    small = "small"


class Backend(str, Enum):
    """Where games are played."""

    local = "local"
    dask = "dask"
    ray = "ray"


Tiles = Annotated[TileSet, typer.Option(help="base: 72 tiles, small: 24")]
Meeples = Annotated[int, typer.Option(min=1, max=7, help="of each player")]
KnownOrder = Annotated[bool, typer.Option("--known-order", help="all know the order of the tiles")]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="worker processes: one if not given, in a cluster all it has"),
]
On = Annotated[Backend, typer.Option("--backend", help="where: here, or in a cluster")]
Address = Annotated[str | None, typer.Option(help="of a Dask or Ray cluster that is there")]


def player_of(text: str) -> Any:
    """What a text names: a specification, which stays as it is, or ``module:name``.

    Raises:
        ValueError: If there is no such thing, or it is neither an agent nor a function.
    """
    module, colon, name = text.partition(":")
    if not colon or "(" in module:
        make(text)  # raises
        return text
    if os.getcwd() not in sys.path:  # stays, as worker processes take the path over
        sys.path.insert(0, os.getcwd())
    try:
        player = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, SyntaxError) as error:
        raise ValueError(f"player {text!r} cannot be imported: {error}") from error
    if isinstance(player, type) or not (isinstance(player, Agent) or callable(player)):
        raise ValueError(
            f"player {text!r} must be an agent, of a subclass of agents.Agent that has choose, "
            f"or a function of the model, got {player!r}"
        )
    return player
