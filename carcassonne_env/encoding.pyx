"""The encoder shows positions in arrays, numbers the actions, and plays an action by its number."""

import math
import operator
from typing import TYPE_CHECKING

cimport cython
cimport numpy as cnp
import numpy as np

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset

from agents.forward_model cimport sort_actions
from agents.rng cimport Rng, rng_t

from . cimport board
from .board cimport Points, State
from .model cimport CarcassonneModel
from .outlook cimport NUM_TERMS, Tally, View, share_left, tally_terms

from agents.checks import check_range

from . import tiles as _tiles
from .outlook import SCALES as _SCALES

if TYPE_CHECKING:
    from gymnasium import spaces

cnp.import_array()

ACTION_MODES: tuple[str, ...] = ("flat", "two_step", "index")
OBSERVATIONS: tuple[str, ...] = ("full", "features", "planes", "flat", "tiles", "scaled_features")

PLANES: tuple[str, ...] = (
    *(f"{terrain} {side}" for terrain in ("city", "road", "field") for side in _tiles.SIDES),
    "cloister",
    "shield",
    *(f"own meeple on a {kind}" for kind in _tiles.KINDS),
    *(f"other meeple on a {kind}" for kind in _tiles.KINDS),
    "open cell",
    "legal cell",
)
"""The names of the planes of an observation, in order. A plane is 1 at the cells with the named property and
0 elsewhere. In the mode "two_step", a further plane marks the chosen cell."""

MAX_TERM: int = 10**6
"""A bound on the absolute value of a term of the outlook that no position comes near."""

cdef enum:
    MAX_VECTOR = 2 * board.NUM_TYPES + 3 * board.MAX_PLAYERS + 1 + 4   # the largest `vector_size`

cdef enum:
    TERRAIN_PLANES = 0
    CLOISTER_PLANE = 12
    SHIELD_PLANE = 13
    OWN_MEEPLES = 14
    OTHER_MEEPLES = 18
    OPEN_PLANE = 22
    LEGAL_PLANE = 23
    CHOSEN_PLANE = 24

cdef enum:
    NUM_FEATURES = 5   # columns that describe an action in the mode INDEX
    NUM_COLUMNS = 6    # columns that describe a tile

cdef enum:
    ALONE = -1   # in place of a number of positions: arrays without a first axis, for one

ctypedef fused plane_t:
    int8_t
    float

cdef float SCALES[NUM_TERMS]

for _term, _scale in enumerate(_SCALES.values()):
    SCALES[_term] = _scale


@cython.final
cdef class ArraySpec:
    """One of the arrays that show positions: its name, shape and dtype."""

    cdef str name
    cdef int index     # MERGED to CUT_OFF
    cdef tuple shape   # of one position
    cdef type dtype
    cdef int type
    cdef cnp.npy_intp sizes[4]   # the number of positions, and `shape`

    def __cinit__(self, str name, int index, shape: tuple[int, ...], dtype: type):
        self.name = name
        self.index = index
        self.shape = shape
        self.dtype = dtype
        self.type = np.dtype(dtype).num
        for axis, size in enumerate(shape):
            self.sizes[1 + axis] = size

    cdef zeros(self, Py_ssize_t count):
        cdef int first = count == ALONE
        self.sizes[0] = count
        return cnp.PyArray_ZEROS(1 + len(self.shape) - first, self.sizes + first, self.type, 0)


cdef add_arrays(dict arrays, tuple specs, Py_ssize_t count, Rows* rows):
    cdef ArraySpec spec
    for spec in specs:
        arrays[spec.name] = array = spec.zeros(count)
        rows.of[spec.index] = cnp.PyArray_DATA(array)


