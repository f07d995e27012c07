"""Draws a position of Dodgem: a pure function from the position to SVG text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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


# Strokes on a grid, 6 wide and 12 high: pictures are the same whichever fonts are installed.
_GLYPHS = {
    "a": "M6 4v8M6 8a3 4 0 1 0-6 0a3 4 0 1 0 6 0",
    "b": "M0 0v12M0 8a3 4 0 1 1 6 0a3 4 0 1 1-6 0",
    "c": "M6 5.5Q5 4 3.5 4Q0 4 0 8t3.5 4Q5 12 6 10.5",
    "d": "M6 0v12M6 8a3 4 0 1 0-6 0a3 4 0 1 0 6 0",
    "e": "M0 8h6Q6 4 3 4T0 8t3 4Q5 12 5.5 10.5",
    "f": "M6 .5Q2.5-1 2.5 3v9M.5 5h5",
    "g": "M6 4v8q0 3-3 3-2 0-2.5-1M6 8a3 4 0 1 0-6 0a3 4 0 1 0 6 0",
    "h": "M0 0v12M0 8q0-4 3-4t3 4v4",
    "1": "M1 2.5L4 0v12",
    "2": "M0 3q0-3 3-3t3 3q0 2-3 5l-3 4h6",
    "3": "M0 0h6L2.5 5Q6 5 6 8.5T3 12 0 10.5",
    "4": "M4.5 12V0L0 8.5h6",
    "5": "M5.5 0H.5v5.5Q1.5 4.5 3 4.5q3 0 3 3.5T3 12 0 10.5",
    "6": "M5 0Q0 4 0 8.5A3 3.5 0 1 0 6 8.5 3 3.5 0 0 0 0 8.5",
    "7": "M0 0h6L2 12",
    "8": "M3 5.5A2.7 2.7 0 1 1 3 0a2.7 2.7 0 1 1 0 5.5A3 3.2 0 1 0 3 12a3 3.2 0 1 0 0-6.5",
}


def position_svg(
    board: Sequence[Sequence[int]], last_move: Sequence[tuple[int, int]], status: str
) -> str:
    """A position as SVG text.

    Args:
        board: The rows from the top; 0 is an empty square, 1 a car of black, 2 one of white.
        last_move: The (row, column) that the last move left and the one it reached, which is just
            beside the board if the car left it. Empty at the start.
        status: The line below the board.
    """
    size = len(board)
    side = _MARGIN + size * _CELL + _EXIT
    height = side + _CAPTION
    body = (*_ground(size), *_marks(last_move, size), *_exits(size), *_cars(board))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {height}" width="{side}" '
        f'height="{height}">\n<defs>{_CAR}{_ARROW}</defs>\n'
        f'<rect width="{side}" height="{height}" rx="10" fill="{_BACKGROUND}"/>\n'
        + "\n".join(body)
        + f'\n<text x="{_MARGIN + size * _CELL / 2:g}" y="{side + 12}" font-family="sans-serif" '
        f'font-size="17" text-anchor="middle" fill="{_INK}">{status}</text>\n</svg>\n'
    )


def _corner(i: int) -> int:
    """The left edge of a column, or the upper edge of a row."""
    return _MARGIN + i * _CELL


def _centre(i: int, size: int) -> float:
    """The middle of a column or row; that of number `size` is the band of the arrows."""
    return _corner(i) + (_EXIT if i == size else _CELL) / 2


def _ground(size: int) -> Iterator[str]:
    """The board with its coordinates."""
    length = size * _CELL
    yield (
        f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{length}" height="{length}" rx="8" '
        f'fill="{_GROUND}"/>'
    )
    corners = [_corner(i) for i in range(1, size)]
    lines = "".join([f"M{at} {_MARGIN}v{length}M{_MARGIN} {at}h{length}" for at in corners])
    yield f'<path d="{lines}" stroke="{_GRID}" stroke-width="2"/>'
    for i in range(size):
        yield _glyph("abcdefgh"[i], _centre(i, size), _MARGIN / 2)
        yield _glyph("12345678"[i], _MARGIN / 2, _centre(i, size))


def _glyph(letter: str, x: float, y: float) -> str:
    return (
        f'<path d="{_GLYPHS[letter]}" transform="translate({x - 3:g} {y - 6:g})" fill="none" '
        f'stroke="{_INK}" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _marks(last_move: Sequence[tuple[int, int]], size: int) -> Iterator[str]:
    """What the last move left, and in a stronger colour what it reached."""
    for (row, column), opacity in zip(last_move, (0.4, 0.8), strict=False):
        width = (_EXIT if size in (row, column) else _CELL) - 6
        x, y = _centre(column, size) - width / 2, _centre(row, size) - width / 2
        yield (
            f'<rect x="{x:g}" y="{y:g}" width="{width}" height="{width}" rx="7" '
            f'fill="{_MARKED}" opacity="{opacity}"/>'
        )


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
    turn = " rotate(90)" if code == 2 else ""
    return (
        f'<use href="#dodgem-{shape}" fill="{_PAINT[code]}" '
        f'transform="translate({_centre(column, size):g} {_centre(row, size):g}){turn}"/>'
    )
