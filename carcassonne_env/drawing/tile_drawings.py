"""What is drawn on each tile at rotation 0, and the segment at each of its points.

Edit ``tiles.json`` beside this module by hand to change a tile: `TileDrawing` says what its parts
mean. Tiles measure 100 by 100 units; x grows to the right and y downwards.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

Point = Sequence[float]
"""x and y, in units."""

SIZE = 100.0
"""Length of a tile's side."""


class TileDrawing(NamedTuple):
    """The parts of a drawing. Paths are data of SVG paths; what a tile lacks is left out.

    Pictures round to tenths. A further digit says which of two things at one height is in front.

    Attributes:
        meeples: For each segment in the order of ``tiles.py``, where its meeple is drawn.
        outlines: For each segment, the border of its area: straight lines only. They mark a segment
            on a page and say which segment is at a point, so they follow the borders that are
            drawn. Together they cover the tile except for its village.
        roads: The middle lines of the roads, from the middle of a side to that of another, or to
            the centre.
        cities: The closed path of each city.
        walls: Those parts of these paths that are not sides of the tile.
        tufts: Tufts of grass. They turn with the tile, the things below stay upright.
        trees: Trees, on farms.
        houses: Houses, in cities, with roofs of three colours in turn.
        shields: Shields, in cities, beside the meeple.
        gates: Where a road ends at the wall of a city.
        cloisters: The middle of the cloister.
        villages: The middle of the square where three or more roads meet.
    """

    meeples: list[Point]
    outlines: list[str]
    roads: str = ""
    cities: Sequence[str] = ()
    walls: str = ""
    tufts: Sequence[Point] = ()
    trees: Sequence[Point] = ()
    houses: Sequence[Point] = ()
    shields: Sequence[Point] = ()
    gates: Sequence[Point] = ()
    cloisters: Sequence[Point] = ()
    villages: Sequence[Point] = ()


_TEXT = Path(__file__).with_name("tiles.json").read_text(encoding="utf-8")
TILE_DRAWINGS = {letter: TileDrawing(**parts) for letter, parts in json.loads(_TEXT).items()}
"""The drawing of each tile by its letter, "A" to "X"."""


def turned_point(point: Point, quarter_turns: int) -> Point:
    """The position of a tile's point after ``quarter_turns`` clockwise turns of the tile."""
    x, y = point
    for _ in range(quarter_turns % 4):
        x, y = SIZE - y, x
    return x, y


def segment_at(letter: str, point: Point) -> int | None:
    """The index of the segment at a point; None at points without one, as in a village.

    From inside an outline, a ray to the right crosses it an odd number of times.
    """
    x, y = point
    for index, lines in enumerate(_outlines(letter)):
        crossed = [
            x < x0 + (x1 - x0) * (y - y0) / (y1 - y0)
            for (x0, y0), (x1, y1) in lines
            if (y0 > y) != (y1 > y)
        ]
        if sum(crossed) % 2:
            return index
    return None


@cache
def _outlines(letter: str) -> list[list[tuple[Point, Point]]]:
    """The lines, from point to point, of each outline of a tile."""
    return [
        [line for border in path.split("Z")[:-1] for line in _lines(border)]
        for path in TILE_DRAWINGS[letter].outlines
    ]


def _lines(border: str) -> list[tuple[Point, Point]]:
    """The lines of a closed border, as in "M0 0L100 0L100 100"."""
    corners = [tuple(map(float, corner.split())) for corner in border[1:].split("L")]
    return list(pairwise([*corners, corners[0]]))
