"""Monte Carlo tree search: one tree, one loop, and interchangeable policies."""

from typing import TYPE_CHECKING

from agents.lazy import on_demand

if TYPE_CHECKING:
    from agents.mcts.planner import MCTS as MCTS
else:
    __getattr__, __dir__, __all__ = on_demand(__name__, __file__)
