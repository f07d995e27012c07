from collections.abc import Iterable
from typing import Any, final

from agents.agent import SearchResult
from agents.evolution_record import Evolution
from agents.forward_model import ForwardModel
from agents.policies import TreePolicy
from agents.rng import Rng

@final
class Search:
    def __init__(
        self,
        root: ForwardModel,
        tree_policy: TreePolicy,
        rng: Rng,
        planner: Any,
    ) -> None: ...
    def limit(self, iterations: int, calls: int) -> None: ...
    def stop(self) -> None: ...
    def adopt(self, earlier: Search, moves: Iterable[int]) -> None: ...
    def absorb(self, other: Search) -> None: ...
    def spend(self) -> None: ...
    def result(
        self, recommendation: str, seconds: float, evolution: Evolution | None = None
    ) -> SearchResult: ...
