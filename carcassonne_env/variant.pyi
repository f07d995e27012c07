from collections.abc import Iterable, Mapping
from typing import Any, final

PUBLISHED_BASE_MAX_SCORE: int

@final
class Variant:
    forfeit: int
    def __init__(
        self,
        num_players: int = 2,
        num_meeples: int = 7,
        tiles: str | Mapping[str, int] = "base",
        deterministic: bool = False,
        *,
        order: Iterable[str] | None = None,
        two_step: bool = False,
        board_size: int | None = None,
        max_score: int | None = None,
    ) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def num_players(self) -> int: ...
    @property
    def num_tiles(self) -> int: ...
