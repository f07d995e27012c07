# distutils: extra_compile_args = -O3
"""The value of positions: the forecast and what a small network adds to it."""

from os import PathLike
from pathlib import Path

import numpy as np

from agents.files import replacing

from agents.forward_model cimport data_of
from libc.stdint cimport int16_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from .board cimport (
    CENTRE, CITY, FARM, MAX_FEATURES, MAX_OPEN, MAX_PLAYERS, ROAD, SIDE_LISTS, TOUCHES, SideList, State,
    Tile, TouchList, cloister_of, feature_at, has_meeples, meeples_of, num_meeples_on, num_shields_of,
    num_tiles_of, x_in, y_in,
)
from .outlook cimport (
    CLOSING, JOINING, NUM_TERMS, Chance, Surroundings, Tally, View, around_cloister, closing_of, fill_weights,
    num_in_bag, points_now, promise_of, tally_terms, turns_left,
)

from agents.checks import check_range

from .archives import check_layers, read_arrays


# --- Rows ---


# What ends at a side of an open cell.
ctypedef struct End:
    uint16_t feature
    bint is_met                    # whether it ends at an earlier side, too


# What the inputs of a position rest on.
ctypedef struct Sight:
    const State* state
    View* view
    Tally tally
    double weights[NUM_TERMS]
    double forecasts[MAX_PLAYERS]  # in games for three or more
    End ends[MAX_OPEN][4]          # by open cell, in the order of its `SideList`
    # From the side of a player
    int player
    int others[MAX_PLAYERS - 1]
    int16_t row_of[MAX_FEATURES]   # by resolved feature: its row, or -1
    Rows rows
    float position[NUM_POSITION]


cdef inline int meeples_of_side(const Sight* sight, uint64_t numbers, int side) noexcept nogil:
    """The meeples of the player, side 0, or the most that another player has, side 1."""
    cdef int i, most = 0
    if side == 0:
        return num_meeples_on(numbers, sight.player)
    for i in range(sight.state.num_players - 1):
        most = max(most, num_meeples_on(numbers, sight.others[i]))
    return most


cdef inline bint side_holds(const Sight* sight, uint64_t numbers, int side) noexcept nogil:
    cdef int count = meeples_of_side(sight, numbers, side)
    return count != 0 and count >= meeples_of_side(sight, numbers, 1 - side)


cdef inline uint8_t rounded(float amount) noexcept nogil:
    return <uint8_t> min(max(amount, <float> 0) + 0.5, 255)


cdef uint8_t* new_row(Sight* sight, int kind) noexcept nogil:
    """A further row, of zeros but for its end."""
    cdef Rows* rows = &sight.rows
    cdef uint8_t* row = rows.of[kind][rows.count[kind]]
    rows.count[kind] += 1
    memset(row, 0, ROW_SIZE)
    row[ROW_PLAYERS] = sight.state.num_players
    row[ROW_KIND] = kind
    row[ROW_LEFT] = sight.state.num_left
    return row


cdef inline uint8_t* row_of(Sight* sight, int feature) noexcept nogil:
    """The row of a feature; NULL if it has none."""
    cdef int row = sight.row_of[feature]
    return NULL if row < 0 else sight.rows.of[FEATURES][row]


cdef inline int fitting_at(const Sight* sight, int open) noexcept nogil:
    """Number of tiles left that fit an open cell."""
    return sight.view.offers[sight.view.offer_of[sight.state.open_code[open]] - 1].fitting


cdef void find_ends(Sight* sight) noexcept nogil:
    cdef const State* state = sight.state
    cdef const SideList* sides
    cdef End* ends
    cdef int open, i, j
    for open in range(state.num_open):
        sides = &SIDE_LISTS[state.open_code[open]]
        ends = sight.ends[open]
        for i in range(sides.num_neighbours):
            ends[i].feature = feature_at(state, state.open_ends[open][sides.sides[i]], CENTRE)
            ends[i].is_met = False
            for j in range(i):
                ends[i].is_met |= ends[j].feature == ends[i].feature


