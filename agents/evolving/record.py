"""The record of an evolution during a search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.formulas.formula import Formula
from agents.mcts.result import SearchResult


@dataclass(frozen=True, eq=False, repr=False)
class Evolution:
    """The formulas that evolved during a search, and how they were chosen.

    Attributes:
        formula: The tree policy after the evolution: the fittest of all formulas, the first on
            ties; with ``reevaluate_parents`` or two objectives the last survivor.
        parents: The first parent, then the first survivor of each generation.
        fitness: float64[generations + 1], mean return of each of these in its evaluation.
        offspring_fitness: float64[generations, offspring], of the offspring of each generation.
        num_ties: Number of survivors chosen among several that tied.
        num_semantic: Number of these that were chosen by semantics.
        num_random: Number of these chosen at random, because no distance was between alpha and
            beta.
        evaluations: Number of iterations that evaluated formulas.
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
        """Number of completed generations."""
        return len(self.offspring_fitness)

    def __repr__(self) -> str:
        return f"<Evolution: {self.formula} after {self.num_generations} generations>"


@dataclass(frozen=True, eq=False, repr=False)
class EvolvedResult(SearchResult):
    """The result of a search, with the record of its evolution.

    Attributes:
        evolution: None if the budget was spent before the first formula was evaluated.
    """

    evolution: Evolution | None = None

    def _notes(self) -> list[str]:
        if self.evolution is None:
            return super()._notes()
        return [*super()._notes(), f"evolved formula: {self.evolution.formula.simplified()}"]
