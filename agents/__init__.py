"""Planners, and the interface through which they search games. The package contains no game.

A planner searches a game through its `ForwardModel`. To add a game, implement this contract in
Cython or, with `PythonForwardModel`, in plain Python; then every planner can play the game.
"""

from typing import TYPE_CHECKING

from agents.lazy import on_demand

if TYPE_CHECKING:
    from agents.agent import Agent, Planner, RandomAgent
    from agents.evolving.planners import EAMCTS, ESMCTS, SIEAMCTS, ESpMCTS
    from agents.evolving.record import Evolution, EvolvedResult
    from agents.formulas.formula import Formula
    from agents.formulas.grammar import Grammar
    from agents.formulas.position_formula import PositionFormula
    from agents.forward_model import CHANCE, TERMINAL, ForwardModel, Indicator, PythonForwardModel
    from agents.lookahead.expectimax import Expectimax
    from agents.lookahead.planner import LookaheadResult
    from agents.lookahead.star_minimax import StarMinimax
    from agents.mcts.planner import MCTS
    from agents.mcts.policies import (
        PUCT,
        RAVE,
        UCB1,
        Boltzmann,
        EpsilonGreedy,
        FormulaPolicy,
        FunctionPolicy,
        HeuristicPolicy,
        TreePolicy,
        UCB1Tuned,
    )
    from agents.mcts.result import SearchResult
    from agents.mcts.rollouts import (
        EvolvedRollout,
        GameRollout,
        GuidedRollout,
        OrderedRollout,
        RolloutPolicy,
        WinRollout,
    )
    from agents.mcts.tree import Tree, TreeStatistics
    from agents.multi_action.planners import (
        BridgeBurningMCTS,
        EvolutionaryMCTS,
        GreedyAction,
        GreedyTurn,
        NonExploringMCTS,
        OnlineEvolution,
        TurnPlanner,
    )
    from agents.multi_action.result import TurnResult
    from agents.racing.planner import RacingMCTS
    from agents.racing.result import RaceRecord, RaceResult
    from agents.registry import AGENTS, make
    from agents.rng import Rng
    from agents.version import __version__
else:
    __getattr__, __dir__ = on_demand(__name__, __file__)

__all__ = [
    "AGENTS",
    "CHANCE",
    "EAMCTS",
    "ESMCTS",
    "MCTS",
    "PUCT",
    "RAVE",
    "SIEAMCTS",
    "TERMINAL",
    "UCB1",
    "Agent",
    "Boltzmann",
    "BridgeBurningMCTS",
    "ESpMCTS",
    "EpsilonGreedy",
    "Evolution",
    "EvolutionaryMCTS",
    "EvolvedResult",
    "EvolvedRollout",
    "Expectimax",
    "Formula",
    "FormulaPolicy",
    "ForwardModel",
    "FunctionPolicy",
    "GameRollout",
    "Grammar",
    "GreedyAction",
    "GreedyTurn",
    "GuidedRollout",
    "HeuristicPolicy",
    "Indicator",
    "LookaheadResult",
    "NonExploringMCTS",
    "OnlineEvolution",
    "OrderedRollout",
    "Planner",
    "PositionFormula",
    "PythonForwardModel",
    "RaceRecord",
    "RaceResult",
    "RacingMCTS",
    "RandomAgent",
    "Rng",
    "RolloutPolicy",
    "SearchResult",
    "StarMinimax",
    "Tree",
    "TreePolicy",
    "TreeStatistics",
    "TurnPlanner",
    "TurnResult",
    "UCB1Tuned",
    "WinRollout",
    "__version__",
    "make",
]