@cython.final
cdef class Encoder:
    """Converts the model's actions to numbers and its positions to observations.

    Args:
        num_tiles: Maximum number of tiles of a game, including the start tile, 2 to 72.
        num_players: Number of players, 1 to 5.
        action_mode: "flat", "two_step" (for models with two steps a turn) or "index".
        board_size: The board size of the model.
        observation: "full": planes and a vector. "features": also the terms of the outlook, which
            "scaled_features" divides by ``outlook.SCALES`` and cuts off at -1 and 1. "planes" and "flat":
            one array that holds all of "full" (see `merged`). "tiles": rows of tiles in place of planes.
        max_rows: Number of rows of "actions" and "afterstates" in the mode "index", 1 to ``num_actions``,
            which None stands for. None in other modes.

    Attributes:
        width: Side of the window in cells: the board size, or without one ``num_tiles + 2``.
        num_actions: Number of actions. ``CarcassonneEnv`` describes them under Action Space; W there is
            `width`. With "index" they are the legal actions of the model in ascending order, and no
            position has more.
        num_planes: 24, or 25 in the mode "two_step".
        vector_size: ``2 * 24 + 3 * num_players + 1``, and 4 more in the mode "two_step".
        num_terms: Number of terms of the outlook, of all players: ``41 * num_players``.
        num_rows: Number of rows of "actions" and "afterstates", for the first legal actions.

    Raises:
        TypeError: If a number is not an integer.
        ValueError: If an argument is out of range.
    """

    def __init__(
        self,
        num_tiles: int,
        num_players: int,
        action_mode: str = "flat",
        board_size: int | None = None,
        observation: str = "full",
        max_rows: int | None = None,
    ):
        if action_mode not in ACTION_MODES:
            raise ValueError(f"action_mode must be one of {ACTION_MODES}, got {action_mode!r}")
        if observation not in OBSERVATIONS:
            raise ValueError(f"observation must be one of {OBSERVATIONS}, got {observation!r}")
        check_range("num_tiles", num_tiles, 2, board.MAX_TILES)
        check_range("num_players", num_players, 1, board.MAX_PLAYERS)
        if board_size is not None:
            check_range("board_size", board_size, 3, board.SPAN)
        self.num_tiles = num_tiles
        self.num_players = num_players
        self.is_scaled = observation == "scaled_features"
        self.layout = WITH_FEATURES if self.is_scaled else OBSERVATIONS.index(observation)
        self.board_size = board_size or 0
        self.mode = ACTION_MODES.index(action_mode)
        self.set_window()
        self.set_counts()
        self.num_rows = self.num_actions
        if max_rows is not None:
            check_range("max_rows", max_rows, 1, self.num_actions)
            if self.mode != INDEX:
                raise ValueError(
                    f"max_rows must be None with action_mode={action_mode!r}, which describes no actions, "
                    f"got {max_rows}"
                )
            self.num_rows = max_rows
        self.set_specs()

    cdef set_window(self):
        self.width = self.board_size or self.num_tiles + 2
        for x in range(board.SPAN):   # x - MAX_COORDINATE is the cell; C's % needs a number above 0
            self.window[x] = (x + self.width // 2 + (self.width - 1) * board.MAX_COORDINATE) % self.width

    cdef set_counts(self):
        """Sets the number of actions, and how many numbers show a position."""
        cdef int area = self.width * self.width
        self.num_placements = area * 4
        self.num_actions = self.num_placements * board.MAX_SLOTS
        self.num_planes = CHOSEN_PLANE
        self.vector_size = 2 * board.NUM_TYPES + 3 * self.num_players + 1
        if self.mode == TWO_STEP:
            self.num_actions = self.num_placements + board.MAX_SLOTS
            self.num_planes += 1
            self.vector_size += 4
        elif self.mode == INDEX:
            self.num_actions = (2 * self.num_tiles + 2) * board.NUM_POSES
        self.num_terms = NUM_TERMS * self.num_players
        self.merged_size = area * self.num_planes
        self.merged_size += self.vector_size * (area if self.layout == PLANES_ONLY else 1)

    @property
    def action_mode(self) -> str:
        """ "flat", "two_step" or "index"."""
        return ACTION_MODES[self.mode]

    @property
    def observation(self) -> str:
        """ "full", "features", "planes", "flat", "tiles" or "scaled_features"."""
        return "scaled_features" if self.is_scaled else OBSERVATIONS[self.layout]

    def __reduce__(self) -> tuple[Any, ...]:
        settings = self.num_tiles, self.num_players, self.action_mode, self.board_size or None
        return Encoder, (*settings, self.observation, self.num_rows if self.mode == INDEX else None)

    # --- Actions ---

    cdef inline int place(self, int x, int y) noexcept nogil:
        cdef const uint8_t* window = &self.window[board.MAX_COORDINATE]
        return window[-y] * self.width + window[x]

    cdef int encoded(self, const State* state, int32_t action) noexcept nogil:
        cdef int32_t actions[board.MAX_LEGAL_ACTIONS]
        cdef int i, place, rank = 0
        if self.mode == INDEX:
            for i in range(board.legal_actions(state, actions)):
                rank += actions[i] < action
            return rank
        if state.chosen:
            return self.num_placements + action
        place = self.place(board.x_of(action), board.y_of(action))
        if self.mode == TWO_STEP:
            return place * 4 + action % board.NUM_POSES // board.MAX_SLOTS
        return place * board.NUM_POSES + action % board.NUM_POSES

    cdef int32_t decoded(self, const State* state, int number) noexcept nogil:
        cdef int32_t actions[board.MAX_LEGAL_ACTIONS]
        cdef int poses = board.NUM_POSES if self.mode == FLAT else 4
        cdef int pose = number % poses, place = number // poses
        if number < 0 or state.current_tile == board.NO_TILE:
            return -1
        if self.mode == INDEX:
            return actions[number] if number < sorted_actions(state, actions) else -1
        if self.mode == TWO_STEP:
            if (number >= self.num_placements) != (state.chosen != 0):
                return -1
            if state.chosen:
                return number - self.num_placements
            pose *= board.MAX_SLOTS
        return open_action(self, state, place, pose)

    cdef int32_t legal(self, const State* state, int number) noexcept nogil:
        cdef int32_t action = self.decoded(state, number)
        return action if action >= 0 and board.is_legal(state, action) else -1

    cdef bint played(self, State* state, int number, rng_t* rng, int seat) noexcept nogil:
        cdef int32_t action = self.legal(state, number)
        if action < 0:
            return False
        board.apply_action(state, action)
        board.go_on(state, rng, seat)
        return True

    def encode(self, CarcassonneModel model not None, action: int) -> int:
        """Converts a legal action of the model to the environment's action.

        Raises:
            ValueError: If the action is not legal.
        """
        self.check_model(model)
        if model.current_player() < 0 or not model.is_legal(action):
            raise ValueError(f"action {action!r} of the model is not legal here: {model!r}")
        return self.encoded(&model.state, action)

    def decode(self, CarcassonneModel model not None, number: int) -> int | None:
        """Converts an action of the environment to the model's action, which may be illegal.

        Returns:
            None if the action has no counterpart in this position.

        Raises:
            ValueError: If the number is out of range.
        """
        self.check_number(model, number)
        action = self.decoded(&model.state, number)
        return None if action < 0 else action

    def play(self, CarcassonneModel model not None, number: int, Rng rng not None, int seat) -> bool:
        """Plays an action of the environment in the model, and goes on as `CarcassonneModel.go_on` does.

        Returns:
            Whether the action is legal. If it is not, the model stays as it is.

        Raises:
            ValueError: If the number or the seat is out of range.
        """
        if not board.ALL_SEATS <= seat < self.num_players:
            check_range("seat", seat, board.ALL_SEATS, self.num_players - 1)   # raises
        self.check_number(model, number)
        return bool(self.played(&model.state, number, &rng.state, seat))

    cdef check_number(self, CarcassonneModel model, number):
        """Raises ValueError for a model of another variant, and for what is no number of an action."""
        self.check_model(model)
        if not 0 <= operator.index(number) < self.num_actions:
            raise ValueError(f"action must be in [0, {self.num_actions}), got {number!r}")

    cdef check_model(self, CarcassonneModel model):
        """Raises ValueError for a model of another variant, whose positions do not fit into the arrays."""
        cdef const State* state = &model.state
        cdef bint is_two_step = self.mode == TWO_STEP
        if (
            state.num_players != self.num_players
            or state.is_two_step != is_two_step
            or state.board_size != self.board_size
            or model.num_tiles > self.num_tiles
        ):
            raise ValueError(f"the encoder was made for another variant of the game than {model!r}")

    # --- Observations ---

    cdef set_specs(self):
        area = self.width, self.width
        merged = (self.merged_size,)
        if self.layout == PLANES_ONLY:
            merged = self.num_planes + self.vector_size, *area
        of_players = (self.num_players,)
        self.specs = (   # in the order of `MERGED` to `CUT_OFF`
            ArraySpec("observation", MERGED, merged, np.float32),
            ArraySpec("observation", BOARDS, (self.num_planes, *area), np.int8),
            ArraySpec("observation", PLACED, (self.num_tiles, NUM_COLUMNS), np.int8),
            ArraySpec("action_mask", MASKS, (self.num_actions,), np.int8),
            ArraySpec("vector", VECTORS, (self.vector_size,), np.float32),
            ArraySpec("actions", ACTIONS, (self.num_rows, NUM_FEATURES), np.int8),
            ArraySpec("features", FEATURES, (self.num_terms + 1,), np.float32),
            ArraySpec("afterstates", AFTERSTATES, (self.num_rows, self.num_terms), np.float32),
            ArraySpec("scores", SCORES, of_players, np.int64),
            ArraySpec("virtual_scores", VIRTUAL_SCORES, of_players, np.int64),
            ArraySpec("meeples", MEEPLES, of_players, np.int64),
            ArraySpec("score_breakdown", BREAKDOWNS, (*of_players, board.NUM_KINDS), np.int64),
            ArraySpec("discarded", DISCARDED, (), np.int64),
            ArraySpec("current_tile", CURRENT_TILES, (), np.int64),
            ArraySpec("cut_off", CUT_OFF, (), np.int64),
        )
        cdef ArraySpec spec
        for spec in self.specs:
            self.sizes[spec.index] = math.prod(spec.shape) * np.dtype(spec.dtype).itemsize
        is_merged = self.observation in ("planes", "flat")
        observed = [MERGED if is_merged else PLACED if self.layout == TILES else BOARDS, MASKS]
        if not is_merged:
            observed.append(VECTORS)
        if self.mode == INDEX:
            observed.append(ACTIONS)
        if self.layout == WITH_FEATURES:
            observed += [FEATURES, AFTERSTATES] if self.mode == INDEX else [FEATURES]
        self.observed = tuple([self.specs[i] for i in observed])
        self.player_numbers = self.specs[SCORES:DISCARDED]
        self.single_numbers = self.specs[DISCARDED : CUT_OFF + (self.board_size > 0)]

    def shapes(self) -> dict[str, tuple[tuple[int, ...], type[np.generic]]]:
        """Shape and dtype of each array of an observation, by name."""
        cdef ArraySpec spec
        return {spec.name: (spec.shape, spec.dtype) for spec in self.observed}

    def spaces(self) -> dict[str, spaces.Space[Any]]:
        """The spaces of the arrays of an observation, by name."""
        from gymnasium import spaces

        most = 1 if self.is_scaled else MAX_TERM
        cells = -board.MAX_COORDINATE, board.MAX_COORDINATE
        bounds = {
            "observation": cells if self.layout == TILES else (0, 1),
            "actions": cells,
            "features": (-most, most),
            "afterstates": (-most, most),
        }
        return {
            name: spaces.Box(*bounds.get(name, (0, 1)), shape, dtype)
            for name, (shape, dtype) in self.shapes().items()
        }

    def observe(
        self, CarcassonneModel model not None, int viewer, is_to_move: bool = True
    ) -> dict[str, NDArray[Any]]:
        """The observation of a player: a dictionary of new arrays, as described by `spaces`.

        Args:
            model: The position.
            viewer: The player who observes.
            is_to_move: Whether the viewer is to move. If not, the mask is 0.
        """
        return self.arrays_of(model, viewer, is_to_move, self.observed, False)[0]

    def observe_with_info(
        self, CarcassonneModel model not None, int viewer
    ) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any] | int]]:
        """What `observe` returns, and a new ``info``: the mask of the observation, and `numbers`."""
        return self.arrays_of(model, viewer, True, self.observed, True)

    def many(self, models: Sequence[CarcassonneModel]) -> dict[str, NDArray[Any]]:
        """The observations of several positions, for networks that value many at once.

        Args:
            models: Positions in which a player is to move, n of them. This player observes.

        Returns:
            The arrays of `observe`, each with a first axis of length n.

        Raises:
            TypeError: If one of them is no model.
            ValueError: If a model is of another variant of the game, or no player is to move in it.
        """
        cdef CarcassonneModel model
        cdef State state
        cdef size_t row
        models = list(models)   # whose length cannot change
        cdef Rows rows
        memset(&rows, 0, sizeof(Rows))
        arrays = {}
        add_arrays(arrays, self.observed, len(models), &rows)
        for row, model in enumerate(models):
            if model is None:
                raise TypeError("models must be CarcassonneModels, got None")
            self.check_model(model)
            if model.c_current_player() < 0:
                raise ValueError(f"a player must be to move in every position, got {model!r}")
            memcpy(&state, &model.state, sizeof(State))   # other threads may change the model meanwhile
            with nogil:
                self.write_row(&state, state.mover, True, &rows, row)
        return arrays

    cdef tuple arrays_of(
        self, CarcassonneModel model, int viewer, bint is_to_move, tuple specs, bint with_numbers
    ):
        cdef ArraySpec spec
        cdef Rows rows
        cdef int64_t values[NUM_ARRAYS]
        cdef dict arrays = {}, numbers = {}
        if not 0 <= viewer < self.num_players:
            check_range("viewer", viewer, 0, self.num_players - 1)   # raises
        self.check_model(model)
        memset(&rows, 0, sizeof(Rows))
        add_arrays(arrays, specs, ALONE, &rows)
        if not with_numbers:
            self.write_row(&model.state, viewer, is_to_move, &rows, 0)
            return arrays, None
        if specs:
            numbers["action_mask"] = arrays["action_mask"]
        add_arrays(numbers, self.player_numbers, ALONE, &rows)
        for spec in self.single_numbers:
            rows.of[spec.index] = &values[spec.index]
        self.write_row(&model.state, viewer, is_to_move, &rows, 0)
        for spec in self.single_numbers:
            numbers[spec.name] = values[spec.index]
        return arrays, numbers

    cdef array_of(self, int index, CarcassonneModel model, int viewer):
        cdef ArraySpec spec = self.specs[index]
        return self.arrays_of(model, viewer, True, (spec,), False)[0][spec.name]

    def mask(self, CarcassonneModel model not None) -> NDArray[np.int8]:
        """The mask of legal actions: int8[num_actions] of 0 and 1."""
        return self.array_of(MASKS, model, 0)

    def planes(self, CarcassonneModel model not None, int viewer) -> NDArray[np.int8]:
        """The board from a player's view: int8[num_planes, width, width] of 0 and 1, see `PLANES`.

        Legal cells are marked only for the player to move. In the second of two steps no cell is marked as
        legal, and the planes show the current tile as if it lay at the chosen cell.
        """
        return self.array_of(BOARDS, model, viewer)

    def vector(self, CarcassonneModel model not None, int viewer) -> NDArray[np.float32]:
        """The features of a position besides the board, from a player's view: float32[vector_size] in [0, 1].

        ``CarcassonneEnv`` lists the entries under Observation Space, for the viewer in place of the learner.
        """
        return self.array_of(VECTORS, model, viewer)

    def merged(self, CarcassonneModel model not None, int viewer) -> NDArray[np.float32]:
        """Planes and vector as one float32 array of numbers in [0, 1].

        With the observation "planes", each number of the vector is a further plane, the same in all its
        cells: [num_planes + vector_size, width, width]. With "flat", the numbers of the planes come first,
        then those of the vector: [num_planes * width**2 + vector_size].
        """
        if self.observation not in ("planes", "flat"):
            raise ValueError(f'observation must be "planes" or "flat", it is {self.observation!r}')
        return self.array_of(MERGED, model, viewer)

    def features(self, CarcassonneModel model not None, int viewer) -> NDArray[np.float32]:
        """The terms of the outlook and the stage of the game: float32[num_terms + 1].

        The entries are the terms of the viewer and of the other players in the order of their seats, in the
        units of `CarcassonneModel.outlook_terms` or scaled; and at last the share of the tiles that are still
        in the bag, 1 before the first draw.
        """
        return self.array_of(FEATURES, model, viewer)

    def afterstates(self, CarcassonneModel model not None, int viewer) -> NDArray[np.float32]:
        """The terms after each action of the mode "index": float32[num_rows, num_terms].

        Row i has the terms, as in `features`, after action i and before the next draw. After the last action
        of a game, the term "scored" is the final score. Rows after the last legal action are 0.
        """
        return self.array_of(AFTERSTATES, model, viewer)

    def numbers(self, CarcassonneModel model not None) -> dict[str, NDArray[np.int64] | int]:
        """The numbers of a position for ``info``, by name: new arrays and integers.

        "scores", "virtual_scores" and "meeples" are int64[num_players]. "score_breakdown" is
        int64[num_players, 4], the scores by kind of feature, in the order of ``tiles.KINDS``. "discarded" is
        the number of tiles discarded so far because they fitted nowhere. "current_tile" is the type of the
        current tile, -1 at the end. With a board size, "cut_off" is the number of cells next to a tile that
        lie outside the square.
        """
        return self.arrays_of(model, 0, False, (), True)[1]

    cdef void write_row(
        self, const State* state, int viewer, bint is_to_move, const Rows* rows, size_t row
    ) noexcept nogil:
        cdef int first = 0 if rows.num_tiles == NULL else rows.num_tiles[row]
        cdef bint has_actions = is_to_move and state.current_tile != board.NO_TILE
        cdef Points final
        cdef View view
        view.num_players = 0
        if rows.of[MERGED] or rows.of[VECTORS] or rows.of[SCORES]:
            final = board.virtual_points(state)
        if rows.of[MERGED]:
            fill_merged(self, state, &final, viewer, first, <float*> self.row_of(rows, MERGED, row))
        if rows.of[BOARDS]:
            fill_planes(self, state, viewer, first, 1, <int8_t*> self.row_of(rows, BOARDS, row))
        if rows.of[PLACED]:
            fill_tiles(self, state, viewer, <int8_t*> self.row_of(rows, PLACED, row))
        if rows.of[VECTORS]:
            self.fill_vector(state, &final, viewer, <float*> self.row_of(rows, VECTORS, row))
        if rows.of[MASKS] and has_actions:
            self.fill_mask(state, <int8_t*> self.row_of(rows, MASKS, row))
        if rows.of[ACTIONS] and has_actions:
            fill_actions(self, state, <int8_t*> self.row_of(rows, ACTIONS, row))
        if rows.of[FEATURES]:
            self.fill_features(state, &view, viewer, <float*> self.row_of(rows, FEATURES, row))
        if rows.of[AFTERSTATES] and has_actions:
            fill_afterstates(self, state, &view, viewer, <float*> self.row_of(rows, AFTERSTATES, row))
        if rows.of[SCORES]:
            fill_numbers(self, state, &final, rows, row)
        if rows.num_tiles:
            rows.num_tiles[row] = state.num_tiles

    cdef void erase_row(
        self, const State* state, int viewer, int num_tiles, const Rows* rows, size_t row
    ) noexcept nogil:
        cdef size_t of_planes = self.num_planes * self.width * self.width * sizeof(float)
        cdef char* numbers
        cdef int index
        for index in range(SCORES):   # those from there on are all written anew
            if rows.of[index] == NULL:
                continue
            numbers = <char*> self.row_of(rows, index, row)
            if index == MASKS:
                erase_mask(self, state, <int8_t*> numbers)
            elif index == BOARDS:
                fill_planes(self, state, viewer, num_tiles, 0, <int8_t*> numbers)
            elif index == MERGED:
                fill_planes(self, state, viewer, num_tiles, 0, <float*> numbers)
                memset(numbers + of_planes, 0, self.sizes[index] - of_planes)
            else:
                memset(numbers, 0, self.sizes[index])
        rows.num_tiles[row] = num_tiles

    cdef inline void* row_of(self, const Rows* rows, int index, size_t row) noexcept nogil:
        return <char*> rows.of[index] + row * self.sizes[index]

    cdef void fill_mask(self, const State* state, int8_t* mask) noexcept nogil:
        cdef int32_t placements[board.MAX_LEGAL_ACTIONS]
        cdef int count = board.legal_placements(state, placements)
        cdef int slots = board.MAX_SLOTS if self.mode == FLAT else 1
        cdef int i, pose, open = -1, place = 0
        if self.mode == INDEX:
            memset(mask, 1, count)
            return
        for i in range(count):
            if state.chosen:
                mask[self.num_placements + board.slot_of(placements[i])] = 1
                continue
            if open != board.open_of(placements[i]):
                open = board.open_of(placements[i])
                place = place_at(self, state, open)
            pose = 4 * place + board.rotation_of(placements[i])
            mask[pose * slots + board.slot_of(placements[i])] = 1

    cdef void fill_vector(
        self, const State* state, const Points* final, int viewer, float* vector
    ) noexcept nogil:
        cdef int type, i, player, at = 2 * board.NUM_TYPES
        if state.current_tile != board.NO_TILE:
            vector[state.current_tile] = 1
        if state.num_left:
            for type in range(board.NUM_TYPES):
                vector[board.NUM_TYPES + type] = state.bag[type] / <float> state.num_left
        for i in range(self.num_players):
            player = (viewer + i) % self.num_players
            if state.num_meeples:
                vector[at] = state.hand[player] / <float> state.num_meeples
            vector[at + 1] = min(
                <float> 1, board.score(&state.points, player) / <float> state.max_score
            )
            vector[at + 2] = min(<float> 1, board.score(final, player) / <float> state.max_score)
            at += 3
        vector[at] = state.num_left / <float> self.num_tiles
        if state.chosen and self.mode == TWO_STEP:
            vector[at + 1 + board.rotation_of(state.chosen - 1)] = 1

    cdef void fill_features(self, const State* state, View* view, int viewer, float* features) noexcept nogil:
        fill_terms(self, state, view, viewer, features)
        features[self.num_terms] = share_left(state)

    cdef void fill_afterstate(
        self, const State* state, View* view, int32_t action, int viewer, float* terms
    ) noexcept nogil:
        cdef State after
        memcpy(&after, state, sizeof(State))
        after.is_deterministic = False   # or the next tile, which is secret, would be drawn
        board.apply_action(&after, action)
        fill_terms(self, &after, view, viewer, terms)


