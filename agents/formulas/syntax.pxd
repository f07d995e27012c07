"""Formulas over what a search tree knows of a child: syntax trees as plain values, in postfix order.

Postfix order keeps every subtree in one piece, so that evolution cuts and joins formulas as bytes, and it
is a program for a stack machine; `program.pxd` compiles it further to run it on many children at once.

Operators are protected, that is total on all doubles:

    x / y     1 where |y| < 0.001
    sqrt(x)   of |x|
    ln(x)     of |x|, and ln(0) = 0 (as in Koza 1992, "Genetic programming", section 6.4.2)

Infinities and NaN follow IEEE 754 from there; a NaN is never the highest of several values.
"""

from libc.stdint cimport uint8_t


cdef enum:
    CAPACITY = 528          # tokens: a full binary tree of depth 8, and some beside it
    NUM_OPERATORS = 6
    NUM_TOKENS = 14

# Tokens
cdef enum:
    ADD = 0
    SUBTRACT = 1
    MULTIPLY = 2
    DIVIDE = 3
    LN = 4                  # from here one operand
    SQRT = 5
    CONSTANT = 6            # from here leaves
    VALUE = 7               # Q: mean return of the child, for the player to move at the parent
    VISITS = 8              # n: visits of the child
    MAXIMUM = 9             # Q_max: highest return of the child, for that player
    DEVIATION = 10          # sd: standard deviation of these returns
    PARENT_VISITS = 11      # N: visits of the parent; from here the same for all children
    BRANCHING = 12          # b: children of the parent
    DEPTH = 13              # d: edges from the root to the parent


# A syntax tree. Entries beyond `size` mean nothing.
ctypedef struct Syntax:
    int size                    # tokens; at least 1 in a formula, and no more than CAPACITY
    uint8_t tokens[CAPACITY]    # operands before operators
    double values[CAPACITY]     # of constants, finite and not -0.0; 0 elsewhere


# Number of operands.
cdef inline int arity(uint8_t token) noexcept nogil:
    return 2 if token < LN else 1 if token < CONSTANT else 0


# Adds a token at the end; there must be room.
cdef inline void append(Syntax* syntax, uint8_t token, double value) noexcept nogil:
    syntax.tokens[syntax.size] = token
    syntax.values[syntax.size] = value + 0.0   # -0.0, which reads as 0, becomes 0.0
    syntax.size += 1


# Adds the tokens [first, end) of another one.
cdef void append_part(Syntax* target, const Syntax* source, int first, int end) noexcept nogil
cdef bint are_equal(const Syntax* a, const Syntax* b) noexcept nogil
# The first token of the subtree whose last token is `root`.
cdef int first_of(const Syntax* syntax, int root) noexcept nogil
# Edges from the root to the deepest leaf.
cdef int depth_of(const Syntax* syntax) noexcept nogil