cdef inline uint32_t closers(const Sight* sight, int open, int end) noexcept nogil:
    """The tile types that close all ends of a feature at a cell; `end` is the first of them."""
    cdef const SideList* sides = &SIDE_LISTS[sight.state.open_code[open]]
    cdef const uint32_t* closing = CLOSING[sight.state.open_code[open]]
    cdef const End* ends = sight.ends[open]
    cdef uint32_t types = closing[sides.sides[end]]
    cdef int i
    for i in range(end + 1, sides.num_neighbours):
        if ends[i].feature == ends[end].feature:
            types &= closing[sides.sides[i]]
    return types


cdef uint8_t* add_feature(Sight* sight, int feature, Chance closing, float growth) noexcept nogil:
    """Adds the row of a feature, without what depends on its cells or on other features."""
    cdef uint64_t numbers = sight.state.features[feature]
    cdef uint8_t* row = new_row(sight, FEATURES)
    cdef int kind = sight.state.kinds[feature], side
    sight.row_of[feature] = sight.rows.count[FEATURES] - 1
    row[kind] = 1
    if kind != FARM:
        row[FEATURE_TILES] = num_tiles_of(numbers)
        row[FEATURE_SHIELDS] = num_shields_of(numbers)
        row[FEATURE_ENDS] = numbers & 255
    for side in range(2):
        row[FEATURE_MEEPLES + side] = meeples_of_side(sight, numbers, side)
        row[FEATURE_HELD + side] = side_holds(sight, numbers, side)
    row[FEATURE_EVER] = rounded(250 * closing.ever)
    row[FEATURE_SOON] = rounded(250 * closing.soon)
    row[FEATURE_GROWTH] = rounded(20 * growth)
    return row


cdef void add_features(Sight* sight) noexcept nogil:
    cdef const State* state = sight.state
    cdef View* view = sight.view
    cdef const Tile* tile
    cdef Surroundings around
    cdef Chance never
    cdef uint8_t* row
    cdef int i, feature
    for i in range(view.num_regions):
        feature = view.regions[i].feature
        add_feature(sight, feature, closing_of(state, view, feature), view.regions[i].growth)
    for i in range(state.num_open_cloisters):
        tile = &state.tiles[state.open_cloisters[i]]
        feature = cloister_of(state, state.open_cloisters[i])
        around = around_cloister(state, view, feature, tile.x, tile.y)
        row = add_feature(sight, feature, around.closing, around.growth)
        row[FEATURE_FAR] = around.far
    never.ever = never.soon = 0
    for i in range(view.num_farms):
        row = add_feature(sight, view.farms[i].feature, never, 0)
        row[FEATURE_COMPLETED] = view.farms[i].completed
        row[FEATURE_EXPECTED] = rounded(20 * view.farms[i].expected)


cdef void add_cities_beside_farms(Sight* sight) noexcept nogil:
    cdef const State* state = sight.state
    cdef const TouchList* touches
    cdef uint64_t counted[MAX_FEATURES]   # by city: the farms, one bit each, that have counted it
    cdef uint64_t bit
    cdef uint8_t* of_farm
    cdef uint8_t* of_city
    cdef int i, k, side, farm, city
    memset(counted, 0, state.num_features * sizeof(uint64_t))
    for i in range(state.num_tiles):
        touches = &TOUCHES[state.tiles[i].type]
        for k in range(touches.count):
            farm = state.feature_of[i][touches.farms[k]]
            city = state.feature_of[i][touches.cities[k]]
            of_farm = row_of(sight, farm)
            of_city = row_of(sight, city)   # NULL for completed ones
            if of_farm == NULL or of_city == NULL:
                continue
            bit = <uint64_t> 1 << (sight.view.farm_of[farm] - 1)
            if counted[city] & bit:
                continue
            counted[city] |= bit
            of_farm[FEATURE_UNFINISHED] += 1
            for side in range(2):
                of_city[FEATURE_FARMS + side] += of_farm[FEATURE_HELD + side]


