"""The messages between page and server, as JSON objects with a ``type``.

The page sends `New` and `KINDS`, or those of its game. The server answers with what
`written` writes:

- "state": ``game``, the name by which a page opens the game again; ``view`` of a position, see
  `Table.view`; ``is_thinking``, whether an agent or a hint is searching, or waits for a free
  processor; ``is_held``, whether the agents are halted; ``is_answer``, whether it answers `Look`
  and does not show the present; ``own``, the seats for which the page may move; ``taken``, those
  that browsers have; ``clock``, None without clocks, else ``left``, the seconds of each player (at
  the position, if the game is over), and ``running``, the player whose clock runs.
- "thought": ``game``; ``thought``, a `Thought` of the search from the position at ``ply``.
- "analysis": ``game``; ``is_running``; ``judge``, the level that judges the moves; ``losses``, a
  `Loss` for each move analysed so far; ``practice``, a `Practice` if a `Retry` has opened
  the game, else None; ``variations``, a `Variation` for each that comes from the game, once the
  game is over.
- "error": ``message``, a sentence for the reader that says what was wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import to_json

from agents.playing import MAX_SPECIFICATION

Valid = TypeVar("Valid")
MAX_FILE = 100_000
"""Longest saved game that a page opens, in bytes."""
MAX_MESSAGE = 2 * MAX_FILE + 1000
"""Longest message of a page, in characters. JSON writes each character of a file as two at most."""

Game = Annotated[str, Field(min_length=1, max_length=64)]
Player = Annotated[str, Field(min_length=1, max_length=MAX_SPECIFICATION)]
Name = Annotated[str, Field(max_length=MAX_SPECIFICATION)]
Ply = Annotated[int, Field(ge=0, lt=2**31)]
Plies = Annotated[list[Ply], Field(max_length=1000)]
Seed = Annotated[int, Field(ge=0, lt=2**53)]
Action = Annotated[int, Field(ge=0, lt=2**31)]


class FromPage(BaseModel):
    """A message of a page."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Arrival(FromPage):
    """A message that brings a page to a game."""

    browser: Annotated[str, Field(max_length=64)] = ""  # a secret by which it keeps its seats


class Time(FromPage):
    """The time of each player of a new game: at the start, and more after each move."""

    seconds: Annotated[int, Field(ge=1, le=10_800)]
    increment: Annotated[int, Field(ge=0, le=180)]


class Start(Arrival):
    """Starts a game; a page adds which, and its players."""

    type: Literal["new"]
    seed: Seed | None = None  # None for a random one
    pause: Annotated[float, Field(ge=0, le=10)] = 0.6  # least seconds between moves of agents
    clock: Time | None = None


class New(Start):
    """Starts any game."""

    game: Annotated[str, Field(min_length=1, max_length=1000)]
    players: Annotated[list[Player], Field(min_length=1, max_length=32)]


class Open(Arrival):
    """Continues a game: after a reload or a restart of the server, or in a second page."""

    type: Literal["open"]
    game: Game


class Load(Arrival):
    """Opens a saved game; ``text`` is its file."""

    type: Literal["load"]
    text: Annotated[str, Field(max_length=MAX_FILE)]


class Retry(Arrival):
    """Opens the position before a move as a new game, to move otherwise.

    The person of the page takes the seat of the player who moved, or all seats for a variation. The
    planners are halted until they are let go on, and the person's move is analysed at once. The
    game is neither kept nor listed before planners go on.
    """

    type: Literal["retry"]
    game: Game
    ply: Ply
    is_free: bool = False  # whether the person takes all seats
    mistakes: Plies = []  # the positions that the person wants to try one after the other
    solved: Plies = []  # those of them in which the person has found a good move at the first try
    later: Plies = []  # and at a later one
    shown: Plies = []  # those of which the person has seen the solution


class Play(FromPage):
    """Plays an action of the person to move; ``ply`` is the one that the page shows."""

    type: Literal["play"]
    ply: Ply
    action: Action


class Look(FromPage):
    """Asks for an earlier position of the game."""

    type: Literal["look"]
    ply: Ply


class Analyse(FromPage):
    """Asks a level what each move of the game so far has lost; None ends the analysis."""

    type: Literal["analyse"]
    level: Name | None


class Hold(FromPage):
    """Halts the agents, or lets them go on."""

    type: Literal["hold"]
    is_held: bool


class Sit(FromPage):
    """Takes the seat of a person under a name."""

    type: Literal["sit"]
    seat: Annotated[int, Field(ge=0, lt=32)]
    name: Annotated[str, Field(min_length=1, max_length=40)]


class Wish(FromPage):
    """What a word says.

    - "undo" takes back the last move of a person and what followed.
    - "hint" asks a planner about the position of the person to move.
    - "resign" gives the game up.
    - "hurry" has the planner that thinks play what it has found so far.
    """

    type: Literal["undo", "hint", "resign", "hurry"]


KINDS = Open | Load | Retry | Play | Look | Analyse | Hold | Sit | Wish
"""The messages of every game."""


class Reader:
    """Reads the messages of a page, which are of the classes of a union."""

    def __init__(self, kinds: Any) -> None:
        self._adapter = TypeAdapter[Any](Annotated[kinds, Field(discriminator="type")])

    def __call__(self, text: str) -> Any:
        """The message that a page sent; the ValueError for another text names what is wrong."""
        if len(text) > MAX_MESSAGE:
            raise ValueError(
                f"a message must have {MAX_MESSAGE} characters or less, got {len(text)}"
            )
        return validated("message", self._adapter.validate_json, text)


def validated(name: str, validate: Callable[[Any], Valid], value: Any) -> Valid:
    """What pydantic makes of a value of this name; a ValueError says in one line what is wrong."""
    try:
        return validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise ValueError(f"{place or name}: {first['msg']}") from None


def written(type: str, **members: Any) -> str:
    """A message of the server as JSON; the module describes its members."""
    message = {"type": type, **members}
    return to_json(message, inf_nan_mode="null", fallback=_plain).decode()


def _plain(value: Any) -> Any:
    """What JSON has in place of a number of NumPy, which games may return."""
    if getattr(value, "shape", None) == ():
        return value.item()
    raise TypeError(f"a message cannot hold {value!r:.80}")
