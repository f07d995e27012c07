from typing import Any, final

from typing_extensions import Self

from agents.evolving.record import Evolution
from agents.mcts.search import Search

MUTATIONS: tuple[str, ...]
FIRST_FORMULA: str
EXPLORATION: str

@final
class Individual:
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Strategy:
    def __new__(cls, planner: Any, search: Search) -> Self: ...
    def run(self) -> Evolution | None: ...
