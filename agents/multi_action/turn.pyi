from typing import Any, final

from typing_extensions import Self

from agents.agent import WATCH_SECONDS as WATCH_SECONDS
from agents.agent import Watch
from agents.formulas.position_formula import Heuristic
from agents.forward_model import ForwardModel
from agents.rng import Seed

@final
class Turn:
    player: int
    max_actions: int
    runs_python: bool
    reply: bool
    evaluations: int
    calls: int
    best_value: float
    watch: Watch | None
    def __new__(
        cls,
        model: ForwardModel,
        heuristic: Heuristic = None,
        *,
        max_actions: int = 100,
        reply: bool = False,
        rng: Seed = None,
    ) -> Self: ...
    def limit(
        self,
        evaluations: int | None = None,
        calls: int | None = None,
        seconds: float | None = None,
    ) -> None: ...
    def check_same(self, other: Turn) -> None: ...
    @property
    def is_spent(self) -> bool: ...
    @property
    def best_actions(self) -> tuple[int, ...]: ...
    @property
    def history(self) -> list[tuple[int, float]]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
