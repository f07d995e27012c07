"""Monte Carlo tree search: one tree, one loop, and policies to choose."""

from agents.mcts.planner import MCTS

__all__ = ["MCTS"]
