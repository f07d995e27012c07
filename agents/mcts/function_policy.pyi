from collections.abc import Callable
from typing import Any

from typing_extensions import disjoint_base

from agents.mcts.policies import TreePolicy

@disjoint_base
class FunctionPolicy(TreePolicy):
    function: Callable[..., Any]
    def __init__(self, function: Callable[..., Any]) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
