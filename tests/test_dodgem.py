"""Dodgem: the rules against a plain reference, a solved board, text, pictures, bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from agents import StarMinimax
from agents.games.dodgem import Dodgem
from models import forged, played, side_by_side

Square = tuple[int, int]
"""Row from the top, column from the left."""


class Reference:
    """The rules with sets of squares; a move is (square left, square reached)."""

    def __init__(self, size: int, max_plies: int = 200) -> None:
        self.size, self.max_plies, self.plies = size, max_plies, 0
        self.cars: list[frozenset[Square]] = [
            frozenset((i, 0) for i in range(1, size)),
            frozenset((0, i) for i in range(1, size)),
        ]
        self.mover = 0

    def steps(self, player: int) -> list[Square]:
        """Forward, sideways to the lower number, to the higher number."""
        return [[(0, 1), (-1, 0), (1, 0)], [(1, 0), (0, -1), (0, 1)]][player]

    def is_inside(self, square: Square) -> bool:
        return all(0 <= i < self.size for i in square)

    def moves(self, player: int) -> dict[int, tuple[Square, Square]]:
        moves = {}
        for row, column in self.cars[player]:
            for direction, (down, right) in enumerate(self.steps(player)):
                target = (row + down, column + right)
                is_exit = direction == 0 and not self.is_inside(target)
                is_free = self.is_inside(target) and target not in self.cars[0] | self.cars[1]
                if is_exit or is_free:
                    moves[3 * (self.size * row + column) + direction] = (row, column), target
        return moves

    def legal_actions(self) -> list[int]:
        return sorted(self.moves(self.mover)) if self.plies < self.max_plies else []

    def apply_action(self, action: int) -> None:
        source, target = self.moves(self.mover)[action]
        arrived = {target} if self.is_inside(target) else set()
        self.cars[self.mover] = self.cars[self.mover] - {source} | arrived
        self.mover = 1 - self.mover
        self.plies += 1

    def returns(self) -> list[int]:
        """Who cannot move wins, also at the cap, which is a draw for others."""
        return [0, 0] if self.moves(self.mover) else [[1, -1], [-1, 1]][self.mover]

    def text(self, move: tuple[Square, Square]) -> str:
        names = [f"{'abcdefgh'[c]}{r + 1}" if self.is_inside((r, c)) else "off" for r, c in move]
        return "-".join(names)

    def distance(self, player: int) -> int:
        """Moves forward until all cars of a player have left."""
        return sum(self.size - square[1 - player] for square in self.cars[player])

    def indicators(self, player: int) -> dict[str, float]:
        men = [len(cars) for cars in self.cars]
        distances = [self.distance(0), self.distance(1)]
        return {
            "friendly_men": men[player],
            "enemy_men": men[1 - player],
            "men_difference": men[player] - men[1 - player],
            "mobility": len(self.moves(player)),
            "friendly_distance": distances[player],
            "enemy_distance": distances[1 - player],
            "distance_difference": distances[player] - distances[1 - player],
        }


# The rules


@pytest.mark.parametrize(
    ("size", "max_plies", "num_games"),
    [
        *((2, cap, 50) for cap in (1, 5, 1000)),
        *((3, cap, 150) for cap in (9, 12, 1000)),
        *((4, 1000, 80), (5, 3, 9), (5, 1000, 80), (8, 1000, 3)),
    ],
)
def test_random_games_agree_with_the_reference(size, max_plies, num_games):
    for seed in range(num_games):
        model, reference = Dodgem(size, max_plies), Reference(size, max_plies)
        for _ in side_by_side(model, reference, seed):
            if seed == 0 and (model.plies % 5 == 0 or model.is_terminal()):
                check_views(model, reference)


def check_views(model: Dodgem, reference: Reference) -> None:
    size = reference.size
    squares = list(itertools.product(range(size), repeat=2))
    for action, move in reference.moves(reference.mover).items():
        assert model.action_to_string(action) == reference.text(move)
    assert model.cars == tuple(map(len, reference.cars))
    for square in squares:
        code = 1 * (square in reference.cars[0]) + 2 * (square in reference.cars[1])
        assert model.board[square] == code
    for player in range(2):
        for name, value in reference.indicators(player).items():
            assert model.indicator(player, name) == value, name
        for row, column in squares:
            name, code = f"{'abcdefgh'[column]}{row + 1}", model.board[row, column]
            assert model.indicator(player, "empty", name) is bool(code == 0)
            assert model.indicator(player, "friendly", name) is bool(code == player + 1)
            assert model.indicator(player, "man", name) is bool(code != 0)
        lead = reference.distance(1 - player) - reference.distance(player)
        assert model.heuristic(player, "distance") == pytest.approx(lead / (size * (size - 1)))
        planes = model.observation(player)
        assert planes.shape == (5, size, size)
        assert np.array_equal(planes[0], model.board == player + 1)
        assert np.array_equal(planes[1], model.board == 2 - player)
        assert np.all(planes[2] == (model.current_player() == player))
        assert np.all(planes[3] == (player == 0))
        assert np.all(planes[4] == np.float32(model.plies / model.max_plies))


# A solved board


def test_a_search_wins_3x3():
    """Black wins on his turn after 20 moves, and not before: Berlekamp, Conway and Guy (1982)."""
    for max_plies, value in ((19, 0), (20, 1), (40, 1)):
        game = Dodgem(3, max_plies)
        assert StarMinimax(depth=max_plies).search(game).value == value


# Text, pictures, copies


def test_text():
    model = played(Dodgem(3), "a2-b2", "c1-c2")
    lines = ["   a b c", " 1 . v .", " 2 . > v", " 3 > . .", "black to move (>), ply 2 of 200"]
    assert str(model).splitlines() == lines
    assert repr(model) == "<Dodgem: .v./.>v/>.., ply 2 of 200, black to move>"
    end = played(Dodgem(2, max_plies=5), "a2-b2", "b1-a1", "b2-off", "a1-a2")
    assert str(end).splitlines()[-1] == "black has won, ply 4 of 5"
    assert "draw" in str(played(Dodgem(2, max_plies=1), "a2-a1"))


def test_the_picture_marks_an_exit():
    before = played(Dodgem(2), "a2-b2", "b1-a1")
    after = played(before, "b2-off")
    assert after.last_action == before.string_to_action("b2-off")
    assert 'x="171" y="113" width="46"' in after._repr_svg_()  # in the arrows' band, beside row 2


def test_the_last_move_does_not_count_in_comparisons():
    one = played(Dodgem(5), "a2-b2", "b1-a1", "a4-b4")
    two = played(Dodgem(5), "a4-b4", "b1-a1", "a2-b2")
    assert one == two
    assert one.position_hash() == two.position_hash()
    assert one.last_action != two.last_action
    assert Dodgem().last_action is None
    assert Dodgem(5) != Dodgem(5, max_plies=100)
    assert Dodgem(5) != Dodgem(4)


STATE = np.dtype(
    [
        *(("cars", "u8", 2), ("size", "i2"), ("outcome", "i2")),
        *((name, "i4") for name in ("max", "plies", "last")),
    ]
)
"""The C struct of a position."""


def test_the_number_of_moves_counts_in_comparisons():
    model = played(Dodgem(3), "a2-b2")
    assert forged(model, STATE, plies=3) != model == forged(model, STATE, plies=1)


@pytest.mark.parametrize(
    "changes",
    [
        {"size": 9},
        {"size": 1},
        {"max": 0},
        {"max": 65536},
        {"cars": (0b001001000, 0b001001000)},  # two cars on a square
        {"cars": (1 << 9, 0b000000110)},  # outside the board
        {"cars": (0b001001001, 0b000000110)},  # too many cars
        {"cars": (0b010010000, 0b000000110)},  # further than one move brings them
        {"cars": (0b001001000, 0)},
        {"outcome": 0},
        {"plies": 201},
        {"plies": -1},
        {"plies": 0},  # at the start nothing was moved last
        {"last": 27},
        {"last": -1},
    ],
)
def test_damaged_pickles_are_refused(changes):
    with pytest.raises(ValueError, match="damaged"):
        forged(played(Dodgem(3), "a2-b2"), STATE, **changes)


# Bad input


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        *(({"size": n}, ValueError, rf"size must be in \[2, 8\], got {n}") for n in (1, 9, -5)),
        *(
            ({"max_plies": n}, ValueError, rf"max_plies must be in \[1, 65535\], got {n}")
            for n in (0, 65536)
        ),
        ({"size": "5"}, TypeError, "size must be an integer"),
        ({"size": 5.0}, TypeError, "size must be an integer"),
        ({"max_plies": None}, TypeError, "max_plies must be an integer"),
    ],
)
def test_bad_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        Dodgem(**options)


def test_moves_off_the_side_have_no_text():
    with pytest.raises(ValueError, match="action 1 takes black sideways off the board at a1"):
        Dodgem(5).action_to_string(1)
