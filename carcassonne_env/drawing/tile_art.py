"""The drawing of one tile as SVG.

The ground (fields, roads, cities and their walls) is drawn once for each tile type and rotated with
the tile. Houses, trees, shields and cloisters are then placed on it; they stay upright in every
rotation.
"""

from __future__ import annotations

from functools import cache

from .tile_drawings import TILE_DRAWINGS, Point, turned_point

PLAYER_COLOURS = ("#0072b2", "#d55e00", "#f0e442", "#202020", "#cc79a7")
"""Blue, vermilion, yellow, black and purple for players 0 to 4.

Colour-blind people can tell these colours apart.

Reference: Okabe and Ito, Color Universal Design, 2008.
"""

FIELD_COLOUR = "#97bb5c"
CITY_COLOUR = "#d8a065"
ROAD_COLOUR = "#fbf3df"

_CASING_COLOUR = "#6b5138"
_WALL_COLOUR = "#ece5d6"
_STONE_COLOUR = "#b3a58f"
_ROAD_WIDTH = 9.0
_WALL_WIDTH = 6.6
_SQUARE = (
    f'<circle cx="50" cy="50" r="11" fill="#dcc48f" stroke="{_CASING_COLOUR}" stroke-width="1.75"/>'
)
"""The square of a village."""

TILE_DEFS = """\
<clipPath id="tile-edge"><rect width="100" height="100" rx="3"/></clipPath>
<rect id="tile-border" width="100" height="100" rx="3" fill="none" stroke="#3b3126" \
stroke-opacity=".45"/>
<g id="house" stroke="#4a3826" stroke-width=".7" stroke-linejoin="round">\
<path d="M-4 -.5H4V4.5H-4Z" fill="#f6e8cb"/><path d="M-5.2 -.2L-2.6 -5H2.6L5.2 -.2Z"/>\
<path d="M-1 4.5V1.5H1V4.5Z" fill="#4a3826" stroke="none"/></g>
<g id="tree"><path d="M-.8 1H.8V5.5H-.8Z" fill="#6b5138"/>\
<circle cy="-1" r="4.2" fill="#4f7a38"/><circle cx="-1" cy="-2.2" r="2.2" fill="#6b9645"/></g>
<path id="tuft" d="M-1.6 1H-1.5M1.5 1H1.6M0 -1.6V-1.5" fill="none" stroke="#82a84c" \
stroke-width="2" stroke-linecap="round"/>
<g id="shield"><path d="M-8 -9H8V0C8 5 4.5 8 0 10.5C-4.5 8 -8 5 -8 0Z" fill="#2b59a3"/>\
<path d="M0 -9H8V0H-8C-8 5 -4.5 8 0 10.5Z" fill="#fff"/>\
<path d="M-8 -9H8V0C8 5 4.5 8 0 10.5C-4.5 8 -8 5 -8 0Z" fill="none" stroke="#16305c" \
stroke-width="1.8" stroke-linejoin="round"/></g>
<g id="gate" stroke="#4a3826" stroke-width="1" fill="#ece5d6">\
<path d="M-11 6V-9H-8.5V-7H-6.5V-9H-4V-5H4V-9H6.5V-7H8.5V-9H11V6Z"/>\
<path d="M-4 6V1C-4 -3.5 4 -3.5 4 1V6Z" fill="#4a3826"/></g>
<g id="cloister" stroke="#4a3826" stroke-linejoin="round">\
<ellipse cy="6" rx="23" ry="15" fill="#ddd3a0" stroke="#7a9e45" stroke-width="2.5"/>\
<path d="M-14 0H8V14H-14Z" fill="#f8efdb"/><path d="M-17 1L-11 -9H8V1Z" fill="#bd3d2d"/>\
<path d="M5 -8H14V14H5Z" fill="#efe2c4"/><path d="M3.5 -7L9.5 -19L15.5 -7Z" fill="#a83225"/>\
<path d="M9.5 -19V-25M7 -22.5H12" fill="none" stroke-width="1.4"/>\
<path d="M-11 5H-9V9H-11ZM-5 5H-3V9H-5ZM1 5H3V9H1ZM8.5 -3H10.5V1H8.5Z" fill="#4a3826"/>\
<path d="M7.5 14V10C7.5 7.5 11.5 7.5 11.5 10V14Z" fill="#4a3826"/></g>
<use id="house-0" xlink:href="#house" fill="#b5482f"/>
<use id="house-1" xlink:href="#house" fill="#99402e"/>
<use id="house-2" xlink:href="#house" fill="#c4643f"/>
<g id="village"><use xlink:href="#house-1" x="5" y="-4.5"/>\
<use xlink:href="#house-0" x="-5.5" y="-2"/><use xlink:href="#house-2" x="1.5" y="4.5"/></g>
"""
"""SVG definitions that tiles share: their edge and the objects that stand on them."""

