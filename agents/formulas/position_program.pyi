from agents.formulas.position_text import Node
from agents.forward_model import ForwardModel

OPERATIONS: dict[str, int]

class PositionProgram:
    size: int
    def __init__(self, tree: Node, text: str, model: ForwardModel) -> None: ...
    def value(self, model: ForwardModel, player: int) -> float: ...
