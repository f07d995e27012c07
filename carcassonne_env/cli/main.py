"""The command ``carcassonne`` and its errors."""

from __future__ import annotations

import io
import sys

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
HELP = """\
Carcassonne: play, watch planners think, hold tournaments, reproduce publications.

Players are planners as one line of text, such as "mcts(c=0.5, iterations=1000)", random, greedy,
strongest, expectimax-2-vs, star2.5, ea-mcts, siea-mcts, es-mcts; or your own as module:name, an
agent or a function of the model."""


def main() -> None:
    """Runs the command; what goes wrong is told in one line."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # boards have characters that not all consoles do
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
    """Reads the arguments and does what they say."""
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
