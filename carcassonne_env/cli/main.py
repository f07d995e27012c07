"""The command ``carcassonne``: its subcommands and how it reports errors."""

from __future__ import annotations

import io
import sys

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
HELP = """\
Carcassonne: play, watch planners, run tournaments, reproduce published experiments.

Name a planner as a player: "mcts(c=0.5, iterations=1000)", random, greedy, strongest,
expectimax-2-vs, star2.5, ea-mcts, siea-mcts or es-mcts. Name a player of your own as module:name,
where name is an agent or a function of the model."""


def main() -> None:
    """Runs the command and reports errors in one line."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # some consoles lack the characters of boards
        sys.stdout.reconfigure(errors="replace")
    try:
        run()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            print("interrupted", file=sys.stderr)
        raise
    except ModuleNotFoundError as error:
        sys.exit(f'error: {error}; pip install "carcassonne-planning[experiments]"')
    except (ImportError, OSError, RuntimeError, TypeError, ValueError) as error:
        sys.exit(f"error: {error}")


def run() -> None:
    """Parses the arguments and runs the subcommand."""
    import typer

    from .analyse import analyse
    from .play import play
    from .reproduce import reproduce
    from .tournament import tournament

    app = typer.Typer(
        help=HELP,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )
    for command in (play, tournament, analyse, reproduce):
        app.command()(command)
    app()
