# distutils: extra_compile_args = -O3
"""The outlook of a position: its terms and their weights. No function on positions needs the GIL."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agents.files import write_file

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from .board cimport (
    ANY, CENTRE, CITY, CITY_SIDE, CLOISTER, FARM, FIELD_SIDE, HAS_TILE, MAX_ENDS, MAX_FEATURES, MAX_PLAYERS,
    NO_FEATURE, NUM_TYPES, ROAD, ROAD_SIDE, ROTATIONS, ROW, SHAPES, SIDE_LISTS, TOUCHES, Shape, SideList,
    State, Tile, TouchList, address_of, cloister_of, dx_of, dy_of, feature_at, has_meeples, is_complete,
    is_outside, meeple_feature, meeples_of, num_meeples_on, num_tiles_of, score, shifted,
)


cdef enum:
    BESIDE = 4   # index in the `closing` of an offer: of cloisters

cdef Demand DEMANDS[NUM_OWN_SETS][CLOISTER + 1][2]   # by set and kind; without and with meeples
cdef int demands_set = 0
cdef double WEIGHTS[MAX_SETS][NUM_TERMS][NUM_STAGES]


# --- Tables, computed at import ---


cdef _fill_tables():
    cdef int code, type, rotation, side, other
    cdef const Shape* shape
    for code in range(256):
        for type in range(NUM_TYPES):
            for rotation in range(4):
                if not ROTATIONS[type][code] >> rotation & 1:
                    continue
                shape = &SHAPES[type][rotation]
                FITTING[code] |= 1 << type
                for side in range(4):
                    CLOSING[code][side] |= is_closed(shape, code, side) << type
                    for other in range(4):
                        JOINING[code][side][other] |= are_one(shape, side, other) << type


cdef bint are_one(const Shape* shape, int side, int other) noexcept:
    return shape.segments[MAX_ENDS * side + CENTRE] == shape.segments[MAX_ENDS * other + CENTRE]


cdef bint is_closed(const Shape* shape, int code, int side) noexcept:
    """Whether the tile's segment at a side has no end at a free side."""
    cdef int other
    for other in range(4):
        if are_one(shape, side, other) and code >> 2 * other & 3 == ANY:
            return False
    return True


_fill_tables()


# --- Chances ---


