"""The Function Optimisation Problem as `agents.games` finds it by name."""

from __future__ import annotations

from .model import FopModel
from .problem import Function


def make(
    function: str | Function = "f1",
    branching: int = 2,
    threshold: float = 1e-5,
    dimensions: int = 1,
    num_players: int = 1,
) -> FopModel:
    """A problem at its start; the options are those of `FopModel`."""
    return FopModel(function, branching, threshold, dimensions, num_players)


HEURISTICS = FopModel.heuristics
PLAYERS: dict[str, str] = {}
TITLE = "Function Optimisation Problem"
RULES = """\
Find the highest point of a function from 0 to 1 that you do not see. Each move keeps one of the
equal parts of the interval, until the interval is very short. Your result is then 1, which is the
most, or 0: the higher the function there, the likelier is 1. In a game for two, the second player
looks for the lowest point."""
TRANSLATED_RULES = {
    "de": """\
Finde den höchsten Punkt einer Funktion von 0 bis 1, die du nicht siehst. Jeder Zug behält einen
der gleich großen Teile des Intervalls, bis das Intervall sehr kurz ist. Dein Ergebnis ist dann 1,
mehr geht nicht, oder 0: Je höher die Funktion dort ist, desto wahrscheinlicher ist 1. Spielen
zwei, so sucht der zweite den tiefsten Punkt."""
}
