from collections.abc import Callable, Iterable
from typing import final

from typing_extensions import Self

from agents.forward_model import ForwardModel
from agents.mcts.options import Options
from agents.mcts.policies import TreePolicy
from agents.rng import Rng

@final
class Search:
    def __new__(
        cls, root: ForwardModel, tree_policy: TreePolicy, rng: Rng, options: Options
    ) -> Self: ...
    def limit(
        self,
        iterations: int | None,
        calls: int | None,
        seconds: float | None,
        phase: int = 1,
        phases: int = 1,
    ) -> None: ...
    def stop(self) -> None: ...
    def watch(self, look: Callable[[], None] | None, seconds: float) -> None: ...
    def adopt(self, earlier: Search, moves: Iterable[int]) -> None: ...
    def spend(self) -> None: ...

def spend_together(searches: Iterable[Search]) -> None: ...
