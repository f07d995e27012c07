"""Hex: rules against a slow reference, random games, solved positions, pictures."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from agents import Rng, StarMinimax
from agents.games.hex import Hex
from models import finished, reached, restored, side_by_side

NEIGHBOURS = [(0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1)]


class Reference:
    """Hex in plain Python: a dict from cells (row, column) to players."""

    def __init__(self, size: int, swap: bool = False) -> None:
        self.size, self.swap = size, swap
        self.stones: dict[tuple[int, int], int] = {}
        self.last: tuple[int, int] | None = None
        self.mover = 0

    def cells(self) -> list[tuple[int, int]]:
        return [(row, column) for row in range(self.size) for column in range(self.size)]

    def legal_actions(self) -> list[int]:
        """The empty cells, and the swap where it is allowed; none at the end."""
        if self.winner() is not None:
            return []
        empty = [r * self.size + c for r, c in self.cells() if (r, c) not in self.stones]
        can_swap = self.swap and self.mover == 1 and len(self.stones) == 1
        return empty + [self.size**2] * can_swap

    def apply_action(self, action: int) -> None:
        cell = divmod(action, self.size)
        if action == self.size**2:
            ((row, column),) = self.stones
            self.stones, cell = {}, (column, row)
        self.stones[cell], self.last = self.mover, cell
        self.mover = 1 - self.mover

    def is_joined(self, player: int) -> bool:
        """Whether a chain of the player's stones joins both edges, by a search from the first."""
        seen = {cell for cell in self.cells() if cell[player] == 0 and self.holder(cell) == player}
        waiting = list(seen)
        while waiting:
            row, column = waiting.pop()
            for down, right in NEIGHBOURS:
                cell = row + down, column + right
                if self.stones.get(cell) == player and cell not in seen:
                    seen.add(cell)
                    waiting.append(cell)
        return any(cell[player] == self.size - 1 for cell in seen)

    def winner(self) -> int | None:
        return next((player for player in (0, 1) if self.is_joined(player)), None)

    def returns(self) -> list[int]:
        return [[1, -1], [-1, 1]][self.winner()]

    def holder(self, cell: tuple[int, int]) -> int | str:
        """The player whose stone or edge is at a cell, "empty", or "none" beyond a corner."""
        row, column = cell
        outside = [not 0 <= number < self.size for number in cell]
        if all(outside):
            return "none"
        if any(outside):
            return 0 if outside[0] else 1
        return self.stones.get((row, column), "empty")

    def indicator(self, player: int, name: str, place: str | None) -> float:
        """The value of an indicator, as the docstring of `Hex` defines it."""
        if self.last is None:
            return 0
        row, column = self.last
        if name.startswith("contact"):
            asked = player if name == "contact_friendly" else 1 - player
            return sum(self.holder((row + d, column + r)) == asked for d, r in NEIGHBOURS)
        beside = {(d, r) for d, r in NEIGHBOURS}
        near = beside | {(d + e, r + s) for d, r in beside for e, s in beside}
        around = [self.holder((row + d, column + r)) for d, r in near - {(0, 0)}]
        own, enemy = around.count(player), around.count(1 - player)
        counts = {"friendly_men": own, "enemy_men": enemy, "men_difference": own - enemy}
        counts["mobility"] = around.count("empty")
        if name in counts:
            return counts[name]
        assert place is not None
        holder = self.holder((row + int(place[2:]), column + int(place[:2])))
        asked = {"empty": ["empty"], "friendly": [player], "enemy": [1 - player], "man": [0, 1]}
        return holder in asked[name]

    def missing_stones(self, player: int) -> int:
        """Stones that the player needs to join the edges, by the method of Bellman and Ford."""
        price = {c: {player: 0, "empty": 1}.get(self.holder(c), math.inf) for c in self.cells()}
        length = {c: price[c] if c[player] == 0 else math.inf for c in price}
        for _ in price:
            for (row, column), own in price.items():
                beside = [length.get((row + d, column + r), math.inf) for d, r in NEIGHBOURS]
                length[row, column] = min(length[row, column], min(beside) + own)
        return int(min(length[c] for c in price if c[player] == self.size - 1))


# --- Rules ---


@pytest.mark.parametrize(
    ("size", "count", "swap"),
    [
        *((2, 50, True), (3, 100, True), (4, 60, False)),
        *((6, 30, True), (9, 10, False), (16, 2, True)),
    ],
)
def test_random_games_agree_with_the_reference(size, count, swap):
    for seed in range(count):
        model, reference = Hex(size, swap), Reference(size, swap)
        for number, _ in enumerate(side_by_side(model, reference, seed)):
            assert model.winner == reference.winner()
            assert model.last_cell == reference.last
            expected = np.zeros((size, size), dtype=np.int8)
            for cell, player in reference.stones.items():
                expected[cell] = (1, -1)[player]
            np.testing.assert_array_equal(model.board, expected)
            if seed * size < 20 and (number % 7 < 2 or model.is_terminal()):
                check_view(model, reference)


def check_view(model: Hex, reference: Reference) -> None:
    cells = model.board
    for player in (0, 1):
        for name, kind, places in Hex.indicators:
            assert len(places) in (0, 18)
            for place in places or (None,):
                value = model.indicator(player, name, place)
                assert type(value) is kind
                assert value == reference.indicator(player, name, place), (name, place)
        planes = [cells == (1, -1)[player], cells == (-1, 1)[player], cells == 0]
        flags = model.current_player() == player, player == 0
        planes += [np.full(cells.shape, flag) for flag in flags]
        assert np.array_equal(model.observation(player), planes)
    if reference.size < 9:
        check_distance(model, reference)


