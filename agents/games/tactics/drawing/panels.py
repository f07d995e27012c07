"""What is beside the board: the status, the last action and the plan in words, hands and decks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agents.svg import element, text_svg, text_width

from ..terms import CARDS, SIDES, SIGNS, TacticsAction
from .arrows import LAST, number_svg
from .figures import GOLD, INK, PAINT, TINT, group_svg, token_svg, use_svg

LINE = 28
"""From one line of words to the next."""
PANEL_WIDTH = 292
PANEL_HEIGHT = 150
_MAX_POINTS = 15  # more action points are a number only


def status_svg(status: str, action_points: int, side: float) -> Iterator[str]:
    """The status on the left, a disc for each action point on the right."""
    words = f"{action_points} action point{'' if action_points == 1 else 's'}"
    discs = action_points if action_points <= _MAX_POINTS else 0
    start = side - text_width(words, 12) - 14 * discs - 12
    height = 13 * min(1, (start - 8) / max(text_width(status, 13), 1))
    yield text_svg(status, 0, 0, height, INK, "start")
    yield text_svg(words, side, 0, 12, INK, "end")
    for i in range(discs):
        yield element("circle", cx=start + 14 * i + 8, cy=0, r=5, fill=GOLD, stroke=INK)


def steps_svg(
    last: TacticsAction | None, plan: Sequence[TacticsAction], side: float
) -> tuple[list[str], int]:
    """The last action, if there is one, and the plan in words, and the number of lines they need.

    `plan` has actions to come, in order; `side` is the length of a line.
    """
    steps = [("last", last)] if last else []
    steps += [(str(number), action) for number, action in enumerate(plan, 1)]
    shapes: list[str] = []
    x, line = 0.0, 1
    for label, action in steps:
        words = _action_words(action)
        start = 24 if label.isdigit() else text_width(label, 10) + 20
        width = start + text_width(words, 11)
        if x + width > side:
            x, line = 0.0, line + 1
        y = (line - 1) * LINE
        shapes += [_label(label, x, y), text_svg(words, x + start, y, 11, INK, "start")]
        x += width + 18
    return shapes, line


def _label(label: str, x: float, y: float) -> str:
    if label.isdigit():
        return number_svg(label, x + 10, y)
    width = text_width(label, 10) + 14
    box = element("rect", x=x, y=y - 10, width=width, height=20, rx=10, fill=LAST, stroke=INK)
    return box + text_svg(label, x + 7, y, 10, INK, "start")


def _action_words(action: TacticsAction) -> str:
    """An action in words, such as "c2-e2", "b1xd2", "knight a1" or "swap runemetal"."""
    if action.card is None:
        return f"{action.source}{SIGNS[action.kind]}{action.target}"
    return f"swap {action.card}" if action.target is None else f"{action.card} {action.target}"


def panel_svg(player: int, hand: Mapping[str, int], deck: Mapping[str, int]) -> Iterator[str]:
    """The hand of a player as cards, and a line with what is left in his deck."""
    paint = PAINT[player]
    style = {"fill": "#fffdf8", "stroke": paint, "stroke_width": "2"}
    yield element("rect", width=PANEL_WIDTH, height=PANEL_HEIGHT, rx=9, **style)
    outline = f'stroke="{INK}" stroke-width="3"'
    yield f'<g transform="translate(20 17) scale(.42)">{token_svg(player, paint, outline)}</g>'
    yield text_svg(SIDES[player], 36, 17, 11, INK, "start")
    yield text_svg(f"hand {sum(hand.values())}", PANEL_WIDTH - 12, 17, 11, INK, "end")
    yield from _cards(hand, 31, 46, TINT[player], f"in the hand of {SIDES[player]}")
    yield text_svg(f"deck {sum(deck.values())}", 12, 101, 11, INK, "start")
    yield from _cards(deck, 112, 25, "none", f"in the deck of {SIDES[player]}")


def _cards(
    counts: Mapping[str, int], y: float, size: float, fill: str, where: str
) -> Iterator[str]:
    """A row of different cards with their counts, as large as fits."""
    cards = [card for card in CARDS if counts.get(card)]
    size = min(size, (PANEL_WIDTH - 16) / max(len(cards), 1))
    middle, height = size / 2 - 0.5, 1.25 * size
    for i, card in enumerate(cards):
        shapes = [
            f'<rect x="1" width="{size - 3:.4g}" height="{height:.4g}" rx="4" fill="{fill}"/>',
            use_svg(card, middle, height / 2 - 5, 0.7 * size),
            text_svg(str(counts[card]), middle, height - 6.5, 9, INK, "middle"),
        ]
        yield group_svg(shapes, 8 + i * size, y, f"{counts[card]} x {card} {where}")
