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

from libc.math cimport fabs, sqrt
from libc.stdint cimport uint8_t, uint16_t

from agents.formulas.syntax cimport (
    ADD,
    CAPACITY,
    DIVIDE,
    LN,
    MULTIPLY,
    NUM_OPERATORS,
    NUM_TOKENS,
    SQRT,
    SUBTRACT,
    Syntax,
)
from agents.formulas.tables cimport inverse_sqrt_of, log_of


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
# The value for a single child with these variables, by Token.
cdef double evaluate_one(const Program* program, const double* variables) noexcept nogil


# --- Operators ---


cdef inline double divided(double x, double y) noexcept nogil:
    return 1 if fabs(y) < 0.001 else x / y


cdef inline double logarithm(double x) noexcept nogil:
    return 0 if x == 0 else log_of(fabs(x))


cdef inline double over_root(double x, double y) noexcept nogil:
    return 1 if fabs(y) < 0.001 else x * inverse_sqrt_of(fabs(y))


# --- Running, inlined where values are needed ---


# A register: the numbers of two children.
ctypedef struct Pair:
    double first
    double second


cdef inline void run(const Program* program, int first, int end, Pair* registers) noexcept nogil:
    """Runs the instructions [first, end).

    The result of one is mostly an operand of the next, which takes it without waiting for memory.
    """
    cdef const Instruction* instruction
    cdef uint8_t operator
    cdef Pair x, y, z
    cdef int i, last = -1
    for i in range(first, end):
        instruction = &program.instructions[i]
        x = z if instruction.left == last else registers[instruction.left]
        y = z if instruction.right == last else registers[instruction.right]
        operator = instruction.operator
        if operator == ADD:
            z.first, z.second = x.first + y.first, x.second + y.second
        elif operator == SUBTRACT:
            z.first, z.second = x.first - y.first, x.second - y.second
        elif operator == MULTIPLY:
            z.first, z.second = x.first * y.first, x.second * y.second
        elif operator == DIVIDE:
            z.first, z.second = divided(x.first, y.first), divided(x.second, y.second)
        elif operator == SQRT:
            z.first, z.second = sqrt(fabs(x.first)), sqrt(fabs(x.second))
        elif operator == LN:
            z.first = logarithm(x.first)
            z.second = z.first if x.second == x.first else logarithm(x.second)
        else:
            z.first, z.second = over_root(x.first, y.first), over_root(x.second, y.second)
        last = instruction.target
        registers[last] = z


cdef inline void fill(Pair* registers, int register, double value) noexcept nogil:
    registers[register].first = registers[register].second = value


cdef inline void run_shared(const Program* program, Pair* registers) noexcept nogil:
    """Fills the constants and runs what is the same for all children, whose variables are filled."""
    cdef int i
    for i in range(program.num_constants):
        fill(registers, program.constants[i].target, program.constants[i].value)
    run(program, 0, program.num_shared, registers)
