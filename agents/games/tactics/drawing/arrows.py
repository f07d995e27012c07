"""Actions drawn on the board: arrows of units, frames of cards, and the numbers of a plan."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from agents.svg import element, text_svg

from ..terms import TacticsAction
from .figures import INK, use_svg

Point = tuple[float, float]

Places = Mapping[str, Point]
"""The middle of each square."""
Paint = tuple[str, str]
"""The colour of a shape, and that of the halo around it."""

LAST = "#ffd44d"
"""Colour of the last action."""
_WHITE = "#ffffff"
_TRIANGLE = "M-13-9L5 0L-13 9z"
_HEADS = {
    "move": _TRIANGLE,
    "swap": _TRIANGLE,
    "attack": "M0-12L2.5-5.5L8.5-8.5L5.5-2.5L12 0L5.5 2.5L8.5 8.5L2.5 5.5L0 12"
    "L-2.5 5.5L-8.5 8.5L-5.5 2.5L-12 0L-5.5-2.5L-8.5-8.5L-2.5-5.5z",
    "heal": "M-3-10H3V-3H10V3H3V10H-3V3H-10V-3H-3z",
}
"""What an arrow ends in, pointing east."""


def last_svg(action: TacticsAction, places: Places, side: float) -> Iterator[str]:
    """The last action: an arrow, or a frame with the card; nothing if a card was swapped.

    `side` is the width of a square.
    """
    if action.target is not None:
        yield _shape(action, places, side, (LAST, INK), 0)
        if action.card is not None:
            x, y = places[action.target]
            yield _badge("", action.card, x, y - 0.3 * side, LAST)


def plan_svg(plan: Sequence[TacticsAction], places: Places, side: float) -> Iterator[str]:
    """The actions of a plan, numbered from 1; arguments are those of `last_svg`."""
    same: Counter[tuple[str | None, str]] = Counter()
    labels = []
    for number, action in enumerate(plan, 1):
        if action.target is None:
            continue
        ends = None if _is_still(action) else action.source, action.target
        yield _shape(action, places, side, (INK, _WHITE), same[ends])
        if _is_still(action):
            x, y = places[action.target]
            y += (0.33 * same[ends] - 0.3) * side
        else:
            x, y = _middle(action, places, same[ends])
        labels.append(_badge(str(number), action.card, x, y, INK))
        same[ends] += 1
    yield from labels


def number_svg(number: str, x: float, y: float) -> str:
    """A number of a plan, on a disc."""
    disc = element("circle", cx=x, cy=y, r=9, fill=INK, stroke=_WHITE, stroke_width=1.5)
    return disc + text_svg(number, x, y, 9, _WHITE, "middle")


def _is_still(action: TacticsAction) -> bool:
    """Whether no arrow can be drawn, which needs two squares: cards act on one."""
    return action.source is None or action.source == action.target


def _shape(action: TacticsAction, places: Places, side: float, paint: Paint, bend: int) -> str:
    if _is_still(action):
        return _frame(action, places, side, paint)
    return _arrow(action, places, paint, bend)


def _frame(action: TacticsAction, places: Places, side: float, paint: Paint) -> str:
    """An outline of the squares that a card acts on; an inferno reaches 3x3 of the board."""
    assert action.target is not None
    reach = 1.1 * side if action.kind == "inferno" else 0
    x, y = places[action.target]
    near = [p for p in places.values() if abs(p[0] - x) <= reach and abs(p[1] - y) <= reach]
    left, top = (min(values) - side / 2 + 0.5 for values in zip(*near, strict=True))
    right, bottom = (max(values) + side / 2 - 0.5 for values in zip(*near, strict=True))
    place = {"x": left, "y": top, "width": right - left, "height": bottom - top, "rx": 7}
    colour, halo = paint
    wide = element("rect", **place, fill="none", stroke=halo, stroke_width=5)
    style = {"stroke": colour, "stroke_width": "2.5", "stroke_dasharray": "9 5"}
    return wide + element("rect", **place, fill="none", **style)


def _curve(action: TacticsAction, places: Places, bend: int) -> tuple[Point, Point, Point]:
    """Start, control point and end; a bend parts arrows between the same squares."""
    assert action.source is not None
    assert action.target is not None
    (x0, y0), (x1, y1) = places[action.source], places[action.target]
    length = math.hypot(x1 - x0, y1 - y0)
    right, down = (x1 - x0) / length, (y1 - y0) / length
    aside = 20 + 40 * bend
    control = (x0 + x1) / 2 + aside * down, (y0 + y1) / 2 - aside * right
    return _towards((x0, y0), control, 11), control, _towards((x1, y1), control, 11)


def _towards(point: Point, aim: Point, step: float) -> Point:
    """The point a step from one point to another."""
    share = step / math.dist(point, aim)
    return point[0] + share * (aim[0] - point[0]), point[1] + share * (aim[1] - point[1])


def _middle(action: TacticsAction, places: Places, bend: int) -> Point:
    """The middle of an arrow."""
    start, control, end = _curve(action, places, bend)
    x, y = ((a + 2 * b + c) / 4 for a, b, c in zip(start, control, end, strict=True))
    return x, y


def _arrow(action: TacticsAction, places: Places, paint: Paint, bend: int) -> str:
    colour, halo = paint
    start, control, end = _curve(action, places, bend)
    line = "M{:.5g} {:.5g}Q{:.5g} {:.5g} {:.5g} {:.5g}".format(*start, *control, *end)
    heads = [end, start] if action.kind == "swap" else [end]
    stroke = {"d": line, "fill": "none", "stroke_linecap": "round"}
    wide = element("path", **stroke, stroke=halo, stroke_width=7)
    ends = "".join(_head(action.kind, point, control, paint) for point in heads)
    return wide + ends + element("path", **stroke, stroke=colour, stroke_width=3.5)


def _head(kind: str, point: Point, control: Point, paint: Paint) -> str:
    colour, halo = paint
    angle = math.degrees(math.atan2(point[1] - control[1], point[0] - control[0]))
    turn = f" rotate({angle:.4g})" if kind in ("move", "swap") else ""
    place = f"translate({point[0]:.5g} {point[1]:.5g}){turn}"
    style = {"fill": colour, "stroke": halo, "stroke_width": "2", "stroke_linejoin": "round"}
    return element("path", d=_HEADS[kind], transform=place, **style)


def _badge(number: str, card: str | None, x: float, y: float, outline: str) -> str:
    """A number, a card, or both side by side."""
    if card is None:
        return number_svg(number, x, y)
    left = x - 10 if number else x
    place = {"x": left - 11, "y": y - 11, "width": 2 * (x - left) + 22, "height": 22, "rx": 11}
    box = element("rect", **place, fill=_WHITE, stroke=outline, stroke_width=2)
    picture = use_svg(card, 2 * x - left, y, 17)
    return box + picture + (number_svg(number, left, y) if number else "")
