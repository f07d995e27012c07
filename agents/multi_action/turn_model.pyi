from collections.abc import Iterable
from typing import Any, final

from typing_extensions import Self

from agents.forward_model import ForwardModel
from agents.mcts.policies import RolloutPolicy
from agents.multi_action.turn import Turn

@final
class TurnModel(ForwardModel):
    turn: Turn
    def __new__(cls, turn: Turn, actions: Iterable[int] = ()) -> Self: ...
    @property
    def position(self) -> ForwardModel: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class TurnRollout(RolloutPolicy):
    def __init__(self, play: RolloutPolicy) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
