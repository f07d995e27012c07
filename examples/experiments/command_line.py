"""The driver of the experiments: their options, the jobs, the workers and the report.

Games, searches and moves are rows of tables, so that an interrupted run continues where it stopped.
All scripts need the extra ``experiments``.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from report import Report

from agents.backends import BACKENDS, backend


@dataclass(frozen=True)
class Option:
    """An option of a script, named by a keyword of `run`: ``last_games`` is ``--last-games``."""

    default: Any  # a tuple if it takes one value or more
    help: str
    quick: Any = None  # its value in a small version, if it is another one
    least: int = 1  # the least value of an integer
    is_even: bool = False  # as half of the games are in either seat
    nargs: int | None = None  # the number of values, if it is fixed
    choices: Any = None  # the values to choose from, if they are known

    def read(self, text: str) -> Any:
        """The value that a text means; numbers have the type of the default."""
        example = self.default[0] if isinstance(self.default, tuple) else self.default
        kind = type(example)
        try:
            value = kind(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"must be {kind.__name__}, got {text!r}") from error
        if isinstance(value, int) and (value < self.least or (self.is_even and value % 2)):
            even = "even, " if self.is_even else ""
            raise argparse.ArgumentTypeError(f"must be {even}{self.least} or more, got {text}")
        return value

    def add_to(self, parser: argparse.ArgumentParser, name: str) -> None:
        """Adds the option to a parser."""
        nargs = self.nargs or ("+" if isinstance(self.default, tuple) else None)
        kept = {"default": self.default, "choices": self.choices, "help": self.help}
        parser.add_argument(f"--{name.replace('_', '-')}", type=self.read, nargs=nargs, **kept)


def grid(**values: Iterable[Any]) -> list[dict[str, Any]]:
    """A job for each combination of values, by name; the last name varies fastest."""
    return [
        dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())
    ]


def run(main: Callable[[Report], None], title: str, name: str = "", **options: Option) -> None:
    """Reads the command line, runs the script where its options say, and writes its report.

    Beside its own options, every script has those for its size, workers, cluster and folder. The
    first line of the docstring of its module describes it.

    Args:
        main: Runs the experiment and fills the report; ``report.args`` are the options.
        title: The heading of the report, which may refer to options: "{players}".
        name: The name of the report, likewise, by default that of the script.
        options: The script's own options.
    """
    parser = argparse.ArgumentParser(
        description=main.__globals__["__doc__"].splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="a small version, to OUT/quick")
    jobs = Option(1, "worker processes")
    parser.add_argument("--jobs", type=jobs.read, help=jobs.help)  # None: the backend decides
    parser.add_argument("--backend", choices=BACKENDS, default="local", help="where jobs run")
    parser.add_argument("--address", help="of a Dask or Ray cluster that is there")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder to write to")
    for option_name, option in options.items():
        option.add_to(parser, option_name)
    if parser.parse_known_args()[0].quick:
        small = {name: o.quick for name, o in options.items() if o.quick is not None}
        parser.set_defaults(**small)
    args = parser.parse_args()
    if args.quick:
        args.out /= "quick"  # a subfolder, so that results of a full run stay
    name = name or Path(main.__code__.co_filename).stem
    report = Report(args, name.format(**vars(args)), title.format(**vars(args)))
    with backend(args.backend, args.jobs, args.address):
        main(report)
    report.write()
