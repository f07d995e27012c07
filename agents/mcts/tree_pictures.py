"""A search tree as a picture: an SVG document, or a graph in DOT, the language of Graphviz."""

from __future__ import annotations

import math
from collections import defaultdict
from html import escape

import numpy as np

from agents.forward_model import CHANCE, TERMINAL, ForwardModel
from agents.mcts.tree_page import most_visited, node_texts, value_text
from agents.svg import document

_ROW = 24  # height of a leaf in units of the picture
_LETTER = 6.6  # width of a letter
_GAP = 60  # between the end of the longest text of a depth and the next depth
_MAX_WIDTH = 12  # width of the line to a node that got all visits
_DOT_WIDTH = 6  # the same in DOT
_SHAPES = {CHANCE: "diamond", TERMINAL: "plaintext"}
"""Shapes of chance nodes and of ends of the game; positions of players are boxes."""


def tree_svg(
    points: int | None, rows: np.ndarray, model: ForwardModel, action: int, max_nodes: int
) -> str:
    """The most visited nodes of a tree as an SVG document, the root at the left.

    Each node has the action that leads there, its visits and its mean return; the recommended
    action is bold. The line to a node is as wide as its share of all visits.

    Arguments are those of `tree_page`; ``points`` are what a return of 1 stands for, or None.
    """
    nodes = most_visited(rows, max_nodes)
    texts = [
        f"{text}: visits {node['visits']}, {value_text(node['mean'], points)}"
        for node, text in zip(nodes, node_texts(nodes, model), strict=True)
    ]
    heights, lefts = _heights(nodes["parent"].tolist()), _lefts(nodes["depth"].tolist(), texts)
    body = [_text(lefts[0], heights[0], texts[0], False)]
    for i, node in enumerate(nodes[1:], start=1):
        x, y, parent = lefts[node["depth"]], heights[i], int(node["parent"])
        start = lefts[nodes["depth"][parent]] + _LETTER * len(texts[parent]) + 4
        share = node["visits"] / max(1, nodes["visits"][0])
        body.append(_line(start, heights[parent], x - 4, y, max(0.5, _MAX_WIDTH * share)))
        body.append(_text(x, y, texts[i], parent == 0 and int(node["action"]) == action))
    width, height = math.ceil(lefts[-1]), math.ceil(max(heights) + _ROW)
    return document(width, height, '<rect width="100%" height="100%" fill="#fff"/>', *body)


def _heights(parents: list[int]) -> list[float]:
    """The y of each node: leaves one below the other, parents in the middle of their children."""
    children: list[list[int]] = [[] for _ in parents]
    for i, parent in enumerate(parents[1:], start=1):
        children[parent].append(i)
    heights = [0.0] * len(parents)
    waiting, leaves = [0], 0
    while waiting:  # a node is met before its children, and so are nodes above in the picture
        i = waiting.pop()
        waiting += reversed(children[i])
        if not children[i]:
            leaves += 1
            heights[i] = _ROW * leaves
    for i in reversed(range(len(parents))):
        if children[i]:
            heights[i] = (heights[children[i][0]] + heights[children[i][-1]]) / 2
    return heights


def _lefts(depths: list[int], texts: list[str]) -> list[float]:
    """The x of each depth, and at last the width of the picture."""
    longest: dict[int, int] = defaultdict(int)
    for depth, text in zip(depths, texts, strict=True):
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


def tree_dot(
    points: int | None, rows: np.ndarray, model: ForwardModel, action: int, max_nodes: int
) -> str:
    """The most visited nodes of a tree as a graph.

    Arguments are those of `tree_svg`; the node of the recommended action has a double frame.
    """
    nodes = most_visited(rows, max_nodes)
    lines = ["digraph tree {", "  rankdir=LR", '  node [fontname="sans-serif", fontsize=10]']
    texts = node_texts(nodes, model)
    for i, (node, text) in enumerate(zip(nodes, texts, strict=True)):
        label = _quoted(f"{text}\n{node['visits']} visits, {value_text(node['mean'], points)}")
        shape = _SHAPES.get(int(node["player"]), "box")
        frames = 1 + bool(node["parent"] == 0 and node["action"] == action)
        lines.append(f"  {i} [label={label}, shape={shape}, peripheries={frames}]")
        if i:
            width = _DOT_WIDTH * node["visits"] / max(1, nodes["visits"][0])
            lines.append(f"  {node['parent']} -> {i} [penwidth={max(width, 0.3):.2g}]")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    """A text as a string of DOT."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
