"""The tables of the game: what units and cards are, and the squares of a board.

Units and cards are numbers, in the order of `terms.UNITS` and `terms.CARDS`. Square ``row * width + column``
is the bit of that number in sets of squares; row 0 is the northern one, column 0 the western one.
"""

from libc.stdint cimport int8_t, int16_t, uint64_t


# --- Units and cards ---

cdef enum:
    KNIGHT
    ARCHER
    CLERIC
    WIZARD
    NINJA
    CRYSTAL
    NUM_KINDS


cdef enum:
    # The cards: the units but the crystal, by their numbers above, and the items.
    FIRST_ITEM = 5
    INFERNO = 5
    RUNEMETAL = 6
    DRAGONSCALE = 7
    HELM = 8
    POTION = 9
    SCROLL = 10
    NUM_CARDS = 11


cdef enum:
    # A unit's code is one byte: its kind, and a bit for each item that it carries.
    KIND_BITS = 7
    HAS_RUNEMETAL = 8
    HAS_DRAGONSCALE = 16
    HAS_HELM = 32
    HAS_SCROLL = 64
    NUM_CODES = 128


cdef enum:
    MAX_REACH = 3   # of moves and attacks


ctypedef struct UnitClass:
    int hp                  # hit points, before any armour
    int speed               # squares of a move
    int range               # squares of an attack; 0 for units that cannot attack
    int power
    int physical            # resistance in percent
    int magical             # the same against magical attacks
    int adjacent_percent    # of the power, in attacks on a neighbour
    bint is_magical         # whether its attacks are


ctypedef struct Traits:
    # What depends on a unit's code alone.
    int16_t max_hp
    int16_t power      # with runemetal, but without the scroll
    int16_t physical   # resistance in percent
    int16_t magical
    int16_t worth      # in the evaluation, on and off its feet: class HP and equipment


cdef UnitClass CLASSES[NUM_KINDS]
cdef Traits TRAITS[NUM_CODES]
cdef int ITEM_BITS[NUM_CARDS]     # the bit of each item that units carry, 0 for other cards
cdef int CARD_WORTH[NUM_CARDS]    # of a card in hand or deck, in the evaluation


# --- Boards ---

cdef enum:
    MAX_SQUARES = 64


cdef enum:
    # Directions, in the order in which a wizard's lightning prefers them.
    NORTH
    EAST
    WEST
    SOUTH
    NORTH_EAST
    NORTH_WEST
    SOUTH_EAST
    SOUTH_WEST
    NUM_DIRECTIONS


ctypedef struct Board:
    int width
    int height
    int num_squares
    uint64_t inverse                                # 2**32 / num_squares, rounded up
    uint64_t squares                                # all of them
    uint64_t deploy[2]                              # of each player
    uint64_t crystals[2]                            # of each player, at the start of the game
    uint64_t assault
    uint64_t defence
    uint64_t power
    uint64_t within[MAX_REACH + 1][MAX_SQUARES]     # others at a Manhattan distance of at most so many
    uint64_t around[MAX_SQUARES]                    # the square itself and its up to 8 neighbours
    # The squares whose units block the sight between two squares: those that the segment between the centres
    # touches, without the two. None between neighbours, the diagonal ones included.
    uint64_t between[MAX_SQUARES][MAX_SQUARES]
    int8_t neighbours[MAX_SQUARES][NUM_DIRECTIONS]  # the next square in each direction, or -1
    int16_t worth[NUM_KINDS][MAX_SQUARES]           # of a square to a kind of unit, in the evaluation


cdef class BoardTable:
    cdef Board board
    cdef readonly tuple rows   # of text, see `boards.py`


# From one square to another one: the direction by the signs of the steps.
cdef int direction_between(const Board* board, int source, int target) noexcept nogil
# The direction back.
cdef int OPPOSITE[NUM_DIRECTIONS]
