"""A tactics game as planners see it."""

cimport cython
from libc.stdint cimport uint8_t

from agents.struct_model cimport StructModel

from .state cimport Rules, State
from .tables cimport BoardTable


@cython.final
cdef class TacticsModel(StructModel):
    cdef State state
    cdef Rules rules          # this and the table depend on the options alone
    cdef BoardTable table     # keeps alive what `rules.board` points to
    cdef set_rules(self, BoardTable table, int action_points, bint is_pruned, int max_turns)
    cdef set_up(self, units, hands, decks)
    cdef bint is_sound(self) except -1
    cdef add_unit(self, unit)
    cdef add_cards(self, int player, dict hand, dict deck)
    cdef str unit_text(self, unit)
    cdef str status(self)
    cdef int square_of(self, name) except -1
    cdef str name_of(self, int square)
    cdef dict pile(self, const uint8_t* counts)
