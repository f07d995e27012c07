from collections.abc import Callable
from typing import Any

import numpy as np

from agents.forward_model import ForwardModel

TIE: float

class OutOfBudgetError(Exception): ...

class Level:
    def __init__(self, model: ForwardModel) -> None: ...

class Lookahead:
    depth: int
    is_complete: bool
    positions: int
    nodes: int
    def __init__(
        self,
        root: ForwardModel,
        heuristic: str | Callable[[ForwardModel, int], float] | None,
        max_positions: int | None,
        time_limit: float | None,
    ) -> None: ...
    @property
    def cutoffs(self) -> dict[str, int]: ...
    def search(self, depth: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
