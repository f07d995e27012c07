"""Reversi as `agents.games` finds it by name."""

from __future__ import annotations

from pathlib import Path

from ..evolved import evolved_player
from .model import Reversi


def make(plus: bool = False) -> Reversi:
    """A game at its start, which is a chance event in Reversi Plus; see `Reversi`."""
    return Reversi(plus)


HEURISTICS = Reversi.heuristics
PLAYERS = {"evolved": evolved_player(Path(__file__).with_name("evolved.txt"))}
