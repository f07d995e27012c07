"""Reversi as `agents.games` finds it by name."""

from __future__ import annotations

from ..squares import COLOURS, evolved_player
from .model import Reversi


def make(plus: bool = False) -> Reversi:
    """A game at its start, which is a chance event in Reversi Plus; see `Reversi`."""
    return Reversi(plus)


HEURISTICS = Reversi.heuristics
PLAYERS = {name: evolved_player(__file__, name) for name in ("evolved", "evolved-plus")}
SIDES = COLOURS
IS_WIN_OR_LOSS = True
RULES = """\
You win if you have more pieces at the end. Put a piece on a free square so that it encloses
pieces of the other colour: in a row, across, down or diagonal, between it and another piece of
yours. They turn to your colour, and each move must turn at least one. If you cannot move, you
pass. The game is over when nobody can move. Black moves first."""
TRANSLATED_RULES = {
    "de": """\
Du gewinnst, wenn du am Ende mehr Steine hast. Setz einen Stein auf ein freies Feld, so dass er
Steine der anderen Farbe einschließt: in einer Reihe, waagrecht, senkrecht oder schräg, zwischen
sich und einem anderen deiner Steine. Sie werden zu deinen, und jeder Zug muss mindestens einen
umdrehen. Kannst du nicht ziehen, so passt du. Die Partie ist zu Ende, wenn niemand ziehen kann.
Schwarz beginnt."""
}
