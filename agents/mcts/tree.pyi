from collections.abc import Sequence
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

NODE_DTYPE: np.dtype[np.void]
SLOT_DTYPE: np.dtype[np.void]

MAX_COUNT: int

class TreeStatistics(NamedTuple):
    num_nodes: int
    num_leaves: int
    expansion_rate: float
    terminal_states: int
    leaf_depth: tuple[float, float]
    max_depth: int
    most_visited_result: float

@final
class Tree:
    num_nodes: int
    def table(self) -> NDArray[Any]: ...
    def statistics(self, iterations: int, most_visited_result: float = ...) -> TreeStatistics: ...
    def principal_variation(
        self, first: Sequence[int] = (), *, by: str = "visits"
    ) -> list[tuple[int, int]]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
