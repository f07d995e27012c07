from typing import final

from agents.multi_action.turn import Turn
from agents.rng import Rng

@final
class Population:
    def __new__(cls, turn: Turn, size: int, is_greedy: bool) -> Population: ...

def evolve_turn(
    turn: Turn,
    rng: Rng,
    size: int,
    is_greedy: bool,
    greedy_share: float,
    mutation_rate: float,
) -> None: ...
