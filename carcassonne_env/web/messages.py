"""The messages between page and server, as JSON objects with a ``type``.

The page sends one of `Message`. The server answers with what `written` writes:

- "state": ``game``, the name by which a page opens the game again; ``view``, a `View` of a
  position; ``is_thinking``, whether an agent or a hint is searching, or waits for a free processor;
  ``is_held``, whether the agents are halted; ``is_answer``, whether it answers `Look` and does not
  show the present.
- "thought": ``game``; ``thought``, a `Thought` of the search from the position at ``ply``.
- "weighed": ``game``; ``ply``; ``action``; ``preview``, a `Preview` of this action.
- "analysis": ``game``; ``is_running``; ``losses``, a `Loss` for each move analysed so far.
- "error": ``message``, a sentence for the reader that says what was wrong.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import to_json

from ..play.players import MAX_SPECIFICATION

MAX_MESSAGE = 16_384
"""Longest message of a page, in characters."""

Player = Annotated[str, Field(min_length=1, max_length=MAX_SPECIFICATION)]
Name = Annotated[str, Field(max_length=MAX_SPECIFICATION)]
Ply = Annotated[int, Field(ge=0, le=1000)]
Seed = Annotated[int, Field(ge=0, lt=2**53)]
Action = Annotated[int, Field(ge=0, lt=2**31)]


class _FromPage(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class New(_FromPage):
    """Starts a game."""

    type: Literal["new"]
    players: Annotated[list[Player], Field(min_length=1, max_length=5)]  # see `player_of_page`
    tiles: Literal["base", "small"] = "base"
    meeples: Annotated[int, Field(ge=1, le=7)] = 7  # of each player
    known_order: bool = False  # whether everybody knows the order of the tiles
    seed: Seed | None = None  # None for a random one
    pause: Annotated[float, Field(ge=0, le=10)] = 0.6  # least seconds between moves of agents


class Open(_FromPage):
    """Continues a game: after a reload or a restart of the server, or in a second page."""

    type: Literal["open"]
    game: Annotated[str, Field(min_length=1, max_length=64)]


class Load(_FromPage):
    """Opens a saved game; ``text`` is its file."""

    type: Literal["load"]
    text: Annotated[str, Field(max_length=MAX_MESSAGE)]


class Recorded(_FromPage):
    """Opens a game from the table of a tournament."""

    type: Literal["recorded"]
    setup: Annotated[str, Field(max_length=64)]  # the name of the kind of game
    seed: Seed
    players: Annotated[list[Name], Field(max_length=5)]  # a name for each player
    actions: Annotated[list[Action], Field(max_length=1000)]  # with chance outcomes, in order


class Play(_FromPage):
    """Plays an action of the person to move; ``ply`` is the one that the page shows."""

    type: Literal["play"]
    ply: Ply
    action: Action


class Weigh(_FromPage):
    """Asks what an action would do; ``ply`` is the one that the page shows."""

    type: Literal["weigh"]
    ply: Ply
    action: Action


class Look(_FromPage):
    """Asks for an earlier position of the game."""

    type: Literal["look"]
    ply: Ply


class Analyse(_FromPage):
    """Asks a level what each move of the game so far has lost; None ends the analysis."""

    type: Literal["analyse"]
    level: Name | None


class Hold(_FromPage):
    """Halts the agents, or lets them go on."""

    type: Literal["hold"]
    is_held: bool


class Wish(_FromPage):
    """What a word says.

    - "undo" takes back the last move of a person and what followed.
    - "hint" asks the strongest planner about the position of the person to move.
    - "resign" gives the game up.
    - "hurry" has the planner that thinks play what it has found so far.
    """

    type: Literal["undo", "hint", "resign", "hurry"]


Entry = New | Open | Load | Recorded
"""What brings a page to a game."""
Message = Annotated[
    Entry | Play | Weigh | Look | Analyse | Hold | Wish, Field(discriminator="type")
]
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)


def read(text: str) -> Message:
    """The message that a page sent.

    Raises:
        ValueError: If the text is too long or no message; the error names what is wrong.
    """
    if len(text) > MAX_MESSAGE:
        raise ValueError(f"a message must have {MAX_MESSAGE} characters or less, got {len(text)}")
    try:
        return _MESSAGE.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise ValueError(f"{place or 'message'}: {first['msg']}") from None


def written(type: str, **members: Any) -> str:
    """A message of the server as JSON; the module describes its members."""
    return to_json({"type": type, **members}).decode()
