"""Monte Carlo tree search: one tree, one loop, and interchangeable policies."""

from agents.mcts.planner import MCTS

__all__ = ["MCTS"]
