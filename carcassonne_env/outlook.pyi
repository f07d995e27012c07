from os import PathLike

import numpy as np
from numpy.typing import ArrayLike, NDArray

TERMS: tuple[str, ...]
HEURISTICS: list[str]

def set_weights(name: str, weights: ArrayLike) -> None: ...
def load_weights(path: str | PathLike[str]) -> NDArray[np.float64]: ...
def save_weights(path: str | PathLike[str], weights: ArrayLike, provenance: str) -> None: ...
