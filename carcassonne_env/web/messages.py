"""The messages of the page of Carcassonne, beside those of `agents.web.messages`.

The server answers `Weigh` with "weighed": ``game``; ``ply``; ``action``; ``preview``, a `Preview`
of this action; ``farms``, the farms after it, each a `Region`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agents.web import messages
from agents.web.messages import KINDS, Action, Arrival, FromPage, Name, Player, Ply, Reader, Seed

MAX_PLAYERS = 5
"""The rules are for so many at most."""


class New(messages.Start):
    """Starts a game."""

    players: Annotated[list[Player], Field(min_length=1, max_length=MAX_PLAYERS)]
    tiles: Literal["base", "small"] = "base"
    meeples: Annotated[int, Field(ge=1, le=7)] = 7  # of each player
    known_order: bool = False  # whether everybody knows the order of the tiles


class Recorded(Arrival):
    """Opens a game from the table of a tournament."""

    type: Literal["recorded"]
    setup: Annotated[str, Field(max_length=64)]  # the name of the kind of game
    seed: Seed
    players: Annotated[list[Name], Field(max_length=MAX_PLAYERS)]  # a name for each player
    actions: Annotated[list[Action], Field(max_length=1000)]  # with chance outcomes, in order


class Weigh(FromPage):
    """Asks what an action would do; ``ply`` is the one that the page shows."""

    type: Literal["weigh"]
    ply: Ply
    action: Action


Message = New | Recorded | Weigh | KINDS
read = Reader(Message)
