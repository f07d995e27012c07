"""What the experiments on evolution share: a game played by searching, and their command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium

from agents import MCTS, SearchResult
from fop_env import FUNCTIONS


def searches(planner: MCTS, env: gymnasium.Env[Any, Any]) -> Iterator[SearchResult]:
    """Plays an episode that was begun; yields every search before its action is taken."""
    is_over = False
    while not is_over:
        result = planner.search(env)
        yield result
        _, _, is_over, _, _ = env.step(env.unwrapped.env_action(result.action))


def command_line(text: str, functions: list[str]) -> argparse.ArgumentParser:
    """The options of a script that searches functions and plays games of Carcassonne."""
    parser = argparse.ArgumentParser(
        description=text.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--functions", nargs="*", choices=FUNCTIONS, default=functions)
    parser.add_argument("--runs", type=at_least_two, default=100, help="searches of each function")
    parser.add_argument("--games", type=at_least_two, default=30, help="of Carcassonne")
    parser.add_argument("--iterations", type=int, default=5000, help="of each search")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder to write to")
    return parser


def at_least_two(text: str) -> int:
    """A number of samples of which a deviation can be told."""
    if int(text) < 2:
        raise argparse.ArgumentTypeError(f"must be 2 or more, got {text}")
    return int(text)
