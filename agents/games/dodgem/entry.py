"""Dodgem as `agents.games` finds it by name."""

from __future__ import annotations

from .model import Dodgem


def make(size: int = 5, max_plies: int = 200) -> Dodgem:
    """A game at its start; the options are those of `Dodgem`."""
    return Dodgem(size, max_plies)


HEURISTICS = Dodgem.heuristics
PLAYERS: dict[str, str] = {}