_MEEPLE = (
    "M0 -12C2.7 -12 4.6 -10 4.6 -7.6C4.6 -6.5 4.2 -5.6 3.6 -4.9C7 -3.8 11.6 -2.2 11.6 .3"
    "C11.6 2.2 8.8 2.4 5.8 2.5C7 5.2 10.2 8.4 10.2 10.5C10.2 11.5 9.5 12 8.5 12H3"
    "C2 12 1.7 11.2 1.3 10.3L0 7.6L-1.3 10.3C-1.7 11.2 -2 12 -3 12H-8.5"
    "C-9.5 12 -10.2 11.5 -10.2 10.5C-10.2 8.4 -7 5.2 -5.8 2.5C-8.8 2.4 -11.6 2.2 -11.6 .3"
    "C-11.6 -2.2 -7 -3.8 -3.6 -4.9C-4.2 -5.6 -4.6 -6.5 -4.6 -7.6C-4.6 -10 -2.7 -12 0 -12Z"
)
MEEPLE_DEFS = f"""\
<g id="meeple" stroke-linejoin="round"><path d="{_MEEPLE}" stroke="#fff" stroke-width="4"/>\
<path d="{_MEEPLE}" stroke="#202020" stroke-width="1"/></g>
<use id="farmer" xlink:href="#meeple" transform="rotate(-90)"/>
"""
"""SVG definitions of a standing and a lying meeple, centred; users set the colour by ``fill``."""


def num(value: float) -> str:
    """The number as text, rounded to tenths."""
    return f"{round(value, 1) + 0.0:g}"


def use_svg(symbol: str, point: Point, *, fill: str = "", scale: float = 1.0) -> str:
    """An SVG element that draws the definition with id ``symbol`` at a point."""
    x, y = map(num, point)
    place = f'x="{x}" y="{y}"'
    if scale != 1.0:
        place = f'transform="translate({x} {y}) scale({scale:g})"'
    return f'<use xlink:href="#{symbol}" {place}' + (f' fill="{fill}"/>' if fill else "/>")


@cache
def ground_svg(letter: str) -> str:
    """The flat parts of a tile at rotation 0, as SVG elements without an enclosing group."""
    tile = TILE_DRAWINGS[letter]
    parts = [f'<rect width="100" height="100" fill="{FIELD_COLOUR}"/>']
    parts += [use_svg("tuft", point) for point in tile.tufts]
    parts += _strokes(tile.roads, (_CASING_COLOUR, _ROAD_WIDTH + 3.5), (ROAD_COLOUR, _ROAD_WIDTH))
    parts += [_SQUARE] * len(tile.villages)
    parts += [f'<path d="{city}" fill="{CITY_COLOUR}"/>' for city in tile.cities]
    parts += _strokes(tile.walls, (_CASING_COLOUR, _WALL_WIDTH), (_WALL_COLOUR, _WALL_WIDTH - 2.4))
    parts += _strokes(tile.walls, (_STONE_COLOUR, _WALL_WIDTH - 2.4), dashes="2.6 2.6")
    return "".join(parts)


@cache
def standing_svg(letter: str, rotation: int) -> str:
    """The upright objects on a tile that is rotated by ``rotation`` quarter turns clockwise."""
    tile = TILE_DRAWINGS[letter]
    things = [("tree", point) for point in tile.trees]
    things += [(f"house-{i % 3}", point) for i, point in enumerate(tile.houses)]
    things += [("shield", point) for point in tile.shields]
    things += [("gate", point) for point in tile.gates]
    things += [("cloister", point) for point in tile.cloisters]
    things += [("village", point) for point in tile.villages]
    placed = [(symbol, turned_point(point, rotation)) for symbol, point in things]
    placed.sort(key=lambda thing: thing[1][1])  # objects in front are drawn last
    return "".join(use_svg(symbol, point) for symbol, point in placed)


def _strokes(path: str, *pens: tuple[str, float], dashes: str = "") -> list[str]:
    """Draws a path with each pen (colour, width) in turn; returns [] if the path is empty."""
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    return [
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{num(width)}"{dash}/>'
        for colour, width in pens
        if path
    ]
