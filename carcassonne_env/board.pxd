"""The state of a game of Carcassonne as one plain C struct, and the functions that advance it.

An open cell is an empty cell next to a tile. It stores the terrain that its four sides require, packed
in a code of one byte, and the segments of the tiles around that end at these sides. A look-up in a table
[tile][code] tells whether a tile fits. Placing a tile joins its segments with the features that end at
the cell, and then writes its own ends into the open cells around it.

Features are connected cities, roads, cloisters and farms. `feature_of` has the feature of every segment
of every tile. The numbers of a feature are bytes of one 64-bit word. Merging two features therefore adds
two words (and subtracts the tiles that both contain):

    byte 0     open ends of a city or road, empty neighbours of a cloister; 0 means complete
    byte 1     tiles (of a cloister: its own tile and its filled neighbours; unused for farms)
    byte 2     shields
    byte 3 + p meeples of player p

Bytes 0 and 1 of a cloister are kept up to date only while it has a meeple; `num_filled` counts without.

The address of a cell is x + ROW * y modulo NUM_CELLS. Two cells share an address only if they are at
least ROW steps apart (this is the perfect Lee code of radius (ROW - 1) / 2). This never happens within a
game: the tiles are connected, so all cells that are looked up lie within MAX_TILES + 2 steps.

The struct has no pointers, so an assignment clones it. Two games with the same configuration and the
same history are equal byte by byte, including unused entries.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from agents.rng cimport rng_t


cdef enum:
    MAX_PLAYERS = 5
    MAX_TILES = 72                           # start tile included
    MAX_OPEN = 2 * MAX_TILES + 2             # no polyomino of n cells has more neighbours
    FEATURES_PER_TILE = 5                    # a tile adds at most 5 to features plus open city sides
    MAX_FEATURES = FEATURES_PER_TILE * MAX_TILES
    MAX_SEGMENTS = 8                         # of one tile
    MAX_SLOTS = MAX_SEGMENTS + 1             # meeple slots: none, then the segments
    NUM_TYPES = 24
    NUM_KINDS = 4                            # of features, see Kind
    FARM_CITY_POINTS = 3                     # for each completed city beside it
    ROW = 75                                 # MAX_TILES + 3, odd
    NUM_CELLS = 2813                         # (ROW * ROW + 1) / 2
    HAS_TILE = MAX_OPEN + 1
    NO_TILE = 255
    NO_SEGMENT = 255
    NO_FEATURE = MAX_FEATURES                # `features` has an entry for it, which stays 0
    TO_JOIN = 1 << 15                        # while a tile is laid: the segment has joined no feature yet

cdef enum Kind:
    CITY = 0
    ROAD = 1
    CLOISTER = 2
    FARM = 3

# What the code of a cell requires at a side, and what a tile has there.
cdef enum Terrain:
    ANY = 0
    CITY_SIDE = 1
    ROAD_SIDE = 2
    FIELD_SIDE = 3

# The three ends at a side. They belong to different segments only on road sides.
cdef enum:
    LEFT = 0
    CENTRE = 1
    RIGHT = 2
    MAX_ENDS = 4   # end numbers are MAX_ENDS * side + (LEFT, CENTRE or RIGHT)

cdef enum:
    MEEPLES = 24   # first bit of the meeple counts in the numbers of a feature


# Points of each player by kind of feature.
ctypedef struct Points:
    int16_t of[MAX_PLAYERS][NUM_KINDS]


ctypedef struct Tile:
    int8_t x
    int8_t y
    uint8_t type
    uint8_t rotation


ctypedef struct Meeple:
    uint8_t tile       # index into tiles
    uint8_t segment    # index into the tile's segments
    uint8_t player


ctypedef struct State:
    # Configuration, constant during a game
    int32_t max_score                 # points by which returns are divided
    uint8_t num_players
    uint8_t num_meeples               # of each player at the start
    uint8_t is_deterministic          # whether `order` is known
    uint8_t is_two_step               # whether placing the tile and the meeple are two decisions
    uint8_t board_size                # side of the square of usable cells; 0: no bound
    uint8_t num_game_tiles            # tiles of the game, start tile included

    # Turn
    uint8_t mover                     # player who places the current tile, or at a chance node the next one
    uint8_t current_tile              # type, or NO_TILE at chance nodes and at the end
    uint8_t is_over
    uint16_t chosen                   # 1 + the placement chosen in the first of two steps; 0: none
    uint8_t num_left                  # tiles in the bag
    uint8_t bag[NUM_TYPES]            # copies in the bag, without the current tile
    uint8_t order[MAX_TILES]          # if deterministic: the next tiles are order[:num_left], last first

    # Players
    uint8_t hand[MAX_PLAYERS]         # meeples in hand
    Points points                     # scored so far; after the end including the final scoring

    # Board
    uint8_t num_tiles
    uint8_t num_open
    uint8_t num_meeples_placed
    uint8_t num_open_cloisters
    uint8_t num_twin_tiles
    uint16_t num_features                          # number of ids assigned
    uint8_t cells[NUM_CELLS]                       # 0: nothing; 1 + open cell; or HAS_TILE
    # Open cells: empty cells next to a tile. The last entry of the next three stands for all cells with a
    # tile. It is written, but never read.
    uint8_t open_code[MAX_OPEN + 1]                # required terrain, two bits per side, N lowest
    uint32_t open_spot[MAX_OPEN + 1]               # where the cell is, see `spot_of`
    # What ends at sides N, E, S, W: the tile in bits 9 to 15, and its segments at the left half, the centre
    # and the right half as seen from this cell, three bits each. Of sides without a tile: anything.
    uint16_t open_ends[MAX_OPEN + 1][4]
    Tile tiles[MAX_TILES]                          # in order of placement
    uint16_t feature_of[MAX_TILES][MAX_SEGMENTS]   # by tile and segment; NO_FEATURE: the tile has fewer
    Meeple meeples[MAX_TILES]
    uint8_t open_cloisters[MAX_TILES]              # tiles, oldest first, whose cloister has a meeple
    uint8_t twin_tiles[MAX_TILES]                  # tiles with two cities or several roads
    uint64_t features[MAX_FEATURES + 1]            # numbers of each feature, packed as described above
    uint8_t kinds[MAX_FEATURES + 1]                # Kind of each feature


# A position without its history: the order in which tiles and meeples came is left out. Padding is 0.
ctypedef struct Position:
    uint8_t head[256]             # all fields of a state before those of the board, but the next one
    int32_t chosen                # the action chosen in the first of two steps; -1: none
    uint8_t num_tiles
    uint8_t num_meeples
    uint32_t tiles[MAX_TILES]     # cell, type and rotation of each tile, ascending
    uint32_t meeples[MAX_TILES]   # cell, segment and player of each meeple, ascending


# A tile type in one rotation.
ctypedef struct Shape:
    uint8_t num_segments
    uint8_t num_counted         # number of cities and roads, which come first; only they count tiles
    uint8_t has_twins           # whether two of these have the same kind, so that they may merge
    uint8_t cloister            # segment, or NO_SEGMENT
    uint8_t terrain[4]
    uint8_t required[4]              # by side: what the neighbouring cell has to require in its code
    uint8_t segments[4 * MAX_ENDS]   # by end
    uint8_t closed[4 * MAX_ENDS]     # by end: open ends that it closes where it meets another, 2 or 0
    uint16_t ends                    # one bit each: the centres of all sides, and the halves of road sides
    uint16_t outward[4]              # by side: its segments as an open cell stores them, without the tile
    uint16_t features[MAX_SEGMENTS]  # NO_FEATURE for those that it does not have, TO_JOIN for the others
    uint8_t kinds[MAX_SEGMENTS]
    uint64_t numbers[MAX_SEGMENTS]   # numbers of a feature that consists of this segment only


# The sides of a cell with a given code that have a neighbouring tile.
ctypedef struct SideList:
    uint8_t num_neighbours
    uint8_t sides[4]
    uint16_t ends               # one bit each


# The segments of a tile type that are adjacent farms and cities.
ctypedef struct TouchList:
    uint8_t count
    uint8_t farms[2]
    uint8_t cities[2]


cdef SideList SIDE_LISTS[256]
cdef TouchList TOUCHES[NUM_TYPES]
cdef Shape SHAPES[NUM_TYPES][4]
cdef uint8_t ROTATIONS[NUM_TYPES][256]   # bit r: rotation r is distinct and fits the code of a cell


# A placement packs an open cell, a rotation and a meeple slot: see `placement_of`. An action packs the
# coordinates of the cell instead of its index, because the index depends on the history of the board. In two
# steps, the first action has slot 0, and the second action is the slot.
cdef enum:
    MAX_COORDINATE = MAX_TILES
    SPAN = 2 * MAX_COORDINATE + 1
    NUM_POSES = 4 * MAX_SLOTS
    NUM_ACTIONS = SPAN * SPAN * 4 * MAX_SLOTS
    MAX_LEGAL_ACTIONS = MAX_OPEN * 4 * MAX_SLOTS

cdef enum:
    ALL_SEATS = -1   # in place of one seat


# Places the start tile and, in a deterministic game, draws the first tile. The configuration, the bag
# and the order must be set, and all other fields must be zero.
cdef void start_game(State* state) noexcept nogil
# Puts the tiles of the bag in a random order.
cdef void shuffle(State* state, rng_t* rng) noexcept nogil
# Makes the game deterministic with a random order; at a chance node, also draws the next tile.
cdef void fix_order(State* state, rng_t* rng) noexcept nogil
# Legal placements of the mover, cell by cell, or in the second of two steps those at the chosen cell; returns
# their number.
cdef int legal_placements(const State* state, int32_t* placements) noexcept nogil
# The same as actions, in no particular order.
cdef int legal_actions(const State* state, int32_t* actions) noexcept nogil
# Sorts legal actions: those that touch more tiles first, and among equals those with a meeple first.
cdef void order_actions(const State* state, int32_t* actions, int count) noexcept nogil
cdef bint is_open(const State* state, int x, int y) noexcept nogil
cdef bint is_legal(const State* state, int32_t action) noexcept nogil
# A uniformly random legal action, by rejection sampling.
cdef int32_t sample_action(const State* state, rng_t* rng) noexcept nogil
# A random outcome of a chance node: a type, with probability equal to its share of the bag.
cdef int sample_type(const State* state, rng_t* rng) noexcept nogil
# Applies a legal action of the mover, or at a chance node an outcome: a type that is in the bag.
cdef void apply_action(State* state, int32_t action) noexcept nogil
# Draws tiles and plays random moves of the others until a seat, or any of `ALL_SEATS`, is to
# move or the game is over.
cdef void go_on(State* state, rng_t* rng, int seat) noexcept nogil
# Plays uniformly random actions to the end; returns the number of actions and draws applied.
cdef int rollout(State* state, rng_t* rng) noexcept nogil
# Like rollout, but draws the placement of each tile uniformly. It then places a meeple with the given
# probability, on a segment drawn uniformly from those that may get one.
cdef int rollout_with_meeples(State* state, rng_t* rng, double probability) noexcept nogil
# Puts a meeple of the mover on a segment of a tile on the board; on cloisters in the order of the tiles.
cdef void put_meeple(State* state, int tile, int segment) noexcept nogil
# Whether a state from an untrusted source is one that a game can be in; then no function reads or writes
# beyond its arrays. Not checked are the points, when meeples were set, and that none is on the start tile.
cdef bint is_sound(const State* state) noexcept nogil
# Fills a position with what equality and hash compare.
cdef void fill_position(const State* state, Position* position) noexcept nogil
# The current tile as if it lay where the first of two steps has put it.
cdef Tile chosen_tile(const State* state) noexcept nogil
# Number of tiles discarded so far because they fitted nowhere.
cdef int num_discarded(const State* state) noexcept nogil
# Whether a cell lies outside the square of usable cells, which has the start tile in its middle; the state
# must have a board size.
cdef bint is_outside(const State* state, int x, int y) noexcept nogil
# Number of tiles in the square of nine cells around a cell.
cdef int num_filled(const State* state, int x, int y) noexcept nogil
# Number of cells next to a tile that lie outside the square; the state must have a board size.
cdef int num_cut_off(const State* state) noexcept nogil
# The points that the players would have if the game ended now.
cdef Points virtual_points(const State* state) noexcept nogil
# The points of a player, summed over the kinds of features.
cdef int score(const Points* points, int player) noexcept nogil
# The players' returns for given points: the score minus the best other score (with one player: the
# score), divided by the maximum score.
cdef void fill_leads(const State* state, const Points* points, double* returns) noexcept nogil
# The same for given scores.
cdef void fill_leads_of(const State* state, const double* scores, double* returns) noexcept nogil
# The lead of a player in points.
cdef double lead_of(const State* state, const double* scores, int player) noexcept nogil


cdef inline int placement_of(int open, int rotation, int slot) noexcept nogil:
    return open << 6 | rotation << 4 | slot


cdef inline int open_of(int placement) noexcept nogil:
    return placement >> 6


cdef inline int rotation_of(int placement) noexcept nogil:
    return placement >> 4 & 3


cdef inline int slot_of(int placement) noexcept nogil:
    return placement & 15


# The action at cell (x, y), where pose is rotation * MAX_SLOTS + slot. The next functions unpack it.
cdef inline int32_t action_at(int x, int y, int pose) noexcept nogil:
    return ((x + MAX_COORDINATE) * SPAN + y + MAX_COORDINATE) * NUM_POSES + pose


cdef inline int x_of(int32_t action) noexcept nogil:
    return action // (NUM_POSES * SPAN) - MAX_COORDINATE


cdef inline int y_of(int32_t action) noexcept nogil:
    return action // NUM_POSES % SPAN - MAX_COORDINATE


cdef inline int dx_of(int side) noexcept nogil:
    """The step to the east, -1 to 1, that leads to the neighbour at a side."""
    return (2 - side) * (side & 1)


cdef inline int dy_of(int side) noexcept nogil:
    return (1 - side) * (1 - (side & 1))


cdef inline uint32_t shifted(uint32_t address, int offset) noexcept nogil:
    """The address plus `offset`, wrapped around; -NUM_CELLS <= offset < NUM_CELLS."""
    address += offset + NUM_CELLS if offset < 0 else offset
    return address - NUM_CELLS if address >= NUM_CELLS else address


cdef inline uint32_t address_of(int x, int y) noexcept nogil:
    return shifted(NUM_CELLS // 2, (x + ROW * y) % NUM_CELLS)   # puts the start tile far from the wrap-around


# Where a cell is: its address in bits 0 to 15, x + 128 in the next byte and y + 128 in the last one. So one
# addition, and a wrap-around of the address, lead to a neighbour.
cdef inline uint32_t spot_of(int x, int y) noexcept nogil:
    return address_of(x, y) | (x + 128) << 16 | <uint32_t> (y + 128) << 24


cdef inline uint32_t address_in(uint32_t spot) noexcept nogil:
    return spot & 0xFFFF


cdef inline int x_in(uint32_t spot) noexcept nogil:
    return <int> (spot >> 16 & 0xFF) - 128


cdef inline int y_in(uint32_t spot) noexcept nogil:
    return <int> (spot >> 24) - 128


cdef inline uint32_t spot_beside(uint32_t spot, int side) noexcept nogil:
    """The neighbouring cell at a side."""
    cdef int dx = dx_of(side), dy = dy_of(side), offset = dx + ROW * dy
    spot += (offset + NUM_CELLS if offset < 0 else offset) + (<uint32_t> dx << 16) + (<uint32_t> dy << 24)
    return spot - NUM_CELLS if address_in(spot) >= NUM_CELLS else spot


cdef inline int num_tiles_of(uint64_t feature) noexcept nogil:
    return (feature >> 8) & 255


cdef inline int num_shields_of(uint64_t feature) noexcept nogil:
    return (feature >> 16) & 255


cdef inline int num_meeples_on(uint64_t feature, int player) noexcept nogil:
    return (feature >> (MEEPLES + 8 * player)) & 255


cdef inline bint has_meeples(uint64_t feature) noexcept nogil:
    return feature >> MEEPLES != 0


# The counts of meeples alone.
cdef inline uint64_t meeples_of(uint64_t feature) noexcept nogil:
    return feature >> MEEPLES << MEEPLES


# The feature of a tile's segment at an end: the end of a side in an open cell, and LEFT, CENTRE or RIGHT.
cdef inline uint32_t feature_at(const State* state, uint32_t end, uint32_t half) noexcept nogil:
    return state.feature_of[end >> 9][end >> 3 * half & 7]


# Whether a city or road is complete, or a cloister with a meeple.
cdef inline bint is_complete(const State* state, int feature) noexcept nogil:
    return state.features[feature] & 255 == 0


# The feature of a tile's cloister.
cdef inline int cloister_of(const State* state, int tile) noexcept nogil:
    return state.feature_of[tile][SHAPES[state.tiles[tile].type][0].cloister]


# The feature on which a meeple stands.
cdef inline int meeple_feature(const State* state, int meeple) noexcept nogil:
    return state.feature_of[state.meeples[meeple].tile][state.meeples[meeple].segment]