def check_distance(model: Hex, reference: Reference) -> None:
    values = [model.heuristic(player, "distance") for player in (0, 1)]
    if model.is_terminal():
        assert values == reference.returns()
        return
    own, other = reference.missing_stones(0), reference.missing_stones(1)
    assert values == pytest.approx([(other - own) / (other + own), (own - other) / (other + own)])


def test_notation():
    model = Hex(16)
    assert model.string_to_action("d3") == 2 * 16 + 3
    assert reached(Hex(5, swap=True), "d2").string_to_action("swap") == 25
    assert [model.action_to_string(a) for a in (0, 15, 16, 255)] == ["a1", "p1", "a2", "p16"]


# --- Random games ---


@pytest.mark.parametrize("size", [2, 3, 6, 11, 16])
@pytest.mark.parametrize("swap", [False, True])
def test_the_end_of_a_rollout_is_reached_by_its_moves(size, swap):
    for seed in range(31):  # so many moves may come before the rollout on the largest board
        start = Hex(size, swap)
        for action in range(max(2 * swap, seed % (2 * size - 1))):
            start.apply_action(start.legal_actions()[-1 if action == 1 else Rng(seed).below(size)])
            if start.is_terminal():
                break
        model, end = start.clone(), start.clone()
        applied = end.rollout(seed)
        is_new = start.board == 0
        stones = [np.argwhere(is_new & (end.board == sign)).tolist() for sign in (1, -1)]
        assert applied == sum(map(len, stones))
        if applied:
            stones[end.winner].remove([*end.last_cell])
            stones[end.winner].append([*end.last_cell])
        for _ in range(applied):
            row, column = stones[model.current_player()].pop(0)
            model.apply_action(size * row + column)
        assert model == end
        assert model.is_terminal()
        assert model.position_hash() == end.position_hash()


# --- Values ---


@pytest.mark.parametrize(
    ("size", "moves"),
    [(2, ""), (3, ""), *((4, moves) for moves in ("b3 c2 b2", "b3 c2", "b3 b2", "b3"))],
)
@pytest.mark.slow(keep="^[23]|c2 b2")
def test_the_first_player_wins(size, moves):
    model = reached(Hex(size), moves)
    value = StarMinimax(depth=size * size).search(model).value
    assert value == (1 if model.current_player() == 0 else -1)


def test_swapping_wins_after_the_best_opening():
    model = reached(Hex(3, swap=True), "b2")
    result = StarMinimax(depth=9).search(model)
    assert (model.action_to_string(result.action), result.value) == ("swap", 1)


# --- Arguments and copies ---


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        *(
            ({"size": size}, ValueError, r"size must be in \[2, 16\]")
            for size in (1, 17, -3, 2**40)
        ),
        *(
            ({"size": size}, TypeError, "size must be an integer")
            for size in (2.5, "3", None, True)
        ),
        ({"swap": "no"}, ValueError, "swap must be True or False, got 'no'"),
    ],
)
def test_bad_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        Hex(**options)


def test_equal_games_in_equal_positions_are_equal():
    model = reached(Hex(5), "a1 b2 c3")
    assert model == reached(Hex(5), "a1 b2 c3")
    assert model != reached(Hex(5), "c3 b2 a1"), "the last cell counts"
    assert model != reached(Hex(6), "a1 b2 c3")
    assert model != reached(Hex(5, swap=True), "a1 b2 c3")
    assert reached(Hex(5), "c3 b2 a1 e5") == reached(Hex(5), "a1 b2 c3 e5")


def test_pickles_of_games_that_went_on_are_refused():
    """White sets d4 after black has joined the edges; the words are those of the C struct."""
    model = reached(Hex(4), "a1 b1 a2 b2 a3 b3 a4")
    words = np.frombuffer(model.__reduce__()[1][2], dtype=np.int16).copy()
    words[18 + 4] |= 1 << 3  # white's stones in the last row
    words[75], words[76], words[77] = 4, 15, 0  # white's number of stones, last cell, mover
    with pytest.raises(ValueError, match="damaged"):
        restored(model, words.tobytes())


# --- Pictures ---

TEXT = """\
   a b c
 1 . X . 1
  2 . . O 2
   3 . . . 3
      a b c
black to move"""


def test_the_picture_marks_the_chain_that_won():
    assert "#f2b632" not in reached(Hex(2), "a1 b1").svg()
    for moves, start, end in (
        ("a1 b1 a2", "72.0,75.1", "92.0,109.7"),
        ("a1 a2 b1 b2", "92.0,109.7", "132.0,109.7"),
    ):
        svg = reached(Hex(2), moves).svg()
        assert re.findall('<polyline points="([^"]*)" [^>]*#f2b632', svg) == [f"{start} {end}"]


def test_text():
    model = reached(Hex(3), "b1 c2")
    assert str(model) == TEXT
    assert repr(model) == "<Hex(3): 2 stones, black to move>"
    assert repr(Hex(4, swap=True)) == "<Hex(4, swap=True): 0 stones, black to move>"
    end = finished(Hex(3), 0)
    assert str(end).endswith(f"{('black', 'white')[end.winner]} has won")