cdef int32_t open_action(Encoder encoder, const State* state, int place, int pose) noexcept nogil:
    """The action at the open cell that a place of the window shows, -1 if it shows none."""
    cdef int x = place % encoder.width - encoder.width // 2
    cdef int y = encoder.width // 2 - place // encoder.width
    cdef int dx, dy
    if board.is_open(state, x, y):   # true in nearly all calls
        return board.action_at(x, y, pose)
    for dx in range(-1, 2):
        for dy in range(-1, 2):
            if board.is_open(state, x - dx * encoder.width, y - dy * encoder.width):
                return board.action_at(x - dx * encoder.width, y - dy * encoder.width, pose)
    return -1


cdef void fill_numbers(
    Encoder encoder, const State* state, const Points* final, const Rows* rows, size_t row
) noexcept nogil:
    cdef int player, kind
    cdef size_t at = row * encoder.num_players
    for player in range(encoder.num_players):
        (<int64_t*> rows.of[SCORES])[at + player] = board.score(&state.points, player)
        (<int64_t*> rows.of[VIRTUAL_SCORES])[at + player] = board.score(final, player)
        (<int64_t*> rows.of[MEEPLES])[at + player] = state.hand[player]
        for kind in range(board.NUM_KINDS):
            (<int64_t*> rows.of[BREAKDOWNS])[(at + player) * board.NUM_KINDS + kind] = (
                state.points.of[player][kind]
            )
    (<int64_t*> rows.of[DISCARDED])[row] = board.num_discarded(state)
    (<int64_t*> rows.of[CURRENT_TILES])[row] = (
        -1 if state.current_tile == board.NO_TILE else state.current_tile
    )
    if rows.of[CUT_OFF]:
        (<int64_t*> rows.of[CUT_OFF])[row] = board.num_cut_off(state)


