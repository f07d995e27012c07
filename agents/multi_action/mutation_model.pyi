from collections.abc import Sequence
from typing import Any, final

from typing_extensions import Self

from agents.forward_model import ForwardModel
from agents.mcts.policies import RolloutPolicy
from agents.multi_action.turn import Turn

@final
class MutationModel(ForwardModel):
    turn: Turn
    def __new__(cls, turn: Turn, starts: Sequence[Sequence[int]]) -> Self: ...
    @property
    def plan(self) -> tuple[int, ...]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class TurnValue(RolloutPolicy): ...
