"""Pictures of positions: functions from a board to text for terminals and to SVG."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

EMPTY = -1
BLOCKED = -2
COLOURS = ("black", "white")
_LETTERS = {EMPTY: ".", BLOCKED: " ", 0: "X", 1: "O"}

_CELL = 40
_MARGIN = 26
_STRIP = 40
_STYLE = (
    "text{font-family:Helvetica,Arial,sans-serif;fill:#d9d2c0;text-anchor:middle}"
    ".name{font-size:13px}.count{font-size:19px;font-weight:bold}.status{font-size:15px}"
)
_DEFS = f"""<style>{_STYLE}</style>
<defs>
<radialGradient id="reversi-black" cx=".38" cy=".32" r=".75">
<stop offset="0" stop-color="#5a5d60"/><stop offset=".55" stop-color="#232527"/>
<stop offset="1" stop-color="#0d0e0f"/></radialGradient>
<radialGradient id="reversi-white" cx=".38" cy=".32" r=".8">
<stop offset="0" stop-color="#ffffff"/><stop offset=".6" stop-color="#f1efe8"/>
<stop offset="1" stop-color="#c6c3b8"/></radialGradient>
<linearGradient id="reversi-felt" x2="1" y2="1">
<stop offset="0" stop-color="#35865a"/><stop offset="1" stop-color="#236a44"/></linearGradient>
</defs>"""


def square_name(square: int, size: int) -> str:
    """The name of a square: "a1" in the upper left corner, "b1" to its right, "a2" below it."""
    return f"{chr(ord('a') + square % size)}{square // size + 1}"


def status(board: NDArray[np.int8], player: int) -> str:
    """The numbers of pieces and who moves or has won, such as "black 2, white 2, black to move".

    Args:
        board: int8[size, size], the squares: 0 (black), 1 (white), `EMPTY` or `BLOCKED`.
        player: The player to move, -1 for chance, -4 at the end.
    """
    black, white = _counts(board)
    return f"black {black}, white {white}, {_turn(board, player)}"


def board_text(board: NDArray[np.int8], player: int, legal: NDArray[np.bool_]) -> str:
    """The board as text: X black, O white, + a legal move; and a line with the `status`.

    Args:
        board: int8[size, size], as for `status`.
        player: The player to move, as for `status`.
        legal: bool[size, size], where the player can move.
    """
    size = len(board)
    files = "   " + " ".join(_files(size))
    rows = [
        f"{row + 1:2} "
        + " ".join("+" if legal[row, column] else _LETTERS[int(board[row, column])] for column in range(size))
        for row in range(size)
    ]
    return "\n".join([files, *(row.rstrip() for row in rows), status(board, player)])


def board_svg(
    board: NDArray[np.int8], player: int, legal: NDArray[np.bool_], last: int | None = None
) -> str:
    """The board as an SVG document, with the last move, hints of legal moves, counts and the turn.

    Args:
        board: int8[size, size], as for `status`.
        player: The player to move, as for `status`.
        legal: bool[size, size], where the player can move.
        last: The square of the last move; None, or a number that is no square, if there is none.
    """
    side = len(board) * _CELL
    width, height = side + 2 * _MARGIN, side + 2 * _MARGIN + _STRIP
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}">',
            _DEFS,
            f'<rect width="{width}" height="{height}" rx="10" fill="#2b2620"/>',
            f'<g transform="translate({_MARGIN} {_MARGIN})">',
            *_ground(board),
            *_pieces(board),
            *_hints(player, legal),
            *_last_move(board, last),
            "</g>",
            *_strip(board, player, width, height),
            "</svg>",
        ]
    )


def _files(size: int) -> str:
    return "".join(chr(ord("a") + column) for column in range(size))


def _counts(board: NDArray[np.int8]) -> tuple[int, int]:
    return int(np.sum(board == 0)), int(np.sum(board == 1))


def _turn(board: NDArray[np.int8], player: int) -> str:
    """Whose turn it is, or who has won."""
    if player >= 0:
        return f"{COLOURS[player]} to move"
    if player == -1:
        return "chance to move"
    black, white = _counts(board)
    return "draw" if black == white else f"{COLOURS[white > black]} wins"


def _squares(mask: Any) -> Iterator[tuple[int, int]]:
    """The (x, y) of the centres of the squares where a mask holds."""
    for row, column in np.argwhere(mask).tolist():
        yield column * _CELL + _CELL // 2, row * _CELL + _CELL // 2


def _ground(board: NDArray[np.int8]) -> Iterator[str]:
    """The squares with their lines, the four dots, and the names of files and ranks."""
    size, half = len(board), _CELL // 2
    cells = "".join(
        f"M{x - half} {y - half}h{_CELL}v{_CELL}h-{_CELL}z" for x, y in _squares(board != BLOCKED)
    )
    yield (
        f'<path d="{cells}" fill="url(#reversi-felt)" stroke="#174a30" '
        'stroke-width="1.5" stroke-linejoin="round"/>'
    )
    dots = [_CELL * line for line in (2, size - 2)]
    yield from (f'<circle cx="{x}" cy="{y}" r="3.5" fill="#174a30"/>' for x in dots for y in dots)
    for i, name in enumerate(_files(size)):
        centre = i * _CELL + half
        yield f'<text class="name" x="{centre}" y="-8">{name}</text>'
        yield f'<text class="name" x="-13" y="{centre + 5}">{i + 1}</text>'


def _disc(x: float, y: float, player: int, radius: float = 16) -> str:
    return (
        f'<circle cx="{x + 1:g}" cy="{y + 2:g}" r="{radius:g}" fill="#000" fill-opacity=".35"/>'
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="url(#reversi-{COLOURS[player]})"/>'
    )


def _pieces(board: NDArray[np.int8]) -> Iterator[str]:
    return (_disc(x, y, player) for player in (0, 1) for x, y in _squares(board == player))


def _hints(player: int, legal: NDArray[np.bool_]) -> Iterator[str]:
    """A small dot in the colour of the mover on each square where he can move."""
    fill = "#f1efe8" if player == 1 else "#111"
    for x, y in _squares(legal):
        yield f'<circle cx="{x}" cy="{y}" r="4.5" fill="{fill}" fill-opacity=".5"/>'


def _last_move(board: NDArray[np.int8], last: int | None) -> Iterator[str]:
    mask = np.arange(board.size).reshape(board.shape) == (-1 if last is None else last)
    return (f'<circle cx="{x}" cy="{y}" r="4" fill="#e2483d"/>' for x, y in _squares(mask))


def _strip(board: NDArray[np.int8], player: int, width: int, height: int) -> Iterator[str]:
    """Below the board: the number of pieces of both players, a ring around who moves, the turn."""
    y = height - 30
    for i, (count, x, step) in enumerate(zip(_counts(board), (42, width - 42), (32, -32), strict=True)):
        if player == i:
            yield f'<circle cx="{x}" cy="{y}" r="17" fill="none" stroke="#e8b84a" stroke-width="2.5"/>'
        yield _disc(x, y, i, 13)
        yield f'<text class="count" x="{x + step}" y="{y + 7}">{count}</text>'
    yield f'<text class="status" x="{width // 2}" y="{y + 5}">{_turn(board, player)}</text>'
