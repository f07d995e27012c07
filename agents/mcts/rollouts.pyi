from typing import Any

from typing_extensions import disjoint_base

from agents.mcts.policies import RolloutPolicy

@disjoint_base
class GuidedRollout(RolloutPolicy):
    epsilon: float
    max_moves: int | None
    heuristic: str | None
    def __init__(
        self, epsilon: float = 1.0, max_moves: int | None = None, heuristic: str | None = None
    ) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@disjoint_base
class OrderedRollout(RolloutPolicy):
    epsilon: float
    def __init__(self, epsilon: float = 0.0) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@disjoint_base
class GameRollout(RolloutPolicy):
    name: str
    parameter: float
    def __init__(self, name: str, parameter: float = 0.5) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

class WinRollout(RolloutPolicy):
    def __reduce__(self) -> tuple[Any, ...]: ...
