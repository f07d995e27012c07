"""The records in which a model shows its position: moves, placed tiles, meeples, features.

Coordinates: x grows east and y grows north, the start tile lies at (0, 0) with rotation 0, and
rotation counts quarter turns clockwise.

A *target* names the part of a tile that a meeple stands on, as it lies on the board (after
rotation): ``("cloister",)``, ``("city", sides)``, ``("road", sides)`` or ``("farm", half_sides)``
with a frozenset of sides ``N E S W`` or half-sides ``NL NR EL ER SL SR WL WR``.
"""

from __future__ import annotations

from typing import NamedTuple

from .tiles import BY_LETTER, SIDES, turned

Target = tuple[str] | tuple[str, frozenset[str]]


class Move(NamedTuple):
    """An action in words: where the current tile goes and what a meeple is put on (or None)."""

    x: int
    y: int
    rotation: int
    target: Target | None


class PlacedTile(NamedTuple):
    """A tile on the board: its letter, cell and rotation in quarter turns clockwise."""

    tile: str
    x: int
    y: int
    rotation: int


class PlacedMeeple(NamedTuple):
    """A meeple on the board: its player, the cell of its tile and the target it stands on."""

    player: int
    x: int
    y: int
    target: Target


class Feature(NamedTuple):
    """A connected city, road, cloister or farm of the board.

    Attributes:
        kind: "city", "road", "cloister" or "farm".
        cells: Cells (x, y) of the tiles it covers (a cloister: its own tile).
        segments: Its parts as (x, y, target).
        shields: Number of shields.
        meeples: Meeples standing on it, one count a player.
        is_complete: Whether it is finished and scored. Farms never are.
    """

    kind: str
    cells: frozenset[tuple[int, int]]
    segments: frozenset[tuple[int, int, Target]]
    shields: int
    meeples: tuple[int, ...]
    is_complete: bool


def segment_targets(letter: str, rotation: int) -> tuple[Target, ...]:
    """The targets of a tile's segments at ``rotation``, in the order of ``tiles.py``."""
    return tuple(
        (s.kind, frozenset(turned(end, rotation) for end in s.ends)) if s.ends else (s.kind,)
        for s in BY_LETTER[letter].segments
    )


def move_to_string(move: Move) -> str:
    """A move as text: "(1, -2) 90° city N-E", without a meeple "(1, -2) 90°"."""
    meeple = f" {target_to_string(move.target)}" if move.target else ""
    return f"({move.x}, {move.y}) {90 * move.rotation}°{meeple}"


def target_to_string(target: Target | None) -> str:
    """What a meeple is put on as text: "city N-E", "farm NL-WR", "cloister" or "no meeple"."""
    if target is None:
        return "no meeple"
    ends = target[1] if len(target) > 1 else frozenset()
    return f"{target[0]} {'-'.join(sorted(ends, key=_clockwise))}".rstrip()


def _clockwise(end: str) -> tuple[int, str]:
    """The order of sides and half sides around a tile, from the north."""
    return SIDES.index(end[0]), end