cdef void count_bag(const State* state, View* view) noexcept nogil:
    """Works out what follows from the bag and the number of players alone."""
    cdef int part, type, types
    for part in range(6):
        view.sums[part][0] = 0
        for type in range(4):
            for types in range(1 << type):
                view.sums[part][types + (1 << type)] = view.sums[part][types] + state.bag[4 * part + type]
    view.demands = DEMANDS[state.num_players > 1]
    view.share_soon = min(1.0, 2.0 * state.num_players / max(state.num_left, 1))
    memset(view.offer_of, 0, sizeof(view.offer_of))
    view.num_offers = 0
    fill_closing(view, CLOISTER, state.num_left // 2, view.far)


cdef inline Chance chance_of(const View* view, int wanted, float others) noexcept nogil:
    """The chance that one of the wanted tiles is drawn and laid where it serves the purpose."""
    cdef Chance chance
    cdef float soon = wanted * view.share_soon
    chance.ever = wanted / (wanted + others)
    chance.soon = soon / (soon + others)
    return chance


cdef inline void fill_closing(const View* view, int kind, int wanted, Chance* closing) noexcept nogil:
    """Fills the factors of an end of a feature that so many tiles of the bag close."""
    cdef const Demand* demand
    cdef int held
    for held in range(2):
        demand = &view.demands[kind][held]
        closing[held] = chance_of(view, wanted, demand.others)
        closing[held].ever *= demand.together
        closing[held].soon *= demand.together


cdef inline void multiply(Chance* closing, const Chance* factor) noexcept nogil:
    closing.ever *= factor.ever
    closing.soon *= factor.soon


cdef inline const Offer* offer_of(View* view, int code) noexcept nogil:
    """What the bag holds for a cell with this code, worked out where it is met first."""
    if view.offer_of[code] == 0:
        add_offer(view, code)
    return &view.offers[view.offer_of[code] - 1]


cdef void add_offer(View* view, int code) noexcept nogil:
    cdef Offer* offer = &view.offers[view.num_offers]
    cdef int side, terrain
    view.num_offers += 1
    view.offer_of[code] = view.num_offers
    offer.fitting = num_in_bag(view, FITTING[code])
    offer.growth = chance_of(view, offer.fitting, OTHERS).ever
    for side in range(4):
        terrain = code >> 2 * side & 3
        if terrain in (CITY_SIDE, ROAD_SIDE):
            fill_closing(
                view,
                CITY if terrain == CITY_SIDE else ROAD,
                num_in_bag(view, CLOSING[code][side]),
                offer.closing[side],
            )
    fill_closing(view, CLOISTER, offer.fitting, offer.closing[BESIDE])


# --- The board ---


cdef Region* region_of(const State* state, View* view, int feature) noexcept nogil:
    """The region of a resolved city or road; a new one if it was not met before."""
    cdef Region* region
    cdef int held
    if view.region_of[feature] == 0:
        region = &view.regions[view.num_regions]
        region.feature = feature
        region.most_fitting = 0
        region.growth = 0
        for held in range(2):
            region.closing[held].ever = region.closing[held].soon = (
                1 / view.demands[state.kinds[feature]][held].together
            )
        view.num_regions += 1
        view.region_of[feature] = view.num_regions
    return &view.regions[view.region_of[feature] - 1]


cdef void view_cell(const State* state, View* view, int open) noexcept nogil:
    """Takes an open cell into the regions that end there, and notes which features meet."""
    cdef int code = state.open_code[open]
    cdef const SideList* sides = &SIDE_LISTS[code]
    cdef const Offer* offer = offer_of(view, code)
    cdef uint16_t features[4]
    cdef int i, j
    for i in range(sides.num_neighbours):
        features[i] = feature_at(state, state.open_ends[open][sides.sides[i]], CENTRE)
    for i in range(sides.num_neighbours):
        if code >> 2 * sides.sides[i] & 3 != FIELD_SIDE:
            view_end(state, view, offer, code, features, i)
        for j in range(i):
            if features[i] != features[j] and state.kinds[features[i]] == state.kinds[features[j]]:
                note_join(view, features[i], features[j], JOINING[code][sides.sides[i]][sides.sides[j]])


cdef inline void view_end(
    const State* state, View* view, const Offer* offer, int code, const uint16_t* features, int end
) noexcept nogil:
    """Takes a cell into the region at one of its sides, for all sides where the region ends."""
    cdef const SideList* sides = &SIDE_LISTS[code]
    cdef const Chance* closing = offer.closing[sides.sides[end]]
    cdef uint32_t types = CLOSING[code][sides.sides[end]]
    cdef Chance of_all[2]
    cdef Region* region
    cdef int i, held
    for i in range(end):
        if features[i] == features[end]:
            return   # taken in at that side
    for i in range(end + 1, sides.num_neighbours):
        if features[i] == features[end]:
            types &= CLOSING[code][sides.sides[i]]
            closing = of_all
    if closing == of_all:
        fill_closing(view, state.kinds[features[end]], num_in_bag(view, types), of_all)
    region = region_of(state, view, features[end])
    for held in range(2):
        multiply(&region.closing[held], &closing[held])
    region.growth += offer.growth
    region.most_fitting = max(region.most_fitting, offer.fitting)


cdef inline void note_join(View* view, int first, int second, uint32_t types) noexcept nogil:
    cdef Join* join = &view.joins[view.num_joins]
    join.first = first
    join.second = second
    join.types = types
    view.num_joins += 1


cdef void view_edge(const State* state, View* view) noexcept nogil:
    """Notes that no region which ends outside the square of usable cells can be completed."""
    cdef const Tile* tile
    cdef const Shape* shape
    cdef Region* region
    cdef int i, side
    for i in range(state.num_tiles):
        tile = &state.tiles[i]
        shape = &SHAPES[tile.type][tile.rotation]
        for side in range(4):
            if shape.terrain[side] == FIELD_SIDE:
                continue
            if is_outside(state, tile.x + dx_of(side), tile.y + dy_of(side)):
                region = region_of(state, view, state.feature_of[i][shape.segments[MAX_ENDS * side + CENTRE]])
                memset(region.closing, 0, sizeof(region.closing))


cdef void view_board(const State* state, View* view) noexcept nogil:
    """Works out what follows from the tiles on the board, with and without meeples on each feature."""
    cdef int open
    memset(view.region_of, 0, state.num_features * sizeof(uint16_t))
    view.num_regions = view.num_joins = 0
    for open in range(state.num_open):
        view_cell(state, view, open)
    if state.board_size:
        view_edge(state, view)


cdef Chance closing_of(const State* state, const View* view, int feature) noexcept nogil:
    return view.regions[view.region_of[feature] - 1].closing[has_meeples(state.features[feature])]


# --- Farms ---


cdef void view_farms(const State* state, View* view) noexcept nogil:
    """Counts the cities of the farms with meeples, completed ones and others by their chance."""
    cdef uint64_t counted[MAX_FEATURES]   # by city: the farms, one bit each, that have counted it
    cdef const TouchList* touches
    cdef uint64_t bit
    cdef int i, k, farm, city
    list_farms(state, view)
    if view.num_farms == 0:
        return
    memset(counted, 0, state.num_features * sizeof(uint64_t))
    for i in range(state.num_tiles):
        touches = &TOUCHES[state.tiles[i].type]
        for k in range(touches.count):
            farm = view.farm_of[state.feature_of[i][touches.farms[k]]] - 1
            city = state.feature_of[i][touches.cities[k]]
            if farm < 0:
                continue
            bit = <uint64_t> 1 << farm
            if counted[city] & bit:
                continue
            counted[city] |= bit
            if is_complete(state, city):
                view.farms[farm].completed += 1
            else:
                view.farms[farm].expected += closing_of(state, view, city).ever


cdef void list_farms(const State* state, View* view) noexcept nogil:
    cdef int i, feature
    memset(view.farm_of, 0, state.num_features)
    view.num_farms = 0
    for i in range(state.num_meeples_placed):
        feature = meeple_feature(state, i)
        if state.kinds[feature] == FARM and view.farm_of[feature] == 0 and view.num_farms < MAX_FARMS:
            view.farms[view.num_farms].feature = feature
            view.farms[view.num_farms].completed = 0
            view.farms[view.num_farms].expected = 0
            view.num_farms += 1
            view.farm_of[feature] = view.num_farms


# --- Terms ---


cdef inline void add(Tally* tally, int player, int term, float amount, int feature) noexcept nogil:
    cdef Entry* entry
    tally.terms[player][term] += amount
    if tally.entries != NULL and tally.num_entries < MAX_ENTRIES:
        entry = &tally.entries[tally.num_entries]
        entry.feature = feature
        entry.player = player
        entry.term = term
        entry.amount = amount
        tally.num_entries += 1


cdef inline void add_both(
    Tally* tally, int player, int term, float amount, Chance chance, int feature
) noexcept nogil:
    """Adds an amount times its chance: to a term ..._EVER and to its twin."""
    add(tally, player, term, amount * chance.ever, feature)
    add(tally, player, term + 1, amount * chance.soon, feature)


cdef void add_regions(const State* state, const View* view, Tally* tally) noexcept nogil:
    cdef int num_cities[MAX_PLAYERS]
    cdef int i, player
    memset(num_cities, 0, sizeof(num_cities))
    for i in range(view.num_regions):
        if not has_meeples(state.features[view.regions[i].feature]):
            add_free(state, tally, &view.regions[i])
        else:
            add_claimed(state, tally, &view.regions[i], num_cities)
    for player in range(state.num_players):
        add(tally, player, CITY_PAIRS, num_cities[player] * (num_cities[player] - 1) // 2, NO_FEATURE)


cdef void add_free(const State* state, Tally* tally, const Region* region) noexcept nogil:
    """Adds an unclaimed city for the player who draws next."""
    cdef float chance
    if state.kinds[region.feature] == CITY and state.hand[state.mover] and state.num_left:
        chance = region.most_fitting / <float> state.num_left
        add(
            tally,
            state.mover,
            FREE_CITY,
            points_now(state.features[region.feature]) * chance,
            region.feature,
        )


cdef void add_claimed(const State* state, Tally* tally, const Region* region, int* num_cities) noexcept nogil:
    """Adds a region with meeples; counts the cities with meeples of each player."""
    cdef int feature = region.feature
    cdef uint64_t numbers = state.features[feature]
    cdef Chance closing = region.closing[True]
    cdef int most = most_meeples(state, numbers)
    cdef bint is_city = state.kinds[feature] == CITY
    cdef int back = CITY_RETURN_EVER if is_city else ROAD_RETURN_EVER
    cdef int player, count
    for player in range(state.num_players):
        count = num_meeples_on(numbers, player)
        if count == 0:
            continue
        num_cities[player] += is_city
        add_both(tally, player, back, count, closing, feature)
        if closing.ever == 0:
            add(tally, player, STUCK, count, feature)
        if count < most:
            add(tally, player, OUTVOTED, count, feature)
        elif is_city:
            add(tally, player, CITY_POINTS, points_now(numbers), feature)
            add_both(tally, player, CITY_COMPLETION_EVER, points_now(numbers), closing, feature)
            add(tally, player, CITY_GROWTH, region.growth, feature)
        else:
            add(tally, player, ROAD_POINTS, points_now(numbers), feature)
            add(tally, player, ROAD_GROWTH, region.growth, feature)


cdef void add_cloisters(const State* state, View* view, Tally* tally) noexcept nogil:
    cdef const Tile* tile
    cdef Surroundings around
    cdef uint64_t numbers
    cdef int i, feature, player
    for i in range(state.num_open_cloisters):
        tile = &state.tiles[state.open_cloisters[i]]
        feature = cloister_of(state, state.open_cloisters[i])
        numbers = state.features[feature]
        for player in range(state.num_players):
            if num_meeples_on(numbers, player):
                around = around_cloister(state, view, feature, tile.x, tile.y)
                add_cloister(state, tally, feature, around, player)


cdef Surroundings around_cloister(
    const State* state, View* view, int feature, int x, int y
) noexcept nogil:
    cdef bint held = has_meeples(state.features[feature])
    cdef const Offer* offer
    cdef int dx, dy, cell
    cdef Surroundings around
    around.far = 0
    around.growth = 0
    around.closing.ever = around.closing.soon = 1 / view.demands[state.kinds[feature]][held].together
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            cell = state.cells[shifted(address_of(x, y), dx + ROW * dy)]
            if state.board_size and is_outside(state, x + dx, y + dy):
                around.closing.ever = around.closing.soon = 0
            elif cell == 0:
                around.far += 1
                multiply(&around.closing, &view.far[held])
            elif cell != HAS_TILE:
                offer = offer_of(view, state.open_code[cell - 1])
                around.growth += offer.growth
                multiply(&around.closing, &offer.closing[BESIDE][held])
    return around


cdef void add_cloister(
    const State* state, Tally* tally, int feature, Surroundings around, int player
) noexcept nogil:
    add(tally, player, CLOISTER_POINTS, num_tiles_of(state.features[feature]), feature)
    add(tally, player, CLOISTER_GROWTH, around.growth, feature)
    add(tally, player, CLOISTER_FAR, around.far, feature)
    add_both(tally, player, CLOISTER_RETURN_EVER, 1, around.closing, feature)
    if around.closing.ever == 0:
        add(tally, player, STUCK, 1, feature)


cdef void add_farms(const State* state, const View* view, Tally* tally) noexcept nogil:
    cdef const Farm* farm
    cdef uint64_t numbers
    cdef int i, player, count, most
    for i in range(view.num_farms):
        farm = &view.farms[i]
        numbers = state.features[farm.feature]
        most = most_meeples(state, numbers)
        for player in range(state.num_players):
            count = num_meeples_on(numbers, player)
            if count and count < most:
                add(tally, player, OUTVOTED, count, farm.feature)
            elif count:
                add(tally, player, FARM_POINTS, 3 * farm.completed, farm.feature)
                add(tally, player, FARM_COMPLETION, 3 * farm.expected, farm.feature)
                add(tally, player, FARM_HELD, 1, farm.feature)


cdef void add_meeples(const State* state, Tally* tally) noexcept nogil:
    cdef int player, hand
    for player in range(state.num_players):
        hand = state.hand[player]
        add(tally, player, FIRST_MEEPLE, hand >= 1, NO_FEATURE)
        add(tally, player, SECOND_MEEPLE, hand >= 2, NO_FEATURE)
        add(tally, player, THIRD_MEEPLE, hand >= 3, NO_FEATURE)
        add(tally, player, FURTHER_MEEPLES, max(hand - 3, 0), NO_FEATURE)


cdef void add_joins(const State* state, const View* view, Tally* tally) noexcept nogil:
    """Adds, for each cell where a tile may join two features, what each player gains or loses by that."""
    cdef const Join* join
    cdef int i, joining
    for i in range(view.num_joins):
        join = &view.joins[i]
        if has_meeples(state.features[join.first] | state.features[join.second]):
            joining = num_in_bag(view, join.types)
            if joining:
                add_join(state, view, tally, join.first, join.second, chance_of(view, joining, OTHERS))


cdef void add_join(
    const State* state, const View* view, Tally* tally, int first, int second, Chance chance
) noexcept nogil:
    cdef uint64_t one = state.features[first], other = state.features[second]
    cdef uint64_t joined = meeples_of(one) + meeples_of(other)
    cdef float points = promise_of(state, view, first), others = promise_of(state, view, second)
    cdef int kind = state.kinds[first]
    cdef int gain = CITY_GAIN_EVER if kind == CITY else ROAD_GAIN_EVER if kind == ROAD else FARM_GAIN_EVER
    cdef int player
    cdef float change
    for player in range(state.num_players):
        change = holds(state, joined, player) * (points + others)
        change -= holds(state, one, player) * points + holds(state, other, player) * others
        if change > 0:
            add_both(tally, player, gain, change, chance, first)
        elif change < 0:
            add_both(tally, player, gain + 2, change, chance, first)


cdef float promise_of(const State* state, const View* view, int feature) noexcept nogil:
    cdef int points = points_now(state.features[feature])
    cdef const Farm* farm
    if state.kinds[feature] == ROAD:
        return points
    if state.kinds[feature] == CITY:
        return points * (1 + closing_of(state, view, feature).ever)
    if view.farm_of[feature] == 0:
        return 3
    farm = &view.farms[view.farm_of[feature] - 1]
    return 3 * (farm.completed + farm.expected)


cdef void view_position(const State* state, View* view) noexcept nogil:
    if not has_seen_bag(state, view):
        view.num_players = state.num_players
        view.demands_set = demands_set
        memcpy(view.bag, state.bag, sizeof(view.bag))
        count_bag(state, view)
        view.num_tiles = 0   # the chances on the board rest on the bag
    if not has_seen_board(state, view):
        view.board_size = state.board_size
        view.num_tiles = state.num_tiles
        memcpy(view.tiles, state.tiles, state.num_tiles * sizeof(Tile))
        view_board(state, view)
    view_farms(state, view)


cdef inline bint has_seen_bag(const State* state, const View* view) noexcept nogil:
    return (
        view.num_players == state.num_players
        and view.demands_set == demands_set
        and memcmp(view.bag, state.bag, sizeof(view.bag)) == 0
    )


cdef inline bint has_seen_board(const State* state, const View* view) noexcept nogil:
    """Whether the latest board had the same tiles, laid in the same order."""
    return (
        view.num_tiles == state.num_tiles
        and view.board_size == state.board_size
        and memcmp(view.tiles, state.tiles, state.num_tiles * sizeof(Tile)) == 0
    )


cdef void tally_terms(const State* state, View* view, Tally* tally) noexcept nogil:
    cdef int player
    memset(tally.terms, 0, state.num_players * sizeof(tally.terms[0]))
    tally.num_entries = 0
    view_position(state, view)
    for player in range(state.num_players):
        add(tally, player, SCORED, score(&state.points, player), NO_FEATURE)
        add(tally, player, FURTHER_POINTS, 1, NO_FEATURE)
    add_regions(state, view, tally)
    add_cloisters(state, view, tally)
    add_farms(state, view, tally)
    add_meeples(state, tally)
    add_joins(state, view, tally)
    add(tally, state.mover, TO_MOVE, 1, NO_FEATURE)


# --- Weights ---


cdef double share_left(const State* state) noexcept nogil:
    return state.num_left / <double> max(state.num_game_tiles - 1, 1)


cdef double turns_left(const State* state) noexcept nogil:
    cdef double turns = 71 / 2.0 if state.num_players > 1 else 23
    return min(1.0, state.num_left / (turns * state.num_players))


cdef void fill_weights(int set, double share, double* weights) noexcept nogil:
    cdef int term, stage = 2 * share >= 1
    cdef double left = 2 * share - stage
    cdef const double* stages
    for term in range(NUM_TERMS):
        stages = &WEIGHTS[set][term][stage]
        weights[term] = stages[0] + left * (stages[1] - stages[0])


cdef void expect_scores(
    const State* state, View* view, int set, double share, double* scores
) noexcept nogil:
    cdef Tally tally
    cdef double weights[NUM_TERMS]
    cdef int player, term
    if state.is_over:
        for player in range(state.num_players):
            scores[player] = score(&state.points, player)
        return
    tally.entries = NULL
    tally_terms(state, view, &tally)
    fill_weights(set, share, weights)
    for player in range(state.num_players):
        scores[player] = 0
        for term in range(NUM_TERMS):
            scores[player] += weights[term] * tally.terms[player][term]

if TYPE_CHECKING:
    _Demands: TypeAlias = tuple[tuple[tuple[float, float], tuple[float, float]], ...]

DEMANDS_OF_ONE: _Demands = (
    ((2.12, 0.82), (0.37, 1.0)),
    ((3.34, 1.0), (0.19, 1.0)),
    ((2.09, 0.66), (0.55, 1.0)),
)
"""What `set_demands` takes, for one player.

examples/experiments/outlook_chances.py fitted it to games of earlier weights. For games of the present
weights it finds somewhat other numbers, with nearly the same likelihood.
"""

DEMANDS_OF_SEVERAL: _Demands = (
    ((2.35, 0.41), (4.51, 0.70)),
    ((5.46, 0.99), (2.60, 0.61)),
    ((5.59, 0.77), (2.48, 0.87)),
)
"""What `set_demands` takes, for several players; fitted likewise."""


def set_demands(players: int, demands: ArrayLike) -> None:
    """Replaces, in this process, the numbers from which the chances of completion follow.

    The top of outlook.pxd says how. The weights of the outlook were learned with the chances that come with
    the package.

    Args:
        players: 1, or 2 for games of several players.
        demands: float[3, 2, 2]: of cities, roads and cloisters; without and with meeples; `others`, which is
            above 0, and `together`, which is above 0 and at most 1.

    Raises:
        ValueError: If an argument is none of these.
    """
    global demands_set
    cdef int kind, held
    with np.errstate(over="ignore"):
        table = _array_of("demands", demands, np.float32)   # as they are stored
    if players not in (1, 2):
        raise ValueError(f"players must be 1 or 2, got {players!r}")
    if table.shape != (3, 2, 2) or not ((table > 0) & (table < np.inf) & (table <= (np.inf, 1))).all():
        raise ValueError(
            f"demands must be float[3, 2, 2], others above 0 and together in (0, 1], got {demands!r}"
        )
    for kind in range(3):
        for held in range(2):
            DEMANDS[<int> players - 1][kind][held].others = table[kind, held, 0]
            DEMANDS[<int> players - 1][kind][held].together = table[kind, held, 1]
    demands_set += 1


SCALES: dict[str, int] = {
    "scored": 250,
    "city points": 40,
    "city completion": 30,
    "city completion soon": 20,
    "city growth": 10,
    "road points": 20,
    "road growth": 6,
    "cloister points": 40,
    "cloister growth": 10,
    "cloister far": 3,
    "farm points": 50,
    "farm completion": 20,
    "farm held": 7,
    "first meeple": 1,
    "second meeple": 1,
    "third meeple": 1,
    "further meeples": 4,
    "city return": 4,
    "city return soon": 2,
    "road return": 4,
    "road return soon": 3,
    "cloister return": 4,
    "cloister return soon": 2,
    "city pairs": 10,
    "stuck": 7,
    "outvoted": 3,
    "city gain": 20,
    "city gain soon": 10,
    "city loss": 20,
    "city loss soon": 10,
    "road gain": 6,
    "road gain soon": 4,
    "road loss": 4,
    "road loss soon": 3,
    "farm gain": 40,
    "farm gain soon": 20,
    "farm loss": 40,
    "farm loss soon": 20,
    "free city": 10,
    "to move": 1,
    "further points": 1,
}
"""By the name of each term, the number by which the observation "scaled_features" divides it: of a thousand
positions of games of all kinds, at most a few have a larger value."""

TERMS: tuple[str, ...] = tuple(SCALES)
"""Names of the terms; outlook.pxd says what they count."""

HEURISTICS: list[str] = ["s", "vs", "outlook", "forecast", "value"]
"""Names of the heuristics of `CarcassonneModel`; `set_weights` adds to them."""
_OWN = len(HEURISTICS)


def set_weights(name: str, weights: ArrayLike) -> None:
    """Makes a set of weights known in this process, as the heuristic `name` of `CarcassonneModel`.

    Args:
        name: "outlook" and the number of players, "outlook-1" or "outlook-2", replaces one of the sets that
            the heuristics "outlook" and "forecast" use: for one player, and for several. Any other name adds
            a heuristic, or replaces the one that was added by this name.
        weights: float[terms, 3], in points: the weight of each of `TERMS` at the end of the game, in its
            middle (with half of the tiles left), and at its start.

    Raises:
        TypeError: If the name is not text.
        ValueError: If the weights have another shape or are not finite, the name is that of another
            heuristic, or there are too many.
    """
    cdef int set, term, stage
    table = _table_of(weights)
    if not isinstance(name, str):
        raise TypeError(f"name must be text, got {name!r}")
    if name in HEURISTICS[:_OWN]:
        raise ValueError(f"name must not be that of a heuristic of the game, got {name!r}")
    if name in ("outlook-1", "outlook-2"):
        set = name == "outlook-2"
    else:
        if name not in HEURISTICS:
            if len(HEURISTICS) - _OWN == MAX_SETS - NUM_OWN_SETS:
                raise ValueError(
                    f"name must be one of {HEURISTICS[_OWN:]}, as there is no room for another set of "
                    f"weights, got {name!r}"
                )
            HEURISTICS.append(name)
        set = NUM_OWN_SETS + HEURISTICS.index(name) - _OWN
    for term in range(NUM_TERMS):
        for stage in range(NUM_STAGES):
            WEIGHTS[set][term][stage] = table[term, stage]


def _array_of(name, values, dtype):
    try:
        return np.array(values, dtype=dtype, order="C")
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, got {values!r}") from None


def _table_of(weights):
    """The weights as float64[terms, 3], checked."""
    table = _array_of("weights", weights, np.float64)
    if table.shape != (NUM_TERMS, NUM_STAGES):
        raise ValueError(f"weights must have the shape {(NUM_TERMS, NUM_STAGES)}, got {table.shape}")
    for term, row in zip(TERMS, table, strict=True):
        if not np.isfinite(row).all():
            raise ValueError(f"weights must be finite, got {row} for {term!r}")
    return table


def load_weights(path: str | PathLike[str]) -> NDArray[np.float64]:
    """The weights in a file that `save_weights` wrote: float64[terms, 3].

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it does not have one line, with three finite numbers, for each of `TERMS`.
    """
    rows = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            *numbers, term = line.split(None, NUM_STAGES)
            term = term.strip()
            if term not in TERMS or term in rows:
                raise ValueError(f"{path} must have one line for each term of the outlook, got {line!r}")
            if len(numbers) != NUM_STAGES:
                raise ValueError(f"{path} must have {NUM_STAGES} numbers before each term, got {line!r}")
            rows[term] = numbers
    missing = [term for term in TERMS if term not in rows]
    if missing:
        raise ValueError(f"{path} has no line for {', '.join(missing)}")
    try:
        return _table_of([rows[term] for term in TERMS])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def save_weights(path: str | PathLike[str], weights: ArrayLike, provenance: str) -> None:
    """Writes weights as text, one line a term: at the end, in the middle and at the start of the game.

    Args:
        path: The file to write.
        weights: float[terms, 3]; the file has three decimals of them.
        provenance: How the weights were found; the first lines of the file tell it.

    Raises:
        OSError: If the file cannot be written.
        ValueError: If the weights have another shape or are not finite.
    """
    lines = [f"# {line}" for line in [*provenance.splitlines(), "end middle start term"]]
    for term, row in zip(TERMS, _table_of(weights), strict=True):
        lines.append(" ".join(f"{weight:8.3f}" for weight in row) + f"  {term}")
    write_file(path, "\n".join(lines) + "\n")


set_demands(1, DEMANDS_OF_ONE)
set_demands(2, DEMANDS_OF_SEVERAL)
for _name in ("outlook-1", "outlook-2"):
    set_weights(_name, load_weights(Path(__file__).with_name(f"{_name}.txt")))
