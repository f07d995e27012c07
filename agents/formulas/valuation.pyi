from typing import final

from agents.formulas.position_formula import Heuristic
from agents.forward_model import ForwardModel

@final
class Valuation:
    heuristic: int
    def __init__(self, model: ForwardModel, heuristic: Heuristic = None) -> None: ...
    @property
    def exists(self) -> bool: ...
    @property
    def runs_python(self) -> bool: ...
