"""A tactics game as planners see it."""

cimport cython
from libc.stdint cimport uint8_t, uint64_t

from agents.forward_model cimport ForwardModel

from .board cimport BoardTable
from .state cimport Rules, State


@cython.final
cdef class TacticsModel(ForwardModel):
    cdef State state
    cdef Rules rules          # this and the table depend on the options alone
    cdef BoardTable table     # keeps alive what `rules.board` points to
    cdef set_rules(self, BoardTable table, int action_points, bint is_pruned, int max_turns)
    cdef set_up(self, units, hands, decks)
    cdef int take_over(self, turn, words, int last) except -1
    cdef add_unit(self, unit)
    cdef add_cards(self, int player, dict hand, dict deck)
    cdef uint64_t all_units(self) noexcept
    cdef str unit_text(self, unit)
    cdef str status(self)
    cdef int number_of(self, action) except -1
    cdef int square_of(self, name) except -1
    cdef str name_of(self, int square)
    cdef dict pile(self, const uint8_t* counts)
