from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

NODE_DTYPE: np.dtype[np.void]

class TreeStatistics(NamedTuple):
    num_nodes: int
    expansion_rate: float
    terminal_states: int
    leaf_depth: tuple[float, float]
    max_depth: int

@disjoint_base
class Tree:
    num_nodes: int
    def table(self) -> NDArray[Any]: ...
    def statistics(self, iterations: int) -> TreeStatistics: ...
    def principal_variation(self) -> list[tuple[int, int]]: ...
