"""A search tree of the problem as SVG: the function, and below it the interval of every node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""A function of an array of places."""
_WIDTH, _TOP, _BOTTOM = 600, 14, 124
_ROW = 11
_SAMPLES = 16
"""Number of points of the function for each unit of the width."""
_LEAST_WIDTH = 0.7
"""Width of intervals that are too short to be seen."""


def tree_picture(
    function: Values, branching: int, interval: tuple[float, float], nodes: NDArray[Any]
) -> str:
    """The picture as an SVG document.

    Each depth of the tree has a row. An interval is the darker, the more visits its node has.

    Args:
        function: The function on [0, 1]: from float64[n] to float64[n].
        branching: Number of parts of an interval.
        interval: The interval of the root.
        nodes: As in `ForwardModel.tree_picture`.
    """
    height = _BOTTOM + 8 + _ROW * (int(nodes["depth"].max()) + 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-26 0 {_WIDTH + 36} {height + 4}" '
        'role="img" aria-label="the function, and the intervals of the nodes below it">'
        f"{_curve(function)}{''.join(_intervals(branching, interval, nodes))}</svg>"
    )


def _curve(function: Values) -> str:
    """The axis, and the function as the area between its least and greatest value at each place."""
    x = (np.arange(_WIDTH * _SAMPLES) + 0.5) / (_WIDTH * _SAMPLES)
    values = _BOTTOM - (_BOTTOM - _TOP) * function(x).reshape(_WIDTH, _SAMPLES)
    above, below = (
        [f"{i + 0.5} {y:.1f}" for i, y in enumerate(ends)]
        for ends in (values.min(axis=1), values.max(axis=1))
    )
    labels = "".join(
        f'<text x="-8" y="{y + 4}" text-anchor="end">{value}</text>'
        for value, y in ((0, _BOTTOM), (1, _TOP))
    )
    path = f'<path d="M{"L".join(above + below[::-1])}Z" style="stroke:var(--ink,#202020)"/>'
    return f'<g style="fill:var(--ink,#202020);font:11px sans-serif">{labels}{path}</g>'


def _intervals(branching: int, interval: tuple[float, float], nodes: NDArray[Any]) -> Iterator[str]:
    """Yields a rectangle for each node."""
    left, right = interval
    starts = np.full(len(nodes), left)
    widths = (right - left) / float(branching) ** nodes["depth"]
    most = np.log1p(float(nodes["visits"][0]))
    for i, node in enumerate(nodes):
        if i:
            starts[i] = starts[node["parent"]] + node["action"] * widths[i]
        x, width = _WIDTH * starts[i], max(_LEAST_WIDTH, _WIDTH * widths[i])
        y = _BOTTOM + 8 + _ROW * int(node["depth"])
        opacity = 0.15 + 0.85 * np.log1p(float(node["visits"])) / max(most, 1.0)
        yield (
            f'<rect data-node="{i}" x="{x:.4g}" y="{y}" width="{width:.4g}" height="{_ROW - 2}" '
            f'style="fill:var(--bar,#0072b2);fill-opacity:{opacity:.2f}">'
            f"<title>{node['visits']} visits, mean {node['mean']:.4g}</title></rect>"
        )