cdef void fill_merged(
    Encoder encoder, const State* state, const Points* final, int viewer, int first, float* array
) noexcept nogil:
    cdef int area = encoder.width * encoder.width, i, place
    cdef float vector[MAX_VECTOR]
    cdef float* rest = array + encoder.num_planes * area
    fill_planes(encoder, state, viewer, first, 1, array)
    if encoder.layout == FLAT_ONLY:
        encoder.fill_vector(state, final, viewer, rest)
        return
    memset(vector, 0, sizeof(vector))
    encoder.fill_vector(state, final, viewer, vector)
    for i in range(encoder.vector_size):
        if vector[i] != 0:
            for place in range(area):
                rest[i * area + place] = vector[i]


cdef void fill_planes(
    Encoder encoder, const State* state, int viewer, int first, int8_t number, plane_t* planes
) noexcept nogil:
    """Writes a number wherever a position has a mark, but for the marks of tiles before `first`."""
    cdef int area = encoder.width * encoder.width, i
    cdef board.Tile chosen
    for i in range(first, state.num_tiles):
        mark_tile(encoder, state.tiles[i], number, planes)
    if state.chosen:
        chosen = board.chosen_tile(state)
        mark_tile(encoder, chosen, number, planes)
        planes[CHOSEN_PLANE * area + encoder.place(chosen.x, chosen.y)] = number
    mark_meeples(encoder, state, viewer, number, planes)
    mark_open_cells(encoder, state, viewer, number, planes)


