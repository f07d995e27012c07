"""Named tuples that describe a position: moves, placed tiles, placed meeples, features.

x grows to the east and y to the north. The start tile lies at (0, 0) with rotation 0. Rotations
count quarter turns clockwise.

A *target* names the part of a tile that a meeple stands on. It is ``("cloister",)``,
``("city", sides)``, ``("road", sides)`` or ``("farm", half_sides)``, where the second item is a
frozenset of sides ``N E S W`` or half-sides ``NL NR EL ER SL SR WL WR`` as they lie on the board,
after the rotation of the tile.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from .tiles import BY_LETTER, SIDES, turned

Target = tuple[str] | tuple[str, frozenset[str]]


class Move(NamedTuple):
    """An action: the cell and rotation of the current tile, and the meeple's target or None."""

    x: int
    y: int
    rotation: int
    target: Target | None


class PlacedTile(NamedTuple):
    """A tile on the board: its letter, its cell, and its rotation in quarter turns clockwise."""

    tile: str
    x: int
    y: int
    rotation: int


class PlacedMeeple(NamedTuple):
    """A meeple on the board: its player, the cell of its tile, and the target it stands on."""

    player: int
    x: int
    y: int
    target: Target


class Feature(NamedTuple):
    """A connected city, road, cloister or farm of the board.

    Attributes:
        kind: "city", "road", "cloister" or "farm".
        cells: Cells (x, y) of the tiles that it covers; for a cloister, the cell of its own tile.
        segments: Its segments as (x, y, target).
        shields: Number of shields.
        meeples: Number of meeples of each player that stand on it.
        is_complete: Whether it is complete, and so has been scored. A farm never is.
        owners: The players with most meeples on it; none without a meeple.
        points: The points that it brings each owner: at once if it is complete, else if the game
            ended now.
    """

    kind: str
    cells: frozenset[tuple[int, int]]
    segments: frozenset[tuple[int, int, Target]]
    shields: int
    meeples: tuple[int, ...]
    is_complete: bool
    owners: tuple[int, ...]
    points: int


class OutlookEntry(NamedTuple):
    """What one feature adds to the final score that a player can expect.

    Attributes:
        player: The player.
        term: The name of a term of the outlook; outlook.pxd says what each counts.
        feature: The feature; None for terms that belong to none, such as meeples in hand.
        amount: The term, in its own unit: points, meeples or features.
        points: The amount times the weight of the term.
    """

    player: int
    term: str
    feature: Feature | None
    amount: float
    points: float


@cache
def segment_targets(letter: str, rotation: int) -> tuple[Target, ...]:
    """The targets of a tile's segments after the rotation, in the order of ``tiles.py``."""
    return tuple(
        (s.kind, frozenset(turned(end, rotation) for end in s.ends)) if s.ends else (s.kind,)
        for s in BY_LETTER[letter].segments
    )


def move_to_string(move: Move) -> str:
    """A move as text: "(1, -2) 90° city N-E", or "(1, -2) 90°" without a meeple."""
    meeple = f" {target_to_string(move.target)}" if move.target else ""
    return f"({move.x}, {move.y}) {90 * move.rotation}°{meeple}"


def target_to_string(target: Target | None) -> str:
    """A target as text: "city N-E", "farm NL-WR", "cloister", or "no meeple" for None."""
    if target is None:
        return "no meeple"
    ends = target[1] if len(target) > 1 else frozenset()
    clockwise = sorted(ends, key=lambda end: (SIDES.index(end[0]), end))
    return f"{target[0]} {'-'.join(clockwise)}".rstrip()
