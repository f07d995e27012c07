"""Formulas made at random, and changed at random: the operators of genetic programming.

They work on plain syntax trees without the GIL.
"""

from libc.stdint cimport uint8_t

from agents.rng cimport rng_t
from agents.formulas.syntax cimport Syntax


cdef enum:
    MAX_LEAVES = 32
    MAX_TRIES = 1000


cdef class Grammar:
    cdef uint8_t leaves[MAX_LEAVES]    # Token of each terminal
    cdef double values[MAX_LEAVES]     # of the constants among them; NaN for c, which is drawn
    cdef int num_leaves
    cdef double drawn[MAX_LEAVES]      # the constants c is drawn from
    cdef int num_drawn
    cdef readonly tuple terminals
    cdef readonly tuple constants
    cdef readonly int max_depth
    cdef readonly int max_mutation_depth
    cdef readonly double internal_probability

    cdef void add_leaf(self, Syntax* syntax, rng_t* rng) noexcept nogil
    # A random tree of `depth` edges on every path; or of at most so many.
    cdef void add_full(self, Syntax* syntax, int depth, rng_t* rng) noexcept nogil
    cdef void add_grown(self, Syntax* syntax, int depth, rng_t* rng) noexcept nogil
    # A random node: an internal one with `internal_probability`, else a leaf; the root if there is none.
    cdef int pick(self, const Syntax* syntax, rng_t* rng) noexcept nogil
    # `child` becomes `parent` with another subtree at a node (or its copy, if there is no room), or with
    # another token of the same arity.
    cdef void replace_subtree(
        self, const Syntax* parent, int node, Syntax* child, rng_t* rng
    ) noexcept nogil
    cdef void exchange_token(
        self, const Syntax* parent, int node, Syntax* child, rng_t* rng
    ) noexcept nogil
    # One mutation, repeated until the child differs from the parent and is not too deep.
    cdef void mutate(
        self, const Syntax* parent, Syntax* child, Mutation mutation, rng_t* rng
    ) noexcept nogil


cdef enum Mutation:
    SUBTREE    # at internal nodes and leaves
    POINT      # at both
    MIXED      # subtrees at internal nodes, points at leaves