cdef inline int place_at(Encoder encoder, const State* state, int open) noexcept nogil:
    """The place of an open cell in the window."""
    return encoder.place(board.x_in(state.open_spot[open]), board.y_in(state.open_spot[open]))


cdef inline bint fits(const State* state, int open) noexcept nogil:
    """Whether the current tile fits in an open cell."""
    return board.ROTATIONS[state.current_tile][state.open_code[open]] != 0


cdef void erase_mask(Encoder encoder, const State* state, int8_t* mask) noexcept nogil:
    """Sets to zero where `Encoder.fill_mask` may have written."""
    cdef int poses = board.NUM_POSES if encoder.mode == FLAT else 4
    cdef int i
    if encoder.mode == INDEX:
        memset(mask, 0, state.num_open * board.NUM_POSES)
    elif state.chosen:
        memset(mask + encoder.num_placements, 0, board.MAX_SLOTS)
    elif state.current_tile != board.NO_TILE:
        for i in range(state.num_open):
            if fits(state, i):
                memset(mask + place_at(encoder, state, i) * poses, 0, poses)


cdef void mark_meeples(
    Encoder encoder, const State* state, int viewer, int8_t number, plane_t* planes
) noexcept nogil:
    cdef int area = encoder.width * encoder.width
    cdef int i, place, plane, first
    cdef const board.Meeple* meeple
    for i in range(state.num_meeples_placed):
        meeple = &state.meeples[i]
        first = OWN_MEEPLES if meeple.player == viewer else OTHER_MEEPLES
        plane = first + board.SHAPES[state.tiles[meeple.tile].type][0].kinds[meeple.segment]
        place = encoder.place(state.tiles[meeple.tile].x, state.tiles[meeple.tile].y)
        planes[plane * area + place] = number


