"""Pictures of a problem and of searches in it, with matplotlib (extra ``experiments``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agents.checks import check_count, check_range, extra

from .model import FopModel
from .picture import spans
from .values import node_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINE, BAR, BEST = "#1f2933", "#7fb0d8", "#c2410c"
PHASES = ("#c6dbef", "#6baed6", "#08519c")
"""Colours of the thirds of a search; the first third is the lightest."""
MAX_PARTS = 2**31 - 1


def value_figure(model: FopModel, depth: int = 5) -> Figure:
    """A figure of the function, with the values of all nodes below it, level by level.

    Bars are belief values, the average returns of random playouts. Strokes are game-theoretical
    values. The design follows figures 4.5 to 4.9 of Valdez Ameneyro (2024).

    Args:
        model: The problem, in one dimension.
        depth: The deepest level to show, 1 to ``model.num_levels``.

    Raises:
        TypeError: If the depth is no integer.
        ValueError: If the depth is out of range, the problem has two dimensions, or `node_values`
            refuses it.
    """
    check_range("depth", depth, 1, model.num_levels)
    figure, axes = _figure(model, 1.6 + 0.85 * depth, [2.0] + [1.0] * depth)
    values = node_values(model, depth)
    for level, ax in enumerate(axes, start=1):
        rows = values[values["depth"] == level]
        left, right = rows["lower"][:, 0], rows["upper"][:, 0]
        width = right - left
        ax.bar(left, rows["belief_value"], width, align="edge", color=BAR, edgecolor="white")
        ax.hlines(rows["game_value"], left + 0.1 * width, right - 0.1 * width, color=BEST, lw=1.5)
        ax.set(ylim=(0, 1.08), yticks=(0, 1))
        ax.set_ylabel(f"depth {level}", rotation=0, ha="right", va="center")
    axes[0].set_title("belief value (bars), game-theoretical value (strokes)", fontsize=9)
    axes[-1].set_xlabel("x")
    return figure


def location_histogram(result: Any, bins: int = 128, phases: int = 3) -> NDArray[np.int64]:
    """The number of nodes of a search tree by location, and by the phase that added them.

    The location of a node is the centre of its interval, as a share of the interval of the root. A
    centre on the edge of two bins counts in one of them.

    Args:
        result: The result of a search of MCTS in a problem of one dimension.
        bins: Number of equal parts of the interval of the root, 1 or more.
        phases: Number of equal parts of the search, 1 or more.

    Returns:
        int64[phases, bins]; the sum is the number of nodes.

    Raises:
        ValueError: If bins or phases are below 1.
    """
    bins = check_count("bins", bins, 1, MAX_PARTS)
    phases = check_count("phases", phases, 1, MAX_PARTS)
    nodes = result.tree()
    starts, widths = spans(nodes, result.model.num_actions)
    counts = np.zeros((phases, bins), dtype=np.int64)
    phase = nodes["birth"].astype(np.int64) * phases // result.tree_iterations
    place = ((starts + 0.5 * widths) * bins).astype(np.int64)
    np.add.at(counts, (np.minimum(phase, phases - 1), np.minimum(place, bins - 1)), 1)
    return counts


def location_figure(
    model: FopModel, histograms: Mapping[str, NDArray[Any]], title: str = ""
) -> Figure:
    """A figure of the function, with a histogram for each agent: where its searches put nodes.

    Each histogram has a scale of its own, and the picture says so.

    Args:
        model: The problem, in one dimension.
        histograms: An array [3, bins] for each agent's name: the number of nodes by third of the
            search and by location, from `location_histogram` or averaged over searches.
        title: The title above the figure.

    Raises:
        ValueError: If the problem has two dimensions, there is no histogram, or one does not have 3
            rows.
    """
    if not histograms:
        raise ValueError(f"histograms must be of one agent or more, got {histograms!r}")
    for name, counts in histograms.items():
        if np.ndim(counts) != 2 or len(counts) != len(PHASES):
            raise ValueError(
                f"the histogram of {name} must have {len(PHASES)} rows, "
                f"got shape {np.shape(counts)}"
            )
    count = len(histograms)
    figure, axes = _figure(model, 1.8 + 1.1 * count, [1.3] + [1.0] * count)
    figure.axes[0].set_title(title)
    names = ("first third of the search", "second", "last")
    for (name, counts), ax in zip(histograms.items(), axes, strict=True):
        edges = np.linspace(0, 1, counts.shape[1] + 1)
        floor = np.zeros(counts.shape[1])
        for third, color, label in zip(counts, PHASES, names, strict=True):
            ax.stairs(floor + third, edges, baseline=floor, fill=True, color=color, label=label)
            floor = floor + third
        ax.set_title(name, loc="left", fontsize=9)
        ax.set_ylim(bottom=0)
        ax.set_ylabel("nodes")
    axes[-1].set_xlabel("x (centre of the node's interval)")
    figure.align_ylabels()
    figure.legend(
        *axes[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=3,
        title="Scales differ: the vertical axis of each histogram fits its own numbers.",
        title_fontsize=9,
    )
    return figure


def _figure(model: FopModel, height: float, ratios: Sequence[float]) -> tuple[Figure, list[Axes]]:
    """A figure with the function in its first row, and the axes of the other rows."""
    with extra("experiments", "a figure"):
        from matplotlib.figure import Figure

    if model.dimensions != 1:
        raise ValueError(f"pictures need a problem of one dimension, got {model.dimensions}")
    figure = Figure(figsize=(7, height), layout="constrained")
    top, *axes = figure.subplots(len(ratios), sharex=True, height_ratios=ratios)
    x = np.linspace(0, 1, 4001)
    top.plot(x, model.evaluate(x), color=LINE, lw=0.9)
    top.set(xlim=(0, 1), ylim=(0, 1.08), yticks=(0, 1), ylabel="f(x)")
    return figure, axes
