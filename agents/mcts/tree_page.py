"""A search tree as a page of HTML whose nodes open, close and sort."""

from __future__ import annotations

import math
from importlib.resources import files
from typing import Any

import numpy as np

from agents.forward_model import CHANCE, ForwardModel
from agents.pages import bundled, page
from agents.tree_walk import steps


def tree_page(
    about: tuple[str, int, int | None],
    rows: np.ndarray,
    model: ForwardModel,
    action: int,
    max_nodes: int,
) -> str:
    """The page of a tree: so many of its most visited nodes, and the recommended action marked.

    `about` has the tree policy, as text, the iterations in this tree, and the points that a return
    of 1 stands for, or None. The nodes are rows of `Tree.table`, the model is the root's position.
    """
    nodes = most_visited(rows, max_nodes)
    texts = action_texts(nodes, model)
    recommended = np.flatnonzero((nodes["parent"] == 0) & (nodes["action"] == action))
    data = {
        "treePolicy": about[0],
        "iterations": about[1],
        "points": about[2],
        "player": int(rows["player"][0]),
        "recommended": int(recommended[0]) if len(recommended) else -1,
        "numNodes": len(rows),
        "depths": np.bincount(rows["depth"]).tolist(),
        "hasPriors": has_priors(rows),
        "nodes": [_cells(node, text) for node, text in zip(nodes, texts, strict=True)],
    }
    style, body, script = (
        (files(__package__) / f"tree_page.{kind}").read_text(encoding="utf-8")
        for kind in ("css", "html", "js")
    )
    draw = getattr(model, "tree_picture", None)
    body = body.replace("$picture", (draw and draw(nodes)) or "")
    return page("Search tree", data, style=style, body=body, script=bundled(script))


def most_visited(rows: np.ndarray, count: int) -> np.ndarray:
    """The most visited nodes, at most so many, as a table whose parents are rows of it.

    The rows are breadth first; of equally visited ones, the first are taken. Every node comes after
    its parent.
    """
    visits = rows["visits"].astype(np.int64)
    kept = np.argsort(-visits, kind="stable")[:count]  # no node has more visits than its parent
    nodes = rows[kept]
    index = np.zeros(len(rows), dtype=np.int32)
    index[kept] = np.arange(len(kept))
    nodes["parent"][1:] = index[nodes["parent"][1:]]
    return nodes


def action_texts(nodes: np.ndarray, model: ForwardModel) -> list[str]:
    """The actions and outcomes that lead to the `most_visited` nodes, in the game's words.

    "" stands for the root, whose position is that of the model.
    """
    return ["", *(before.action_to_string(action) for before, action in steps(nodes, model))]


def node_texts(nodes: np.ndarray, model: ForwardModel) -> list[str]:
    """What leads to the `most_visited` nodes, as the page says it, and "root"."""
    players = nodes["player"][nodes["parent"][1:]]
    moves = zip(players, action_texts(nodes, model)[1:], strict=True)
    return ["root", *(f"chance: {text}" if player == CHANCE else text for player, text in moves)]


def value_text(mean: float, points: int | None) -> str:
    """A mean return with its name, as tables have it: in points if the returns are points."""
    return f"mean {mean:.4f}" if points is None else f"points {mean * points:+.2f}"


def has_priors(rows: np.ndarray) -> bool:
    """Whether the actions of a tree have prior probabilities."""
    is_action = rows["player"][rows["parent"][1:]] != CHANCE
    return bool((rows["probability"][1:][is_action] != 1).any())


def _cells(node: np.void, text: str) -> list[Any]:
    """A node of the page: index of the parent, text, and some columns of the table."""
    return [
        int(node["parent"]),
        text,
        int(node["visits"]),
        _number(node["mean"]),
        _number(node["probability"]),
        int(node["player"]),
        int(node["num_children"]),
    ]


def _number(value: float) -> float | None:
    """The number with 6 digits; None if it is not finite, which JSON cannot express."""
    return float(f"{value:.6g}") if math.isfinite(value) else None
