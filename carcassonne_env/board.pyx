# distutils: extra_compile_args = -O3
"""The rules of Carcassonne for the state of board.pxd. No function needs the GIL or allocates memory."""

from libc.math cimport INFINITY
from libc.string cimport memcmp, memcpy, memset

from agents.bits cimport lowest_bit
from agents.rng cimport rng_below, rng_next, rng_t, rng_uniform

from . import tiles as _tiles


cdef enum:
    MAX_REJECTIONS = 128
    MAX_COUNTED = 4   # cities and roads of a tile

cdef enum:
    ONE_TILE = 1 << 8
    ONE_SHIELD = 1 << 16
    NINE_EMPTY = 9   # the numbers of a cloister without a meeple


cdef uint8_t NUM_ROTATIONS[NUM_TYPES]
cdef uint8_t NUM_SEGMENTS[NUM_TYPES]
cdef const Shape* SHAPE_AT[NUM_TYPES][4]   # the addresses of SHAPES: compilers compute one at every use


# --- Tables, computed from tiles.py at import ---


def _fill_tables():
    for type, tile in enumerate(_tiles.TILE_TYPES):
        NUM_ROTATIONS[type] = tile.num_rotations
        NUM_SEGMENTS[type] = len(tile.segments)
        _fill_touches(&TOUCHES[type], tile)
        for rotation in range(4):
            _fill_shape(&SHAPES[type][rotation], tile, rotation)
            SHAPE_AT[type][rotation] = &SHAPES[type][rotation]
        for code in range(256):
            ROTATIONS[type][code] = sum(
                1 << rotation
                for rotation in range(tile.num_rotations)
                if _fits(&SHAPES[type][rotation], code)
            )


def _fill_side_lists():
    for code in range(256):
        neighbours = [side for side in range(4) if code >> 2 * side & 3 != ANY]
        SIDE_LISTS[code].num_neighbours = len(neighbours)
        SIDE_LISTS[code].ends = sum(0xF << MAX_ENDS * side for side in neighbours)
        for i, side in enumerate(neighbours):
            SIDE_LISTS[code].sides[i] = side


cdef _fill_touches(TouchList* touches, tile):
    cities = [number for number, segment in enumerate(tile.segments) if segment.kind == "city"]
    for number, segment in enumerate(tile.segments):
        for city in cities if segment.touches_city else ():
            touches.farms[touches.count] = number
            touches.cities[touches.count] = city
            touches.count += 1


cdef _fill_shape(Shape* shape, tile, int rotation):
    terrain = {"C": CITY_SIDE, "R": ROAD_SIDE, "F": FIELD_SIDE}
    kinds = [_tiles.KINDS.index(segment.kind) for segment in tile.segments]
    shape.num_segments = len(kinds)
    shape.num_counted = sum(kind in (CITY, ROAD) for kind in kinds)
    shape.has_twins = kinds.count(CITY) > 1 or kinds.count(ROAD) > 1
    shape.cloister = kinds.index(CLOISTER) if CLOISTER in kinds else NO_SEGMENT
    for side in range(4):
        shape.terrain[(side + rotation) % 4] = terrain[tile.terrain[side]]
    for number in range(MAX_SEGMENTS):
        shape.features[number] = TO_JOIN if number < len(kinds) else NO_FEATURE
    for number, segment in enumerate(tile.segments):
        shape.kinds[number] = kinds[number]
        shape.numbers[number] = _numbers(segment)
        for end in segment.ends:
            side = (_tiles.SIDES.index(end[0]) + rotation) % 4
            half = CENTRE if len(end) == 1 else LEFT if end[1] == "L" else RIGHT
            is_road = shape.terrain[side] == ROAD_SIDE
            for half in [half] if is_road else [LEFT, CENTRE, RIGHT]:
                shape.segments[MAX_ENDS * side + half] = number
    for side in range(4):
        _fill_side(shape, side)


cdef _fill_side(Shape* shape, int side):
    """Fills what the segments at a side imply."""
    cdef const uint8_t* segments = &shape.segments[MAX_ENDS * side]
    cdef int terrain = shape.terrain[side]
    cdef int ends = 1 << LEFT | 1 << CENTRE | 1 << RIGHT if terrain == ROAD_SIDE else 1 << CENTRE
    shape.required[side] = terrain << 2 * (side ^ 2)
    shape.ends |= ends << MAX_ENDS * side
    shape.closed[MAX_ENDS * side + CENTRE] = 0 if terrain == FIELD_SIDE else 2
    shape.outward[side] = (
        segments[RIGHT] << 3 * LEFT | segments[CENTRE] << 3 * CENTRE | segments[LEFT] << 3 * RIGHT
    )


def _numbers(segment):
    if segment.kind == "cloister":
        return NINE_EMPTY
    if segment.kind == "farm":
        return 0
    return len(segment.ends) + ONE_TILE + segment.shields * ONE_SHIELD


cdef bint _fits(const Shape* shape, int code) noexcept:
    cdef int side, asked
    for side in range(4):
        asked = (code >> 2 * side) & 3
        if asked != ANY and asked != shape.terrain[side]:
            return False
    return True


_fill_tables()
_fill_side_lists()


# --- Cells ---


cdef inline uint32_t select(bint condition, uint32_t a, uint32_t b) noexcept nogil:
    """``a if condition else b`` without a branch, for conditions that a processor cannot predict."""
    return b ^ ((a ^ b) & -condition)


cdef bint is_outside(const State* state, int x, int y) noexcept nogil:
    cdef int size = state.board_size
    cdef int column = x + size // 2, row = size // 2 - y
    return not (0 <= column < size and 0 <= row < size)


