"""Formulas that value positions, compiled for one game.

The parts stand in prefix order, so the first operand of a function follows it. Only the parts that decide
the value run: `if` runs one branch, and logic stops as soon as its result is known. Introns are gone.
"""

from libc.stdint cimport uint8_t

from agents.forward_model cimport ForwardModel


cdef enum Operation:
    CONSTANT
    INDICATOR
    PLUS
    MINUS
    BRANCH
    LOWER_EQUAL
    AND
    OR
    NAND
    NOR
    NOT


ctypedef struct Part:
    uint8_t operation
    int second       # index of the second operand
    int third        # index of the third operand
    int kind         # of an indicator: its index in the game's `indicators`
    int place        # of an indicator: the index in its places
    double factor    # multiplies the value; the value of a constant


cdef class PositionProgram:
    cdef Part* parts
    cdef readonly int size             # number of parts
    cdef readonly tuple indicators     # those of the game
    # The player's return at the end of the game. Before it, the value x moved into [-1, 1] by x / (1 + |x|),
    # or -1 for NaN. `returns` has room for all players.
    cdef double c_worth(self, ForwardModel model, int player, double* returns) except? -1.5e308 nogil
    # Fills an estimate of each player's return, in [-1, 1] before the end: where one of two players is to
    # move, the value of the other one (who has usually just moved) and its opposite, elsewhere all values.
    cdef int c_values(self, ForwardModel model, double* values) except -1 nogil
