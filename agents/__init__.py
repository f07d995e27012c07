"""Planners and the interface through which they see games. Knows no game.

A game is searched through its `ForwardModel`; whoever brings a game implements that contract, in
Cython or, with `PythonForwardModel`, in plain Python, and every planner plays it.
"""

from agents.agent import Agent, RandomAgent, SearchResult
from agents.forward_model import CHANCE, TERMINAL, ForwardModel, PythonForwardModel
from agents.mcts import MCTS
from agents.policies import UCB1, RolloutPolicy, TreePolicy
from agents.rng import Rng
from agents.tree import Tree, TreeStatistics

__all__ = [
    "CHANCE",
    "MCTS",
    "TERMINAL",
    "UCB1",
    "Agent",
    "ForwardModel",
    "PythonForwardModel",
    "RandomAgent",
    "Rng",
    "RolloutPolicy",
    "SearchResult",
    "Tree",
    "TreePolicy",
    "TreeStatistics",
]
