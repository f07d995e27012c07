"""The two kinds of policies: tree policies choose a child, rollout policies value a leaf by playing on."""

import math

from libc.math cimport INFINITY, log, sqrt
from libc.stdint cimport uint32_t

from agents.formulas.tables cimport INVERSE_SQRT, NUM_TABLED, SQRT_LOG, SQRT_TWICE_LOG
from agents.mcts.tree cimport Node

from agents.checks import check_number
from agents.specification import exact


cdef class TreePolicy:
    """Base of the rules that choose among the children of a node, all of which were visited."""

    def check_game(self, ForwardModel model not None) -> None:
        """Raises ValueError if the rule does not fit the game."""

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        raise NotImplementedError("c_values")

    cdef double c_urgency(
        self, Tree tree, uint32_t parent, int depth, double first_play_urgency
    ) except? -1 nogil:
        return first_play_urgency

    cdef int c_select(
        self, Tree tree, uint32_t parent, int depth, double* values, rng_t* rng
    ) except -1 nogil:
        self.c_values(tree, parent, depth, values)
        return argmax(values, tree.nodes[parent].num_children, rng)


cdef inline double upper_bound(const Node* child, double factor, double root) noexcept nogil:
    cdef uint32_t n = child.visits
    return child.mean + factor * (root * (INVERSE_SQRT[n] if n < NUM_TABLED else 1 / sqrt(n)))


cdef inline double factor_of(UCB1 policy, Tree tree) noexcept nogil:
    cdef uint32_t iteration = tree.nodes[0].visits - tree.kept_visits + 1
    return policy.factor / iteration if policy.is_decaying else policy.factor


cdef int best_mean(const Node* children, int count, rng_t* rng) noexcept nogil:
    """Index of the child with the highest mean, a random one among ties."""
    cdef double highest = -INFINITY
    cdef int i, ties = 0, pick = 0
    for i in range(count):
        if children[i].mean > highest:
            highest = children[i].mean
            pick = i
            ties = 1
        elif children[i].mean == highest and wins_tie(rng, &ties):
            pick = i
    return pick


cdef int highest_bound_from(
    int first,
    int pick,
    double highest,
    const Node* children,
    int count,
    double factor,
    double root,
    rng_t* rng,
) noexcept nogil:
    cdef const double* inverse_roots = &INVERSE_SQRT[0]
    cdef double value
    cdef int i, ties = 1
    for i in range(first, count):
        value = children[i].mean + factor * (root * inverse_roots[children[i].visits])
        if value > highest:
            highest = value
            pick = i
            ties = 1
        elif value == highest and wins_tie(rng, &ties):
            pick = i
    return pick


cdef class UCB1(TreePolicy):
    """The upper confidence bound of Auer et al. (2002), used in trees by Kocsis and Szepesvari (2006).

    Q is the mean return of a child for the player who moves, n its number of visits, N that of the parent.
    Publications differ in the factor of the exploration term; `form` chooses one.

    Args:
        c: Exploration constant C, 0 or more, in units of the returns.
        form: One of `UCB1.FORMS`.
        is_decaying: Whether C is divided by the number of the iteration, counted from 1.

    Raises:
        ValueError: If c is negative or not finite, or the form is unknown.
    """

    FORMS: tuple[str, ...] = ("Q + C*sqrt(ln(N)/n)", "Q + C*sqrt(2*ln(N)/n)", "Q + 2*C*sqrt(ln(N)/n)")

    def __cinit__(self, *args, **kwargs):
        self.roots = &SQRT_LOG[0]   # also where __init__ is not called

    def __init__(self, c: float = math.sqrt(2), form: str = FORMS[0], is_decaying: bool = False):
        check_number("c", c, 0, math.inf)
        if form not in self.FORMS:
            raise ValueError(f"form must be one of {self.FORMS}, got {form!r}")
        self.c = c
        self.form = form
        self.is_decaying = is_decaying
        self.factor = 2 * c if form == self.FORMS[2] else c
        self.roots = &SQRT_TWICE_LOG[0] if form == self.FORMS[1] else &SQRT_LOG[0]
        self.num_tabled = NUM_TABLED if type(self) is UCB1 and self.factor and not is_decaying else 0

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        cdef const Node* node = &tree.nodes[parent]
        cdef const Node* children = &tree.nodes[node.first_child]
        cdef double root, factor = factor_of(self, tree)
        cdef int i
        if node.visits < NUM_TABLED:
            root = self.roots[node.visits]
        else:
            root = sqrt((1 if self.roots == &SQRT_LOG[0] else 2) * log(node.visits))
        for i in range(node.num_children):
            values[i] = upper_bound(&children[i], factor, root)
        return 0

    cdef int c_select(
        self, Tree tree, uint32_t parent, int depth, double* values, rng_t* rng
    ) except -1 nogil:
        cdef const Node* node = &tree.nodes[parent]
        cdef const Node* children = &tree.nodes[node.first_child]
        cdef double factor = factor_of(self, tree)
        if factor == 0:
            return best_mean(children, node.num_children, rng)
        if node.visits >= NUM_TABLED:
            return TreePolicy.c_select(self, tree, parent, depth, values, rng)
        return highest_bound(children, node.num_children, factor, self.roots[node.visits], rng)

    def __reduce__(self) -> tuple[type[UCB1], tuple[float, str, bool]]:
        return UCB1, (self.c, self.form, self.is_decaying)

    def __repr__(self):
        decaying = ", is_decaying=True" if self.is_decaying else ""
        return f"UCB1(c={exact(self.c)}, form={self.form!r}{decaying})"


cdef class RolloutPolicy:
    """Values a leaf by uniformly random play to the end; base of the other rollout policies."""

    cpdef RolloutPolicy for_search(self, ForwardModel model):
        """The policy for one search of this game: itself, or a copy with its own memory."""
        return self

    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil:
        cdef int calls = model.c_rollout(rng)
        model.c_sample_returns(rng, returns)
        return calls

    def __repr__(self):
        return f"{type(self).__name__}()"
