"""Formulas as tree policies."""

from libc.stdint cimport uint32_t

from agents.forward_model cimport ForwardModel
from agents.policies cimport argmax
from agents.program cimport compile, evaluate
from agents.rng cimport rng_t
from agents.tree cimport Tree


OPPONENTS = ("negate_q", "negate_formula")


cdef class FormulaPolicy(TreePolicy):
    """The child of highest value by a formula.

    Args:
        formula: A `Formula`.
        opponent: How the formula is read where another player than the one who searches moves:
            "negate_q", with Q (and Q_max) the returns of that player, which in a two-player zero-sum game
            are the negative ones of the searching player; or "negate_formula", as the negative value of
            the formula with the searching player's returns, in such games only. The first explores for
            both players, the second has the opponent prefer what was visited often.

    Raises:
        ValueError: If `opponent` is neither, or the formula has Q_max and is to be negated; by searches
            of games of more than two players with a formula to be negated.
    """

    def __cinit__(self, *args, **kwargs):
        self.program = &self.own   # also where __init__ is not called

    def __init__(self, Formula formula not None, opponent="negate_q"):
        if opponent not in OPPONENTS:
            raise ValueError(f"opponent must be one of {OPPONENTS}, got {opponent!r}")
        if opponent == "negate_formula" and "Q_max" in formula.variables:
            raise ValueError("Q_max is not known from the other player's side: opponent='negate_q'")
        self.formula = formula
        self.opponent = opponent
        self.is_negated = opponent == "negate_formula"
        compile(&formula.syntax, &self.own)
        self.needs_details = self.own.needs_details

    def check_game(self, ForwardModel model not None):
        if self.is_negated and model.num_players > 2:
            raise ValueError(
                "opponent='negate_formula' is for zero-sum games of two, got one of "
                f"{model.num_players} players: opponent='negate_q'"
            )

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        cdef bint is_other = tree.nodes[parent].player != tree.nodes[0].player
        evaluate(self.program, tree, parent, depth, -1 if self.is_negated and is_other else 1, values)
        return 0

    cdef int c_select(
        self, Tree tree, uint32_t parent, int depth, double* values, rng_t* rng
    ) except -1 nogil:
        FormulaPolicy.c_values(self, tree, parent, depth, values)   # without looking it up
        return argmax(values, tree.nodes[parent].num_children, rng)

    def __reduce__(self):
        return FormulaPolicy, (self.formula, self.opponent)

    def __repr__(self):
        return f"FormulaPolicy({self.formula!r}, opponent={self.opponent!r})"
