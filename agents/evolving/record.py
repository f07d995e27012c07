"""What evolved while a search went on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.formulas.formula import Formula
from agents.mcts.result import SearchResult


@dataclass(frozen=True, eq=False)
class Evolution:
    """The formulas that a search evolved, and how they were chosen.

    Attributes:
        formula: The tree policy after the evolution: the fittest of all, first on ties; with
            ``reevaluate_parents`` or two objectives the last survivor.
        parents: The first parent, then the first survivor of each generation.
        fitness: float64[generations + 1], mean return of each of these in its evaluation.
        offspring_fitness: float64[generations, offspring], of the offspring of each generation.
        num_ties: Survivors that were chosen among several fittest.
        num_semantic: Those of them that semantics chose.
        num_random: Those that chance chose, as semantics found none fit.
        evaluations: Iterations that evaluated formulas.
    """

    formula: Formula
    parents: list[Formula]
    fitness: np.ndarray
    offspring_fitness: np.ndarray
    num_ties: int
    num_semantic: int
    num_random: int
    evaluations: int

    @property
    def num_generations(self) -> int:
        """Generations that were completed."""
        return len(self.offspring_fitness)


@dataclass(frozen=True, eq=False)
class EvolvedResult(SearchResult):
    """What a search found, and what evolved meanwhile.

    Attributes:
        evolution: None where the budget ended before a formula was evaluated.
    """

    evolution: Evolution | None = None
