"""The picture of one tile as text of 7 columns and 3 rows, made from the map of its segments."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import groupby

from ..tiles import BY_LETTER, SIDES, turned
from .tile_art import CITY_COLOUR, FIELD_COLOUR, PLAYER_COLOURS, ROAD_COLOUR
from .tile_geometry import SIZE, Point, anchors, segment_at, shield_points, turned_point

Look = tuple[str, str, str]
"""A character, its colour and its background colour ("" for none)."""
Cell = tuple[int, int]
"""Row (0 to 2) and column (0 to 6) of a character."""

NO_BLOCK: list[list[Look]] = [[(" ", "", "")] * 7] * 3
"""The picture of a cell of the board without a tile."""

_LOOKS: dict[str, Look] = {
    "city": ("▒", "#b57a42", CITY_COLOUR),
    "shield": ("◆", "#2b59a3", CITY_COLOUR),
    "cloister": ("†", "#a02a1c", ROAD_COLOUR),
    "road": (" ", "#ffffff", FIELD_COLOUR),  # the character depends on its sides
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
"""The cells of a road from a side of the tile to the centre."""
_CELL_CENTRES: dict[Cell, Point] = {
    (row, column): ((column + 0.5) / 7 * SIZE, (row + 0.5) / 3 * SIZE)
    for row in range(3)
    for column in range(7)
}


def text_block(letter: str, rotation: int, players: Mapping[int, int]) -> list[list[Look]]:
    """The picture of a tile, 3 rows of 7 characters.

    Args:
        letter: The tile, "A" to "X".
        rotation: Quarter turns, clockwise.
        players: The player of the meeple on a segment, by the index of the segment.
    """
    seen = {
        cell: segment_at(letter, turned_point(centre, -rotation))
        for cell, centre in _CELL_CENTRES.items()
    }
    roads = _roads(letter, rotation, seen)
    segment_of = {cell: index for cell, index in seen.items() if index is not None}
    segment_of |= {cell: min(sides.values()) for cell, sides in roads.items()}
    segments = BY_LETTER[letter].segments
    looks = {cell: _LOOKS[segments[index].kind] for cell, index in segment_of.items()}
    for cell, sides in roads.items():
        character = _ROAD_CHARACTERS["".join(side for side in SIDES if side in sides)]
        looks[cell] = (character, *_LOOKS["road"][1:])
    for point in shield_points(letter):
        looks[_nearest(looks, turned_point(point, rotation))] = _LOOKS["shield"]
    for segment, player in players.items():
        own = [cell for cell, index in segment_of.items() if index == segment]
        cell = _nearest(own, turned_point(anchors(letter)[segment], rotation))
        looks[cell] = (str(player), _contrast(PLAYER_COLOURS[player]), PLAYER_COLOURS[player])
    return [[looks[row, column] for column in range(7)] for row in range(3)]


def painted(looks: Iterable[Look], colour: bool) -> str:
    """A line of text; if ``colour``, with ANSI escape sequences (24-bit colours)."""
    if not colour:
        return "".join(character for character, _, _ in looks)
    line = ""
    for (ink, ground), run in groupby(looks, key=lambda look: look[1:]):
        text = "".join(character for character, _, _ in run)
        line += f"\x1b[38;{_rgb(ink)};48;{_rgb(ground)}m{text}\x1b[0m" if ground else text
    return line


def _roads(
    letter: str, rotation: int, seen: Mapping[Cell, int | None]
) -> dict[Cell, dict[str, int]]:
    """The cells that show roads: for each cell, the segments of the roads by the sides they reach.

    Roads are hidden in cells whose centre (``seen``) lies in a city or a cloister.
    """
    segments = BY_LETTER[letter].segments
    roads: dict[Cell, dict[str, int]] = defaultdict(dict)
    for index, road in enumerate(segments):
        for end in road.ends if road.kind == "road" else ():
            side = turned(end, rotation)
            for cell in _ROAD_CELLS[side]:
                under = seen[cell]
                if under is None or segments[under].kind not in ("city", "cloister"):
                    roads[cell][side] = index
    return roads


def _nearest(cells: Iterable[Cell], point: Point) -> Cell:
    return min(cells, key=lambda cell: math.dist(_CELL_CENTRES[cell], point))


def _rgb(colour: str) -> str:
    return "2;" + ";".join(str(part) for part in bytes.fromhex(colour[1:]))


def _contrast(colour: str) -> str:
    """Black on light colours, white on dark ones."""
    return "#000000" if sum(bytes.fromhex(colour[1:])) > 400 else "#ffffff"
