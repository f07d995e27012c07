"""Formulas as tree policies."""

from libc.math cimport sqrt
from libc.stdint cimport uint32_t

from agents.formulas.program cimport (
    NUM_REGISTERS,
    Pair,
    Program,
    compile,
    evaluate_one,
    fill,
    run,
    run_shared,
)
from agents.formulas.syntax cimport (
    BRANCHING,
    DEPTH,
    DEVIATION,
    MAXIMUM,
    NUM_TOKENS,
    PARENT_VISITS,
    PRIOR,
    VALUE,
    VISITS,
)
from agents.forward_model cimport ForwardModel
from agents.mcts.policies cimport argmax, prior_of_next, value_of_untried
from agents.mcts.tree cimport Detail, Node, Tree
from agents.rng cimport rng_t


OPPONENTS: tuple[str, ...] = ("negate_q", "negate_formula")


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
        weighs_untried: Whether untried actions may wait even if this formula has no P, for the same reason.
            They wait while a formula with P selects.

    Raises:
        ValueError: If `opponent` is unknown, or "negate_formula" with a formula that has Q_max; in a search,
            if the game has more than two players and `opponent` is "negate_formula".
    """

    def __cinit__(self, *args, **kwargs):
        self.program = &self.own   # also where __init__ is not called

    def __init__(
        self,
        Formula formula not None,
        opponent: str = "negate_q",
        bint needs_details=False,
        bint weighs_untried=False,
    ):
        if opponent not in OPPONENTS:
            raise ValueError(f"opponent must be one of {OPPONENTS}, got {opponent!r}")
        if opponent == "negate_formula" and "Q_max" in formula.variables:
            raise ValueError("Q_max is not known from the other player's side: opponent='negate_q'")
        self.formula = formula
        self.opponent = opponent
        self.is_negated = opponent == "negate_formula"
        compile(&formula.syntax, &self.own)
        self.needs_details = needs_details or self.own.needs_details
        self.weighs_untried = weighs_untried or self.own.reads_prior

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
        evaluate(self.program, tree, parent, depth, self.sign_at(tree, parent), values)
        return 0

    cdef double c_urgency(
        self, Tree tree, uint32_t parent, int depth, double first_play_urgency
    ) except? -1 nogil:
        cdef double sign = self.sign_at(tree, parent)
        cdef double variables[NUM_TOKENS]
        if not self.program.reads_prior:
            return first_play_urgency
        variables[VALUE] = sign * value_of_untried(tree, parent, first_play_urgency)
        variables[VISITS] = variables[DEVIATION] = 0
        variables[MAXIMUM] = variables[VALUE]
        variables[PRIOR] = prior_of_next(tree, parent)
        variables[PARENT_VISITS] = tree.nodes[parent].visits
        variables[BRANCHING] = tree.nodes[parent].num_children
        variables[DEPTH] = depth
        return sign * evaluate_one(self.program, variables)

    cdef double sign_at(self, Tree tree, uint32_t parent) noexcept nogil:
        return -1 if self.is_negated and tree.nodes[parent].player != tree.nodes[0].player else 1

    cdef int c_select(
        self, Tree tree, uint32_t parent, int depth, double* values, rng_t* rng
    ) except -1 nogil:
        FormulaPolicy.c_values(self, tree, parent, depth, values)   # a direct call, not a virtual one
        return argmax(values, tree.nodes[parent].num_children, rng)

    def __reduce__(self) -> tuple[type[FormulaPolicy], tuple[Formula, str, bool, bool]]:
        return FormulaPolicy, (self.formula, self.opponent, self.needs_details, self.weighs_untried)

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
        if program.reads_prior:
            registers[PRIOR].first = tree.prior_of_child(parent, child - node.first_child)
            registers[PRIOR].second = tree.prior_of_child(parent, other - node.first_child)
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
