"""Dodgem as `agents.games` finds it by name."""

from __future__ import annotations

from pathlib import Path

from ..evolved import evolved_player
from .model import Dodgem


def make(size: int = 5, max_plies: int = 200) -> Dodgem:
    """A game at its start; the options are those of `Dodgem`."""
    return Dodgem(size, max_plies)


HEURISTICS = Dodgem.heuristics
PLAYERS = {"evolved": evolved_player(Path(__file__).with_name("evolved.txt"))}
SIDES = ("black", "white")
RULES = """\
You win if it is your turn and you have no move: because all your cars are gone, or because the
other player has blocked them. Black's cars start at the left and drive to the right, white's
start at the top and drive down. Move one car by one square, forward or sideways but never back,
to a free square. On the last square, a move forward takes the car off the board. A game that
lasts too long, usually 200 moves, is a draw. Black moves first."""
