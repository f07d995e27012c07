from typing import final

from typing_extensions import Self

from agents.formulas.position_formula import Heuristic
from agents.forward_model import ForwardModel

@final
class Valuation:
    heuristic: int
    def __new__(cls, model: ForwardModel, heuristic: Heuristic = None) -> Self: ...
    @property
    def exists(self) -> bool: ...
    @property
    def runs_python(self) -> bool: ...
