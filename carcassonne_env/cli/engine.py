"""``carcassonne engine``: one of the players here as a program that other programs can play."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def engine(
    player: Annotated[str, typer.Argument(help='specification, such as "mcts(iterations=100)"')],
) -> None:
    """Play by the protocol for players in other programs, through standard input and output.

    One JSON object a line; examples/benchmark/README.md describes it.

    carcassonne engine greedy
    """
    from agents.engine import serve
    from agents.registry import make

    from ..position_data import from_data

    make(player)  # refuses it before the first game
    serve(lambda seed: make(player, seed=seed), from_data, sys.stdin, sys.stdout)
