# distutils: extra_compile_args = -O1
"""The evolution strategy that finds a selection formula during a search.

An individual is a formula; its fitness is the mean return of iterations that select by it.
"""

from collections import Counter

cimport cython
import numpy as np

from libc.math cimport fabs
from libc.stdint cimport int64_t
from libc.stdlib cimport free

from agents.forward_model cimport ForwardModel, allocated
from agents.formulas.grammar cimport MAX_TRIES, Grammar, Mutation
from agents.formulas.formula cimport Formula
from agents.mcts.policies cimport FormulaPolicy
from agents.mcts.search cimport Sample, Search
from agents.formulas.program cimport (
    ADD, BRANCHING, MAXIMUM, NUM_TOKENS, PARENT_VISITS, PRIOR, VALUE, VISITS, Program, Syntax, append,
    append_part, compile, evaluate_one,
)
from agents.rng cimport rng_below

from agents.evolving.record import Evolution
from agents.formulas.grammar import MUTATIONS


FIRST_FORMULA: str = "Q + (2*c)*sqrt((2*ln(N))/n)"
EXPLORATION: str = FIRST_FORMULA.removeprefix("Q + ")

cdef double TIE = 1e-12   # relative difference up to which fitnesses are equal, because sums are rounded


@cython.final
cdef class Individual:
    """A formula and its evaluation."""

    cdef Syntax syntax        # the part that evolves
    cdef Program program      # the whole formula, compiled
    cdef Individual parent    # None for a parent itself
    cdef double fitness       # mean return
    cdef object semantics     # the returns, ascending, or how often it took each root action


