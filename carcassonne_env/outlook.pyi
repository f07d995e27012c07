from os import PathLike

import numpy as np
from numpy.typing import ArrayLike, NDArray

SCALES: dict[str, int]
TERMS: tuple[str, ...]
HEURISTICS: list[str]
_Demands = tuple[tuple[tuple[float, float], tuple[float, float]], ...]
DEMANDS_OF_ONE: _Demands
DEMANDS_OF_SEVERAL: _Demands

def set_demands(players: int, demands: ArrayLike) -> None: ...
def set_weights(name: str, weights: ArrayLike) -> None: ...
def load_weights(path: str | PathLike[str]) -> NDArray[np.float64]: ...
def save_weights(path: str | PathLike[str], weights: ArrayLike, provenance: str) -> None: ...