cdef void mark_open_cells(
    Encoder encoder, const State* state, int viewer, int8_t number, plane_t* planes
) noexcept nogil:
    cdef int area = encoder.width * encoder.width
    cdef int i, place
    cdef bint shows_legal = state.current_tile != board.NO_TILE and viewer == state.mover and not state.chosen
    for i in range(state.num_open):
        place = place_at(encoder, state, i)
        planes[OPEN_PLANE * area + place] = number
        if shows_legal and fits(state, i):
            planes[LEGAL_PLANE * area + place] = number


cdef void mark_tile(Encoder encoder, board.Tile tile, int8_t number, plane_t* planes) noexcept nogil:
    cdef const board.Shape* shape = &board.SHAPES[tile.type][tile.rotation]
    cdef int area = encoder.width * encoder.width, place = encoder.place(tile.x, tile.y), side
    for side in range(4):
        planes[(TERRAIN_PLANES + 4 * (shape.terrain[side] - 1) + side) * area + place] = number
    if shape.cloister != board.NO_SEGMENT:
        planes[CLOISTER_PLANE * area + place] = number
    if board.num_shields_of(shape.numbers[0]):
        planes[SHIELD_PLANE * area + place] = number


cdef void fill_tiles(Encoder encoder, const State* state, int viewer, int8_t* rows) noexcept nogil:
    cdef int i
    cdef const board.Meeple* meeple
    cdef board.Tile tile
    cdef int8_t* row
    for i in range(state.num_tiles + (state.chosen != 0)):
        tile = state.tiles[i] if i < state.num_tiles else board.chosen_tile(state)
        row = rows + i * NUM_COLUMNS
        row[0] = 1 + tile.type
        row[1] = tile.rotation
        row[2] = tile.x
        row[3] = tile.y
    for i in range(state.num_meeples_placed):
        meeple = &state.meeples[i]
        row = rows + meeple.tile * NUM_COLUMNS
        row[4] = 1 + meeple.segment
        row[5] = 1 + (meeple.player - viewer + encoder.num_players) % encoder.num_players


