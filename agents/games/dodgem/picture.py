"""Draws a position of Dodgem: a pure function from the position to SVG text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.svg import document, element, text_svg

from ..squares import LETTERS

_CELL = 64
_MARGIN = 40  # of the coordinates, left and above
_EXIT = 52  # of the arrows, right and below
_CAPTION = 30
_PAINT = {1: "#2a2e35", 2: "#faf7ee"}  # by the codes of the board
_BACKGROUND = "#f3f0e8"
_INK = "#4d5359"
_GROUND = "#9aa5a8"
_GRID = "#b4bdbf"
_MARKED = "#e3bd4f"
# Seen from above and driving right, around (0, 0); the paint is that of the <use> element.
_CAR = """
<g id="dodgem-car" stroke-linejoin="round">
<rect x="-25" y="-12" width="52" height="30" rx="9" fill="#000" opacity="0.22"/>
<path d="M-18-16h9v32h-9zM9-16h9v32H9z" fill="#23262a"/>
<path d="M-19-14H12q13 0 14 14-1 14-14 14H-19q-7 0-7-7V-7q0-7 7-7z" stroke="#23262a"
stroke-width="1.6"/>
<path d="M5-11q6 11 0 22l-8-3q4-8 0-16zM-19-9.5l7 2.5q-2 7 0 14l-7 2.5q-3-9.5 0-19z"
fill="#7ea0b8"/>
<path d="M-16-11h17l-5 2.5h-6zM-16 11h17l-5-2.5h-6z" fill="#7ea0b8" opacity="0.75"/>
<path d="M-11-7h8q3 7 0 14h-8q-2-7 0-14z" fill="#fff" opacity="0.22"/>
<path d="M20-11.5q4 2 4.5 6l-4-1zM20 11.5q4-2 4.5-6l-4 1z" fill="#ffe9a0"/>
<path d="M-25.5-10h2.5v5h-2.5zM-25.5 5h2.5v5h-2.5z" fill="#d43d34"/>
</g>
"""
_ARROW = (
    '<path id="dodgem-arrow" d="M-15-5H2v-8L18 0 2 13V5h-17z" stroke="#8d867a" stroke-width="1.5" '
    'stroke-linejoin="round"/>'
)


def position_svg(
    board: Sequence[Sequence[int]], last_move: Sequence[tuple[int, int]], status: str
) -> str:
    """A position as SVG text, with the status in a line below the board.

    The board has its rows from the top; 0 is an empty square, 1 a car of black, 2 one of white. The
    last move is the (row, column) that it left and the one it reached, which is just beside the
    board if the car left it; it is empty at the start.
    """
    size = len(board)
    side = _MARGIN + size * _CELL + _EXIT
    height = side + _CAPTION
    return document(
        side,
        height,
        f"<defs>{_CAR}{_ARROW}</defs>",
        f'<rect width="{side}" height="{height}" rx="10" fill="{_BACKGROUND}"/>',
        *_ground(size),
        *_marks(last_move, size),
        *_exits(size),
        *_cars(board),
        text_svg(status, _MARGIN + size * _CELL / 2, side + 7, 12, _INK, "middle"),
    )


def place_of(square: tuple[int, int], size: int) -> tuple[float, float]:
    """The centre (x, y) of a square (row, column) in the picture, also of one beside the board."""
    row, column = square
    return _centre(column, size), _centre(row, size)


def _centre(i: int, size: int) -> float:
    """The middle of a column or row; that of number `size` is the band of the arrows."""
    return _MARGIN + i * _CELL + (_EXIT if i == size else _CELL) / 2


def _ground(size: int) -> Iterator[str]:
    """The board with its coordinates."""
    length = size * _CELL
    yield element("rect", x=_MARGIN, y=_MARGIN, width=length, height=length, rx=8, fill=_GROUND)
    inner = range(_MARGIN + _CELL, _MARGIN + length, _CELL)
    lines = "".join([f"M{at} {_MARGIN}v{length}M{_MARGIN} {at}h{length}" for at in inner])
    yield f'<path d="{lines}" stroke="{_GRID}" stroke-width="2"/>'
    for i in range(size):
        yield text_svg(LETTERS[i], _centre(i, size), _MARGIN / 2, 12, _INK, "middle")
        yield text_svg(str(i + 1), _MARGIN / 2, _centre(i, size), 12, _INK, "middle")


def _marks(last_move: Sequence[tuple[int, int]], size: int) -> Iterator[str]:
    """What the last move left, and in a stronger colour what it reached."""
    for (row, column), opacity in zip(last_move, (0.4, 0.8), strict=False):
        width = (_EXIT if size in (row, column) else _CELL) - 6
        x, y = _centre(column, size) - width / 2, _centre(row, size) - width / 2
        place = {"x": x, "y": y, "width": width, "height": width}
        yield element("rect", **place, rx=7, fill=_MARKED, opacity=opacity)


def _exits(size: int) -> Iterator[str]:
    """The arrows where black leaves the board, on the right, and white, below."""
    for i in range(size):
        yield _use("arrow", i, size, 1, size)
        yield _use("arrow", size, i, 2, size)


def _cars(board: Sequence[Sequence[int]]) -> Iterator[str]:
    for i, row in enumerate(board):
        for j, code in enumerate(row):
            if code:
                yield _use("car", i, j, code, len(board))


def _use(shape: str, row: int, column: int, code: int, size: int) -> str:
    """A shape in a player's paint and direction."""
    place = f"translate({_centre(column, size):g} {_centre(row, size):g})"
    turn = " rotate(90)" if code == 2 else ""
    return element("use", href=f"#dodgem-{shape}", fill=_PAINT[code], transform=place + turn)
