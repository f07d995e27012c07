"""The state of a game of Carcassonne as one plain C struct, and the functions that advance it.

How a turn works on it. Every open cell (an empty cell next to a tile) knows the terrain that its
four sides ask for, packed in a code of one byte, and the features that end at them. Legality of a
placement is one look-up in a table [tile][code]; joining a tile joins its segments with these
features; then the tile's own free ends are written into the open cells around it.

Features are connected cities, roads, cloisters and farms. `parent` maps any feature id that was ever
handed out to the id it has been merged into, always in one step. The numbers of a feature are bytes
of one 64-bit word, so that merging two features adds two words (less the tiles they share):

    byte 0     open ends of a city or road, empty neighbours of a cloister: complete when 0
    byte 1     tiles (a cloister: its own and its filled neighbours; unused for farms)
    byte 2     shields
    byte 3 + p meeples of player p

Cells are addressed by x + ROW * y modulo NUM_CELLS. Two cells get one address only when they are at
least ROW steps apart (this is the perfect Lee code of radius (ROW - 1) / 2), which cells of one game
never are: tiles hang together, so all cells looked up lie within MAX_TILES + 2 steps.

The struct holds no pointer. Cloning is assignment; games of one configuration and one history are equal
byte by byte, unused entries included.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from agents.rng cimport rng_t


cdef enum:
    MAX_PLAYERS = 5
    MAX_TILES = 72                           # start tile included
    MAX_OPEN = 2 * MAX_TILES + 2             # no polyomino of n cells has more neighbours
    MAX_FEATURES = 4 + 6 * (MAX_TILES - 1)   # start tile, then at most 6 new ones a tile
    MAX_SEGMENTS = 8                         # of one tile
    MAX_SLOTS = MAX_SEGMENTS + 1             # meeple slots: none, then the segments
    MAX_TOUCHES = 2 * MAX_TILES              # (farm, city) pairs, at most two a tile
    NUM_TYPES = 24
    NUM_KINDS = 4                            # of features, see Kind
    ROW = 75                                 # MAX_TILES + 3, odd
    NUM_CELLS = 2813                         # (ROW * ROW + 1) / 2
    NO_TILE = 255
    NO_SEGMENT = 255

cdef enum Kind:
    CITY = 0
    ROAD = 1
    CLOISTER = 2
    FARM = 3


# Points of each player by kind of feature.
ctypedef struct Points:
    int16_t of[MAX_PLAYERS][NUM_KINDS]


# An empty cell next to a tile.
ctypedef struct OpenCell:
    uint16_t address
    int8_t x
    int8_t y
    # Ids (not resolved) of the features that end at side N, E, S, W, at its left half, its centre and
    # its right half as seen from this cell: the same three times unless the side is a road.
    uint16_t ends[4][3]
    uint32_t padding                  # to 32 bytes


ctypedef struct OpenCloister:
    uint16_t feature
    int8_t x
    int8_t y


ctypedef struct Tile:
    int8_t x
    int8_t y
    uint8_t type
    uint8_t rotation
    uint16_t features[MAX_SEGMENTS]   # ids (not resolved) of its segments, in the order of tiles.py


ctypedef struct Meeple:
    uint16_t feature   # id (not resolved) of the feature it stands on
    uint8_t tile       # index into tiles
    uint8_t segment    # index into the tile's segments
    uint8_t player


# A farm and a city that lie against each other on some tile (ids not resolved).
ctypedef struct Touch:
    uint16_t farm
    uint16_t city


ctypedef struct State:
    # Configuration, constant in a game
    int32_t max_score                 # normaliser of returns, points
    uint8_t num_players
    uint8_t num_meeples               # of each player at the start
    uint8_t is_deterministic          # whether `order` is known
    uint8_t is_two_step               # whether placing the tile and the meeple are two decisions
    uint8_t board_size                # side of the square of cells that may be used; 0 all
    uint8_t num_game_tiles            # tiles of the game, start tile included

    # Turn
    uint8_t mover                     # who places the current tile, or the next one to be drawn
    uint8_t current_tile              # type, or NO_TILE at chance nodes and at the end
    uint8_t is_over
    uint16_t chosen                   # 1 + the placement chosen in the first of two steps; 0 none
    uint8_t num_left                  # tiles in the bag
    uint8_t bag[NUM_TYPES]            # copies in the bag, the current tile not included
    uint8_t order[MAX_TILES]          # deterministic: the tiles to come are order[:num_left], last first

    # Players
    uint8_t hand[MAX_PLAYERS]         # meeples in hand
    Points points                     # scored so far; after the end with the final scoring

    # Board
    uint8_t num_tiles
    uint8_t num_open
    uint8_t num_meeples_placed
    uint8_t num_open_cloisters
    uint8_t num_touches
    uint8_t num_twin_tiles
    uint16_t num_features                          # ids handed out
    uint8_t open_code[MAX_OPEN]                    # terrain asked for, two bits a side, N lowest
    uint8_t cells[NUM_CELLS]                       # 0 nothing, 1 + tile, or 1 + MAX_TILES + open cell
    OpenCell open[MAX_OPEN]
    Tile tiles[MAX_TILES]                          # in order of placement
    Meeple meeples[MAX_TILES]
    OpenCloister open_cloisters[MAX_TILES]         # those with empty neighbours
    uint8_t twin_tiles[MAX_TILES]                  # tiles with two cities or several roads
    Touch touches[MAX_TOUCHES]
    uint64_t features[MAX_FEATURES]                # numbers of each feature, see above
    uint16_t parent[MAX_FEATURES + 1]              # the last entry belongs to no feature
    uint8_t kinds[MAX_FEATURES]                    # Kind of each feature


# A tile type in one rotation.
ctypedef struct Shape:
    uint8_t num_segments
    uint8_t num_counted         # cities and roads, which come first: the segments that count tiles
    uint8_t has_twins           # whether two of these are of one kind, so that they may meet
    uint8_t cloister            # segment, or NO_SEGMENT
    uint8_t num_touches
    uint8_t touches[2][2]       # farm and city segments that lie against each other
    uint8_t terrain[4]
    # Segment at the left half, the centre and the right half of each side: the same three times unless
    # the side is a road.
    uint8_t ends[4][3]
    uint8_t kinds[MAX_SEGMENTS]
    uint64_t numbers[MAX_SEGMENTS]   # of a feature that consists of this segment alone


cdef Shape SHAPES[NUM_TYPES][4]
cdef uint8_t ROTATIONS[NUM_TYPES][256]   # distinct rotations that fit the code of a cell, a bit each


# A placement packs an open cell, a rotation and a meeple slot: (open * 4 + rotation) * MAX_SLOTS + slot.
# An action does the same with the coordinates of the cell instead of its index, which changes with
# the history of the board. In two steps the first action has slot 0, the second is the slot alone.
cdef enum:
    MAX_COORDINATE = MAX_TILES
    SPAN = 2 * MAX_COORDINATE + 1
    NUM_TURNS = 4 * MAX_SLOTS
    NUM_ACTIONS = SPAN * SPAN * 4 * MAX_SLOTS
    MAX_LEGAL_ACTIONS = MAX_OPEN * 4 * MAX_SLOTS


# Lays the start tile and, in a deterministic game, draws the first tile. The configuration, the bag
# and the order must be set, all else zero.
cdef void start_game(State* state) noexcept nogil
# Puts the tiles of the bag in a random order.
cdef void shuffle(State* state, rng_t* rng) noexcept nogil
# Makes the game one of known, random order; a chance node becomes the position after its draw.
cdef void fix_order(State* state, rng_t* rng) noexcept nogil
# Legal actions of the mover, in no particular order; returns their number.
cdef int legal_actions(const State* state, int32_t* actions) noexcept nogil
# Puts legal actions first that touch many tiles, and among them those that set a meeple.
cdef void order_actions(const State* state, int32_t* actions, int count) noexcept nogil
cdef bint is_open(const State* state, int x, int y) noexcept nogil
cdef bint is_legal(const State* state, int32_t action) noexcept nogil
# A uniformly random legal action, by rejection.
cdef int32_t sample_action(const State* state, rng_t* rng) noexcept nogil
# A random outcome of a chance node: a type, with the probability of its share of the bag.
cdef int sample_type(const State* state, rng_t* rng) noexcept nogil
# Applies a legal action of the mover, or at a chance node a type that is in the bag.
cdef void apply_action(State* state, int32_t action) noexcept nogil
# Plays uniformly to the end; returns the number of actions and draws applied.
cdef int rollout(State* state, rng_t* rng) noexcept nogil
# The same with all placements of the tile equally likely, and then, with that probability, all segments that
# may get a meeple.
cdef int rollout_with_meeples(State* state, rng_t* rng, double probability) noexcept nogil
# Whether a state from outside is one that a game can be in, but for the points and the order in which
# meeples were set, so that no function reads or writes beyond its arrays.
cdef bint is_sound(const State* state) noexcept nogil
# Tiles that fitted nowhere so far.
cdef int num_discarded(const State* state) noexcept nogil
# Cells outside the square that lie next to a tile; there must be a board size.
cdef int num_cut_off(const State* state) noexcept nogil
# The points that the players would have if the game ended now.
cdef Points virtual_points(const State* state) noexcept nogil
# Sum over the kinds of features.
cdef int score(const Points* points, int player) noexcept nogil
# What players return with these points: the own score less the best other one (alone: the score), divided
# by the maximum score.
cdef void fill_leads(const State* state, const Points* points, double* returns) noexcept nogil


# The action at cell (x, y) with a turn, that is rotation * MAX_SLOTS + slot; and back.
cdef inline int32_t action_at(int x, int y, int turn) noexcept nogil:
    return ((x + MAX_COORDINATE) * SPAN + y + MAX_COORDINATE) * NUM_TURNS + turn


cdef inline int x_of(int32_t action) noexcept nogil:
    return action // (NUM_TURNS * SPAN) - MAX_COORDINATE


cdef inline int y_of(int32_t action) noexcept nogil:
    return action // NUM_TURNS % SPAN - MAX_COORDINATE


cdef inline int num_shields_of(uint64_t feature) noexcept nogil:
    return (feature >> 16) & 255


cdef inline int num_meeples_on(uint64_t feature, int player) noexcept nogil:
    return (feature >> (24 + 8 * player)) & 255


# Whether a city, road or cloister is complete; the feature must be resolved.
cdef inline bint is_complete(const State* state, int feature) noexcept nogil:
    return state.features[feature] & 255 == 0
