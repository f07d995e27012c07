"""Tree policies: bandit rules, heuristics, RAVE, PUCT, formulas and Python functions.

In the rules below, Q is the mean return of a child for the player who moves, n its number of visits, N that
of its parent.
"""

import math

import numpy as np

from libc.math cimport INFINITY, log, sqrt
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from agents.formulas.program cimport (
    BRANCHING, DEPTH, DEVIATION, INVERSE_SQRT, MAXIMUM, NUM_REGISTERS, NUM_TABLED, NUM_TOKENS, PARENT_VISITS,
    PRIOR, SQRT_LOG, SQRT_TWICE_LOG, VALUE, VISITS, Pair, Program, compile, evaluate_one, fill, log_of, run,
    run_shared,
)
from agents.forward_model cimport ForwardModel, data_of
from agents.mcts.tree cimport Detail, Node, Tree, mean_of_children, variance_of
from agents.policy cimport fill_softmax, in_returns
from agents.rng cimport rng_below, rng_index, rng_t, rng_uniform

from agents.checks import check_number


OPPONENTS: tuple[str, ...] = ("negate_q", "negate_formula")


cdef class TreePolicy(Policy):
    """Base of the rules that choose among the children of a node, all of which were visited."""

    def __cinit__(self, *args, **kwargs):
        self.needs_details = True   # of a rule that says nothing: to read details without it would crash

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


cdef inline double value_of_untried(Tree tree, uint32_t parent, double first_play_urgency) noexcept nogil:
    """Q of an untried action: the planner's option or, without it, the mean of the actions tried."""
    return mean_of_children(tree, parent) if first_play_urgency == INFINITY else first_play_urgency


cdef inline double factor_of(UCB1 policy, Tree tree) noexcept nogil:
    cdef uint32_t iteration = tree.nodes[0].visits - tree.kept_visits + 1
    return policy.factor / iteration if policy.is_decaying else policy.factor


