"""A position of the tactics game as one plain C struct, and simple questions about it.

Actions are numbers: with S squares, ``kind * S * S + source * S + target`` for the four kinds of what units
do, then ``4 * S * S + card * S + target`` for a card that is played, then ``4 * S * S + 11 * S + card`` for
a card that goes back into the deck. Chance outcomes are cards.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint64_t

from agents.rng cimport rng_t

from agents.bits cimport has
from .tables cimport CLASSES, HAS_SCROLL, KIND_BITS, MAX_SQUARES, NUM_CARDS, TRAITS, Board


cdef enum Deed:
    MOVE
    ATTACK
    HEAL
    SWAP       # the last one of units; the number of their deeds is that of the next one
    PLAY       # a card
    RETURN     # a card, into the deck


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
    FULL = 100                  # percent
    POWER_OF_SQUARE = 100
    SCROLL_FACTOR = 3
    HEAL_FACTOR = 3             # of the power, for living units
    REVIVE_FACTOR = 2           # the same for bodies
    MAX_CHOICES = 3 * MAX_SQUARES + NUM_CARDS + 2   # with room for one that turns out empty
    MAX_ACTIONS = MAX_SQUARES * MAX_SQUARES + NUM_CARDS * MAX_SQUARES + NUM_CARDS


# Equal positions have equal bytes up to `last`. There is no padding before it. Where no unit stands, `hp` and
# `codes` are 0.
ctypedef struct State:
    uint64_t living[2]             # squares of each player's units with HP, crystals included
    uint64_t bodies[2]             # squares of each player's knocked-out units
    uint64_t crystals              # of both players
    uint64_t wounded               # living units below their maximum of hit points; crystals do not count
    rng_t rng                      # draws the cards where `is_deterministic`; else all zero
    int32_t value                  # the evaluation for player 0, wins and losses aside
    uint16_t turn                  # number of turns finished
    int16_t hp[MAX_SQUARES]        # hit points of the unit on each square; 0 if knocked out
    uint8_t codes[MAX_SQUARES]     # the unit on each square, see `tables.pxd`
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


ctypedef struct Action:
    # An action, its number decoded.
    int deed
    int subject   # the square of the unit that acts, or the card
    int target    # a square; 0 where a card goes back into the deck


ctypedef struct Choice:
    # Actions that differ in the target alone.
    int32_t first       # the number of the action with target 0
    uint64_t targets    # squares; cards, where they go back into the deck


cdef inline int first_play(const Board* board) noexcept nogil:
    """The number of the first action that plays a card."""
    return PLAY * board.num_squares * board.num_squares


cdef inline int first_return(const Board* board) noexcept nogil:
    """The number of the first action that puts a card back into the deck."""
    return first_play(board) + NUM_CARDS * board.num_squares


cdef inline int row_of(const Board* board, int number) noexcept nogil:
    """A number divided by that of the squares; exact up to 2**26, and faster than a division."""
    return <int> (number * board.inverse >> 32)


cdef inline Action decoded(const Board* board, int number) noexcept nogil:
    cdef Action action
    cdef int size = board.num_squares, row = row_of(board, number)
    action.target = number - row * size
    action.deed = row_of(board, row)
    action.subject = row - action.deed * size
    if action.deed >= PLAY:
        action.deed, action.subject = PLAY, row - PLAY * size
        if action.subject >= NUM_CARDS:
            action.deed, action.subject, action.target = RETURN, number - first_return(board), 0
    return action


cdef inline int kind_on(const State* state, int square) noexcept nogil:
    return state.codes[square] & KIND_BITS


cdef inline uint64_t all_living(const State* state) noexcept nogil:
    return state.living[0] | state.living[1]


cdef inline uint64_t troops(const State* state, int player) noexcept nogil:
    """The player's living units without his crystals."""
    return state.living[player] & ~state.crystals


cdef inline uint64_t enemies_around(const Board* board, const State* state, int square) noexcept nogil:
    """Those that an inferno on the square reaches, bodies included."""
    return board.around[square] & (state.living[1 - state.player] | state.bodies[1 - state.player])


cdef inline int power_on(const Board* board, const State* state, int square) noexcept nogil:
    """The power of the unit on a square."""
    cdef int code = state.codes[square]
    cdef int power = TRAITS[code].power + POWER_OF_SQUARE * has(board.power, square)
    return power * SCROLL_FACTOR if code & HAS_SCROLL else power


cdef inline int percent_of(const Board* board, const State* state, int source, int target) noexcept nogil:
    """How much of its power a unit brings to bear on a target."""
    if has(board.within[1][source], target):
        return CLASSES[kind_on(state, source)].adjacent_percent
    return FULL


cdef inline int healed_hp(const Board* board, const State* state, int source, int target) noexcept nogil:
    """The hit points of the target once a cleric has healed it."""
    cdef int factor = HEAL_FACTOR if state.hp[target] else REVIVE_FACTOR
    cdef int hp = state.hp[target] + factor * power_on(board, state, source)
    return min(hp, TRAITS[state.codes[target]].max_hp)
