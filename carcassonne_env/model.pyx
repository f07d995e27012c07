# distutils: extra_compile_args = -O1
"""The forward model of Carcassonne, which planners and environments use."""

import operator

import numpy as np

cimport cython
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy

from agents.forward_model cimport CHANCE, NO_PLAYER, TERMINAL, ForwardModel, allocated, hash_of
from agents.rng cimport Rng, rng_t
from agents.struct_model cimport StructModel

from . cimport board
from .board cimport Position, State
from .outlook cimport (
    MAX_ENTRIES, NUM_OWN_SETS, NUM_TERMS, Entry, Tally, View, around_cloister, closing_of, expect_scores,
    fill_weights, share_left, tally_terms, turns_left, view_position,
)
from .value cimport expect_leads, inputs_of
from .variant cimport Variant

from agents.checks import check_items, check_range
from agents.rng import Seed

from .outlook import HEURISTICS as _HEURISTICS, TERMS as _TERMS
from .position import (
    Feature, Move, OutlookEntry, PlacedMeeple, PlacedTile, move_to_string, segment_targets, target_to_string,
)
from .drawing import rendering as _rendering, tree_picture as _tree_picture
from . import tiles as _tiles


cdef enum:
    PICKLE_VERSION = 6


MAX_POINTS: int = 10_000
"""Of one kind of feature; no game reaches it."""


cdef enum:
    OUTLOOK = 2   # indices in `heuristics`
    FORECAST = 3
    VALUE = 4


