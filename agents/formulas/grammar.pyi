from collections.abc import Sequence
from typing import Any, final

from agents.formulas.formula import Formula
from agents.rng import Rng

NAMES: tuple[str | None, ...]
TERMINALS: tuple[str | int, ...]
CONSTANTS: tuple[float, ...]
OPERATORS: tuple[str, ...]
MUTATIONS: tuple[str, ...]

@final
class Grammar:
    terminals: tuple[str | float, ...]
    constants: tuple[float, ...]
    operators: tuple[str, ...]
    max_depth: int
    max_mutation_depth: int
    internal_probability: float
    def __init__(
        self,
        terminals: Sequence[str | float] = ...,
        constants: Sequence[float] = ...,
        *,
        operators: Sequence[str] = ...,
        max_depth: int = 8,
        max_mutation_depth: int = 3,
        internal_probability: float = 0.9,
    ) -> None: ...
    def full(self, depth: int, rng: Rng) -> Formula: ...
    def grow(self, depth: int, rng: Rng) -> Formula: ...
    def mutated(self, formula: Formula, rng: Rng, mutation: str = "subtree") -> Formula: ...
    def check_depth(self, depth: int) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
