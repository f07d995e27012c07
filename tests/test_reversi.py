"""Reversi: rules against a slow and obvious reference, counts of positions, pictures."""

from __future__ import annotations

import itertools
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from agents import CHANCE, Rng
from agents.games.reversi import BLOCKED, EMPTY, Reversi
from agents.testing import perft
from models import advance, reached, side_by_side

PERFT = (4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288)
"""Public figures, depths 1 to 9, with passes as decisions."""
BLACK, WHITE = 0, 1
CORNERS = {
    8: {"a1", "h1", "a8", "h8"},
    10: {"d1", "b2", "a4", "g1", "i2", "j4", "a7", "b9", "d10", "j7", "i9", "g10"},
}

both_boards = pytest.mark.parametrize("plus", [False, True], ids=["reversi", "plus"])


class Mailbox:
    """The rules on a plain list of squares within a frame, so that every line ends inside the list.

    A square holds 0 (black), 1 (white), "." (free) or "#" (blocked, or the frame).
    """

    def __init__(self, rows: list[str]) -> None:
        codes = {"B": BLACK, "W": WHITE}
        self.size = len(rows)
        self.width = self.size + 2
        frame = "#" * self.width
        letters = "".join([frame, *(f"#{row}#" for row in rows), frame])
        self.board: list[Any] = [codes.get(letter, letter) for letter in letters]
        self.squares = [
            self.width * (row + 1) + column + 1 for row, column in np.ndindex(self.size, self.size)
        ]
        self.steps = [self.width * down + right for down in (-1, 0, 1) for right in (-1, 0, 1)]
        self.mover = BLACK

    def turned(self, player: int, square: int) -> list[int]:
        """The pieces that a player turns by a move to a square."""
        if self.board[square] != ".":
            return []
        pieces = []
        for step in self.steps:
            line = []
            at = square + step
            while self.board[at] == 1 - player:
                line.append(at)
                at += step
            if line and self.board[at] == player:
                pieces += line
        return pieces

    def moves(self, player: int) -> list[int]:
        return [i for i, square in enumerate(self.squares) if self.turned(player, square)]

    def legal_actions(self) -> list[int]:
        own_moves = self.moves(self.mover)
        return own_moves or [self.size**2] * bool(self.moves(1 - self.mover))

    def apply_action(self, action: int) -> None:
        if action < self.size**2:
            square = self.squares[action]
            for at in [*self.turned(self.mover, square), square]:
                self.board[at] = self.mover
        self.mover = 1 - self.mover

    def pieces(self) -> list[Any]:
        """What is on each square, "a1" first."""
        return [self.board[square] for square in self.squares]

    def count(self, player: int) -> int:
        return self.pieces().count(player)

    def num_corners(self, player: int) -> int:
        named = dict(zip(names_of(self.size), self.pieces(), strict=True))
        return [named[corner] for corner in CORNERS[self.size]].count(player)

    def indicators(self, player: int) -> dict[str, float]:
        men, other_men = self.count(player), self.count(1 - player)
        corners, other_corners = self.num_corners(player), self.num_corners(1 - player)
        return {
            "friendly_men": men,
            "enemy_men": other_men,
            "men_difference": men - other_men,
            "mobility": len(self.moves(player)),
            "friendly_corners": corners,
            "enemy_corners": other_corners,
            "corner_difference": corners - other_corners,
        }

    def returns(self) -> list[float]:
        lead = float(np.sign(self.count(BLACK) - self.count(WHITE)))
        return [lead, -lead]


def names_of(size: int) -> list[str]:
    return [f"{letter}{rank + 1}" for rank in range(size) for letter in "abcdefghij"[:size]]


def reference(plus: bool, colours: str) -> Mailbox:
    """The reference at its start; in Reversi Plus with colours of the drawn squares, B or W."""
    if not plus:
        rows = ["........"] * 3 + ["...WB...", "...BW..."] + ["........"] * 3
    else:
        left = [colours[i : i + 2] for i in range(0, 8, 2)]
        right = [half.translate(str.maketrans("BW", "WB")) for half in left]
        middle = [one + two for one, two in zip(left, right, strict=True)]
        rows = ["###....###", "#........#", "#........#"]
        rows += [f"...{row}..." for row in middle] + rows[::-1]
    return Mailbox(rows)


def started(plus: bool, colours: str = "BWWBWBBB") -> Reversi:
    game = Reversi(plus)
    for colour in colours if plus else "":
        game.apply_action("BW".index(colour))
    return game


# Rules


@pytest.mark.parametrize("depth", range(1, 10))
@pytest.mark.slow(keep="[1-8]")
def test_perft(depth):
    assert perft(Reversi(), depth) == PERFT[depth - 1]


@pytest.mark.slow(keep="-40$")
@pytest.mark.parametrize("num_games", [40, 1000])
@both_boards
def test_random_games_agree_with_the_reference(plus, num_games):
    rng, num_passes = Rng(1), 0
    for seed in range(num_games):
        colours = "".join("BW"[rng.below(2)] for _ in range(8))
        game, slow = started(plus, colours), reference(plus, colours)
        for _ in side_by_side(game, slow, seed):
            if rng.below(20) == 0 and not game.is_terminal():
                check_view(game, slow)
            num_passes += game.last_action == game.num_actions - 1
    assert num_passes