cdef void add_cells_of_features(Sight* sight) noexcept nogil:
    cdef const State* state = sight.state
    cdef const SideList* sides
    cdef uint8_t* row
    cdef int open, i, feature, fitting, closing
    for open in range(state.num_open):
        sides = &SIDE_LISTS[state.open_code[open]]
        fitting = fitting_at(sight, open)
        for i in range(sides.num_neighbours):
            feature = sight.ends[open][i].feature
            row = row_of(sight, feature)
            if row == NULL or sight.ends[open][i].is_met:
                continue
            add_extremes(row + FEATURE_FITTING, fitting, row[FEATURE_CELLS] == 0)
            row[FEATURE_DEAD] += fitting == 0
            row[FEATURE_SHARED] += sides.num_neighbours > 1
            row[FEATURE_TIGHT] += fitting <= 2
            if state.kinds[feature] != FARM:
                closing = num_in_bag(sight.view, closers(sight, open, i))
                add_extremes(row + FEATURE_CLOSING, closing, row[FEATURE_CELLS] == 0)
                row[FEATURE_SHUT] += closing == 0
            row[FEATURE_CELLS] += 1


cdef inline void add_extremes(uint8_t* extremes, int number, bint is_first) noexcept nogil:
    """Takes a further number into the least and the greatest of them."""
    extremes[0] = number if is_first else min(extremes[0], number)
    extremes[1] = max(extremes[1], number)


cdef void add_cells(Sight* sight) noexcept nogil:
    cdef const State* state = sight.state
    cdef const SideList* sides
    cdef uint8_t* cell
    cdef int open, i, j, code
    for open in range(state.num_open):
        code = state.open_code[open]
        sides = &SIDE_LISTS[code]
        cell = new_row(sight, CELLS)
        cell[CELL_FITTING] = fitting_at(sight, open)
        cell[CELL_SIDES] = sides.num_neighbours
        for i in range(sides.num_neighbours):
            cell[CELL_SIDES + (code >> 2 * sides.sides[i] & 3)] += 1
            add_side(sight, cell, open, i)
            for j in range(i):
                add_pair(sight, open, i, j)
        add_cloisters_around(sight, cell, open)


cdef void add_side(Sight* sight, uint8_t* cell, int open, int end) noexcept nogil:
    """Adds the feature that ends at a side of a cell."""
    cdef int feature = sight.ends[open][end].feature
    cdef const uint8_t* row = row_of(sight, feature)
    cdef uint64_t numbers = sight.state.features[feature]
    cdef int points = points_now(numbers), side
    cdef bint is_city = sight.state.kinds[feature] == CITY
    cdef uint8_t* held
    if row == NULL or sight.ends[open][end].is_met:
        return
    if not has_meeples(numbers):
        cell[CELL_FREE] += 1
        cell[CELL_FREE + 1] += points
        cell[CELL_FREE + 2] += row[FEATURE_CELLS] == 1
    for side in range(2):
        held = cell + CELL_PLAYERS + side * NUM_HELD
        if not row[FEATURE_HELD + side]:
            continue
        if sight.state.kinds[feature] == FARM:
            held[HELD_FARMS] += 1
            continue
        held[HELD] += 1
        held[HELD_POINTS] += points
        held[HELD_CITY_POINTS] += points * is_city
        if row[FEATURE_CELLS] == 1:
            held[HELD_LAST] += 1
            held[HELD_LAST_POINTS] += points * (1 + is_city)
            held[HELD_CLOSING] = max(held[HELD_CLOSING], row[FEATURE_CLOSING])


cdef void add_cloisters_around(Sight* sight, uint8_t* cell, int open) noexcept nogil:
    cdef const State* state = sight.state
    cdef const Tile* tile
    cdef int x = x_in(state.open_spot[open]), y = y_in(state.open_spot[open])
    cdef int i, side
    cdef uint64_t numbers
    for i in range(state.num_open_cloisters):
        tile = &state.tiles[state.open_cloisters[i]]
        if max(abs(tile.x - x), abs(tile.y - y)) > 1:
            continue
        numbers = state.features[cloister_of(state, state.open_cloisters[i])]
        for side in range(2):
            cell[CELL_PLAYERS + side * NUM_HELD + HELD_CLOISTERS] += meeples_of_side(
                sight, numbers, side
            )


