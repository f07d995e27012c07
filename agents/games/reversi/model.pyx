# distutils: extra_compile_args = -O1
"""The forward models of Reversi and Reversi Plus."""

cimport cython

import numpy as np

from libc.stdint cimport int16_t, int32_t

from agents.checks import check_flag, check_range
from agents.rng import Seed

from agents.forward_model cimport NO_PLAYER, bytes_at, zero_sum
from agents.rng cimport rng_below, rng_from_seed, rng_next, rng_t
from agents.struct_model cimport StructModel

from ..squares import COLOURS, square_indicators, square_name
from . import picture

from . cimport board
from .bits cimport Pair, both, count, either, has, is_empty, list_members, nth, without
from .board cimport BLACK, MAX_MOVES, NOWHERE, WHITE, State, size_of


cdef enum:
    PICKLE_VERSION = 1


cdef enum IndicatorKind:
    FRIENDLY_MEN
    ENEMY_MEN
    MEN_DIFFERENCE
    MOBILITY
    FRIENDLY_CORNERS
    ENEMY_CORNERS
    CORNER_DIFFERENCE
    IS_EMPTY    # this and what follows belong to squares
    IS_FRIENDLY
    IS_MAN

# In the order of `IndicatorKind`.
_NUMBERS = (
    "friendly_men", "enemy_men", "men_difference", "mobility",
    "friendly_corners", "enemy_corners", "corner_difference",
)