def check_view(game: Reversi, slow: Mailbox) -> None:
    codes = {".": EMPTY, "#": BLOCKED}
    board = game.board
    assert board.ravel().tolist() == [codes.get(piece, piece) for piece in slow.pieces()]
    assert game.pieces == (slow.count(BLACK), slow.count(WHITE))
    for player in (BLACK, WHITE):
        for name, value in slow.indicators(player).items():
            assert game.indicator(player, name) == value, name
        for place, piece in zip(names_of(game.size), board.ravel(), strict=True):
            assert game.indicator(player, "empty", place) == (piece == EMPTY)
            assert game.indicator(player, "friendly", place) == (piece == player)
            assert game.indicator(player, "man", place) == (piece >= 0)
        view = slow.indicators(player), slow.indicators(1 - player)
        for heuristic, name in (("pieces", "friendly_men"), ("mobility", "mobility")):
            one, two = (side[name] for side in view)
            assert game.heuristic(player, heuristic) == (one - two) / max(1, one + two)
        is_mover = player == slow.mover
        legal = np.zeros(board.size + 1)
        legal[slow.legal_actions() if is_mover else []] = 1
        planes = [board == player, board == 1 - player, legal[:-1].reshape(board.shape)]
        planes += [board == BLOCKED, np.full(board.shape, is_mover)]
        assert np.array_equal(game.observation(player), planes)


def test_shortest_game_leaves_white_without_pieces():
    game = reached(Reversi(), "e6 f4 e3 f6 g5 d6 e7 f5 c5")
    assert game.is_terminal()
    assert game.pieces == (13, 0)
    assert game.returns().tolist() == [1, -1]
    assert repr(game) == "<Reversi: black 13, white 0, black wins>"
    assert "+" not in str(game)


def test_a_position_after_a_pass_is_drawn():
    game, rng = Reversi(), Rng(3)
    while game.last_action != 64:
        game = Reversi() if game.is_terminal() else game
        advance(game, rng)
    ElementTree.fromstring(game._repr_svg_())


# Reversi Plus


def test_start_of_plus_is_eight_chance_events():
    game = Reversi(plus=True)
    for number in range(8):
        assert game.current_player() == CHANCE
        assert [values.tolist() for values in game.chance_outcomes()] == [[0, 1], [0.5, 0.5]]
        assert [game.action_to_string(outcome) for outcome in (0, 1)] == ["black", "white"]
        game.apply_action(number % 3 == 0)
        assert game.pieces == (number + 1, number + 1)
    assert game.current_player() == BLACK
    assert game.last_action is None
    assert game.board[3:7, 3:5].ravel().tolist() == [1, 0, 0, 1, 0, 0, 1, 0]


def test_all_starts_of_plus():
    boards = set()
    for colours in itertools.product("BW", repeat=8):
        game = started(True, "".join(colours))
        board = game.board
        assert game.pieces == (8, 8)
        assert game.legal_actions().tolist() == reference(True, "".join(colours)).legal_actions()
        assert np.array_equal(board[3:7, 3:5], 1 - board[3:7, 5:7])
        assert np.sum(board == EMPTY) == 64
        boards.add(board.tobytes())
    assert len(boards) == 256
    blocked = np.flatnonzero(board == BLOCKED)
    names = names_of(10)
    assert len(blocked) == 20
    assert {"a1", "b1", "c1", "a2", "a3"} <= {names[square] for square in blocked}
    assert np.array_equal(board == BLOCKED, (board == BLOCKED)[::-1, ::-1].T)


def test_seeds_draw_the_start():
    starts = [Reversi(plus=True, seed=seed) for seed in range(40)]
    assert all(start.current_player() == BLACK for start in starts)
    assert len({start.board.tobytes() for start in starts}) > 30
    assert Reversi(plus=True, seed=3) == starts[3]
    drawn = Reversi(plus=True)
    drawn.determinize(3)
    assert drawn == starts[3]


# Bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"plus": "yes"}, "plus must be True or False, got 'yes'"),
        ({"plus": None}, "plus must be True or False, got None"),
        ({"seed": 1}, r"seed needs plus=True.*got 1"),
        ({"plus": True, "seed": -1}, "seed must be None, an integer >= 0"),
        ({"plus": True, "seed": "x"}, "seed must be None, an integer >= 0"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        Reversi(**arguments)


def test_outcomes_and_moves_have_texts():
    with pytest.raises(ValueError, match=r"action must be in \[0, 1\], got 2"):
        Reversi(plus=True).action_to_string(2)
    assert Reversi().action_to_string(64) == "pass"
    assert not Reversi().is_legal(64)


def test_the_last_move_does_not_count_for_equality():
    one, other = reached(Reversi(), "d3 c3 c4"), reached(Reversi(), "c4 c3 d3")
    assert one.last_action != other.last_action
    assert one == other
    assert one.position_hash() == other.position_hash()
    assert one != reached(Reversi(), "d3 c3")


# By name, by planners, as pictures


def test_text():
    assert str(reached(Reversi(), "f5")).splitlines() == [
        "   a b c d e f g h",
        " 1 . . . . . . . .",
        " 2 . . . . . . . .",
        " 3 . . . . . . . .",
        " 4 . . . O X + . .",
        " 5 . . . X X X . .",
        " 6 . . . + . + . .",
        " 7 . . . . . . . .",
        " 8 . . . . . . . .",
        "black 4, white 1, white to move",
    ]
    assert str(Reversi(plus=True)).splitlines()[1::9] == [" 1       . . . .", "10       . . . ."]
    assert repr(Reversi(plus=True)) == "<Reversi Plus: black 0, white 0, chance to move>"
