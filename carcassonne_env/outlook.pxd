"""The outlook: the final scores that a position lets expect, from its features and the tiles left.

The outlook of a player is a weighted sum of terms. Terms count what a player has and may get: points,
chances of completion from the tiles in the bag, meeples, features that may be joined. The weights were
learned from games that the outlook played against itself. A term has a weight for the start of the game,
for its middle and for its end; between them the weight is linear in the share of tiles left. The weights fit
games as long as those from which they were learned: the base game for two, and 24 tiles for one player. The
heuristic "forecast" has the same weights for the turns that a player has left. In shorter games it expects a
little too much, where the outlook expects more than twice what comes.

A tile of the bag that would close an open end of a feature has other uses, too. The chance that one of w
such tiles is laid there is w / (w + others), where `others` depends on the kind of the feature, on whether it
has meeples, and on whether one player or several lay tiles. A feature's chance is the product over the cells
that it needs, times `together` for each cell but one, as the cells compete for the same tiles. These numbers
were fitted to what became of the features in games that the outlook played against itself. A chance is worked
out twice: for the rest of the game, and for the player's next two turns (soon).
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from .board cimport (
    MAX_FEATURES, MAX_PLAYERS, MAX_TILES, NUM_TYPES, State, Tile, num_meeples_on, num_shields_of,
    num_tiles_of,
)


# A region is an unfinished city or road. A player holds a region, cloister or farm with as many meeples as
# anybody; all holders get its points. A term named ..._EVER is followed by its twin for the chance soon.
cdef enum:
    SCORED                  # points scored so far
    CITY_POINTS             # points of the cities held, if the game ended now
    CITY_COMPLETION_EVER    # the same, times the chance of tiles that close all ends; this doubles the points
    CITY_COMPLETION_SOON
    CITY_GROWTH             # expected number of open cells of the cities held that get a tile
    ROAD_POINTS
    ROAD_GROWTH
    CLOISTER_POINTS
    CLOISTER_GROWTH         # the same for the open cells around cloisters
    CLOISTER_FAR            # number of cells around cloisters that are next to no tile yet
    FARM_POINTS             # points of the farms held, from completed cities
    FARM_COMPLETION         # points that their unfinished cities would add, times the chance of completion
    FARM_HELD               # number of farms held
    FIRST_MEEPLE            # whether at least one, two, three meeples are in hand, and how many more
    SECOND_MEEPLE
    THIRD_MEEPLE
    FURTHER_MEEPLES
    CITY_RETURN_EVER        # expected number of meeples that the completion of cities returns
    CITY_RETURN_SOON
    ROAD_RETURN_EVER
    ROAD_RETURN_SOON
    CLOISTER_RETURN_EVER    # half of the tiles are taken to fit a cell that is next to no tile yet
    CLOISTER_RETURN_SOON
    CITY_PAIRS              # pairs of unfinished cities with own meeples
    STUCK                   # meeples on cities, roads and cloisters that the tiles left cannot complete
    OUTVOTED                # meeples on features where another player has more
    # Two features of a kind meet at a cell, and one of them has meeples. A tile that joins them there changes
    # the points that each player can hope for: of a road its points now, of a city these times 1 + the chance
    # of completion, of a farm those of its completed and expected cities (3 without meeples). Counted are the
    # changes times the chance of such a tile, gains apart from losses, for every pair of sides of every cell.
    # Farms count where whole sides are fields.
    CITY_GAIN_EVER
    CITY_GAIN_SOON
    CITY_LOSS_EVER          # at most 0
    CITY_LOSS_SOON
    ROAD_GAIN_EVER
    ROAD_GAIN_SOON
    ROAD_LOSS_EVER
    ROAD_LOSS_SOON
    FARM_GAIN_EVER
    FARM_GAIN_SOON
    FARM_LOSS_EVER
    FARM_LOSS_SOON
    # Points of unclaimed cities, times the share of the bag that fits into one of their cells (the best one);
    # for the mover, with a meeple in hand. At a chance node the mover is the player who draws next.
    FREE_CITY
    TO_MOVE                 # 1 for the mover
    FURTHER_POINTS          # 1 for every player
    NUM_TERMS

cdef enum:
    NUM_STAGES = 3              # of the game, with a weight each: its end, its middle, its start
    NUM_OWN_SETS = 2            # sets of weights of the package: for one player, and for several
    MAX_SETS = 16               # these, and others that `set_weights` adds
    MAX_REGIONS = 4 * MAX_TILES
    MAX_JOINS = 6 * MAX_TILES   # if a cell has four sides with a tile, six pairs of them
    MAX_FARMS = 64              # farms with meeples that are looked at
    MAX_ENTRIES = 8192
    OTHERS = 2                  # other uses of a tile that fits a cell, or joins two features there


# What one feature adds to a term of a player.
ctypedef struct Entry:
    uint16_t feature            # resolved id, or NO_FEATURE
    uint8_t player
    uint8_t term
    float amount


# The terms of a position.
ctypedef struct Tally:
    float terms[MAX_PLAYERS][NUM_TERMS]
    Entry* entries              # room for MAX_ENTRIES; or NULL, and no entry is written
    int num_entries


# How likely tiles are laid at the open ends of a feature.
ctypedef struct Demand:
    float others                # a tile is laid at one end with chance w / (w + others) if w tiles fit there
    float together              # factor for each cell but one, as the cells compete for the same tiles


ctypedef struct Chance:
    float ever                  # in the rest of the game
    float soon                  # in the player's next two turns: only this share of the tiles counts


# What the bag holds for an open cell with a given code.
ctypedef struct Offer:
    uint8_t fitting             # number of tiles that fit
    float growth                # chance that the cell gets a tile
    # Factors of the chance that a feature is closed which ends at the cell: at one of its four sides, or as a
    # cloister beside it. Without and with meeples on the feature.
    Chance closing[5][2]


# An unfinished city or road.
ctypedef struct Region:
    uint16_t feature
    uint8_t most_fitting        # tiles of the bag that fit into one of its cells, at most
    float growth                # expected number of its open cells that get a tile
    Chance closing[2]           # of closing all its ends, without and with meeples


# Two features of a kind that meet at a cell.
ctypedef struct Join:
    uint16_t first
    uint16_t second
    uint32_t types              # the tile types that join them, one bit each


# A farm with meeples.
ctypedef struct Farm:
    uint16_t feature
    uint8_t completed           # number of completed cities
    float expected              # expected number of its other cities that are completed


# The cells around a cloister that lack a tile.
ctypedef struct Surroundings:
    int far                     # number of those that are next to no tile yet
    float growth                # expected number of the others that get a tile
    Chance closing              # of filling all of them


# What the terms of a position rest on. A view keeps what it has seen: positions that are compared mostly have
# the same bag, and often the same tiles on the board. A new view has the `num_players` 0.
ctypedef struct View:
    # What it has seen
    uint8_t num_players
    uint8_t board_size
    uint8_t num_tiles
    uint8_t bag[NUM_TYPES]
    Tile tiles[MAX_TILES]
    int demands_set                   # how often `set_demands` had been called
    # From the bag
    const Demand (*demands)[2]        # by kind, without and with meeples
    float share_soon                  # share of the tiles left that is drawn in the next two turns
    uint8_t sums[6][16]               # by four tile types: tiles in the bag, by a set of these types
    Chance far[2]                     # as in an offer, for a cell next to no tile: half of the bag fits
    uint8_t offer_of[256]             # by code: 1 + offer, or 0
    int num_offers
    # From the tiles on the board
    uint16_t region_of[MAX_FEATURES]  # by resolved feature: 1 + region, or 0
    int num_regions
    int num_joins
    # From the meeples on it
    uint8_t farm_of[MAX_FEATURES]     # by resolved feature: 1 + farm, or 0
    int num_farms
    # The lists, of which few entries are in use
    Offer offers[255]
    Region regions[MAX_REGIONS]
    Join joins[MAX_JOINS]
    Farm farms[MAX_FARMS]


cdef uint32_t FITTING[256]         # by code: the tile types, one bit each, that fit a cell
cdef uint32_t CLOSING[256][4]      # by code and side: those that close the feature there
cdef uint32_t JOINING[256][4][4]   # by code and two sides: those that join the features there


cdef inline int num_in_bag(const View* view, uint32_t types) noexcept nogil:
    return (
        view.sums[0][types & 15]
        + view.sums[1][types >> 4 & 15]
        + view.sums[2][types >> 8 & 15]
        + view.sums[3][types >> 12 & 15]
        + view.sums[4][types >> 16 & 15]
        + view.sums[5][types >> 20 & 15]
    )


cdef inline int points_now(uint64_t numbers) noexcept nogil:
    """The points of an unfinished city or road if the game ended now."""
    return num_tiles_of(numbers) + num_shields_of(numbers)


cdef inline int most_meeples(const State* state, uint64_t numbers) noexcept nogil:
    cdef int player, most = 0
    for player in range(state.num_players):
        most = max(most, num_meeples_on(numbers, player))
    return most


cdef inline bint holds(const State* state, uint64_t numbers, int player) noexcept nogil:
    cdef int count = num_meeples_on(numbers, player)
    return count != 0 and count == most_meeples(state, numbers)


# The points that a feature promises to its holder; 3 for a farm without meeples.
cdef float promise_of(const State* state, const View* view, int feature) noexcept nogil
# Looks at a position.
cdef void view_position(const State* state, View* view) noexcept nogil
# The chance that an unfinished city or road is closed.
cdef Chance closing_of(const State* state, const View* view, int feature) noexcept nogil
# The surroundings of an unfinished cloister.
cdef Surroundings around_cloister(
    const State* state, View* view, int feature, int x, int y
) noexcept nogil
# Fills the terms of a position.
cdef void tally_terms(const State* state, View* view, Tally* tally) noexcept nogil
# The share of tiles that are left: 1 before the first draw, 0 at the end.
cdef double share_left(const State* state) noexcept nogil
# The turns that a player has left, as a share of those in the games from which the weights were learned: 71
# draws by two players, and 23 by one; at most 1.
cdef double turns_left(const State* state) noexcept nogil
# Fills the weights, one a term, when this share of the game is left.
cdef void fill_weights(int set, double share, double* weights) noexcept nogil
# Fills the expected final score of each player; at the end of the game the score.
cdef void expect_scores(
    const State* state, View* view, int set, double share, double* scores
) noexcept nogil
