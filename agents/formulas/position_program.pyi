from typing_extensions import Self, disjoint_base

from agents.formulas.position_text import Node
from agents.forward_model import ForwardModel, Indicator

OPERATIONS: dict[str, int]

@disjoint_base
class PositionProgram:
    size: int
    indicators: tuple[Indicator, ...]
    def __new__(cls, tree: Node, text: str, model: ForwardModel) -> Self: ...
    def value(self, model: ForwardModel, player: int) -> float: ...
