"""The board as coloured text, and the geometry of the scrolling window that shows part of it.

A cell takes 7 columns and 3 rows of characters, or more if there is room. Columns grow to the east
and rows to the south. The north-west corner of the start tile lies at column 0 and row 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from rich.style import Style
from rich.text import Text

from ..drawing.rendering import THEMES, text_blocks
from ..drawing.tile_text import SMALLEST, Block, Look, Size, plain, text_block
from ..model import CarcassonneModel
from ..play.selection import Cell, Selection
from ..position import Move, segment_targets

SIZES: tuple[Size, ...] = ((15, 7), (11, 5), SMALLEST)
"""Sizes of a cell in columns and rows of characters, the largest first."""
TABLE = THEMES["dark"].table
AXIS = "#9a9586"
"""Colour of the numbers beside the board."""
GUTTER = 4
"""Columns of the numbers beside the board; those above it take one row."""
Window = tuple[int, int, int, int]
"""Leftmost column, topmost row, width and height of the visible part of the board."""

_LEGAL = ("┌┐└┘", "#b9c4d6")
_LEGAL_GROUND = "#39414f"
_SELECTED, _LATEST = ("▛▜▙▟", "#e8178a"), ("┌┐└┘", "#202020")
"""Corner characters and colour of the frames around the tile to place and the last placed tile."""


# The pictures of the cells


def board_blocks(
    model: CarcassonneModel, selection: Selection | None, size: Size = SMALLEST
) -> dict[Cell, Block]:
    """The pictures of all cells that are not empty.

    The last placed tile has a frame. If a person is to move, legal cells have a mark, and the
    selected cell shows the tile to place, with its meeple.
    """
    tiles = model.board
    blocks = text_blocks(tiles, model.placed_meeples, size, first=1)
    if len(tiles) > 1:
        _, x, y, _ = tiles[-1]
        blocks[x, y] = framed(blocks[x, y], *_LATEST)
    if selection is not None:
        blocks |= dict.fromkeys(selection.cells, _legal_block(size))
        preview = move_block(selection.letter, selection.move, model.current_player(), size)
        blocks[selection.cell] = framed(preview, *_SELECTED)
    return blocks


def move_block(letter: str, move: Move, player: int, size: Size = SMALLEST) -> Block:
    """The picture of a tile as a move places it, with the meeple of the player who moves."""
    if move.target is None:
        return text_block(letter, move.rotation, size=size)
    segment = segment_targets(letter, move.rotation).index(move.target)
    return text_block(letter, move.rotation, ((segment, player),), size, first=1)


def _legal_block(size: Size) -> Block:
    """A cell where the tile fits."""
    columns, rows = size
    ink = _LEGAL[1]
    block = [[(" ", ink, _LEGAL_GROUND)] * columns for _ in range(rows)]
    block[rows // 2][columns // 2] = ("+", ink, _LEGAL_GROUND)
    return framed(block, *_LEGAL)


def framed(block: Block, corners: str, colour: str) -> Block:
    """A copy of a block with new corner characters; a corner with a meeple keeps the meeple."""
    rows = [list(row) for row in block]
    places = ((row, column) for row in (0, -1) for column in (0, -1))
    for (row, column), corner in zip(places, corners, strict=True):
        character, _, ground = rows[row][column]
        if not character.isdigit():
            rows[row][column] = (corner, colour, ground)
    return rows


# The window


def largest(cells: Sequence[Cell], width: int, height: int) -> Size:
    """The largest size of a cell at which all cells fit into a window, else the smallest size."""
    for size in SIZES:
        left, right, top, bottom = bounds(cells, size)
        if right - left <= width and bottom - top <= height:
            return size
    return SMALLEST


def bounds(cells: Sequence[Cell], size: Size = SMALLEST) -> tuple[int, int, int, int]:
    """First and last column, first and last row of the cells, with a margin of one cell.

    The last column and the last row are exclusive.
    """
    columns, rows = size
    xs, ys = [x for x, _ in cells], [y for _, y in cells]
    left, right = (min(xs) - 1) * columns, (max(xs) + 2) * columns
    top, bottom = -(max(ys) + 1) * rows, (2 - min(ys)) * rows
    return left, right, top, bottom


def scrolled(start: int, length: int, low: int, high: int, first: int, last: int) -> int:
    """The new start of a window, scrolled along one axis until it shows the range [first, last).

    The window moves no further than needed and stays on the board, which is [low, high). If the
    board fits into the window, it is centred. Of a range that is too long, it shows the start.
    """
    if high - low <= length:
        return low - (length - (high - low)) // 2
    start = min(max(start, last - length), first)
    return max(low, min(start, high - length))


def window_on(cell: Cell, cells: Sequence[Cell], window: Window, size: Size = SMALLEST) -> Window:
    """Scrolls a window over the cells of a board until it shows one, with its neighbours if it can.

    The window has its previous place and its current size.
    """
    (columns, rows), (column, row, width, height) = size, window
    left, right, top, bottom = bounds(cells, size)
    x, y = cell[0] * columns, -cell[1] * rows
    across = columns if width >= 3 * columns else 0
    down = rows if height >= 3 * rows else 0
    column = scrolled(column, width, left, right, x - across, x + columns + across)
    row = scrolled(row, height, top, bottom, y - down, y + rows + down)
    return column, row, width, height


def cell_at(column: int, row: int, size: Size = SMALLEST) -> Cell:
    """The cell to which a column and a row of characters belong."""
    return column // size[0], -(row // size[1])


def window_text(blocks: Mapping[Cell, Block], window: Window, size: Size = SMALLEST) -> Text:
    """The text of the part of the board that lies in the window."""
    left, top, width, height = window
    empty = (" ", "", TABLE)

    def look(column: int, row: int) -> Look:
        block = blocks.get(cell_at(column, row, size))
        return empty if block is None else block[row % size[1]][column % size[0]]

    lines = [
        text_of([look(column, row) for column in range(left, left + width)])
        for row in range(top, top + height)
    ]
    return Text("\n", no_wrap=True).join(lines)


def with_axes(text: Text, window: Window, size: Size = SMALLEST) -> Text:
    """The text of a window with the numbers of its columns above it and of its rows at its left."""
    (columns, rows), (left, top, width, height) = size, window
    above = [" "] * (GUTTER + width)
    for x in range(-(-left // columns), (left + width) // columns):
        label = f"{x:^{columns}}"
        start = GUTTER + x * columns - left
        above[start : start + columns] = label
    lines = [Text("".join(above), AXIS, no_wrap=True)]
    for row, line in enumerate(text.split("\n", allow_blank=True), start=top):
        label = str(-(row // rows)) if row % rows == rows // 2 else ""
        lines.append(Text(f"{label:>{GUTTER - 1}} ", AXIS, no_wrap=True).append(line))
    return Text("\n", no_wrap=True).join(lines[: height + 1])


def text_of(looks: Sequence[Look]) -> Text:
    """A line of coloured text."""
    line = Text(no_wrap=True)
    for (ink, ground), run in groupby(looks, key=lambda look: look[1:]):
        style = Style(color=ink or None, bgcolor=ground or None)
        line.append(plain(run), style)
    return line
