from typing import Any, final

from agents.evolving.record import Evolution
from agents.formulas.grammar import Grammar
from agents.mcts.planner import MCTS
from agents.mcts.search import Search

MUTATIONS: tuple[str, ...]
FIRST_FORMULA: str
EXPLORATION: str
EVALUATIONS: tuple[str, ...]
SEMANTICS: tuple[str | None, ...]
OBJECTIVES: tuple[str, ...]

@final
class Individual:
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Strategy:
    def __init__(self, planner: EAMCTS, search: Search) -> None: ...
    def run(self) -> Evolution | None: ...

class EAMCTS(MCTS):
    c: float | None
    generations: int
    offspring: int
    parents: int
    fitness_iterations: int
    first_formula: str
    grammar: Grammar
    mutation: str
    strategy: str
    evaluation: str
    semantics: str | None
    alpha: float
    beta: float
    opponent: str
    reevaluate_parents: bool
    sanity_checks: bool
    keep_evolving: bool
    protect_exploration: bool
    objectives: str
    def __init__(
        self,
        iterations: int | None = None,
        c: float | None = None,
        *,
        generations: int = 20,
        offspring: int = 4,
        parents: int = 1,
        fitness_iterations: int = 30,
        first_formula: str = ...,
        grammar: Grammar | None = None,
        mutation: str = "subtree",
        strategy: str = "plus",
        evaluation: str = "tree",
        semantics: str | None = None,
        alpha: float = 0.1,
        beta: float = 0.5,
        opponent: str = "negate_q",
        reevaluate_parents: bool = False,
        sanity_checks: bool = False,
        keep_evolving: bool = False,
        protect_exploration: bool = False,
        objectives: str = "return",
        **options: Any,
    ) -> None: ...

class SIEAMCTS(EAMCTS):
    def __init__(
        self,
        iterations: int | None = None,
        c: float | None = None,
        *,
        semantics: str | None = "returns",
        **options: Any,
    ) -> None: ...

class ESMCTS(EAMCTS):
    def __init__(
        self,
        iterations: int | None = None,
        c: float | None = None,
        *,
        strategy: str = "comma",
        mutation: str = "mixed",
        fitness_iterations: int = 10,
        evaluation: str = "copy",
        recommendation: str = "max",
        **options: Any,
    ) -> None: ...

class ESpMCTS(ESMCTS):
    def __init__(
        self,
        iterations: int | None = None,
        c: float | None = None,
        *,
        evaluation: str = "probe",
        **options: Any,
    ) -> None: ...
