"""Dodgem as `agents.games` finds it by name."""

from __future__ import annotations

from ..squares import COLOURS, evolved_player
from .model import Dodgem


def make(size: int = 5, max_plies: int = 200) -> Dodgem:
    """A game at its start; the options are those of `Dodgem`."""
    return Dodgem(size, max_plies)


HEURISTICS = Dodgem.heuristics
PLAYERS = {"evolved": evolved_player(__file__)}
SIDES = COLOURS
IS_WIN_OR_LOSS = True
RULES = """\
You win if it is your turn and you have no move: because all your cars are gone, or because the
other player has blocked them. Black's cars start at the left and drive to the right, white's
start at the top and drive down. Move one car by one square, forward or sideways but never back,
to a free square. On the last square, a move forward takes the car off the board. A game that
lasts too long, usually 200 moves, is a draw. Black moves first."""
TRANSLATED_RULES = {
    "de": """\
Du gewinnst, wenn du am Zug bist und keinen Zug hast: weil alle deine Autos vom Brett sind oder der
andere sie blockiert hat. Die schwarzen Autos starten links und fahren nach rechts, die weißen
starten oben und fahren nach unten. Zieh ein Auto um ein Feld auf ein freies Feld, nach vorn oder
zur Seite, aber nie zurück. Auf dem letzten Feld führt ein Zug nach vorn das Auto vom Brett. Eine
Partie, die zu lange dauert, meist 200 Züge, endet unentschieden. Schwarz beginnt."""
}
