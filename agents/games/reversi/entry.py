"""Reversi as `agents.games` finds it by name."""

from __future__ import annotations

from .model import Reversi


def make(plus: bool = False) -> Reversi:
    """A game at its start, which is a chance event in Reversi Plus; see `Reversi`."""
    return Reversi(plus)


HEURISTICS = Reversi.heuristics
PLAYERS: dict[str, str] = {}
