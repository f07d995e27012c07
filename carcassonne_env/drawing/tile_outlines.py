"""Outlines of a tile's segments as SVG paths, traced on its map of segments.

Pages and pictures lay them over a tile to mark a feature, and to find the segment under a pointer.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cache

import numpy as np

from .tile_art import num
from .tile_geometry import SIZE, Mask, Point, segment_map

_CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))
_TOLERANCE = 0.9
"""Largest distance of a traced border from its outline, in units; about one cell of the map."""


@cache
def segment_path(letter: str, segment_index: int) -> str:
    """The outline of a segment at rotation 0, as the data of an SVG path.

    Args:
        letter: The tile, "A" to "X".
        segment_index: Index into the tile's segments.

    Raises:
        KeyError: If there is no such tile.
    """
    mask = segment_map(letter) == segment_index
    scale = SIZE / len(mask)
    borders = [[(x * scale, y * scale) for x, y in border] for border in _borders(mask)]
    return "".join(_path(_simplified(border)) for border in borders)


def _borders(mask: Mask) -> list[list[tuple[int, int]]]:
    """The closed borders of a mask as corners (column, row), with the mask on their right."""
    padded = np.pad(mask, 1)
    beside = (padded[:-2, 1:-1], padded[1:-1, 2:], padded[2:, 1:-1], padded[1:-1, :-2])
    ahead: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for i, neighbour in enumerate(beside):
        (x0, y0), (x1, y1) = _CORNERS[i], _CORNERS[(i + 1) % 4]
        for y, x in np.argwhere(mask & ~neighbour).tolist():
            ahead[x + x0, y + y0].append((x + x1, y + y1))
    borders = []
    while ahead:
        border = [next(iter(ahead))]
        while (ends := ahead.get(border[-1])) is not None:
            end = ends.pop()
            if not ends:
                del ahead[border[-1]]
            border.append(end)
        borders.append(border[:-1])
    return borders


def _simplified(border: list[Point]) -> list[Point]:
    """A closed border with fewer corners (Ramer-Douglas-Peucker, from two far corners)."""
    far = max(range(len(border)), key=lambda i: math.dist(border[0], border[i]))
    return _thinned(border[: far + 1])[:-1] + _thinned([*border[far:], border[0]])[:-1]


def _thinned(line: list[Point]) -> list[Point]:
    """An open line with fewer corners; its ends stay."""
    (x0, y0), (x1, y1) = line[0], line[-1]
    length = math.dist(line[0], line[-1]) or 1.0

    def distance(i: int) -> float:
        x, y = line[i]
        return abs((x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0)) / length

    pick = max(range(1, len(line) - 1), key=distance, default=0)
    if not pick or distance(pick) <= _TOLERANCE:
        return [line[0], line[-1]]
    return _thinned(line[: pick + 1])[:-1] + _thinned(line[pick:])


def _path(corners: list[Point]) -> str:
    return "M" + "L".join(f"{num(x)} {num(y)}" for x, y in corners) + "Z"
