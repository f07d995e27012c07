"""The board as coloured text, and the geometry of the scrolling window that shows part of it.

A cell takes 7 columns and 3 rows of characters. Columns grow to the east and rows to the south.
The north-west corner of the start tile lies at column 0 and row 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby

from rich.style import Style
from rich.text import Text

from ..drawing.rendering import THEMES
from ..drawing.tile_text import Look, text_block
from ..model import CarcassonneModel
from ..play.selection import Cell, Selection
from ..position import Move, PlacedMeeple, PlacedTile, segment_targets

WIDTH, HEIGHT = 7, 3
"""Size of a cell in columns and rows of characters."""
TABLE = THEMES["dark"].table
Block = list[list[Look]]
"""The picture of a cell: `HEIGHT` rows of `WIDTH` characters."""
Window = tuple[int, int, int, int]
"""Leftmost column, topmost row, width and height of the visible part of the board."""

_EMPTY: Block = [[(" ", "", TABLE)] * WIDTH] * HEIGHT
_LEGAL = ("┌     ┐", "   +   ", "└     ┘")
_LEGAL_INK, _LEGAL_GROUND = "#b9c4d6", "#39414f"
_SELECTED, _LATEST = ("▛▜▙▟", "#e8178a"), ("┌┐└┘", "#202020")
"""Corner characters and colour of the frames around the tile to place and the last placed tile."""
_CORNERS = ((0, 0), (0, WIDTH - 1), (HEIGHT - 1, 0), (HEIGHT - 1, WIDTH - 1))


# The pictures of the cells


def board_blocks(model: CarcassonneModel, selection: Selection | None) -> dict[Cell, Block]:
    """The pictures of all cells that are not empty.

    The last placed tile has a frame, and legal cells have a mark. The selected cell shows the tile
    to place, with its meeple.

    Args:
        model: The position.
        selection: The move that the person has selected; None if no person is to move.
    """
    tiles = model.board
    blocks = tile_blocks(tiles, model.placed_meeples)
    if len(tiles) > 1:
        _, x, y, _ = tiles[-1]
        blocks[x, y] = framed(blocks[x, y], *_LATEST)
    if selection is not None:
        legal = [[(c, _LEGAL_INK, _LEGAL_GROUND) for c in row] for row in _LEGAL]
        blocks |= dict.fromkeys(selection.cells, legal)
        preview = move_block(selection.letter, selection.move, model.current_player())
        blocks[selection.cell] = framed(preview, *_SELECTED)
    return blocks


def tile_blocks(tiles: Sequence[PlacedTile], meeples: Sequence[PlacedMeeple]) -> dict[Cell, Block]:
    """The pictures of the tiles on the board with the meeples on them."""
    at_cell = {(tile.x, tile.y): tile for tile in tiles}
    players: dict[Cell, list[tuple[int, int]]] = {cell: [] for cell in at_cell}
    for player, x, y, target in meeples:
        tile = at_cell[x, y]
        segment = segment_targets(tile.tile, tile.rotation).index(target)
        players[x, y].append((segment, player))
    return {
        cell: _block(tile.tile, tile.rotation, tuple(players[cell]))
        for cell, tile in at_cell.items()
    }


def move_block(letter: str, move: Move, player: int) -> Block:
    """The picture of a tile as a move places it, with the meeple of the player who moves."""
    if move.target is None:
        return _block(letter, move.rotation, ())
    segment = segment_targets(letter, move.rotation).index(move.target)
    return _block(letter, move.rotation, ((segment, player),))


@lru_cache(maxsize=4096)
def _block(letter: str, rotation: int, players: tuple[tuple[int, int], ...]) -> Block:
    return text_block(letter, rotation, dict(players))


def framed(block: Block, corners: str, colour: str) -> Block:
    """A copy of a block with new corner characters; a corner with a meeple keeps the meeple."""
    rows = [list(row) for row in block]
    for (row, column), corner in zip(_CORNERS, corners, strict=True):
        character, _, ground = rows[row][column]
        if not character.isdigit():
            rows[row][column] = (corner, colour, ground)
    return rows


# The window


def bounds(cells: Sequence[Cell]) -> tuple[int, int, int, int]:
    """First and last column, first and last row of the cells, with a margin of one cell.

    The last column and the last row are exclusive.
    """
    xs, ys = [x for x, _ in cells], [y for _, y in cells]
    left, right = (min(xs) - 1) * WIDTH, (max(xs) + 2) * WIDTH
    top, bottom = -(max(ys) + 1) * HEIGHT, (2 - min(ys)) * HEIGHT
    return left, right, top, bottom


def scrolled(start: int, length: int, low: int, high: int, first: int, last: int) -> int:
    """Scrolls a window along one axis until it shows the range [first, last).

    The window moves no further than needed and stays within [low, high). If [low, high) fits into
    the window, it is centred.

    Args:
        start: Current start of the window.
        length: Length of the window.
        low: Start of the board.
        high: End of the board, exclusive.
        first: Start of the range to show; the window shows it even if the range is too long.
        last: End of the range to show, exclusive.

    Returns:
        The new start of the window.
    """
    if high - low <= length:
        return low - (length - (high - low)) // 2
    start = min(max(start, last - length), first)
    return max(low, min(start, high - length))


def window_on(cell: Cell, cells: Sequence[Cell], window: Window) -> Window:
    """Scrolls the window until it shows a cell and, if there is room, its neighbours.

    Args:
        cell: The cell to show.
        cells: The cells of the board.
        window: The previous place of the window and its current size.
    """
    column, row, width, height = window
    left, right, top, bottom = bounds(cells)
    x, y = cell[0] * WIDTH, -cell[1] * HEIGHT
    across = WIDTH if width >= 3 * WIDTH else 0
    down = HEIGHT if height >= 3 * HEIGHT else 0
    column = scrolled(column, width, left, right, x - across, x + WIDTH + across)
    row = scrolled(row, height, top, bottom, y - down, y + HEIGHT + down)
    return column, row, width, height


def cell_at(column: int, row: int) -> Cell:
    """The cell to which a column and a row of characters belong."""
    return column // WIDTH, -(row // HEIGHT)


def window_text(blocks: Mapping[Cell, Block], window: Window) -> Text:
    """The text of the part of the board that lies in the window."""
    left, top, width, height = window
    lines = [
        text_of([_look(blocks, column, row) for column in range(left, left + width)])
        for row in range(top, top + height)
    ]
    return Text("\n", no_wrap=True).join(lines)


def _look(blocks: Mapping[Cell, Block], column: int, row: int) -> Look:
    return blocks.get(cell_at(column, row), _EMPTY)[row % HEIGHT][column % WIDTH]


def text_of(looks: Sequence[Look]) -> Text:
    """A line of coloured text."""
    line = Text(no_wrap=True)
    for (ink, ground), run in groupby(looks, key=lambda look: look[1:]):
        style = Style(color=ink or None, bgcolor=ground or None)
        line.append("".join(character for character, _, _ in run), style)
    return line
