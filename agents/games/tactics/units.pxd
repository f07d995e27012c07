"""Units and cards as numbers, in the order of `terms.UNITS` and `terms.CARDS`, and what units can do."""

from libc.stdint cimport int16_t, uint64_t


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
