from typing import ClassVar

class TreePolicy: ...

class UCB1(TreePolicy):
    FORMS: ClassVar[tuple[str, ...]]
    c: float
    form: str
    def __init__(self, c: float = ..., form: str = ...) -> None: ...

class RolloutPolicy: ...
