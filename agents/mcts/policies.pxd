"""Tree policies and rollout policies, as the search loop calls them."""

from libc.math cimport INFINITY
from libc.stdint cimport uint32_t

from agents.forward_model cimport ForwardModel
from agents.rng cimport rng_below, rng_t
from agents.mcts.tree cimport Tree


cdef class TreePolicy:
    cdef readonly bint needs_details   # whether the tree is to keep `Tree.details`
    cdef readonly bint needs_heuristic  # and in them heuristic values
    cdef readonly bint needs_amaf      # and in them what came of actions wherever they were played
    cdef readonly bint weighs_untried  # whether untried actions compete with children, see `c_urgency`
    # Fills the value of each child of a node for the player who moves there. All children were
    # visited; `depth` is in edges from the root.
    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil
    # The value of the next untried action of a node that has children: while a child's is higher, none is
    # added. `first_play_urgency` is what the planner says, infinite if it says nothing.
    cdef double c_urgency(self, Tree tree, uint32_t parent, double first_play_urgency) except? -1 nogil
    # Picks a child: by default the one of highest value. `values` has room for a number each.
    cdef int c_select(
        self, Tree tree, uint32_t parent, int depth, double* values, rng_t* rng
    ) except -1 nogil


cdef class UCB1(TreePolicy):
    cdef readonly double c
    cdef readonly str form
    cdef double factor       # before the root
    cdef readonly bint is_decaying   # whether the factor is divided by the number of the iteration
    cdef const double* roots   # of ln(N), or of 2*ln(N), by N


cdef class RolloutPolicy:
    cdef readonly bint changes_returns   # whether it values ends of the game otherwise than the game does
    # Itself, or one like it with what it needs for one search of this game.
    cpdef RolloutPolicy for_search(self, ForwardModel model)
    # Plays `model` on from a leaf and fills the returns; returns the number of actions applied.
    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil


cdef inline bint wins_tie(rng_t* rng, int* ties) noexcept nogil:
    """Whether one more of the highest value so far is to be the pick; uniform in the end."""
    ties[0] += 1
    return rng_below(rng, ties[0]) == 0


cdef inline int argmax(const double* values, int count, rng_t* rng) noexcept nogil:
    """Index of the largest value, uniform among ties; NaN is never the largest unless all are."""
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
