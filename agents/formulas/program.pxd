"""Formulas compiled to run on two children at once.

A register holds one number for each of two children. An instruction is therefore decoded once for both,
and the two computations do not wait for each other. Constants are folded. Parts that are the same for all
children, such as ln(N), are computed once for each node.

One form is computed in a special way: sqrt(x / n), where n is the variable and x consists of constants, N,
b and d. It is 1 where |n| < 0.001, and elsewhere sqrt(|x|) * (1 / sqrt(|n|)), taken from tables. This is
the same up to rounding (and up to overflow of x / n), and it is faster. `UCB1` computes it in the same
way, so UCB1 and its formula choose alike to the last bit.

A compiled program never changes. The registers belong to the caller who runs it.
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
    NUM_REGISTERS = NUM_TOKENS + CAPACITY   # the variables by Token, then constants and results
    OVER_ROOT = NUM_OPERATORS               # the operator left * (1 / sqrt(right)), see above

ctypedef struct Instruction:
    uint16_t target
    uint16_t left
    uint16_t right                          # the second of two operands
    uint8_t operator                        # a Token, or OVER_ROOT


ctypedef struct Constant:
    uint16_t target
    double value


ctypedef struct Program:
    int num_constants
    int num_shared                          # the first so many instructions are the same for all children
    int size                                # number of instructions
    int result                              # the register of the formula's value
    bint needs_details                      # whether a variable must be read from `Tree.details`
    bint reads_prior                        # whether P is among the variables
    Constant constants[CAPACITY]
    Instruction instructions[CAPACITY]


cdef void compile(const Syntax* syntax, Program* program) noexcept nogil
# The value for one child; `variables` is indexed by Token.
cdef double evaluate_one(const Program* program, const double* variables) noexcept nogil
# The value of any operator, or of OVER_ROOT; those with one operand ignore y.
cdef double applied(uint8_t operator, double x, double y) noexcept nogil


# --- Operators ---


cdef inline double divided(double x, double y) noexcept nogil:
    return 1 if fabs(y) < 0.001 else x / y


cdef inline double logarithm(double x) noexcept nogil:
    return 0 if x == 0 else log_of(fabs(x))


cdef inline double over_root(double x, double y) noexcept nogil:
    return 1 if fabs(y) < 0.001 else x * inverse_sqrt_of(fabs(y))


# --- Running, inlined where values are needed ---


# A register: one number for each of two children.
ctypedef struct Pair:
    double first
    double second


cdef inline void run(const Program* program, int first, int end, Pair* registers) noexcept nogil:
    """Runs the instructions [first, end).

    The result of an instruction is mostly an operand of the next one, which gets it without a detour
    through memory.
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
        elif operator == OVER_ROOT:
            z.first, z.second = over_root(x.first, y.first), over_root(x.second, y.second)
        else:
            z.first = applied(operator, x.first, y.first)
            z.second = applied(operator, x.second, y.second)
        last = instruction.target
        registers[last] = z


cdef inline void fill(Pair* registers, int register, double value) noexcept nogil:
    registers[register].first = registers[register].second = value


cdef inline void run_shared(const Program* program, Pair* registers) noexcept nogil:
    """Fills the constants and runs the shared instructions; their variables must be filled."""
    cdef int i
    for i in range(program.num_constants):
        fill(registers, program.constants[i].target, program.constants[i].value)
    run(program, 0, program.num_shared, registers)
