"""CarcassonneModel as Python sees it: bad input, the view of a position, returns, copies."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from agents import Rng
from carcassonne_env import CarcassonneModel, Move
from carcassonne_env.model import STATE_BYTES
from carcassonne_env.tiles import BASE_SET, LETTERS, SIDES, TILE_TYPES, maximum_score
from models import advance, best_other, finished

REFUSED = (TypeError, ValueError)
ABD = {"A": 1, "B": 1, "D": 1}


def played(num_steps: int, seed: int, **config) -> CarcassonneModel:
    model, rng = CarcassonneModel(**config, seed=seed), Rng(seed)
    for _ in range(num_steps):
        if not model.is_terminal():
            advance(model, rng)
    return model


# Bad input


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        *(("num_players", value) for value in (0, 6, -1, "2", 2.0, True, None)),
        *(("num_meeples", value) for value in (-1, 256, 1.5, "7", False, None)),
        *(("max_score", value) for value in (0, -1, 2**31, 593.5, "593", True)),
        *(("tiles", value) for value in ("big", "Base", None, 24, ["D", "B"], {"A": 2, "B": 1})),
        *(("deterministic", value) for value in ("no", 2)),
        *(("order", value) for value in (5, True)),
        *(("two_step", value) for value in ("yes", None, 2)),
        *(("board_size", value) for value in (2, 0, -3, 146, 5.0, True, "5")),
    ],
)
def test_bad_argument_is_named(argument, value):
    with pytest.raises(REFUSED) as refusal:
        CarcassonneModel(**{argument: value})
    assert argument in str(refusal.value)
    assert repr(value) in str(refusal.value)


@pytest.mark.parametrize(
    ("tiles", "message"),
    [
        ({"D": 1, "Z": 1}, "tiles .* 'Z'"),
        ({"D": 1, "AB": 1}, "tiles .* 'AB'"),
        ({"D": 1, 3: 1}, "tiles .* 3"),
        ({"D": 1, "B": -1}, "tile B .* -1"),
        ({"D": 1, "B": 1.5}, "tile B .* 1.5"),
        ({"D": 1, "B": True}, "tile B .* True"),
        ({"D": 0, "B": 2}, "tiles .* a D, got {'D': 0, 'B': 2}"),
        ({"D": 1}, "number of tiles.* got 1"),
        ({"D": 1, "B": 72}, "number of tiles.* got 73"),
        ({"D": 36, "B": 36, "U": 1}, "number of tiles.* got 73"),
        ({letter: np.uint8(64) for letter in "ABDE"}, "number of tiles.* got 256"),
    ],
)
def test_bad_tiles_are_named(tiles, message):
    with pytest.raises(REFUSED, match=message):
        CarcassonneModel(tiles=tiles)


@pytest.mark.parametrize("order", ["", "A", "AA", "ABB", "ABD", "AZ", "Ab", ["AB"], ["A", 1], [1]])
def test_bad_order_is_named(order):
    with pytest.raises(REFUSED, match=f"order .*got .*{''.join(map(str, order))}"):
        CarcassonneModel(tiles=ABD, order=order)


@pytest.mark.parametrize("config", [{}, {"tiles": ABD, "order": "AB"}])
def test_bad_seed_is_named_where_it_is_not_used(config):
    with pytest.raises(REFUSED, match=r"seed .* -1$"):
        CarcassonneModel(**config, seed=-1)


def test_decode_action_refuses_a_slot_without_segment():
    model = CarcassonneModel(tiles=ABD, order="BA")
    action = model.encode_action(Move(0, -1, 0, None))
    with pytest.raises(ValueError, match=f"action {action + 3} has meeple slot 3, tile B has 2"):
        model.decode_action(action + 3)


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (3, "move must be Move.* 3"),
        ((0, -1, 0), "move must be Move.* -1, 0"),
        (Move(73, 0, 0, None), "x .* 73"),
        (Move(-73, 0, 0, None), "x .* -73"),
        (Move(0.5, 0, 0, None), "x .* 0.5"),
        (Move(0, 73, 0, None), "y .* 73"),
        (Move(0, "1", 0, None), "y .* '1'"),
        (Move(0, -1, 4, None), "rotation .* 4"),
        (Move(0, -1, -1, None), "rotation .* -1"),
        (Move(0, -1, 0, "cloister"), "target .* 'cloister'"),
        (Move(0, -1, 0, ("castle",)), "target .*'castle'"),
        (Move(0, -1, 0, ("city", frozenset("N"))), "target .*'city', frozenset"),
        (Move(0, -1, 0, ("farm", frozenset({"NL"}))), "target .*'farm', frozenset"),
    ],
)
def test_encode_action_names_what_is_wrong(move, message):
    model = CarcassonneModel(tiles=ABD, order="BA")
    with pytest.raises(REFUSED, match=message):
        model.encode_action(move)


# Laws of every position

SEEDS = st.integers(0, 2**32)
TILES = (
    st.dictionaries(st.sampled_from(LETTERS), st.integers(1, 3), min_size=1, max_size=20)
    .map(lambda tiles: tiles | {"D": 1 + tiles.get("D", 0)})
    .map(lambda tiles: dict(sorted(tiles.items())))
)
VARIANT = {
    "num_players": st.integers(1, 5),
    "num_meeples": st.integers(0, 8),
    "tiles": st.sampled_from(["base", "small"]) | TILES,
    "deterministic": st.booleans(),
}
POSITIONS = st.builds(played, num_steps=st.integers(0, 150), seed=SEEDS, **VARIANT)


@settings(deadline=None)
@given(model=st.builds(CarcassonneModel, seed=SEEDS, **VARIANT), seed=SEEDS)
def test_tiles_are_conserved(model, seed):
    def held():
        return Counter(model.bag) + Counter(model.current_tile)

    rng, tiles, discarded = Rng(seed), held() + Counter("D"), Counter()
    while not model.is_terminal():
        bag = Counter(model.bag)
        advance(model, rng)
        discarded += bag - held()
        assert Counter(tile.tile for tile in model.board) + held() + discarded == tiles
        assert model.num_tiles == (tiles - discarded).total()


@settings(deadline=None, max_examples=300)
@given(model=POSITIONS)
def test_scores_heuristics_and_legal_cells_of_any_position(model):
    for kind, points in (("s", model.scores), ("vs", model.virtual_scores)):
        for player, own in enumerate(points):
            lead = own - best_other(points, player)
            assert model.heuristic(player, kind) == lead / model.max_score()
    if model.current_tile is not None:
        moves = map(model.decode_action, model.legal_actions())
        assert model.legal_cells == sorted({(move.x, move.y) for move in moves})
    assert all(v >= s for v, s in zip(model.virtual_scores, model.scores, strict=True))
    model.rollout(0)
    assert model.virtual_scores == model.scores


# Returns


@pytest.mark.parametrize("num_players", [1, 2, 3, 4, 5])
def test_returns_compare_with_the_best_other_player(num_players):
    model = finished(CarcassonneModel(num_players, max_score=100))
    leads = [own - best_other(model.scores, player) for player, own in enumerate(model.scores)]
    assert model.returns().tolist() == [lead / 100 for lead in leads]
    assert sum(lead > 0 for lead in leads) == 1


@pytest.mark.parametrize(
    ("config", "max_score"),
    [
        ({"num_meeples": 1, "tiles": "small"}, 105),
        ({"num_meeples": 3, "tiles": "small"}, 135),
        ({}, 593),
        ({"tiles": BASE_SET}, 593),
        ({"num_players": 5}, 593),
        ({"num_meeples": 3}, maximum_score(BASE_SET, 3)),
        ({"max_score": 570}, 570),
        ({"num_meeples": 0, "tiles": {"B": 1, "D": 1}}, 2 * 1 + 1 + 9),
    ],
)
def test_max_score(config, max_score):
    assert CarcassonneModel(**config).max_score() == max_score


def test_published_maximum_score_is_not_that_of_its_formula():
    assert maximum_score(BASE_SET, 7) == 570


# Order and seeds


def drawn(model: CarcassonneModel, seed: int = 0) -> Iterator[str]:
    """Plays at random; yields each tile to be placed."""
    rng = Rng(seed)
    while not model.is_terminal():
        if model.current_tile:
            yield model.current_tile
        advance(model, rng)


def test_seed_shuffles():
    def orders(seeds):
        return [CarcassonneModel(deterministic=True, seed=seed).order for seed in seeds]

    assert orders(range(9)) == orders(range(9))
    assert len(set(orders(range(9)))) == 9
    assert len(set(orders([None] * 9))) == 9


def test_order_is_that_of_drawing():
    model = CarcassonneModel(1, 3, "small", deterministic=True, seed=2)
    order = model.current_tile + model.order
    assert sorted(order) == sorted(set(LETTERS) - {"D"})
    tiles = list(drawn(model))
    to_come = iter(order)
    assert all(tile in to_come for tile in tiles)  # in this order, but for discarded ones
    assert model.order == ""


@pytest.mark.parametrize("order", ["AB", "BA", ["B", "A"], iter("BA")])
def test_order_is_given(order):
    model = CarcassonneModel(tiles=ABD, order=order)
    assert model.is_deterministic
    assert list(drawn(model)) == (["A", "B"] if order == "AB" else ["B", "A"])


def test_given_order_is_the_same_game_as_a_shuffled_one():
    shuffled = CarcassonneModel(deterministic=True, seed=3)
    given = CarcassonneModel(order=shuffled.current_tile + shuffled.order)
    assert given == shuffled


@pytest.mark.parametrize("seat", [-1, 0, 2])
def test_a_game_goes_on_to_the_decision_of_a_seat(seat):
    model, rng, counts = CarcassonneModel(3), Rng(0), []
    model.go_on(rng, seat)
    while not model.is_terminal():
        assert model.current_player() == seat or seat == -1
        counts.append(len(model.board))
        model.apply_action(model.sample_action(rng))
        model.go_on(rng, seat)
    assert counts == [*range(1 + max(0, seat), 72, 1 if seat == -1 else 3)][: len(counts)]
    assert len(counts) in ((71,) if seat == -1 else (23, 24))
    with pytest.raises(ValueError, match=r"seat must be in \[-1, 2\], got 3"):
        model.go_on(rng, 3)


def test_stochastic_game_has_no_order():
    model = CarcassonneModel()
    assert not model.is_deterministic
    assert model.order is None
    assert model == CarcassonneModel(seed=5)


# Equality and copies


@pytest.mark.parametrize(
    "config",
    [
        {"num_players": 3},
        {"num_meeples": 6},
        {"tiles": "small"},
        {"deterministic": True, "seed": 1},
        {"max_score": 570},
        {"two_step": True},
        {"board_size": 9},
    ],
)
def test_games_of_other_configurations_differ(config):
    assert CarcassonneModel() == CarcassonneModel()
    assert CarcassonneModel() != CarcassonneModel(**config) != CarcassonneModel(board_size=10)


def test_positions_are_equal_whatever_the_order_of_play():
    """Every order of four turns leads to one position, and so does the choice of a next cell."""
    city, road = ("city", frozenset("E")), ("road", frozenset("EW"))
    turns = [
        ("U", Move(1, 0, 1, road)),
        ("U", Move(-1, 0, 1, None)),
        ("E", Move(0, 1, 2, None)),
        ("E", Move(0, -1, 1, city)),
    ]
    ends = []
    for order in itertools.permutations(turns):
        model = CarcassonneModel(1, 7, {"D": 1, "U": 3, "E": 2}, two_step=True)
        for letter, move in order:
            model.apply_action(LETTERS.index(letter))
            model.apply_action(model.encode_action(move))  # the tile,
            model.apply_action(model.encode_action(move))  # then the meeple
        ends.append(model)
    assert len({tuple(end.board) for end in ends}) == len(ends)
    for _ in range(2):
        assert all(end == ends[0] for end in ends)
        assert len({end.position_hash() for end in ends}) == 1
        for end in ends:
            action = LETTERS.index("U") if end.is_chance_node() else int(end.legal_actions()[-1])
            end.apply_action(action)
    other = ends[0].clone()
    ends[0].apply_action(0)
    assert ends[0] != other


def test_texts_tell_the_position():
    model = CarcassonneModel(tiles=ABD)
    start = "<CarcassonneModel: 1 tiles, 2 in the bag, to place: {}, player 0, scores (0, 0)>"
    assert repr(model) == start.format("draw")
    model.apply_action(LETTERS.index("B"))
    assert repr(model) == start.format("B").replace("2 in", "1 in")
    assert "player 1: 0 points, 7 meeples" in str(model)
    assert "to place: end" in repr(finished(model))


def test_state_is_small():
    _, (_, _, state, _, _) = CarcassonneModel().__reduce__()
    assert len(state) == STATE_BYTES <= 10_000


def test_no_tile_adds_more_features_than_there_is_room_for():
    # board.pxd: a tile adds at most 5 to features plus open city sides. An L may add 6 features,
    # but then it closes such a side. Against more than one other tile, a tile adds fewer.
    for tile in TILE_TYPES:
        for side, terrain in zip(SIDES, tile.terrain, strict=True):
            joined = sum(any(end[0] == side for end in part.ends) for part in tile.segments)
            open_city_sides = tile.terrain.count("C") - 2 * (terrain == "C")
            assert len(tile.segments) - joined + open_city_sides <= 5