cdef void add_pair(Sight* sight, int open, int one, int other) noexcept nogil:
    """Adds the pair of features that end at two sides of a cell, if a tile left can join them there."""
    cdef const State* state = sight.state
    cdef int code = state.open_code[open]
    cdef int a = SIDE_LISTS[code].sides[one], b = SIDE_LISTS[code].sides[other]
    cdef int first = sight.ends[open][one].feature
    cdef int second = sight.ends[open][other].feature
    cdef int kind = state.kinds[first], joining
    cdef uint8_t* pair
    if (
        first == second
        or kind != state.kinds[second]
        or not has_meeples(state.features[first] | state.features[second])
    ):
        return
    joining = num_in_bag(sight.view, JOINING[code][a][b])
    if joining == 0:
        return
    pair = new_row(sight, PAIRS)
    pair[PAIR_IS_CITY if kind == CITY else PAIR_IS_ROAD if kind == ROAD else PAIR_IS_FARM] = 1
    pair[PAIR_JOINING] = joining
    pair[PAIR_FITTING] = fitting_at(sight, open)
    if kind != FARM and row_of(sight, first)[FEATURE_CELLS] + row_of(sight, second)[FEATURE_CELLS] == 2:
        pair[PAIR_LAST] = 1
        pair[PAIR_FINISHING] = num_in_bag(
            sight.view, JOINING[code][a][b] & CLOSING[code][a] & CLOSING[code][b]
        )
    if rank_of(sight, second) > rank_of(sight, first):
        first, second = second, first
    add_joined(sight, pair, first, second)
    add_changes(sight, pair + PAIR_HELD, first, second)


cdef float rank_of(Sight* sight, int feature) noexcept nogil:
    cdef uint64_t numbers = sight.state.features[feature]
    cdef int majority = meeples_of_side(sight, numbers, 0) - meeples_of_side(sight, numbers, 1)
    return majority + 0.01 * promise_of(sight.state, sight.view, feature)


cdef void add_joined(Sight* sight, uint8_t* pair, int first, int second) noexcept nogil:
    cdef int features[2]
    cdef const uint8_t* row
    cdef uint8_t* joined
    cdef uint64_t numbers
    cdef int i
    features[0] = first
    features[1] = second
    for i in range(2):
        row = row_of(sight, features[i])
        numbers = sight.state.features[features[i]]
        joined = pair + PAIR_FEATURES + i * NUM_PAIR_FEATURE
        joined[PAIR_PROMISE] = rounded(4 * promise_of(sight.state, sight.view, features[i]))
        joined[PAIR_MEEPLES] = meeples_of_side(sight, numbers, 0)
        joined[PAIR_MEEPLES + 1] = meeples_of_side(sight, numbers, 1)
        if row != NULL:   # all but farms without meeples
            joined[PAIR_CELLS] = row[FEATURE_CELLS]
            joined[PAIR_EVER] = row[FEATURE_EVER]
            joined[PAIR_SHUT] = row[FEATURE_SHUT]


cdef void add_changes(Sight* sight, uint8_t* inputs, int first, int second) noexcept nogil:
    """Fills which side holds the whole, and what each gains or loses by the join."""
    cdef const State* state = sight.state
    cdef uint64_t one = state.features[first], other = state.features[second]
    cdef uint64_t joined = meeples_of(one) + meeples_of(other)
    cdef float points = promise_of(state, sight.view, first), others = promise_of(state, sight.view, second)
    cdef float change
    cdef int side
    for side in range(2):
        change = side_holds(sight, joined, side) * (points + others)
        change -= side_holds(sight, one, side) * points + side_holds(sight, other, side) * others
        inputs[side] = side_holds(sight, joined, side)
        inputs[2 + 2 * side] = rounded(4 * change)
        inputs[3 + 2 * side] = rounded(-4 * change)


