from typing import Any, final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from .model import CarcassonneModel

ACTION_MODES: tuple[str, ...]
PLANES: tuple[str, ...]

@final
class Encoder:
    width: int
    num_actions: int
    num_planes: int
    vector_size: int
    num_tiles: int
    num_players: int
    board_size: int | None
    def __init__(
        self,
        num_tiles: int,
        num_players: int,
        action_mode: str = "flat",
        board_size: int | None = None,
    ) -> None: ...
    @property
    def action_mode(self) -> str: ...
    def encode(self, model: CarcassonneModel, action: int) -> int: ...
    def decode(self, model: CarcassonneModel, number: int) -> int | None: ...
    def spaces(self) -> dict[str, spaces.Space[Any]]: ...
    def observe(
        self, model: CarcassonneModel, viewer: int, is_to_move: bool = True
    ) -> dict[str, NDArray[Any]]: ...
    def mask(self, model: CarcassonneModel, is_to_move: bool = True) -> NDArray[np.int8]: ...
    def planes(self, model: CarcassonneModel, viewer: int) -> NDArray[np.int8]: ...
    def vector(self, model: CarcassonneModel, viewer: int) -> NDArray[np.float32]: ...
    def numbers(self, model: CarcassonneModel) -> dict[str, NDArray[np.int64]]: ...
    def actions(self, model: CarcassonneModel, is_to_move: bool = True) -> NDArray[np.int8]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
