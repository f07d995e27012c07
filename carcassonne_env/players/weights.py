"""The files of learned weights by which players of this package decide."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
OUTLOOK = "outlook-*.txt"
FILES = {
    "outlook": (OUTLOOK,),
    "forecast": (OUTLOOK,),
    "value": (OUTLOOK, "value-*.npz"),
    "network": (OUTLOOK,),  # it may correct what the outlook expects
    "network-mcts": (OUTLOOK,),
}
"""Patterns of the files by the heuristics and agents that read them."""


def weights_of(specification: str) -> list[Path]:
    """The files of this package that decide how a player plays, sorted.

    The player's specification names its heuristics and its network.
    """
    words = set(re.findall(r"[\w-]+", specification))
    patterns = {pattern for word in words for pattern in FILES.get(word, ())}
    patterns |= {f"players/networks/{word}.npz" for word in words}
    return sorted(path for pattern in patterns for path in PACKAGE.glob(pattern))
