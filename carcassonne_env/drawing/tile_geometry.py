"""The geometry of a tile's segments: outlines, roads and a map, computed from ``tiles.py``.

Tiles are described at rotation 0. They measure 100 by 100 units; x grows to the right and y grows
downwards. Curves give the outlines of cities and the middle lines of roads. The map gives the
segment at every point, so that meeples and ornaments are placed inside their segments.
"""

from __future__ import annotations

import math
import random
from functools import cache
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from ..tiles import BY_LETTER, SIDES, Segment, TileType

Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]
"""A cubic Bezier curve: start, two handles, end. Each handle of a straight line is an end of it."""

Mask = NDArray[np.bool_]
"""bool[101, 101]: a set of map cells, indexed by row and column."""

SIZE = 100.0
"""Length of a tile's side."""
CENTRE = (SIZE / 2, SIZE / 2)
ROAD_WIDTH = 9.0
VILLAGE_RADIUS = 11.0
CLOISTER_RADIUS = 17.0

_CORNERS = ((0.0, 0.0), (SIZE, 0.0), (SIZE, SIZE), (0.0, SIZE))  # side i runs from i to i + 1
_MIDDLES = {"N": (50.0, 0.0), "E": (SIZE, 50.0), "S": (50.0, SIZE), "W": (0.0, 50.0)}
_WALL_HANDLES = {1: (0.4, 0.24), 2: (0.4, 0.25), 3: (0.24, 0.37)}
"""Handles at the ends of a wall, by the number of tile sides (1, 2 or 3) along which it runs.

The two numbers are fractions of the tile's side: along the city's own side, and inwards."""
_SHARED_CORNER_HANDLE = (0.4, 0.18)
"""The handle at a corner that two cities share: flat, so that a field remains between them."""

_GRID = 101  # cells per side of the map; odd, so that one cell lies in the centre
_CELL = SIZE / _GRID
_FREE, _VILLAGE = -1, -2  # values of cells that belong to no segment


def turned_point(point: Point, quarter_turns: int) -> Point:
    """The position of a tile's point after ``quarter_turns`` clockwise turns of the tile."""
    x, y = point
    for _ in range(quarter_turns % 4):
        x, y = SIZE - y, x
    return x, y


def has_village(tile: TileType) -> bool:
    """Whether a village is drawn in the middle of the tile: three or four roads meet there."""
    return sum(s.kind == "road" for s in tile.segments) >= 3


def road_curve(road: Segment) -> Curve:
    """The middle line of a road: from side to side, or from a side to the centre of the tile."""
    start = _MIDDLES[road.ends[0]]
    if len(road.ends) == 1:
        return start, start, CENTRE, CENTRE
    end = _MIDDLES[road.ends[1]]
    return start, _between(start, CENTRE, 0.55), _between(end, CENTRE, 0.55), end


def city_outline(city: Segment, terrain: str) -> list[Curve]:
    """The closed outline of a city: the tile sides it reaches, and walls along the other sides.

    Args:
        city: The segment.
        terrain: The terrain of its tile, which gives the sides of other cities.

    Returns:
        Curves in clockwise order. Tile sides are straight lines; walls are not.
    """
    first = SIDES.index(city.ends[0])
    sides = [(first + i) % 4 for i in range(4)]
    outline = []
    for is_own, group in groupby(sides, lambda side: SIDES[side] in city.ends):
        run = list(group)
        outline += [_side_line(side) for side in run] if is_own else [_wall(run, terrain)]
    return outline


def _side_line(side: int) -> Curve:
    start, end = _CORNERS[side], _CORNERS[(side + 1) % 4]
    return start, start, end, end


def _wall(sides: list[int], terrain: str) -> Curve:
    """The wall along adjacent sides, from its first corner to its last corner."""
    first, last = sides[0], sides[-1]
    shares_first, shares_last = (
        _SHARED_CORNER_HANDLE if terrain[side] == "C" else _WALL_HANDLES[len(sides)]
        for side in (first, last)
    )
    return (
        _CORNERS[first],
        _wall_handle(first, -1, shares_first),
        _wall_handle(last + 1, 1, shares_last),
        _CORNERS[(last + 1) % 4],
    )


def _wall_handle(corner: int, step: int, shares: tuple[float, float]) -> Point:
    """A wall's handle at a corner; corner + ``step`` is the other end of the city's own side."""
    start, along, inwards = (_CORNERS[(corner + i) % 4] for i in (0, step, -step))
    x, y = _between(start, along, shares[0])
    return x + shares[1] * (inwards[0] - start[0]), y + shares[1] * (inwards[1] - start[1])


def _between(start: Point, end: Point, share: float) -> Point:
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def _points(curve: Curve) -> list[Point]:
    """33 points on a curve, from its start to its end (de Casteljau's algorithm)."""
    points = []
    for step in range(33):
        level: list[Point] = list(curve)
        while len(level) > 1:
            level = [_between(a, b, step / 32) for a, b in pairwise(level)]
        points += level
    return points


@cache
def segment_map(letter: str) -> NDArray[np.int_]:
    """The segment at each point of a tile.

    Returns:
        int[101, 101]: the index of the segment at each cell (row, column), or a negative number in
        cells without a segment, such as those of a village.
    """
    tile = BY_LETTER[letter]
    cells = np.full((_GRID, _GRID), _FREE)
    order = {"road": 0, "cloister": 1, "city": 2}  # later ones lie on top
    solid = [(i, s) for i, s in enumerate(tile.segments) if s.kind in order]
    for index, segment in sorted(solid, key=lambda pair: order[pair[1].kind]):
        cells[_area(segment, tile)] = index
    if has_village(tile):
        cells[_disc(CENTRE, VILLAGE_RADIUS)] = _VILLAGE
    is_free = cells == _FREE
    for index, segment in enumerate(tile.segments):
        if segment.kind == "farm":
            cells[_flooded(segment, is_free)] = index
    cells.setflags(write=False)
    return cells


