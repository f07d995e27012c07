"""Pictures of positions: functions from a board to text for terminals and to SVG."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.forward_model import CHANCE, TERMINAL
from agents.svg import document, element, text_svg

from ..squares import COLOURS, LETTERS

EMPTY = -1
BLOCKED = -2
_LETTERS = {EMPTY: ".", BLOCKED: " ", 0: "X", 1: "O"}

_CELL = 40
_MARGIN = 26
_STRIP = 34
_TABLE = "#5a4030"
_INK = "#efe4cd"
_GOLD = "#f0bf4c"
_DEFS = """<defs>
<radialGradient id="reversi-black" cx=".38" cy=".32" r=".75">
<stop offset="0" stop-color="#5a5d60"/><stop offset=".55" stop-color="#232527"/>
<stop offset="1" stop-color="#0d0e0f"/></radialGradient>
<radialGradient id="reversi-white" cx=".38" cy=".32" r=".8">
<stop offset="0" stop-color="#ffffff"/><stop offset=".6" stop-color="#f1efe8"/>
<stop offset="1" stop-color="#c6c3b8"/></radialGradient>
<linearGradient id="reversi-felt" x2="1" y2="1">
<stop offset="0" stop-color="#35865a"/><stop offset="1" stop-color="#236a44"/></linearGradient>
</defs>"""


def place_of(square: int, size: int) -> tuple[float, float]:
    """The centre (x, y) of a square in the picture."""
    half = _CELL // 2
    return _MARGIN + square % size * _CELL + half, _MARGIN + square // size * _CELL + half


def status(board: NDArray[np.int8], player: int) -> str:
    """The numbers of pieces and who moves or has won, such as "black 2, white 2, black to move".

    Squares are 0 (black), 1 (white), `EMPTY` or `BLOCKED`. The player is the one to move, `CHANCE`
    or `TERMINAL`.
    """
    black, white = _counts(board)
    return f"black {black}, white {white}, {_turn(board, player)}"


def board_text(board: NDArray[np.int8], player: int, legal: NDArray[np.bool_]) -> str:
    """The board as text: X black, O white, + a legal move; and a line with the `status`."""
    size = len(board)
    letters = np.vectorize(_LETTERS.get)(board)
    letters[legal] = "+"
    rows = [f"{i + 1:2} {' '.join(row)}".rstrip() for i, row in enumerate(letters)]
    return "\n".join(["   " + " ".join(LETTERS[:size]), *rows, status(board, player)])


def board_svg(
    board: NDArray[np.int8], player: int, legal: NDArray[np.bool_], last: int | None = None
) -> str:
    """The board as an SVG document, with the last move, hints of legal moves, counts and the turn.

    Board and player are those of `status`. `last` may be a number that is no square.
    """
    side = len(board) * _CELL
    width, height = side + 2 * _MARGIN, side + 2 * _MARGIN + _STRIP
    is_last = np.arange(board.size).reshape(board.shape) == (-1 if last is None else last)
    return document(
        width,
        height,
        f"<title>{status(board, player)}</title>",
        _DEFS,
        f'<rect width="{width}" height="{height}" rx="10" fill="{_TABLE}"/>',
        f'<g transform="translate({_MARGIN} {_MARGIN})">',
        *_ground(board),
        *(_disc(x, y, owner) for owner in (0, 1) for x, y in _squares(board == owner)),
        *_hints(player, legal),
        *(element("circle", cx=x, cy=y, r=4, fill="#e2483d") for x, y in _squares(is_last)),
        "</g>",
        *_strip(board, player, width, height),
    )


def _counts(board: NDArray[np.int8]) -> tuple[int, int]:
    return int(np.sum(board == 0)), int(np.sum(board == 1))


def _leader(board: NDArray[np.int8]) -> int | None:
    """The player with more pieces."""
    black, white = _counts(board)
    return None if black == white else int(white > black)


def _turn(board: NDArray[np.int8], player: int) -> str:
    """Whose turn it is, or who has won."""
    if player >= 0:
        return f"{COLOURS[player]} to move"
    if player == CHANCE:
        return "chance to move"
    leader = _leader(board)
    return "draw" if leader is None else f"{COLOURS[leader]} wins"


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
    for i, name in enumerate(LETTERS[:size]):
        centre = i * _CELL + half
        yield text_svg(name, centre, -13, 10, _INK, "middle")
        yield text_svg(str(i + 1), -13, centre, 10, _INK, "middle")


def _disc(x: float, y: float, player: int, radius: float = 16) -> str:
    shadow = element("circle", cx=x + 1, cy=y + 2, r=radius, fill="#000", fill_opacity=".35")
    return shadow + element("circle", cx=x, cy=y, r=radius, fill=f"url(#reversi-{COLOURS[player]})")


def _hints(player: int, legal: NDArray[np.bool_]) -> Iterator[str]:
    """A small dot in the colour of the mover on each square where he can move."""
    fill = "#f1efe8" if player == 1 else "#111"
    for x, y in _squares(legal):
        yield f'<circle cx="{x}" cy="{y}" r="4.5" fill="{fill}" fill-opacity=".5"/>'


def _strip(board: NDArray[np.int8], player: int, width: int, height: int) -> Iterator[str]:
    """Below the board: the number of pieces of both players, a ring around who moves or has won."""
    y = height - 29
    marked = _leader(board) if player == TERMINAL else player
    for i, count in enumerate(_counts(board)):
        x, side = (width // 2 - 28, -1) if i == 0 else (width // 2 + 28, 1)
        if marked == i:
            yield element("circle", cx=x, cy=y, r=17.5, fill="none", stroke=_GOLD, stroke_width=3)
        yield _disc(x, y, i, 13)
        yield text_svg(str(count), x + side * 38, y, 17, _INK, "middle")
