from typing import final

from typing_extensions import Self

from agents.formulas.position_formula import Heuristic
from agents.forward_model import ForwardModel
from agents.lookahead.line import Lookahead
from agents.lookahead.planner import LookaheadAgent
from agents.rng import Seed

@final
class StarSearch(Lookahead):
    def __new__(
        cls,
        root: ForwardModel,
        heuristic: Heuristic,
        max_positions: int | None,
        time_limit: float | None,
        lower: float,
        upper: float,
        probing_factor: int,
    ) -> Self: ...

class StarMinimax(LookaheadAgent):
    lower: float
    upper: float
    probing_factor: int
    def __init__(
        self,
        depth: int | None = None,
        heuristic: Heuristic = None,
        lower: float = -1.0,
        upper: float = 1.0,
        probing_factor: int = 0,
        *,
        max_positions: int | None = None,
        time_limit: float | None = None,
        seed: Seed = None,
    ) -> None: ...
