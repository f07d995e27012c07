from typing import Any

import numpy as np
from typing_extensions import disjoint_base

@disjoint_base
class Rng:
    def __init__(
        self, seed: int | np.random.SeedSequence | np.random.Generator | Rng | None = None
    ) -> None: ...
    def random(self) -> float: ...
    def below(self, n: int) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

Seed = int | np.random.SeedSequence | np.random.Generator | Rng | None
