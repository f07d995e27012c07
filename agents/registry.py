"""Agents by name: one line of text for each, for command lines, tournaments and tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from agents.agent import Agent, RandomAgent
from agents.evolving.planners import EAMCTS, ESMCTS, SIEAMCTS, ESpMCTS
from agents.lookahead.expectimax import Expectimax
from agents.lookahead.star_minimax import StarMinimax
from agents.mcts.planner import MCTS
from agents.rng import Seed
from agents.specification import build

AGENTS: dict[str, Callable[..., Agent]] = {
    "random": RandomAgent,
    "mcts": MCTS,
    "strongest": partial(MCTS, c=0.02, widening=(2, 0.4), expansion="ordered"),
    "ea-mcts": EAMCTS,
    "siea-mcts": SIEAMCTS,
    "es-mcts": ESMCTS,
    "es-p-mcts": ESpMCTS,
    "expectimax": Expectimax,
    "expectimax-1-s": partial(Expectimax, 1, "s"),
    "expectimax-1-vs": partial(Expectimax, 1, "vs"),
    "expectimax-2-s": partial(Expectimax, 2, "s"),
    "expectimax-2-vs": partial(Expectimax, 2, "vs"),
    "greedy": partial(Expectimax, 1, "vs"),
    "star-minimax": StarMinimax,
    "star1": partial(StarMinimax, depth=2, probing_factor=0),
    "star2": partial(StarMinimax, depth=2, probing_factor=1),
    "star2.5": partial(StarMinimax, depth=2, probing_factor=4),
}
"""What makes each agent, by name; options are its keyword arguments."""


def make(specification: str, *, seed: Seed = None) -> Agent:
    """The agent that a text describes.

    Args:
        specification: A name of `AGENTS`, with options in parentheses where others than the default
            ones are wanted: ``"greedy"``, ``"mcts(c=0.5, iterations=1000)"``. Values are Python
            literals; other text, which must have no comma outside parentheses, stands for itself:
            ``"mcts(tree_policy=Q + sqrt(ln(N)/n))"``.
        seed: Of the agent.

    Raises:
        ValueError: If the name or an option is unknown, a value is refused, or the text cannot be
            read.
    """
    return build("agent", AGENTS, specification, seed=seed)


def strongest(**options: Any) -> Agent:
    """The planner that plays the base game of Carcassonne for two best at equal time.

    At 0.1 s and at 1 s a move, of the configurations compared in
    ``examples/experiments/mcts_family.py``: UCB1 with a small constant, and actions added one by
    one, in the game's order, as visits grow.

    Args:
        options: Others of `MCTS`: a budget, a seed.
    """
    return AGENTS["strongest"](**options)
