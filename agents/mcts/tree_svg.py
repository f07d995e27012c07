"""A search tree as a picture."""

from __future__ import annotations

import math
from collections import defaultdict
from html import escape

import numpy as np

from agents.forward_model import ForwardModel
from agents.mcts.tree_page import action_texts, most_visited

_ROW = 24
"""Height of a leaf in units of the picture."""
_LETTER = 6.6
"""Width of a letter."""
_GAP = 60
"""Between the end of the longest text of a depth and the next depth."""
_MAX_WIDTH = 12
"""Width of the line to a child that got all visits of its parent."""


def tree_svg(rows: np.ndarray, model: ForwardModel, action: int, max_nodes: int) -> str:
    """The most visited nodes of a tree as an SVG document, the root at the left.

    Each node has the action that leads there, its visits and its mean return. Lines are as wide as
    the share of its parent's visits; the recommended action is bold.

    Args:
        rows: The nodes, as `Tree.table` returns them.
        model: The position at the root.
        action: The recommended action.
        max_nodes: The picture has so many nodes at most.
    """
    kept = most_visited(rows, max_nodes)
    texts = {
        row: f"{text}: {rows['visits'][row]}, {rows['mean'][row]:.3g}"
        for row, text in zip(kept, action_texts(rows, kept, model), strict=True)
    }
    texts[0] = f"root: {rows['visits'][0]} visits, mean {rows['mean'][0]:.3g}"
    children = defaultdict(list)
    for row in kept[1:]:
        children[int(rows["parent"][row])].append(row)
    heights = _heights(kept, children)
    lefts = _lefts(rows, texts)
    body = []
    for row in kept:
        x, y = lefts[int(rows["depth"][row])], heights[row]
        parent = int(rows["parent"][row])
        if row:
            start = lefts[int(rows["depth"][parent])] + _LETTER * len(texts[parent]) + 4
            share = rows["visits"][row] / max(1, rows["visits"][parent])
            body.append(_line(start, heights[parent], x - 4, y, max(0.5, _MAX_WIDTH * share)))
        is_chosen = row and parent == 0 and rows["action"][row] == action
        body.append(_text(x, y, texts[row], bool(is_chosen)))
    width, height = math.ceil(lefts[-1]), math.ceil(max(heights.values()) + _ROW)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">\n'
        '<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def _heights(kept: list[int], children: dict[int, list[int]]) -> dict[int, float]:
    """The y of each node: leaves one below the other, parents in the middle of their children."""
    heights: dict[int, float] = {}
    leaves = 0
    waiting = [kept[0]]
    while waiting:
        row = waiting[-1]
        below = children.get(row, [])
        if below and below[0] not in heights:
            waiting += reversed(below)
            continue
        waiting.pop()
        if below:
            heights[row] = (heights[below[0]] + heights[below[-1]]) / 2
        else:
            leaves += 1
            heights[row] = _ROW * leaves
    return heights


def _lefts(rows: np.ndarray, texts: dict[int, str]) -> list[float]:
    """The x of each depth, and at last the width of the picture."""
    longest: dict[int, int] = defaultdict(int)
    for row, text in texts.items():
        depth = int(rows["depth"][row])
        longest[depth] = max(longest[depth], len(text))
    lefts = [10.0]
    for depth in sorted(longest):
        lefts.append(lefts[-1] + _LETTER * longest[depth] + _GAP)
    lefts[-1] += 10 - _GAP
    return lefts


def _line(x: float, y: float, end_x: float, end_y: float, width: float) -> str:
    middle = (x + end_x) / 2
    return (
        f'<path d="M{x:.1f} {y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {end_y:.1f} '
        f'{end_x:.1f} {end_y:.1f}" fill="none" stroke="#7fb0d8" stroke-width="{width:.1f}"/>'
    )


def _text(x: float, y: float, text: str, is_bold: bool) -> str:
    weight = ' font-weight="bold"' * is_bold
    return (
        f'<text x="{x:.1f}" y="{y + 4:.1f}" font-family="monospace" font-size="11"{weight} '
        f'fill="#1f2933" textLength="{_LETTER * len(text):.1f}">{escape(text)}</text>'
    )
