"""MCTS that evolves its own selection formula within every search.

The evolution strategy starts when UCB1 would first be needed: when all actions of the root have been
tried. An individual is a formula; its fitness is the mean return of iterations that select by it.
"""

cimport cython
import numpy as np

from libc.math cimport fabs
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc, qsort

from agents.formulas.grammar cimport MAX_TRIES, Grammar, Mutation
from agents.formulas.formula cimport Formula
from agents.mcts.formula_policy cimport FormulaPolicy
from agents.mcts.search cimport Sample, Search
from agents.formulas.program cimport Program, compile, evaluate_one
from agents.rng cimport rng_below
from agents.formulas.syntax cimport (
    ADD,
    BRANCHING,
    MAXIMUM,
    NUM_TOKENS,
    PARENT_VISITS,
    VALUE,
    VISITS,
    Syntax,
    append,
    append_part,
)
from agents.mcts.tree cimport Tree

from agents.formulas import text as formula_text
from agents.formulas.grammar import MUTATIONS
from agents.evolving.record import Evolution
from agents.checks import check_choice, check_count
from agents.mcts.planner import MCTS


FIRST_FORMULA = "Q + (2*c)*sqrt((2*ln(N))/n)"
EVALUATIONS = ("tree", "copy", "probe")
SEMANTICS = (None, "returns", "branches")
OBJECTIVES = ("return", "return and size")

cdef double TIE = 1e-12   # fitnesses as near as this, relatively, are equal: they are sums


@cython.final
cdef class Individual:
    """A formula that is evaluated."""

    cdef Syntax syntax        # what evolves
    cdef Program program      # what selects
    cdef Individual parent    # whose semantics it is compared to; None once it is a parent itself
    cdef Sample* samples      # of its evaluation, in the order of its semantics
    cdef int num_samples
    cdef double fitness       # mean return

    def __cinit__(self, int num_samples):
        self.samples = <Sample*> malloc(num_samples * sizeof(Sample))
        if self.samples == NULL:
            raise MemoryError("no memory for an individual")
        self.num_samples = num_samples

    def __dealloc__(self):
        free(self.samples)

    cdef double distance(self, bint is_of_branches) noexcept:
        """How much its semantics differ from those of its parent; a parent is its own."""
        if self.parent is None:
            return 0
        if is_of_branches:
            return branch_distance(self.samples, self.parent.samples, self.num_samples)
        return return_distance(self.samples, self.parent.samples, self.num_samples)


cdef double return_distance(const Sample* a, const Sample* b, int count) noexcept nogil:
    """Mean absolute difference of sorted returns: the sampling semantics distance."""
    cdef double total = 0
    cdef int i
    for i in range(count):
        total += fabs(a[i].value - b[i].value)
    return total / count


cdef double branch_distance(const Sample* a, const Sample* b, int count) noexcept nogil:
    """Share of the iterations that went through other actions of the root; both are sorted by action."""
    cdef int i = 0, j = 0, shared = 0
    while i < count and j < count:
        if a[i].action == b[j].action:
            shared += 1
            i += 1
            j += 1
        elif a[i].action < b[j].action:
            i += 1
        else:
            j += 1
    return 1 - shared / <double> count


cdef int by_value(const void* a, const void* b) noexcept nogil:
    cdef double x = (<const Sample*> a).value, y = (<const Sample*> b).value
    return (x > y) - (x < y)


cdef int by_action(const void* a, const void* b) noexcept nogil:
    cdef int x = (<const Sample*> a).action, y = (<const Sample*> b).action
    return (x > y) - (x < y)