def _cell_centres() -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """The x of the columns, [1, 101], and the y of the rows, [101, 1]."""
    centres = (np.arange(_GRID) + 0.5) * _CELL
    return centres[None, :], centres[:, None]


def _area(segment: Segment, tile: TileType) -> Mask:
    """The cells that a city, road or cloister covers."""
    if segment.kind == "road":
        points = _points(road_curve(segment))
        area: Mask = np.any([_disc(point, ROAD_WIDTH / 2) for point in points], axis=0)
        return area
    if segment.kind == "city":
        return _polygon([p for c in city_outline(segment, tile.terrain) for p in _points(c)])
    return _square(CENTRE, CLOISTER_RADIUS)


def _disc(centre: Point, radius: float) -> Mask:
    x, y = _cell_centres()
    is_near: Mask = (x - centre[0]) ** 2 + (y - centre[1]) ** 2 <= radius**2
    return is_near


def _square(centre: Point, radius: float) -> Mask:
    x, y = _cell_centres()
    return (abs(x - centre[0]) <= radius) & (abs(y - centre[1]) <= radius)


def _polygon(corners: list[Point]) -> Mask:
    """The cells inside a polygon: a ray to the right crosses its border an odd number of times."""
    x, y = _cell_centres()
    is_inside = np.zeros((_GRID, _GRID), dtype=bool)
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
        if y0 != y1:
            is_inside ^= ((y0 > y) != (y1 > y)) & (x < x0 + (x1 - x0) * (y - y0) / (y1 - y0))
    return is_inside


def _flooded(farm: Segment, is_free: Mask) -> Mask:
    """The cells that a farm reaches from its half-sides."""
    flooded = np.zeros_like(is_free)
    for half_side in farm.ends:
        along = 0.25 if half_side[1] == "L" else 0.75
        flooded[_cell(turned_point((along * SIZE, 0.0), SIDES.index(half_side[0])))] = True
    while (grown := _grown(flooded, outside=False) & is_free).sum() > flooded.sum():
        flooded = grown
    return flooded


def _grown(mask: Mask, *, outside: bool) -> Mask:
    """The mask and all neighbours of its cells; cells outside the tile count as ``outside``."""
    padded = np.pad(mask, 1, constant_values=outside)
    rows = padded[:-2] | padded[1:-1] | padded[2:]
    return rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]


def _shrunk(mask: Mask) -> Mask:
    """The cells of the mask all of whose neighbours lie on the tile and belong to it."""
    return ~_grown(~mask, outside=True)


def _roomiest_point(mask: Mask) -> Point:
    """The centre of a largest square in the mask; of several centres, one near their mean."""
    while (shrunk := _shrunk(mask)).any():
        mask = shrunk
    rows, columns = np.nonzero(mask)
    distance = (rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2
    nearest = distance.round(6).argmin()
    return float(columns[nearest] + 0.5) * _CELL, float(rows[nearest] + 0.5) * _CELL


@cache
def anchors(letter: str) -> tuple[Point, ...]:
    """The point of each segment at which its meeple is drawn."""
    cells = segment_map(letter)
    return tuple(_roomiest_point(cells == i) for i in range(len(BY_LETTER[letter].segments)))


def shield_points(letter: str) -> list[Point]:
    """The points where a tile's shields are drawn: in their cities, beside the meeples."""
    return [
        _roomiest_point((segment_map(letter) == index) & ~_square(anchors(letter)[index], 11))
        for index, segment in enumerate(BY_LETTER[letter].segments)
        for _ in range(segment.shields)
    ]


def gate_points(letter: str) -> list[Point]:
    """The points where roads that end at a city meet its wall."""
    segments = BY_LETTER[letter].segments
    gates = []
    for road in segments:
        if road.kind == "road" and len(road.ends) == 1:
            under = [(segment_at(letter, point), point) for point in _points(road_curve(road))]
            gates += [p for i, p in under if i is not None and segments[i].kind == "city"][:1]
    return gates


@cache
def scattered_points(letter: str, kind: str, spacing: float, room: int) -> tuple[Point, ...]:
    """Random points in the cities or the farms of a tile, the same ones in every call.

    The points keep a distance from meeples, shields and gates.

    Args:
        letter: The tile, "A" to "X".
        kind: "city" or "farm".
        spacing: Minimum distance between two points, in units.
        room: Minimum distance to the border of the segment, in cells of the map.
    """
    of_kind = [i for i, s in enumerate(BY_LETTER[letter].segments) if s.kind == kind]
    mask = np.isin(segment_map(letter), of_kind)
    for _ in range(room):
        mask = _shrunk(mask)
    for point in (*anchors(letter), *shield_points(letter), *gate_points(letter)):
        mask &= ~_square(point, 13)
    noise = random.Random(letter + kind)
    points: list[Point] = []
    for _ in range(400):
        point = noise.uniform(0, SIZE), noise.uniform(0, SIZE)
        if mask[_cell(point)] and all(math.dist(point, other) >= spacing for other in points):
            points.append(point)
    return tuple(points)


def segment_at(letter: str, point: Point) -> int | None:
    """The index of the segment at a point; None at points without one, as in a village."""
    index = int(segment_map(letter)[_cell(point)])
    return None if index < 0 else index


def _cell(point: Point) -> tuple[int, int]:
    """The row and column of the map cell that contains a point of the tile."""
    x, y = (min(int(coordinate / _CELL), _GRID - 1) for coordinate in point)
    return y, x
