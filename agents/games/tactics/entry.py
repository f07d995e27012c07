"""The tactics game as `agents.games` finds it by name."""

from __future__ import annotations

from collections.abc import Mapping

from agents.rng import Seed

from .model import TacticsModel
from .terms import SIDES as SIDES


def make(
    board: str = "standard",
    deck: str | Mapping[str, int] | None = None,
    action_points: int = 5,
    deterministic: bool = False,
    pruned: bool = True,
    max_turns: int = 200,
    seed: Seed = None,
) -> TacticsModel:
    """A game at its start; the options are those of `TacticsModel`.

    The seed fixes the draws of a deterministic game; other games do not need it.
    """
    own = seed if deterministic else None
    return TacticsModel(board, deck, action_points, deterministic, pruned, max_turns, own)


HEURISTICS = TacticsModel.heuristics
PLAYERS: dict[str, str] = {}
IS_WIN_OR_LOSS = True
RULES = """\
You lose when all your crystals are destroyed, or when you have no units left: on the board, in
your hand and in your deck. A turn is usually five actions, the first one of the game three.
Deploy a unit from your hand on a square with your flag, move a unit, attack an enemy, heal or
revive a unit, give a unit an item, or put a card back into the deck. At the end of your turn,
your units that lie knocked out leave the board, and you draw new cards. Enemies can destroy such
a unit by a step on it. Knights hit the next square and push. Archers shoot three squares far.
Clerics heal. The hits of wizards jump to other enemies. Ninjas run three squares and change
places with your other units. Crossed swords strengthen attacks on crystals, a shield protects,
and a flash gives power. Blue moves first."""
TRANSLATED_RULES = {
    "de": """\
Du verlierst, wenn alle deine Kristalle zerstört sind oder du keine Einheiten mehr hast: auf dem
Brett, auf der Hand und im Stapel. Ein Spielzug hat meist fünf Aktionen, der erste der Partie drei.
Stell eine Einheit von der Hand auf ein Feld mit deiner Flagge, zieh mit einer Einheit, greif einen
Gegner an, heile oder belebe eine Einheit, gib einer einen Gegenstand, oder leg eine Karte in den
Stapel zurück. Am Ende deines Spielzuges verlassen deine Einheiten, die am Boden liegen, das Brett,
und du ziehst neue Karten. Gegner können eine solche Einheit durch einen Schritt auf sie
vernichten. Ritter schlagen das Feld vor sich und stoßen zurück. Bogenschützen schießen drei Felder
weit. Kleriker heilen. Die Treffer der Zauberer springen auf andere Gegner über. Ninjas laufen drei
Felder und tauschen den Platz mit anderen deiner Einheiten. Gekreuzte Schwerter verstärken Angriffe
auf Kristalle, ein Schild schützt, und ein Blitz gibt Kraft. Blau beginnt."""
}