@cython.final
cdef class CarcassonneModel(StructModel):
    """A game of Carcassonne for 1 to 5 players.

    An action places the current tile and, optionally, a meeple: see `decode_action`. With `two_step` a
    player takes two actions in a turn: the first chooses the cell and the rotation, the second the meeple.

    In the stochastic game (the default), every draw is a chance node over the tile types left in the bag.
    The outcomes 0 to 23 are the types A to X. A tile that fits nowhere is discarded, and the position is a
    chance node again. In the deterministic game, the order of the tiles is part of the position and known
    to planners, and there are no chance nodes.

    When the game is over, the scores include the final scoring, and the meeples stay on the board. The
    return of a player is the score minus the best other score (with one player: the score), divided by
    `max_score()`. With three or more players, the returns do not sum to zero.

    The heuristics have the units of returns. "s" is the return with the current scores, "vs" the return
    with the virtual scores, which players would have if the game ended now, and "outlook" the return with
    the final scores to expect (see `outlook` and outlook.pxd). "forecast" is the same in the base game for
    two and in games of 24 tiles for one; in shorter games for two or more, "outlook" expects far too much
    and "forecast" a little. "value" is the forecast, corrected by a network that sees the board (see
    value.pxd), which takes several times as long. The playout "meeple" places each tile
    uniformly at random. It then places a meeple, if one is legal, with a probability that is the parameter of
    the playout.

    Args:
        num_players: Number of players, 1 to 5.
        num_meeples: Meeples of each player, 0 to 255.
        tiles: "base" (the full set of 72 tiles), "small" (one tile of each type), or a mapping from letters
            to counts. It includes the start tile D and has 2 to 72 tiles.
        deterministic: Whether the order of the tiles is fixed at the start and known.
        order: The tiles in the order of drawing, as letters: a permutation of `tiles` without the start
            tile. An order makes the game deterministic. Without one, a deterministic game is shuffled.
        two_step: Whether placing the tile and placing the meeple are two actions.
        board_size: Side, in cells, of a square around the start tile outside which no tile may lie, 3 to
            145. A tile that fits nowhere inside is discarded. None, as in the printed game, sets no bound.
        max_score: Points by which returns are divided. The default is 593 (the constant of the publication)
            for the base game with 7 meeples, and `tiles.maximum_score` for all other games.
        seed: Seed of the shuffle: None, an int, a numpy SeedSequence or Generator, or an `Rng`.

    Raises:
        TypeError: If a number is not an integer, or `tiles` or `order` has the wrong type.
        ValueError: If an argument is out of range or names unknown tiles.
    """

    heuristics = _HEURISTICS
    playouts = ("meeple",)
    repeats_draws = True   # a tile that fits nowhere is discarded and the draw repeated

    def __cinit__(self, *args, **kwargs):
        self.hold(&self.state, sizeof(State), sizeof(State), PICKLE_VERSION)
        self.state.current_tile = board.NO_TILE   # a finished game until __init__ starts one
        self.state.is_over = True

    def __dealloc__(self):
        free(self.view)
        free(self.seen)

    def __init__(
        self,
        num_players: int = 2,
        num_meeples: int = 7,
        tiles: str | Mapping[str, int] = "base",
        deterministic: bool = False,
        seed: Seed = None,
        *,
        order: Iterable[str] | None = None,
        two_step: bool = False,
        board_size: int | None = None,
        max_score: int | None = None,
    ):
        cdef Rng rng = Rng(seed)
        cdef Variant variant = Variant(
            num_players, num_meeples, tiles, deterministic, order, two_step, board_size, max_score
        )
        variant.start(&self.state, &rng.state)
        self.set_sizes()

    @staticmethod
    def of(Variant variant not None, Rng rng not None) -> CarcassonneModel:
        """A new game of a variant. `rng` shuffles the tiles if their order is to be random."""
        cdef CarcassonneModel model = CarcassonneModel.__new__(CarcassonneModel)
        variant.start(&model.state, &rng.state)
        model.set_sizes()
        return model

    @staticmethod
    cdef CarcassonneModel at(const State* state):
        cdef CarcassonneModel model = CarcassonneModel.__new__(CarcassonneModel)
        memcpy(&model.state, state, sizeof(State))
        model.set_sizes()
        return model

    cdef void set_sizes(self) noexcept:
        self.num_players = self.state.num_players
        self.num_actions = board.NUM_ACTIONS
        self.max_legal_actions = board.MAX_LEGAL_ACTIONS
        self.max_chance_outcomes = 0 if self.state.is_deterministic else board.NUM_TYPES

    cdef bint take_over(self, options) except -1:
        self.set_sizes()
        return board.is_sound(&self.state)

    # --- The contract ---

    cdef int c_current_player(self) except? NO_PLAYER nogil:
        if self.state.current_tile != board.NO_TILE:
            return self.state.mover
        return TERMINAL if self.state.is_over else CHANCE

    cdef int c_legal_actions(self, int32_t* actions) except -1 nogil:
        return board.legal_actions(&self.state, actions)

    cdef int c_chance_outcomes(self, int32_t* outcomes, double* probabilities) except -1 nogil:
        cdef int type, count = 0
        for type in range(board.NUM_TYPES):
            if self.state.bag[type]:
                outcomes[count] = type
                probabilities[count] = self.state.bag[type] / <double> self.state.num_left
                count += 1
        return count

    cdef int c_apply_action(self, int32_t action) except -1 nogil:
        board.apply_action(&self.state, action)
        return 0

    cdef int c_returns(self, double* returns) except -1 nogil:
        board.fill_leads(&self.state, &self.state.points, returns)
        return 0

    cdef int c_sample_action(self, rng_t* rng, int32_t* action) except -1 nogil:
        action[0] = board.sample_action(&self.state, rng)
        return 0

    cdef int c_sample_chance(self, rng_t* rng, int32_t* outcome) except -1 nogil:
        outcome[0] = board.sample_type(&self.state, rng)
        return 0

    cdef int c_rollout(self, rng_t* rng) except -1 nogil:
        return board.rollout(&self.state, rng)

    cdef int c_playout(self, int kind, double parameter, rng_t* rng) except -1 nogil:
        return board.rollout_with_meeples(&self.state, rng, parameter)

    cdef int c_determinize(self, rng_t* rng) except -1 nogil:
        board.fix_order(&self.state, rng)
        self.max_chance_outcomes = 0
        return 0

    cdef int c_order_actions(self, int32_t* actions, int count) except -1 nogil:
        board.order_actions(&self.state, actions, count)
        return 0

    cdef int c_heuristic(self, int kind, double* values) except -1 nogil:
        cdef double scores[board.MAX_PLAYERS]
        cdef board.Points points
        cdef int player
        if kind == VALUE and not self.state.is_over:
            expect_leads(&self.state, self.own_view(), self.own_seen(), values)
            for player in range(self.num_players):
                values[player] /= self.state.max_score
            return 0
        if kind >= OUTLOOK:
            self.expect(kind, scores)
            board.fill_leads_of(&self.state, scores, values)
            return 0
        points = board.virtual_points(&self.state) if kind else self.state.points
        board.fill_leads(&self.state, &points, values)
        return 0

    cdef int expect(self, int kind, double* scores) except -1 nogil:
        """Fills the expected final scores by "outlook", "forecast" or a set of weights that was added."""
        cdef int set = self.num_players > 1 if kind <= VALUE else kind - VALUE - 1 + NUM_OWN_SETS
        cdef bint by_turns = kind == FORECAST or kind == VALUE
        cdef double share = turns_left(&self.state) if by_turns else share_left(&self.state)
        expect_scores(&self.state, self.own_view(), set, share, scores)
        return 0

    cdef View* own_view(self) except NULL nogil:
        if self.view == NULL:
            self.view = <View*> allocated(sizeof(View))
            self.view.num_players = 0
        return self.view

    cdef Seen* own_seen(self) except NULL nogil:
        if self.seen == NULL:
            self.seen = <Seen*> allocated(sizeof(Seen))
            self.seen.layers_set = 0
        return self.seen

    cdef bint c_equals(self, ForwardModel other) except -1 nogil:
        cdef Position mine, others
        if StructModel.c_equals(self, other):   # mostly copies
            return True
        board.fill_position(&self.state, &mine)
        board.fill_position(&(<CarcassonneModel> other).state, &others)
        return memcmp(&mine, &others, sizeof(Position)) == 0

    cdef uint64_t c_hash(self) except? 0 nogil:
        cdef Position position
        board.fill_position(&self.state, &position)
        return hash_of(&position, sizeof(Position))

    cdef bint c_is_legal(self, int32_t action) except -1 nogil:
        return board.is_legal(&self.state, action)

    def is_legal(self, action):
        if self.c_current_player() != CHANCE:
            return ForwardModel.is_legal(self, action)
        try:   # without the arrays of `chance_outcomes`: environments draw a tile in every step
            type = operator.index(action)
        except TypeError:
            return False
        return 0 <= type < board.NUM_TYPES and self.state.bag[type] > 0

    # --- The position in Python ---

    @property
    def mover(self) -> int:
        """The player who places the current tile or, at a chance node, the next one."""
        return self.state.mover

    @property
    def board(self) -> list[PlacedTile]:
        """The tiles on the board in order of placement, the start tile first: list of `PlacedTile`."""
        return [_placed_tile(self.state.tiles[i]) for i in range(self.state.num_tiles)]

    @property
    def current_tile(self) -> str | None:
        """Letter of the tile to place; None at chance nodes and at the end."""
        return None if self.state.current_tile == board.NO_TILE else _tiles.LETTERS[self.state.current_tile]

    @property
    def bag(self) -> dict[str, int]:
        """Number of tiles in the bag by letter, without the current tile and without zeros."""
        left = range(board.NUM_TYPES)
        return {_tiles.LETTERS[type]: self.state.bag[type] for type in left if self.state.bag[type]}

    @property
    def order(self) -> str | None:
        """Letters of the tiles in the bag in the order of drawing; None in a stochastic game."""
        if not self.state.is_deterministic:
            return None
        return "".join(_tiles.LETTERS[self.state.order[i]] for i in reversed(range(self.state.num_left)))

    @property
    def is_deterministic(self) -> bool:
        """Whether the order of the tiles is part of the position."""
        return bool(self.state.is_deterministic)

    @property
    def is_two_step(self) -> bool:
        """Whether placing the tile and placing the meeple are two actions."""
        return bool(self.state.is_two_step)

    def in_two_steps(self) -> CarcassonneModel:
        """A copy in the same position in which placing the tile and the meeple are two actions."""
        cdef CarcassonneModel twin = CarcassonneModel.at(&self.state)
        twin.state.is_two_step = True
        return twin

    def in_one_step(self) -> CarcassonneModel:
        """A copy in the same position in which placing the tile and the meeple is one action.

        Raises:
            ValueError: If the placement is chosen already, and only the meeple is left to choose.
        """
        if self.state.chosen:
            raise ValueError(f"the placement {self.chosen} is chosen already: the turn cannot be one action")
        cdef CarcassonneModel twin = CarcassonneModel.at(&self.state)
        twin.state.is_two_step = False
        return twin

    @property
    def board_size(self) -> int | None:
        """Side, in cells, of the square in which tiles may lie; None without bound."""
        return self.state.board_size or None

    @property
    def chosen(self) -> tuple[int, int, int] | None:
        """The (x, y, rotation) chosen in the first of two steps; None before the first step."""
        if not self.state.chosen:
            return None
        return _placed_tile(board.chosen_tile(&self.state))[1:]

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of each player so far; at the end they include the final scoring."""
        return tuple([board.score(&self.state.points, p) for p in range(self.num_players)])

    @property
    def virtual_scores(self) -> tuple[int, ...]:
        """The score that each player would have if the game ended now."""
        cdef board.Points points = board.virtual_points(&self.state)
        return tuple([board.score(&points, p) for p in range(self.num_players)])

    @property
    def expected_scores(self) -> tuple[float, ...]:
        """The final score of each player to expect, in points, by the heuristic "outlook".

        At the end of the game it is the score.
        """
        return self.expected(OUTLOOK)

    @property
    def forecast(self) -> tuple[float, ...]:
        """The final score of each player to expect, in points, by the heuristic "forecast".

        It goes by the turns that a player has left. At the end of the game it is the score.
        """
        return self.expected(FORECAST)

    cdef tuple expected(self, int kind):
        cdef double scores[board.MAX_PLAYERS]
        self.expect(kind, scores)
        return tuple([scores[player] for player in range(self.num_players)])

    def outlook_terms(self) -> NDArray[np.float64]:
        """The terms of the outlook: float64[players, terms], in the order of `outlook.TERMS`."""
        cdef Tally tally
        tally.entries = NULL
        tally_terms(&self.state, self.own_view(), &tally)
        return np.array([[tally.terms[p][t] for t in range(NUM_TERMS)] for p in range(self.num_players)])

    def value_inputs(self, player: int | None = None) -> dict[str, NDArray[Any]]:
        """What the network of the heuristic "value" sees, from the side of a player.

        Args:
            player: The player; None is the one who moved last.

        Returns:
            uint8[rows, inputs] for "features", "cells" and "pairs" (value.pxd says what the inputs are), and
            "position", float32: the terms of the outlook of the player and of the other who can expect most
            (0 if there is none), the share of tiles left, and the lead by the forecast.

        Raises:
            TypeError: If the player is not an integer.
            ValueError: If there is no such player.
        """
        if player is None:
            player = (self.state.mover or self.num_players) - 1
        check_range("player", player, 0, self.num_players - 1)
        return inputs_of(&self.state, self.own_view(), player)

    def outlook(self) -> list[OutlookEntry]:
        """Why the players can expect their `expected_scores`: list of `OutlookEntry`.

        There is an entry for each player, term and feature of the board, unless its amount is 0. The points
        of a player's entries add up to the expected score, except at the end of the game, where that is
        exact. The chance that two features are joined is listed for one of them.
        """
        cdef Tally tally
        cdef double weights[NUM_TERMS]
        cdef Entry* entry
        cdef int i
        amounts = {}
        tally.entries = <Entry*> allocated(MAX_ENTRIES * sizeof(Entry))
        tally_terms(&self.state, self.own_view(), &tally)
        fill_weights(self.num_players > 1, share_left(&self.state), weights)
        for i in range(tally.num_entries):
            entry = &tally.entries[i]
            key = entry.player, entry.term, entry.feature
            amounts[key] = amounts.get(key, 0.0) + entry.amount
        free(tally.entries)
        features = self._features_by_id()
        return [
            OutlookEntry(
                player, _TERMS[term], features.get(feature), amount, amount * weights[<int> term]
            )
            for (player, term, feature), amount in sorted(amounts.items())
            if amount
        ]

    def completion_chances(self) -> list[tuple[Feature, float]]:
        """The chance of completion of each unfinished city, road and cloister: list of (`Feature`, float).

        The outlook's terms rest on these chances, oldest feature first. The top of outlook.pxd says how they
        are worked out, from numbers that were fitted to games that the outlook played against itself.
        """
        cdef View* view = self.own_view()
        cdef int i
        chances = {}
        view_position(&self.state, view)
        for i in range(view.num_regions):
            feature_id = view.regions[i].feature
            chances[feature_id] = closing_of(&self.state, view, feature_id).ever
        features = self._features_by_id()
        for id, feature in features.items():
            if feature.kind == "cloister" and not feature.is_complete:
                ((x, y),) = feature.cells
                chances[id] = around_cloister(&self.state, view, id, x, y).closing.ever
        return [(features[feature], chance) for feature, chance in sorted(chances.items())]

    @property
    def score_breakdown(self) -> tuple[dict[str, int], ...]:
        """Points of each player by kind of feature: a tuple of dicts "city", "road", "cloister", "farm"."""
        return tuple(
            [
                {name: self.state.points.of[p][kind] for kind, name in enumerate(_tiles.KINDS)}
                for p in range(self.num_players)
            ]
        )

    @property
    def num_meeples(self) -> int:
        """Meeples of each player at the start."""
        return self.state.num_meeples

    @property
    def meeples(self) -> tuple[int, ...]:
        """Meeples in each player's hand."""
        return tuple([self.state.hand[p] for p in range(self.num_players)])

    @property
    def placed_meeples(self) -> list[PlacedMeeple]:
        """The meeples on the board, sorted: list of `PlacedMeeple`."""
        meeples = []
        for i in range(self.state.num_meeples_placed):
            tile = _placed_tile(self.state.tiles[self.state.meeples[i].tile])
            target = segment_targets(tile.tile, tile.rotation)[self.state.meeples[i].segment]
            meeples.append(PlacedMeeple(self.state.meeples[i].player, tile.x, tile.y, target))
        return sorted(meeples, key=lambda meeple: meeple[:3])

    @property
    def features(self) -> list[Feature]:
        """All cities, roads, cloisters and farms on the board: list of `Feature`, oldest first."""
        return list(self._features_by_id().values())

    def _features_by_id(self):
        segments = {}
        for i in range(self.state.num_tiles):
            tile = _placed_tile(self.state.tiles[i])
            for j, target in enumerate(segment_targets(tile.tile, tile.rotation)):
                feature = self.state.feature_of[i][j]
                segments.setdefault(feature, []).append((tile.x, tile.y, target))
        return {feature: self._feature(feature, parts) for feature, parts in sorted(segments.items())}

    def _feature(self, int id, parts):
        cdef board.uint64_t numbers = self.state.features[id]
        kind = self.state.kinds[id]
        points = board.num_tiles_of(numbers) + board.num_shields_of(numbers)
        is_complete = kind != board.FARM and board.is_complete(&self.state, id)
        if kind == board.CLOISTER:
            x, y, _ = parts[0]
            points = board.num_filled(&self.state, x, y)
            is_complete = points == 9
        elif kind == board.FARM:
            points = board.FARM_CITY_POINTS * len(self._cities_beside(id))
        elif kind == board.CITY and is_complete:
            points *= 2
        meeples = tuple([board.num_meeples_on(numbers, player) for player in range(self.num_players)])
        return Feature(
            _tiles.KINDS[kind],
            frozenset([(x, y) for x, y, _ in parts]),
            frozenset(parts),
            board.num_shields_of(numbers),
            meeples,
            is_complete,
            tuple([player for player, count in enumerate(meeples) if count == max(meeples) > 0]),
            points,
        )

    def _cities_beside(self, int farm):
        """The complete cities that a farm touches."""
        cdef const board.TouchList* touches
        cdef int i, j, city
        cities = set()
        for i in range(self.state.num_tiles):
            touches = &board.TOUCHES[self.state.tiles[i].type]
            for j in range(touches.count):
                if self.state.feature_of[i][touches.farms[j]] == farm:
                    city = self.state.feature_of[i][touches.cities[j]]
                    if board.is_complete(&self.state, city):
                        cities.add(city)
        return cities

    @property
    def num_tiles(self) -> int:
        """Number of tiles that are not discarded: on the board, to place and in the bag."""
        to_place = self.state.current_tile != board.NO_TILE
        return self.state.num_tiles + to_place + self.state.num_left

    @property
    def legal_cells(self) -> list[tuple[int, int]]:
        """Cells (x, y) where the current tile fits, sorted; none at chance nodes and at the end."""
        if self.current_tile is None:
            return []
        if self.state.chosen:
            return [self.chosen[:2]]
        fitting = board.ROTATIONS[self.state.current_tile]
        return sorted(
            [
                (board.x_in(self.state.open_spot[i]), board.y_in(self.state.open_spot[i]))
                for i in range(self.state.num_open)
                if fitting[self.state.open_code[i]]
            ]
        )

    def max_score(self) -> int:
        """Points by which returns are divided."""
        return self.state.max_score

    @property
    def return_spread(self) -> float:
        """10 points, as a return: about the deviation of the lead of random play in the base game for two."""
        return 10.0 / self.state.max_score

    def go_on(self, Rng rng not None, int seat=-1) -> None:
        """Goes on to a player's decision, or to the end of the game.

        Args:
            rng: Draws the tiles and the random moves.
            seat: The player who decides; the others then move at random. -1: any player.

        Raises:
            ValueError: If there is no such seat.
        """
        if not board.ALL_SEATS <= seat < self.num_players:
            check_range("seat", seat, board.ALL_SEATS, self.num_players - 1)   # raises
        board.go_on(&self.state, &rng.state, seat)

    # --- Setting up ---

    def set_up(
        self,
        meeples: Iterable[tuple[int, int, int]],
        points: Iterable[Iterable[int]],
        mover: int,
        discarded: int = 0,
    ) -> None:
        """Adds what the tiles on a board without meeples do not tell; `position_data.from_data` calls it.

        Args:
            meeples: Triples (player, index of the tile on the board, index of the segment).
            points: Points of each player by kind of feature.
            mover: The player who places the next tile.
            discarded: Number of tiles that were discarded.

        Raises:
            TypeError: If a number is not an integer.
            ValueError: If a number is out of range or no game can be in this position. The model then
                stays as it was.
        """
        cdef State state = self.state
        meeples = sorted(meeples, key=operator.itemgetter(1))
        check_range("mover", mover, 0, self.num_players - 1)
        check_range("discarded", discarded, 0, board.MAX_TILES - state.num_game_tiles)
        put_meeples(&state, meeples)
        set_points(&state, [list(of_player) for of_player in points])
        state.mover = mover
        state.num_game_tiles += discarded
        is_complete = state.num_meeples_placed < self.state.num_meeples_placed + len(meeples)   # a cloister
        if is_complete or not board.is_sound(&state):
            raise ValueError("no game can be in this position")
        self.state = state

    def fix_order(self, order: Iterable[str]) -> None:
        """Makes the order of the tiles in the bag part of the position.

        Args:
            order: Their letters in the order of drawing.

        Raises:
            ValueError: If the position is a chance node, or the bag holds other tiles.
        """
        letters = "".join(order)
        if self.is_chance_node() or sorted(letters) != sorted("".join([k * n for k, n in self.bag.items()])):
            raise ValueError(f"order must hold the tiles {self.bag} of the bag, one drawn, got {letters!r}")
        for i, letter in enumerate(reversed(letters)):
            self.state.order[<int> i] = _tiles.LETTERS.index(letter)
        self.state.is_deterministic = True
        self.set_sizes()

    # --- Actions in words ---

    def decode_action(self, action: int) -> Move:
        """The `Move` of an action. The move of the first of two steps has the target None.

        Raises:
            ValueError: If there is no tile to place or the action is not a placement of this tile.
        """
        letter = self._tile_to_place()
        if not 0 <= operator.index(action) < self.num_actions:
            raise ValueError(f"action must be in [0, {self.num_actions}), got {action!r}")
        rotation, slot = divmod(action % board.NUM_POSES, board.MAX_SLOTS)
        x, y = board.x_of(action), board.y_of(action)
        if self.state.chosen:
            slot = action
            x, y, rotation = self.chosen
        targets = (None, *segment_targets(letter, rotation))
        if slot >= len(targets):
            raise ValueError(f"action {action} has meeple slot {slot}, tile {letter} has {len(targets) - 1}")
        return Move(x, y, rotation, targets[slot])

    def encode_action(self, move: Move | tuple[Any, ...]) -> int:
        """The action of a `Move` (or an equal tuple) for the current tile. It need not be legal.

        With two steps, a move consists of two actions, and the method returns the one to play next.

        Raises:
            TypeError: If the move is no tuple, or a coordinate or the rotation is not an integer.
            ValueError: If the move has not four parts, if there is no tile to place, if no game can reach the
                cell, if the tile does not have the rotation or target, or if another placement has been
                chosen in the first step.
        """
        letter = self._tile_to_place()
        x, y, rotation, target = check_items("move", move, 4, "Move(x, y, rotation, target)")
        check_range("x", x, -board.MAX_COORDINATE, board.MAX_COORDINATE)
        check_range("y", y, -board.MAX_COORDINATE, board.MAX_COORDINATE)
        check_range("rotation", rotation, 0, 3)
        targets = (None, *segment_targets(letter, rotation))
        if target not in targets:
            raise ValueError(f"target must be one of {targets} for tile {letter} so turned, got {target!r}")
        slot = targets.index(target)
        if self.state.chosen:
            if (x, y, rotation) != self.chosen:
                raise ValueError(f"the placement {self.chosen} is chosen already, got {(x, y, rotation)}")
            return slot
        return board.action_at(x, y, rotation * board.MAX_SLOTS + (0 if self.state.is_two_step else slot))

    def action_to_string(self, action):
        """The text of an action, such as "(1, -2) 90° city N-E"; at a chance node, the tile's letter.

        The text gives the cell, the clockwise rotation and, if a meeple is placed, its target: "cloister",
        or the kind of feature with its sides (for a farm: half-sides) on the rotated tile. With two steps,
        the text of the first action has no target, and that of the second is the target or "no meeple".

        Raises:
            ValueError: If the action is not a placement of the current tile, or the game is over.
        """
        if self.c_current_player() == CHANCE:
            if not 0 <= operator.index(action) < board.NUM_TYPES:
                raise ValueError(f"action must be in [0, {board.NUM_TYPES}) here, got {action!r}")
            return _tiles.LETTERS[action]
        move = self.decode_action(action)
        return target_to_string(move.target) if self.chosen else move_to_string(move)

    def _tile_to_place(self):
        if self.current_tile is None:
            raise ValueError("there is no tile to place: the position is a chance node or the game is over")
        return self.current_tile

    # --- Text, data and pictures ---

    def to_data(self):
        """The position as data for JSON, which `carcassonne_env.position_data.from_data` reads.

        Raises:
            ValueError: If the game is over, or the first of two steps of a turn has been taken.
        """
        if self.is_terminal() or self.chosen is not None:
            raise ValueError(f"the position must be one before a turn of a game, got {self!r}")
        order = self.order
        return {
            "num_players": self.num_players,
            "num_meeples": self.num_meeples,
            "two_step": self.is_two_step,
            "board_size": self.board_size,
            "max_score": self.max_score(),
            "tiles": [tile._asdict() for tile in self.board],
            "bag" if order is None else "order": self.bag if order is None else order,
            "current_tile": self.current_tile,
            "discarded": board.num_discarded(&self.state),
            "player": self.mover,
            "meeples": [
                {**meeple._asdict(), "target": target_to_string(meeple.target)}
                for meeple in self.placed_meeples
            ],
            "scores": list(self.score_breakdown),
        }

    def __repr__(self):
        to_place = self.current_tile or ("end" if self.state.is_over else "draw")
        if self.state.chosen:
            to_place += f" at {self.chosen}"
        return (
            f"<CarcassonneModel: {self.state.num_tiles} tiles, {self.state.num_left} in the bag, "
            f"to place: {to_place}, player {self.mover}, scores {self.scores}>"
        )

    def __str__(self):
        return _rendering.board_text(
            self.board,
            self.placed_meeples,
            current_tile=self.current_tile,
            scores=self.scores,
            meeples_in_hand=self.meeples,
        )

    def _repr_svg_(self) -> str:
        """The board as SVG text, which notebooks display."""
        return self.svg()

    def tree_picture(self, nodes: NDArray[Any]) -> str | None:
        """The board, and the moves of the nodes on it; None in games of two steps a turn."""
        return None if self.is_two_step else _tree_picture.tree_svg(self, nodes)

    def svg(self, theme: str = "light", heat: Mapping[tuple[int, int], float] | None = None) -> str:
        """The board as SVG text.

        The picture marks the last move and the cells where the current tile fits. It shows the scores and
        the meeples in hand.

        Args:
            theme: "light" or "dark".
            heat: A number from 0 to 1 for each of some cells (x, y), such as the share of a search's visits;
                the picture then shows it in place of the marks of legal cells.

        Raises:
            ValueError: If the theme is unknown.
        """
        return _rendering.board_svg(
            self.board,
            self.placed_meeples,
            current_tile=self.current_tile,
            legal_cells=self.legal_cells if heat is None else (),
            heat=heat or {},
            scores=self.scores,
            meeples_in_hand=self.meeples,
            last_move=self.board[-1][1:3],
            theme=theme,
        )