cdef int num_cut_off(const State* state) noexcept nogil:
    cdef int i, side, count = 0
    for i in range(state.num_tiles):   # no outside cell is counted twice: none has two neighbours inside
        for side in range(4):
            count += is_outside(state, state.tiles[i].x + dx_of(side), state.tiles[i].y + dy_of(side))
    return count


cdef inline uint32_t open_cell(State* state, uint32_t spot, uint32_t* num_open) noexcept nogil:
    """Index of the open cell at `spot`. If the cell is empty and not open yet, it is added.

    The function has no branches: for a cell with a tile, it writes what is never read. `num_open` is the
    caller's copy of the state's count.
    """
    cdef uint8_t* cell = &state.cells[address_in(spot)]
    cdef uint32_t index = select(cell[0] == 0, num_open[0], cell[0] - 1)
    num_open[0] += cell[0] == 0
    cell[0] = 1 + index
    state.open_spot[index] = spot
    return index


cdef inline void close_cell(State* state, uint32_t index) noexcept nogil:
    """Removes an open cell; the last open cell moves to its index."""
    cdef uint32_t last = state.num_open - 1
    state.num_open = last
    state.open_spot[index] = state.open_spot[last]
    state.open_code[index] = state.open_code[last]
    memcpy(state.open_ends[index], state.open_ends[last], sizeof(state.open_ends[index]))
    state.cells[address_in(state.open_spot[index])] = 1 + index
    state.open_code[last] = 0


# --- Features ---