cdef void fill_rows(Sight* sight) noexcept nogil:
    memset(sight.rows.count, 0, sizeof(sight.rows.count))
    memset(sight.row_of, -1, sizeof(sight.row_of))
    add_features(sight)
    add_cities_beside_farms(sight)
    add_cells_of_features(sight)
    add_cells(sight)


# --- The network ---


# The weights from each input or unit to all units of the next layer; 0 for inputs that a kind of rows lacks.
ctypedef struct RowLayers:
    float first[MAX_INPUTS + 1][UNITS]   # at last those of the share of tiles left
    float first_bias[UNITS]
    float second[UNITS][SUMS]
    float second_bias[SUMS]


ctypedef struct Network:
    RowLayers of_rows[NUM_KINDS_OF_ROWS]
    float hidden[NUM_POSITION + NUM_KINDS_OF_ROWS * SUMS][UNITS]
    float hidden_bias[UNITS]
    float output[UNITS]
    float linear[NUM_POSITION]
    float bias


cdef Network NETWORKS[NUM_NETWORKS]
cdef int layers_set = 0


cdef inline const Network* network_for(int num_players) noexcept nogil:
    return &NETWORKS[min(num_players, NUM_NETWORKS) - 1]


cdef void pass_row(const uint8_t* row, float left, float* sums) noexcept nogil:
    """Fills what a row of a position with this share of tiles left adds to the sums of its kind."""
    cdef const RowLayers* layers = &network_for(row[ROW_PLAYERS]).of_rows[row[ROW_KIND]]
    cdef float units[UNITS]
    cdef float outputs[SUMS]   # of its own: the compiler then knows that no weight changes
    cdef int i, unit
    for unit in range(UNITS):
        units[unit] = layers.first_bias[unit] + left * layers.first[MAX_INPUTS][unit]
    for i in range(MAX_INPUTS):
        if row[i]:
            for unit in range(UNITS):
                units[unit] += row[i] * layers.first[i][unit]
    memcpy(outputs, layers.second_bias, sizeof(outputs))
    for i in range(UNITS):
        if units[i] > 0:
            for unit in range(SUMS):
                outputs[unit] += units[i] * layers.second[i][unit]
    for unit in range(SUMS):
        sums[unit] = max(outputs[unit], <float> 0)


cdef inline int place_of(const uint8_t* row) noexcept nogil:
    """A hash of a row: where it is kept."""
    cdef uint64_t word, total = 0
    cdef int i
    for i in range(0, ROW_SIZE, 8):
        memcpy(&word, row + i, 8)
        total = (total ^ word) * <uint64_t> 0x9E3779B97F4A7C15
    return total >> 40 & (MAX_SEEN - 1)


cdef inline const float* sums_of(Seen* seen, const uint8_t* row, float left) noexcept nogil:
    """What `pass_row` fills."""
    cdef int place = place_of(row)
    if memcmp(seen.rows[place], row, ROW_SIZE) != 0:
        memcpy(seen.rows[place], row, ROW_SIZE)
        pass_row(row, left, seen.sums[place])
    return seen.sums[place]


cdef void add_rows(Seen* seen, const Rows* rows, int kind, float left, float* sums) noexcept nogil:
    cdef const float* of_row
    cdef int i, unit
    for i in range(rows.count[kind]):
        of_row = sums_of(seen, rows.of[kind][i], left)
        for unit in range(SUMS):
            sums[unit] += of_row[unit]


cdef float correction(
    const Network* network, Seen* seen, const Rows* rows, const float* position
) noexcept nogil:
    """What the network adds to the lead by the forecast."""
    cdef float inputs[NUM_POSITION + NUM_KINDS_OF_ROWS * SUMS]
    cdef float units[UNITS]
    cdef float total = network.bias
    cdef int kind, i, unit
    if seen.layers_set != layers_set:
        memset(seen, 0, sizeof(seen[0]))   # no row is all zeros
        seen.layers_set = layers_set
    memset(inputs, 0, sizeof(inputs))
    memcpy(inputs, position, NUM_POSITION * sizeof(float))
    for kind in range(NUM_KINDS_OF_ROWS):
        add_rows(seen, rows, kind, position[2 * NUM_TERMS], inputs + NUM_POSITION + kind * SUMS)
    memcpy(units, network.hidden_bias, sizeof(units))
    for i in range(NUM_POSITION + NUM_KINDS_OF_ROWS * SUMS):
        if inputs[i] != 0:
            for unit in range(UNITS):
                units[unit] += inputs[i] * network.hidden[i][unit]
    for unit in range(UNITS):
        total += network.output[unit] * max(units[unit], <float> 0)
    for i in range(NUM_POSITION):
        total += network.linear[i] * position[i]
    return total


