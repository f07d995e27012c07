from collections.abc import Iterable
from typing import Any, final

from agents.forward_model import ForwardModel
from agents.mcts.policies import RolloutPolicy
from agents.multi_action.turn import Turn

@final
class TurnModel(ForwardModel):
    turn: Turn
    def __init__(self, turn: Turn, actions: Iterable[int] = ()) -> None: ...
    @property
    def position(self) -> ForwardModel: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class TurnRollout(RolloutPolicy):
    def __init__(self, play: RolloutPolicy) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
