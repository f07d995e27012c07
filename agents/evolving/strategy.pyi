from typing import Any, final

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
    def __init__(self, planner: Any, search: Search) -> None: ...
    def run(self) -> Evolution | None: ...
