from collections.abc import Iterable
from typing import Any, final

from agents.forward_model import ForwardModel
from agents.multi_action.turn import Turn

@final
class TurnModel(ForwardModel):
    turn: Turn
    def __init__(self, turn: Turn, actions: Iterable[int] = ()) -> None: ...
    @property
    def position(self) -> ForwardModel: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
