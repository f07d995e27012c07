"""Hex as `agents.games` finds it by name."""

from __future__ import annotations

from pathlib import Path

from ..evolved import evolved_player
from .model import Hex


def make(size: int = 11, swap: bool = False) -> Hex:
    """An empty board; the options are those of `Hex`."""
    return Hex(size, swap)


HEURISTICS = Hex.heuristics
PLAYERS = {"evolved": evolved_player(Path(__file__).with_name("evolved.txt"), reuse_tree=False)}
