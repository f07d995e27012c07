from typing import Any

from typing_extensions import disjoint_base

from agents.formulas.position_formula import PositionFormula
from agents.mcts.policies import RolloutPolicy

@disjoint_base
class EvolvedRollout(RolloutPolicy):
    formula: PositionFormula
    branching: int
    def __init__(self, formula: str | float | PositionFormula, branching: int = 4) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
