# distutils: extra_compile_args = -O1
"""The forward model of Dodgem."""

cimport cython

import numpy as np

from libc.stdint cimport int16_t, int32_t, uint64_t

from agents.bits cimport bit, count, has, lowest_bit
from agents.forward_model cimport NO_PLAYER, TERMINAL, ForwardModel, zero_sum
from agents.rng cimport rng_t
from agents.struct_model cimport StructModel

from agents.checks import check_range
from ..squares import COLOURS, LETTERS, square_indicators, square_name

from .board cimport (
    FORWARD, HIGHER, NUM_DIRECTIONS, Moves, Side, can_move, count_cars, count_moves, distance, draw_move,
    find_moves, target_of,
)
from .picture import place_of, position_svg


cdef enum:
    PICKLE_VERSION = 2
    MIN_SIZE = 2
    MAX_SIZE = 8
    MAX_PLIES = 65535

cdef enum:
    BLACK
    WHITE
    NUM_PLAYERS

cdef enum:
    # Outcomes beside BLACK and WHITE, the winner.
    DRAW = 2
    OPEN = 3      # the game goes on


# Equal positions of equal games have equal bytes up to `last_action`. There is no padding.
ctypedef struct State:
    uint64_t cars[NUM_PLAYERS]   # the board of each player's cars, see `board.pxd`; disjoint
    int16_t size                 # rows and columns of the board; this and `max_plies` do not change
    int16_t outcome              # BLACK, WHITE, DRAW or OPEN; follows from the cars and the plies
    int32_t max_plies
    int32_t plies                # number of moves made; black makes the even ones
    int32_t last_action          # -1 at the start; for pictures alone


_CARS = ".>v"   # by the codes of `Dodgem.board`

cdef enum IndicatorKind:
    FRIENDLY_MEN
    ENEMY_MEN
    MEN_DIFFERENCE
    MOBILITY
    FRIENDLY_DISTANCE
    ENEMY_DISTANCE
    DISTANCE_DIFFERENCE
    IS_EMPTY   # this and what follows belong to squares
    IS_FRIENDLY
    IS_MAN


# The indicators, in the order of `IndicatorKind`.
_NUMBERS = (
    "friendly_men", "enemy_men", "men_difference", "mobility",
    "friendly_distance", "enemy_distance", "distance_difference",
)