cdef void merge(State* state, int a, int b) noexcept nogil:
    """Merges two features; the lower id remains."""
    cdef uint16_t kept = min(a, b), gone = max(a, b), change = kept - gone
    cdef uint16_t* feature_of = &state.feature_of[0][0]
    cdef int i, count = state.num_tiles * MAX_SEGMENTS
    state.features[kept] += state.features[gone] - ONE_TILE * num_shared_tiles(state, a, b)
    state.features[gone] = 0
    # From the first tile that may have the feature, and without branches, so that compilers vectorise it.
    for i in range(gone // FEATURES_PER_TILE * MAX_SEGMENTS, count):
        feature_of[i] += change if feature_of[i] == gone else 0


cdef int num_shared_tiles(const State* state, int a, int b) noexcept nogil:
    """Number of tiles that have a segment in each of two cities or roads."""
    cdef const uint16_t* features
    cdef int i, segment, shared = 0
    cdef bint has_a, has_b
    if state.kinds[a] == FARM:
        return 0
    for i in range(state.num_twin_tiles):
        features = state.feature_of[state.twin_tiles[i]]
        has_a = has_b = False
        for segment in range(MAX_COUNTED):
            has_a |= features[segment] == a
            has_b |= features[segment] == b
        shared += has_a & has_b
    return shared


cdef inline void join_sides(
    State* state, const Shape* shape, int open, uint16_t* features
) noexcept nogil:
    """Joins the segments of a new tile, whose `features` are to be found, with the features at its cell."""
    cdef const uint16_t* sides = state.open_ends[open]
    cdef uint32_t ends = shape.ends & SIDE_LISTS[state.open_code[open]].ends
    cdef uint32_t end, feature, segment
    while ends:
        end = lowest_bit(ends)
        ends &= ends - 1
        feature = feature_at(state, sides[end // MAX_ENDS], end % MAX_ENDS)
        segment = shape.segments[end]
        state.features[feature] -= shape.closed[end]
        if features[segment] == TO_JOIN:
            features[segment] = feature
        elif features[segment] != feature:
            merge(state, features[segment], feature)


cdef inline uint32_t add_segment(
    State* state, const Shape* shape, uint16_t* features, uint32_t segment, uint32_t* num_features
) noexcept nogil:
    """Adds the numbers of a new tile's segment to its feature: a new one, unless the segment joined one.

    Returns whether the feature has no open ends now, in the bit of the segment. The function has no branches:
    for an existing feature it also writes `kinds`, but with the value that it has already, and for a segment
    that the tile does not have it adds 0 to NO_FEATURE. `num_features` is the caller's copy of the state's.
    """
    cdef uint32_t joined = features[segment]
    cdef uint32_t is_new = joined // TO_JOIN
    cdef uint32_t feature = (joined & (TO_JOIN - 1)) + (num_features[0] & -is_new)
    cdef uint64_t numbers = state.features[feature] + shape.numbers[segment]
    num_features[0] += is_new
    state.features[feature] = numbers
    state.kinds[feature] = shape.kinds[segment]
    features[segment] = feature
    return <uint32_t> (numbers & 255 == 0) << segment


cdef inline uint32_t add_segments(State* state, const Shape* shape, uint16_t* features) noexcept nogil:
    """Adds the segments of a new tile. Returns the cities and roads, one bit a segment, that are complete."""
    cdef uint32_t segment, earlier, complete = 0, num_features = state.num_features
    for segment in range(4):   # few tiles have more
        complete |= add_segment(state, shape, features, segment, &num_features)
    if shape.num_segments > 4:
        for segment in range(4, MAX_SEGMENTS):
            complete |= add_segment(state, shape, features, segment, &num_features)
    state.num_features = num_features
    if shape.has_twins:   # a feature counts this tile only once
        for segment in range(1, shape.num_counted):
            for earlier in range(segment):
                if features[segment] == features[earlier]:
                    state.features[features[segment]] -= ONE_TILE
                    break
    return complete & ((1 << shape.num_counted) - 1)


cdef inline void open_sides(State* state, const Shape* shape, uint32_t spot, int tile) noexcept nogil:
    """Writes the ends of a new tile, which lies at `spot`, into the open cells around it."""
    cdef int side
    cdef uint32_t num_open = state.num_open
    for side in range(4):
        open_side(state, shape, spot_beside(spot, side), side, tile, &num_open)
    state.num_open = num_open


cdef void open_sides_inside(State* state, const Shape* shape, uint32_t spot, int tile) noexcept nogil:
    """Does what open_sides does on a board with a bound."""
    cdef int side
    cdef uint32_t beside, num_open = state.num_open
    for side in range(4):
        beside = spot_beside(spot, side)
        if not is_outside(state, x_in(beside), y_in(beside)):
            open_side(state, shape, beside, side, tile, &num_open)
    state.num_open = num_open


cdef inline void open_side(
    State* state, const Shape* shape, uint32_t beside, int side, int tile, uint32_t* num_open
) noexcept nogil:
    """Writes the ends at one side of a new tile into the open cell there."""
    cdef uint32_t index = open_cell(state, beside, num_open)
    state.open_code[index] |= shape.required[side]
    state.open_ends[index][side ^ 2] = tile << 9 | shape.outward[side]


cdef int occupied_segments(const State* state, const Shape* shape, int open) noexcept nogil:
    """Segments (one bit each) that the placement would join to a feature with a meeple."""
    cdef const uint16_t* sides = state.open_ends[open]
    cdef uint32_t ends = shape.ends & SIDE_LISTS[state.open_code[open]].ends
    cdef uint8_t segments[12]
    cdef uint16_t features[12]
    cdef int num_joins = 0, occupied = 0, before = -1
    cdef int end, i, j
    while ends:
        end = lowest_bit(ends)
        ends &= ends - 1
        segments[num_joins] = shape.segments[end]
        features[num_joins] = feature_at(state, sides[end // MAX_ENDS], end % MAX_ENDS)
        occupied |= has_meeples(state.features[features[num_joins]]) << segments[num_joins]
        num_joins += 1
    if occupied == 0 or num_joins == 1:
        return occupied
    while occupied != before:   # segments joined by one feature share its meeples
        before = occupied
        for i in range(1, num_joins):
            for j in range(i):
                if features[i] == features[j] and (occupied >> segments[i] ^ occupied >> segments[j]) & 1:
                    occupied |= 1 << segments[i] | 1 << segments[j]
    return occupied


# --- Scoring ---


cdef void award(
    const State* state, Points* points, uint64_t feature, int kind, int amount
) noexcept nogil:
    """Gives `amount` points to every player with the most meeples in a feature."""
    cdef int player, most = 1
    for player in range(state.num_players):
        most = max(most, num_meeples_on(feature, player))
    for player in range(state.num_players):
        if num_meeples_on(feature, player) == most:
            points.of[player][kind] += amount


cdef void return_meeples(State* state, int feature) noexcept nogil:
    """Returns the meeples of a feature to their players' hands."""
    cdef int i = state.num_meeples_placed
    while i > 0:
        i -= 1
        if meeple_feature(state, i) == feature:
            state.hand[state.meeples[i].player] += 1
            state.num_meeples_placed -= 1
            state.meeples[i] = state.meeples[state.num_meeples_placed]
    state.features[feature] &= (<uint64_t> 1 << MEEPLES) - 1


cdef void score_if_complete(State* state, int feature) noexcept nogil:
    """Scores a complete city, road or cloister with meeples and returns the meeples."""
    cdef uint64_t numbers = state.features[feature]
    cdef int kind = state.kinds[feature]
    cdef int amount = num_tiles_of(numbers)
    if numbers & 255 or not has_meeples(numbers):
        return
    if kind == CITY:
        amount = 2 * (amount + num_shields_of(numbers))
    award(state, &state.points, numbers, kind, amount)
    return_meeples(state, feature)


cdef int completed_cities(const State* state, uint32_t* pairs) noexcept nogil:
    """Lists each (farm with meeples, completed city that touches it) once; returns their number."""
    cdef const TouchList* touches
    cdef int i, num_pairs = 0
    for i in range(state.num_tiles):
        touches = &TOUCHES[state.tiles[i].type]
        num_pairs = with_pair(state, i, touches.farms[0], touches.cities[0], pairs, num_pairs)
        num_pairs = with_pair(state, i, touches.farms[1], touches.cities[1], pairs, num_pairs)
    return num_pairs


cdef inline int with_pair(
    const State* state, int tile, int farm_segment, int city_segment, uint32_t* pairs, int num_pairs
) noexcept nogil:
    """Adds the farm and the city of two segments to the list, if they count and are not in it."""
    cdef uint32_t farm = state.feature_of[tile][farm_segment]
    cdef uint32_t city = state.feature_of[tile][city_segment]
    cdef uint32_t pair = farm << 16 | city
    cdef int i
    # One branch, which is nearly always taken. Tiles without touches list their first segment, which
    # never counts: it is no farm, so it loses its meeples when it is complete.
    if (state.features[city] & 255) | (not has_meeples(state.features[farm])):
        return num_pairs
    for i in range(num_pairs):
        if pairs[i] == pair:
            return num_pairs
    pairs[num_pairs] = pair
    return num_pairs + 1


cdef void add_final_points(const State* state, Points* points) noexcept nogil:
    """Adds the points that the meeples on the board would score if the game ended now."""
    cdef uint32_t pairs[2 * MAX_TILES]
    cdef uint8_t is_scored[MAX_FEATURES]
    cdef uint64_t numbers
    cdef int i, j, feature, kind, amount
    cdef int num_pairs = -1
    memset(is_scored, 0, sizeof(is_scored))
    for i in range(state.num_meeples_placed):
        feature = meeple_feature(state, i)
        if not is_scored[feature]:
            is_scored[feature] = True
            kind = state.kinds[feature]
            numbers = state.features[feature]
            amount = num_tiles_of(numbers) + num_shields_of(numbers)
            if kind == FARM:
                if num_pairs < 0:
                    num_pairs = completed_cities(state, pairs)
                for j in range(num_pairs):
                    amount += FARM_CITY_POINTS * (pairs[j] >> 16 == <uint32_t> feature)
            award(state, points, numbers, kind, amount)


cdef Points virtual_points(const State* state) noexcept nogil:
    cdef Points points = state.points
    if not state.is_over:
        add_final_points(state, &points)
    return points


cdef int score(const Points* points, int player) noexcept nogil:
    cdef int kind, total = 0
    for kind in range(NUM_KINDS):
        total += points.of[player][kind]
    return total


cdef void fill_leads(const State* state, const Points* points, double* returns) noexcept nogil:
    cdef double scores[MAX_PLAYERS]
    cdef int player
    for player in range(state.num_players):
        scores[player] = score(points, player)
    fill_leads_of(state, scores, returns)


cdef void fill_leads_of(const State* state, const double* scores, double* returns) noexcept nogil:
    cdef int player
    for player in range(state.num_players):
        returns[player] = lead_of(state, scores, player) / state.max_score


cdef double lead_of(const State* state, const double* scores, int player) noexcept nogil:
    cdef double best = 0 if state.num_players == 1 else -INFINITY
    cdef int other
    for other in range(state.num_players):
        if other != player:
            best = max(best, scores[other])
    return scores[player] - best


# --- Cloisters ---


cdef int num_filled(const State* state, int x, int y) noexcept nogil:
    cdef int dx, dy, count = 0
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            count += state.cells[shifted(address_of(x, y), dx + ROW * dy)] == HAS_TILE
    return count


cdef void start_cloister(State* state, int tile) noexcept nogil:
    """Counts the tiles around a cloister that got a meeple. Scores it, or adds it to the open ones."""
    cdef int filled = num_filled(state, state.tiles[tile].x, state.tiles[tile].y)
    state.features[cloister_of(state, tile)] += filled * (ONE_TILE - 1)
    state.open_cloisters[state.num_open_cloisters] = tile
    state.num_open_cloisters += 1
    if filled == 9:
        score_cloisters(state)


cdef inline void fill_cloisters(State* state, int x, int y) noexcept nogil:
    """Adds a tile at (x, y) to the open cloisters around it, and scores those that are now complete."""
    cdef const Tile* tile
    cdef int i, feature
    cdef bint is_near, has_complete = False
    for i in range(state.num_open_cloisters):
        tile = &state.tiles[state.open_cloisters[i]]
        feature = cloister_of(state, state.open_cloisters[i])
        is_near = (<uint32_t> (tile.x - x + 1) <= 2) & (<uint32_t> (tile.y - y + 1) <= 2)
        state.features[feature] += (ONE_TILE - 1) & -is_near
        has_complete |= is_complete(state, feature)
    if has_complete:
        score_cloisters(state)


cdef void score_cloisters(State* state) noexcept nogil:
    """Scores the complete cloisters and removes them from the list of open ones."""
    cdef int i, tile, feature, count = 0
    for i in range(state.num_open_cloisters):
        tile = state.open_cloisters[i]
        feature = cloister_of(state, tile)
        if is_complete(state, feature):
            score_if_complete(state, feature)
            state.features[feature] = NINE_EMPTY
        else:
            state.open_cloisters[count] = tile
            count += 1
    for i in range(count, state.num_open_cloisters):
        state.open_cloisters[i] = 0
    state.num_open_cloisters = count


# --- A turn ---


cdef inline uint32_t lay_tile(State* state, int open, int type, int rotation) noexcept nogil:
    """Places a tile in an open cell. Returns its cities and roads, one bit a segment, that are complete."""
    cdef const Shape* shape = SHAPE_AT[type][rotation]
    cdef uint32_t spot = state.open_spot[open]
    cdef int index = state.num_tiles
    cdef Tile* tile = &state.tiles[index]
    cdef uint16_t* features = state.feature_of[index]
    cdef uint32_t complete
    tile.x = x_in(spot)
    tile.y = y_in(spot)
    tile.type = type
    tile.rotation = rotation
    memcpy(features, shape.features, sizeof(shape.features))
    state.num_tiles = index + 1
    join_sides(state, shape, open, features)
    complete = add_segments(state, shape, features)
    close_cell(state, open)
    state.cells[address_in(spot)] = HAS_TILE
    if state.board_size:
        open_sides_inside(state, shape, spot, index)
    else:
        open_sides(state, shape, spot, index)
    state.twin_tiles[state.num_twin_tiles] = index   # kept if it counts
    state.num_twin_tiles += shape.has_twins
    return complete


cdef void put_meeple(State* state, int tile, int segment) noexcept nogil:
    cdef Meeple* meeple = &state.meeples[state.num_meeples_placed]
    meeple.tile = tile
    meeple.segment = segment
    meeple.player = state.mover
    state.num_meeples_placed += 1
    state.hand[state.mover] -= 1
    state.features[state.feature_of[tile][segment]] += <uint64_t> 1 << (MEEPLES + 8 * state.mover)
    if SHAPES[state.tiles[tile].type][0].cloister == segment:
        start_cloister(state, tile)


cdef void place(State* state, int placement) noexcept nogil:
    """Places the mover's current tile, scores completed features and ends the turn."""
    cdef int slot = slot_of(placement)
    cdef int tile = state.num_tiles
    cdef uint32_t complete = lay_tile(
        state, open_of(placement), state.current_tile, rotation_of(placement)
    )
    if state.num_open_cloisters:
        fill_cloisters(state, state.tiles[tile].x, state.tiles[tile].y)
    if slot:
        put_meeple(state, tile, slot - 1)
    while complete:
        score_if_complete(state, state.feature_of[tile][lowest_bit(complete)])
        complete &= complete - 1
    state.mover = 0 if state.mover + 1 == state.num_players else state.mover + 1
    state.current_tile = NO_TILE


cdef inline void take_turn(State* state, int placement) noexcept nogil:
    """Places the mover's current tile. The first of two steps only stores the placement."""
    if state.is_two_step and state.chosen == 0:
        state.chosen = 1 + placement
    else:
        state.chosen = 0
        place(state, placement)


cdef void lay_start_tile(State* state) noexcept nogil:
    """Begins the board, as the last player's turn before the first one's."""
    state.mover = state.num_players - 1
    state.current_tile = START_TYPE
    cdef uint32_t num_open = 0
    open_cell(state, spot_of(0, 0), &num_open)
    state.num_open = num_open
    place(state, placement_of(0, 0, 0))


cdef void begin_turn(State* state) noexcept nogil:
    """Draws the next tile if the order is known; ends the game if the bag is empty."""
    cdef int type
    while state.is_deterministic and state.num_left and state.current_tile == NO_TILE:
        type = state.order[state.num_left - 1]
        state.order[state.num_left - 1] = 0
        draw(state, type)
    if state.current_tile == NO_TILE and state.num_left == 0:
        end_game(state)


cdef void end_game(State* state) noexcept nogil:
    state.is_over = True
    add_final_points(state, &state.points)


cdef void draw(State* state, int type) noexcept nogil:
    """Takes a tile from the bag. It becomes the current tile, or is discarded if it fits nowhere."""
    state.bag[type] -= 1
    state.num_left -= 1
    if is_placeable(state, type):
        state.current_tile = type


cdef void shuffle(State* state, rng_t* rng) noexcept nogil:
    cdef int type, _, i = 0, j
    for type in range(NUM_TYPES):
        for _ in range(state.bag[type]):
            j = rng_below(rng, i + 1)
            state.order[i] = state.order[j]
            state.order[j] = type
            i += 1


cdef void fix_order(State* state, rng_t* rng) noexcept nogil:
    if not state.is_deterministic:
        shuffle(state, rng)
        state.is_deterministic = True
        if not state.is_over:
            begin_turn(state)


cdef bint is_sound(const State* state) noexcept nogil:
    return is_turn_sound(state) and is_bag_sound(state) and is_board_sound(state)


cdef bint is_turn_sound(const State* state) noexcept nogil:
    """Whether the configuration is in range, and exactly one kind of event can come next."""
    cdef bint is_to_place = state.current_tile != NO_TILE
    return (
        1 <= state.num_players <= MAX_PLAYERS
        and state.mover < state.num_players
        and state.max_score > 0
        and (state.current_tile < NUM_TYPES or not is_to_place)
        and state.is_deterministic <= 1
        and state.is_two_step <= 1
        and state.is_over == (not is_to_place and state.num_left == 0)
        and (is_to_place or state.is_over or not state.is_deterministic)
        and 1 <= state.num_tiles
        and state.num_tiles + is_to_place + state.num_left <= state.num_game_tiles <= MAX_TILES
    )


cdef bint is_bag_sound(const State* state) noexcept nogil:
    """Whether the counts of the bag sum to the tiles left, and a known order holds the same tiles."""
    cdef int listed[NUM_TYPES]
    cdef int i, count = 0
    memset(listed, 0, sizeof(listed))
    for i in range(MAX_TILES):
        if state.order[i] >= NUM_TYPES:
            return False
        listed[state.order[i]] += i < state.num_left
    for i in range(NUM_TYPES):
        count += state.bag[i]
        if state.is_deterministic and listed[i] != state.bag[i]:
            return False
    return count == state.num_left


cdef bint is_board_sound(const State* state) noexcept nogil:
    """Whether laying the same tiles again leads to the same board, byte for byte."""
    cdef State board
    cdef int i
    memset(&board, 0, sizeof(State))
    board.board_size = state.board_size
    board.num_players = state.num_players
    lay_start_tile(&board)
    for i in range(1, state.num_tiles):
        if not lay_again(&board, &state.tiles[i]):
            return False
    return (
        put_meeples_again(&board, state)
        and memcmp(&board.num_tiles, &state.num_tiles, sizeof(State) - offset_of_board(state)) == 0
        and (state.current_tile == NO_TILE or is_placeable(state, state.current_tile))
        and (state.chosen == 0 or is_choice_sound(state))
    )


cdef size_t offset_of_board(const State* state) noexcept nogil:
    """Where, in the state, the fields begin that tell of the board."""
    return <const char*> &state.num_tiles - <const char*> state


cdef bint lay_again(State* board, const Tile* tile) noexcept nogil:
    """Lays a tile where it lies; whether it fits there."""
    cdef int open = open_at(board, tile.x, tile.y)
    if open < 0 or tile.type >= NUM_TYPES or tile.rotation > 3:
        return False
    if not ROTATIONS[tile.type][board.open_code[open]] >> tile.rotation & 1:
        return False
    board.current_tile = tile.type
    place(board, placement_of(open, tile.rotation, 0))
    return True


cdef bint put_meeples_again(State* board, const State* state) noexcept nogil:
    """Sets the meeples where they stand; whether each may stand there, and the others are in hand."""
    cdef int placed[MAX_PLAYERS]
    cdef bint is_taken[MAX_TILES]
    cdef int i, feature
    cdef bint has_cloister
    cdef const Meeple* meeple
    memset(placed, 0, sizeof(placed))
    memset(is_taken, 0, sizeof(is_taken))
    if state.num_meeples_placed > state.num_tiles:
        return False
    for i in range(state.num_meeples_placed):
        meeple = &state.meeples[i]
        if meeple.player >= state.num_players or not may_stand(board, meeple) or is_taken[meeple.tile]:
            return False
        is_taken[meeple.tile] = True
        feature = board.feature_of[meeple.tile][meeple.segment]
        board.features[feature] += <uint64_t> 1 << (MEEPLES + 8 * meeple.player)
        placed[meeple.player] += 1
    for i in range(state.num_players):
        if state.hand[i] != state.num_meeples - placed[i]:
            return False
    board.num_meeples_placed = state.num_meeples_placed
    memcpy(board.meeples, state.meeples, sizeof(state.meeples))   # places not in use, too
    for i in range(board.num_tiles):
        has_cloister = SHAPES[board.tiles[i].type][0].cloister != NO_SEGMENT
        if has_cloister and has_meeples(board.features[cloister_of(board, i)]):
            start_cloister(board, i)
    return True


cdef bint may_stand(const State* board, const Meeple* meeple) noexcept nogil:
    """Whether a meeple stands on a segment of a tile, of a feature that is not complete."""
    cdef int feature
    if meeple.tile >= board.num_tiles or meeple.segment >= NUM_SEGMENTS[board.tiles[meeple.tile].type]:
        return False
    feature = board.feature_of[meeple.tile][meeple.segment]
    return board.kinds[feature] == FARM or not is_complete(board, feature)


cdef bint is_choice_sound(const State* state) noexcept nogil:
    """Whether the first of two steps chose a cell and a rotation that fit the current tile."""
    cdef int placement = state.chosen - 1
    cdef int open = open_of(placement), rotation = rotation_of(placement)
    return (
        state.is_two_step
        and state.current_tile != NO_TILE
        and slot_of(placement) == 0
        and open < state.num_open
        and ROTATIONS[state.current_tile][state.open_code[open]] >> rotation & 1
    )


cdef void fill_position(const State* state, Position* position) noexcept nogil:
    cdef const Tile* tile
    cdef Tile chosen
    cdef int i
    memset(position, 0, sizeof(Position))
    memcpy(position.head, state, offset_of_board(state))
    memset(position.head + (<const uint8_t*> &state.chosen - <const uint8_t*> state), 0, 2)
    memset(   # tiles that were drawn
        position.head + (&state.order[state.num_left] - <const uint8_t*> state), 0, MAX_TILES - state.num_left
    )
    position.chosen = -1
    if state.chosen:   # open cells are numbered by the history
        chosen = chosen_tile(state)
        position.chosen = action_at(chosen.x, chosen.y, chosen.rotation * MAX_SLOTS)
    position.num_tiles = state.num_tiles
    for i in range(state.num_tiles):
        tile = &state.tiles[i]
        insert(position.tiles, i, cell_word(tile) | tile.type << 2 | tile.rotation)
    position.num_meeples = state.num_meeples_placed
    for i in range(state.num_meeples_placed):
        tile = &state.tiles[state.meeples[i].tile]
        insert(position.meeples, i, cell_word(tile) | state.meeples[i].segment << 3 | state.meeples[i].player)


cdef inline uint32_t cell_word(const Tile* tile) noexcept nogil:
    """The cell of a tile in the upper half of a word."""
    return <uint32_t> (tile.x + 128) << 24 | <uint32_t> (tile.y + 128) << 16


cdef inline void insert(uint32_t* words, int count, uint32_t word) noexcept nogil:
    """Adds a word to a list that ascends."""
    while count > 0 and words[count - 1] > word:
        words[count] = words[count - 1]
        count -= 1
    words[count] = word


cdef Tile chosen_tile(const State* state) noexcept nogil:
    cdef int placement = state.chosen - 1
    cdef uint32_t spot = state.open_spot[open_of(placement)]
    return Tile(x_in(spot), y_in(spot), state.current_tile, rotation_of(placement))


cdef int num_discarded(const State* state) noexcept nogil:
    cdef int to_place = state.current_tile != NO_TILE
    return state.num_game_tiles - state.num_tiles - to_place - state.num_left


cdef bint is_placeable(const State* state, int type) noexcept nogil:
    cdef const uint8_t* rotations = ROTATIONS[type]
    cdef int i
    for i in range(state.num_open):
        if rotations[state.open_code[i]]:
            return True
    return False


cdef void start_game(State* state) noexcept nogil:
    cdef int player
    for player in range(state.num_players):
        state.hand[player] = state.num_meeples
    lay_start_tile(state)
    begin_turn(state)


cdef int START_TYPE = _tiles.LETTERS.index(_tiles.START_TILE)


# --- Actions ---


cdef inline int32_t action_of(const State* state, int placement) noexcept nogil:
    cdef uint32_t spot = state.open_spot[open_of(placement)]
    if state.chosen:
        return slot_of(placement)
    return action_at(
        x_in(spot), y_in(spot), rotation_of(placement) * MAX_SLOTS + slot_of(placement)
    )


cdef int open_at(const State* state, int x, int y) noexcept nogil:
    """Index of the open cell at (x, y), or -1 if the cell is not open."""
    cdef int open = state.cells[address_of(x, y)] - 1
    cdef bint is_near = 0 <= open < state.num_open   # else the cell has a tile, or nothing
    return open if is_near and state.open_spot[open] == spot_of(x, y) else -1


cdef bint is_open(const State* state, int x, int y) noexcept nogil:
    return open_at(state, x, y) >= 0


cdef int placement_from(const State* state, int32_t action) noexcept nogil:
    """The placement of an action, or -1 if its cell is not open."""
    cdef int open, pose = action % NUM_POSES
    if state.chosen:
        return state.chosen - 1 + action if action < MAX_SLOTS else -1
    open = open_at(state, x_of(action), y_of(action))
    return -1 if open < 0 else placement_of(open, pose // MAX_SLOTS, pose % MAX_SLOTS)


cdef inline int num_slots(const State* state) noexcept nogil:
    """Number of slots to choose from: 1 without a meeple in hand and in the first of two steps, else all
    slots of the current tile."""
    cdef bint has_choice = state.hand[state.mover] != 0
    if state.is_two_step and state.chosen == 0:
        return 1
    return 1 + (NUM_SEGMENTS[state.current_tile] & -has_choice)   # without a branch


cdef int legal_placements(const State* state, int32_t* placements) noexcept nogil:
    cdef int32_t firsts[4 * MAX_OPEN]
    cdef int i, count = 0, slots = num_slots(state)
    if state.chosen:
        return legal_slots(state, state.chosen - 1, slots, placements)
    for i in range(fitting_placements(state, firsts)):
        count += legal_slots(state, firsts[i], slots, placements + count)
    return count


cdef inline int fitting_placements(const State* state, int32_t* placements) noexcept nogil:
    """Lists the placements without a meeple, with no branch: which cells fit is hard to predict."""
    cdef const uint8_t* fitting = ROTATIONS[state.current_tile]
    cdef uint8_t cells[MAX_OPEN]
    cdef int i, rotation, rotations, num_cells = 0, count = 0
    for i in range(state.num_open):
        cells[num_cells] = i
        num_cells += fitting[state.open_code[i]] != 0
    for i in range(num_cells):
        rotations = fitting[state.open_code[cells[i]]]
        for rotation in range(4):
            placements[count] = placement_of(cells[i], rotation, 0)
            count += rotations >> rotation & 1
    return count


cdef inline int legal_slots(
    const State* state, int first, int slots, int32_t* placements
) noexcept nogil:
    """Lists the legal placements with the cell and rotation of `first`, whose slot is 0, of `num_slots`."""
    cdef int slot, occupied, count = 1
    placements[0] = first
    if slots == 1:
        return 1
    occupied = occupied_segments(
        state, &SHAPES[state.current_tile][rotation_of(first)], open_of(first)
    )
    for slot in range(1, slots):
        placements[count] = first + slot
        count += not occupied >> (slot - 1) & 1
    return count


cdef int legal_actions(const State* state, int32_t* actions) noexcept nogil:
    cdef int i, count = legal_placements(state, actions)
    for i in range(count):
        actions[i] = action_of(state, actions[i])
    return count


cdef inline int promise_of(const State* state, int32_t action) noexcept nogil:
    """Sort key of an action, 0 to 9: twice the number of touched tiles, plus 1 with a meeple."""
    cdef int placement = placement_from(state, action)
    cdef int code = state.open_code[open_of(placement)]
    return 2 * SIDE_LISTS[code].num_neighbours + (slot_of(placement) != 0)


cdef void order_actions(const State* state, int32_t* actions, int count) noexcept nogil:
    cdef int32_t listed[MAX_LEGAL_ACTIONS]
    cdef uint8_t promises[MAX_LEGAL_ACTIONS]
    cdef int positions[10]   # of the next action with each promise
    cdef int i, promise, position = 0
    memset(positions, 0, sizeof(positions))
    for i in range(count):
        listed[i] = actions[i]
        promises[i] = promise_of(state, actions[i])
        positions[promises[i]] += 1
    for promise in range(9, -1, -1):
        positions[promise], position = position, position + positions[promise]
    for i in range(count):
        actions[positions[promises[i]]] = listed[i]
        positions[promises[i]] += 1


cdef bint is_legal(const State* state, int32_t action) noexcept nogil:
    cdef int type = state.current_tile
    cdef int placement, open, rotation, slot, code
    if type == NO_TILE or not 0 <= action < NUM_ACTIONS:
        return False
    placement = placement_from(state, action)
    if placement < 0:
        return False
    slot = slot_of(placement)
    rotation = rotation_of(placement)
    open = open_of(placement)
    code = state.open_code[open]
    if not ROTATIONS[type][code] >> rotation & 1:
        return False
    if slot == 0:
        return True
    if slot >= num_slots(state):
        return False
    return not occupied_segments(state, &SHAPES[type][rotation], open) >> (slot - 1) & 1


cdef void apply_action(State* state, int32_t action) noexcept nogil:
    if state.current_tile == NO_TILE:
        draw(state, action)
    else:
        take_turn(state, placement_from(state, action))
    begin_turn(state)


# --- Random play ---


cdef int sample_placement(const State* state, uint32_t slots, rng_t* rng) noexcept nogil:
    """A uniformly random legal placement with a slot less than `slots`; -1 if there is none.

    `slots` is 1 or the number of all slots. The function proposes an open cell, a rotation and a slot,
    uniform and independent, until they are legal together. So all legal placements are equally likely.
    A proposal takes one 64-bit random number: the high half gives the cell (with rejection to avoid bias,
    as in rng_below), the low half the rotation and the slot. After MAX_REJECTIONS failures, the function
    draws from the list of legal placements.
    """
    cdef int type = state.current_tile
    cdef const Shape* shapes = SHAPES[type]
    cdef const uint8_t* fitting = ROTATIONS[type]
    cdef const uint8_t* codes = &state.open_code[0]
    cdef uint32_t last_rotation = NUM_ROTATIONS[type] - 1
    cdef uint32_t num_open = state.num_open
    cdef rng_t own = rng[0]   # stays in registers
    cdef uint64_t bits, product
    cdef uint32_t open, rotation, slot
    cdef int left = MAX_REJECTIONS
    if state.chosen or num_open == 0:
        return listed_placement(state, slots, rng)
    while True:
        while True:   # a loop of its own, so that compilers give it the registers
            if left == 0:
                rng[0] = own
                return listed_placement(state, slots, rng)
            left -= 1
            bits = rng_next(&own)
            product = (bits >> 32) * num_open
            open = product >> 32
            rotation = <uint32_t> bits >> 30 & last_rotation
            if fitting[codes[open]] >> rotation & 1:
                break
        if <uint32_t> product < num_open and <uint32_t> product < (0 - num_open) % num_open:
            continue
        slot = (bits & 0xFFFF) * slots
        if slot & 0xFFFF < slots and slot & 0xFFFF < 0x10000 % slots:
            continue
        slot >>= 16
        if slot == 0 or not occupied_segments(state, &shapes[rotation], open) >> (slot - 1) & 1:
            rng[0] = own
            return placement_of(open, rotation, slot)


cdef int listed_placement(const State* state, uint32_t slots, rng_t* rng) noexcept nogil:
    """Returns what sample_placement does, but draws from the list of legal placements."""
    cdef int32_t placements[MAX_LEGAL_ACTIONS]
    cdef int i, count = 0, listed = legal_placements(state, placements)
    for i in range(listed):
        placements[count] = placements[i]
        count += slot_of(placements[i]) < <int> slots
    return placements[rng_below(rng, count)] if count else -1


cdef int with_meeple(const State* state, int placement, double probability, rng_t* rng) noexcept nogil:
    """With the given probability, adds a meeple to a placement, on a uniformly random legal segment."""
    cdef int32_t placements[MAX_SLOTS]
    cdef int count
    if placement < 0 or rng_uniform(rng) >= probability:
        return placement
    count = legal_slots(state, placement, num_slots(state), placements)
    return placement if count == 1 else placements[1 + rng_below(rng, count - 1)]


cdef enum:
    UNIFORM = -1   # meeple probability that stands for equally likely legal actions


cdef inline int next_placement(const State* state, double meeple_probability, rng_t* rng) noexcept nogil:
    if meeple_probability == UNIFORM:
        return sample_placement(state, num_slots(state), rng)
    if state.chosen:
        return with_meeple(state, state.chosen - 1, meeple_probability, rng)
    return with_meeple(state, sample_placement(state, 1, rng), meeple_probability, rng)


cdef int32_t sample_action(const State* state, rng_t* rng) noexcept nogil:
    return action_of(state, sample_placement(state, num_slots(state), rng))


cdef int sample_type(const State* state, rng_t* rng) noexcept nogil:
    cdef int rest = rng_below(rng, state.num_left)
    cdef int type
    for type in range(NUM_TYPES):
        rest -= state.bag[type]
        if rest < 0:
            break
    return type


cdef void go_on(State* state, rng_t* rng, int seat) noexcept nogil:
    while not state.is_over:
        if state.current_tile == NO_TILE:
            apply_action(state, sample_type(state, rng))
        elif seat == ALL_SEATS or seat == state.mover:
            break
        else:
            apply_action(state, sample_action(state, rng))


cdef int rollout(State* state, rng_t* rng) noexcept nogil:
    return play_out(state, rng, UNIFORM)


cdef int rollout_with_meeples(State* state, rng_t* rng, double probability) noexcept nogil:
    return play_out(state, rng, probability)


cdef inline int play_out(State* state, rng_t* rng, double meeple_probability) noexcept nogil:
    cdef rng_t local = rng[0]
    cdef uint8_t bag[MAX_TILES + 7]   # room for what is written beyond the last tile
    cdef int num_left = state.num_left, count = 0, placement, i
    if state.is_over:
        return 0
    list_tiles_to_come(state, bag)
    while True:
        if state.current_tile != NO_TILE:
            placement = next_placement(state, meeple_probability, &local)
            if placement >= 0:   # otherwise the tile fits nowhere and is discarded
                take_turn(state, placement)
                count += 1
            if state.chosen:
                take_turn(state, next_placement(state, meeple_probability, &local))
                count += 1
        if num_left == 0:
            break
        i = num_left - 1 if state.is_deterministic else <int> rng_below(&local, num_left)
        num_left -= 1
        state.current_tile = bag[i]
        bag[i] = bag[num_left]
        count += not state.is_deterministic
    state.current_tile = NO_TILE
    end_game(state)
    rng[0] = local
    return count


cdef void list_tiles_to_come(State* state, uint8_t* bag) noexcept nogil:
    """Moves the tiles of the bag to a list: in the known order, last first, or sorted by type."""
    cdef int type, j, i = 0
    if state.is_deterministic:
        memcpy(bag, state.order, MAX_TILES)
        memset(state.order, 0, MAX_TILES)
    else:
        for type in range(NUM_TYPES):
            memset(bag + i, type, 8)   # counts are hard to predict
            for j in range(8, state.bag[type]):
                bag[i + j] = type
            i += state.bag[type]
    memset(state.bag, 0, NUM_TYPES)
    state.num_left = 0


cdef State _state
assert offset_of_board(&_state) <= sizeof((<Position*> NULL).head)
