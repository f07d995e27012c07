"""Hex as `agents.games` finds it by name."""

from __future__ import annotations

from pathlib import Path

from ..evolved import evolved_player
from .model import Hex
from .picture import NAMES


def make(size: int = 11, swap: bool = False) -> Hex:
    """An empty board; the options are those of `Hex`."""
    return Hex(size, swap)


HEURISTICS = Hex.heuristics
PLAYERS = {"evolved": evolved_player(Path(__file__).with_name("evolved.txt"), reuse_tree=False)}
SIDES = NAMES
IS_WIN_OR_LOSS = True
RULES = """\
Black joins the top to the bottom by a chain of stones, white joins the left to the right, and
whoever is first wins. Put a stone on any free cell. There are no draws. Black moves first. If the
swap rule holds, white may take over black's first stone instead of a move: it turns white and
changes to the mirrored cell."""
TRANSLATED_RULES = {
    "de": """\
Schwarz verbindet oben und unten durch eine Kette von Steinen, Weiß links und rechts, und wer es
zuerst schafft, gewinnt. Setz einen Stein auf ein freies Feld. Ein Unentschieden gibt es nicht.
Schwarz beginnt. Gilt die Tauschregel, so darf Weiß statt eines Zuges den ersten Stein von Schwarz
übernehmen: Er wird weiß und kommt auf das gespiegelte Feld."""
}