cdef void fill_means(Tree tree, uint32_t parent, double* values) noexcept nogil:
    cdef const Node* node = &tree.nodes[parent]
    cdef int i
    for i in range(node.num_children):
        values[i] = tree.nodes[node.first_child + i].mean


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
        c: Exploration constant C, 0 or more, in units of the returns; by default the square root of 2 times
            the `return_spread` of the game that is searched.
        form: One of `UCB1.FORMS`.
        is_decaying: Whether C is divided by the number of the iteration, counted from 1.

    Raises:
        ValueError: If c is negative or not finite, or the form is unknown.
    """

    ARGUMENTS = ("c", "form", "is_decaying")
    DEFAULTS = {"c": math.sqrt(2)}
    FORMS: tuple[str, ...] = ("Q + C*sqrt(ln(N)/n)", "Q + C*sqrt(2*ln(N)/n)", "Q + 2*C*sqrt(ln(N)/n)")

    def __cinit__(self, *args, **kwargs):
        self.roots = &SQRT_LOG[0]   # a subclass need not call __init__

    def __init__(self, c: float | None = None, form: str = FORMS[0], is_decaying: bool = False):
        if form not in self.FORMS:
            raise ValueError(f"form must be one of {self.FORMS}, got {form!r}")
        self.form = form
        self.is_decaying = is_decaying
        self.needs_details = False
        self.c = in_returns("c", c)
        self.roots = &SQRT_TWICE_LOG[0] if form == self.FORMS[1] else &SQRT_LOG[0]
        self.num_tabled = NUM_TABLED if type(self) is UCB1 and not is_decaying else 0

    cdef prepare(self, ForwardModel model):
        self.factor = 2 * self.c if self.form == self.FORMS[2] else self.c

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        cdef const Node* node = &tree.nodes[parent]
        cdef const Node* children = &tree.nodes[node.first_child]
        cdef double root, factor = factor_of(self, tree)
        cdef uint32_t n
        cdef int i
        if node.visits < NUM_TABLED:
            root = self.roots[node.visits]
        else:
            root = sqrt((1 if self.roots == &SQRT_LOG[0] else 2) * log(node.visits))
        for i in range(node.num_children):
            n = children[i].visits
            values[i] = children[i].mean
            values[i] += factor * (root * (INVERSE_SQRT[n] if n < NUM_TABLED else 1 / sqrt(n)))
        return 0


cdef class UCB1Tuned(TreePolicy):
    """UCB1-tuned: Q + 2*C*sqrt(ln(N)/n * min(1/4, V)), V = variance + sqrt(2*ln(N)/n).

    V is an upper bound on the variance of a child's returns, so children whose returns vary little are
    tried less often. The rule is made for returns in [0, 1]; for others, `scale` is the width of their
    range. With c = 0.5 and scale 1 it is the rule of Auer, Cesa-Bianchi and Fischer (2002), "Finite-time
    analysis of the multiarmed bandit problem", section 4.

    Args:
        c: Exploration constant, 0 or more, in units of the returns; by default 0.5 times the `return_spread`
            of the game that is searched.
        scale: Width of the range of the returns, greater than 0; the variance is divided by its square. By
            default the `return_spread`.

    Raises:
        ValueError: If an argument is out of range.
    """

    ARGUMENTS = ("c", "scale")
    DEFAULTS = {"c": 0.5, "scale": 1.0}

    cdef readonly object c
    cdef readonly object scale
    # Set for one search
    cdef double factor   # 2 * c
    cdef double square   # of the scale

    def __init__(self, c: float | None = None, scale: float | None = None):
        self.c = in_returns("c", c)
        self.scale = in_returns("scale", scale, is_open=True)

    cdef prepare(self, ForwardModel model):
        self.factor = 2 * self.c
        self.square = self.scale * self.scale

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        cdef const Node* node = &tree.nodes[parent]
        cdef double logarithm = log_of(node.visits), per_visit, variance
        cdef const Detail* detail
        cdef int i
        for i in range(node.num_children):
            detail = &tree.details[node.first_child + i]
            per_visit = logarithm / tree.nodes[node.first_child + i].visits
            variance = variance_of(detail) / self.square + sqrt(2 * per_visit)
            values[i] = tree.nodes[node.first_child + i].mean
            values[i] += self.factor * sqrt(per_visit * min(0.25, variance))
        return 0


cdef class EpsilonGreedy(TreePolicy):
    """The child of highest Q, or with probability epsilon a uniformly random one.

    Args:
        epsilon: In [0, 1]; 0 is the greedy policy.
        is_decaying: Whether the probability is epsilon / N.

    Raises:
        ValueError: If epsilon is out of range.
    """

    ARGUMENTS = ("epsilon", "is_decaying")

    cdef readonly double epsilon
    cdef readonly bint is_decaying

    def __init__(self, epsilon: float = 0.3, is_decaying: bool = False):
        check_number("epsilon", epsilon, 0, 1)
        self.epsilon = epsilon
        self.is_decaying = is_decaying
        self.needs_details = False

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        fill_means(tree, parent, values)
        return 0

    cdef int c_select(
        self, Tree tree, uint32_t parent, int depth, double* values, rng_t* rng
    ) except -1 nogil:
        cdef const Node* node = &tree.nodes[parent]
        if rng_uniform(rng) < (self.epsilon / node.visits if self.is_decaying else self.epsilon):
            return rng_below(rng, node.num_children)
        return TreePolicy.c_select(self, tree, parent, depth, values, rng)


cdef class Boltzmann(TreePolicy):
    """A random child, with a probability proportional to exp(Q / temperature).

    The value of a child is this probability. With the planner's ``first_play_urgency``, an untried action is
    added unless the mean of a child is higher.

    Args:
        temperature: In units of the returns, greater than 0; by default 0.1 times the `return_spread` of the
            game that is searched.

    Raises:
        ValueError: If the temperature is out of range.
    """

    ARGUMENTS = ("temperature",)
    DEFAULTS = {"temperature": 0.1}

    cdef readonly object temperature
    cdef double divisor   # the temperature, for one search

    def __init__(self, temperature: float | None = None):
        self.temperature = in_returns("temperature", temperature, is_open=True)
        self.needs_details = False

    cdef prepare(self, ForwardModel model):
        self.divisor = self.temperature

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        fill_means(tree, parent, values)
        fill_softmax(values, tree.nodes[parent].num_children, self.divisor, values)
        return 0

    cdef double c_urgency(
        self, Tree tree, uint32_t parent, int depth, double first_play_urgency
    ) except? -1 nogil:
        """Above all values or below: probabilities of children do not compare with a return."""
        cdef const Node* node = &tree.nodes[parent]
        cdef const Node* child
        cdef int i
        for i in range(node.num_children):
            child = &tree.nodes[node.first_child + i]
            if child.mean > first_play_urgency and not child.is_proven:
                return -INFINITY
        return INFINITY

    cdef int c_select(
        self, Tree tree, uint32_t parent, int depth, double* values, rng_t* rng
    ) except -1 nogil:
        self.c_values(tree, parent, depth, values)
        return rng_index(rng, values, tree.nodes[parent].num_children)


cdef class HeuristicPolicy(TreePolicy):
    """The child of highest heuristic value; returns are ignored.

    The planner's option ``heuristic`` names the heuristic. The value of a child is the heuristic value of its
    position for the player who chooses it; at the end of the game, that player's return.
    """

    def __cinit__(self):
        self.needs_heuristic = True

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        cdef const Node* node = &tree.nodes[parent]
        cdef int i
        for i in range(node.num_children):
            values[i] = tree.details[node.first_child + i].heuristic
        return 0


cdef class RAVE(TreePolicy):
    """(1 - beta)*Q + beta*Q_amaf + C*sqrt(ln(N)/n), beta = sqrt(k / (3*N + k)).

    Q_amaf ("all moves as first") is the mean return of some rollouts through the parent since the child
    was added: those in which the player chose the child's action there or later. beta is 1/2 after k visits
    of the parent.

    Gelly and Silver (2011), "Monte-Carlo tree search and rapid action value estimation in computer Go".

    Args:
        c: Exploration constant, 0 or more, in units of the returns.
        equivalence: k, the visits of the parent at which both means have equal weights; greater than 0.

    Raises:
        ValueError: If an argument is out of range.
    """

    ARGUMENTS = ("c", "equivalence")

    cdef readonly double c
    cdef readonly double equivalence   # k

    def __cinit__(self, *args, **kwargs):
        self.needs_amaf = True   # a subclass need not call __init__

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


cdef class PUCT(TreePolicy):
    """Q + C*P*sqrt(N) / (1 + n), in which P is the prior probability of an action.

    Untried actions compete with the children. Their n is 0 and their Q the planner's ``first_play_urgency``,
    by default the mean return of the actions tried so far, weighted by visits; on a tie the untried action
    is chosen. The planner's evaluator may give priors; else all actions of a position have the same prior.

    Silver et al. (2018), "A general reinforcement learning algorithm that masters chess, shogi, and Go
    through self-play", with a constant C.

    Args:
        c: Exploration constant, 0 or more, in units of the returns; by default 1.25 times the `return_spread`
            of the game that is searched.

    Raises:
        ValueError: If c is negative or not finite.
    """

    ARGUMENTS = ("c",)
    DEFAULTS = {"c": 1.25}

    cdef readonly object c
    cdef double factor   # c, for one search

    def __init__(self, c: float | None = None):
        self.c = in_returns("c", c)
        self.needs_details = False
        self.weighs_untried = True

    cdef prepare(self, ForwardModel model):
        self.factor = self.c

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        cdef const Node* node = &tree.nodes[parent]
        cdef double factor = self.factor * sqrt(node.visits)
        cdef const Node* child
        cdef int i
        for i in range(node.num_children):
            child = &tree.nodes[node.first_child + i]
            values[i] = child.mean + factor * tree.prior_of_child(parent, i) / (1 + <double> child.visits)
        return 0

    cdef double c_urgency(
        self, Tree tree, uint32_t parent, int depth, double first_play_urgency
    ) except? -1 nogil:
        cdef double factor = self.factor * sqrt(tree.nodes[parent].visits)
        return value_of_untried(tree, parent, first_play_urgency) + factor * tree.prior_of_next(parent)


cdef class FormulaPolicy(TreePolicy):
    """The child of highest value by a formula.

    Args:
        formula: A `Formula`.
        opponent: The values at nodes where another player than the searching one moves. "negate_q": the
            formula with Q (and Q_max) from that player's returns, which in a two-player zero-sum game are
            the negative ones of the searching player. "negate_formula", in such games only: the negative
            value of the formula with Q from the searching player's returns. The first explores for both
            players; with the second the opponent prefers children that were visited often.
        needs_details: Whether trees keep the statistics for Q_max and sd even if this formula has neither,
            because others will replace it.
        weighs_untried: Whether untried actions may wait even if this formula has no P, for the same reason.
            They wait while a formula with P selects.

    Raises:
        ValueError: If `opponent` is unknown, or "negate_formula" with a formula that has Q_max; in a search,
            if the game has more than two players and `opponent` is "negate_formula".
    """

    ARGUMENTS = ("formula", "opponent", "needs_details", "weighs_untried")

    def __cinit__(self, *args, **kwargs):
        self.program = &self.own   # a subclass need not call __init__

    def __init__(
        self,
        Formula formula not None,
        opponent: str = "negate_q",
        bint needs_details=False,
        bint weighs_untried=False,
    ):
        if opponent not in OPPONENTS:
            raise ValueError(f"opponent must be one of {OPPONENTS}, got {opponent!r}")
        if opponent == "negate_formula" and "Q_max" in formula.variables:
            raise ValueError("Q_max is not known from the other player's side: opponent='negate_q'")
        self.formula = formula
        self.opponent = opponent
        self.is_negated = opponent == "negate_formula"
        compile(&formula.syntax, &self.own)
        self.needs_details = needs_details or self.own.needs_details
        self.weighs_untried = weighs_untried or self.own.reads_prior

    cdef prepare(self, ForwardModel model):
        if self.is_negated and model.num_players > 2:
            raise ValueError(
                "opponent='negate_formula' is for zero-sum games of two, got one of "
                f"{model.num_players} players: opponent='negate_q'"
            )

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        evaluate(self.program, tree, parent, depth, sign_at(self, tree, parent), values)
        return 0

    cdef double c_urgency(
        self, Tree tree, uint32_t parent, int depth, double first_play_urgency
    ) except? -1 nogil:
        cdef double sign = sign_at(self, tree, parent)
        cdef double variables[NUM_TOKENS]
        if not self.program.reads_prior:
            return first_play_urgency
        variables[VALUE] = sign * value_of_untried(tree, parent, first_play_urgency)
        variables[VISITS] = variables[DEVIATION] = 0
        variables[MAXIMUM] = variables[VALUE]
        variables[PRIOR] = tree.prior_of_next(parent)
        variables[PARENT_VISITS] = tree.nodes[parent].visits
        variables[BRANCHING] = tree.nodes[parent].num_children
        variables[DEPTH] = depth
        return sign * evaluate_one(self.program, variables)

    def __repr__(self):
        return f"FormulaPolicy({self.formula!r}, opponent={self.opponent!r})"


cdef inline double sign_at(FormulaPolicy policy, Tree tree, uint32_t parent) noexcept nogil:
    """The sign of returns and values at a node: -1 where the opponent moves and the formula is negated."""
    return -1 if policy.is_negated and tree.nodes[parent].player != tree.nodes[0].player else 1


cdef void evaluate(
    const Program* program, Tree tree, uint32_t parent, int depth, double sign, double* values
) noexcept nogil:
    """Fills the value of each child of a node, from returns times `sign`."""
    cdef const Node* node = &tree.nodes[parent]
    cdef uint32_t child = node.first_child, end = node.first_child + node.num_children
    cdef uint32_t other
    cdef Pair registers[NUM_REGISTERS]
    fill(registers, PARENT_VISITS, node.visits)
    fill(registers, BRANCHING, node.num_children)
    fill(registers, DEPTH, depth)
    run_shared(program, registers)
    while child < end:
        other = child + (child + 1 < end)
        registers[VALUE].first = sign * tree.nodes[child].mean
        registers[VALUE].second = sign * tree.nodes[other].mean
        registers[VISITS].first = tree.nodes[child].visits
        registers[VISITS].second = tree.nodes[other].visits
        if program.needs_details:
            fill_details(tree, child, other, registers)
        if program.reads_prior:
            registers[PRIOR].first = tree.prior_of_child(parent, child - node.first_child)
            registers[PRIOR].second = tree.prior_of_child(parent, other - node.first_child)
        run(program, program.num_shared, program.size, registers)
        values[0] = sign * registers[program.result].first
        if other != child:
            values[1] = sign * registers[program.result].second
        values += 2
        child += 2


cdef void fill_details(Tree tree, uint32_t child, uint32_t other, Pair* registers) noexcept nogil:
    registers[MAXIMUM].first = maximum_of(tree, child)
    registers[MAXIMUM].second = maximum_of(tree, other)
    registers[DEVIATION].first = sqrt(variance_of(&tree.details[child]))
    registers[DEVIATION].second = sqrt(variance_of(&tree.details[other]))


cdef inline double maximum_of(Tree tree, uint32_t node) noexcept nogil:
    """The highest return; the mean that stands for it in a leaf that waits for its first value."""
    return tree.details[node].maximum if tree.details[node].count else tree.nodes[node].mean


cdef class FunctionPolicy(TreePolicy):
    """The child of highest value by a Python function.

    It is for trying ideas, not for speed: every descent calls the function at nearly every node.

    Args:
        function: Called as ``function(means, visits, priors, parent_visits)``. The first three describe the
            n children of a node: float64[n] mean returns for the player who moves; int64[n] visits, 1 or
            more; float64[n] prior probabilities, all equal unless an evaluator gives others. The last, an
            int, is the number of visits of the node. The function returns n numbers. The child with the
            highest is chosen, on ties a random one of them; NaN is chosen only if all are NaN.

    Raises:
        TypeError: If the function cannot be called.
        ValueError: In a search, if it does not return n numbers.
    """

    ARGUMENTS = ("function",)

    cdef readonly object function

    function: Callable[..., Any]

    def __init__(self, function: Callable[..., Any]):
        if not callable(function):
            raise TypeError(f"function must be callable, got {function!r}")
        self.function = function
        self.needs_details = False

    cdef int c_values(self, Tree tree, uint32_t parent, int depth, double* values) except -1 nogil:
        with gil:
            return self.call(tree, parent, values)

    cdef int call(self, Tree tree, uint32_t parent, double* values) except -1:
        cdef const Node* node = &tree.nodes[parent]
        cdef int i, count = node.num_children
        children = range(count)
        means = np.array([tree.nodes[node.first_child + <int> i].mean for i in children])
        visits = np.array([tree.nodes[node.first_child + <int> i].visits for i in children], np.int64)
        priors = np.array([tree.prior_of_child(parent, <int> i) for i in children])
        answer = self.function(means, visits, priors, int(node.visits))
        numbers = numbers_of(answer, count, f"a tree policy must return {count} numbers here, one a child")
        memcpy(values, data_of(numbers), count * sizeof(double))
        return 0


def numbers_of(answer: Any, count: int, wanted: str) -> NDArray[np.float64]:
    """What a Python function returned to a search, as float64[count].

    Args:
        answer: Any sequence of numbers.
        count: How many it must have.
        wanted: What the answer must be, for the message.

    Raises:
        ValueError: If it is anything else.
    """
    try:
        numbers = np.array(answer, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = None
    if numbers is None or numbers.shape != (count,):
        raise ValueError(f"{wanted}, got {answer!r}")
    return numbers
