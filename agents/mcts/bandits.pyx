"""Further tree policies: bandit rules, heuristics, RAVE and PUCT.

Q is the mean return of a child for the player who moves, n its number of visits, N that of its parent.
"""

import math

from libc.math cimport exp, sqrt
from libc.stdint cimport uint32_t

from agents.mcts.policies cimport TreePolicy, prior_of_next, value_of_untried
from agents.rng cimport rng_below, rng_t, rng_uniform
from agents.formulas.tables cimport log_of
from agents.mcts.tree cimport Detail, Node, Tree

from agents.checks import check_number
from agents.specification import exact


cdef class UCB1Tuned(TreePolicy):
    """UCB1-tuned: Q + 2*C*sqrt(ln(N)/n * min(1/4, V)), V = variance + sqrt(2*ln(N)/n).

    V is an upper bound on the variance of a child's returns, so children whose returns vary little are
    tried less often. The rule is made for returns in [0, 1]; for others, `scale` is the width of their
    range. With c = 0.5 and scale 1 it is the rule of Auer, Cesa-Bianchi and Fischer (2002), "Finite-time
    analysis of the multiarmed bandit problem", section 4.

    Args:
        c: Exploration constant, 0 or more, in units of the returns.
        scale: Width of the range of the returns, greater than 0; the variance is divided by its square.

    Raises:
        ValueError: If an argument is out of range.
    """

    def __cinit__(self, *args, **kwargs):
        self.needs_details = True   # also where __init__ is not called

    def __init__(self, c: float = 0.5, scale: float = 1.0):
        check_number("c", c, 0, math.inf)
        check_number("scale", scale, 0, math.inf, is_open=True)
        self.c = c
        self.scale = scale

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        cdef const Node* node = &tree.nodes[parent]
        cdef double logarithm = log_of(node.visits), per_visit, variance
        cdef const Detail* detail
        cdef int i
        for i in range(node.num_children):
            detail = &tree.details[node.first_child + i]
            per_visit = logarithm / tree.nodes[node.first_child + i].visits
            variance = detail.squares / detail.count / (self.scale * self.scale) + sqrt(2 * per_visit)
            values[i] = tree.nodes[node.first_child + i].mean
            values[i] += 2 * self.c * sqrt(per_visit * min(0.25, variance))
        return 0

    def __reduce__(self) -> tuple[Any, ...]:
        return UCB1Tuned, (self.c, self.scale)

    def __repr__(self):
        return f"UCB1Tuned(c={exact(self.c)}, scale={exact(self.scale)})"


cdef class EpsilonGreedy(TreePolicy):
    """The child of highest Q, or with probability epsilon a uniformly random one.

    Args:
        epsilon: In [0, 1]; 0 is the greedy policy.
        is_decaying: Whether the probability is epsilon / N.

    Raises:
        ValueError: If epsilon is out of range.
    """

    def __init__(self, epsilon: float = 0.3, is_decaying: bool = False):
        check_number("epsilon", epsilon, 0, 1)
        self.epsilon = epsilon
        self.is_decaying = is_decaying

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        cdef const Node* node = &tree.nodes[parent]
        cdef int i
        for i in range(node.num_children):
            values[i] = tree.nodes[node.first_child + i].mean
        return 0

    cdef int c_select(
        self, Tree tree, uint32_t parent, int depth, double* values, rng_t* rng
    ) except -1 nogil:
        cdef const Node* node = &tree.nodes[parent]
        if rng_uniform(rng) < (self.epsilon / node.visits if self.is_decaying else self.epsilon):
            return rng_below(rng, node.num_children)
        return TreePolicy.c_select(self, tree, parent, depth, values, rng)

    def __reduce__(self) -> tuple[Any, ...]:
        return EpsilonGreedy, (self.epsilon, self.is_decaying)

    def __repr__(self):
        return f"EpsilonGreedy({exact(self.epsilon)}, is_decaying={self.is_decaying})"


cdef class Boltzmann(TreePolicy):
    """A random child, with a probability proportional to exp(Q / temperature).

    The value of a child is this probability.

    Args:
        temperature: In units of the returns, greater than 0.

    Raises:
        ValueError: If the temperature is out of range.
    """

    def __init__(self, temperature: float = 0.1):
        check_number("temperature", temperature, 0, math.inf, is_open=True)
        self.temperature = temperature

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        cdef const Node* node = &tree.nodes[parent]
        cdef const Node* children = &tree.nodes[node.first_child]
        cdef double highest = children[0].mean, total = 0
        cdef int i
        for i in range(node.num_children):
            highest = max(highest, children[i].mean)
        for i in range(node.num_children):
            values[i] = exp((children[i].mean - highest) / self.temperature)
            total += values[i]
        for i in range(node.num_children):
            values[i] /= total
        return 0

    cdef int c_select(
        self, Tree tree, uint32_t parent, int depth, double* values, rng_t* rng
    ) except -1 nogil:
        cdef double rest = rng_uniform(rng)
        cdef int i, last = tree.nodes[parent].num_children - 1
        self.c_values(tree, parent, depth, values)
        for i in range(last):
            rest -= values[i]
            if rest < 0:
                return i
        return last

    def __reduce__(self) -> tuple[Any, ...]:
        return Boltzmann, (self.temperature,)

    def __repr__(self):
        return f"Boltzmann(temperature={exact(self.temperature)})"


