"""The positions of a search tree, which are found by playing from its root."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import numpy as np

from agents.forward_model import ForwardModel

Model = TypeVar("Model", bound=ForwardModel)


def steps(nodes: np.ndarray, model: Model) -> Iterator[tuple[Model, int]]:
    """The position before each node but the root, and the action or outcome that leads to the node.

    Args:
        nodes: Rows of `agents.Tree.table`, every one after its parent, whose row here is its
            ``parent``. Row 0 is the root.
        model: The position at the root. It and the positions must not change meanwhile.
    """
    models = {0: model}
    for row, node in enumerate(nodes[1:], start=1):
        before, action = models[int(node["parent"])], int(node["action"])
        yield before, action
        if node["num_children"]:
            models[row] = before.clone()
            models[row].apply_action(action)
