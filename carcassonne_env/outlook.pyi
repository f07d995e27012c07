from collections.abc import Iterable, Sequence
from os import PathLike

import numpy as np

TERMS: tuple[str, ...]
HEURISTICS: list[str]

def set_weights(name: str, weights: Iterable[Sequence[float]] | np.ndarray) -> None: ...
def load_weights(path: str | PathLike[str]) -> np.ndarray: ...
def save_weights(
    path: str | PathLike[str], weights: Iterable[Sequence[float]] | np.ndarray, provenance: str
) -> None: ...
