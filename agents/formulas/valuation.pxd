"""Valuations: estimates of returns by a game's heuristic, a formula, or a Python function."""

cimport cython
from agents.formulas.position_program cimport PositionProgram
from agents.forward_model cimport ForwardModel


cdef enum:
    ALL_PLAYERS = -1


@cython.final
cdef class Valuation:
    cdef readonly int heuristic      # index in the model's `heuristics`; -1 for one of the next two, or none
    cdef PositionProgram formula     # estimates the returns of all players, or None
    cdef object function             # function of (model, player) that estimates a return, or None
    # Fills estimates of the returns of all players; a function in Python is asked for `player` alone unless
    # that is ALL_PLAYERS. For positions in which the game is not over.
    cdef inline int c_values(self, ForwardModel model, int player, double* values) except -1 nogil:
        if self.heuristic >= 0:
            return model.c_heuristic(self.heuristic, values)
        if self.formula is not None:
            return self.formula.c_values(model, values)
        with gil:
            return self.call_function(model, player, values)

    cdef int call_function(self, ForwardModel model, int player, double* values) except -1
