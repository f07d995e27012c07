"""Options that several commands share; players, games and folders named by text.

The modules of commands import planners and games in functions, so that ``--help`` loads none.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

if TYPE_CHECKING:
    from agents.catalogue import NamedGame


Game = Annotated[str | None, typer.Option(help='game and its options, such as "hex(size=7)"')]
Seed = Annotated[int | None, typer.Option(min=0, help="seed of the game and the planners")]
Entrants = Annotated[list[str], typer.Argument(help="any number of players, also as name=player")]
Games = Annotated[
    int, typer.Option(min=1, max=2**31 - 1, help="games of a match; every seat order is a match")
]
Rule = Annotated[
    Literal["thesis", "galvan"], typer.Option(help="which defeats earn a league point")
]
Table = Annotated[
    Path,
    typer.Option("--out", file_okay=False, help="folder for the table of games, tournament.csv"),
]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="worker processes; default 1, in a cluster all its workers"),
]
Backend = Annotated[
    Literal["local", "dask", "ray"], typer.Option(help="where games run: here or in a cluster")
]
Address = Annotated[str | None, typer.Option(help="address of a running Dask or Ray cluster")]


def named_game(text: str | None) -> NamedGame:
    """The game that a text of the command line names, which may be imported.

    The text is a specification of `agents.games.make`, or ``module:name`` with options, for a class
    or function that makes a model. Any other text is refused by ValueError.
    """
    from agents.catalogue import NamedGame, add_game, collection_names, known_names
    from agents.forward_model import ForwardModel
    from agents.specification import parsed

    if text is None:
        known = ", ".join(known_names())
        raise ValueError(f"--game must name one of the games {known}, or one of yours: module:name")
    name, _ = parsed("game", text)
    module, colon, _ = name.partition(":")
    if not colon or module in collection_names():
        return NamedGame(text.strip())
    factory = imported("game", name)
    if not callable(factory) or isinstance(factory, ForwardModel):
        raise ValueError(
            f"game {name!r} must be a class or a function that makes a model, got {factory!r}"
        )
    add_game(name, factory)
    return NamedGame(text.strip(), factory)


_NAMED = re.compile(r"\s*([^()=]+?)\s*=\s*(.+)", re.DOTALL)
"""A player with a name before it: a bracket comes before the signs "=" of options."""


def texts_by_name(texts: Iterable[str]) -> dict[str, str]:
    """The texts of players by name; a text without "name=" before it is its own name."""
    players: dict[str, str] = {}
    for text in texts:
        match = _NAMED.fullmatch(text)
        name, player = match.groups() if match else (text, text)
        if name in players:
            raise ValueError(
                f"players must have different names, got {name!r} twice: put another name and = "
                "before it"
            )
        players[name] = player
    return players


class Entrant(NamedTuple):
    """A player of a contest: its name, its text, and what `player_of` returned for the text."""

    name: str
    text: str
    player: Any

    @property
    def identity(self) -> str:
        """The text that identifies it in a table of games: its name and what it is now.

        So games are played again after the player that a name stands for has changed.
        """
        from agents.registry import make

        is_text = isinstance(self.player, str)
        return f"{self.name}={make(self.player).specification if is_text else self.text}"


def entrants_of(players: Mapping[str, str]) -> list[Entrant]:
    """The entrants of a contest from their texts by name, as `texts_by_name` returns them."""
    return [Entrant(name, text, player_of(text)) for name, text in players.items()]


_PROGRAM = re.compile(r"\s*process\s*\(\s*(?:command\s*=)?")
"""The beginning of a player that is a program; its first option is the command."""


def player_of(text: str) -> Any:
    """The player that a text of the command line names, which may be imported or a program.

    Of a specification of `agents.make` it is the text itself; of ``module:name`` what has this
    name: an agent, another object with ``act``, a function, or such a text; of
    ``process(./engine)`` the program's agent, see `agents.engine`. Other texts are refused by
    ValueError. A text from a file must not come here, but to `agents.playing.players.Players`:
    whoever opens a file must not run code that it names.
    """
    from agents.engine import ProcessAgent
    from agents.registry import as_agent, make
    from agents.specification import build

    if _PROGRAM.match(text):
        specification = _PROGRAM.sub("process(command=", text, count=1)
        return build("agent", {"process": ProcessAgent}, specification)
    module, colon, _ = text.partition(":")
    if not colon or "(" in module:
        make(text)  # raises
        return text
    player = imported("player", text)
    try:
        as_agent(player, name=f"player {text!r}")
    except TypeError as error:
        raise ValueError(str(error)) from None
    return player


def imported(kind: str, text: str) -> Any:
    """What a text ``module:name`` names; modules of the working directory are found, too."""
    module, _, name = text.partition(":")
    if os.getcwd() not in sys.path:  # not removed: worker processes copy the path
        sys.path.insert(0, os.getcwd())
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, SyntaxError, TypeError, ValueError) as error:
        raise ValueError(f"{kind} {text!r} cannot be imported: {error}") from error


def games_folder(program: str) -> Path:
    """The folder in which games of a program are kept while people play them.

    An environment variable names it, such as CARCASSONNE_GAMES; by default it is the program's own.
    A user without a home folder has none, which is refused by ValueError.
    """
    variable = f"{program.upper()}_GAMES"
    folder = Path(os.environ.get(variable) or Path(typer.get_app_dir(program), "games"))
    if folder.parts[0] == "~":
        raise ValueError(f"there is no home folder to keep games in: set {variable} to a folder")
    return folder


def code_of(player: Any, text: str, weights: Iterable[Path] = ()) -> int:
    """A checksum of the files that decide how a player plays; 0 without files.

    So a player whose files have changed plays its games again. ``player`` is what `player_of`
    returned for the text, and ``weights`` are files that it reads besides its own.
    """
    from agents.engine import ProcessAgent
    from agents.files import checksum
    from agents.registry import make

    if isinstance(player, ProcessAgent):
        files = player.words
    elif isinstance(player, str):
        files = [getattr(make(player), "checkpoint", "")]
    else:
        files = [getattr(sys.modules.get(text.partition(":")[0]), "__file__", "")]
    paths = filter(os.path.isfile, files)  # it takes any text for a path, also a long one
    return checksum([*paths, *weights])