cdef void see(const State* state, View* view, Sight* sight) noexcept nogil:
    """Looks at a position, whoever the player is."""
    cdef int player, term
    sight.state = state
    sight.view = view
    sight.tally.entries = NULL
    memset(sight.tally.terms[1], 0, sizeof(sight.tally.terms[1]))   # of the other, if there is none
    tally_terms(state, view, &sight.tally)
    fill_weights(state.num_players > 1, turns_left(state), sight.weights)
    find_ends(sight)
    if state.num_players <= 2:
        return
    for player in range(state.num_players):
        sight.forecasts[player] = 0
        for term in range(NUM_TERMS):
            sight.forecasts[player] += sight.weights[term] * sight.tally.terms[player][term]


cdef int find_others(Sight* sight) noexcept nogil:
    """Fills the other players. Returns the one who can expect most; 1 if there is none."""
    cdef int i, other, rival = 1
    for i in range(sight.state.num_players - 1):
        other = i + (i >= sight.player)
        sight.others[i] = other
        if i == 0 or sight.forecasts[other] > sight.forecasts[rival]:
            rival = other
    return rival


cdef void fill_position_inputs(Sight* sight, int rival) noexcept nogil:
    """Fills the terms of player and rival, the share of tiles left and the lead by the forecast."""
    cdef float* position = sight.position
    cdef double lead = 0
    cdef int term
    for term in range(NUM_TERMS):
        position[term] = sight.tally.terms[sight.player][term]
        position[NUM_TERMS + term] = sight.tally.terms[rival][term]
        lead += sight.weights[term] * (position[term] - position[NUM_TERMS + term])
    position[2 * NUM_TERMS] = turns_left(sight.state)
    position[2 * NUM_TERMS + 1] = lead


cdef void look_from(Sight* sight, int player) noexcept nogil:
    """Fills all inputs of the network from the side of a player."""
    sight.player = player
    fill_position_inputs(sight, find_others(sight))
    fill_rows(sight)


cdef double lead_of_player(Sight* sight, Seen* seen) noexcept nogil:
    """The lead that the player can expect whose inputs are filled."""
    cdef double lead = sight.position[NUM_POSITION - 1]
    return lead + correction(network_for(sight.state.num_players), seen, &sight.rows, sight.position)


cdef void expect_leads(const State* state, View* view, Seen* seen, double* leads) noexcept nogil:
    cdef Sight sight
    cdef int player, last = state.num_players - 1 - state.mover
    see(state, view, &sight)
    if state.num_players > 2:
        for player in range(state.num_players):
            look_from(&sight, player)
            leads[player] = lead_of_player(&sight, seen)
        return
    look_from(&sight, last)   # the network for two learned from the side of the last mover alone
    leads[last] = lead_of_player(&sight, seen)
    if state.num_players == 2:
        leads[state.mover] = -leads[last]


# --- Python ---


cdef dict inputs_of(const State* state, View* view, int player):
    cdef Sight sight
    cdef Rows* rows = &sight.rows
    cdef uint8_t* row
    cdef int kind, i, size
    see(state, view, &sight)
    look_from(&sight, player)
    inputs = {"position": np.array([sight.position[i] for i in range(NUM_POSITION)], np.float32)}
    for kind, (name, count) in enumerate(NUM_INPUTS.items()):
        size = count
        inputs[name] = np.empty((rows.count[kind], size), np.uint8)
        row = <uint8_t*> data_of(inputs[name])
        for i in range(rows.count[kind]):
            memcpy(row + i * size, rows.of[kind][i], size)
    return inputs


