from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self, disjoint_base

from agents.rng import Rng

from .encoding import Encoder
from .model import CarcassonneModel
from .variant import Variant

GAME_BYTES: int
LEFT_OUT: int

@disjoint_base
class Results:
    observations: dict[str, NDArray[Any]]
    infos: dict[str, NDArray[Any]]
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    is_illegal: NDArray[np.bool_]
    def __init__(self, batch: Batch, with_observations: bool) -> None: ...
    def clear(self, games: NDArray[np.bool_]) -> None: ...

@final
class Step:
    def __new__(cls, batch: Batch, actions: NDArray[np.int64], results: Results) -> Self: ...
    def __call__(self, first: int, last: int) -> None: ...

@final
class Batch:
    num_games: int
    def __new__(
        cls,
        variant: Variant,
        encoder: Encoder,
        num_games: int,
        seat: int,
        reward: int,
        illegal_action: int,
        others_wait: bool = False,
        max_steps: int = 0,
    ) -> Self: ...
    def check_idle(self) -> int: ...
    def seed(self, i: int, rng: Rng) -> None: ...
    def is_over(self) -> NDArray[np.bool_]: ...
    def model(self, i: int) -> CarcassonneModel: ...
    def start(self, i: int, results: Results, variant: Variant | None = None) -> bool: ...
    def show(self, i: int, results: Results) -> None: ...
    def step(
        self,
        actions: NDArray[np.int64],
        results: Results,
        submit: Callable[..., Future[None]] | None = None,
        ranges: Iterable[tuple[int, int]] = (),
    ) -> None: ...
    def waiting(self) -> list[int]: ...
    def play(self, i: int, action: int) -> bool: ...
    def settle(self, i: int, results: Results) -> None: ...
    def masks(self) -> NDArray[np.int8]: ...
    def first_illegal(self, actions: NDArray[np.int64]) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def sample_actions(self, rng: Rng) -> NDArray[np.int64]: ...
    def play_randomly(
        self, num_steps: int, rng: Rng
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]: ...