ALL_SEATS: int = board.ALL_SEATS
"""In place of one seat: the players of all seats are meant."""
STATE_BYTES: int = sizeof(State)
"""Size of a position in bytes."""


cdef int put_meeples(State* state, list meeples) except -1:
    """Puts meeples, each (player, index of the tile, index of the segment), on the board."""
    cdef int type
    if state.num_meeples_placed + len(meeples) > state.num_tiles:
        raise ValueError(f"meeples must be at most one a tile, got {meeples}")
    for player, tile, segment in meeples:
        check_range("a meeple's player", player, 0, state.num_players - 1)
        check_range("a meeple's tile", tile, 0, state.num_tiles - 1)
        type = state.tiles[<int> tile].type
        check_range("a meeple's segment", segment, 0, board.SHAPES[type][0].num_segments - 1)
        state.mover = player
        board.put_meeple(state, tile, segment)
    return 0


cdef int set_points(State* state, list points) except -1:
    """Sets the points of each player by kind of feature."""
    if [len(of_player) for of_player in points] != state.num_players * [board.NUM_KINDS]:
        raise ValueError(f"points must be {board.NUM_KINDS} a player, got {points}")
    for player, of_player in enumerate(points):
        for kind, number in enumerate(of_player):
            check_range("points", number, 0, MAX_POINTS)
            state.points.of[<int> player][<int> kind] = number
    return 0


cdef _placed_tile(board.Tile tile):
    return PlacedTile(_tiles.LETTERS[tile.type], tile.x, tile.y, tile.rotation)
