"""Planners that evolve the selection formula of MCTS during every search."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from agents.checks import ON_PAGES, check_choice, check_count, check_flag, check_number, checked
from agents.evolving.record import Evolution, EvolvedResult
from agents.evolving.strategy import FIRST_FORMULA, Strategy
from agents.formulas.formula import Formula
from agents.formulas.grammar import MUTATIONS, Grammar
from agents.formulas.text import has_c
from agents.mcts.planner import MCTS
from agents.mcts.policies import FormulaPolicy, TreePolicy
from agents.mcts.result import SearchResult
from agents.mcts.search import Search


@dataclass(eq=False, repr=False)
class EAMCTS(MCTS):
    """EA-MCTS: MCTS whose selection formula evolves during every search.

    After as many iterations as the root has actions, by default one of each, a (1 + 4) evolution
    strategy of 20 generations starts from UCB1. Each formula is evaluated by 30 iterations of the
    search itself; they count towards its budget and stay in its tree. After the evolution, the
    fittest formula selects. `EvolvedResult.evolution` holds the record.

    In games for two, the opponent plays by the same formula while a formula is evaluated: a formula
    may score well because the opponent plays badly by it.

    Source: Valdez Ameneyro (2024), "Analysing the Impacts of Dynamically Evolving Selection
    Policies in Monte Carlo Tree Search Through Evolutionary Algorithms", PhD thesis, National
    University of Ireland Maynooth; its settings are the defaults.

    Args:
        iterations: Budget; see `MCTS`, whose further arguments are taken too, except for
            tree_policy, trees, phases, reuse_tree and batch_size.
        c: Constant of the first formula; by default drawn from the constants of the grammar.
        generations: Generations, 0 or more.
        offspring: Mutants a generation, lambda, 1 or more.
        parents: Survivors a generation, mu, 1 or more; the first generation has one parent. Each
            offspring comes from a random parent.
        fitness_iterations: Iterations that evaluate a formula, 1 or more.
        first_formula: Text of the formula from which evolution starts; c may occur.
        grammar: The `Grammar` that mutants come from.
        mutation: "subtree", "point" or "mixed", see `Grammar.mutated`.
        strategy: "plus", (mu + lambda): parents compete with their offspring and stay on ties; or
            "comma", (mu, lambda): they do not.
        evaluation: "tree": iterations in the search tree; "copy": iterations in a copy of it, which
            is then dropped; "probe": descents without any change to the tree, and rollouts from
            where they leave it. Only the first count as iterations; all cost model calls and time.
        semantics: How a parent is chosen if several formulas are the fittest. None: the first.
            "returns" or "branches": the one whose semantics are nearest to its parent's among those
            at a distance between alpha and beta, or a random one if there is none. Semantics are
            the sorted returns of the evaluation (distance: mean absolute difference), or the root
            actions taken (distance: share that differs). After the evolution semantics play no
            part: the first of the fittest of all generations selects.
        alpha, beta: See `semantics`; beta may be infinite.
        opponent: "negate_q" or "negate_formula", see `FormulaPolicy`.
        reevaluate_parents: Whether parents are evaluated anew in every generation. The last parent
            then selects after the evolution.
        sanity_checks: Whether offspring must prefer the higher of two returns at equal visits, and
            the fewer visits at equal returns, in two artificial trees (up to 1,000 attempts).
        keep_evolving: Whether evolution goes on until the budget is spent, in place of a fixed
            number of generations; only with evaluations in the tree.
        protect_exploration: Whether UCB1's exploration term stays and only its first term, Q,
            evolves; only with the default `first_formula`.
        objectives: "return", or "return and size": formulas not worse than their parents (if there
            are none, the fittest) are compared by mean return and number of nodes, and all that are
            not dominated tie. The last survivor then selects after the evolution.

    Raises:
        TypeError: If a tree policy is given.
        ValueError: If an argument is out of range, names nothing known, or does not go with
            another one.
    """

    name = "ea-mcts"

    _: KW_ONLY
    tree_policy: Any = field(default=None, init=False)
    generations: int = checked(20, check_count, 0, 10**6, on_pages=True)
    offspring: int = checked(4, check_count, 1, 10**4, on_pages=100)
    parents: int = checked(1, check_count, 1, 10**4, on_pages=100)
    fitness_iterations: int = checked(30, check_count, 1, 10**6, on_pages=10**4)
    first_formula: str = field(default=FIRST_FORMULA, metadata=ON_PAGES)
    grammar: Grammar | None = None
    mutation: str = checked("subtree", check_choice, MUTATIONS, on_pages=True)
    strategy: str = checked("plus", check_choice, ("plus", "comma"), on_pages=True)
    evaluation: str = checked("tree", check_choice, ("tree", "copy", "probe"), on_pages=True)
    semantics: str | None = checked(
        None, check_choice, (None, "returns", "branches"), on_pages=True
    )
    alpha: float = checked(0.1, check_number, 0, math.inf, on_pages=True)
    beta: float = field(default=0.5, metadata=ON_PAGES)
    opponent: str = field(default="negate_q", metadata=ON_PAGES)
    reevaluate_parents: bool = checked(False, check_flag, on_pages=True)
    sanity_checks: bool = checked(False, check_flag, on_pages=True)
    keep_evolving: bool = checked(False, check_flag, on_pages=True)
    protect_exploration: bool = checked(False, check_flag, on_pages=True)
    objectives: str = checked("return", check_choice, ("return", "return and size"), on_pages=True)

    def check(self) -> TreePolicy:
        """Checks all options; returns the tree policy."""
        alone = {"phases": 1, "trees": 1, "reuse_tree": False, "batch_size": None}
        self.need("a planner that evolves its formula", **alone)
        self._check_evolution()
        self._check_formula()
        return super().check()

    def make_tree_policy(self) -> TreePolicy:
        """The policy of the first formula."""
        assert self.grammar is not None  # as `_check_formula` left it
        terminals = self.grammar.terminals
        needs_details = "Q_max" in terminals or "sd" in terminals
        return FormulaPolicy(self._first_formula(), self.opponent, needs_details, "P" in terminals)

    def _check_evolution(self) -> None:
        if self.strategy == "comma" and self.offspring < self.parents:
            raise ValueError(
                f"offspring must be at least parents={self.parents} here, got {self.offspring}"
            )
        if self.beta != math.inf:
            check_number("beta", self.beta)
        if self.alpha >= self.beta:
            raise ValueError(f"alpha must be below beta={self.beta!r}, got {self.alpha!r}")
        if self.keep_evolving and self.evaluation != "tree":  # it would never end
            raise ValueError(f"keep_evolving needs evaluation='tree', got {self.evaluation!r}")

    def _check_formula(self) -> None:
        """Raises ValueError if evolution cannot start from the first formula."""
        if self.grammar is None:
            self.grammar = Grammar()
        if not isinstance(self.grammar, Grammar):
            raise ValueError(f"grammar must be a Grammar, got {self.grammar!r}")
        formula = self._first_formula()
        if self.protect_exploration and self.first_formula != FIRST_FORMULA:
            raise ValueError(f"protect_exploration starts from Q, got {self.first_formula!r}")
        if not self.protect_exploration and formula.depth > self.grammar.max_depth:
            raise ValueError(
                f"first_formula must not be deeper than the grammar's {self.grammar.max_depth} "
                f"edges, got {formula.depth} in {self.first_formula!r}"
            )
        if self.c is not None and not has_c(self.first_formula):
            raise ValueError(f"c={self.c!r} has no effect beside {self.first_formula!r}")
        if self.opponent == "negate_formula" and "Q_max" in self.grammar.terminals:
            raise ValueError(
                "Q_max of the grammar is not known from the other player's side: "
                "opponent='negate_q'"
            )

    def _first_formula(self) -> Formula:
        return Formula(self.first_formula, 1 if self.c is None else self.c)

    def _grow(self, search: Search) -> Evolution | None:
        evolution = Strategy(self, search).run()
        if evolution is not None:
            search.spend()
        return evolution

    def _reported(self, result: SearchResult, found: Any) -> EvolvedResult:
        return EvolvedResult(**vars(result), evolution=found)


@dataclass(eq=False, repr=False)
class SIEAMCTS(EAMCTS):
    """SIEA-MCTS: EA-MCTS that chooses by semantics among equally fit formulas.

    Source and arguments as `EAMCTS`; ``semantics`` is "returns" by default.
    """

    name = "siea-mcts"

    _: KW_ONLY
    semantics: str | None = "returns"


@dataclass(eq=False, repr=False)
class ESMCTS(EAMCTS):
    """ES-MCTS: a (1, 4) evolution strategy, evaluated in copies of the tree.

    It plays the action of the highest mean.

    Iterations that evaluate formulas, 10 each, are not part of the search tree and do not count
    towards the budget in iterations: by default there are 810 of them.

    Source: Galván and Simpson (2021), "On the Evolution of the MCTS Upper Confidence Bounds for
    Trees by Means of Evolutionary Algorithms in the Game of Carcassonne", arXiv:2112.09697.
    Arguments as `EAMCTS`, with other defaults.
    """

    name = "es-mcts"

    _: KW_ONLY
    strategy: str = "comma"
    mutation: str = "mixed"
    fitness_iterations: int = 10
    evaluation: str = "copy"
    recommendation: str = "max"


@dataclass(eq=False, repr=False)
class ESpMCTS(ESMCTS):
    """ES-p-MCTS: ES-MCTS whose evaluations change no tree: each descends and plays on from there.

    Source as `ESMCTS`, arguments as `EAMCTS`.
    """

    name = "es-p-mcts"

    _: KW_ONLY
    evaluation: str = "probe"
