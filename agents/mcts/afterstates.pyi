from typing_extensions import disjoint_base

from agents.forward_model import ForwardModel

@disjoint_base
class Afterstates:
    heuristic: str | None
    temperature: float
    def __init__(self, heuristic: str | None = None, temperature: float = 1.0) -> None: ...
    def __reduce__(self) -> tuple[type[Afterstates], tuple[str | None, float]]: ...
    def for_search(self, model: ForwardModel) -> Afterstates: ...