@cython.final
cdef class Dodgem(StructModel):
    """Drive all your cars across the board and off it, past those of the opponent.

    Black (player 0, moves first) starts with a car on each square of the left edge and drives right, white
    (player 1) starts along the top edge and drives down; the top left square, a1, is empty. A move takes
    one car a square forward or sideways, never back, to a free square. A move forward from the last
    column (black) or row (white) takes the car off the board for good. Who has no legal move on his turn
    wins: all his cars are gone, or the opponent has blocked them. After ``max_plies`` moves without a
    winner the game is a draw. Returns are 1 for a win, -1 for a loss, 0 for a draw.

    Squares are named by column, a from the left, and row, 1 from the top; a1 has number 0, b1 number 1.
    Action ``3 * square + direction`` moves the car on that square. Directions are 0, forward; 1, sideways
    to the lower number, which is up for black and left for white; and 2, sideways to the higher number.
    A transposition of the board exchanges the colours and keeps the directions. As text, an action is
    "a3-b3", or "e3-off" if the car leaves the board.

    The heuristic "distance" is the enemy's distance from victory less the player's own, divided by the
    distance at the start. The distance of a side is the number of moves forward that bring all its cars
    off the board. Indicators are ``friendly_men`` and ``enemy_men`` (cars on the board) and
    ``men_difference``; ``mobility`` (moves that the player has, if it were his turn);
    ``friendly_distance``, ``enemy_distance`` and ``distance_difference``; and for a square ``empty``,
    ``friendly`` (the player's car is there) and ``man`` (any car is there). Differences are friend less
    enemy.

    Source: the game is by Colin Vout; E. Berlekamp, J. Conway, R. Guy, *Winning Ways for your
    Mathematical Plays*, 1982. With best play, the first player wins on 3x3, and 4x4 and 5x5 are draws
    (D. desJardins).

    Args:
        size: Rows and columns of the board, 2 to 8. Each side has one car less.
        max_plies: Number of moves of both players after which the game ends, 1 to 65535. Random games have
            88 moves on average on 5x5, at most about 150; on 8x8 they have 280 and need a larger number.

    Raises:
        TypeError: If an argument is not an integer.
        ValueError: If an argument is out of range.
    """

    heuristics = ("distance",)

    cdef State state
    cdef Side sides[NUM_PLAYERS]   # this depends on the size alone

    def __cinit__(self, *args, **kwargs):
        # All but `last_action` is compared.
        self.hold(&self.state, sizeof(State), sizeof(State) - sizeof(int32_t), PICKLE_VERSION)

    def __init__(self, size: int = 5, max_plies: int = 200):
        check_range("size", size, MIN_SIZE, MAX_SIZE)
        check_range("max_plies", max_plies, 1, MAX_PLIES)
        self.state = State([0, 0], size, OPEN, max_plies, 0, -1)
        cdef int i
        for i in range(1, self.state.size):
            self.state.cars[BLACK] |= bit(self.state.size * i)
            self.state.cars[WHITE] |= bit(i)
        self.set_sizes()
        self.find_outcome()

    cdef void set_sizes(self) noexcept:
        cdef int i, size = self.state.size
        cdef uint64_t first_row = bit(size) - 1, first_column = 0
        for i in range(size):
            first_column |= bit(size * i)
        cdef uint64_t last_row = first_row << (size * (size - 1)), last_column = first_column << (size - 1)
        self.sides[BLACK] = Side(size - 1, 1, size, last_column, ~first_row, ~last_row)
        self.sides[WHITE] = Side(size - 1, size, 1, last_row, ~first_column, ~last_column)
        self.num_players = NUM_PLAYERS
        self.num_actions = NUM_DIRECTIONS * size * size
        self.max_legal_actions = NUM_DIRECTIONS * (size - 1)

    cdef void copy_sizes(self, ForwardModel source) noexcept:
        ForwardModel.copy_sizes(self, source)
        self.sides = (<Dodgem> source).sides

    # --- The contract ---

    cdef int c_current_player(self) except? NO_PLAYER nogil:
        return self.state.plies & 1 if self.state.outcome == OPEN else TERMINAL

    cdef int c_legal_actions(self, int32_t* actions) except -1 nogil:
        cdef int player = self.state.plies & 1, direction, number = 0
        cdef uint64_t cars
        cdef Moves moves
        find_moves(&self.sides[player], self.state.cars[player], self.state.cars[1 - player], moves)
        for direction in range(NUM_DIRECTIONS):
            cars = moves[direction]
            while cars:
                actions[number] = NUM_DIRECTIONS * lowest_bit(cars) + direction
                cars &= cars - 1
                number += 1
        return number

    cdef int c_apply_action(self, int32_t action) except -1 nogil:
        cdef int player = self.state.plies & 1
        cdef uint64_t car = bit(action // NUM_DIRECTIONS)
        self.state.cars[player] ^= car | target_of(&self.sides[player], car, action % NUM_DIRECTIONS)
        self.state.last_action = action
        self.state.plies += 1
        self.find_outcome()
        return 0

    cdef void find_outcome(self) noexcept nogil:
        cdef int player = self.state.plies & 1
        if not can_move(&self.sides[player], self.state.cars[player], self.state.cars[1 - player]):
            self.state.outcome = player
        elif self.state.plies >= self.state.max_plies:
            self.state.outcome = DRAW
        else:
            self.state.outcome = OPEN

    cdef int c_returns(self, double* returns) except -1 nogil:
        zero_sum(returns, 0 if self.state.outcome == DRAW else 1 - 2 * self.state.outcome)
        return 0

    cdef int c_heuristic(self, int kind, double* values) except -1 nogil:
        cdef int black = distance(&self.sides[BLACK], self.state.cars[BLACK])
        cdef int white = distance(&self.sides[WHITE], self.state.cars[WHITE])
        zero_sum(values, <double> (white - black) / (self.state.size * (self.state.size - 1)))
        return 0

    cdef double c_indicator(self, int kind, int place, int player) except? -1.5e308 nogil:
        cdef uint64_t own = self.state.cars[player], enemy = self.state.cars[1 - player]
        cdef const Side* side = &self.sides[player]
        cdef const Side* enemy_side = &self.sides[1 - player]
        if kind == FRIENDLY_MEN:
            return count_cars(own)
        if kind == ENEMY_MEN:
            return count_cars(enemy)
        if kind == MEN_DIFFERENCE:
            return count_cars(own) - count_cars(enemy)
        if kind == MOBILITY:
            return count_moves(side, own, enemy)
        if kind == FRIENDLY_DISTANCE:
            return distance(side, own)
        if kind == ENEMY_DISTANCE:
            return distance(enemy_side, enemy)
        if kind == DISTANCE_DIFFERENCE:
            return distance(side, own) - distance(enemy_side, enemy)
        if kind == IS_FRIENDLY:
            return has(own, place)
        return has(own | enemy, place) == (kind == IS_MAN)

    # --- Random play ---

    cdef int c_sample_action(self, rng_t* rng, int32_t* action) except -1 nogil:
        cdef int player = self.state.plies & 1, direction = 0
        cdef uint64_t car = draw_move(
            &self.sides[player], self.state.cars[player], self.state.cars[1 - player], rng, &direction
        )
        action[0] = NUM_DIRECTIONS * lowest_bit(car) + direction
        return 0

    cdef int c_rollout(self, rng_t* rng) except -1 nogil:
        cdef int start = self.state.plies, plies = start, player = plies & 1, direction = 0
        cdef uint64_t car = 0, drawn
        cdef uint64_t* cars = self.state.cars
        cdef rng_t source = rng[0]   # a copy that the compiler can keep in registers
        if self.state.outcome != OPEN:
            return 0
        while plies < self.state.max_plies:
            drawn = draw_move(&self.sides[player], cars[player], cars[1 - player], &source, &direction)
            if drawn == 0:
                break
            car = drawn
            cars[player] ^= car | target_of(&self.sides[player], car, direction)
            plies += 1
            player = 1 - player
        rng[0] = source
        self.state.plies = plies
        self.state.last_action = NUM_DIRECTIONS * lowest_bit(car) + direction
        self.find_outcome()
        return plies - start

    # --- The position in Python ---

    @property
    def size(self) -> int:
        """Rows and columns of the board."""
        return self.state.size

    @property
    def max_plies(self) -> int:
        """The number of moves after which the game is a draw."""
        return self.state.max_plies

    @property
    def board(self) -> NDArray[np.int8]:
        """The squares.

        Returns:
            int8[size, size], rows from the top: 0 an empty square, 1 a car of black, 2 one of white.
        """
        cdef uint64_t black = self.state.cars[BLACK], white = self.state.cars[WHITE]
        codes = [has(black, i) + 2 * has(white, i) for i in range(self.size * self.size)]
        return np.array(codes, dtype=np.int8).reshape(self.size, self.size)

    @property
    def cars(self) -> tuple[int, int]:
        """The numbers of cars on the board, black's first."""
        return count_cars(self.state.cars[BLACK]), count_cars(self.state.cars[WHITE])

    @property
    def plies(self) -> int:
        """The number of moves that both players have made."""
        return self.state.plies

    @property
    def last_action(self) -> int | None:
        """The last move; None at the start. Positions that differ in it alone are equal."""
        return None if self.state.last_action < 0 else self.state.last_action

    @property
    def indicators(self):
        """The properties that formulas can use; see the class."""
        return square_indicators(_NUMBERS, self.size)

    def observation(self, player):
        """The position as planes of numbers, for learners; the board is not turned.

        Args:
            player: The player from whose view it is taken.

        Returns:
            float32[5, size, size], rows from the top. Planes 0 and 1 have a 1 where the player, and the
            enemy, has a car. The others have the same number everywhere: plane 2 a 1 if the player is to
            move, plane 3 a 1 if the player is black, plane 4 the share of ``max_plies`` that is played.
        """
        self._check_player(player)
        board = self.board
        planes = np.empty((5, self.size, self.size), dtype=np.float32)
        planes[0] = board == 1 + player
        planes[1] = board == 2 - player
        planes[2] = self.current_player() == player
        planes[3] = player == BLACK
        planes[4] = self.plies / self.max_plies
        return planes

    def action_to_string(self, action):
        """A move of the player to move: its two squares, as in "a3-b3", or "e3-off" off the board.

        Raises:
            TypeError: If the action is not an integer.
            ValueError: If the game has no such action, or it would leave the board sideways.
        """
        source, target = self.ends_of(action, self.state.plies & 1)
        return f"{self.name_of(source)}-{'off' if self.size in target else self.name_of(target)}"

    cdef tuple ends_of(self, action, int player):
        """The (row, column) that a player's move leaves, and the one it reaches, perhaps beside the board."""
        check_range("action", action, 0, self.num_actions - 1)
        car, direction = divmod(int(action), NUM_DIRECTIONS)
        source = row, column = divmod(car, self.size)
        if direction == FORWARD:
            return source, (row, column + 1) if player == BLACK else (row + 1, column)
        aside = 1 if direction == HIGHER else -1
        target = row, column = (row + aside, column) if player == BLACK else (row, column + aside)
        if not (0 <= row < self.size and 0 <= column < self.size):
            where = self.name_of(source)
            raise ValueError(f"action {action} takes {COLOURS[player]} sideways off the board at {where}")
        return source, target

    cdef str name_of(self, square):
        row, column = square
        return square_name(row * self.size + column, self.size)

    # --- Text and picture ---

    cdef str status(self):
        """Whose turn it is, or the result."""
        if self.state.outcome == OPEN:
            return f"{COLOURS[self.state.plies & 1]} to move"
        return "draw" if self.state.outcome == DRAW else f"{COLOURS[self.state.outcome]} has won"

    def __repr__(self):
        rows = "/".join(["".join([_CARS[code] for code in row]) for row in self.board])
        return f"<Dodgem: {rows}, ply {self.plies} of {self.max_plies}, {self.status()}>"

    def __str__(self):
        """The board: ``>`` is a car of black, ``v`` one of white."""
        lines = ["   " + " ".join(LETTERS[: self.size])]
        for i, row in enumerate(self.board):
            lines.append(f"{i + 1:2} " + " ".join([_CARS[code] for code in row]))
        colour = _CARS[1 + (self.plies & 1)]
        turn = f" ({colour})" if self.state.outcome == OPEN else ""
        return "\n".join([*lines, f"{self.status()}{turn}, ply {self.plies} of {self.max_plies}"])

    def _repr_svg_(self) -> str:
        """The board as SVG text, which notebooks display."""
        return position_svg(self.board.tolist(), self.last_move(), self.status())

    cdef tuple last_move(self):
        """The (row, column) that the last move left and the one it reached; empty at the start."""
        if self.state.plies == 0:
            return ()
        return self.ends_of(self.state.last_action, 1 - (self.state.plies & 1))

    def places(self) -> dict[int, tuple[float, float]]:
        """The point (x, y) of the picture that each legal action reaches."""
        player, actions = self.state.plies & 1, self.legal_actions().tolist()
        return {action: place_of(self.ends_of(action, player)[1], self.size) for action in actions}

    # --- Pickles ---

    cdef bint take_over(self, options) except -1:
        if not MIN_SIZE <= self.state.size <= MAX_SIZE:
            return False
        self.set_sizes()
        return self.is_sound()

    cdef bint is_sound(self) noexcept:
        """Whether the position can occur, by laws that every position keeps."""
        cdef int plies = self.state.plies, last = self.state.last_action, outcome = self.state.outcome
        if not 1 <= self.state.max_plies <= MAX_PLIES or not 0 <= plies <= self.state.max_plies:
            return False
        if not -1 <= last < self.num_actions or (last == -1) != (plies == 0):
            return False
        self.find_outcome()
        return (
            outcome == self.state.outcome
            and self.state.cars[BLACK] & self.state.cars[WHITE] == 0
            and self.can_have(BLACK, plies - plies // 2)
            and self.can_have(WHITE, plies // 2)
        )

    cdef bint can_have(self, int player, int plies) noexcept:
        """Whether a player can have his cars after so many moves of his own."""
        cdef uint64_t cars = self.state.cars[player]
        cdef int size = self.state.size
        if count(cars) >= size or (size < MAX_SIZE and cars >> (size * size)):
            return False
        return 0 <= size * (size - 1) - distance(&self.sides[player], cars) <= plies
