from typing import ClassVar

from typing_extensions import disjoint_base

from agents.forward_model import ForwardModel

@disjoint_base
class TreePolicy:
    needs_details: bool
    def check_game(self, model: ForwardModel) -> None: ...

@disjoint_base
class UCB1(TreePolicy):
    FORMS: ClassVar[tuple[str, ...]]
    c: float
    form: str
    def __init__(self, c: float = ..., form: str = ...) -> None: ...
    def __reduce__(self) -> tuple[type[UCB1], tuple[float, str]]: ...

@disjoint_base
class RolloutPolicy: ...
