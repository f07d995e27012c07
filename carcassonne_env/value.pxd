"""The value: the lead over the best of the others that the forecast expects, or the score in a game for one,
corrected by a network.

The terms of the outlook are sums over the board. The network sees what is summed: the features that may
still grow or score, the open cells, and the pairs of features that a tile may join at a cell. Each is a row
of small numbers. All rows of a kind pass through the same two layers, and are summed then (Zaheer et al.
(2017), "Deep sets"):

    sum of a kind = sum over its rows of relu(second @ relu(first @ (row, share of tiles left)))
    position = terms of the player, terms of the rival, share of tiles left, lead by the forecast
    correction = output @ relu(hidden @ (position, sums of the three kinds)) + linear @ position

(biases are left out here). The rival is the other who can expect most. A player's rows have own numbers
before those of the others: the most meeples that any of them has, and whether any holds a feature. They are 0
in a game for one. The networks learned from positions after moves: those for one and two from the side of the
player who moved last, and that for three or more from any player's side. examples/learn_value.py trained them
on what comes eight moves later, and value-1.npz, value-2.npz and value-3.npz hold them.
"""

from libc.stdint cimport uint8_t

from .board cimport State
from .outlook cimport NUM_TERMS, View


# Rows of each kind. 72 tiles have at most 146 sides without a neighbour: so there are at most as many cities
# and roads that are not complete, as many open cells, and 219 pairs of sides at a cell. At most 72 cloisters
# and farms have meeples.
cdef enum:
    MAX_ROWS = 220

cdef enum:
    NUM_NETWORKS = 3             # of games for one, for two, and for three or more
    NUM_KINDS_OF_ROWS = 3
    MAX_INPUTS = 29              # of a row
    ROW_PLAYERS = MAX_INPUTS     # a row ends with what else its way through the layers rests on
    ROW_KIND
    ROW_LEFT                     # number of tiles left
    ROW_SIZE = 32
    MAX_SEEN = 2048              # rows kept, a power of two
    UNITS = 32                   # of the first layer of rows, and of the hidden layer
    SUMS = 16                    # of each kind of rows
    NUM_POSITION = 2 * NUM_TERMS + 2

cdef enum:
    FEATURES = 0
    CELLS = 1
    PAIRS = 2

# Inputs of a feature: a city or road that is not complete, or a cloister or farm with meeples. The first four
# say which, in the order of `Kind`. A cell is dead if no tile left fits, and shut if none closes the feature.
cdef enum:
    FEATURE_TILES = 4            # of a farm 0, as the next two
    FEATURE_SHIELDS
    FEATURE_ENDS
    FEATURE_CELLS                # cells where it ends
    FEATURE_MEEPLES              # of the player; of the others
    FEATURE_HELD = FEATURE_MEEPLES + 2      # whether the player holds it; any other
    FEATURE_EVER = FEATURE_HELD + 2         # 250 times the chance of completion
    FEATURE_SOON
    FEATURE_GROWTH               # 20 times the expected number of its cells that get a tile
    FEATURE_FITTING              # tiles left that fit its cells: fewest, most
    FEATURE_CLOSING = FEATURE_FITTING + 2   # that close it there: fewest, most
    FEATURE_DEAD = FEATURE_CLOSING + 2
    FEATURE_SHUT
    FEATURE_FAR                  # of a cloister: cells around it that are next to no tile
    FEATURE_COMPLETED            # of a farm: completed cities
    FEATURE_EXPECTED             # of a farm: 20 times the expected number of others that are completed
    FEATURE_UNFINISHED           # of a farm: these others
    FEATURE_FARMS                # of a city: farms beside it that the player holds; any other
    FEATURE_SHARED = FEATURE_FARMS + 2      # cells with other tiles beside them
    FEATURE_TIGHT                # cells that at most two tiles left fit
    NUM_FEATURE_INPUTS

# Inputs of an open cell. Those of a player count features that the player holds and that end there.
cdef enum:
    CELL_FITTING                 # tiles left that fit
    CELL_SIDES                   # sides with a tile; then those that are city, road and field
    CELL_PLAYERS = CELL_SIDES + 4
    HELD = 0                     # cities and roads
    HELD_POINTS                  # their points if the game ended now
    HELD_LAST                    # those that end nowhere else
    HELD_LAST_POINTS             # the points of these when they are complete
    HELD_CLOSING                 # tiles left that close such a one, at most
    HELD_CLOISTERS               # cloisters with meeples whose neighbour the cell is
    HELD_CITY_POINTS
    HELD_FARMS                   # whole sides of farms
    NUM_HELD
    CELL_FREE = CELL_PLAYERS + 2 * NUM_HELD   # cities and roads without meeples: number, points, last ones
    NUM_CELL_INPUTS = CELL_FREE + 3

# Inputs of two features of a kind that a tile left can join at a cell, one with meeples. The first of them is
# the one where the player has the greater majority; of equal ones, the one that promises more.
cdef enum:
    PAIR_IS_CITY
    PAIR_IS_ROAD
    PAIR_IS_FARM
    PAIR_JOINING                 # tiles left that join them
    PAIR_FINISHING               # that also complete the whole
    PAIR_LAST                    # whether both end nowhere else
    PAIR_FITTING
    PAIR_FEATURES
    PAIR_PROMISE = 0             # 4 times the points that a feature promises
    PAIR_MEEPLES                 # of the player; of the others
    PAIR_CELLS = PAIR_MEEPLES + 2
    PAIR_EVER
    PAIR_SHUT
    NUM_PAIR_FEATURE
    PAIR_HELD = PAIR_FEATURES + 2 * NUM_PAIR_FEATURE   # whether the player holds the whole; any other
    PAIR_CHANGES = PAIR_HELD + 2   # 4 times what the player gains, loses; the others
    NUM_PAIR_INPUTS = PAIR_CHANGES + 4


# The rows of a position, from the side of a player; unused inputs are 0.
ctypedef struct Rows:
    int count[NUM_KINDS_OF_ROWS]
    uint8_t of[NUM_KINDS_OF_ROWS][MAX_ROWS][ROW_SIZE]


# What the layers make of rows. It is kept, since positions that are compared share most of their rows.
ctypedef struct Seen:
    int layers_set               # how often `set_layers` had been called; 0 in a new one
    uint8_t rows[MAX_SEEN][ROW_SIZE]
    float sums[MAX_SEEN][SUMS]


# Fills the lead over the best of the others that each player can expect in a game that goes on, or the score
# in a game for one.
cdef void expect_leads(const State* state, View* view, Seen* seen, double* leads) noexcept nogil
# What the network sees of a position, from the side of a player.
cdef dict inputs_of(const State* state, View* view, int player)
