from agents.formulas.position_text import Node
from agents.forward_model import ForwardModel, Indicator

OPERATIONS: dict[str, int]

class PositionProgram:
    size: int
    indicators: tuple[Indicator, ...]
    def __init__(self, tree: Node, text: str, model: ForwardModel) -> None: ...
    def value(self, model: ForwardModel, player: int) -> float: ...
