"""A position of the tactics game as one plain C struct, and the rules that advance it.

Actions are numbers: with S squares, ``kind * S * S + source * S + target`` for the four kinds of what units
do, then ``4 * S * S + card * S + target`` for a card that is played, then ``4 * S * S + 11 * S + card`` for
a card that goes back into the deck. Chance outcomes are cards.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint64_t

from agents.rng cimport rng_t

from .board cimport MAX_SQUARES, Board
from .units cimport NUM_CARDS


cdef enum:
    # What units do.
    MOVE
    ATTACK
    HEAL
    SWAP
    NUM_DEEDS


cdef enum Phase:
    DEAL    # the first hands are dealt, player 0's first
    DRAW    # the player's turn is over, and he fills his hand
    ACT     # the player acts
    OVER


cdef enum:
    HAND_SIZE = 6
    UNITS_DEALT = 3             # units of a first hand
    FIRST_ACTION_POINTS = 3     # of the first turn of a game, at most
    NOBODY = -1
    NO_ACTION = -1
    VICTORY = 60000             # the evaluation of a win
    MAX_CHOICES = 3 * MAX_SQUARES + NUM_CARDS + 2   # with room for one that turns out empty
    MAX_ACTIONS = MAX_SQUARES * MAX_SQUARES + NUM_CARDS * MAX_SQUARES + NUM_CARDS


# Equal positions have equal bytes up to `last`. There is no padding before it. Where no unit stands, `hp` and
# `codes` are 0.
ctypedef struct State:
    uint64_t living[2]             # squares of each player's units that are not knocked out, with his crystals
    uint64_t bodies[2]             # squares of each player's knocked-out units
    uint64_t crystals              # of both players
    uint64_t wounded               # living units below their maximum of hit points; crystals do not count
    rng_t rng                      # draws the cards where `is_deterministic`; else all zero
    int32_t value                  # the evaluation for player 0, wins and losses aside
    uint16_t turn                  # number of turns finished
    int16_t hp[MAX_SQUARES]        # hit points of the unit on each square; 0 if knocked out
    uint8_t codes[MAX_SQUARES]     # the unit on each square, see `units.pxd`
    uint8_t hands[2][NUM_CARDS]    # number of each card in each player's hand
    uint8_t decks[2][NUM_CARDS]    # the same of the decks
    uint8_t hand_sizes[2]          # sums of `hands`
    uint8_t deck_sizes[2]          # sums of `decks`
    uint8_t unit_cards[2]          # unit cards in hand and deck of each player
    uint8_t action_points          # left in this turn; 0 unless the phase is ACT
    uint8_t player                 # who acts, draws or is dealt cards; at the end who acted last
    uint8_t phase                  # a Phase
    int8_t winner                  # 0, 1 or NOBODY, which in the phase OVER is a draw
    int32_t is_deterministic       # whether `rng` draws the cards
    int32_t last                   # the last action of a player, or NO_ACTION; it does not count for equality


ctypedef struct Rules:
    # What does not change in a game.
    const Board* board
    int action_points   # of a turn
    int max_turns
    bint is_pruned      # whether weak actions are left out, see `TacticsModel`


ctypedef struct Choice:
    # Actions that differ in the target alone.
    int32_t first       # the number of the action with target 0
    uint64_t targets    # squares; cards, where they go back into the deck


# An empty board, no cards; the phase DEAL.
cdef void clear(State* state) noexcept nogil
cdef void add_cards(State* state, int player, int card, int in_hand, int in_deck) noexcept nogil
# The crystals and the decks at the start of a game; `proceed` is to follow.
cdef void start(const Rules* rules, State* state, const uint8_t* deck) noexcept nogil
# Puts a unit on a free square, a crystal among them; nothing about the rules is asked.
cdef void put(const Board* board, State* state, int player, int square, int code, int hp) noexcept nogil
# Goes on to the next decision, chance event or end: draws the cards that no chance event draws, and ends
# turns in which nothing is legal.
cdef void proceed(const Rules* rules, State* state) noexcept nogil
# The same after an action of the player, or where he is to act: the game may be over, or the turn.
cdef void settle(const Rules* rules, State* state) noexcept nogil
# Notes the winner, if there is one; returns whether the game is over. `player` has just acted.
cdef bint decide(State* state) noexcept nogil
cdef bint can_draw(const State* state) noexcept nogil
# Fills `choices`, MAX_CHOICES at most, and returns their number.
cdef int find_choices(const Rules* rules, const State* state, Choice* choices) noexcept nogil
# Whether the player has any action, weak ones included.
cdef bint has_action(const Rules* rules, const State* state) noexcept nogil
cdef bint is_legal(const Rules* rules, const State* state, int action) noexcept nogil
cdef int sample_action(const Rules* rules, const State* state, rng_t* rng) noexcept nogil
# Advances by an action, or by an outcome at a chance event.
cdef void apply(const Rules* rules, State* state, int action) noexcept nogil
# The cards that can be drawn, from the first to before the second; returns the sum of their counts.
cdef int find_pool(const State* state, int* first, int* end) noexcept nogil
cdef int draw_card(const State* state, rng_t* rng) noexcept nogil
cdef int play_out(const Rules* rules, State* state, rng_t* rng) noexcept nogil
# Sorts legal actions, those that look strong first.
cdef void order(const Rules* rules, const State* state, int32_t* actions, int count) noexcept nogil
# Whether the rules can lead to this phase in this position; units and cards are taken for granted.
cdef bint is_sound(const Rules* rules, const State* state) noexcept nogil
