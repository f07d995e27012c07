# distutils: extra_compile_args = -O1
"""Valuations: estimates of returns by a game's heuristic, a formula, or a Python function."""

cimport cython
from libc.math cimport isfinite

from agents.forward_model cimport ForwardModel

from agents.checks import heuristic_index
from agents.formulas.position_formula import Heuristic, PositionFormula


cdef enum:
    PLAYOUTS = 2   # random games that show whether a game is zero-sum

_ZERO_SUM = set()   # the kinds of games that were found to be


@cython.final
cdef class Valuation:
    """An estimate of the returns, for one game.

    Args:
        model: A position of the game.
        heuristic: One of the model's ``heuristics``, None for the first of them, a function of (model,
            player), a `PositionFormula`, or the text of one that has a function, a factor or a place. None in
            a game without heuristics makes a valuation that raises ValueError when it is asked.

    Raises:
        ValueError: If the game does not have the heuristic, or a formula does not fit the game: its
            indicators are others, or it is for two players and not zero-sum.
    """

    def __cinit__(self, ForwardModel model not None, heuristic: Heuristic = None):
        self.heuristic = -1
        is_text = isinstance(heuristic, str) and heuristic not in model.heuristics
        if is_text and any(mark in heuristic for mark in "(*"):   # a name alone may be a misspelt heuristic
            heuristic = PositionFormula(heuristic)
        if isinstance(heuristic, PositionFormula):
            _check_zero_sum(model)
            self.formula = heuristic.program(model)
        elif callable(heuristic):
            self.function = heuristic
        elif heuristic is not None or model.heuristics:
            self.heuristic = heuristic_index(model, heuristic, also="a function, a formula or ")

    @property
    def exists(self) -> bool:
        """Whether positions before the end of the game can be valued."""
        return self.heuristic >= 0 or self.formula is not None or self.function is not None

    @property
    def runs_python(self) -> bool:
        """Whether it calls a function in Python."""
        return self.function is not None

    cdef int call_function(self, ForwardModel model, int player, double* values) except -1:
        cdef int i
        if self.function is None:
            raise ValueError(
                f"{type(model).__name__} has no heuristics: give a function or formula; Expectimax and "
                "StarMinimax can also look ahead to the end, with depth alone"
            )
        if not model.needs_gil:   # compiled code trusts its positions: the function gets a copy
            model = model.c_clone()
        for i in range(model.num_players):
            if player != ALL_PLAYERS and i != player:
                continue
            answer = self.function(model, i)
            try:
                values[i] = answer
            except TypeError:
                raise TypeError(f"the heuristic must return a float, got {answer!r} for {model!r}") from None
            if not isfinite(values[i]):
                raise ValueError(f"the heuristic must be finite, got {values[i]} for {model!r}")
        return 0


def _check_zero_sum(model):
    """Raises ValueError if the returns of two players do not sum to 0 after random play.

    Once for each kind of game, because it takes longer than a short search. Games without an end pass.
    """
    kind = (type(model), model.num_actions, model.max_score())
    if model.num_players != 2 or kind in _ZERO_SUM:
        return
    for seed in range(PLAYOUTS):
        end = model.clone()
        try:
            end.rollout(seed)
        except RuntimeError:
            return
        returns = [float(value) for value in end.returns()]
        if not abs(sum(returns)) < 1e-6:
            raise ValueError(
                f"a formula values positions of zero-sum games for two players, got {model!r}, in which a "
                f"game ended with the returns {returns}"
            )
    _ZERO_SUM.add(kind)
