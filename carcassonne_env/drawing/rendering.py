"""Pictures of positions: functions from tiles and meeples to SVG and text.

The module does not depend on models or environments. ``tile_svg`` and ``board_svg`` return SVG 1.1
without external references, and ``board_text`` returns text for terminals. ``agents.pictures``
converts SVG to pixels and writes it to files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from types import MappingProxyType
from typing import NamedTuple

from agents.checks import check_number
from agents.svg import document, text_svg

from ..position import PlacedMeeple, PlacedTile, segment_targets
from ..tiles import BY_LETTER, LETTERS, TILE_TYPES
from . import tile_art
from .tile_art import MEEPLE_DEFS, PLAYER_COLOURS, num, use_svg
from .tile_drawings import SIZE, TILE_DRAWINGS, Point, turned_point
from .tile_text import NO_BLOCK, SMALLEST, Block, Size, plain, text_block

Bounds = tuple[int, int, int, int]
"""The least and greatest x, the least and greatest y."""


class Theme(NamedTuple):
    """Colours of everything except the tiles and meeples."""

    table: str
    ink: str
    panel: str


THEMES = {
    "light": Theme(table="#e9e4d8", ink="#3b3126", panel="#faf7f0"),
    "dark": Theme(table="#22252b", ink="#d8d2c4", panel="#32363e"),
}
_HEAT = "#c2410c"
_STRIP_HEIGHT = 110
_PANEL_WIDTHS = (115, 150)  # panels of the current tile and of each player


def tile_svg(letter: str, rotation: int = 0) -> str:
    """A tile, turned clockwise by quarter turns, as an SVG document of 100 by 100 units."""
    tile = PlacedTile(letter, 0, 0, rotation)
    return _document(SIZE, SIZE, _tile_defs([tile]), [_tile(tile, (0.0, 0.0))])


def board_svg(
    tiles: Sequence[PlacedTile],
    meeples: Sequence[PlacedMeeple] = (),
    *,
    current_tile: str | None = None,
    legal_cells: Iterable[tuple[int, int]] = (),
    heat: Mapping[tuple[int, int], float] = MappingProxyType({}),
    scores: Sequence[int] = (),
    meeples_in_hand: Sequence[int] = (),
    last_move: tuple[int, int] | None = None,
    bounds: Bounds | None = None,
    theme: str = "light",
) -> str:
    """A board as an SVG document, with 100 units for each cell and a margin of one cell.

    Meeples are drawn on their segments, standing, or lying on farms. If scores are given, a strip
    below the board shows the current tile and each player's colour, score and meeples in hand.

    `legal_cells` get a mark, the cell of the last move an outline, and cells of `heat`, which has
    numbers from 0 to 1, a colour and a number in percent. The picture has room for the cells within
    `bounds`, by default for those of the tiles. A meeple on an empty cell is a KeyError, one on a
    tile without its target a ValueError.
    """
    if theme not in THEMES:
        raise ValueError(f"theme must be one of {tuple(THEMES)}, got {theme!r}")
    colours = THEMES[theme]
    width, height, corner = _framed(bounds or bounds_of(tiles))
    body = [_legal_cell(corner(*cell), colours) for cell in legal_cells]
    for cell, share in heat.items():
        check_number(f"heat of {cell}", share, 0, math.inf)
    body += _heat(heat, corner, colours)
    body += [_tile(tile, corner(tile.x, tile.y)) for tile in tiles]
    if last_move is not None:
        body.append(_highlight(corner(*last_move), colours))
    body += _figures(tiles, meeples, corner)
    shown = list(tiles)
    if len(scores):
        scale = min(1.25, width / (_PANEL_WIDTHS[0] + len(scores) * _PANEL_WIDTHS[1]))
        place = f"translate(0 {num(height)}) scale({scale:.3g})"
        panels = _panels(current_tile, scores, meeples_in_hand, colours)
        body.append(f'<g transform="{place}">{"".join(panels)}</g>')
        height += _STRIP_HEIGHT * scale
        shown += [PlacedTile(current_tile, 0, 0, 0)] if current_tile else []
    table = f'<rect width="100%" height="100%" fill="{colours.table}"/>'
    return _document(width, height, _tile_defs(shown) + MEEPLE_DEFS, [table, *body])


def moves_svg(
    tiles: Sequence[PlacedTile],
    meeples: Sequence[PlacedMeeple],
    moves: Mapping[int, tuple[PlacedTile, PlacedMeeple | None]],
) -> str:
    """A board, and moves that go on from it, of which a page shows some at a time.

    Each move is a group of the class "move", whose attribute ``data-node`` is its number.
    """
    shown = [*tiles, *(tile for tile, _ in moves.values())]
    width, height, corner = _framed(bounds_of(shown))
    body = [_tile(tile, corner(tile.x, tile.y)) for tile in tiles]
    body += _figures(tiles, meeples, corner)
    for number, (tile, meeple) in moves.items():
        left, top = corner(tile.x, tile.y)
        figures = "".join(_figures([tile], [meeple] if meeple else [], corner))
        body.append(
            f'<g class="move" data-node="{number}">'
            f'<g stroke="none">{_tile(tile, (left, top))}{figures}</g>'
            f'<rect x="{num(left)}" y="{num(top)}" width="100" height="100" fill="none"/></g>'
        )
    return _document(width, height, _tile_defs(shown) + MEEPLE_DEFS, body)


def board_text(
    tiles: Sequence[PlacedTile],
    meeples: Sequence[PlacedMeeple] = (),
    *,
    current_tile: str | None = None,
    scores: Sequence[int] = (),
    meeples_in_hand: Sequence[int] = (),
    first: int = 0,
) -> str:
    """A board as text, with 7 columns and 3 rows for each tile.

    Cities are drawn as ``▒``, shields as ``◆``, cloisters as ``†``, fields as ``·``, roads as
    lines, and meeples as the digit of their player. The current tile and each player's points and
    meeples follow below the board. `first` is the number of the first player: people count from 1,
    Python from 0. Errors are those of `board_svg`.
    """
    blocks = text_blocks(tiles, meeples, first=first)
    left, right, bottom, top = bounds_of(tiles)
    lines = []
    for y in range(top, bottom - 1, -1):
        row = [blocks.get((x, y), NO_BLOCK) for x in range(left, right + 1)]
        lines += [plain(chain(*cells)).rstrip() for cells in zip(*row, strict=True)]
    legend = [] if current_tile is None else [f"tile {current_tile}"]
    for player, score in enumerate(scores):
        hand = f", {meeples_in_hand[player]} meeples" if len(meeples_in_hand) else ""
        legend.append(f"player {first + player}: {score} points{hand}")
    if current_tile is None:
        return "\n".join(lines + [""] * bool(legend) + legend)
    block = map(plain, text_block(current_tile, 0))
    rows = zip_longest(block, legend, fillvalue="")
    return "\n".join([*lines, "", *(f"{cells:7}   {text}".rstrip() for cells, text in rows)])


def text_blocks(
    tiles: Sequence[PlacedTile],
    meeples: Sequence[PlacedMeeple],
    size: Size = SMALLEST,
    first: int = 0,
) -> dict[tuple[int, int], Block]:
    """The pictures of the tiles on a board as text, by cell; size and first as in `text_block`."""
    players: dict[PlacedTile, list[tuple[int, int]]] = {tile: [] for tile in tiles}
    for tile, segment, player in located(tiles, meeples):
        players[tile].append((segment, player))
    return {
        (tile.x, tile.y): text_block(tile.tile, tile.rotation, tuple(shown), size, first)
        for tile, shown in players.items()
    }


def symbols_svg(tiles: Iterable[PlacedTile] | None = None) -> str:
    """An SVG document that draws nothing and defines tiles, segments and meeples.

    A page that includes it composes boards by ``use`` elements. ``tile-A-1`` is tile A turned by
    one quarter turn, ``part-A-0`` the outline of its first segment at rotation 0; both measure 100
    by 100 units. ``meeple`` and ``farmer`` are centred and take the colour of their user. If tiles
    are given, only these are defined, without segments.
    """
    parts = [
        f'<path id="part-{letter}-{i}" d="{outline}"/>\n'
        for letter in (LETTERS if tiles is None else "")
        for i, outline in enumerate(TILE_DRAWINGS[letter].outlines)
    ]
    if tiles is None:
        turns = [(tile, r) for tile in TILE_TYPES for r in range(tile.num_rotations)]
        tiles = [PlacedTile(tile.letter, 0, 0, rotation) for tile, rotation in turns]
    return _document(0, 0, _tile_defs(tiles) + "".join(parts) + MEEPLE_DEFS, [])


def bounds_of(tiles: Sequence[PlacedTile]) -> Bounds:
    """The least and greatest x and the least and greatest y of the tiles; 0 without tiles."""
    xs = [tile.x for tile in tiles] or [0]
    ys = [tile.y for tile in tiles] or [0]
    return min(xs), max(xs), min(ys), max(ys)


def _framed(bounds: Bounds) -> tuple[float, float, Callable[[int, int], Point]]:
    """The size of a picture with a margin of one cell, and the corner of each cell in it."""
    left, right, bottom, top = bounds

    def corner(x: int, y: int) -> Point:
        return (x - left + 1) * SIZE, (top - y + 1) * SIZE

    return (right - left + 3) * SIZE, (top - bottom + 3) * SIZE, corner


def located(
    tiles: Sequence[PlacedTile], meeples: Sequence[PlacedMeeple]
) -> Iterator[tuple[PlacedTile, int, int]]:
    """The tile, the index of the segment and the player of each meeple."""
    at_cell = {(tile.x, tile.y): tile for tile in tiles}
    for meeple in meeples:
        tile = at_cell[meeple.x, meeple.y]
        targets = segment_targets(tile.tile, tile.rotation)
        yield tile, targets.index(meeple.target), meeple.player


def _document(width: float, height: float, defs: str, body: Iterable[str]) -> str:
    xlink = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
    return document(width, height, f"<defs>\n{defs}</defs>", *body, attributes=xlink)


def _tile_defs(tiles: Iterable[PlacedTile]) -> str:
    """Definitions of the ground of each letter, and of each tile in its rotation."""
    shown = sorted({(tile.tile, tile.rotation % 4) for tile in tiles})
    letters = sorted({letter for letter, _ in shown})
    grounds = [f'<g id="ground-{i}">{tile_art.ground_svg(i)}</g>\n' for i in letters]
    lying = [
        f'<g id="tile-{letter}-{rotation}" clip-path="url(#tile-edge)">'
        f'<use xlink:href="#ground-{letter}" transform="rotate({90 * rotation} 50 50)"/>'
        f'{tile_art.standing_svg(letter, rotation)}<use xlink:href="#tile-border"/></g>\n'
        for letter, rotation in shown
    ]
    return "".join([tile_art.TILE_DEFS, *grounds, *lying])


def _tile(tile: PlacedTile, corner: Point, scale: float = 1.0) -> str:
    return use_svg(f"tile-{tile.tile}-{tile.rotation % 4}", corner, scale=scale)


def _figures(
    tiles: Sequence[PlacedTile],
    meeples: Sequence[PlacedMeeple],
    corner: Callable[[int, int], Point],
) -> list[str]:
    """The meeples on the board. Lying ones come first, so that standing ones are drawn on top."""
    figures: dict[str, list[str]] = {"farmer": [], "meeple": []}
    for tile, segment, player in located(tiles, meeples):
        x, y = corner(tile.x, tile.y)
        dx, dy = turned_point(TILE_DRAWINGS[tile.tile].meeples[segment], tile.rotation)
        is_farmer = BY_LETTER[tile.tile].segments[segment].kind == "farm"
        symbol, point = "farmer" if is_farmer else "meeple", (x + dx, y + dy)
        figures[symbol].append(use_svg(symbol, point, fill=PLAYER_COLOURS[player]))
    return figures["farmer"] + figures["meeple"]


def _legal_cell(corner: Point, theme: Theme) -> str:
    x, y = (num(coordinate + 10) for coordinate in corner)
    return (
        f'<rect x="{x}" y="{y}" width="80" height="80" rx="8" fill="{theme.panel}" '
        f'fill-opacity=".5" stroke="{theme.ink}" stroke-opacity=".5" stroke-width="2" '
        'stroke-dasharray="8 6"/>'
    )


def _heat(
    heat: Mapping[tuple[int, int], float], corner: Callable[[int, int], Point], theme: Theme
) -> Iterator[str]:
    """Coloured cells, the hottest the darkest, with their numbers in percent."""
    most = max(heat.values(), default=0.0) or 1.0
    for (x, y), share in heat.items():
        left, top = corner(x, y)
        opacity = 0.75 * math.sqrt(share / most)
        yield (
            f'<rect x="{num(left + 4)}" y="{num(top + 4)}" width="92" height="92" rx="10" '
            f'fill="{_HEAT}" opacity="{0.1 + opacity:.3g}"/>'
        )
        yield text_svg(str(round(100 * share)), left + 50, top + 50, 27, theme.ink, "middle")


def _highlight(corner: Point, theme: Theme) -> str:
    x, y = map(num, corner)
    frame = f'<rect x="{x}" y="{y}" width="100" height="100" rx="3" fill="none" stroke='
    return f'{frame}"{theme.ink}" stroke-width="7"/>{frame}"#fff" stroke-width="4"/>'


def _panels(
    current_tile: str | None, scores: Sequence[int], meeples_in_hand: Sequence[int], theme: Theme
) -> Iterator[str]:
    """The panels of the strip below a board: the current tile, then the players."""
    tile_width, player_width = _PANEL_WIDTHS
    if current_tile is not None:
        yield _tile(PlacedTile(current_tile, 0, 0, 0), (15.0, 10.0), scale=0.9)
    for player, score in enumerate(scores):
        colour, left = PLAYER_COLOURS[player], tile_width + player * player_width
        yield (
            f'<rect x="{left}" y="10" width="{player_width - 10}" height="90" rx="8" '
            f'fill="{theme.panel}" stroke="{colour}" stroke-width="4"/>'
        )
        yield text_svg(str(score), left + 62, 43, 26, theme.ink, "start")
        yield use_svg("meeple", (left + 32, 43), fill=colour, scale=1.6)
        num_meeples = meeples_in_hand[player] if len(meeples_in_hand) else 0
        step = min(17.0, 119 / max(num_meeples, 1))
        for i in range(num_meeples):
            yield use_svg("meeple", (left + 18 + i * step, 83), fill=colour, scale=0.6)
