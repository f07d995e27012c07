from typing import Any

from typing_extensions import disjoint_base

from agents.mcts.policies import TreePolicy

@disjoint_base
class UCB1Tuned(TreePolicy):
    c: float
    scale: float
    def __init__(self, c: float = 0.5, scale: float = 1.0) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@disjoint_base
class EpsilonGreedy(TreePolicy):
    epsilon: float
    is_decaying: bool
    def __init__(self, epsilon: float = 0.3, is_decaying: bool = False) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@disjoint_base
class Boltzmann(TreePolicy):
    temperature: float
    def __init__(self, temperature: float = 0.1) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

class HeuristicPolicy(TreePolicy):
    def __reduce__(self) -> tuple[Any, ...]: ...

@disjoint_base
class RAVE(TreePolicy):
    c: float
    equivalence: float
    def __init__(self, c: float = 0.0, equivalence: float = 1000.0) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@disjoint_base
class PUCT(TreePolicy):
    c: float
    def __init__(self, c: float = 1.25) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
