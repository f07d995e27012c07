"""The messages between page and server, as pydantic models and dataclasses.

The page sends one of `Message`, told apart by ``type``. The server answers with `Told` messages:
"state" with a `View`, "thought" with a `Thought`, "analysis" with a `Loss` for each move, and
"error" with a sentence for the reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ..play.players import MAX_SPECIFICATION
from ..replaying.analysis import Loss
from .table import View
from .thinking import Thought

MAX_MESSAGE = 16_384
"""Longest message of a page, in characters."""

Player = Annotated[str, Field(min_length=1, max_length=MAX_SPECIFICATION)]
Name = Annotated[str, Field(max_length=MAX_SPECIFICATION)]
Ply = Annotated[int, Field(ge=0, le=1000)]


class _FromPage(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class New(_FromPage):
    """Starts a game.

    Attributes:
        players: The players in order of play: "me" for a person, a level, or a specification.
        tiles: The tile set.
        meeples: Meeples of each player.
        known_order: Whether everybody knows the order of the tiles.
        seed: Seed of the game; None for a random one.
        pause: Least seconds between two moves of agents.
    """

    type: Literal["new"]
    players: Annotated[list[Player], Field(min_length=1, max_length=5)]
    tiles: Literal["base", "small"] = "base"
    meeples: Annotated[int, Field(ge=1, le=7)] = 7
    known_order: bool = False
    seed: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    pause: Annotated[float, Field(ge=0, le=10)] = 0.6


class Open(_FromPage):
    """Continues a game: after a reload, or in a second page."""

    type: Literal["open"]
    game: Annotated[str, Field(min_length=1, max_length=64)]


class Load(_FromPage):
    """Opens a saved game; ``text`` is its file."""

    type: Literal["load"]
    text: Annotated[str, Field(max_length=MAX_MESSAGE)]


class Recorded(_FromPage):
    """Opens a game from the table of a tournament.

    Attributes:
        setup: The name of the kind of game.
        seed: The seed of the game.
        players: A name for each player.
        actions: Actions and chance outcomes in order.
    """

    type: Literal["recorded"]
    setup: Annotated[str, Field(max_length=64)]
    seed: Annotated[int, Field(ge=0, lt=2**53)]
    players: Annotated[list[Name], Field(max_length=5)]
    actions: Annotated[list[Annotated[int, Field(ge=0, lt=2**31)]], Field(max_length=1000)]


class Play(_FromPage):
    """Plays an action of the person to move; ``ply`` is the one that the page shows."""

    type: Literal["play"]
    ply: Ply
    action: Annotated[int, Field(ge=0, lt=2**31)]


class Look(_FromPage):
    """Asks for an earlier position of the game."""

    type: Literal["look"]
    ply: Ply


class Undo(_FromPage):
    """Takes back the last move of a person and what followed."""

    type: Literal["undo"]


class Hint(_FromPage):
    """Asks the strongest planner about the position of the person to move."""

    type: Literal["hint"]


class Resign(_FromPage):
    """Gives the game up."""

    type: Literal["resign"]


class Analyse(_FromPage):
    """Asks a level what each move of the game so far has lost; None ends the analysis."""

    type: Literal["analyse"]
    level: Name | None


class Hurry(_FromPage):
    """Has the planner that thinks play what it has found so far."""

    type: Literal["hurry"]


class Hold(_FromPage):
    """Halts the agents, or lets them go on."""

    type: Literal["hold"]
    is_held: bool


Entry = New | Open | Load | Recorded
"""What brings a page to a game."""
Message = Annotated[
    Entry | Play | Look | Undo | Hint | Resign | Analyse | Hurry | Hold,
    Field(discriminator="type"),
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


@dataclass(frozen=True)
class State:
    """The position of a game.

    Attributes:
        game: The name of the game, by which a page opens it again.
        view: The position.
        is_thinking: Whether an agent or a hint is searching, or waits for a free processor.
        is_held: Whether the agents are halted.
        is_answer: Whether it answers `Look`; else it shows the present.
    """

    game: str
    view: View
    is_thinking: bool
    is_held: bool
    is_answer: bool = False
    type: str = "state"


@dataclass(frozen=True)
class Progress:
    """What a search has found so far, from the position at ``ply``."""

    game: str
    ply: int
    thought: Thought
    type: str = "thought"


@dataclass(frozen=True)
class Analysis:
    """What the moves of a game lost, as far as they were analysed.

    Attributes:
        game: The name of the game.
        is_running: Whether the analysis goes on.
        losses: The moves in order.
    """

    game: str
    is_running: bool
    losses: tuple[Loss, ...]
    type: str = "analysis"


@dataclass(frozen=True)
class Refusal:
    """A sentence that says what was wrong with a message."""

    message: str
    type: str = "error"


Told = State | Progress | Analysis | Refusal
_TOLD: TypeAdapter[Told] = TypeAdapter(Told)


def written(told: Told) -> str:
    """The message as JSON."""
    return _TOLD.dump_json(told).decode()
