"""Planners and the interface through which they see games. Knows no game.

A game is searched through its `ForwardModel`; whoever brings a game implements that contract, in
Cython or, with `PythonForwardModel`, in plain Python, and every planner plays it.
"""

from agents.agent import Agent, Planner, RandomAgent, SearchResult
from agents.ea_mcts import EAMCTS, ESMCTS, SIEAMCTS, ESpMCTS
from agents.evolution import Grammar
from agents.evolution_record import Evolution
from agents.expectimax import Expectimax
from agents.formula import Formula
from agents.formula_policy import FormulaPolicy
from agents.forward_model import CHANCE, TERMINAL, ForwardModel, PythonForwardModel
from agents.lookahead_agent import LookaheadResult
from agents.mcts import MCTS
from agents.policies import UCB1, RolloutPolicy, TreePolicy
from agents.registry import AGENTS, make, strongest
from agents.rng import Rng
from agents.rollouts import GameRollout, GuidedRollout, WinRollout
from agents.star_minimax import StarMinimax
from agents.tree import Tree, TreeStatistics
from agents.tree_policies import RAVE, Boltzmann, EpsilonGreedy, HeuristicPolicy, UCB1Tuned

__all__ = [
    "AGENTS",
    "CHANCE",
    "EAMCTS",
    "ESMCTS",
    "MCTS",
    "RAVE",
    "SIEAMCTS",
    "TERMINAL",
    "UCB1",
    "Agent",
    "Boltzmann",
    "ESpMCTS",
    "EpsilonGreedy",
    "Evolution",
    "Expectimax",
    "Formula",
    "FormulaPolicy",
    "ForwardModel",
    "GameRollout",
    "Grammar",
    "GuidedRollout",
    "HeuristicPolicy",
    "LookaheadResult",
    "Planner",
    "PythonForwardModel",
    "RandomAgent",
    "Rng",
    "RolloutPolicy",
    "SearchResult",
    "StarMinimax",
    "Tree",
    "TreePolicy",
    "TreeStatistics",
    "UCB1Tuned",
    "WinRollout",
    "make",
    "strongest",
]
