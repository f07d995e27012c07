from typing import final

from agents.multi_action.turn import Turn

@final
class SeenPositions: ...

@final
class DepthFirst:
    def __new__(cls, turn: Turn) -> DepthFirst: ...

def search_turn(turn: Turn) -> None: ...
