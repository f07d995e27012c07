from typing import final

from agents.multi_action.turn import Turn

@final
class SeenPositions: ...

@final
class DepthFirst:
    def __new__(cls, turn: Turn, depth: int | None, in_order: bool) -> DepthFirst: ...

def search_turn(turn: Turn, depth: int | None, in_order: bool) -> None: ...
