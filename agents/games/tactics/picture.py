"""Draws a position of the tactics game: a pure function from the position to SVG text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from agents.svg import document, element, text_svg

from ..squares import LETTERS, square_name
from .drawing.arrows import Point, last_svg, plan_svg
from .drawing.figures import PAINT, TINT, defs_svg, group_svg, unit_svg, unit_words, use_svg
from .drawing.panels import LINE, PANEL_HEIGHT, PANEL_WIDTH, panel_svg, status_svg, steps_svg
from .terms import TacticsAction, Unit

_CELL = 64
_MARGIN = 26  # of the coordinates, left of the board and above
_EDGE = 10  # of the frame, right of the board and below
_PADDING = 16  # around everything else
_BACKGROUND = "#f4f1ea"
_FRAME = "#33414d"
_CREAM = "#f7f2e4"
_GROUND = ("#ebe6d8", "#e2dccb")
_LINES = "#b9b8b0"


class _Special(NamedTuple):
    """A kind of special square: its name, drawing, two colours, and 1 if it faces east."""

    title: str
    drawing: str
    colour: str
    tint: str
    facing: int = 1


_SQUARES = {
    "d": _Special("deploy square of blue", "deploy", PAINT[0], TINT[0]),
    "D": _Special("deploy square of orange", "deploy", PAINT[1], TINT[1], -1),
    "c": _Special("crystal square of blue", "base", PAINT[0], TINT[0]),
    "C": _Special("crystal square of orange", "base", PAINT[1], TINT[1]),
    "S": _Special("defence square", "defence", "#4c7a52", "#cfe0c9"),
    "A": _Special("assault square", "assault", "#9c3346", "#f0cdd0"),
    "P": _Special("power square", "power", "#7a4fa3", "#e0d3ee"),
}


def position_svg(
    board: tuple[str, ...],
    units: Sequence[Unit],
    hands: tuple[Mapping[str, int], Mapping[str, int]],
    decks: tuple[Mapping[str, int], Mapping[str, int]],
    action_points: int,
    status: str,
    last: TacticsAction | None = None,
    plan: Sequence[TacticsAction] = (),
) -> str:
    """A position as SVG text, which needs no fonts.

    Player 0 is blue, on round ground, and faces east; player 1 is orange, on square ground, and
    faces west. Bodies are grey and lie on their backs. Under the board are the status, the action
    points, the last action and the plan in words, and the hands and decks. The board has its rows
    from the north, of the characters of `boards.SQUARES`; crystals and knocked-out units are units,
    too.
    """
    columns, rows = len(board[0]), len(board)
    side = _width(columns)
    steps, num_lines = steps_svg(last, plan, side)
    below = _PADDING + _MARGIN + rows * _CELL + _EDGE + LINE
    panels = below + LINE * (num_lines + 1)
    width, height = side + 2 * _PADDING, panels + PANEL_HEIGHT + _PADDING
    return document(
        width,
        height,
        f"<title>{escape(status)}</title>",
        defs_svg(),
        f'<rect width="{width}" height="{height}" rx="12" fill="{_BACKGROUND}"/>',
        group_svg(_board(board, units, last, plan), *_origin(columns)),
        group_svg(status_svg(status, action_points, side), _PADDING, below),
        group_svg(steps, _PADDING, below + LINE),
        group_svg(panel_svg(0, hands[0], decks[0]), _PADDING, panels),
        group_svg(panel_svg(1, hands[1], decks[1]), width - _PADDING - PANEL_WIDTH, panels),
    )


def place_of(square: int, columns: int) -> Point:
    """The centre (x, y) of a square in the picture of a board of so many columns."""
    (left, top), (x, y) = _origin(columns), _centre(square, columns)
    return left + x, top + y


def _width(columns: int) -> float:
    """The width of the picture without the space around it."""
    return max(columns * _CELL + _MARGIN + _EDGE, 2 * PANEL_WIDTH + _PADDING)


def _origin(columns: int) -> Point:
    """The north-western corner of the board in the picture."""
    width = _width(columns) + 2 * _PADDING
    return (width - columns * _CELL + _MARGIN - _EDGE) / 2, _PADDING + _MARGIN


def _centre(square: int, columns: int) -> Point:
    """The centre of a square; (0, 0) is the north-western corner of the board."""
    return _CELL * (square % columns + 0.5), _CELL * (square // columns + 0.5)


def _board(
    board: tuple[str, ...],
    units: Sequence[Unit],
    last: TacticsAction | None,
    plan: Sequence[TacticsAction],
) -> Iterator[str]:
    """The board with everything on it; (0, 0) is its north-western corner."""
    columns, rows = len(board[0]), len(board)
    places = {square_name(i, columns): _centre(i, columns) for i in range(columns * rows)}
    kinds = dict(zip(places, "".join(board), strict=True))
    marks = {name: _SQUARES[kind] for name, kind in kinds.items() if kind in _SQUARES}
    taken = {unit.square for unit in units}
    yield from _ground(columns, rows)
    for name, special in marks.items():
        yield _square(special, name, places[name], name in taken)
    for unit in units:
        mark = _small_mark(marks[unit.square]) if unit.square in marks else ""
        yield group_svg([*unit_svg(unit), mark], *places[unit.square], unit_words(unit))
    if last:
        yield from last_svg(last, places, _CELL)
    yield from plan_svg(plan, places, _CELL)


def _ground(columns: int, rows: int) -> Iterator[str]:
    """The frame with the coordinates, and squares in two shades."""
    yield (
        f'<rect x="{-_MARGIN}" y="{-_MARGIN}" width="{columns * _CELL + _MARGIN + _EDGE}" '
        f'height="{rows * _CELL + _MARGIN + _EDGE}" rx="9" fill="{_FRAME}"/>'
    )
    for column in range(columns):
        yield text_svg(LETTERS[column], (column + 0.5) * _CELL, -_MARGIN / 2, 11, _CREAM, "middle")
    for row in range(rows):
        yield text_svg(str(row + 1), -_MARGIN / 2, (row + 0.5) * _CELL, 11, _CREAM, "middle")
    for shade, colour in enumerate(_GROUND):
        cells = "".join(
            f"M{column * _CELL} {row * _CELL}h{_CELL}v{_CELL}h-{_CELL}z"
            for row in range(rows)
            for column in range((row + shade) % 2, columns, 2)
        )
        yield f'<path d="{cells}" fill="{colour}" stroke="{_LINES}"/>'


def _square(special: _Special, name: str, place: Point, is_taken: bool) -> str:
    """The ground of a special square, and its mark if no unit stands there."""
    half = _CELL / 2
    style = {"fill": special.tint, "stroke": _LINES}
    ground = element("rect", x=-half, y=-half, width=_CELL, height=_CELL, **style)
    mark = "" if is_taken else _mark(special, 0, 38, 0.5)
    return group_svg([ground, mark], *place, f"{special.title}, {name}")


def _small_mark(special: _Special) -> str:
    """The mark of a square on which a unit stands, in the corner."""
    at = -22.5
    disc = f'<circle cx="{at}" cy="{at}" r="8.5" fill="{special.tint}" stroke="{special.colour}"/>'
    return disc + _mark(special, at, 11, 1)


def _mark(special: _Special, at: float, width: float, opacity: float) -> str:
    paint = f'fill="{special.colour}" opacity="{opacity:g}"'
    return use_svg(special.drawing, at, at, special.facing * width, paint)
