"""The messages of the page of Carcassonne, beside those of `agents.web.messages`.

The server answers with two more:

- "weighed": ``game``; ``ply``; ``action``; ``preview``, a `Preview` of this action; ``farms``, the
  farms after it, each a `Region`.
- "analysis": ``game``; ``is_running``; ``judge``, the level that judges the moves; ``losses``, a
  `Loss` for each move analysed so far; ``practice``, a `Practice` if a `Retry` has
  opened the game, else None.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agents.web.messages import (
    KINDS,
    Action,
    Arrival,
    FromPage,
    Game,
    Name,
    Pause,
    Player,
    Ply,
    Reader,
    Seed,
    Time,
)


class New(Arrival):
    """Starts a game."""

    type: Literal["new"]
    players: Annotated[list[Player], Field(min_length=1, max_length=5)]  # see `player_of_page`
    tiles: Literal["base", "small"] = "base"
    meeples: Annotated[int, Field(ge=1, le=7)] = 7  # of each player
    known_order: bool = False  # whether everybody knows the order of the tiles
    seed: Seed | None = None  # None for a random one
    pause: Pause = 0.6  # least seconds between moves of agents
    clock: Time | None = None


class Recorded(Arrival):
    """Opens a game from the table of a tournament."""

    type: Literal["recorded"]
    setup: Annotated[str, Field(max_length=64)]  # the name of the kind of game
    seed: Seed
    players: Annotated[list[Name], Field(max_length=5)]  # a name for each player
    actions: Annotated[list[Action], Field(max_length=1000)]  # with chance outcomes, in order


class Retry(Arrival):
    """Opens the position before a move as a new game, to move otherwise.

    The person of the page takes the seat of the player who moved, or all seats for a variation. The
    planners are halted until they are let go on, and the person's move is analysed at once. The
    game is not kept before planners go on.
    """

    type: Literal["retry"]
    game: Game
    ply: Ply
    is_free: bool = False  # whether the person takes all seats
    pause: Pause = 0.6  # least seconds between moves of agents


class Weigh(FromPage):
    """Asks what an action would do; ``ply`` is the one that the page shows."""

    type: Literal["weigh"]
    ply: Ply
    action: Action


class Analyse(FromPage):
    """Asks a level what each move of the game so far has lost; None ends the analysis."""

    type: Literal["analyse"]
    level: Name | None


Message = New | Recorded | Retry | Weigh | Analyse | KINDS
read = Reader(Message)
