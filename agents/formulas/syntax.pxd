"""Syntax trees of formulas as plain values in postfix order.

In postfix order every subtree is contiguous, so evolution cuts and joins formulas as bytes. Postfix order
is also a program for a stack machine; `program.pxd` compiles it further, to run on many children at once.

Operators are protected, that is, defined for all doubles:

    x / y     1 where |y| < 0.001
    sqrt(x)   of |x|
    ln(x)     of |x|, and ln(0) = 0 (as in Koza 1992, "Genetic programming", section 6.4.2)
    x ** y    1 where |x| < 0.001 and y < 0; of |x| where x < 0 and y is not whole

Otherwise infinities and NaN follow IEEE 754; max and min of a number and NaN are the number. A NaN is never
the highest of several values.
"""

from libc.stdint cimport uint8_t


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
