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
TITLE = "Tactics game"
RULES = """\
You lose when all your crystals are destroyed, or when you have no units left: on the board, in
your hand and in your deck. A turn is usually five actions, the first one of the game three. An
action is a move, an attack, a card that you play, or "swap" with the name of a card, which puts
this card back into the deck. At the end of your turn you draw cards up to six, and your units that
lie knocked out leave the board. Enemies can destroy such a unit by a step on it. The number at a
unit is its hit points: a knight has 1000, a crystal 4500, all others 800. At 0 a unit lies knocked
out, and a crystal is destroyed. After 200 turns it is a draw. Blue moves first.

The units, as cards, come onto a free square with your flag. Between one of them and an enemy that
it hits from afar no other enemy may stand.
• knight: hits the next square with 200 and pushes the enemy away; takes a fifth less harm by
knights, archers and ninjas.
• archer: shoots three squares far with 300, at the next square with half of it.
• cleric: hits two squares far with 200, heals your unit there by 600, or revives it with 400.
• wizard: hits two squares far with 200; the hit jumps on to an enemy beside that one with 150, and
from there to another one with 112; takes a tenth less harm by clerics, wizards and infernos.
• ninja: runs three squares, the others two; hits two squares far with 200, the next square with
twice as much; changes places with your other units.

The other cards:
• inferno: takes 350 from all enemies on a square and the eight around it, and destroys those that
lie there.
• potion: heals your unit by 1000, or revives it with 100.
• runemetal: your unit hits and heals with half as much again.
• scroll: the next hit or healing of your unit is three times as strong.
• dragonscale: a tenth more hit points, and a fifth less harm by knights, archers and ninjas.
• helm: a tenth more hit points, and a fifth less harm by clerics, wizards and infernos.

Some squares help the unit on them: on a flash it hits and heals with 100 more, on a shield it
takes a fifth less harm by knights, archers and ninjas, and each of your units on crossed swords
adds 300 to your hits on crystals."""
TRANSLATED_RULES = {
    "de": """\
Du verlierst, wenn alle deine Kristalle zerstört sind oder du keine Einheiten mehr hast: auf dem
Brett, auf der Hand und im Stapel. Ein Spielzug hat meist fünf Aktionen, der erste der Partie drei.
Eine Aktion ist ein Schritt, ein Angriff, eine Karte, die du spielst, oder „swap“ mit dem Namen
einer Karte: Diese legst du in den Stapel zurück. Am Ende deines Spielzuges ziehst du Karten, bis
du sechs hast, und deine Einheiten, die am Boden liegen, verlassen das Brett. Gegner können eine
solche Einheit durch einen Schritt auf sie vernichten. Die Zahl an einer Einheit sind ihre
Trefferpunkte: Ein Ritter hat 1000, ein Kristall 4500, alle anderen 800. Bei 0 liegt eine Einheit
am Boden, und ein Kristall ist zerstört. Nach 200 Spielzügen endet die Partie unentschieden. Blau
beginnt.

Die Einheiten kommen als Karten auf ein freies Feld mit deiner Flagge. Zwischen einer von ihnen und
einem Gegner, den sie von weitem trifft, darf kein anderer Gegner stehen.
• Ritter (knight): schlägt das Feld daneben mit 200 und stößt den Gegner zurück; Ritter,
Bogenschützen und Ninjas schaden ihm um ein Fünftel weniger.
• Bogenschütze (archer): schießt drei Felder weit mit 300, auf das Feld daneben mit der Hälfte.
• Kleriker (cleric): schlägt zwei Felder weit mit 200, heilt dort deine Einheit um 600 oder belebt
sie mit 400.
• Zauberer (wizard): schlägt zwei Felder weit mit 200; der Treffer springt mit 150 auf einen Gegner
daneben über und von dort mit 112 auf noch einen; Kleriker, Zauberer und Infernos schaden ihm um
ein Zehntel weniger.
• Ninja (ninja): läuft drei Felder, die anderen zwei; schlägt zwei Felder weit mit 200, das Feld
daneben doppelt so stark; tauscht den Platz mit anderen deiner Einheiten.

Die anderen Karten:
• Inferno (inferno): nimmt allen Gegnern auf einem Feld und den acht ringsum 350 und vernichtet
die, die dort liegen.
• Trank (potion): heilt deine Einheit um 1000 oder belebt sie mit 100.
• Runenmetall (runemetal): deine Einheit schlägt und heilt um die Hälfte stärker.
• Schriftrolle (scroll): der nächste Schlag, oder die nächste Heilung, deiner Einheit ist dreimal
so stark.
• Drachenschuppe (dragonscale): ein Zehntel mehr Trefferpunkte, und Ritter, Bogenschützen und
Ninjas schaden ihr um ein Fünftel weniger.
• Helm (helm): ein Zehntel mehr Trefferpunkte, und Kleriker, Zauberer und Infernos schaden ihr um
ein Fünftel weniger.

Manche Felder helfen der Einheit, die auf ihnen steht: Auf einem Blitz schlägt und heilt sie mit
100 mehr, auf einem Schild schaden ihr Ritter, Bogenschützen und Ninjas um ein Fünftel weniger, und
jede deiner Einheiten auf gekreuzten Schwertern verstärkt deine Treffer auf Kristalle um 300."""
}
