"""Actions and observations of the environments: one encoder, written straight into fresh arrays.

The board of a model is unbounded; an observation shows it through a window of ``width`` by ``width``
cells, ``width`` = number of tiles + 2, with the start tile in the middle and north at the top. Cells
are taken modulo ``width``. Tiles hang together, so no two cells of one game share a place in it: a
board may run out at one edge and in at the other, but nothing is ever cut off.
"""

import operator

import numpy as np

from libc.stdint cimport int8_t, int32_t

from . cimport board
from .board cimport OpenCell, State
from .model cimport CarcassonneModel

from . import tiles as _tiles

PLANES = (
    *(f"{terrain} {side}" for terrain in ("city", "road", "field") for side in _tiles.SIDES),
    "cloister",
    "shield",
    *(f"own meeple on a {kind}" for kind in _tiles.KINDS),
    *(f"other meeple on a {kind}" for kind in _tiles.KINDS),
    "open cell",
    "legal cell",
)
"""What each plane of an observation marks with 1, in order; all else is 0."""

cdef enum:
    TERRAIN_PLANES = 0
    CLOISTER_PLANE = 12
    SHIELD_PLANE = 13
    OWN_MEEPLES = 14
    OTHER_MEEPLES = 18
    OPEN_PLANE = 22
    LEGAL_PLANE = 23
    NUM_PLANES = 24


