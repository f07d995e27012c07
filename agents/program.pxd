"""Formulas compiled to run on two children at once.

A register holds a number for each of two children, so that an instruction is decoded once for both and
neither waits for the other. Constants are folded, and what is the same for all children (ln(N), say)
is computed once a node.

One form is computed in its own way: sqrt(x / n), in which n is the variable and x consists of constants,
N, b and d, is 1 where |n| < 0.001 and elsewhere sqrt(|x|) * (1 / sqrt(|n|)), from tables. That is the same
up to rounding (and overflow, of x / n), faster, and what `UCB1` computes, so that the two choose alike to
the last bit.

A program is constant once compiled; the registers belong to whoever runs it.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from agents.syntax cimport CAPACITY, NUM_OPERATORS, NUM_TOKENS, Syntax
from agents.tree cimport Tree


cdef enum:
    NUM_REGISTERS = NUM_TOKENS + CAPACITY   # the variables, by Token; then constants and results
    OVER_ROOT = NUM_OPERATORS               # left * (1 / sqrt(right)), see above

ctypedef struct Instruction:
    uint16_t target
    uint16_t left
    uint16_t right                          # of two operands
    uint8_t operator                        # Token, or OVER_ROOT


ctypedef struct Constant:
    uint16_t target
    double value


ctypedef struct Program:
    int num_constants
    int num_shared                          # instructions at the front, the same for all children
    int size                                # instructions
    int result                              # register of the value
    bint needs_details                      # whether a variable stands in `Tree.details`
    Constant constants[CAPACITY]
    Instruction instructions[CAPACITY]


cdef void compile(const Syntax* syntax, Program* program) noexcept nogil
# Fills the value of each child of a node, from returns times `sign`.
cdef void evaluate(
    const Program* program, Tree tree, uint32_t parent, int depth, double sign, double* values
) noexcept nogil
# The value for a single child with these variables, by Token.
cdef double evaluate_one(const Program* program, const double* variables) noexcept nogil
