"""Tree policies: the rules that choose a child, which the search calls at every node of a descent."""

from libc.math cimport INFINITY
from libc.stdint cimport uint32_t

from agents.formulas.formula cimport Formula
from agents.formulas.program cimport INVERSE_SQRT, Program
from agents.mcts.tree cimport Node, Tree
from agents.policy cimport Policy
from agents.rng cimport rng_below, rng_t


cdef class TreePolicy(Policy):
    cdef readonly bint needs_details   # whether it may read `Tree.details`, which are NULL otherwise
    cdef readonly bint needs_heuristic  # whether it reads heuristic values, which are details
    cdef readonly bint needs_amaf      # whether it reads AMAF means, which are details
    cdef readonly bint weighs_untried  # whether `c_urgency` is its own
    # UCB1 with a constant factor: at nodes with fewer visits `highest_bound` chooses as it does, without a
    # virtual call. 0 in others.
    cdef uint32_t num_tabled
    # Fills the value of each child of a node for the player who moves there. All children have been
    # visited; `depth` counts edges from the root to the node.
    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil
    # The value of the next untried action of a node that has children: while a child has a higher value, the
    # action is not added. `first_play_urgency` is the planner's option, infinite for None.
    cdef double c_urgency(
        self, Tree tree, uint32_t parent, int depth, double first_play_urgency
    ) except? -1 nogil
    # Index of the chosen child; by default that of the highest value. `values` has room for all values.
    cdef int c_select(
        self, Tree tree, uint32_t parent, int depth, double* values, rng_t* rng
    ) except -1 nogil


cdef class UCB1(TreePolicy):
    cdef readonly object c   # a float; None before a search gives it
    cdef readonly str form
    cdef double factor       # of sqrt(...) in the form, for one search
    cdef readonly bint is_decaying   # whether c is divided by the number of the iteration
    cdef const double* roots   # table of sqrt(ln(N)), or of sqrt(2*ln(N)), by N


cdef class FormulaPolicy(TreePolicy):
    cdef readonly Formula formula
    cdef readonly str opponent
    cdef bint is_negated      # whether the opponent's sign applies to the formula, not to Q
    cdef Program own          # compiled from the formula
    cdef const Program* program   # the one that runs: `own`, or that of a formula under evaluation


cdef inline bint wins_tie(rng_t* rng, int* ties) noexcept nogil:
    """Whether a further one of the highest values replaces the pick, which stays uniform among them."""
    ties[0] += 1
    return rng_below(rng, ties[0]) == 0


cdef inline int argmax(const double* values, int count, rng_t* rng) noexcept nogil:
    """Index of the largest value, a random one among ties. NaN is chosen only if all are NaN."""
    cdef double highest = -INFINITY
    cdef int i, ties = 0, pick = 0
    for i in range(count):
        if values[i] > highest:
            highest = values[i]
            pick = i
            ties = 1
        elif values[i] == highest and wins_tie(rng, &ties):
            pick = i
    return pick if ties else rng_below(rng, count)


# Index of the child with the highest bound of UCB1, a random one among ties; the visits must be tabled.
# `pick` is the best of the children before `first`, with the bound `highest`.
cdef int highest_bound_from(
    int first,
    int pick,
    double highest,
    const Node* children,
    int count,
    double factor,
    double root,
    rng_t* rng,
) noexcept nogil


cdef inline int highest_bound(
    const Node* children, int count, double factor, double root, rng_t* rng
) noexcept nogil:
    """The same for all children. At the first tie it hands over, to keep this loop short."""
    cdef const double* inverse_roots = &INVERSE_SQRT[0]
    cdef double value, highest = -INFINITY
    cdef int i, pick = 0
    for i in range(count):
        value = children[i].mean + factor * (root * inverse_roots[children[i].visits])
        if value > highest:
            highest = value
            pick = i
        elif value == highest:
            return highest_bound_from(i, pick, highest, children, count, factor, root, rng)
    return pick
