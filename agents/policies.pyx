"""Tree policies choose the child to descend to; rollout policies value a leaf by playing on."""

import math

from libc.math cimport INFINITY, log, sqrt

from agents.rng cimport rng_below


cdef enum:
    NUM_TABLED = 4096

# Square roots dominate UCB1 in shallow games; most visit counts of a search are small.
cdef double SQRT_LOG[NUM_TABLED]
cdef double INVERSE_SQRT[NUM_TABLED]


def _fill_tables():
    cdef int n
    SQRT_LOG[0] = INVERSE_SQRT[0] = 0
    for n in range(1, NUM_TABLED):
        SQRT_LOG[n] = sqrt(log(n))
        INVERSE_SQRT[n] = 1 / sqrt(n)


_fill_tables()


cdef inline double sqrt_log(uint32_t n) noexcept nogil:
    return SQRT_LOG[n] if n < NUM_TABLED else sqrt(log(n))


cdef inline double inverse_sqrt(uint32_t n) noexcept nogil:
    return INVERSE_SQRT[n] if n < NUM_TABLED else 1 / sqrt(n)


cdef bint wins_tie(rng_t* rng, int* ties) noexcept nogil:
    """Whether one more of the highest value so far is to be the pick; uniform in the end."""
    ties[0] += 1
    return rng_below(rng, ties[0]) == 0


cdef int argmax(const double* values, int count, rng_t* rng) noexcept nogil:
    cdef double highest = -INFINITY
    cdef int i, ties = 0, pick = 0
    for i in range(count):
        if values[i] > highest:
            highest = values[i]
            pick = i
            ties = 1
        elif values[i] == highest and wins_tie(rng, &ties):
            pick = i
    return pick


cdef class TreePolicy:
    """Base of the rules that choose among the visited children of a fully expanded node."""

    cdef int c_values(
        self, const Node* parent, const Node* children, int count, double* values
    ) except -1 nogil:
        raise NotImplementedError("c_values")

    cdef int c_select(
        self, const Node* parent, const Node* children, int count, double* values, rng_t* rng
    ) except -1 nogil:
        self.c_values(parent, children, count, values)
        return argmax(values, count, rng)


cdef inline double upper_bound(const Node* child, double width) noexcept nogil:
    return child.mean + width * inverse_sqrt(child.visits)


cdef class UCB1(TreePolicy):
    """The upper confidence bound of Auer et al. (2002), used in trees by Kocsis and Szepesvari (2006).

    Q is the mean return of a child for the player to move, n its visits, N those of the parent.
    Publications differ in the factor of the exploration term; `form` names the one meant.

    Args:
        c: Exploration constant C, 0 or more, in units of the returns.
        form: One of `UCB1.FORMS`.

    Raises:
        ValueError: If c is negative or not finite, or the form is unknown.
    """

    FORMS = ("Q + C*sqrt(ln(N)/n)", "Q + C*sqrt(2*ln(N)/n)", "Q + 2*C*sqrt(ln(N)/n)")

    def __init__(self, c=math.sqrt(2), form=FORMS[0]):
        if not (math.isfinite(c) and c >= 0):
            raise ValueError(f"c must be a finite number >= 0, got {c!r}")
        if form not in self.FORMS:
            raise ValueError(f"form must be one of {self.FORMS}, got {form!r}")
        self.c = c
        self.form = form
        self.width = c * (1, math.sqrt(2), 2)[self.FORMS.index(form)]

    cdef int c_values(
        self, const Node* parent, const Node* children, int count, double* values
    ) except -1 nogil:
        cdef double width = self.width * sqrt_log(parent.visits)
        cdef int i
        for i in range(count):
            values[i] = upper_bound(&children[i], width)
        return 0

    cdef int c_select(
        self, const Node* parent, const Node* children, int count, double* values, rng_t* rng
    ) except -1 nogil:
        # The general way in one pass, over the tables.
        cdef double width, value, highest = -INFINITY
        cdef int i, pick = 0, ties = 0
        if parent.visits >= NUM_TABLED:
            return TreePolicy.c_select(self, parent, children, count, values, rng)
        width = self.width * SQRT_LOG[parent.visits]
        for i in range(count):
            value = children[i].mean + width * INVERSE_SQRT[children[i].visits]
            if value > highest:
                highest = value
                pick = i
                ties = 1
            elif value == highest and wins_tie(rng, &ties):
                pick = i
        return pick

    def __repr__(self):
        return f"UCB1(c={self.c:g}, form={self.form!r})"


cdef class RolloutPolicy:
    """Uniformly random play to the end; base of other ways to value a leaf."""

    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil:
        cdef int calls = model.c_rollout(rng)
        model.c_sample_returns(rng, returns)
        return calls

    def __repr__(self):
        return f"{type(self).__name__}()"
