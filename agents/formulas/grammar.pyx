# distutils: extra_compile_args = -O1
"""Random formulas of a grammar, and their mutations, as in Koza (1992), "Genetic programming"."""

from functools import partial

cimport cython
from libc.math cimport NAN, isnan
from libc.stdint cimport uint8_t

from agents.formulas.formula cimport Formula
from agents.rng cimport Rng, rng_below, rng_t, rng_uniform
from agents.formulas.program cimport (
    CAPACITY, CONSTANT, LN, Syntax, append, append_part, are_equal, arity, depth_of, first_of,
)

from agents.checks import check_choice, check_count, check_number, check_range
from agents.formulas import text as formula_text
from agents.formulas.formula import NAMES

TERMINALS: tuple[str | int, ...] = ("Q", "N", "n", "c", 2)
CONSTANTS: tuple[float, ...] = (0.25, 0.5, 1, 2, 3, 5, 7, 10)
OPERATORS: tuple[str, ...] = ("+", "-", "*", "/", "ln", "sqrt")
MUTATIONS: tuple[str, ...] = ("subtree", "point", "mixed")


@cython.final
cdef class Grammar:
    """The building blocks of evolved formulas: operators of `Formula`, and leaves.

    The defaults are those of Valdez Ameneyro (2024), "Analysing the Impacts of Dynamically Evolving
    Selection Policies in Monte Carlo Tree Search Through Evolutionary Algorithms".

    Args:
        terminals: The leaves: names of variables, numbers, and "c". The leaf "c" becomes a random
            constant each time it is used.
        constants: The values from which "c" is drawn.
        operators: Names of operators, one or more.
        max_depth: Maximum depth of mutants in edges, 1 to 8.
        max_mutation_depth: Maximum depth of the random subtrees that mutation inserts; their depths are 1
            to this value.
        internal_probability: Probability that mutation picks an internal node and not a leaf.

    Raises:
        ValueError: If a terminal or an operator is unknown, or an argument is out of range.
    """

    terminals: tuple[str | float, ...]
    constants: tuple[float, ...]
    operators: tuple[str, ...]

    def __init__(
        self,
        terminals: Sequence[str | float] = TERMINALS,
        constants: Sequence[float] = CONSTANTS,
        *,
        operators: Sequence[str] = OPERATORS,
        max_depth: int = 8,
        max_mutation_depth: int = 3,
        internal_probability: float = 0.9,
    ):
        if not 1 <= len(terminals) <= MAX_LEAVES or not 1 <= len(constants) <= MAX_LEAVES:
            raise ValueError(
                f"a grammar has 1 to {MAX_LEAVES} terminals and constants, got {terminals!r} and "
                f"{constants!r}"
            )
        check_number("internal_probability", internal_probability, 0, 1)
        self.terminals = tuple(terminals)
        self.constants = tuple(constants)
        self.operators = tuple(operators)
        self.max_depth = check_count("max_depth", max_depth, 1, 8)
        self.max_mutation_depth = check_count("max_mutation_depth", max_mutation_depth, 1, self.max_depth)
        self.internal_probability = internal_probability
        self.num_leaves = len(self.terminals)
        self.num_drawn = len(self.constants)
        for i, constant in enumerate(self.constants):
            check_number("each of constants", constant)
            self.drawn[i] = constant
        for i, terminal in enumerate(self.terminals):
            self.leaves[i], self.values[i] = leaf_of(terminal)
        tokens = tokens_of(self.operators)
        self.num_operators, self.num_binary = len(tokens), sum(token < LN for token in tokens)
        for i, token in enumerate(tokens):
            self.tokens[i] = token

    # --- Making trees ---

    cdef void add_leaf(self, Syntax* syntax, rng_t* rng) noexcept nogil:
        cdef int pick = rng_below(rng, self.num_leaves)
        cdef double value = self.values[pick]
        if isnan(value):
            value = self.drawn[rng_below(rng, self.num_drawn)]
        append(syntax, self.leaves[pick], value)

    cdef void add_tree(self, Syntax* syntax, int depth, bint is_grown, rng_t* rng) noexcept nogil:
        cdef int _, pick = 0
        if depth or is_grown:
            pick = rng_below(rng, self.num_operators + is_grown * self.num_leaves)
        if depth == 0 or pick >= self.num_operators:
            self.add_leaf(syntax, rng)
            return
        for _ in range(arity(self.tokens[pick])):
            self.add_tree(syntax, depth - 1, is_grown, rng)
        append(syntax, self.tokens[pick], 0)

    # --- Mutation ---

    cdef int pick(self, const Syntax* syntax, rng_t* rng) noexcept nogil:
        cdef bint is_internal = rng_uniform(rng) < self.internal_probability
        cdef int i, count = 0, chosen = syntax.size - 1
        for i in range(syntax.size):
            if (syntax.tokens[i] < CONSTANT) == is_internal:
                count += 1
        if count == 0:
            return chosen
        count = rng_below(rng, count)
        for i in range(syntax.size):
            if (syntax.tokens[i] < CONSTANT) == is_internal:
                chosen = i
                if count == 0:
                    break
                count -= 1
        return chosen

    cdef void replace_subtree(
        self, const Syntax* parent, int node, Syntax* child, rng_t* rng
    ) noexcept nogil:
        cdef Syntax subtree
        cdef int first = first_of(parent, node), rest = parent.size - node - 1
        subtree.size = child.size = 0
        self.add_tree(&subtree, 1 + rng_below(rng, self.max_mutation_depth), False, rng)
        if first + subtree.size + rest > CAPACITY:   # then the child would be too deep, too
            append_part(child, parent, 0, parent.size)
            return
        append_part(child, parent, 0, first)
        append_part(child, &subtree, 0, subtree.size)
        append_part(child, parent, node + 1, parent.size)

    cdef void exchange_token(
        self, const Syntax* parent, int node, Syntax* child, rng_t* rng
    ) noexcept nogil:
        cdef uint8_t token = parent.tokens[node]
        cdef int first = self.num_binary if token >= LN else 0
        cdef int count = self.num_operators - first if token >= LN else self.num_binary
        child.size = 0
        append_part(child, parent, 0, node)
        if token >= CONSTANT:
            self.add_leaf(child, rng)
        elif count:
            append(child, self.tokens[first + <int> rng_below(rng, count)], 0)
        else:
            append(child, token, 0)
        append_part(child, parent, node + 1, parent.size)

    cdef void mutate(
        self, const Syntax* parent, Syntax* child, Mutation mutation, rng_t* rng
    ) noexcept nogil:
        cdef int _, node
        for _ in range(MAX_TRIES):
            node = self.pick(parent, rng)
            if mutation == POINT or (mutation == MIXED and parent.tokens[node] >= CONSTANT):
                self.exchange_token(parent, node, child, rng)
            else:
                self.replace_subtree(parent, node, child, rng)
            if depth_of(child) <= self.max_depth and not are_equal(parent, child):
                return
        child.size = 0   # no other formula was found, perhaps because the grammar has none
        append_part(child, parent, 0, parent.size)

    # --- In Python ---

    def full(self, depth: int, Rng rng not None) -> Formula:
        """A random `Formula` whose leaves all lie `depth` edges below the root."""
        return self._tree(depth, False, rng)

    def grow(self, depth: int, Rng rng not None) -> Formula:
        """A random `Formula` of depth 0 to `depth`, in which any node may be an operator or a leaf."""
        return self._tree(depth, True, rng)

    def _tree(self, depth, bint is_grown, Rng rng):
        cdef Syntax syntax
        check_range("depth", depth, 0, self.max_depth)
        syntax.size = 0
        self.add_tree(&syntax, depth, is_grown, &rng.state)
        return Formula.of(&syntax)

    def mutated(self, Formula formula not None, Rng rng not None, str mutation="subtree") -> Formula:
        """A mutant of a formula, different from it and not deeper than `max_depth`.

        The mutation changes a random node: an internal node with `internal_probability`, else a leaf.
        After 1,000 failed attempts the mutant is a copy of the formula.

        Args:
            formula: The formula to mutate.
            rng: The random generator.
            mutation: "subtree" replaces the subtree below the node by a random full one. "point" replaces
                the node by another operator with as many operands, or by another leaf. "mixed" replaces
                the subtree below an internal node, and makes a point mutation of a leaf.

        Raises:
            ValueError: If the mutation is unknown, or the formula is deeper than `max_depth`.
        """
        cdef Syntax child
        cdef int kind
        check_choice("mutation", mutation, MUTATIONS)
        check_range("depth", depth_of(&formula.syntax), 0, self.max_depth)
        kind = MUTATIONS.index(mutation)
        self.mutate(&formula.syntax, &child, <Mutation> kind, &rng.state)
        return Formula.of(&child)

    def __repr__(self):
        options = ", ".join([f"{name}={value!r}" for name, value in self._options().items()])
        return f"Grammar({self.terminals}, {self.constants}, {options})"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Grammar, **self._options()), (self.terminals, self.constants)

    def _options(self):
        """The keyword arguments; the operators only if they are not the default."""
        own = {} if self.operators == OPERATORS else {"operators": self.operators}
        depths = {"max_depth": self.max_depth, "max_mutation_depth": self.max_mutation_depth}
        return own | depths | {"internal_probability": self.internal_probability}


cdef tuple leaf_of(terminal):
    """The token of a terminal, and the value of a constant; that of c, which is drawn, is NaN."""
    if terminal in formula_text.VARIABLES:
        return NAMES.index(terminal), 0
    if terminal == "c":
        return CONSTANT, NAN
    check_number(f"terminals other than {', '.join(formula_text.VARIABLES)}, c", terminal)
    return CONSTANT, terminal


cdef list tokens_of(tuple operators):
    """The tokens of operators, ascending."""
    tokens = [token for token, name in enumerate(formula_text.OPERATORS) if name in operators]
    if not tokens or len(tokens) != len(operators):
        raise ValueError(
            f"operators must be different ones of {formula_text.OPERATORS}, at least one, got {operators!r}"
        )
    return tokens
