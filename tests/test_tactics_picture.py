"""Pictures of the tactics game: everything about a position can be seen, without fonts."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from agents.games.tactics.picture import position_svg
from agents.games.tactics.terms import CARDS, TacticsAction, Unit, square_name
from agents.pictures import rasterize
from pictures import check_document

SVG = "{http://www.w3.org/2000/svg}"
STANDARD = ("d000S000D", "00c000C00", "00P000P00", "0c00000C0", "d000A000D")
CARRIED = ("runemetal", "dragonscale", "helm", "scroll")


def unit(kind: str, player: int, square: str, hp: int, *equipment: str) -> Unit:
    return Unit(kind, player, square, hp, frozenset(equipment))


WOUNDED = [
    unit("crystal", 0, "c2", 4500),
    unit("crystal", 1, "g2", 640),
    unit("knight", 0, "d3", 730, "helm"),
    unit("archer", 1, "g3", 0, "scroll"),
    unit("cleric", 0, "b2", 410),
    unit("wizard", 1, "e1", 880, *CARRIED),
    unit("ninja", 0, "e5", 0),
]
HANDS = ({"knight": 2, "inferno": 1, "potion": 3}, {"scroll": 1, "helm": 0})
DECKS = ({card: i + 1 for i, card in enumerate(CARDS)}, {})
NO_CARDS: tuple[dict[str, int], dict[str, int]] = ({}, {})
PLAN = [
    TacticsAction("deploy", None, "a1", "knight"),
    TacticsAction("equip", None, "a1", "runemetal"),
    TacticsAction("move", "a1", "a3", None),
    TacticsAction("attack", "d3", "g3", None),
    TacticsAction("attack", "d3", "g3", None),
    TacticsAction("heal", "b2", "d3", None),
    TacticsAction("heal", "b2", "b2", None),
    TacticsAction("swap", "e5", "d3", None),
    TacticsAction("inferno", None, "i1", "inferno"),
    TacticsAction("swap_card", None, None, "helm"),
]
PLAN_WORDS = [
    *("knight a1", "runemetal a1", "a1-a3", "d3xg3", "d3xg3", "b2+d3", "b2+b2", "e5<>d3"),
    *("inferno i1", "swap helm"),
]


def picture(
    board: tuple[str, ...] = STANDARD,
    units: list[Unit] = WOUNDED,
    hands: tuple[dict[str, int], dict[str, int]] = HANDS,
    decks: tuple[dict[str, int], dict[str, int]] = DECKS,
    points: int = 5,
    status: str = "blue to move",
    last: TacticsAction | None = None,
    plan: list[TacticsAction] | tuple[()] = (),
) -> str:
    return position_svg(board, units, hands, decks, points, status, last, plan)


def tree(svg: str) -> ElementTree.Element:
    """The document without its definitions."""
    root = ElementTree.fromstring(svg)
    root.remove(root.find(f"{SVG}defs"))
    return root


def drawings(element: ElementTree.Element) -> Counter[str]:
    uses = element.iter(f"{SVG}use")
    return Counter(use.get("href").removeprefix("#tactics-") for use in uses)


def labels(element: ElementTree.Element) -> list[str]:
    """The texts drawn, in order."""
    return [g.get("aria-label") for g in element.iter(f"{SVG}g") if g.get("aria-label")]


def group(root: ElementTree.Element, title: str) -> ElementTree.Element:
    [found] = [g for g in root.iter(f"{SVG}g") if g.findtext(f"{SVG}title") == title]
    return found


def titles(root: ElementTree.Element) -> list[str]:
    return [title.text for g in root.iter(f"{SVG}g") for title in g.findall(f"{SVG}title")]


# Documents


@pytest.mark.parametrize(
    "board",
    [("0",), ("d",) * 64, ("cdSAPDC" + "0" * 19,) * 2, ("0" * 8,) * 8, STANDARD],
    ids=lambda board: f"{len(board[0])}x{len(board)}",
)
def test_every_board_is_a_document_without_fonts(board):
    last = len(board[0]) * len(board) - 1
    ends = {square_name(0, len(board[0])), square_name(last, len(board[0]))}
    units = [unit("knight", 1, square, 1) for square in sorted(ends)]
    svg = picture(board, units, NO_CARDS, NO_CARDS)
    root = check_document(svg)
    assert drawings(tree(svg))["knight"] == len(ends)
    assert svg.count("h64v64") == len(board[0]) * len(board)
    assert float(root.get("width")) >= 64 * len(board[0])
    assert float(root.get("height")) >= 64 * len(board)


def test_the_status_is_drawn_and_is_the_title():
    root = tree(picture(status='turn 3 & "more" <Ж>'))
    assert root.findtext(f"{SVG}title") == 'turn 3 & "more" <Ж>'
    assert 'turn 3 & "more" <Ж>' in labels(root)


def test_a_long_status_leaves_room_for_the_action_points():
    short, long = (rasterize(picture(status=s, points=15)) for s in ("a", "a " * 100))
    row = slice(64 * 5 + 52, 64 * 5 + 92)
    differs = (short[row] != long[row]).any(axis=(0, 2))
    assert differs[16:270].any()
    assert not differs[272:].any()


# Units


def test_every_unit_is_shown_with_all_about_it():
    root = tree(picture())
    assert [title for title in titles(root) if "HP" in title] == [
        "crystal of blue on c2, 4500 of 4500 HP",
        "crystal of orange on g2, 640 of 4500 HP",
        "knight of blue on d3, 730 of 1100 HP, with helm",
        "archer of orange on g3, 0 of 800 HP, with scroll",
        "cleric of blue on b2, 410 of 800 HP",
        "wizard of orange on e1, 880 of 960 HP, with runemetal, dragonscale, helm, scroll",
        "ninja of blue on e5, 0 of 800 HP",
    ]
    for title in titles(root):
        if "HP" in title:
            shown = group(root, title)
            kind, hp = title.split()[0], re.search(r"(\d+) of \d+ HP", title)[1]
            items = title.partition("with ")[2].split(", ")
            assert drawings(shown)[kind] == 1
            assert labels(shown) == [hp]
            assert {item for item in CARRIED if drawings(shown)[item]} == {*items} - {""}


# Words and cards


@pytest.mark.parametrize("points", [0, 1, 5, 15, 16])
def test_action_points(points):
    root = tree(picture(points=points))
    discs = [c for c in root.iter(f"{SVG}circle") if c.get("fill") == "#f2b632"]
    assert len(discs) == (points if points <= 15 else 0)
    assert f"{points} action point" + "s" * (points != 1) in labels(root)


# Actions


def heads(svg: str, colour: str) -> list[str]:
    """The first points of the arrow heads in a colour, which differ by kind."""
    paths = [p for p in tree(svg).iter(f"{SVG}path") if p.get("fill") == colour]
    return [re.split(r"(?<=\d)L|H", p.get("d"))[0] for p in paths if "translate" in str(p.attrib)]


def test_the_plan_is_numbered_in_order_and_in_words():
    drawn = labels(tree(picture(units=[], plan=PLAN)))
    on_board = drawn[14 : drawn.index("blue to move")]
    assert on_board == [str(number) for number in range(1, 10)]  # a swapped card has no square
    words = drawn[drawn.index("5 action points") + 1 : drawn.index("blue")]
    assert words[::2] == [str(number) for number in range(1, 11)]
    assert words[1::2] == PLAN_WORDS


def test_numbers_of_a_plan_do_not_hide_each_other():
    root = tree(picture(units=[], plan=PLAN))
    board = list(root)[2]
    discs = [(float(c.get("cx")), float(c.get("cy"))) for c in board.iter(f"{SVG}circle")]
    assert len(discs) == 9
    assert all(np.hypot(a - c, b - d) > 18 for (a, b), (c, d) in combinations(discs, 2))


def test_long_plans_break_into_lines():
    pixels = rasterize(picture(plan=PLAN * 2))
    assert len(pixels) > len(rasterize(picture(plan=PLAN))) > len(rasterize(picture()))
    border = pixels[20:-20, -12:-4]
    assert (border == border[0, 0]).all()


def test_arrows_tell_kinds_of_actions():
    plan = [TacticsAction(kind, "d3", "f3", None) for kind in ("move", "attack", "heal", "swap")]
    move, attack, heal, *swap = heads(picture(units=[], plan=plan), "#1f2a33")
    assert len({move, attack, heal}) == 3
    assert swap == [move, move]


def test_arrows_lead_from_source_to_target():
    svg = picture(units=[], plan=[TacticsAction("move", "b1", "d1", None)])
    [line] = {
        p.get("d")
        for p in tree(svg).iter(f"{SVG}path")
        if "Q" in p.get("d") and p.get("stroke-width") == "3.5"
    }
    x0, y0, _, bend, x1, y1 = (float(number) for number in re.findall(r"[\d.]+", line))
    assert 96 < x0 < 110
    assert 210 < x1 < 224
    assert y0 == y1
    assert 8 < y0 < 56
    assert bend != y0


@pytest.mark.parametrize(
    ("target", "width", "height"), [("e3", 3, 3), ("a1", 2, 2), ("i3", 2, 3), ("c5", 3, 2)]
)
def test_infernos_frame_what_they_reach(target, width, height):
    svg = picture(units=[], last=TacticsAction("inferno", None, target, "inferno"))
    [frame] = [r for r in tree(svg).iter(f"{SVG}rect") if r.get("stroke-dasharray")]
    assert float(frame.get("width")) == pytest.approx(64 * width, abs=8)
    assert float(frame.get("height")) == pytest.approx(64 * height, abs=8)


@pytest.mark.parametrize(("action", "words"), list(zip(PLAN, PLAN_WORDS, strict=True)))
def test_the_last_action_is_marked_and_told(action, words):
    svg = picture(units=[], hands=NO_CARDS, decks=NO_CARDS, last=action)
    root = tree(svg)
    drawn = labels(root)
    assert drawn[drawn.index("last") + 1] == words
    board = list(root)[2]
    marks = [e for e in board.iter() if "#ffd44d" in (e.get("stroke"), e.get("fill"))]
    assert bool(marks) == (action.kind != "swap_card")
    assert drawings(board)[action.card] == (action.card is not None and bool(marks))


def test_pictures_of_one_board_have_one_size_while_no_plan_is_shown():
    sizes = {
        tree(picture(units=units, last=last)).get("viewBox")
        for units in ([], WOUNDED)
        for last in (None, *PLAN)
    }
    assert len(sizes) == 1
