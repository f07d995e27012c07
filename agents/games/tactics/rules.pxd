"""What actions do, and the course of the game: turns, draws and the end."""

from libc.stdint cimport uint8_t

from agents.rng cimport rng_t

from .state cimport Rules, State
from .tables cimport Board


# An empty board, no cards; the phase DEAL.
cdef void clear(State* state) noexcept nogil
# Adds cards to the player's hand and deck; numbers below 0 take cards away.
cdef void add_cards(State* state, int player, int card, int in_hand, int in_deck) noexcept nogil
# Puts a unit on a free square, a crystal among them.
cdef void put(const Board* board, State* state, int player, int square, int code, int hp) noexcept nogil
# The crystals and the decks at the start of a game; `proceed` is to follow.
cdef void start(const Rules* rules, State* state, const uint8_t* deck) noexcept nogil
# Goes on to the next decision, chance event or end: draws the cards that no chance event draws, and ends
# turns in which nothing is legal.
cdef void proceed(const Rules* rules, State* state) noexcept nogil
# The same after an action of the player, or where he is to act: the game may be over, or the turn.
cdef void settle(const Rules* rules, State* state) noexcept nogil
# Notes the winner, if there is one; returns whether the game is over. `player` has just acted.
cdef bint decide(State* state) noexcept nogil
# Advances by an action, or by an outcome at a chance event.
cdef void apply(const Rules* rules, State* state, int action) noexcept nogil
# The cards that can be drawn, from the first to before the second; returns the sum of their counts.
cdef int find_pool(const State* state, int* first, int* end) noexcept nogil
cdef int draw_card(const State* state, rng_t* rng) noexcept nogil
# Plays at random to the end; returns the number of actions and draws.
cdef int play_out(const Rules* rules, State* state, rng_t* rng) noexcept nogil
# Whether the rules can lead to this phase in this position; units and cards are taken for granted.
cdef bint is_sound(const Rules* rules, const State* state) noexcept nogil
