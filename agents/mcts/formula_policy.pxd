"""Tree policies that are formulas."""

from agents.formulas.formula cimport Formula
from agents.mcts.policies cimport TreePolicy
from agents.formulas.program cimport Program


cdef class FormulaPolicy(TreePolicy):
    cdef readonly Formula formula
    cdef readonly str opponent
    cdef bint is_negated      # whether the formula, not Q, changes its sign at an opponent's node
    cdef Program own          # compiled from the formula
    cdef const Program* program   # what is run: `own`, or for a while another one

    # Has another program run for a while; NULL goes back to its own.
    cdef void borrow(self, const Program* program) noexcept
    # Makes a formula, compiled already, its own.
    cdef void settle(self, Formula formula, const Program* program)