cdef class Encoder:
    """Numbers the actions of an environment and draws its observations.

    Args:
        num_tiles: Tiles of the game, start tile included.
        num_players: Players of the game.

    Attributes:
        width: Side of the window in cells, ``num_tiles + 2``.
        num_actions: ``width * width * 4 * 9``. Action
            ``((row * width + column) * 4 + rotation) * 9 + slot`` places the current tile at a cell of
            the window (row 0 is the north, the start tile lies at row and column ``width // 2``),
            turned by so many quarters clockwise, with a meeple on its segment number ``slot`` in the
            order of ``tiles.py``, or with none for slot 0.
        vector_size: Length of the vector, ``2 * 24 + 3 * num_players + 1``.
    """

    cdef readonly int width
    cdef readonly int num_actions
    cdef readonly int vector_size
    cdef int num_tiles
    cdef int num_players

    def __init__(self, int num_tiles, int num_players):
        self.num_tiles = num_tiles
        self.num_players = num_players
        self.width = num_tiles + 2
        self.num_actions = self.width * self.width * 4 * board.MAX_SLOTS
        self.vector_size = 2 * board.NUM_TYPES + 3 * num_players + 1

    def __reduce__(self):
        return Encoder, (self.num_tiles, self.num_players)

    cdef inline int place(self, int x, int y) noexcept nogil:
        """Index row * width + column of a cell of the board in the window."""
        cdef int column = (x + self.width // 2 + 2 * self.width) % self.width
        cdef int row = (self.width // 2 - y + 2 * self.width) % self.width
        return row * self.width + column

    cdef inline int encoded(self, int32_t action) noexcept nogil:
        cdef int place = self.place(board.x_of(action), board.y_of(action))
        return place * board.NUM_TURNS + action % board.NUM_TURNS

    def encode(self, action):
        """The number that the environment gives to an action of the model.

        Raises:
            ValueError: If its cell lies farther out than this number of tiles can reach.
        """
        action = operator.index(action)
        if not (
            0 <= action < board.NUM_ACTIONS
            and max(abs(board.x_of(action)), abs(board.y_of(action))) < self.num_tiles
        ):
            raise ValueError(f"action {action} is none of a game of {self.num_tiles} tiles")
        return self.encoded(action)

    def decode(self, CarcassonneModel model not None, int number):
        """The model's action for one of the environment; None if its cell is not open.

        Raises:
            ValueError: If the number is out of range.
        """
        cdef int i, place = number // (4 * board.MAX_SLOTS)
        cdef const OpenCell* cell
        if not 0 <= number < self.num_actions:
            raise ValueError(f"action must be in [0, {self.num_actions}), got {number}")
        for i in range(model.state.num_open):
            cell = &model.state.open[i]
            if self.place(cell.x, cell.y) == place:
                return board.action_at(cell.x, cell.y, number % board.NUM_TURNS)
        return None

    def mask(self, CarcassonneModel model not None):
        """The legal actions of the player to move: int8[num_actions], 1 legal and 0 not."""
        cdef int32_t actions[board.MAX_LEGAL_ACTIONS]
        cdef int i, count = 0
        mask = np.zeros(self.num_actions, dtype=np.int8)
        cdef int8_t[::1] view = mask
        if model.state.current_tile != board.NO_TILE:
            count = board.legal_actions(&model.state, actions)
        for i in range(count):
            view[self.encoded(actions[i])] = 1
        return mask

    def planes(self, CarcassonneModel model not None):
        """The board as the mover sees it: int8[24, width, width] of 0 and 1, see `PLANES`."""
        planes = np.zeros((NUM_PLANES, self.width, self.width), dtype=np.int8)
        cdef int8_t[:, ::1] view = planes.reshape(NUM_PLANES, -1)
        cdef const State* state = &model.state
        cdef int i, place, side, plane
        cdef const board.Shape* shape
        for i in range(state.num_tiles):
            place = self.place(state.tiles[i].x, state.tiles[i].y)
            shape = &board.SHAPES[state.tiles[i].type][state.tiles[i].rotation]
            for side in range(4):
                view[TERRAIN_PLANES + 4 * (shape.terrain[side] - 1) + side, place] = 1
            view[CLOISTER_PLANE, place] = shape.cloister != board.NO_SEGMENT
            view[SHIELD_PLANE, place] = board.num_shields_of(shape.numbers[0]) > 0
        for i in range(state.num_meeples_placed):
            plane = OWN_MEEPLES if state.meeples[i].player == state.mover else OTHER_MEEPLES
            plane += state.kinds[state.meeples[i].feature]
            place = self.place(
                state.tiles[state.meeples[i].tile].x, state.tiles[state.meeples[i].tile].y
            )
            view[plane, place] = 1
        for i in range(state.num_open):
            place = self.place(state.open[i].x, state.open[i].y)
            view[OPEN_PLANE, place] = 1
            if state.current_tile != board.NO_TILE:
                view[LEGAL_PLANE, place] = board.ROTATIONS[state.current_tile][state.open_code[i]] != 0
        return planes

    def vector(self, CarcassonneModel model not None):
        """What the board does not show, as the mover sees it: float32[vector_size] in [0, 1].

        The current tile (24, one-hot), the probability of each type to be drawn next from the bag
        (24), then for each player from the mover on: meeples in hand as a share of those at the start,
        score and virtual score as shares of the maximum score (at most 1); last the share of all tiles
        that are still in the bag.
        """
        vector = np.zeros(self.vector_size, dtype=np.float32)
        cdef float[::1] view = vector
        cdef const State* state = &model.state
        cdef board.Points final = board.virtual_points(state)
        cdef int type, i, player, first
        if state.current_tile != board.NO_TILE:
            view[state.current_tile] = 1
        for type in range(board.NUM_TYPES):
            if state.num_left:
                view[board.NUM_TYPES + type] = state.bag[type] / <float> state.num_left
        for i in range(self.num_players):
            player = (state.mover + i) % self.num_players
            first = 2 * board.NUM_TYPES + 3 * i
            if state.num_meeples:
                view[first] = state.hand[player] / <float> state.num_meeples
            view[first + 1] = min(
                <float> 1, board.score(&state.points, player) / <float> state.max_score
            )
            view[first + 2] = min(<float> 1, board.score(&final, player) / <float> state.max_score)
        view[self.vector_size - 1] = state.num_left / <float> self.num_tiles
        return vector
