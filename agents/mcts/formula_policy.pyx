"""Formulas as tree policies."""

from libc.math cimport sqrt
from libc.stdint cimport uint32_t

from agents.formulas.program cimport NUM_REGISTERS, Pair, Program, compile, fill, run, run_shared
from agents.formulas.syntax cimport (
    BRANCHING,
    DEPTH,
    DEVIATION,
    MAXIMUM,
    PARENT_VISITS,
    VALUE,
    VISITS,
)
from agents.forward_model cimport ForwardModel
from agents.mcts.policies cimport argmax
from agents.mcts.tree cimport Detail, Node, Tree
from agents.rng cimport rng_t


OPPONENTS = ("negate_q", "negate_formula")


cdef class FormulaPolicy(TreePolicy):
    """The child of highest value by a formula.

    Args:
        formula: A `Formula`.
        opponent: The values at nodes where another player than the searching one moves. "negate_q": the
            formula with Q (and Q_max) from that player's returns, which in a two-player zero-sum game are
            the negative ones of the searching player. "negate_formula", in such games only: the negative
            value of the formula with Q from the searching player's returns. The first explores for both
            players; with the second the opponent prefers children that were visited often.
        needs_details: Whether trees keep the statistics for Q_max and sd even if this formula has neither,
            because others will replace it.

    Raises:
        ValueError: If `opponent` is unknown, or "negate_formula" with a formula that has Q_max; in a search,
            if the game has more than two players and `opponent` is "negate_formula".
    """

    def __cinit__(self, *args, **kwargs):
        self.program = &self.own   # also where __init__ is not called

    def __init__(self, Formula formula not None, opponent="negate_q", bint needs_details=False):
        if opponent not in OPPONENTS:
            raise ValueError(f"opponent must be one of {OPPONENTS}, got {opponent!r}")
        if opponent == "negate_formula" and "Q_max" in formula.variables:
            raise ValueError("Q_max is not known from the other player's side: opponent='negate_q'")
        self.formula = formula
        self.opponent = opponent
        self.is_negated = opponent == "negate_formula"
        compile(&formula.syntax, &self.own)
        self.needs_details = needs_details or self.own.needs_details

    def check_game(self, ForwardModel model not None):
        if self.is_negated and model.num_players > 2:
            raise ValueError(
                "opponent='negate_formula' is for zero-sum games of two, got one of "
                f"{model.num_players} players: opponent='negate_q'"
            )

    cdef void borrow(self, const Program* program) noexcept:
        self.program = &self.own if program == NULL else program

    cdef void settle(self, Formula formula, const Program* program):
        self.formula = formula
        self.own = program[0]
        self.program = &self.own

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        cdef bint is_other = tree.nodes[parent].player != tree.nodes[0].player
        evaluate(self.program, tree, parent, depth, -1 if self.is_negated and is_other else 1, values)
        return 0

    cdef int c_select(
        self, Tree tree, uint32_t parent, int depth, double* values, rng_t* rng
    ) except -1 nogil:
        FormulaPolicy.c_values(self, tree, parent, depth, values)   # a direct call, not a virtual one
        return argmax(values, tree.nodes[parent].num_children, rng)

    def __reduce__(self):
        return FormulaPolicy, (self.formula, self.opponent, self.needs_details)

    def __repr__(self):
        return f"FormulaPolicy({self.formula!r}, opponent={self.opponent!r})"


cdef void evaluate(
    const Program* program, Tree tree, uint32_t parent, int depth, double sign, double* values
) noexcept nogil:
    """Fills the value of each child of a node, from returns times `sign`."""
    cdef const Node* node = &tree.nodes[parent]
    cdef uint32_t child = node.first_child, end = node.first_child + node.num_children
    cdef uint32_t other
    cdef Pair registers[NUM_REGISTERS]
    fill(registers, PARENT_VISITS, node.visits)
    fill(registers, BRANCHING, node.num_children)
    fill(registers, DEPTH, depth)
    run_shared(program, registers)
    while child < end:
        other = child + (child + 1 < end)
        registers[VALUE].first = sign * tree.nodes[child].mean
        registers[VALUE].second = sign * tree.nodes[other].mean
        registers[VISITS].first = tree.nodes[child].visits
        registers[VISITS].second = tree.nodes[other].visits
        if program.needs_details:
            fill_details(tree, child, other, registers)
        run(program, program.num_shared, program.size, registers)
        values[0] = sign * registers[program.result].first
        if other != child:
            values[1] = sign * registers[program.result].second
        values += 2
        child += 2


cdef void fill_details(Tree tree, uint32_t child, uint32_t other, Pair* registers) noexcept nogil:
    cdef const Detail* detail = &tree.details[child]
    registers[MAXIMUM].first = detail.maximum
    registers[DEVIATION].first = sqrt(detail.squares / detail.count)
    detail = &tree.details[other]
    registers[MAXIMUM].second = detail.maximum
    registers[DEVIATION].second = sqrt(detail.squares / detail.count)