NUM_INPUTS: dict[str, int] = {
    "features": NUM_FEATURE_INPUTS, "cells": NUM_CELL_INPUTS, "pairs": NUM_PAIR_INPUTS
}
"""By the kind of rows, the number of inputs of a row; value.pxd says what they are."""

SHAPES_OF_LAYERS: dict[str, tuple[int, ...]] = {
    **{
        f"{kind} {name}": shape
        for kind, inputs in NUM_INPUTS.items()
        for name, shape in {
            "first": (inputs + 1, UNITS),
            "first bias": (UNITS,),
            "second": (UNITS, SUMS),
            "second bias": (SUMS,),
        }.items()
    },
    "hidden": (NUM_POSITION + NUM_KINDS_OF_ROWS * SUMS, UNITS),
    "hidden bias": (UNITS,),
    "output": (UNITS,),
    "linear": (NUM_POSITION,),
    "bias": (1,),
}
"""By name, the shape of each array of weights: from each input or unit to those of the next layer."""


def set_layers(layers: Mapping[str, ArrayLike], num_players: int = 2) -> None:
    """Replaces, in this process, a network of the heuristic "value" of `CarcassonneModel`.

    Args:
        layers: An array of numbers of each of `SHAPES_OF_LAYERS`, none greater than `archives.MAX_WEIGHT` in
            absolute value.
        num_players: Number of players in the games for which the network is; 3 stands for three or more.

    Raises:
        TypeError: If the number of players is not an integer.
        ValueError: If the layers or the number of players are others.
    """
    global layers_set
    arrays = _checked(layers)
    check_range("num_players", num_players, 1, NUM_NETWORKS)
    cdef Network* network = &NETWORKS[<int> num_players - 1]
    cdef RowLayers* of_rows
    memset(network, 0, sizeof(Network))
    for kind, name in enumerate(NUM_INPUTS):
        of_rows = &network.of_rows[<int> kind]
        first = arrays[f"{name} first"]
        fill(<float*> of_rows.first, first[:-1])
        fill(of_rows.first[MAX_INPUTS], first[-1])
        fill(of_rows.first_bias, arrays[f"{name} first bias"])
        fill(<float*> of_rows.second, arrays[f"{name} second"])
        fill(of_rows.second_bias, arrays[f"{name} second bias"])
    fill(<float*> network.hidden, arrays["hidden"])
    fill(network.hidden_bias, arrays["hidden bias"])
    fill(network.output, arrays["output"])
    fill(network.linear, arrays["linear"])
    network.bias = arrays["bias"][0]
    layers_set += 1


cdef fill(float* weights, array):
    cdef int i
    for i, weight in enumerate(array.ravel()):
        weights[i] = weight


def _checked(layers):
    """The layers as float32 arrays."""
    if layers.keys() != SHAPES_OF_LAYERS.keys():
        raise ValueError(f"layers must have the names {', '.join(SHAPES_OF_LAYERS)}, got {', '.join(layers)}")
    arrays = {name: np.array(layer, np.float32) for name, layer in layers.items()}
    check_layers(arrays, SHAPES_OF_LAYERS)
    return arrays


def save_layers(path: str | PathLike[str], layers: Mapping[str, ArrayLike]) -> None:
    """Writes layers that `set_layers` takes to an .npz file.

    Raises:
        OSError: If the file cannot be written.
        ValueError: As `set_layers` does.
    """
    arrays = _checked(layers)
    with replacing(path) as file:
        np.savez_compressed(file, **arrays)


def load_layers(path: str | PathLike[str]) -> dict[str, NDArray[np.float32]]:
    """The layers in a file that `save_layers` wrote.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is no such file.
    """
    try:
        return _checked(read_arrays(path))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} has no layers that save_layers wrote: {error}") from None


for _number in range(1, NUM_NETWORKS + 1):
    set_layers(load_layers(Path(__file__).with_name(f"value-{_number}.npz")), _number)
