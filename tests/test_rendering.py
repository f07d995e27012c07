"""Pictures: every tile and rotation is drawn as its data say, boards show what they are given."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from agents.pictures import rasterize, save
from carcassonne_env.cli.board_text import SIZES
from carcassonne_env.drawing import rendering
from carcassonne_env.drawing.tile_art import CITY_COLOUR, FIELD_COLOUR, PLAYER_COLOURS, ROAD_COLOUR
from carcassonne_env.drawing.tile_drawings import TILE_DRAWINGS, segment_at, turned_point
from carcassonne_env.drawing.tile_text import plain, text_block
from carcassonne_env.position import PlacedMeeple, PlacedTile, segment_targets
from carcassonne_env.tiles import BY_LETTER, LETTERS, SIDES, TILE_TYPES
from pictures import check_document

KIND_COLOURS = {"city": CITY_COLOUR, "farm": FIELD_COLOUR, "road": ROAD_COLOUR}
SEGMENTS = [(t.letter, i) for t in TILE_TYPES for i in range(len(t.segments))]

TILES = [
    PlacedTile("D", 0, 0, 0),
    PlacedTile("L", 1, 0, 0),
    PlacedTile("E", 0, 1, 2),
    PlacedTile("O", 1, 1, 2),
    PlacedTile("B", 2, 1, 0),
]
MEEPLES = [
    PlacedMeeple(0, 0, 1, ("city", frozenset("S"))),
    PlacedMeeple(1, 0, 0, ("farm", frozenset({"ER", "SL", "SR", "WL"}))),
    PlacedMeeple(1, 1, 0, ("road", frozenset("S"))),
    PlacedMeeple(0, 2, 1, ("cloister",)),
]
TEXT = """\
··········│··▒·······
·······───╯▒▒▒··†0†··
·▒▒0▒▒···▒◆▒▒▒·······
·▒▒▒▒▒··▒▒▒▒▒·
──────────┬───
···1······1···

▒▒▒◆▒··   tile M
▒▒▒····   player 0: 4 points, 5 meeples
▒······   player 1: 0 points, 6 meeples"""


def rgb(colour: str) -> list[int]:
    """Red, green and blue of a colour like "#97bb5c"."""
    return list(bytes.fromhex(colour[1:]))


def anchor(letter: str, index: int, rotation: int) -> tuple[float, float]:
    """Where the meeple of a segment is drawn, in units of the tile's side."""
    x, y = turned_point(TILE_DRAWINGS[letter].meeples[index], rotation)
    return x / 100, y / 100


def test_tiles_are_documents_that_differ():
    tiles = [(letter, rotation) for letter in LETTERS for rotation in range(4)]
    pictures = {rendering.tile_svg(*tile) for tile in tiles}
    assert pictures == {rendering.tile_svg(letter, rotation + 4) for letter, rotation in tiles}
    assert len(pictures) == 4 * len(LETTERS)
    for svg in pictures:
        check_document(svg)


@pytest.mark.parametrize("letter", LETTERS)
def test_tile_shows_its_ornaments(letter):
    tile, svg = BY_LETTER[letter], rendering.tile_svg(letter)
    kinds = Counter(segment.kind for segment in tile.segments)
    assert svg.count('"#shield"') == sum(segment.shields for segment in tile.segments)
    assert svg.count('"#cloister"') == kinds["cloister"]
    assert svg.count('"#village"') == (kinds["road"] >= 3)
    assert svg.count('"#gate"') == (letter in "ST")


@pytest.mark.parametrize(("letter", "index"), SEGMENTS)
def test_anchor_lies_inside_its_segment_and_turns_with_the_tile(letter, index):
    x, y = anchor(letter, index, 0)
    for dx, dy in [(0, 0), (0.02, 0), (-0.02, 0), (0, 0.02), (0, -0.02)]:
        assert segment_at(letter, (100 * (x + dx), 100 * (y + dy))) == index
    assert anchor(letter, index, 1) == pytest.approx((1 - y, x))
    assert anchor(letter, index, 2) == pytest.approx((1 - x, 1 - y))
    assert anchor(letter, index, 3) == pytest.approx((y, 1 - x))


