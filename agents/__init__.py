"""Planners, and the interface through which they search games. The package contains no game.

A planner searches a game through its `ForwardModel`. To add a game, implement this contract in
Cython or, with `PythonForwardModel`, in plain Python; then every planner can play the game.
"""

from typing import TYPE_CHECKING

from agents.lazy import on_demand

if TYPE_CHECKING:
    from agents.agent import Agent as Agent, Planner as Planner, RandomAgent as RandomAgent
    from agents.evolving.planners import (
        EAMCTS as EAMCTS,
        ESMCTS as ESMCTS,
        SIEAMCTS as SIEAMCTS,
        ESpMCTS as ESpMCTS,
    )
    from agents.evolving.record import Evolution as Evolution, EvolvedResult as EvolvedResult
    from agents.formulas.formula import Formula as Formula
    from agents.formulas.grammar import Grammar as Grammar
    from agents.formulas.position_formula import PositionFormula as PositionFormula
    from agents.forward_model import (
        CHANCE as CHANCE,
        TERMINAL as TERMINAL,
        ForwardModel as ForwardModel,
        Indicator as Indicator,
        PythonForwardModel as PythonForwardModel,
    )
    from agents.lookahead.planner import (
        Expectimax as Expectimax,
        LookaheadResult as LookaheadResult,
        StarMinimax as StarMinimax,
    )
    from agents.mcts.planner import MCTS as MCTS
    from agents.mcts.policies import (
        PUCT as PUCT,
        RAVE as RAVE,
        UCB1 as UCB1,
        Boltzmann as Boltzmann,
        EpsilonGreedy as EpsilonGreedy,
        FormulaPolicy as FormulaPolicy,
        FunctionPolicy as FunctionPolicy,
        HeuristicPolicy as HeuristicPolicy,
        TreePolicy as TreePolicy,
        UCB1Tuned as UCB1Tuned,
    )
    from agents.mcts.result import SearchResult as SearchResult
    from agents.mcts.rollouts import (
        EvolvedRollout as EvolvedRollout,
        GameRollout as GameRollout,
        GuidedRollout as GuidedRollout,
        OrderedRollout as OrderedRollout,
        RolloutPolicy as RolloutPolicy,
        WinRollout as WinRollout,
    )
    from agents.mcts.tree import Tree as Tree, TreeStatistics as TreeStatistics
    from agents.multi_action.planners import (
        BridgeBurningMCTS as BridgeBurningMCTS,
        EvolutionaryMCTS as EvolutionaryMCTS,
        GreedyAction as GreedyAction,
        GreedyTurn as GreedyTurn,
        NonExploringMCTS as NonExploringMCTS,
        OnlineEvolution as OnlineEvolution,
        TurnPlanner as TurnPlanner,
    )
    from agents.multi_action.result import TurnResult as TurnResult
    from agents.racing.planner import RacingMCTS as RacingMCTS
    from agents.racing.result import RaceRecord as RaceRecord, RaceResult as RaceResult
    from agents.registry import AGENTS as AGENTS, make as make
    from agents.rng import Rng as Rng
    from agents.version import __version__ as __version__
else:
    __getattr__, __dir__, __all__ = on_demand(__name__, __file__)
