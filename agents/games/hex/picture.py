"""Pictures of Hex boards: pure functions from cells to SVG and text, without drawing libraries."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from agents.svg import document, element

from ..squares import LETTERS

_MARKS = {0: ".", 1: "X", -1: "O"}

_HALF = 20.0  # half the distance between the centres of neighbours
_RADIUS = 2 * _HALF / math.sqrt(3)  # from the centre of a cell to its corners
_ROW_HEIGHT = 1.5 * _RADIUS
_MARGIN = 52.0
_CORNERS = [  # of a cell, clockwise, the top first
    (x * _HALF, y * _RADIUS)
    for x, y in ((0, -1), (1, -0.5), (1, 0.5), (0, 1), (-1, 0.5), (-1, -0.5))
]
_DEFS = (
    "<defs>"
    '<linearGradient id="hex-wood" x2="0" y2="1"><stop stop-color="#f4e3c1"/>'
    '<stop offset="1" stop-color="#e6cc9c"/></linearGradient>'
    '<radialGradient id="hex-black" cx=".36" cy=".3" r=".75"><stop stop-color="#6b6f78"/>'
    '<stop offset=".55" stop-color="#2a2c31"/><stop offset="1" stop-color="#131417"/>'
    "</radialGradient>"
    '<radialGradient id="hex-white" cx=".36" cy=".3" r=".8"><stop stop-color="#ffffff"/>'
    '<stop offset=".6" stop-color="#f1efea"/><stop offset="1" stop-color="#c9c4b8"/>'
    "</radialGradient>"
    "</defs>"
)
_COLOURS = ("#1f2126", "#ffffff")  # of the edges
_WOOD = {"fill": "url(#hex-wood)", "stroke": "#a98c5c", "stroke_width": "1.2"}
_JOINED = {
    "fill": "none",
    "stroke": "#f2b632",
    "stroke_width": "7",
    "stroke_linecap": "round",
    "stroke_linejoin": "round",
}
_NEIGHBOURS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))  # down and right
_LETTERING = {
    "font_family": "DejaVu Sans, Helvetica, Arial, sans-serif",
    "font_size": "16",
    "font_weight": "bold",
    "fill": "#f4efe2",
    "text_anchor": "middle",
}

Point = tuple[float, float]


def board_svg(board: NDArray[np.int8], last_cell: tuple[int, int] | None = None) -> str:
    """A board as an SVG document, its edges in the colours of the players who join them.

    The board has 0 for empty cells, 1 for black and -1 for white stones. The last stone gets a
    ring, and a line marks a chain of stones that joins two edges.
    """
    size = len(board)
    width = 2 * _MARGIN + (3 * size - 1) * _HALF
    height = 2 * _MARGIN + (size - 1) * _ROW_HEIGHT + 2 * _RADIUS
    body = ['<rect width="100%" height="100%" rx="14" fill="#5b7a86"/>']
    body += [*_edges(size), element("g", *_cells(board), **_WOOD)]
    body.append(element("g", *_labels(size), **_LETTERING))
    body += [_stone(cell, board[cell]) for cell in zip(*np.nonzero(board), strict=True)]
    for player in (1, -1):
        if chain := _chain(board if player == 1 else board.T, player):
            line = [centre_of(cell if player == 1 else cell[::-1]) for cell in chain]
            body.append(element("polyline", points=_path(line), **_JOINED))
    if last_cell is not None:
        body.append(_ring(last_cell))
    return document(width, height, _DEFS, *body)


def board_text(board: NDArray[np.int8]) -> str:
    """A board as text, a rhombus with X for black, O for white and coordinates: see `board_svg`."""
    size = len(board)
    letters = " ".join(LETTERS[:size])
    lines = [f"   {letters}"]
    for row, cells in enumerate(board.tolist()):
        marks = " ".join(_MARKS[cell] for cell in cells)
        lines.append(f"{' ' * row}{row + 1:2d} {marks} {row + 1}")
    return "\n".join([*lines, f"{' ' * size}   {letters}"])


def centre_of(cell: tuple[int, int]) -> Point:
    """The centre of a cell (row, column), also of cells beyond the board."""
    row, column = cell
    return _MARGIN + _HALF * (1 + 2 * column + row), _MARGIN + _RADIUS + _ROW_HEIGHT * row


def _corner(cell: tuple[int, int], number: int) -> Point:
    (x, y), (right, down) = centre_of(cell), _CORNERS[number % 6]
    return x + right, y + down


def _path(points: list[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _cells(board: NDArray[np.int8]) -> Iterator[str]:
    """The outlines of all cells."""
    for cell in np.ndindex(board.shape):
        outline = _path([_corner(cell, number) for number in range(6)])
        yield f'<polygon points="{outline}"/>'


def _edges(size: int) -> Iterator[str]:
    """Bands along the four edges, which lie half under the cells."""
    end = size - 1
    cells = range(size)
    top = [_corner((0, c), n) for c in cells for n in (5, 0)] + [_corner((0, end), 1)]
    bottom = [_corner((end, c), n) for c in cells for n in (4, 3)] + [_corner((end, end), 2)]
    left = [_corner((r, 0), n) for r in cells for n in (5, 4)] + [_corner((end, 0), 3)]
    right = [_corner((0, end), 0)] + [_corner((r, end), n) for r in cells for n in (1, 2)]
    for colour, lines in zip(_COLOURS, ((top, bottom), (left, right)), strict=True):
        for line in lines:
            style = {"fill": "none", "stroke_width": "16", "stroke_linejoin": "round"}
            yield element("polyline", points=_path(line), stroke=colour, **style)


def _labels(size: int) -> Iterator[str]:
    """Letters above and below the columns, numbers at the left and right of the rows."""
    for i, letter in enumerate(LETTERS[:size]):
        for beside, near, step in ((-1, 0, -1), (size, size - 1, 1)):
            x, y = centre_of((near, i))
            yield element("text", letter, x=x, y=y + step * 1.9 * _RADIUS + 5.5)
            x, y = centre_of((i, beside))
            yield element("text", str(i + 1), x=x, y=y + 5.5)


def _chain(board: NDArray[np.int8], player: int) -> list[tuple[int, int]]:
    """A shortest chain of a player's stones from the first row to the last; [] without one."""
    own = {(int(row), int(column)) for row, column in np.argwhere(board == player)}
    chains = [[cell] for cell in sorted(own) if cell[0] == 0]
    for chain in chains:
        row, column = chain[-1]
        if row == len(board) - 1:
            return chain
        beside = {(row + down, column + right) for down, right in _NEIGHBOURS} & own
        own -= beside
        chains += [[*chain, cell] for cell in sorted(beside)]
    return []


def _stone(cell: tuple[int, int], player: int) -> str:
    x, y = centre_of(cell)
    kind, radius = "black" if player == 1 else "white", 0.78 * _HALF
    shadow = element("circle", cx=x + 1, cy=y + 1.8, r=radius, fill="#000", opacity=".25")
    return shadow + element("circle", cx=x, cy=y, r=radius, fill=f"url(#hex-{kind})")


def _ring(cell: tuple[int, int]) -> str:
    x, y = centre_of(cell)
    radius = 0.36 * _HALF
    return element("circle", cx=x, cy=y, r=radius, fill="none", stroke="#e2563b", stroke_width=3.2)
