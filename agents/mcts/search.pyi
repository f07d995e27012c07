from collections.abc import Iterable, Sequence
from typing import Any, final

from agents.forward_model import ForwardModel
from agents.mcts.policies import TreePolicy
from agents.mcts.result import SearchResult
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
    def limit(self, iterations: int | None, calls: int | None) -> None: ...
    def stop(self) -> None: ...
    def adopt(self, earlier: Search, moves: Iterable[int]) -> None: ...
    def spend(self) -> None: ...
    def result(
        self,
        recommendation: str,
        seconds: float,
        evolution: Any = None,
        others: Sequence[Search] = (),
    ) -> SearchResult: ...