cdef void fill_actions(Encoder encoder, const State* state, int8_t* rows) noexcept nogil:
    cdef int32_t actions[board.MAX_LEGAL_ACTIONS]
    cdef int i, pose, slot
    cdef int8_t* row
    for i in range(min(encoder.num_rows, sorted_actions(state, actions))):
        row = rows + i * NUM_FEATURES
        pose = actions[i] % board.NUM_POSES
        slot = pose % board.MAX_SLOTS
        row[0] = board.x_of(actions[i])
        row[1] = board.y_of(actions[i])
        row[2] = pose // board.MAX_SLOTS
        row[3] = slot
        row[4] = 1 + board.SHAPES[state.current_tile][0].kinds[slot - 1] if slot else 0


cdef void fill_afterstates(
    Encoder encoder, const State* state, View* view, int viewer, float* rows
) noexcept nogil:
    cdef int32_t actions[board.MAX_LEGAL_ACTIONS]
    cdef int i
    for i in range(min(encoder.num_rows, sorted_actions(state, actions))):
        encoder.fill_afterstate(
            state, view, actions[i], viewer, rows + <size_t> i * encoder.num_terms
        )


cdef void fill_terms(
    Encoder encoder, const State* state, View* view, int viewer, float* terms
) noexcept nogil:
    cdef Tally tally
    cdef int i
    tally.entries = NULL
    tally_terms(state, view, &tally)
    for i in range(encoder.num_players):
        memcpy(
            terms + i * NUM_TERMS,
            tally.terms[(viewer + i) % encoder.num_players],
            NUM_TERMS * sizeof(float),
        )
    if encoder.is_scaled:
        for i in range(encoder.num_terms):
            terms[i] = max(<float> -1, min(<float> 1, terms[i] / SCALES[i % NUM_TERMS]))


cdef int sorted_actions(const State* state, int32_t* actions) noexcept nogil:
    cdef int count = board.legal_actions(state, actions)
    sort_actions(actions, count)
    return count