@cython.final
cdef class Reversi(StructModel):
    """Reversi for two players: black, who moves first, and white.

    A move puts a piece on a free square and turns the opponent's pieces that it encloses: all in a row,
    across or down or diagonal, between it and another piece of the mover. It must turn one or more. Who
    cannot move passes. The game is over when neither player can move. The returns are 1 for the player with
    more pieces, -1 for the other, and 0 for both in a draw.

    The action of a square is ``row * size + column``, with row 0 as rank 1 at the top and column 0 as file a
    at the left. The last action is to pass, legal only for a player who cannot move. Texts of actions are
    "d3" and "pass".

    Reversi Plus has 10x10 squares, of which 20 are blocked: each corner and the two squares next to it along
    either edge. At the start the middle 4x4 squares are filled. The 8 squares of its left half have random
    colours, row by row from the upper left; the square two files to the right of each has the other colour.
    These are eight chance events with the outcomes 0 (black) and 1 (white), unless a seed draws them at once.

    Heuristics, both from -1 to 1: "pieces" is the difference of the numbers of pieces, divided by their sum;
    "mobility" the same with the moves that a player has if it is his turn.

    Indicators, from the view of a player: the numbers ``friendly_men``, ``enemy_men``, ``mobility`` (his
    moves if it is his turn), ``friendly_corners``, ``enemy_corners``, and the differences ``men_difference``
    and ``corner_difference``; for each square whether it is ``empty``, ``friendly`` (has a piece of his) or
    ``man`` (has any piece). A blocked square is none of these. Corners are the squares whose pieces can never
    be enclosed: the 4 corners of 8x8; in Reversi Plus 12, where each corner was cut off the ends of the two
    edges and the square between them (near a1: d1, b2 and a4).

    Source: Benbassat and Sipper, "EvoMCTS: A Scalable Approach for General Game Learning", IEEE Transactions
    on Computational Intelligence and AI in Games 6(4), 2014, for Reversi Plus and the indicators.

    Args:
        plus: Whether to play Reversi Plus.
        seed: Seed of the start of Reversi Plus: an integer >= 0, or anything else that `Rng` takes. None
            leaves the start to chance events.

    Raises:
        ValueError: If plus is not True or False, or a seed is given without it or is no seed.
    """

    heuristics = ("pieces", "mobility")

    cdef State state

    def __cinit__(self, *args, **kwargs):
        # All but `last` is compared.
        self.hold(&self.state, sizeof(State), sizeof(State) - sizeof(int16_t), PICKLE_VERSION)

    def __init__(self, plus: bool = False, seed: Seed = None):
        check_flag("plus", plus)
        if seed is not None and not plus:
            raise ValueError(f"seed needs plus=True, as only Reversi Plus has a random start, got {seed!r}")
        board.start(&self.state, plus)
        self.set_sizes()
        cdef rng_t rng
        if seed is not None:
            rng = rng_from_seed(seed)
            board.draw_rest(&self.state, &rng)

    cdef void set_sizes(self) noexcept:
        self.num_players = 2
        self.num_actions = size_of(&self.state) ** 2 + 1
        self.max_legal_actions = MAX_MOVES
        self.max_chance_outcomes = 2 if self.state.is_plus else 0

    cdef bint take_over(self, options) except -1:
        self.set_sizes()
        return board.is_sound(&self.state)

    # --- The contract ---

    cdef int c_current_player(self) except? NO_PLAYER nogil:
        return self.state.player

    cdef int c_legal_actions(self, int32_t* actions) except -1 nogil:
        if is_empty(self.state.moves):
            actions[0] = self.num_actions - 1
            return 1
        if self.state.is_plus:
            return list_members(self.state.moves, actions)
        return list_members(self.state.moves.low, actions)

    cdef int c_chance_outcomes(self, int32_t* outcomes, double* probabilities) except -1 nogil:
        outcomes[0], outcomes[1] = BLACK, WHITE
        probabilities[0] = probabilities[1] = 0.5
        return 2

    cdef int c_apply_action(self, int32_t action) except -1 nogil:
        board.apply(&self.state, action)
        return 0

    cdef int c_returns(self, double* returns) except -1 nogil:
        cdef int lead = self.num_pieces(BLACK) - self.num_pieces(WHITE)
        zero_sum(returns, (lead > 0) - (lead < 0))
        return 0

    cdef int c_sample_action(self, rng_t* rng, int32_t* action) except -1 nogil:
        cdef int num_moves = count(self.state.moves)
        action[0] = nth(self.state.moves, rng_below(rng, num_moves)) if num_moves else self.num_actions - 1
        return 0

    cdef int c_sample_chance(self, rng_t* rng, int32_t* outcome) except -1 nogil:
        outcome[0] = rng_next(rng) >> 63
        return 0

    cdef int c_determinize(self, rng_t* rng) except -1 nogil:
        board.draw_rest(&self.state, rng)
        return 0

    cdef int c_rollout(self, rng_t* rng) except -1 nogil:
        return board.play_out(&self.state, rng)

    cdef int c_heuristic(self, int kind, double* values) except -1 nogil:
        cdef int one, two
        if kind == 0:
            one, two = self.num_pieces(BLACK), self.num_pieces(WHITE)
        else:
            one, two = self.mobility(BLACK), self.mobility(WHITE)
        zero_sum(values, <double> (one - two) / max(1, one + two))
        return 0

    cdef double c_indicator(self, int kind, int place, int player) except? -1.5e308 nogil:
        cdef int enemy = 1 - player
        if kind == FRIENDLY_MEN:
            return self.num_pieces(player)
        if kind == ENEMY_MEN:
            return self.num_pieces(enemy)
        if kind == MEN_DIFFERENCE:
            return self.num_pieces(player) - self.num_pieces(enemy)
        if kind == MOBILITY:
            return self.mobility(player)
        if kind == FRIENDLY_CORNERS:
            return self.num_corners(player)
        if kind == ENEMY_CORNERS:
            return self.num_corners(enemy)
        if kind == CORNER_DIFFERENCE:
            return self.num_corners(player) - self.num_corners(enemy)
        if kind == IS_FRIENDLY:
            return has(self.state.pieces[player], place)
        if kind == IS_MAN:
            return has(self.men(), place)
        return has(without(board.PLAYABLE[self.state.is_plus], self.men()), place)

    # --- Counts ---

    cdef Pair men(self) noexcept nogil:
        return either(self.state.pieces[BLACK], self.state.pieces[WHITE])

    cdef int num_pieces(self, int player) noexcept nogil:
        return count(self.state.pieces[player])

    cdef int num_corners(self, int player) noexcept nogil:
        return count(both(self.state.pieces[player], board.CORNERS[self.state.is_plus]))

    cdef int mobility(self, int player) noexcept nogil:
        """The number of moves of a player if it is his turn."""
        if player == self.state.player:
            return count(self.state.moves)
        return count(board.moves_of(&self.state, player))

    # --- The position in Python ---

    @property
    def plus(self) -> bool:
        """Whether the game is Reversi Plus."""
        return bool(self.state.is_plus)

    @property
    def size(self) -> int:
        """Number of rows, and of columns: 8, or 10 in Reversi Plus."""
        return size_of(&self.state)

    @property
    def indicators(self):
        """The indicators of this board; the places of the bools are its squares, "a1" first."""
        return square_indicators(_NUMBERS, self.size)

    @property
    def pieces(self) -> tuple[int, int]:
        """The numbers of pieces of black and of white."""
        return self.num_pieces(BLACK), self.num_pieces(WHITE)

    @property
    def board(self) -> NDArray[np.int8]:
        """The squares: 0 where a black piece lies, 1 where a white one does, else `EMPTY` or `BLOCKED`.

        Returns:
            int8[size, size], row 0 is rank 1, column 0 is file a; `EMPTY` is -1, `BLOCKED` is -2.
        """
        squares = np.full((self.size, self.size), picture.BLOCKED, dtype=np.int8)
        squares[self.squares_in(board.PLAYABLE[self.state.is_plus])] = picture.EMPTY
        for player in (BLACK, WHITE):
            squares[self.squares_in(self.state.pieces[player])] = player
        return squares

    @property
    def last_action(self) -> int | None:
        """The last action of a player; None at the start. Positions that differ in it alone are equal."""
        return None if self.state.last == NOWHERE else self.state.last

    cdef squares_in(self, Pair bits):
        """Which squares are in a set, bool[size, size]."""
        words = np.frombuffer(bytes_at(&bits, sizeof(Pair)), dtype=np.uint64)
        bits_of = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
        return bits_of[: self.size**2].reshape(self.size, self.size).astype(bool)

    def observation(self, player):
        """The position as planes, from the view of a player.

        Args:
            player: 0 (black) or 1 (white).

        Returns:
            float32[5, size, size] of zeros and ones, rows and columns as in `board`. The planes are the
            player's pieces, the opponent's pieces, the player's legal moves (none unless it is his
            turn), the blocked squares, and all ones if it is his turn.

        Raises:
            ValueError: If the player is neither 0 nor 1.
        """
        self._check_player(player)
        planes = np.zeros((5, self.size, self.size), dtype=np.float32)
        planes[0] = self.squares_in(self.state.pieces[player])
        planes[1] = self.squares_in(self.state.pieces[1 - player])
        planes[3] = ~self.squares_in(board.PLAYABLE[self.state.is_plus])
        if player == self.state.player:
            planes[2] = self.squares_in(self.state.moves)
            planes[4] = 1
        return planes

    # --- Text and pictures ---

    def action_to_string(self, action):
        """The text of an action, such as "d3" or "pass"; at a chance node "black" or "white".

        Raises:
            TypeError: If the action is not an integer.
            ValueError: If the game has no such action, or at a chance node no such outcome.
        """
        last = 1 if self.is_chance_node() else self.num_actions - 1
        check_range("action", action, 0, last)
        if self.is_chance_node():
            return COLOURS[action]
        return "pass" if action == last else square_name(int(action), self.size)

    def __repr__(self):
        name = "Reversi Plus" if self.plus else "Reversi"
        return f"<{name}: {picture.status(self.board, self.current_player())}>"

    def __str__(self):
        """The board as text: X black, O white, + a legal move."""
        return picture.board_text(self.board, self.current_player(), self.squares_in(self.state.moves))

    def _repr_svg_(self) -> str:
        """The board as SVG text, which notebooks display."""
        legal = self.squares_in(self.state.moves)
        return picture.board_svg(self.board, self.current_player(), legal, self.last_action)

    def places(self) -> dict[int, tuple[float, float]]:
        """The point (x, y) of the picture where each legal action lays a piece; a pass has none."""
        squares = np.flatnonzero(self.squares_in(self.state.moves)).tolist()
        return {square: picture.place_of(square, self.size) for square in squares}
