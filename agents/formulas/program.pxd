"""Formulas as plain C values: syntax trees, and programs compiled from them.

A syntax tree is a list of tokens in postfix order. There every subtree is contiguous, so evolution cuts and
joins formulas as bytes. Operators are protected, that is, defined for all doubles:

    x / y     1 where |y| < 0.001
    sqrt(x)   of |x|
    ln(x)     of |x|, and ln(0) = 0 (as in Koza 1992, "Genetic programming", section 6.4.2)
    x ** y    1 where |x| < 0.001 and y < 0; of |x| where x < 0 and y is not whole

Otherwise infinities and NaN follow IEEE 754; max and min of a number and NaN are the number. A NaN is never
the highest of several values.

A program runs on two children at once. A register holds one number for each of them, so an instruction is
decoded once for both, and the two computations do not wait for each other. Constants are folded. Parts that
are the same for all children, such as ln(N), are computed once for each node. One form is computed in a
special way: sqrt(x / n), where n is the variable and x consists of constants, N, b and d. It is 1 where
|n| < 0.001, and elsewhere sqrt(|x|) * (1 / sqrt(|n|)), taken from tables. This is the same up to rounding
(and up to overflow of x / n), and it is faster. `UCB1` computes it in the same way, so UCB1 and its formula
choose alike to the last bit. A compiled program never changes. The registers belong to the caller who runs
it.
"""

from libc.math cimport fabs, log, sqrt
from libc.stdint cimport uint8_t, uint16_t, uint32_t


# --- Tables of logarithms and roots of small counts; without them, these would dominate tree policies ---

cdef enum:
    NUM_TABLED = 8192   # most visit counts in a search are smaller

# Indexed by count; all are 0 at count 0.
cdef double LOG[NUM_TABLED]
cdef double SQRT_LOG[NUM_TABLED]
cdef double SQRT_TWICE_LOG[NUM_TABLED]
cdef double INVERSE_SQRT[NUM_TABLED]


# Fast if x is a small count, right for all numbers x > 0.
cdef inline double log_of(double x) noexcept nogil:
    cdef uint32_t count
    if 0 < x < NUM_TABLED:
        count = <uint32_t> x
        if count == x:
            return LOG[count]
    return log(x)


cdef inline double inverse_sqrt_of(double x) noexcept nogil:
    cdef uint32_t count
    if 0 < x < NUM_TABLED:
        count = <uint32_t> x
        if count == x:
            return INVERSE_SQRT[count]
    return 1 / sqrt(x)


# --- Syntax trees ---

cdef enum:
    CAPACITY = 528          # tokens: enough for a full binary tree of depth 8 and a few more
    NUM_OPERATORS = 11
    NUM_TOKENS = 20

# Tokens
cdef enum:
    ADD = 0
    SUBTRACT = 1
    MULTIPLY = 2
    DIVIDE = 3
    POWER = 4
    MAX = 5                 # the greater of two numbers, and next the smaller
    MIN = 6
    LN = 7                  # from here on, operators with one operand
    SQRT = 8
    EXP = 9
    ABS = 10
    CONSTANT = 11           # from here on, leaves
    VALUE = 12              # Q: mean return of the child, for the player to move at the parent
    VISITS = 13             # n: visits of the child
    MAXIMUM = 14            # Q_max: highest return of the child, for that player
    DEVIATION = 15          # sd: standard deviation of these returns
    PRIOR = 16              # P: prior probability of the action that leads to the child
    PARENT_VISITS = 17      # N: visits of the parent; from here on, the same for all children
    BRANCHING = 18          # b: number of children of the parent
    DEPTH = 19              # d: edges from the root to the parent


# A syntax tree. Entries beyond `size` have no meaning.
ctypedef struct Syntax:
    int size                    # number of tokens, 1 to CAPACITY in a formula
    uint8_t tokens[CAPACITY]    # operands before operators
    double values[CAPACITY]     # the value of a constant, finite and not -0.0; 0 for other tokens


# Number of operands.
cdef inline int arity(uint8_t token) noexcept nogil:
    return 2 if token < LN else 1 if token < CONSTANT else 0


# Appends a token; there must be room.
cdef inline void append(Syntax* syntax, uint8_t token, double value) noexcept nogil:
    syntax.tokens[syntax.size] = token
    syntax.values[syntax.size] = value + 0.0   # turns -0.0, which is printed as 0, into 0.0
    syntax.size += 1


# Appends the tokens [first, end) of another tree.
cdef void append_part(Syntax* target, const Syntax* source, int first, int end) noexcept nogil
cdef bint are_equal(const Syntax* a, const Syntax* b) noexcept nogil
# The first token of the subtree whose last token is `root`.
cdef int first_of(const Syntax* syntax, int root) noexcept nogil
# Edges from the root to the deepest leaf.
cdef int depth_of(const Syntax* syntax) noexcept nogil


# --- Programs ---

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
