"""Random formulas and random mutations: the operators of genetic programming.

They work on plain syntax trees, without the GIL.
"""

from libc.stdint cimport uint8_t

from agents.rng cimport rng_t
from agents.formulas.program cimport NUM_OPERATORS, Syntax


cdef enum:
    MAX_LEAVES = 32
    MAX_TRIES = 1000


cdef class Grammar:
    cdef uint8_t leaves[MAX_LEAVES]    # the Token of each terminal
    cdef double values[MAX_LEAVES]     # values of the constants among them; NaN for c, which is drawn
    cdef int num_leaves
    cdef uint8_t tokens[NUM_OPERATORS]   # the operators, ascending: those with two operands come first
    cdef int num_operators
    cdef int num_binary                # of the operators, those with two operands
    cdef double drawn[MAX_LEAVES]      # the constants from which c is drawn
    cdef int num_drawn
    cdef readonly tuple terminals
    cdef readonly tuple constants
    cdef readonly tuple operators
    cdef readonly int max_depth
    cdef readonly int max_mutation_depth
    cdef readonly double internal_probability

    cdef void add_leaf(self, Syntax* syntax, rng_t* rng) noexcept nogil
    # Adds a random tree with `depth` edges on every path, or with at most as many (grown).
    cdef void add_tree(self, Syntax* syntax, int depth, bint is_grown, rng_t* rng) noexcept nogil
    # A random internal node with `internal_probability`, else a random leaf; if there is none, the root.
    cdef int pick(self, const Syntax* syntax, rng_t* rng) noexcept nogil
    # Make `child` a copy of `parent` with another subtree at the node (an unchanged copy if there is no
    # room), or with another token of the same arity.
    cdef void replace_subtree(
        self, const Syntax* parent, int node, Syntax* child, rng_t* rng
    ) noexcept nogil
    cdef void exchange_token(
        self, const Syntax* parent, int node, Syntax* child, rng_t* rng
    ) noexcept nogil
    # Mutate; try again until the child differs from the parent and is not too deep.
    cdef void mutate(
        self, const Syntax* parent, Syntax* child, Mutation mutation, rng_t* rng
    ) noexcept nogil


cdef enum Mutation:
    SUBTREE    # replaces the subtree at any node
    POINT      # replaces the token at any node
    MIXED      # replaces subtrees at internal nodes and tokens at leaves
