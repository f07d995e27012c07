"""Tree policies that are formulas."""

from libc.stdint cimport uint32_t

from agents.formulas.formula cimport Formula
from agents.mcts.policies cimport TreePolicy
from agents.formulas.program cimport Program
from agents.mcts.tree cimport Tree


cdef class FormulaPolicy(TreePolicy):
    cdef readonly Formula formula
    cdef readonly str opponent
    cdef bint is_negated      # whether the opponent's sign applies to the formula, not to Q
    cdef Program own          # compiled from the formula
    cdef const Program* program   # the one that runs: `own`, or a borrowed one

    # The sign of returns and values at a node: -1 where the opponent moves and `is_negated`.
    cdef double sign_at(self, Tree tree, uint32_t parent) noexcept nogil
    # Runs another program from now on; NULL returns to its own.
    cdef void borrow(self, const Program* program) noexcept
    # Makes a formula and its compiled program its own.
    cdef void settle(self, Formula formula, const Program* program)