@cython.final
cdef class Strategy:
    """The evolution of one search."""

    cdef object planner
    cdef Search search
    cdef FormulaPolicy policy
    cdef Grammar grammar
    cdef Mutation mutation
    cdef Syntax exploration          # the term added to every formula if it is protected, else empty
    cdef int num_samples
    cdef Sample* samples             # [num_samples], of the latest evaluation
    cdef int num_ties, num_semantic, num_random
    cdef int64_t evaluations

    def __cinit__(self, planner: Any, Search search not None):
        """Prepares the evolution.

        Args:
            planner: An `EAMCTS`, whose options are read.
            search: A search whose tree policy is a `FormulaPolicy`.
        """
        self.planner = planner
        self.search = search
        self.policy = search.tree_policy
        self.grammar = planner.grammar
        self.mutation = <Mutation> <int> MUTATIONS.index(planner.mutation)
        self.num_samples = planner.fitness_iterations
        self.exploration.size = 0
        self.samples = <Sample*> allocated(self.num_samples * sizeof(Sample))

    def __dealloc__(self):
        free(self.samples)

    def run(self) -> Evolution | None:
        """Evolves until the generations or a budget are spent; the fittest formula then selects.

        It begins after as many iterations as the root has actions, which by default are tried first.

        Returns:
            The `Evolution`, or None if a budget is spent before the first formula is evaluated.
        """
        num_actions = len(ForwardModel.legal_actions(self.search.root))
        if self.search.run(num_actions, NULL) < num_actions:
            return None
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
            best = parents[0]   # the highest of many noisy fitnesses is luck; size is an objective, too
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
        """Evaluated offspring; fewer than planned if a budget is spent."""
        cdef Individual parent, child
        offspring = []
        for parent in parents:
            parent.parent = None   # frees the ancestors
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
        """Makes a formula the tree policy of all further iterations."""
        self.policy.formula = self.formula_of(best)
        self.policy.own = best.program

    # --- Individuals ---

    cdef Individual first_parent(self):
        cdef Individual first = Individual()
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
        cdef Individual child = Individual()
        cdef int _
        child.parent = parent
        for _ in range(MAX_TRIES):
            self.grammar.mutate(&parent.syntax, &child.syntax, self.mutation, &self.search.rng.state)
            self.compile_whole(child)
            if not self.planner.sanity_checks or is_sane(&child.program):
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
        """Writes the whole formula: the part that evolves, and the exploration term if it is protected."""
        whole.size = 0
        append_part(whole, &individual.syntax, 0, individual.syntax.size)
        append_part(whole, &self.exploration, 0, self.exploration.size)

    # --- Fitness ---

    cdef bint evaluate(self, Individual individual) except -1:
        """Iterates with the formula; returns whether the budgets were enough."""
        cdef int64_t done
        cdef double total = 0
        cdef int i
        self.policy.program = &individual.program
        try:
            done = self.iterate()
        finally:
            self.policy.program = &self.policy.own
        self.evaluations += done
        if done < self.num_samples:
            return False
        for i in range(self.num_samples):
            total += self.samples[i].value
        individual.fitness = total / self.num_samples
        if self.planner.semantics == "returns":
            individual.semantics = sorted([self.samples[i].value for i in range(self.num_samples)])
        elif self.planner.semantics == "branches":
            individual.semantics = Counter([self.samples[i].action for i in range(self.num_samples)])
        return True

    cdef int64_t iterate(self) except -1:
        """Iterates in the tree, in a copy of it, or without changing it; returns how often."""
        if self.planner.evaluation == "tree":
            return self.search.run(self.num_samples, self.samples)
        return self.search.rehearse(self.num_samples, self.samples, self.planner.evaluation == "probe")

    # --- Survival ---

    cdef list survivors(self, list candidates):
        """The next parents, the fittest first; on ties by semantics, or else the earlier one."""
        candidates = list(candidates)
        chosen = []
        while candidates and len(chosen) < self.planner.parents:
            chosen.append(self.chosen_of(self.fittest(candidates)))
            candidates.remove(chosen[-1])
        return chosen

    cdef list fittest(self, list candidates):
        """The candidates of highest fitness; with two objectives those that no other one dominates."""
        cdef Individual one, other
        highest = candidates[0]
        for one in candidates:
            highest = one if is_fitter(one, highest) else highest
        highest_ones = [one for one in candidates if not is_fitter(highest, one)]
        if self.planner.objectives == "return":
            return highest_ones
        # Only formulas not worse than their parents compete; if there is none, the fittest do.
        fit = [one for one in candidates if not is_worse_than_parent(one)] or highest_ones
        return [one for one in fit if not any(dominates(other, one) for other in fit)]

    cdef Individual chosen_of(self, list tied):
        """One of the candidates that tie."""
        cdef Individual one, nearest = None
        cdef double distance, least = self.planner.beta
        if len(tied) == 1:
            return tied[0]
        self.num_ties += 1
        if self.planner.semantics is None:
            return tied[0]
        for one in tied:
            distance = self.distance(one)
            if self.planner.alpha < distance < least:
                nearest, least = one, distance
        if nearest is not None:
            self.num_semantic += 1
            return nearest
        self.num_random += 1
        return tied[rng_below(&self.search.rng.state, len(tied))]

    cdef double distance(self, Individual one) except -1:
        """The distance of its semantics from those of its parent; 0 for a parent itself.

        Of returns it is the mean absolute difference (sampling semantics distance), of root actions the share
        of the iterations that took others.
        """
        cdef double mine, others, total = 0
        if one.parent is None:
            return 0
        if self.planner.semantics == "branches":
            return 1 - (one.semantics & one.parent.semantics).total() / self.num_samples
        for mine, others in zip(one.semantics, one.parent.semantics):
            total += fabs(mine - others)
        return total / self.num_samples


cdef bint is_fitter(Individual one, Individual other) noexcept:
    return one.fitness - other.fitness > TIE * max(fabs(one.fitness), fabs(other.fitness))


cdef bint is_worse_than_parent(Individual one) noexcept:
    return one.parent is not None and is_fitter(one.parent, one)


cdef bint dominates(Individual one, Individual other) noexcept:
    """Whether one is better in mean return or size, and not worse in the other."""
    if is_fitter(other, one) or one.syntax.size > other.syntax.size:
        return False
    return one.syntax.size < other.syntax.size or is_fitter(one, other)


cdef bint is_sane(const Program* program) noexcept:
    """Whether a formula prefers the higher of two returns at equal visits, and the fewer visits."""
    return (
        artificial(program, 1, 1, 2) > artificial(program, 0, 1, 2)
        and artificial(program, 0, 1, 3) > artificial(program, 0, 2, 3)
    )


cdef double artificial(const Program* program, double q, int n, int parent_visits) noexcept:
    """The value of one of the two children of an artificial root."""
    cdef double variables[NUM_TOKENS]
    cdef int token
    for token in range(NUM_TOKENS):
        variables[token] = 0
    variables[VALUE] = variables[MAXIMUM] = q
    variables[VISITS] = n
    variables[PARENT_VISITS] = parent_visits
    variables[BRANCHING] = 2
    variables[PRIOR] = 0.5
    return evaluate_one(program, variables)
