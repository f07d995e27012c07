"""The picture of one tile as text, 7 columns by 3 rows, read off the map of its segments."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import groupby

from .tile_art import CITY_COLOUR, FIELD_COLOUR, PLAYER_COLOURS, ROAD_COLOUR
from .tile_geometry import SIZE, Point, anchors, segment_at, shield_points, turned_point
from .tiles import BY_LETTER, SIDES, turned

Look = tuple[str, str, str]
"""A character, the colour of its ink and that of its ground ("" for none)."""
Cell = tuple[int, int]
"""A row, 0 to 2, and a column, 0 to 6."""

NO_BLOCK: list[list[Look]] = [[(" ", "", "")] * 7] * 3
"""The picture of a cell of the board without a tile."""

_LOOKS: dict[str, Look] = {
    "city": ("▒", "#b57a42", CITY_COLOUR),
    "shield": ("◆", "#2b59a3", CITY_COLOUR),
    "cloister": ("†", "#a02a1c", ROAD_COLOUR),
    "farm": ("·", "#6f9440", FIELD_COLOUR),
}
_ROAD_CHARACTERS = {
    "E": "─", "W": "─", "N": "│", "S": "│", "EW": "─", "NS": "│", "ES": "╭", "SW": "╮",
    "NE": "╰", "NW": "╯", "ESW": "┬", "NSW": "┤", "NEW": "┴", "NES": "├", "NESW": "┼",
}  # fmt: skip
_ROAD_CELLS: dict[str, list[Cell]] = {
    "N": [(0, 3), (1, 3)],
    "E": [(1, 6), (1, 5), (1, 4), (1, 3)],
    "S": [(2, 3), (1, 3)],
    "W": [(1, 0), (1, 1), (1, 2), (1, 3)],
}
"""The cells on the way from a side to the centre."""
_CELL_CENTRES: dict[Cell, Point] = {
    (row, column): ((column + 0.5) / 7 * SIZE, (row + 0.5) / 3 * SIZE)
    for row in range(3)
    for column in range(7)
}


def text_block(letter: str, rotation: int, players: Mapping[int, int]) -> list[list[Look]]:
    """The picture of a tile: 3 rows of 7 characters.

    Args:
        letter: The tile, "A" to "X".
        rotation: Quarter turns, clockwise.
        players: The player whose meeple stands on a segment, by the index of the segment.
    """
    segments = BY_LETTER[letter].segments
    segment_of = {
        cell: segment_at(letter, turned_point(centre, -rotation))
        for cell, centre in _CELL_CENTRES.items()
    }
    looks = {cell: _LOOKS.get(segments[i].kind...
