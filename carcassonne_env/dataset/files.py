"""Files of data sets: compressed archives of NumPy (``.npz``), checked when they are read.

A file holds

- ``header``: a text in JSON with ``format`` ("carcassonne-dataset"), ``version`` (1), ``setup`` (as
  in `Setup.name`), and ``player``, ``exploration`` and ``package`` as in `Dataset`;
- ``seeds``, int64[games], and ``scores``, int32[games, players];
- ``num_outcomes`` and ``num_actions``, uint16[games]: how many entries of the following belong to
  each game, one game after the other;
- ``outcomes``, ``actions``, ``values`` and ``is_random`` of all games, as in `Game`.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.files import replacing

from ..archives import read_arrays
from ..game_setup import Setup
from .games import Dataset, Game

FORMAT = "carcassonne-dataset"
VERSION = 1
_HEADER = {"format": str, "version": int, "setup": str, "player": str, "package": str}
"""Types of the members of the header, without the exploration, which is a number."""
_ARRAYS: dict[str, tuple[Any, int]] = {
    "seeds": (np.int64, 1),
    "num_outcomes": (np.uint16, 1),
    "num_actions": (np.uint16, 1),
    "outcomes": (np.uint8, 1),
    "actions": (np.uint16, 1),
    "values": (np.float32, 1),
    "is_random": (np.bool_, 1),
    "scores": (np.int32, 2),
}
"""Type and number of axes of each array."""
Arrays = dict[str, NDArray[Any]]


def save_dataset(path: str | Path, dataset: Dataset) -> None:
    """Writes a data set to a file, which takes the place of an earlier one in one step.

    Raises:
        OSError: If the file cannot be written; an earlier one is then unchanged.
    """
    header = {
        "format": FORMAT,
        "version": VERSION,
        "setup": dataset.setup.name,
        "player": dataset.player,
        "package": dataset.package,
        "exploration": dataset.exploration,
    }
    members: dict[str, Any] = {"header": np.array(json.dumps(header)), **_arrays_of(dataset)}
    with replacing(path) as file:
        np.savez_compressed(file, **members)


def digest(dataset: Dataset) -> str:
    """The SHA-256 of the arrays of the games, 64 hexadecimal digits.

    Unlike that of a file, it does not change with the library that compresses the file.
    """
    found = hashlib.sha256()
    for array in _arrays_of(dataset).values():
        little_endian = array.astype(array.dtype.newbyteorder("<"))
        found.update(little_endian.tobytes())
    return found.hexdigest()


def _arrays_of(dataset: Dataset) -> Arrays:
    games = dataset.games
    found = {
        "seeds": [game.seed for game in games],
        "num_outcomes": [len(game.outcomes) for game in games],
        "num_actions": [len(game.actions) for game in games],
        "outcomes": np.concatenate([game.outcomes for game in games]),
        "actions": np.concatenate([game.actions for game in games]),
        "values": np.concatenate([game.values for game in games]),
        "is_random": np.concatenate([game.is_random for game in games]),
        "scores": [game.scores for game in games],
    }
    return {name: np.asarray(found[name], dtype) for name, (dtype, _) in _ARRAYS.items()}


def load_dataset(path: str | Path) -> Dataset:
    """Reads a data set from a file, and plays all its games to check them.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it holds no data set, or one of another version, or a game is against the
            rules. The message names the file and the game.
    """
    try:
        header, arrays = _members_of(read_arrays(path))
        return Dataset(
            Setup.named(header["setup"]),
            header["player"],
            header["exploration"],
            _games_of(arrays),
            header["package"],
        )
    except ValueError as error:
        raise ValueError(f"{path} is not a data set of games: {error}") from None


def _members_of(arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """The header and the other arrays that a file must have."""
    names = ["header", *_ARRAYS]
    if missing := [name for name in names if name not in arrays]:
        raise ValueError(f"it has no array {missing[0]!r}")
    header, *others = (arrays[name] for name in names)
    return _header_of(header), dict(zip(_ARRAYS, others, strict=True))


def _header_of(array: NDArray[Any]) -> dict[str, Any]:
    if array.dtype.kind != "U" or array.shape != ():
        raise ValueError(f"its header must be a text, got {array.dtype} with shape {array.shape}")
    try:
        header = json.loads(array.item())
    except RecursionError:
        raise ValueError("its header is nested too deeply") from None
    if not isinstance(header, dict):
        raise ValueError(f"its header must be a JSON object, got {header!r:.80}")
    for name, kind in _HEADER.items():
        if type(header.get(name)) is not kind:
            raise ValueError(
                f"{name} must be of type {kind.__name__}, got {header.get(name)!r:.80}"
            )
    for name, only in (("format", FORMAT), ("version", VERSION)):
        if header[name] != only:
            raise ValueError(f"{name} must be {only!r}, got {header[name]!r:.80}")
    return {"exploration": None, **header}


def _games_of(arrays: Arrays) -> list[Game]:
    """The games of the arrays of a file, which may be any arrays."""
    for name, (dtype, num_axes) in _ARRAYS.items():
        array = arrays[name]
        if array.dtype != dtype or array.ndim != num_axes:
            raise ValueError(
                f"{name} must have {num_axes} axes of {np.dtype(dtype)}, got {array.ndim} of "
                f"{array.dtype}"
            )
    num_games = len(arrays["seeds"])
    for name in ("num_outcomes", "num_actions", "scores"):
        if len(arrays[name]) != num_games:
            raise ValueError(
                f"{name} must be {num_games}, as many as seeds, got {len(arrays[name])}"
            )
    outcomes = _split(arrays, "outcomes", "num_outcomes")
    moves = [_split(arrays, name, "num_actions") for name in ("actions", "values", "is_random")]
    seeds = arrays["seeds"].tolist()
    return list(map(Game, seeds, outcomes, *moves, arrays["scores"]))


def _split(arrays: Arrays, name: str, counts: str) -> list[NDArray[Any]]:
    """The parts of an array that belong to each game."""
    ends = np.cumsum(arrays[counts], dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    if len(arrays[name]) != total:
        raise ValueError(f"{name} must be {total}, the sum of {counts}, got {len(arrays[name])}")
    return np.split(arrays[name], ends[:-1])
