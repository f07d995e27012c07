from typing_extensions import disjoint_base

from agents.formulas.formula import Formula
from agents.mcts.policies import TreePolicy

OPPONENTS: tuple[str, ...]

@disjoint_base
class FormulaPolicy(TreePolicy):
    formula: Formula
    opponent: str
    def __init__(
        self,
        formula: Formula,
        opponent: str = "negate_q",
        needs_details: bool = False,
        weighs_untried: bool = False,
    ) -> None: ...
    def __reduce__(self) -> tuple[type[FormulaPolicy], tuple[Formula, str, bool, bool]]: ...
