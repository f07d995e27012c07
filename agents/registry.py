"""Agents by name: one line of text for each, for command lines, tournaments and tables."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from agents.agent import Agent, RandomAgent
from agents.ea_mcts import EAMCTS, ESMCTS, SIEAMCTS, ESpMCTS
from agents.expectimax import Expectimax
from agents.mcts import MCTS
from agents.rng import Seed
from agents.star_minimax import StarMinimax

AGENTS: dict[str, Callable[..., Agent]] = {
    "random": RandomAgent,
    "mcts": MCTS,
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
    "star1": partial(StarMinimax, depth=2, probing_factor=0),
    "star2": partial(StarMinimax, depth=2, probing_factor=1),
    "star2.5": partial(StarMinimax, depth=2, probing_factor=4),
}
"""What makes each agent, by name; options are its keyword arguments."""

_SPECIFICATION = re.compile(r"\s*([^\s()]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_OPTION = re.compile(r"\s*(\w+)\s*=\s*(.*?)\s*", re.DOTALL)


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
    name, options = _parsed(specification)
    if name not in AGENTS:
        raise ValueError(f"agent must be one of {', '.join(AGENTS)}, got {name!r}")
    known = [option for option in inspect.signature(AGENTS[name]).parameters if option != "seed"]
    for option in options:
        if option not in known:
            shown = ", ".join(known) or "none"
            raise ValueError(f"{name!r} has no option {option!r}; its options are: {shown}")
    return AGENTS[name](**options, seed=seed)


def _parsed(specification: str) -> tuple[str, dict[str, Any]]:
    """The name and the options of a specification."""
    match = _SPECIFICATION.fullmatch(specification)
    if match is None:
        raise ValueError(
            f"agent must read like 'name' or 'name(option=value)', got {specification!r}"
        )
    name, text = match.groups()
    options: dict[str, Any] = {}
    for part in _parts(text or ""):
        option = _OPTION.fullmatch(part)
        if option is None:
            raise ValueError(
                f"options must read like option=value, got {part!r} in {specification!r}"
            )
        if option[1] in options:
            raise ValueError(f"option {option[1]!r} is given twice in {specification!r}")
        options[option[1]] = _value(option[2])
    return name, options


def _parts(text: str) -> list[str]:
    """The text cut at its commas, those inside parentheses, brackets or quotes left out."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if character == "," and depth == 0 and not quote:
            parts.append("")
            continue
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        depth += 0 if quote else (character in "([{") - (character in ")]}")
        parts[-1] += character
    return parts if text.strip() else []


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
