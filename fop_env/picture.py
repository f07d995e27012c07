"""A position of the problem as a small picture, a pure function to SVG text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
_PAPER = '<rect width="100%" height="100%" fill="#fff"/>'


def position_svg(function: Function, intervals: Sequence[Interval]) -> str:
    """The function, in two dimensions as a map in which dark is high, and the current interval.

    Args:
        function: Takes an array of coordinates for each dimension; its values are in [0, 1].
        intervals: The bounds (lower, upper) in each dimension, one or two.
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