@pytest.mark.parametrize("distance", range(12, 50, 4))
def test_field_lies_between_the_two_cities_of_a_corner(distance):
    index = segment_at("I", (100 - distance, distance))
    assert BY_LETTER["I"].segments[index].kind == "farm"


def point_at(end: str, inset: float = 0.015) -> tuple[float, float]:
    """The point just inside the middle of a side or half-side, in units of the tile's side."""
    along = {"": 0.5, "L": 0.25, "R": 0.75}[end[1:]]
    return {
        "N": (along, inset),
        "E": (1 - inset, along),
        "S": (1 - along, 1 - inset),
        "W": (inset, 1 - along),
    }[end[0]]


@pytest.mark.parametrize("letter", LETTERS)
def test_a_drawing_has_the_parts_of_its_tile(letter):
    drawing, segments = TILE_DRAWINGS[letter], BY_LETTER[letter].segments
    kinds = Counter(segment.kind for segment in segments)
    assert len(drawing.meeples) == len(drawing.outlines) == len(segments)
    assert drawing.roads.count("M") == kinds["road"]
    assert len(drawing.cities) == kinds["city"]
    walls = [wall[wall.index("C") :] for wall in drawing.walls.split("M")[1:]]
    assert walls == [curve for city in drawing.cities for curve in re.findall("C[^LZ]*", city)]


@pytest.mark.parametrize(("letter", "index"), SEGMENTS)
def test_outlines_reach_the_sides_of_their_segments_and_no_others(letter, index):
    segment = BY_LETTER[letter].segments[index]
    sides = [side + half for side in SIDES for half in "LR"] if segment.kind == "farm" else SIDES
    points = {side: [100 * coordinate for coordinate in point_at(side)] for side in sides}
    reached = {side for side, point in points.items() if segment_at(letter, point) == index}
    assert reached == set(segment.ends)


def filled(letter: str, index: int) -> np.ndarray:
    """bool[101, 101]: the pixels inside a segment's outline, filled as SVG fills a path."""
    outline = TILE_DRAWINGS[letter].outlines[index]
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="101" height="101">'
        f'<rect width="100" height="100" fill="#fff"/><path d="{outline}"/></svg>'
    )
    return rasterize(svg)[..., 0] < 128


@pytest.mark.parametrize("letter", LETTERS)
def test_outlines_cover_the_tile_once(letter):
    """All pixels but slivers lie in one outline, or in a village."""
    areas = [filled(letter, i) for i in range(len(BY_LETTER[letter].segments))]
    rows, columns = np.indices((101, 101)) - 50
    areas += [np.hypot(rows, columns) < 11] * len(TILE_DRAWINGS[letter].villages)
    assert (sum(area.astype(int) for area in areas) != 1).sum() <= 100


@pytest.mark.parametrize(("letter", "index"), SEGMENTS)
def test_outlines_follow_the_drawing(letter, index):
    """Well inside an outline, the tile has no ground of another kind."""
    kind = BY_LETTER[letter].segments[index].kind
    pixels = rasterize(rendering.tile_svg(letter), 101)
    inside = pixels[ndimage.binary_erosion(filled(letter, index), iterations=2)]
    shown = {k for k, colour in KIND_COLOURS.items() if (inside == rgb(colour)).all(axis=1).any()}
    assert shown == {"farm" if kind == "cloister" else kind}


