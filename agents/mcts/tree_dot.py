"""A search tree in DOT, the language of Graphviz."""

from __future__ import annotations

import numpy as np

from agents.forward_model import CHANCE, TERMINAL, ForwardModel
from agents.mcts.tree_page import most_visited, node_texts, value_text

_SHAPES = {CHANCE: "diamond", TERMINAL: "plaintext"}
"""Shapes of chance nodes and of ends of the game; positions of players are boxes."""
_MAX_WIDTH = 6  # of the line to a node that got all visits


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
            width = _MAX_WIDTH * node["visits"] / max(1, nodes["visits"][0])
            lines.append(f"  {node['parent']} -> {i} [penwidth={max(width, 0.3):.2g}]")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    """A text as a string of DOT."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
