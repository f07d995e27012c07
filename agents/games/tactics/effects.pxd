"""What actions do, with all that a position keeps up to date of its units and cards."""

from libc.stdint cimport uint64_t

from .board cimport Board
from .state cimport State


# An empty board, no cards; the phase DEAL.
cdef void clear(State* state) noexcept nogil
cdef void add_cards(State* state, int player, int card, int in_hand, int in_deck) noexcept nogil
# Puts a unit on a free square, a crystal among them.
cdef void put(const Board* board, State* state, int player, int square, int code, int hp) noexcept nogil
cdef void destroy_bodies(const Board* board, State* state, int player, uint64_t squares) noexcept nogil
# A card of the deck comes to the hand.
cdef void take_card(State* state, int card) noexcept nogil
# A legal action, but for its action point and the end of the turn.
cdef void act(const Board* board, State* state, int number) noexcept nogil
