from typing import ClassVar

from typing_extensions import disjoint_base

from agents.forward_model import ForwardModel

@disjoint_base
class TreePolicy:
    needs_details: bool
    needs_heuristic: bool
    needs_amaf: bool
    weighs_untried: bool
    def check_game(self, model: ForwardModel) -> None: ...

@disjoint_base
class UCB1(TreePolicy):
    FORMS: ClassVar[tuple[str, ...]]
    c: float
    form: str
    is_decaying: bool
    def __init__(self, c: float = ..., form: str = ..., is_decaying: bool = False) -> None: ...
    def __reduce__(self) -> tuple[type[UCB1], tuple[float, str, bool]]: ...

@disjoint_base
class RolloutPolicy:
    changes_returns: bool
    def for_search(self, model: ForwardModel) -> RolloutPolicy: ...