@cython.final
cdef class Strategy:
    """The evolution of one search."""

    cdef object planner
    cdef Search search
    cdef FormulaPolicy policy
    cdef Grammar grammar
    cdef Mutation mutation
    cdef Syntax exploration          # added to every formula if it is protected, empty otherwise
    cdef int num_samples
    cdef bint is_in_tree             # whether formulas are evaluated in the search tree itself
    cdef bint is_of_branches         # whether semantics are the root actions taken, not the returns
    cdef bint has_sanity_checks
    cdef int num_ties, num_semantic, num_random
    cdef int64_t evaluations

    def __init__(self, planner, Search search not None):
        self.planner = planner
        self.search = search
        self.policy = search.tree_policy
        self.grammar = planner.grammar
        self.mutation = <Mutation> <int> MUTATIONS.index(planner.mutation)
        self.num_samples = planner.fitness_iterations
        self.is_in_tree = planner.evaluation == "tree"
        self.is_of_branches = planner.semantics == "branches"
        self.has_sanity_checks = planner.sanity_checks
        self.exploration.size = 0

    def run(self):
        """Evolves until the generations or a budget are spent; returns the `Evolution`, if any.

        The policy of the search is then the fittest formula.
        """
        cdef Individual first = self.first_parent()
        self.set_tree_policy(first)
        if not self.evaluate(first):
            return None
        parents, best = [first], first
        formulas, fitness, offspring_fitness = [self.formula_of(first)], [first.fitness], []
        generation = 0
        while self.planner.keep_evolving or generation < self.planner.generations:
            offspring = self.next_generation(parents)
            for child in offspring:
                best = child if is_fitter(child, best) else best
            if len(offspring) < self.planner.offspring:   # a budget is spent
                break
            is_plus = self.planner.strategy == "plus"
            parents = self.survivors(parents + offspring if is_plus else offspring)
            formulas.append(self.formula_of(parents[0]))
            fitness.append((<Individual> parents[0]).fitness)
            offspring_fitness.append([(<Individual> child).fitness for child in offspring])
            generation += 1
        if self.planner.reevaluate_parents or self.planner.objectives != "return":
            best = parents[0]   # of many values the highest is luck; and size counts to the end
        self.set_tree_policy(best)
        return Evolution(
            formula=self.policy.formula,
            parents=formulas,
            fitness=np.array(fitness),
            offspring_fitness=np.array(offspring_fitness).reshape(-1, self.planner.offspring),
            num_ties=self.num_ties,
            num_semantic=self.num_semantic,
            num_random=self.num_random,
            evaluations=self.evaluations,
        )

    cdef list next_generation(self, list parents):
        """Offspring that are evaluated; fewer than wanted if a budget is spent."""
        cdef Individual parent, child
        offspring = []
        for parent in parents:
            parent.parent = None   # nobody needs the ancestors any more
            if self.planner.reevaluate_parents and not self.evaluate(parent):
                return offspring
        for _ in range(self.planner.offspring):
            parent = parents[rng_below(&self.search.rng.state, len(parents))]
            child = self.child_of(parent)
            if not self.evaluate(child):
                break
            offspring.append(child)
        return offspring

    cdef set_tree_policy(self, Individual best):
        """Makes a formula the tree policy of all that is to come."""
        self.policy.own = best.program
        self.policy.program = &self.policy.own
        self.policy.formula = self.formula_of(best)

    # --- Individuals ---

    cdef Individual first_parent(self):
        cdef Individual first = Individual(self.num_samples)
        cdef Formula formula
        c = self.planner.c
        if c is None:
            c = self.grammar.drawn[rng_below(&self.search.rng.state, self.grammar.num_drawn)]
        formula = Formula(self.planner.first_formula, c)
        if self.planner.protect_exploration:
            formula, exploration = Formula("Q"), Formula(EXPLORATION, c)
            append_part(&self.exploration, &(<Formula> exploration).syntax, 0, exploration.size)
            append(&self.exploration, ADD, 0)
        first.syntax = formula.syntax
        self.compile_whole(first)
        return first

    cdef Individual child_of(self, Individual parent):
        cdef Individual child = Individual(self.num_samples)
        cdef int _
        child.parent = parent
        for _ in range(MAX_TRIES):
            self.grammar.mutate(&parent.syntax, &child.syntax, self.mutation, &self.search.rng.state)
            self.compile_whole(child)
            if not self.has_sanity_checks or is_sane(&child.program):
                break
        return child

    cdef void compile_whole(self, Individual individual):
        cdef Syntax whole
        self.write_whole(individual, &whole)
        compile(&whole, &individual.program)

    cdef Formula formula_of(self, Individual individual):
        cdef Syntax whole
        self.write_whole(individual, &whole)
        return Formula.of(&whole)

    cdef void write_whole(self, Individual individual, Syntax* whole):
        """The formula that selects: what evolves, and the exploration if it is protected."""
        whole.size = 0
        append_part(whole, &individual.syntax, 0, individual.syntax.size)
        append_part(whole, &self.exploration, 0, self.exploration.size)

    # --- Fitness ---

    cdef bint evaluate(self, Individual individual) except -1:
        """Iterates with the formula; whether the budgets were enough."""
        cdef int64_t done
        cdef double total = 0
        cdef int i
        self.policy.program = &individual.program
        try:
            done = self.rehearsed(individual.samples)
        finally:
            self.policy.program = &self.policy.own
        self.evaluations += done
        if done < self.num_samples:
            return False
        for i in range(self.num_samples):
            total += individual.samples[i].value
        individual.fitness = total / self.num_samples
        qsort(
            individual.samples,
            self.num_samples,
            sizeof(Sample),
            by_action if self.is_of_branches else by_value,
        )
        return True

    cdef int64_t rehearsed(self, Sample* samples) except -1:
        """Iterates in the tree, in a copy of it, or without touching it."""
        cdef Search search = self.search
        cdef Tree tree = search.tree
        if self.is_in_tree:
            return search.run(self.num_samples, samples)
        search.is_rehearsing = True
        search.is_frozen = self.planner.evaluation == "probe"
        try:
            if not search.is_frozen:
                search.tree = tree.copied()
            return search.run(self.num_samples, samples)
        finally:
            search.tree = tree
            search.is_rehearsing = search.is_frozen = False

    # --- Survival ---

    cdef list survivors(self, list candidates):
        """As many as there are parents, the fittest first; earlier ones on ties without semantics."""
        candidates = list(candidates)
        chosen = []
        while candidates and len(chosen) < self.planner.parents:
            chosen.append(self.chosen_of(self.fittest(candidates)))
            candidates.remove(chosen[-1])
        return chosen

    cdef list fittest(self, list candidates):
        """The candidates of highest fitness; with two objectives those not dominated among the fit."""
        cdef Individual one, other
        highest = candidates[0]
        for one in candidates:
            highest = one if is_fitter(one, highest) else highest
        highest_ones = [one for one in candidates if not is_fitter(highest, one)]
        if self.planner.objectives == "return":
            return highest_ones
        # Whoever is not worse than its parent may take its place; if there is nobody, the highest.
        fit = [one for one in candidates if not is_worse_than_parent(one)] or highest_ones
        return [one for one in fit if not any(dominates(other, one) for other in fit)]

    cdef Individual chosen_of(self, list tied):
        """One of the fittest."""
        cdef Individual one, nearest = None
        cdef double distance, least = self.planner.beta
        if len(tied) == 1:
            return tied[0]
        self.num_ties += 1
        if self.planner.semantics is None:
            return tied[0]
        for one in tied:
            distance = one.distance(self.is_of_branches)
            if self.planner.alpha < distance < least:
                nearest, least = one, distance
        if nearest is not None:
            self.num_semantic += 1
            return nearest
        self.num_random += 1
        return tied[rng_below(&self.search.rng.state, len(tied))]


