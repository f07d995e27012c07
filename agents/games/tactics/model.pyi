from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from agents.forward_model import ForwardModel

UNITS: Final[tuple[str, ...]]
"""knight, archer, cleric, wizard, ninja: the units that cards deploy; then crystal."""
ITEMS: Final[tuple[str, ...]]
"""inferno, runemetal, dragonscale, helm, potion, scroll: the other cards."""
CARDS: Final[tuple[str, ...]]
"""The five units, then the items; a card's number is its index, and its outcome at chance nodes."""

class Unit(NamedTuple):
    kind: str
    player: int
    square: str
    hp: int
    equipment: frozenset[str]

class TacticsAction(NamedTuple):
    kind: str
    source: str | None
    target: str | None
    card: str | None

@final
class TacticsModel(ForwardModel):
    def __init__(
        self,
        board: str = "standard",
        deck: str | dict[str, int] | None = None,
        action_points: int = 5,
        deterministic: bool = False,
        pruned: bool = True,
        max_turns: int = 200,
        seed: int | None = None,
    ) -> None: ...
    @property
    def board(self) -> tuple[str, ...]: ...
    @property
    def units(self) -> list[Unit]: ...
    @property
    def hands(self) -> tuple[dict[str, int], dict[str, int]]: ...
    @property
    def decks(self) -> tuple[dict[str, int], dict[str, int]]: ...
    @property
    def action_points(self) -> int: ...
    @property
    def turn(self) -> int: ...
    @property
    def winner(self) -> int | None: ...
    def evaluation(self, player: int) -> int: ...
    def decode_action(self, action: int) -> TacticsAction: ...
    def encode_action(self, action: TacticsAction) -> int: ...
    def observation(self, player: int) -> NDArray[np.float32]: ...
    def _repr_svg_(self) -> str: ...
    def __eq__(self, other: object) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
