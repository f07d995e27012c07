"""Draws a position of the tactics game: a pure function from the position to SVG text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from .arrows import LAST, Point, is_still, last_svg, number_svg, plan_svg
from .figures import INK, defs_svg, use_svg
from .glyphs import text_svg, text_width
from .terms import CARDS, TacticsAction, Unit, square_name

_CELL = 64
_MARGIN = 26  # around the board, with the coordinates
_PADDING = 16  # around everything else
_PANEL = 292  # width of a player's hand and deck
_PANEL_HEIGHT = 130
_LINE = 28
_MAX_POINTS = 15  # more action points are a number only
_PAINT = ("#1769b5", "#d4590f")  # blue and orange, which the colour-blind tell apart
_TINT = ("#cbe0f4", "#f9d8bd")
_BACKGROUND = "#f4f1ea"
_FRAME = "#33414d"
_CREAM = "#f7f2e4"
_GROUND = ("#ebe6d8", "#e2dccb")
_GREY = "#a9afb3"
_GOLD = "#f2b632"
_SQUARES = {  # name, drawing, its colour, ground
    "d": ("deploy square of player 0", "deploy", _PAINT[0], _TINT[0]),
    "D": ("deploy square of player 1", "deploy", _PAINT[1], _TINT[1]),
    "c": ("crystal square of player 0", "base", _PAINT[0], _TINT[0]),
    "C": ("crystal square of player 1", "base", _PAINT[1], _TINT[1]),
    "S": ("defence square", "defence", "#4c7a52", "#cfe0c9"),
    "A": ("assault square", "assault", "#9c3346", "#f0cdd0"),
    "P": ("power square", "power", "#7a4fa3", "#e0d3ee"),
}
_HP = {"knight": 1000, "archer": 800, "cleric": 800, "wizard": 800, "ninja": 800, "crystal": 4500}
_EQUIPMENT = ("runemetal", "dragonscale", "helm", "scroll")
_ARMOUR = frozenset({"dragonscale", "helm"})  # each raises the maximum of HP by a tenth
_SIGNS = {"move": "-", "attack": "x", "heal": "+", "swap": "<>"}


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
    points, the last action and the plan in words, and the hands and decks.

    Args:
        board: The rows from the north: "d" and "D" for deploy squares of players 0 and 1, "c" and
            "C" where their crystals start, "S" defence, "A" assault, "P" power, "0" ordinary.
        units: The units on the board, crystals and knocked-out ones included.
        hands: Cards and their counts in the hands of players 0 and 1.
        decks: The same for what is left in the decks.
        action_points: Action points left in this turn.
        status: The line below the board.
        last: The last action; None at the start.
        plan: Actions to come, in order.
    """
    columns, rows = len(board[0]), len(board)
    side = max(columns * _CELL + 2 * _MARGIN, 2 * _PANEL + _PADDING)
    lines = _lines(last, plan, side)
    width = side + 2 * _PADDING
    below = rows * _CELL + 2 * _MARGIN + _PADDING + _LINE
    panels = below + _LINE * len(lines) + _LINE
    height = panels + _PANEL_HEIGHT + _PADDING
    places = {
        square_name(i, columns): (_CELL * (i % columns + 0.5), _CELL * (i // columns + 0.5))
        for i in range(columns * rows)
    }
    body = [
        *_ground(board, places, {unit.square for unit in units}),
        *(_unit(unit, places[unit.square]) for unit in units),
        *(last_svg(last, places, _CELL) if last else ()),
        *plan_svg(plan, places, _CELL),
    ]
    caption = [
        *_status(status, action_points, side),
        *_words(lines),
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}">',
            f"<title>{escape(status)}</title>",
            defs_svg(),
            f'<rect width="{width}" height="{height}" rx="12" fill="{_BACKGROUND}"/>',
            _group(body, (width - columns * _CELL) / 2, _PADDING + _MARGIN),
            _group(caption, _PADDING, below),
            _group(_panel(0, hands[0], decks[0]), _PADDING, panels),
            _group(_panel(1, hands[1], decks[1]), width - _PADDING - _PANEL, panels),
            "</svg>\n",
        ]
    )


def _group(shapes: Iterable[str], x: float, y: float, title: str = "") -> str:
    """Shapes around (x, y); browsers show the title when the mouse is over them."""
    name = f"<title>{title}</title>" if title else ""
    return f'<g transform="translate({x:g} {y:g})">{name}\n' + "\n".join(shapes) + "\n</g>"