cdef class HeuristicPolicy(TreePolicy):
    """The child of highest heuristic value; returns are ignored.

    The planner's option ``heuristic`` names the heuristic. The value of a child is the heuristic value of its
    position for the player who chooses it; at the end of the game, that player's return.
    """

    def __cinit__(self):
        self.needs_details = self.needs_heuristic = True

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        cdef const Node* node = &tree.nodes[parent]
        cdef int i
        for i in range(node.num_children):
            values[i] = tree.details[node.first_child + i].heuristic
        return 0

    def __reduce__(self) -> tuple[Any, ...]:
        return HeuristicPolicy, ()

    def __repr__(self):
        return "HeuristicPolicy()"


cdef class RAVE(TreePolicy):
    """(1 - beta)*Q + beta*Q_amaf + C*sqrt(ln(N)/n), beta = sqrt(k / (3*N + k)).

    Q_amaf ("all moves as first") is the mean return of some iterations through the parent since the child
    was added: those in which the player chose the child's action there or later. beta is 1/2 after k visits
    of the parent.

    Gelly and Silver (2011), "Monte-Carlo tree search and rapid action value estimation in computer Go".

    Args:
        c: Exploration constant, 0 or more, in units of the returns.
        equivalence: k, the visits of the parent at which both means have equal weights; greater than 0.

    Raises:
        ValueError: If an argument is out of range.
    """

    def __cinit__(self, *args, **kwargs):
        self.needs_details = self.needs_amaf = True   # also where __init__ is not called

    def __init__(self, c: float = 0.0, equivalence: float = 1000.0):
        check_number("c", c, 0, math.inf)
        check_number("equivalence", equivalence, 0, math.inf, is_open=True)
        self.c = c
        self.equivalence = equivalence

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        cdef const Node* node = &tree.nodes[parent]
        cdef const Node* child
        cdef double beta = sqrt(self.equivalence / (3 * <double> node.visits + self.equivalence))
        cdef double logarithm = log_of(node.visits)
        cdef int i
        for i in range(node.num_children):
            child = &tree.nodes[node.first_child + i]
            values[i] = (1 - beta) * child.mean + beta * tree.details[node.first_child + i].amaf_mean
            values[i] += self.c * sqrt(logarithm / child.visits)
        return 0

    def __reduce__(self) -> tuple[Any, ...]:
        return RAVE, (self.c, self.equivalence)

    def __repr__(self):
        return f"RAVE(c={exact(self.c)}, equivalence={exact(self.equivalence)})"


cdef class PUCT(TreePolicy):
    """Q + C*P*sqrt(N) / (1 + n), in which P is the prior probability of an action.

    Untried actions compete with the children. Their n is 0 and their Q the planner's ``first_play_urgency``,
    by default the mean return of the actions tried so far, weighted by visits; on a tie the untried action
    is chosen. The planner's evaluator may give priors; else all actions of a position have the same prior.

    Silver et al. (2018), "A general reinforcement learning algorithm that masters chess, shogi, and Go
    through self-play", with a constant C.

    Args:
        c: Exploration constant, 0 or more, in units of the returns.

    Raises:
        ValueError: If c is negative or not finite.
    """

    def __init__(self, c: float = 1.25):
        check_number("c", c, 0, math.inf)
        self.c = c
        self.weighs_untried = True

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        cdef const Node* node = &tree.nodes[parent]
        cdef double factor = self.c * sqrt(node.visits)
        cdef const Node* child
        cdef int i
        for i in range(node.num_children):
            child = &tree.nodes[node.first_child + i]
            values[i] = child.mean + factor * tree.prior_of_child(parent, i) / (1 + <double> child.visits)
        return 0

    cdef double c_urgency(
        self, Tree tree, uint32_t parent, int depth, double first_play_urgency
    ) except? -1 nogil:
        cdef double factor = self.c * sqrt(tree.nodes[parent].visits)
        return value_of_untried(tree, parent, first_play_urgency) + factor * prior_of_next(tree, parent)

    def __reduce__(self) -> tuple[Any, ...]:
        return PUCT, (self.c,)

    def __repr__(self):
        return f"PUCT(c={exact(self.c)})"
