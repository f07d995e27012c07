"""Hex as `agents.games` finds it by name."""

from __future__ import annotations

from ..squares import COLOURS, evolved_player
from .model import Hex


def make(size: int = 11, swap: bool = False) -> Hex:
    """An empty board; the options are those of `Hex`."""
    return Hex(size, swap)


HEURISTICS = Hex.heuristics
PLAYERS = {"evolved": evolved_player(__file__, reuse_tree=False)}
SIDES = COLOURS
IS_WIN_OR_LOSS = True
RULES = """\
Black joins the top to the bottom by a chain of stones, white joins the left to the right, and
whoever is first wins. Put a stone on any free cell. There are no draws. Black moves first. Only in
games with the option swap=True, white may take over black's first stone instead of a move: it
turns white, and from b3, say, it changes to c2."""
TRANSLATED_RULES = {
    "de": """\
Schwarz verbindet oben und unten durch eine Kette von Steinen, Weiß links und rechts, und wer es
zuerst schafft, gewinnt. Setz einen Stein auf ein freies Feld. Ein Unentschieden gibt es nicht.
Schwarz beginnt. Nur in Partien mit der Option swap=True darf Weiß statt eines Zuges den ersten
Stein von Schwarz übernehmen: Er wird weiß und kommt etwa von b3 auf c2."""
}