@pytest.mark.parametrize("letter", LETTERS)
def test_things_stand_in_their_segments_with_room_around_them(letter):
    drawing = TILE_DRAWINGS[letter]
    places = {
        "farm": [*drawing.tufts, *drawing.trees],
        "city": [*drawing.houses, *drawing.shields, *drawing.gates],
        "cloister": drawing.cloisters,
    }
    for kind, points in places.items():
        segments = [BY_LETTER[letter].segments[segment_at(letter, point)] for point in points]
        assert {segment.kind for segment in segments} <= {kind}
    assert all(segment_at(letter, point) is None for point in drawing.villages)
    large = [*drawing.meeples, *drawing.shields, *drawing.gates]
    assert closest(large) > 10
    for small, distance in ((drawing.tufts, 14.8), (drawing.trees, 25.8), (drawing.houses, 11.3)):
        assert closest(small) > distance
        assert all(closest([point, other]) > 12 for point in small for other in large)


def closest(points: Sequence[Sequence[float]]) -> float:
    """The least distance between two of the points."""
    return min((math.dist(a, b) for a, b in combinations(points, 2)), default=math.inf)


@pytest.mark.parametrize("rotation", [0, 1])
@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.slow(keep="0$")
def test_drawn_segments_reach_their_sides_and_no_others(letter, rotation):
    """From each anchor its colour runs to the ends that the data name, and only there."""
    size = 200
    pixels = rasterize(rendering.tile_svg(letter, rotation), size).astype(int)
    half_sides = {side + half for side in SIDES for half in "LR"}
    for index, (kind, *ends) in enumerate(segment_targets(letter, rotation)):
        if kind == "cloister":
            continue
        colour = rgb(KIND_COLOURS[kind])
        areas, _ = ndimage.label(abs(pixels - colour).max(axis=2) <= 2)

        def area_at(point, areas=areas):
            return areas[int(point[1] * size), int(point[0] * size)]

        own = area_at(anchor(letter, index, rotation))
        assert own > 0
        sides = half_sides if kind == "farm" else SIDES
        assert {end for end in sides if area_at(point_at(end)) == own} == set(ends[0])


def test_board_without_tiles():
    check_document(rendering.board_svg([]))
    assert rendering.board_text([]).strip() == ""


def test_a_board_with_everything_on_it(golden):
    options = {
        "current_tile": "M",
        "legal_cells": [(2, 0), (-1, 0)],
        "heat": {(3, 1): 0.4, (2, 2): 0.05},
        "scores": (14, 0, 120),
        "meeples_in_hand": (5, 6, 0),
        "last_move": (1, 1),
        "bounds": (-1, 3, 0, 2),
    }
    golden("board.svg", rendering.board_svg(TILES, MEEPLES, **options))
    assert "tile-M-0" not in rendering.board_svg(TILES, current_tile="M")  # beside scores only
    dark = check_document(rendering.board_svg(TILES, MEEPLES, **options, theme="dark"))
    assert dark.find("{*}rect").get("fill") == rendering.THEMES["dark"].table
    with pytest.raises(ValueError, match=r"heat of \(0, 0\) must be .* got nan"):
        rendering.board_svg(TILES, heat={(0, 0): math.nan})
    with pytest.raises(ValueError, match=r"theme must be one of .*'light', 'dark'.* got 'grey'"):
        rendering.board_svg(TILES, theme="grey")


