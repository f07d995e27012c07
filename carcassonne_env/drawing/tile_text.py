"""The picture of one tile as text, 7 columns by 3 rows or larger, from its drawing."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import product

from ..tiles import BY_LETTER, SIDES, turned
from .tile_art import CITY_COLOUR, FIELD_COLOUR, PLAYER_COLOURS, ROAD_COLOUR
from .tile_drawings import SIZE, TILE_DRAWINGS, Point, segment_at, turned_point

Look = tuple[str, str, str]
"""A character, its colour and its background colour ("" for none)."""
Cell = tuple[int, int]
"""Row and column of a character."""
Size = tuple[int, int]
"""Columns and rows of characters of a tile, both odd, so that roads lead through the centre."""
SMALLEST: Size = (7, 3)
Block = Sequence[Sequence[Look]]
"""The picture of a cell: rows of characters."""

NO_BLOCK: Block = [[(" ", "", "")] * 7] * 3
"""The picture of a cell of the board without a tile."""

_LOOKS: dict[str, Look] = {
    "city": ("▒", "#b57a42", CITY_COLOUR),
    "shield": ("◆", "#2b59a3", CITY_COLOUR),
    "cloister": ("†", "#a02a1c", ROAD_COLOUR),
    "road": ("·", "#6f9440", FIELD_COLOUR),  # beside its line, which ``_ROAD_CHARACTERS`` draw
    "farm": ("·", "#6f9440", FIELD_COLOUR),
}
_VILLAGE: Look = ("⌂", "#99402e", FIELD_COLOUR)
"""Where roads meet, beside their lines."""
_ROAD_INK = "#ffffff"
_ROAD_CHARACTERS = {
    "E": "─", "W": "─", "N": "│", "S": "│", "EW": "─", "NS": "│", "ES": "╭", "SW": "╮",
    "NE": "╰", "NW": "╯", "ESW": "┬", "NSW": "┤", "NEW": "┴", "NES": "├", "NESW": "┼",
}  # fmt: skip


@lru_cache(maxsize=4096)
def text_block(
    letter: str,
    rotation: int,
    players: tuple[tuple[int, int], ...] = (),
    size: Size = SMALLEST,
    first: int = 0,
) -> Block:
    """The picture of a tile; `players` has the segment's index and the player of each meeple.

    `first` is the number that is drawn for player 0: people count from 1, Python from 0.
    """
    centres, drawing = _centres(size), TILE_DRAWINGS[letter]
    seen = _seen(letter, rotation, size)
    roads = _roads(letter, rotation, seen, size)
    segment_of = {cell: index for cell, index in seen.items() if index is not None}
    segment_of |= {cell: min(sides.values()) for cell, sides in roads.items()}
    segments = BY_LETTER[letter].segments
    looks = dict.fromkeys(seen, _VILLAGE)
    looks |= {cell: _LOOKS[segments[index].kind] for cell, index in segment_of.items()}
    for cell, sides in roads.items():
        character = _ROAD_CHARACTERS["".join(side for side in SIDES if side in sides)]
        looks[cell] = (character, _ROAD_INK, FIELD_COLOUR)
    for point in drawing.shields:
        looks[_nearest(looks, turned_point(point, rotation), centres)] = _LOOKS["shield"]
    for segment, player in players:
        own = [cell for cell, index in segment_of.items() if index == segment]
        cell = _nearest(own, turned_point(drawing.meeples[segment], rotation), centres)
        looks |= _meeple(player, first, cell, size)
    return [[looks[row, column] for column in range(size[0])] for row in range(size[1])]


def _meeple(player: int, first: int, cell: Cell, size: Size) -> dict[Cell, Look]:
    """The number of a player in a cell; on larger tiles with a margin on either side."""
    (row, column), colour = cell, PLAYER_COLOURS[player]
    ink, margin = contrast(colour), int(size > SMALLEST)
    columns = range(max(column - margin, 0), min(column + margin + 1, size[0]))
    return {(row, i): (str(first + player) if i == column else " ", ink, colour) for i in columns}


def plain(looks: Iterable[Look]) -> str:
    """A line of text without colours."""
    return "".join(character for character, _, _ in looks)


def _roads(
    letter: str, rotation: int, seen: Mapping[Cell, int | None], size: Size
) -> dict[Cell, dict[str, int]]:
    """The cells that show roads: for each cell, the segments of the roads by the sides they reach.

    Roads are hidden in cells whose centre (``seen``) lies in a city or a cloister.
    """
    segments = BY_LETTER[letter].segments
    roads: dict[Cell, dict[str, int]] = defaultdict(dict)
    for index, road in enumerate(segments):
        for end in road.ends if road.kind == "road" else ():
            side = turned(end, rotation)
            for cell in _road_cells(side, size):
                under = seen[cell]
                if under is None or segments[under].kind not in ("city", "cloister"):
                    roads[cell][side] = index
    return roads


def _road_cells(side: str, size: Size) -> list[Cell]:
    """The cells of a road from a side of the tile to the centre."""
    columns, rows = size
    row, column = rows // 2, columns // 2
    if side in "NS":
        return [(i, column) for i in (range(row + 1) if side == "N" else range(row, rows))]
    return [(row, i) for i in (range(column + 1) if side == "W" else range(column, columns))]


@cache
def _centres(size: Size) -> dict[Cell, Point]:
    """The centres of the characters on the tile."""
    return {
        (row, column): ((column + 0.5) / size[0] * SIZE, (row + 0.5) / size[1] * SIZE)
        for column, row in product(*map(range, size))
    }


@cache
def _seen(letter: str, rotation: int, size: Size) -> dict[Cell, int | None]:
    """The segment at the centre of each character."""
    return {
        cell: segment_at(letter, turned_point(centre, -rotation))
        for cell, centre in _centres(size).items()
    }


def _nearest(cells: Iterable[Cell], point: Point, centres: Mapping[Cell, Point]) -> Cell:
    return min(cells, key=lambda cell: math.dist(centres[cell], point))


def contrast(colour: str) -> str:
    """Black on light colours, white on dark ones."""
    return "#000000" if sum(bytes.fromhex(colour[1:])) > 400 else "#ffffff"