EXPLORATION = FIRST_FORMULA.removeprefix("Q + ")


cdef bint is_fitter(Individual one, Individual other) noexcept:
    return one.fitness - other.fitness > TIE * max(fabs(one.fitness), fabs(other.fitness))


cdef bint is_worse_than_parent(Individual one) noexcept:
    return one.parent is not None and is_fitter(one.parent, one)


cdef bint dominates(Individual one, Individual other) noexcept:
    """Whether one is better in mean return or size, and not worse in the other."""
    cdef bint is_smaller = one.syntax.size < other.syntax.size
    if is_fitter(other, one) or one.syntax.size > other.syntax.size:
        return False
    return is_smaller or is_fitter(one, other)


cdef bint is_sane(const Program* program) noexcept:
    """Whether a formula prefers the higher of two returns at equal visits, and the fewer visits."""
    return (
        artificial(program, 1, 1, 2) > artificial(program, 0, 1, 2)
        and artificial(program, 0, 1, 3) > artificial(program, 0, 2, 3)
    )


cdef double artificial(const Program* program, double q, int n, int parent_visits) noexcept:
    """The value of a child of a root with two."""
    cdef double variables[NUM_TOKENS]
    cdef int token
    for token in range(NUM_TOKENS):
        variables[token] = 0
    variables[VALUE] = variables[MAXIMUM] = q
    variables[VISITS] = n
    variables[PARENT_VISITS] = parent_visits
    variables[BRANCHING] = 2
    return evaluate_one(program, variables)


