# distutils: extra_compile_args = -O1
"""The forward model of Hex."""

cimport cython

import numpy as np

from agents.checks import check_flag, check_range
from agents.forward_model import Indicator
from libc.stdint cimport int32_t, uint32_t

from agents.bits cimport count
from agents.forward_model cimport NO_PLAYER, TERMINAL, zero_sum
from agents.rng cimport rng_below, rng_t
from agents.struct_model cimport StructModel

from .board cimport (
    EMPTY, MAX_SIZE, MIN_SIZE, NOBODY, NOWHERE, Board, bit_of, can_swap, clear, is_empty, is_sound,
    list_actions, missing_stones, play, window,
)
from .playout cimport rollout

from ..squares import COLOURS, square_name
from . import picture as _picture


cdef enum:
    PICKLE_VERSION = 1
    NUM_NEIGHBOURS = 6
    NUM_PLACES = 18

# The kinds of indicators, in the order of `Hex.indicators`.
cdef enum:
    CONTACT_FRIENDLY
    CONTACT_ENEMY
    FRIENDLY_MEN
    ENEMY_MEN
    MEN_DIFFERENCE
    MOBILITY
    IS_EMPTY
    IS_FRIENDLY
    IS_ENEMY
    IS_MAN

# Offsets (columns, rows) to the cells within distance 2, the neighbours first.
_OFFSETS = sorted(
    [
        (columns, rows)
        for rows in range(-2, 3)
        for columns in range(-2, 3)
        if abs(rows + columns) <= 2 and (columns, rows) != (0, 0)
    ],
    key=lambda offset: max(abs(offset[0]), abs(offset[1]), abs(offset[0] + offset[1])),
)
_PLACES = tuple([f"{columns:+d}{rows:+d}" for columns, rows in _OFFSETS])
_NUMBERS = (
    "contact_friendly", "contact_enemy", "friendly_men", "enemy_men", "men_difference", "mobility",
)
_INDICATORS = tuple(
    [Indicator(name, float) for name in _NUMBERS]
    + [Indicator(name, bool, _PLACES) for name in ("empty", "friendly", "enemy", "man")]
)

cdef uint32_t neighbours = 0, within_two = 0   # windows
cdef int bit_of_place[NUM_PLACES]
for _place, (_columns, _rows) in enumerate(_OFFSETS):
    bit_of_place[_place] = bit_of(_columns, _rows)
    within_two |= 1 << bit_of_place[_place]
    if _place < NUM_NEIGHBOURS:
        neighbours = within_two