def test_board_of_all_tiles_is_small():
    letters = [t.letter for t in TILE_TYPES for _ in range(t.count)]
    tiles = [PlacedTile(t, i % 9, i // 9, i % 4) for i, t in enumerate(letters)]
    svg = rendering.board_svg(tiles)
    check_document(svg)
    assert svg.count('<g id="ground-') == 24
    assert len(svg) < 120_000


def test_misplaced_meeples_and_unknown_tiles_raise():
    for picture in (rendering.board_svg, rendering.board_text):
        with pytest.raises(KeyError):
            picture(TILES, [PlacedMeeple(0, 9, 9, ("cloister",))])
        with pytest.raises(ValueError, match="not in tuple"):
            picture(TILES, [PlacedMeeple(0, 0, 0, ("cloister",))])
        with pytest.raises(KeyError):
            picture([PlacedTile("Z", 0, 0, 0)])


def test_board_text():
    text = rendering.board_text(
        TILES, MEEPLES, current_tile="M", scores=(4, 0), meeples_in_hand=(5, 6)
    )
    assert text == TEXT


def test_text_legend_without_a_current_tile():
    text = rendering.board_text(TILES[:1], scores=(4, 0))
    assert text.splitlines()[3:] == ["", "player 0: 4 points", "player 1: 0 points"]


@pytest.mark.parametrize("rotation", range(4))
@pytest.mark.parametrize("letter", LETTERS)
def test_text_shows_every_segment(letter, rotation):
    tile = PlacedTile(letter, 0, 0, rotation)
    plain = rendering.board_text([tile])
    rows = plain.splitlines()
    assert [len(line) for line in rows] == [7, 7, 7]
    assert plain.count("◆") == sum(segment.shields for segment in BY_LETTER[letter].segments)
    at_side = {"N": rows[0][3], "E": rows[1][6], "S": rows[2][3], "W": rows[1][0]}
    roads = [ends[0] for kind, *ends in segment_targets(letter, rotation) if kind == "road"]
    assert {side for side, shown in at_side.items() if shown in "─│"} == frozenset().union(*roads)
    characters = {"city": "▒", "cloister": "†", "farm": "·", "road": "─│╭╮╰╯┬┤┴├┼"}
    for target in segment_targets(letter, rotation):
        text = rendering.board_text([tile], [PlacedMeeple(3, 0, 0, target)])
        changed = [(a, b) for a, b in zip(plain, text, strict=True) if a != b]
        assert len(changed) == 1
        assert changed[0][0] in characters[target[0]]
        assert changed[0][1] == "3"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("letter", LETTERS)
def test_no_character_lies_between_the_outlines(letter, size):
    """Where there is no segment, there is a village."""
    rows = [row for rotation in range(4) for row in text_block(letter, rotation, size=size)]
    assert "⌂" not in "".join(map(plain, rows)) or TILE_DRAWINGS[letter].villages


def test_rasterize():
    svg = rendering.board_svg(TILES, MEEPLES)
    pixels = rasterize(svg)
    assert pixels.shape == (400, 500, 3)
    assert pixels.dtype == np.uint8
    assert rasterize(svg, width=250).shape == (200, 250, 3)
    for meeple, segment, tile in zip(MEEPLES, (0, 3, 2, 0), ("E", "D", "L", "B"), strict=True):
        rotation = 2 if tile == "E" else 0
        x, y = anchor(tile, segment, rotation)
        pixel = pixels[int(100 * (2 - meeple.y + y)), int(100 * (meeple.x + 1 + x))]
        assert pixel.tolist() == rgb(PLAYER_COLOURS[meeple.player])


def test_symbols_define_all_tiles_and_segments_once():
    names = {element.get("id") for element in check_document(rendering.symbols_svg()).iter()}
    for tile in TILE_TYPES:
        assert names >= {f"tile-{tile.letter}-{i}" for i in range(tile.num_rotations)}
        assert names >= {f"part-{tile.letter}-{i}" for i in range(len(tile.segments))}
    some = {e.get("id") for e in check_document(rendering.symbols_svg(TILES[:2])).iter()}
    assert {name for name in some if name and name.startswith(("tile-", "part-"))} == {
        *("tile-D-0", "tile-L-0", "tile-edge", "tile-border")
    }


def test_save_by_suffix(tmp_path):
    svg = rendering.tile_svg("D")
    save(svg, tmp_path / "tile.svg")
    assert (tmp_path / "tile.svg").read_text(encoding="utf-8") == svg
    with pytest.raises(ValueError, match=r"'\.jpg'.*\.svg, \.png"):
        save(svg, tmp_path / "tile.jpg")
    assert not (tmp_path / "tile.jpg").exists()
    save(svg, str(tmp_path / "tile.png"))
    with Image.open(tmp_path / "tile.png") as picture:
        assert picture.size == (100, 100)
