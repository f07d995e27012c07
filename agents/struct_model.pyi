from typing import Any

from typing_extensions import disjoint_base

from agents.forward_model import ForwardModel

@disjoint_base
class StructModel(ForwardModel):
    def __reduce__(self) -> tuple[Any, ...]: ...