class EAMCTS(MCTS):
    """EA-MCTS: MCTS whose selection formula evolves within every search.

    When all actions of the root have been tried, a (1 + 4) evolution strategy of 20 generations starts
    from UCB1. Formulas are evaluated by iterations of the search itself, 30 each, which its budget
    counts and its tree keeps; after the evolution, the fittest one selects. `SearchResult.evolution` tells
    what happened.

    In games for two, iterations count in which the opponent plays by the same formula: what scores well may
    be a formula by which the opponent plays badly.

    Source: Valdez Ameneyro (2024), "Analysing the Impacts of Dynamically Evolving Selection Policies in
    Monte Carlo Tree Search Through Evolutionary Algorithms", PhD thesis, National University of Ireland
    Maynooth; its settings are the defaults.

    Args:
        iterations: Budget; see `MCTS`, which takes all further arguments but the tree policy.
        c: Constant of the first formula; drawn from those of the grammar by default.
        generations: Generations, 0 or more.
        offspring: Mutants a generation, lambda, 1 or more.
        parents: Survivors a generation, mu, 1 or more, while there are as many; offspring come from
            random ones.
        fitness_iterations: Iterations that evaluate a formula, 1 or more.
        first_formula: Text of the formula where evolution starts; c may occur.
        grammar: What mutants are made of, a `Grammar`.
        mutation: "subtree", "point" or "mixed", see `Grammar.mutated`.
        strategy: "plus", (mu + lambda): parents compete with their offspring and stay on ties; or
            "comma", (mu, lambda): they do not.
        evaluation: "tree": iterations in the search tree; "copy": in a copy of it that is thrown away;
            "probe": descents, and rollouts from where they leave the tree, which stays as it is. The
            latter two do not count as iterations, but as model calls and time.
        semantics: How one of several fittest is chosen: None, the first one; "returns" or "branches",
            the one whose semantics are nearest to its parent's, but farther than alpha and
            nearer than beta, or a random one if there is none. Semantics are the sorted returns of the
            evaluation (distance: mean absolute difference), or the root actions taken (distance:
            share that differs). They decide who has offspring; of the fittest of all generations, the
            first selects in the end.
        alpha, beta: See `semantics`.
        opponent: "negate_q" or "negate_formula", see `FormulaPolicy`.
        reevaluate_parents: Whether parents are evaluated anew in every generation. The last one then
            selects after the evolution.
        sanity_checks: Whether offspring must prefer the higher of two returns at equal visits, and the
            fewer visits at equal returns, in two artificial trees (up to 1,000 attempts).
        keep_evolving: Whether evolution goes on until the budget is spent, whatever the generations;
            with evaluations in the tree.
        protect_exploration: Whether only the first term, Q, evolves, and UCB1's second one stays;
            without another `first_formula`.
        objectives: "return", or "return and size": the formulas not worse than their parents (else the
            fittest) are compared in mean return and number of nodes, and all that none dominates tie. The
            survivor selects after the evolution.

    Raises:
        TypeError: If a tree policy is given.
        ValueError: If an argument is out of range or names nothing known, or arguments exclude each
            other.
    """

    name = "ea-mcts"

    def __init__(
        self,
        iterations=None,
        c=None,
        *,
        generations=20,
        offspring=4,
        parents=1,
        fitness_iterations=30,
        first_formula=FIRST_FORMULA,
        grammar=None,
        mutation="subtree",
        strategy="plus",
        evaluation="tree",
        semantics=None,
        alpha=0.1,
        beta=0.5,
        opponent="negate_q",
        reevaluate_parents=False,
        sanity_checks=False,
        keep_evolving=False,
        protect_exploration=False,
        objectives="return",
        **options,
    ):
        if "tree_policy" in options:
            raise TypeError(f"{type(self).__name__} takes no tree_policy, but a first_formula")
        if options.get("trees", 1) != 1 or options.get("reuse_tree"):
            raise ValueError("trees and reuse_tree are not for planners that evolve their formula")
        super().__init__(iterations, **options)
        check_count("generations", generations, 0, 10**6)
        check_count("offspring", offspring, 1, 10**4)
        check_count("parents", parents, 1, 10**4)
        check_count("fitness_iterations", fitness_iterations, 1, 10**6)
        check_choice("mutation", mutation, MUTATIONS)
        check_choice("strategy", strategy, ("plus", "comma"))
        check_choice("evaluation", evaluation, EVALUATIONS)
        check_choice("semantics", semantics, SEMANTICS)
        check_choice("reevaluate_parents", reevaluate_parents, (True, False))
        check_choice("sanity_checks", sanity_checks, (True, False))
        check_choice("keep_evolving", keep_evolving, (True, False))
        check_choice("protect_exploration", protect_exploration, (True, False))
        check_choice("objectives", objectives, OBJECTIVES)
        if strategy == "comma" and offspring < parents:
            raise ValueError(f"offspring must be at least parents={parents} here, got {offspring}")
        if not 0 <= alpha < beta:
            raise ValueError(f"alpha and beta must be 0 <= alpha < beta, got {alpha!r} and {beta!r}")
        if grammar is not None and not isinstance(grammar, Grammar):
            raise ValueError(f"grammar must be a Grammar, got {grammar!r}")
        if keep_evolving and evaluation != "tree":   # it would never end
            raise ValueError(f"keep_evolving needs evaluation='tree', got {evaluation!r}")
        self.c = c
        self.grammar = Grammar() if grammar is None else grammar
        self.generations = generations
        self.offspring = offspring
        self.parents = parents
        self.fitness_iterations = fitness_iterations
        self.first_formula = first_formula
        self.mutation = mutation
        self.strategy = strategy
        self.evaluation = evaluation
        self.semantics = semantics
        self.alpha = alpha
        self.beta = beta
        self.opponent = opponent
        self.reevaluate_parents = reevaluate_parents
        self.sanity_checks = sanity_checks
        self.keep_evolving = keep_evolving
        self.protect_exploration = protect_exploration
        self.objectives = objectives
        self._check_formula()
        self.tree_policy = self._new_tree_policy()

    def _check_formula(self):
        """Refuses a first formula that evolution cannot start from."""
        c = 1 if self.c is None else self.c
        formula = Formula(self.first_formula, c)
        if self.protect_exploration and self.first_formula != FIRST_FORMULA:
            raise ValueError(f"protect_exploration starts from Q, got {self.first_formula!r}")
        if not self.protect_exploration and formula.depth > self.grammar.max_depth:
            raise ValueError(
                f"first_formula must not be deeper than the grammar's {self.grammar.max_depth} edges, "
                f"got {formula.depth} in {self.first_formula!r}"
            )
        if self.c is not None and not formula_text.has_c(self.first_formula):
            raise ValueError(f"c={self.c!r} has no effect beside {self.first_formula!r}")
        if self.opponent == "negate_formula" and "Q_max" in self.grammar.terminals:
            raise ValueError(
                "Q_max of the grammar is not known from the other player's side: opponent='negate_q'"
            )

    def _new_tree_policy(self):
        cdef FormulaPolicy policy
        formula = Formula(self.first_formula, 1 if self.c is None else self.c)
        policy = FormulaPolicy(formula, self.opponent)
        policy.needs_details |= any(name in self.grammar.terminals for name in ("Q_max", "sd"))
        return policy

    def _grow(self, Search search not None):
        num_actions = len(search.root.legal_actions())
        if search.run(num_actions, NULL) < num_actions:
            return None   # the budget ended before a formula would select
        evolution = Strategy(self, search).run()
        search.spend()
        return evolution


