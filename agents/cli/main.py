"""The program ``python -m agents``: its commands and how it reports errors."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable

from agents.checks import install_command

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
HELP = """\
Play games, watch planners, run tournaments, reproduce published experiments.

Name a game with its options in parentheses: "hex(size=7)". The installed games are {games}. In
play, web and tournament, name a game that you wrote as module:name, where name is a class or a
function that makes a model.

Name a planner as a player, with its options in parentheses: "mcts(c=0.5, iterations=1000)". The
planners for every game are {players}. Games bring players of their own. Name a player that you
wrote as module:name, where name is an agent or a function of the model."""

Command = Callable[..., None]


def main() -> None:
    """Runs the program."""
    from agents.catalogue import known_names
    from agents.registry import AGENTS

    help_text = HELP.format(games=_listed(known_names()), players=_listed(AGENTS))
    run(commands, help_text)


def commands() -> tuple[Command, ...]:
    """The commands. They are imported here, so that `run` reports a library that is missing."""
    from .evolve import evolve
    from .play import play
    from .reproduce import reproduce
    from .tournament import tournament
    from .web import web

    return play, web, tournament, reproduce, evolve


def run(commands: Callable[[], tuple[Command, ...]], help_text: str) -> None:
    """Runs a program with the arguments of this process, and reports errors in one line.

    ``help_text`` is what ``--help`` says before the list of commands. It ends by SystemExit.
    """
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):  # input may be no text, a console lack characters
            stream.reconfigure(errors="replace")
    try:
        _parse(commands(), help_text)
    except (KeyboardInterrupt, SystemExit) as end:  # also while commands are loaded
        if isinstance(end, SystemExit) and end.code != INTERRUPTED:
            raise
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except ModuleNotFoundError as error:
        sys.exit(f"error: {error}; {install_command('experiments')}")
    except (ImportError, MemoryError, OSError, RuntimeError, TypeError, ValueError) as error:
        sys.exit(f"error: {str(error) or type(error).__name__}")


def _parse(commands: Iterable[Command], help_text: str) -> None:
    """Parses the arguments and runs the command that they name."""
    import typer

    app = typer.Typer(
        help=help_text,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )
    for command in commands:
        app.command()(command)
    app()


def _listed(names: Iterable[str]) -> str:
    """Names as a list in a sentence."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
