"""Planners, and the interface through which they search games. The package contains no game.

A planner searches a game through its `ForwardModel`. To add a game, implement this contract in
Cython or, with `PythonForwardModel`, in plain Python; then every planner can play the game.
"""

from typing import TYPE_CHECKING

from agents.lazy import on_demand

if TYPE_CHECKING:
    from agents.agent import Agent as Agent
    from agents.agent import Planner as Planner
    from agents.agent import RandomAgent as RandomAgent
    from agents.evolving.planners import EAMCTS as EAMCTS
    from agents.evolving.planners import ESMCTS as ESMCTS
    from agents.evolving.planners import SIEAMCTS as SIEAMCTS
    from agents.evolving.planners import ESpMCTS as ESpMCTS
    from agents.evolving.record import Evolution as Evolution
    from agents.evolving.record import EvolvedResult as EvolvedResult
    from agents.formulas.formula import Formula as Formula
    from agents.formulas.grammar import Grammar as Grammar
    from agents.formulas.position_formula import PositionFormula as PositionFormula
    from agents.forward_model import CHANCE as CHANCE
    from agents.forward_model import TERMINAL as TERMINAL
    from agents.forward_model import ForwardModel as ForwardModel
    from agents.forward_model import Indicator as Indicator
    from agents.forward_model import PythonForwardModel as PythonForwardModel
    from agents.lookahead.planner import Expectimax as Expectimax
    from agents.lookahead.planner import LookaheadResult as LookaheadResult
    from agents.lookahead.planner import StarMinimax as StarMinimax
    from agents.mcts.planner import MCTS as MCTS
    from agents.mcts.policies import PUCT as PUCT
    from agents.mcts.policies import RAVE as RAVE
    from agents.mcts.policies import UCB1 as UCB1
    from agents.mcts.policies import Boltzmann as Boltzmann
    from agents.mcts.policies import EpsilonGreedy as EpsilonGreedy
    from agents.mcts.policies import FormulaPolicy as FormulaPolicy
    from agents.mcts.policies import FunctionPolicy as FunctionPolicy
    from agents.mcts.policies import HeuristicPolicy as HeuristicPolicy
    from agents.mcts.policies import TreePolicy as TreePolicy
    from agents.mcts.policies import UCB1Tuned as UCB1Tuned
    from agents.mcts.result import SearchResult as SearchResult
    from agents.mcts.rollouts import EvolvedRollout as EvolvedRollout
    from agents.mcts.rollouts import GameRollout as GameRollout
    from agents.mcts.rollouts import GuidedRollout as GuidedRollout
    from agents.mcts.rollouts import OrderedRollout as OrderedRollout
    from agents.mcts.rollouts import RolloutPolicy as RolloutPolicy
    from agents.mcts.rollouts import WinRollout as WinRollout
    from agents.mcts.tree import Tree as Tree
    from agents.mcts.tree import TreeStatistics as TreeStatistics
    from agents.multi_action.planners import BridgeBurningMCTS as BridgeBurningMCTS
    from agents.multi_action.planners import EvolutionaryMCTS as EvolutionaryMCTS
    from agents.multi_action.planners import GreedyAction as GreedyAction
    from agents.multi_action.planners import GreedyTurn as GreedyTurn
    from agents.multi_action.planners import NonExploringMCTS as NonExploringMCTS
    from agents.multi_action.planners import OnlineEvolution as OnlineEvolution
    from agents.multi_action.planners import TurnPlanner as TurnPlanner
    from agents.multi_action.result import TurnResult as TurnResult
    from agents.racing.planner import RacingMCTS as RacingMCTS
    from agents.racing.result import RaceRecord as RaceRecord
    from agents.racing.result import RaceResult as RaceResult
    from agents.registry import AGENTS as AGENTS
    from agents.registry import make as make
    from agents.rng import Rng as Rng
    from agents.version import __version__ as __version__
else:
    __getattr__, __dir__, __all__ = on_demand(__name__, __file__)
