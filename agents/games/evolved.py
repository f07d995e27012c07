"""Evolved players, which games keep as text files in their folders.

A file holds one formula. Lines that begin with # are comments, which say where it comes from.
"""

from __future__ import annotations

from pathlib import Path


def evolved_player(entry: str, name: str = "evolved", *, reuse_tree: bool = True) -> str:
    """The specification of MCTS whose playouts follow the formula in a file.

    The file is ``name.txt`` beside the module `entry`, of which the ``__file__`` is given.
    Its settings are the published ones: exploration constant 0.7 for returns from 0 to 1, which is
    1.4 for ours from -1 to 1, and 4 moves valued at each step of a playout. `reuse_tree` says
    whether MCTS keeps its tree from move to move.

    Raises:
        OSError: If the file cannot be read.
    """
    text = Path(entry).with_name(f"{name}.txt").read_text(encoding="utf-8")
    formula = "".join(line for line in text.splitlines() if not line.startswith("#"))
    rollout = f"evolved(formula={formula}, branching=4)"
    return f"mcts(c=1.4, reuse_tree={reuse_tree}, rollout_policy={rollout})"
