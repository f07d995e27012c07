from collections.abc import Iterable
from typing import Any, final

from agents.forward_model import ForwardModel
from agents.multi_action.turn import Turn

@final
class TurnModel(ForwardModel):
    turn: Turn
    def __new__(cls, turn: Turn, actions: Iterable[int] = ()) -> TurnModel: ...
    @property
    def position(self) -> ForwardModel: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
