# distutils: extra_compile_args = -O1
"""Formulas that choose children in a search tree, as Python objects with a text."""

cimport cython
import numpy as np

from libc.stdint cimport uint8_t

from agents.forward_model cimport data_of
from agents.formulas.program cimport (
    CAPACITY, CONSTANT, NUM_TOKENS, VALUE, Program, Syntax, append, append_part, are_equal, compile, depth_of,
    evaluate_one,
)

from agents.formulas import text as formula_text
from agents.formulas.text import Tokens

NAMES: tuple[str | None, ...] = (*formula_text.OPERATORS, None, *formula_text.VARIABLES)
"""The names of the tokens, by their codes; None stands for a constant."""


@cython.final
cdef class Formula:
    """A formula over the statistics of a child in a search tree.

    Formulas are equal if they have the same tokens.

    >>> ucb1 = Formula("Q + c*sqrt(ln(N)/n)", c=0.5)
    >>> ucb1, ucb1.size, ucb1.depth, ucb1.variables
    (Formula('Q + 0.5*sqrt(ln(N)/n)'), 9, 5, ('Q', 'n', 'N'))
    >>> ucb1.evaluate(Q=[0.5, 0.4], n=[2, 1], N=3)
    array([0.87057595, 0.92407354])

    The variables are

    - Q: the mean return of the child, for the player to move at its parent;
    - n: the visits of the child, and N: the visits of its parent;
    - Q_max and sd: the highest return of the child, and the standard deviation of its returns;
    - P: the prior probability of the action that leads to the child, which the planner's evaluator gives;
      without one, all actions of a position have the same;
    - b and d: the number of children of the parent, and the depth of the parent.

    The operators are ``+ - * / **``, the functions ln, sqrt, exp and abs of one number, and max and min of
    two. They are protected: x/y is 1 where ``|y| < 0.001``, ln and sqrt take ``|x|``, ln(0) is 0, and x**y
    is 1 where ``|x| < 0.001`` and y < 0, and takes ``|x|`` where y is not whole.

    In a search, a formula with P lets untried actions wait, as `PUCT` does: they compete with n = 0 and their
    own P, with the planner's ``first_play_urgency`` as Q and Q_max (by default the mean return of the
    actions tried so far, weighted by visits), and with sd = 0. A formula without P tries every action first,
    unless the planner has a ``first_play_urgency``.

    Args:
        text: The formula, written like a Python expression.
        c: The value of the name c in the text.

    Raises:
        TypeError: If the text is no string.
        ValueError: If the text is no formula (the message explains why), or the formula has more than
            528 tokens.
    """

    def __cinit__(self, *args, **kwargs):
        self.syntax.size = 1   # the number 0, until there is another formula
        self.syntax.tokens[0] = CONSTANT

    def __init__(self, text: str, c: float | None = None):
        tokens = formula_text.parse(text, c)
        if len(tokens) > CAPACITY:
            raise ValueError(f"formulas have at most {CAPACITY} tokens, got {len(tokens)}")
        fill(&self.syntax, tokens)

    @staticmethod
    cdef Formula of(const Syntax* syntax):
        cdef Formula formula = Formula.__new__(Formula)
        formula.syntax.size = 0
        append_part(&formula.syntax, syntax, 0, syntax.size)
        return formula

    @property
    def tokens(self) -> Tokens:
        """The tokens in postfix order: names and floats."""
        return [
            self.syntax.values[i]
            if self.syntax.tokens[i] == CONSTANT
            else NAMES[self.syntax.tokens[i]]
            for i in range(self.syntax.size)
        ]

    @property
    def size(self) -> int:
        """Number of nodes of the syntax tree."""
        return self.syntax.size

    @property
    def depth(self) -> int:
        """Edges from the root of the syntax tree to its deepest leaf."""
        return depth_of(&self.syntax)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables in the formula."""
        tokens = self.tokens
        return tuple(name for name in formula_text.VARIABLES if name in tokens)

    def evaluate(self, **variables: ArrayLike) -> NDArray[np.float64]:
        """The value of the formula for given values of its variables.

        Args:
            variables: Numbers or arrays by name; they are broadcast against each other.

        Returns:
            float64 array of the common shape.

        Raises:
            ValueError: If a variable of the formula has no value, or a name is unknown.
        """
        missing = [name for name in self.variables if name not in variables]
        unknown = [name for name in variables if name not in formula_text.VARIABLES]
        if missing or unknown:
            raise ValueError(f"{self!r} needs values for {self.variables}, got {tuple(variables)}")
        arrays = np.broadcast_arrays(
            *(np.asarray(variables.get(name, 0), dtype=np.float64) for name in formula_text.VARIABLES)
        )
        rows = np.array([array.ravel() for array in arrays])
        values = np.empty(rows.shape[1])
        cdef const double* numbers = <const double*> data_of(rows)
        cdef double* results = <double*> data_of(values)
        cdef double of_tokens[NUM_TOKENS]
        cdef Program program
        cdef Py_ssize_t i, count = rows.shape[1]
        cdef int k
        compile(&self.syntax, &program)
        for i in range(count):
            for k in range(NUM_TOKENS - VALUE):
                of_tokens[VALUE + k] = numbers[k * count + i]
            results[i] = evaluate_one(&program, of_tokens)
        return values.reshape(arrays[0].shape)

    def simplified(self) -> Formula:
        """A shorter formula for display, with the same value unless a part is infinite or NaN.

        The values are equal up to rounding: sqrt(x / n) is computed in a special way if x is the same for
        all children, and simplification may create or remove this form.

        >>> Formula("Q*1 + (N - N) + 2*3").simplified()
        Formula('Q + 6')
        """
        return _of_tokens(formula_text.simplified(self.tokens, _value_of))

    def latex(self) -> str:
        r"""The formula in LaTeX, for math mode.

        >>> Formula("Q + sqrt(ln(N)/n)").latex()
        'Q + \\sqrt{\\frac{\\ln\\left(N\\right)}{n}}'
        """
        return formula_text.latex(self.tokens)

    def _repr_latex_(self):
        return f"${self.latex()}$"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Formula):
            return NotImplemented
        return are_equal(&self.syntax, &(<Formula> other).syntax)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self):
        return formula_text.infix(self.tokens)

    def __repr__(self):
        return f"Formula({str(self)!r})"

    def __reduce__(self) -> tuple[type[Formula], tuple[str]]:
        return Formula, (str(self),)


cdef int fill(Syntax* syntax, list tokens) except -1:
    cdef uint8_t code
    syntax.size = 0
    for token in tokens:
        code = CONSTANT if isinstance(token, float) else NAMES.index(token)
        append(syntax, code, token if code == CONSTANT else 0)
    return 0


def _of_tokens(tokens):
    cdef Formula formula = Formula.__new__(Formula)
    fill(&formula.syntax, tokens)
    return formula


def _value_of(tokens):
    return float(_of_tokens(tokens).evaluate())
