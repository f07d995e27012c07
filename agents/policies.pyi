from typing import ClassVar

from typing_extensions import disjoint_base

@disjoint_base
class TreePolicy: ...

@disjoint_base
class UCB1(TreePolicy):
    FORMS: ClassVar[tuple[str, ...]]
    c: float
    form: str
    def __init__(self, c: float = ..., form: str = ...) -> None: ...

@disjoint_base
class RolloutPolicy: ...
