"""Evolved players, which games keep as text files in their folders.

A file holds one formula; lines that begin with # say where it comes from.
"""

from __future__ import annotations

from pathlib import Path


def evolved_player(path: Path, *, reuse_tree: bool = True) -> str:
    """The specification of MCTS that plays by the formula in a file, as in the publication.

    Args:
        path: The file.
        reuse_tree: Whether MCTS keeps its tree from move to move.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    formula = "".join(line for line in lines if not line.startswith("#"))
    rollout = f"evolved(formula={formula}, branching=4)"
    return f"mcts(c=1.4, reuse_tree={reuse_tree}, rollout_policy={rollout})"
