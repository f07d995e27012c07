"""Pictures of the problem, pure functions to SVG text: a position, and a search tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.svg import document

Function = Callable[..., NDArray[np.float64]]
Interval = tuple[float, float]

WIDTH, HEIGHT, MARGIN = 640, 160, 8
SIDE = 240
"""Side of the picture of a problem in two dimensions."""
POINTS = 1281
"""The function of one dimension is drawn at so many points."""
CELLS = 32
"""The map of a function of two dimensions has so many cells along each side."""
TREE_WIDTH, TOP, BOTTOM, ROW = 600, 14, 124, 11
"""Of the picture of a tree: the width, the places of the values 1 and 0, the height of a depth."""
SAMPLES = 16
"""Above a tree, number of points of the function for each unit of the width."""
LEAST_WIDTH = 0.7
"""Width of intervals of a tree that are too short to be seen."""
_PAPER = '<rect width="100%" height="100%" fill="#fff"/>'


def position_svg(function: Function, intervals: Sequence[Interval]) -> str:
    """The function, in two dimensions as a map in which dark is high, and the current interval.

    The function takes an array of coordinates for each dimension. Its values are in [0, 1].
    """
    return (_line if len(intervals) == 1 else _map)(function, *intervals)


def _line(function: Function, interval: Interval) -> str:
    x = np.linspace(0, 1, POINTS)
    heights = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * function(x)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(WIDTH * x, heights, strict=True))
    left, right = interval
    bar = (
        f'<rect x="{WIDTH * left:.1f}" y="0" width="{max(1, WIDTH * (right - left)):.1f}" '
        f'height="{HEIGHT}" fill="#7fb0d8" fill-opacity=".6"/>'
    )
    curve = f'<polyline points="{points}" fill="none" stroke="#1f2933"/>'
    return document(WIDTH, HEIGHT, _PAPER, bar, curve)


def _map(function: Function, across: Interval, along: Interval) -> str:
    centres = (np.arange(CELLS) + 0.5) / CELLS
    values = function(centres[None, :], centres[:, None])
    size = SIDE / CELLS
    cells = [
        f'<rect x="{size * column:g}" y="{SIDE - size * (row + 1):g}" width="{size:g}" '
        f'height="{size:g}" fill="#08519c" fill-opacity="{value:.2g}"/>'
        for (row, column), value in np.ndenumerate(values)
        if value >= 0.005
    ]
    (left, right), (bottom, top) = across, along
    frame = (
        f'<rect x="{SIDE * left:.1f}" y="{SIDE * (1 - top):.1f}" '
        f'width="{max(2, SIDE * (right - left)):.1f}" '
        f'height="{max(2, SIDE * (top - bottom)):.1f}" fill="none" stroke="#c2410c" '
        'stroke-width="2"/>'
    )
    return document(SIDE, SIDE, _PAPER, *cells, frame)


def tree_svg(function: Function, branching: int, interval: Interval, nodes: NDArray[Any]) -> str:
    """A search tree in one dimension: the function, and below it the intervals of all nodes.

    Each depth of the tree has a row. An interval is the darker, the more visits its node has. The
    root has the given interval.
    """
    height = BOTTOM + 8 + ROW * (int(nodes["depth"].max()) + 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-26 0 {TREE_WIDTH + 36} {height + 4}" '
        'role="img" aria-label="the function, and the intervals of the nodes below it">'
        f"{_curve(function)}{''.join(_intervals(branching, interval, nodes))}</svg>"
    )


def _curve(function: Function) -> str:
    """The axis, and the function as the area between its least and greatest value at each place."""
    x = (np.arange(TREE_WIDTH * SAMPLES) + 0.5) / (TREE_WIDTH * SAMPLES)
    values = BOTTOM - (BOTTOM - TOP) * function(x).reshape(TREE_WIDTH, SAMPLES)
    above, below = (
        [f"{i + 0.5} {y:.1f}" for i, y in enumerate(ends)]
        for ends in (values.min(axis=1), values.max(axis=1))
    )
    labels = "".join(
        f'<text x="-8" y="{y + 4}" text-anchor="end">{value}</text>'
        for value, y in ((0, BOTTOM), (1, TOP))
    )
    path = f'<path d="M{"L".join(above + below[::-1])}Z" style="stroke:var(--ink,#202020)"/>'
    return f'<g style="fill:var(--ink,#202020);font:11px sans-serif">{labels}{path}</g>'


def _intervals(branching: int, interval: Interval, nodes: NDArray[Any]) -> Iterator[str]:
    """Yields a rectangle for each node."""
    left, right = interval
    starts, widths = spans(nodes, branching)
    most = np.log1p(float(nodes["visits"][0]))
    for i, node in enumerate(nodes):
        x = TREE_WIDTH * (left + (right - left) * starts[i])
        width = max(LEAST_WIDTH, TREE_WIDTH * (right - left) * widths[i])
        y = BOTTOM + 8 + ROW * int(node["depth"])
        opacity = 0.15 + 0.85 * np.log1p(float(node["visits"])) / max(most, 1.0)
        yield (
            f'<rect data-node="{i}" x="{x:.4g}" y="{y}" width="{width:.4g}" height="{ROW - 2}" '
            f'style="fill:var(--bar,#0072b2);fill-opacity:{opacity:.2f}">'
            f"<title>{node['visits']} visits, mean {node['mean']:.4g}</title></rect>"
        )


def spans(nodes: NDArray[Any], num_parts: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The left ends and the widths of the nodes' intervals, as shares of the root's interval.

    Every node stands after its parent.
    """
    widths = float(num_parts) ** -nodes["depth"].astype(np.float64)
    starts = np.zeros(len(nodes))
    steps = nodes["action"] * widths
    for row, parent in enumerate(nodes["parent"][1:].tolist(), 1):
        starts[row] = starts[parent] + steps[row]
    return starts, widths
