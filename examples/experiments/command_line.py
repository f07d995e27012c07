"""Command-line options that all experiments share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from agents.backends import BACKENDS


def parser(text: str) -> argparse.ArgumentParser:
    """A parser with the shared options: size, workers, cluster, output folder.

    Args:
        text: The docstring of the script, whose first line describes it.
    """
    options = argparse.ArgumentParser(
        description=text.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    options.add_argument("--quick", action="store_true", help="a small version, to OUT/quick")
    options.add_argument("--jobs", type=int, help="worker processes")
    options.add_argument("--backend", choices=BACKENDS, default="local", help="where jobs run")
    options.add_argument("--address", help="of a Dask or Ray cluster that is there")
    options.add_argument("--out", type=Path, default=Path("results"), help="folder to write to")
    return options


def parsed(options: argparse.ArgumentParser, **quick: Any) -> argparse.Namespace:
    """The parsed arguments.

    Args:
        options: The parser.
        quick: With ``--quick``, the default values of these options.
    """
    is_quick = options.parse_known_args()[0].quick
    if is_quick:
        options.set_defaults(**quick)
    args = options.parse_args()
    if is_quick:
        args.out /= "quick"  # a subfolder, so that results of a full run stay
    return args


def positive(text: str) -> int:
    """A number of 1 or more."""
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {text}")
    return int(text)


def even(text: str) -> int:
    """An even number of games, so that half of them can be played in either seat."""
    if int(text) < 2 or int(text) % 2:
        raise argparse.ArgumentTypeError(f"must be even, 2 or more, got {text}")
    return int(text)


def at_least_two(text: str) -> int:
    """A number of samples, 2 or more, so that they have a standard deviation."""
    if int(text) < 2:
        raise argparse.ArgumentTypeError(f"must be 2 or more, got {text}")
    return int(text)
