"""The words of the tactics game: units, cards, squares and actions as Python sees them."""

from __future__ import annotations

from typing import NamedTuple

from ..squares import square_name as square_name

SIDES = ("blue", "orange")
"""The players, as pages and pictures name them."""
UNITS = ("knight", "archer", "cleric", "wizard", "ninja", "crystal")
"""Kinds of units; all but the crystal are cards, too."""
ITEMS = ("inferno", "runemetal", "dragonscale", "helm", "potion", "scroll")
"""The cards that are not units."""
EQUIPMENT = ("runemetal", "dragonscale", "helm", "scroll")
"""The items that units carry."""
CARDS = UNITS[:-1] + ITEMS
"""All cards; a card's number, and its outcome at chance nodes, is its index here."""
KINDS = ("move", "attack", "heal", "swap", "deploy", "equip", "inferno", "swap_card")
"""Kinds of actions: "swap" is the ninja's, "swap_card" puts a card back into the deck."""
SIGNS = {"move": "-", "attack": "x", "heal": "+", "swap": "<>"}
"""Between the squares in the texts of what units do."""


class Unit(NamedTuple):
    """A unit on the board.

    Attributes:
        kind: One of `UNITS`.
        player: Its owner, 0 or 1.
        square: Its square, such as "a1", the north-western one: columns are letters from the west,
            rows are numbers from the north.
        hp: Its hit points; 0 if it is knocked out.
        equipment: The items it carries: "runemetal", "dragonscale", "helm" and "scroll".
    """

    kind: str
    player: int
    square: str
    hp: int
    equipment: frozenset[str]


class TacticsAction(NamedTuple):
    """An action in words.

    Attributes:
        kind: One of `KINDS`.
        source: The square of the unit that acts; None for cards.
        target: The square acted on; None for "swap_card".
        card: The card, one of `CARDS`; None for actions of units.
    """

    kind: str
    source: str | None
    target: str | None
    card: str | None