class SIEAMCTS(EAMCTS):
    """SIEA-MCTS: EA-MCTS in which semantics choose among formulas that are equally fit.

    Source and arguments as `EAMCTS`; ``semantics`` is "returns" by default.
    """

    name = "siea-mcts"

    def __init__(self, iterations=None, c=None, *, semantics="returns", **options):
        super().__init__(iterations, c, semantics=semantics, **options)


class ESMCTS(EAMCTS):
    """ES-MCTS: a (1, 4) evolution strategy, evaluated in copies of the tree; plays the highest mean.

    The search tree holds plain iterations only, which alone the budget in iterations counts: evaluations are
    810 more by default, 10 a formula.

    Source: Galván and Simpson (2021), "On the Evolution of the MCTS Upper Confidence Bounds for Trees by
    Means of Evolutionary Algorithms in the Game of Carcassonne", arXiv:2112.09697. Arguments as `EAMCTS`,
    with other defaults.
    """

    name = "es-mcts"

    def __init__(
        self,
        iterations=None,
        c=None,
        *,
        strategy="comma",
        mutation="mixed",
        fitness_iterations=10,
        evaluation="copy",
        recommendation="max",
        **options,
    ):
        super().__init__(
            iterations,
            c,
            strategy=strategy,
            mutation=mutation,
            fitness_iterations=fitness_iterations,
            evaluation=evaluation,
            recommendation=recommendation,
            **options,
        )


class ESpMCTS(ESMCTS):
    """ES-p-MCTS: ES-MCTS whose evaluations touch no tree: select a node, play on, score.

    Source as `ESMCTS`, arguments as `EAMCTS`.
    """

    name = "es-p-mcts"

    def __init__(self, iterations=None, c=None, *, evaluation="probe", **options):
        super().__init__(iterations, c, evaluation=evaluation, **options)
