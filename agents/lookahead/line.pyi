from collections.abc import Callable

import numpy as np
from typing_extensions import Self, disjoint_base

from agents.agent import WATCH_SECONDS as WATCH_SECONDS
from agents.agent import Watch
from agents.formulas.position_formula import PositionFormula
from agents.forward_model import ForwardModel

TIE: float

class OutOfBudgetError(Exception): ...

@disjoint_base
class Lookahead:
    depth: int
    player: int
    is_complete: bool
    positions: int
    nodes: int
    num_clipped: int
    num_actions: int
    watch: Watch | None
    def __new__(
        cls,
        root: ForwardModel,
        heuristic: str | PositionFormula | Callable[[ForwardModel, int], float] | None,
        max_positions: int | None,
        time_limit: float | None,
    ) -> Self: ...
    @property
    def has_heuristic(self) -> bool: ...
    @property
    def cutoffs(self) -> dict[str, int]: ...
    def search(self, depth: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
