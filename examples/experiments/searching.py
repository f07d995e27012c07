"""Shared code of the experiments on evolution: episodes search by search, and the options."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import gymnasium
from command_line import at_least_two, parser

from agents import MCTS, SearchResult
from fop_env import FUNCTIONS


def searches(planner: MCTS, env: gymnasium.Env[Any, Any]) -> Iterator[SearchResult]:
    """Plays an episode to its end; yields the result of every search before its action."""
    is_over = False
    while not is_over:
        result = planner.search(env)
        yield result
        _, _, is_over, _, _ = env.step(env.unwrapped.env_action(result.action))


def options(text: str, functions: list[str]) -> argparse.ArgumentParser:
    """The options of a script that searches functions and plays games of Carcassonne."""
    options = parser(text)
    options.add_argument("--functions", nargs="*", choices=FUNCTIONS, default=functions)
    options.add_argument("--runs", type=at_least_two, default=100, help="searches of each function")
    options.add_argument("--games", type=at_least_two, default=30, help="of Carcassonne")
    options.add_argument("--iterations", type=int, default=5000, help="of each search")
    return options
