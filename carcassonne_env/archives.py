"""Archives of NumPy (``.npz``) that anybody may have written, and the networks in them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_BYTES = 2**30
"""The largest size of the arrays of a file; data sets of ten million moves take a tenth of it."""
MAX_WEIGHT = 10_000
"""The greatest absolute value of a weight. With such weights, no number of a network overflows."""


def read_arrays(path: str | PathLike[str]) -> dict[str, NDArray[Any]]:
    """The arrays of an archive by name; members that are no arrays are left out.

    What is no archive, damaged, one of pickles, or larger than `MAX_BYTES` raises ValueError, whose
    message does not name the file.
    """
    file = io.BytesIO(Path(path).read_bytes())
    try:
        with zipfile.ZipFile(file) as archive:
            size = sum(info.file_size for info in archive.infolist())
        if size > MAX_BYTES:
            raise ValueError(f"its arrays must take {MAX_BYTES} bytes or less, got {size}")
        with np.load(file, allow_pickle=False) as members:
            return {name: it for name, it in members.items() if isinstance(it, np.ndarray)}
    except Exception as error:  # zipfile and NumPy raise errors of a dozen kinds
        raise ValueError(str(error) or type(error).__name__) from None


def check_layers(layers: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raises ValueError unless layers have their shapes, and weights of at most `MAX_WEIGHT`."""
    for name, layer in layers.items():
        if layer.shape != (shape := shapes[name]):
            raise ValueError(f"layer {name!r} must have the shape {shape}, got {layer.shape}")
        most = np.abs(layer).max()
        if not most <= MAX_WEIGHT:
            raise ValueError(
                f"layer {name!r} must have numbers in [-{MAX_WEIGHT}, {MAX_WEIGHT}], got ±{most}"
            )
