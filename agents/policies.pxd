"""Tree policies and rollout policies, as the search loop calls them."""

from libc.stdint cimport uint32_t

from agents.forward_model cimport ForwardModel
from agents.rng cimport rng_t

from agents.tree cimport Node


cdef class TreePolicy:
    # Fills the value of each of `count` >= 1 visited children for the player who moves at the parent.
    cdef int c_values(
        self, const Node* parent, const Node* children, int count, double* values
    ) except -1 nogil
    # Picks a child: by default the one of highest value. `values` has room for `count` numbers.
    cdef int c_select(
        self, const Node* parent, const Node* children, int count, double* values, rng_t* rng
    ) except -1 nogil


cdef class UCB1(TreePolicy):
    cdef readonly double c
    cdef readonly str form
    cdef double width   # C with the factors of the form, before sqrt(ln(N)/n)


cdef class RolloutPolicy:
    # Plays `model` on from a leaf and fills the returns; returns the number of actions applied.
    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil


# Index of the largest value, uniform among ties; NaN is never the largest.
cdef int argmax(const double* values, int count, rng_t* rng) noexcept nogil