@cython.final
cdef class Hex(StructModel):
    """Hex on a rhombus of hexagons: black joins top and bottom, white joins left and right.

    Player 0 is black and moves first. The players take turns to set a stone on an empty cell. Who connects
    both edges of their own with a chain of stones wins: the return is +1, that of the opponent -1. There
    are no draws.

    Action ``row * size + column`` sets a stone. The neighbours of the cell (row, column) are (row, column -
    1), (row, column + 1), (row - 1, column), (row - 1, column + 1), (row + 1, column) and (row + 1, column -
    1). The text of an action is the letter of the column and the number of the row, counted from 1 at the
    top: "d3". With the swap rule, white's first action may be "swap", number ``size * size``: the black stone
    becomes white and moves from (row, column) to (column, row), and black is to move.

    Two positions are equal if their stones, the last cell and the player to move are equal. The last cell
    counts because the indicators depend on it.

    The heuristic "distance" compares the numbers of stones that both players still need if their opponent
    passes. With own number p and the opponent's number q, it is (q - p) / (q + p).

    The indicators look at the 18 cells within distance 2 of the last stone, so they mean the same on boards
    of all sizes. ``friendly_men`` and ``enemy_men`` are the numbers of these cells that hold a stone of the
    player and of the opponent, ``men_difference`` is the first minus the second, and ``mobility`` is the
    number of empty ones. ``contact_friendly`` and ``contact_enemy`` count the stones on the six neighbours
    alone, and ``empty``, ``friendly``, ``enemy`` and ``man`` (a stone of either side) ask for one cell. The
    place "+1-1" is one column to the right and one row up. A cell beyond the board holds a stone of the
    side whose edge is there: black above and below, white at the left and right. Beyond two edges at once
    it holds nothing and is not empty either. Without a last stone all indicators are 0 or False.

    Source: Hein (1942), Nash (1952); that there is always exactly one winner is proved by Gale (1979),
    "The game of Hex and the Brouwer fixed-point theorem".

    Args:
        size: Number of rows and of columns, 2 to 16.
        swap: Whether white may swap.

    Raises:
        TypeError: If size is not an integer.
        ValueError: If an argument is out of range.
    """

    heuristics = ("distance",)
    indicators = _INDICATORS

    cdef Board state

    def __cinit__(self, *args, **kwargs):
        self.hold(&self.state, sizeof(Board), sizeof(Board), PICKLE_VERSION)

    def __init__(self, size: int = 11, swap: bool = False):
        check_range("size", size, MIN_SIZE, MAX_SIZE)
        check_flag("swap", swap)
        clear(&self.state, size, swap)
        self.set_sizes()

    cdef void set_sizes(self) noexcept:
        self.num_players = 2
        self.max_legal_actions = self.state.size * self.state.size
        self.num_actions = self.max_legal_actions + self.state.has_swap

    cdef bint take_over(self, options) except -1:
        self.set_sizes()
        return is_sound(&self.state)

    # --- The contract ---

    cdef int c_current_player(self) except? NO_PLAYER nogil:
        return self.state.mover if self.state.winner == NOBODY else TERMINAL

    cdef int c_legal_actions(self, int32_t* actions) except -1 nogil:
        return list_actions(&self.state, actions)

    cdef int c_apply_action(self, int32_t action) except -1 nogil:
        play(&self.state, action)
        return 0

    cdef int c_returns(self, double* returns) except -1 nogil:
        zero_sum(returns, 1 - 2 * self.state.winner)
        return 0

    cdef int c_sample_action(self, rng_t* rng, int32_t* action) except -1 nogil:
        """Draws until the action is legal: quick, as most games end long before the board is full."""
        cdef int num_cells = self.max_legal_actions
        while True:
            action[0] = rng_below(rng, num_cells + can_swap(&self.state))
            if action[0] == num_cells or is_empty(&self.state, action[0]):
                return 0

    cdef int c_rollout(self, rng_t* rng) except -1 nogil:
        return 0 if self.state.winner != NOBODY else rollout(&self.state, rng)

    cdef int c_heuristic(self, int kind, double* values) except -1 nogil:
        cdef double black, white
        if self.state.winner != NOBODY:
            return self.c_returns(values)
        black = missing_stones(&self.state, 0)
        white = missing_stones(&self.state, 1)
        zero_sum(values, (white - black) / (white + black))
        return 0

    # --- Indicators ---

    cdef double c_indicator(self, int kind, int place, int player) except? -1.5e308 nogil:
        if self.state.last == NOWHERE:
            return 0
        cdef const Board* board = &self.state
        if kind == CONTACT_FRIENDLY:
            return count(window(board, player) & neighbours)
        if kind == CONTACT_ENEMY:
            return count(window(board, 1 - player) & neighbours)
        if kind == FRIENDLY_MEN:
            return count(window(board, player) & within_two)
        if kind == ENEMY_MEN:
            return count(window(board, 1 - player) & within_two)
        if kind == MEN_DIFFERENCE:
            return count(window(board, player) & within_two) - count(window(board, 1 - player) & within_two)
        if kind == MOBILITY:
            return count(window(board, EMPTY) & within_two)
        cdef int bit = bit_of_place[place]
        if kind == IS_EMPTY:
            return window(board, EMPTY) >> bit & 1
        if kind == IS_FRIENDLY:
            return window(board, player) >> bit & 1
        if kind == IS_ENEMY:
            return window(board, 1 - player) >> bit & 1
        return (window(board, 0) | window(board, 1)) >> bit & 1

    # --- The position in Python ---

    @property
    def size(self) -> int:
        """Number of rows, and of columns."""
        return self.state.size

    @property
    def swap(self) -> bool:
        """Whether the game has the swap rule."""
        return bool(self.state.has_swap)

    @property
    def winner(self) -> int | None:
        """The player who joined their edges, or None."""
        return None if self.state.winner == NOBODY else self.state.winner

    @property
    def last_cell(self) -> tuple[int, int] | None:
        """The cell (row, column) of the last stone, or None."""
        return None if self.state.last == NOWHERE else divmod(self.state.last, self.state.size)

    @property
    def board(self) -> NDArray[np.int8]:
        """The cells as int8[size, size]: 0 is empty, 1 a black stone (player 0), -1 a white stone."""
        cdef int row, column
        cdef const Board* board = &self.state
        cells = [
            (board.stones[0][row + 1] >> column & 1) - (board.stones[1][row + 1] >> column & 1)
            for row in range(board.size)
            for column in range(board.size)
        ]
        return np.array(cells, dtype=np.int8).reshape(self.size, self.size)

    def observation(self, player):
        """The position as planes of 0 and 1.

        Args:
            player: The player from whose view it is taken.

        Returns:
            float32[5, size, size]: the player's own stones; the opponent's stones; the empty cells; all 1 if
            the player is to move; all 1 if the player is black, who joins top and bottom.

        Raises:
            ValueError: If the player is unknown.
        """
        self._check_player(player)
        cells = self.board
        own = 1 if player == 0 else -1
        planes = np.empty((5, self.size, self.size), dtype=np.float32)
        planes[0] = cells == own
        planes[1] = cells == -own
        planes[2] = cells == 0
        planes[3] = self.current_player() == player
        planes[4] = player == 0
        return planes

    def action_to_string(self, action):
        """The text of an action: "d3" is column d, row 3, both counted from the top left; or "swap".

        Raises:
            TypeError: If the action is not an integer.
            ValueError: If the game has no such action.
        """
        check_range("action", action, 0, self.num_actions - 1)
        if action == self.size * self.size:
            return "swap"
        return square_name(int(action), self.size)

    # --- Pictures ---

    def __repr__(self):
        swap = ", swap=True" if self.swap else ""
        return f"<Hex({self.size}{swap}): {sum(self.state.num_stones)} stones, {self._status()}>"

    def __str__(self):
        return f"{_picture.board_text(self.board)}\n{self._status()}"

    def _status(self):
        if self.winner is not None:
            return f"{COLOURS[self.winner]} has won"
        return f"{COLOURS[self.current_player()]} to move"

    def _repr_svg_(self) -> str:
        """The board as SVG text, which notebooks display."""
        return self.svg()

    def places(self) -> dict[int, tuple[float, float]]:
        """The point (x, y) of the picture where each legal action lays a stone; a swap has none."""
        cells = [action for action in self.legal_actions().tolist() if action < self.size * self.size]
        return {cell: _picture.centre_of(divmod(cell, self.size)) for cell in cells}

    def svg(self) -> str:
        """The board as SVG text; a ring marks the last stone."""
        return _picture.board_svg(self.board, self.last_cell)