def _ground(
    board: tuple[str, ...], places: Mapping[str, Point], taken: set[str]
) -> Iterator[str]:
    """The squares with their marks and coordinates; marks are small under units."""
    columns, rows = len(board[0]), len(board)
    yield (
        f'<rect x="{-_MARGIN}" y="{-_MARGIN}" width="{columns * _CELL + 2 * _MARGIN}" '
        f'height="{rows * _CELL + 2 * _MARGIN}" rx="9" fill="{_FRAME}"/>'
    )
    for column in range(columns):
        letters = square_name(column, columns)[:-1]
        yield text_svg(letters, (column + 0.5) * _CELL, -_MARGIN / 2, 11, _CREAM, "middle")
    for row in range(rows):
        yield text_svg(str(row + 1), -_MARGIN / 2, (row + 0.5) * _CELL, 11, _CREAM, "middle")
    for i, (name, kind) in enumerate(zip(places, "".join(board), strict=True)):
        yield _square(kind, places[name], (i // columns + i % columns) % 2, name in taken, name)


def _square(kind: str, place: Point, shade: int, is_taken: bool, name: str) -> str:
    title, drawing, colour, tint = _SQUARES.get(kind, ("", "", "", _GROUND[shade]))
    half = _CELL / 2
    shapes = [
        f'<rect x="{-half:g}" y="{-half:g}" width="{_CELL}" height="{_CELL}" fill="{tint}" '
        f'stroke="{_FRAME}" stroke-opacity=".35"/>'
    ]
    if drawing:
        x, width, opacity = (9 - half, 13, 1) if is_taken else (0, 38, 0.5)
        mirror = -1 if kind == "D" else 1
        paint = f'fill="{colour}" opacity="{opacity:g}"'
        shapes.append(use_svg(drawing, x, x, mirror * width, paint))
    return _group(shapes, *place, title and f"{title}, {name}")


def _unit(unit: Unit, place: Point) -> str:
    """A unit with its owner's ground, hit points and equipment."""
    carried = [item for item in _EQUIPMENT if item in unit.equipment]
    maximum = _HP[unit.kind] * (10 + len(_ARMOUR & unit.equipment)) // 10
    shapes = [
        *(_figure(unit) if unit.hp else _body(unit)),
        *_hit_points(unit, maximum),
        *(use_svg(item, 24, 12.5 * i - 24.5, 14) for i, item in enumerate(carried)),
    ]
    carrying = f", with {', '.join(carried)}" if carried else ""
    title = f"{unit.kind} of player {unit.player}, {unit.hp} of {maximum} HP{carrying}"
    return _group(shapes, *place, f"{title}, {unit.square}")


def _token(player: int, fill: str, stroke: str) -> str:
    """The ground of a unit: round for player 0, square for player 1."""
    corner = 21 if player == 0 else 5
    return (
        f'<rect x="-21" y="-21" width="42" height="42" rx="{corner}" fill="{fill}" {stroke}/>'
    )


def _figure(unit: Unit) -> Iterator[str]:
    """A living unit, which faces the enemy."""
    facing = 1 if unit.player == 0 else -1
    yield '<g transform="translate(-5 -7)">'
    yield _token(unit.player, _PAINT[unit.player], f'stroke="{INK}" stroke-width="1.5"')
    yield use_svg(unit.kind, 0, 0, 34 * facing) + "</g>"


def _body(unit: Unit) -> Iterator[str]:
    """A knocked-out unit, which lies on its back."""
    turn = -90 if unit.player == 0 else 90
    facing = 1 if unit.player == 0 else -1
    outline = f'stroke="{_PAINT[unit.player]}" stroke-width="3" stroke-dasharray="6 4"'
    yield '<g transform="translate(-5 -7)">' + _token(unit.player, _GREY, outline)
    yield f'<g transform="rotate({turn})" opacity=".5">' + use_svg(unit.kind, 0, 0, 34 * facing)
    yield "</g></g>"


def _hit_points(unit: Unit, maximum: int) -> Iterator[str]:
    """A bar, full at the maximum, and the number on it."""
    width = 58 * unit.hp / maximum
    yield f'<rect x="-29" y="17" width="58" height="12" rx="3" fill="{INK}"/>'
    if unit.hp:
        yield (
            f'<rect x="-29" y="17" width="{width:.4g}" height="12" rx="3" '
            f'fill="{_PAINT[unit.player]}"/>'
        )
    yield '<rect x="-29" y="17" width="58" height="12" rx="3" fill="none" stroke="#fff"/>'
    yield text_svg(str(unit.hp), 0, 23, 7.5, "#ffffff", "middle")


def _status(status: str, action_points: int, side: float) -> Iterator[str]:
    """The status on the left, a disc for each action point on the right."""
    words = f"{action_points} action point{'' if action_points == 1 else 's'}"
    discs = action_points if action_points <= _MAX_POINTS else 0
    start = side - text_width(words, 12) - 14 * discs - 12
    height = 13 * min(1, start / max(text_width(status, 13), 1))
    yield text_svg(status, 0, 0, height, INK, "start")
    yield text_svg(words, side, 0, 12, INK, "end")
    for i in range(discs):
        yield (
            f'<circle cx="{start + 14 * i + 8:.5g}" cy="0" r="5" fill="{_GOLD}" stroke="{INK}"/>'
        )


def _lines(
    last: TacticsAction | None, plan: Sequence[TacticsAction], side: float
) -> list[list[tuple[str, str, float]]]:
    """The last action and the plan in words, broken into lines: label, words and left edge."""
    steps = [("last", last)] if last else []
    steps += [(str(number), action) for number, action in enumerate(plan, 1)]
    lines: list[list[tuple[str, str, float]]] = [[]]
    x = 0.0
    for label, action in steps:
        words = action_words(action)
        width = _label_width(label) + text_width(words, 11) + 18
        if x + width > side and lines[-1]:
            lines.append([])
            x = 0
        lines[-1].append((label, words, x))
        x += width
    return lines


def _label_width(label: str) -> float:
    return 24 if label.isdigit() else text_width(label, 10) + 20


def _words(lines: list[list[tuple[str, str, float]]]) -> Iterator[str]:
    for i, line in enumerate(lines, 1):
        for label, words, x in line:
            y = i * _LINE
            if label.isdigit():
                yield number_svg(label, x + 10, y)
            else:
                yield (
                    f'<rect x="{x:.5g}" y="{y - 10}" width="{_label_width(label) - 6:.5g}" '
                    f'height="20" rx="10" fill="{LAST}" stroke="{INK}"/>'
                )
                yield text_svg(label, x + 7, y, 10, INK, "start")
            yield text_svg(words, x + _label_width(label), y, 11, INK, "start")


def action_words(action: TacticsAction) -> str:
    """An action in words, such as "c2-e2", "b1xd2", "knight a1" or "swap runemetal"."""
    if action.card is None:
        return f"{action.source}{_SIGNS[action.kind]}{action.target}"
    return f"swap {action.card}" if action.target is None else f"{action.card} {action.target}"


def _panel(player: int, hand: Mapping[str, int], deck: Mapping[str, int]) -> Iterator[str]:
    """The hand of a player as cards, and a line with what is left in his deck."""
    paint = _PAINT[player]
    yield (
        f'<rect width="{_PANEL}" height="{_PANEL_HEIGHT}" rx="9" fill="#fffdf8" '
        f'stroke="{paint}" stroke-width="2"/>'
    )
    outline = f'stroke="{INK}" stroke-width="3"'
    yield f'<g transform="translate(20 17) scale(.42)">{_token(player, paint, outline)}</g>'
    yield text_svg(f"player {player}", 36, 17, 11, INK, "start")
    yield text_svg(f"hand {sum(hand.values())}", _PANEL - 12, 17, 10, INK, "end")
    yield from _cards(hand, 31, 46, _TINT[player], f"in the hand of player {player}")
    yield text_svg(f"deck {sum(deck.values())}", _PANEL - 12, 17, 10, INK, "end")
    yield from _cards(deck, 92, 26, "none", f"in the deck of player {player}")


def _cards(
    counts: Mapping[str, int], y: float, size: float, fill: str, where: str
) -> Iterator[str]:
    """A row of different cards with their counts, as large as fits."""
    cards = [card for card in CARDS if counts.get(card)]
    size = min(size, (_PANEL - 16) / max(len(cards), 1))
    for i, card in enumerate(cards):
        shapes = [
            f'<rect x="1" width="{size - 3:.4g}" height="{1.25 * size:.4g}" rx="4" fill="{fill}"/>',
            use_svg(card, size / 2 - 0.5, 0.45 * size, 0.72 * size),
            text_svg(str(counts[card]), size / 2 - 0.5, 1.06 * size, 0.22 * size, INK, "middle"),
        ]
        yield _group(shapes, 8 + i * size, y, f"{counts[card]} x {card} {where}")
