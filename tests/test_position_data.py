"""Positions set up from data: the same as the positions of games, and each mistake named."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from agents.testing import check_forward_model
from carcassonne_env import CarcassonneModel
from carcassonne_env.position import segment_targets
from carcassonne_env.position_data import from_data, to_data
from models import positions as course


def positions(model: CarcassonneModel, seed: int) -> Iterator[CarcassonneModel]:
    """All positions of a random game before a turn."""
    for position in course(model.clone(), seed):
        if position.chosen is None and not position.is_terminal():
            yield position.clone()


def facts(model: CarcassonneModel) -> dict[str, Any]:
    """What a position is, but for the order in which tiles and meeples came."""
    return {
        **to_data(model),
        "tiles": sorted(model.board),
        "features": sorted(map(repr, ((f.kind, sorted(f.cells), *f[3:]) for f in model.features))),
        "legal": [] if model.is_chance_node() else sorted(model.legal_actions()),
        "virtual": model.virtual_scores,
        "hand": model.meeples,
        "num_tiles": model.num_tiles,
    }


@pytest.mark.parametrize(
    "model",
    [
        CarcassonneModel(2, 7, "small"),
        CarcassonneModel(3, 2, "small", deterministic=True, seed=1),
        CarcassonneModel(1, 3, {"D": 3, "U": 5, "V": 6, "E": 2}, two_step=True),
        CarcassonneModel(2, 5, "small", board_size=9, max_score=100),
        CarcassonneModel(2, 7, board_size=4),
    ],
)
def test_positions_of_games_are_set_up_again(model):
    """From JSON, with the tiles in any order."""
    shuffled = random.Random(0)
    for position in positions(model, 3):
        data = json.loads(json.dumps(to_data(position)))
        shuffled.shuffle(data["tiles"])
        twin = from_data(data)
        assert facts(twin) == facts(position)
        for kind in position.heuristics:  # sums in another order
            expected = pytest.approx(position.heuristic(position.mover, kind), abs=1e-6)
            assert twin.heuristic(position.mover, kind) == expected
        assert twin == position
        assert twin.current_player() == position.current_player()
        assert twin.is_deterministic == position.is_deterministic


def test_games_go_on_from_there():
    for position in [*positions(CarcassonneModel(2, 7, "small"), 5)][10:40:9]:
        check_forward_model(from_data(to_data(position)).clone, num_games=1)
    twins = [position, from_data(to_data(position))]
    ends = [twin.rollout_returns(50, 1).mean(0) for twin in twins]
    np.testing.assert_allclose(*ends, atol=0.05)


def test_the_base_game_keeps_its_scale():
    model = CarcassonneModel(2, 7)
    data = to_data(model)
    del data["max_score"]
    assert from_data(data).max_score() == model.max_score() == 593


CITY = {"tile": "E", "x": 0, "y": 1, "rotation": 2}
START = {"tile": "D", "x": 0, "y": 0, "rotation": 0}


def data(**members: Any) -> dict[str, Any]:
    """A small position with other members; None leaves one out."""
    usual = {"tiles": [START], "bag": {"U": 3, "V": 2}, "current_tile": "U"}
    return {name: value for name, value in {**usual, **members}.items() if value is not None}


def meeple(target: str, **others: Any) -> dict[str, Any]:
    return {"player": 0, "x": 0, "y": 0, "target": target, **others}


def test_a_position_is_set_up_by_hand():
    model = from_data(
        data(
            num_players=3,
            player=2,
            tiles=[{"tile": "V", "x": 1, "y": 0, "rotation": 0}, START],
            meeples=[meeple("city N"), meeple("road S-W", player=1, x=1)],
            scores=[{"city": 8}, {}, {"road": 2, "farm": 3}],
        )
    )
    assert (model.num_players, model.current_player(), model.current_tile) == (3, 2, "U")
    assert (model.scores, model.meeples) == ((8, 0, 5), (6, 6, 7))
    assert model.bag == {"U": 3, "V": 2}
    known = from_data(data(bag=None, order="VUV"))
    assert (known.order, known.is_deterministic, known.current_tile) == ("VUV", True, "U")
    assert from_data(data(current_tile=None)).is_chance_node()


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"tiles": None}, "the position must have the member 'tiles'"),
        ({"meeple": []}, "no member but tiles, .*, got 'meeple'; did you mean 'meeples'"),
        ({"order": "UUU"}, "one of the members 'bag' and 'order'"),
        ({"bag": None}, "one of the members 'bag' and 'order'"),
        ({"tiles": {}}, "tiles must be a list, got {}"),
        ({"tiles": []}, "tiles must have the start tile, a D at"),
        ({"tiles": [3]}, r"tiles\[0\] must be a mapping, got 3"),
        ({"tiles": [{**START, "tile": "Z"}]}, r"tiles\[0\]'s tile must be the letter .* got 'Z'"),
        ({"tiles": [{**START, "x": 1.5}]}, r"tiles\[0\]'s x must be an integer, got 1.5"),
        ({"tiles": [{**START, "y": 99}]}, r"tiles\[0\]'s y must be in \[-72, 72\], got 99"),
        ({"tiles": [{**START, "rotation": 4}]}, r"rotation must be in \[0, 3\], got 4"),
        ({"tiles": [{"tile": "D"}]}, r"tiles\[0\] must have the member 'x'"),
        ({"tiles": [{**START, "z": 1}]}, r"tiles\[0\] must have no member but .* got 'z'"),
        ({"tiles": [START, START]}, r"different cells, got \(0, 0\) twice"),
        ({"tiles": [{**START, "rotation": 1}]}, "tiles must have the start tile"),
        (
            {"tiles": [START, {**CITY, "rotation": 0}]},
            r"tiles\[1\] must fit its neighbours, .* whose side S does not fit .*tile='D'",
        ),
        ({"tiles": [START, {**CITY, "y": 3}]}, r"tiles\[1\] must be connected with the start"),
        (
            {"tiles": [START, {**CITY, "x": 2, "y": 0}], "board_size": 3},
            r"tiles\[1\] must be connected with the start tile, inside the board",
        ),
        ({"bag": ["U"]}, "bag must be a mapping from letters"),
        ({"bag": {"Y": 1}}, "a tile of the bag must be the letter of a tile, A to X, got 'Y'"),
        ({"bag": {"U": -1}}, r"tiles U in the bag must be in \[0, 72\], got -1"),
        ({"bag": {"U": 71}}, r"the number of tiles, .* must be in \[2, 72\], got 73"),
        ({"bag": None, "order": "UZ"}, r"order\[1\] must be the letter .* got 'Z'"),
        ({"bag": None, "order": [["U"]]}, r"order\[0\] must be the letter .* got \['U'\]"),
        ({"bag": None, "order": 5}, "order must be a list, got 5"),
        ({"bag": None, "order": "UV", "current_tile": None}, "current_tile must be the letter"),
        ({"bag": {}, "current_tile": None}, "current_tile must be the letter"),
        ({"current_tile": "u"}, "current_tile must be the letter of a tile, A to X, got 'u'"),
        ({"current_tile": "C", "bag": {}, "board_size": 3, "tiles": "ROADS"}, "fit somewhere"),
        ({"player": 2}, r"player must be in \[0, 1\], got 2"),
        ({"two_step": "x"}, "two_step must be True or False, got 'x'"),
        ({"two_step": 1}, "two_step must be True or False, got 1"),
        ({"num_players": 6}, r"num_players must be in \[1, 5\], got 6"),
        ({"meeples": [meeple("city N", player=2)]}, r"meeples\[0\]'s player must be in \[0, 1\]"),
        ({"meeples": [meeple("city N", x=1)]}, r"must stand on a tile, got the cell \(1, 0\)"),
        ({"meeples": [meeple("city N", y=[])]}, r"meeples\[0\]'s y must be an integer, got \[\]"),
        ({"meeples": [meeple("city S")]}, r"target must be one of \['city N', .* got 'city S'"),
        (
            {"meeples": [meeple("city N"), meeple("road E-W", player=1)]},
            r"meeples\[1\] must have its tile to itself",
        ),
        (
            {"tiles": [START, CITY], "meeples": [meeple("city N")]},
            r"meeples\[0\] must not stand on a complete feature",
        ),
        (
            {
                "num_meeples": 1,
                "tiles": [START, {"tile": "V", "x": 1, "y": 0, "rotation": 0}],
                "meeples": [meeple("city N"), meeple("road S-W", x=1)],
            },
            "player 0 must have 1 meeples on the board or fewer, got 2",
        ),
        ({"discarded": 67}, r"discarded must be in \[0, 65\], got 67"),
        ({"scores": [{}]}, "scores must have an entry for each of 2 players, got 1"),
        ({"scores": [{}, {"towns": 1}]}, r"scores\[1\] must have no member but .* got 'towns'"),
        ({"scores": [{}, {"road": -1}]}, r"scores\[1\]'s road must be in .* got -1"),
    ],
)
def test_mistakes_are_named(members, message):
    if members.get("tiles") == "ROADS":  # fields and roads on all sides of a small board
        around = [(0, 1, "E", 2), (1, 0, "U", 1), (-1, 0, "U", 1), (0, -1, "E", 2)]
        members["tiles"] = [
            START,
            *({"tile": letter, "x": x, "y": y, "rotation": r} for x, y, letter, r in around),
        ]
    with pytest.raises((TypeError, ValueError), match=message):
        from_data(data(**members))


@pytest.mark.parametrize(
    ("meeples", "points", "mover", "message"),
    [
        ([(2, 0, 0)], None, 0, r"a meeple's player must be in \[0, 1\], got 2"),
        ([(2**40, 0, 0)], None, 0, r"a meeple's player must be in \[0, 1\]"),
        ([(0, 1, 0)], None, 0, r"a meeple's tile must be in \[0, 0\], got 1"),
        ([(0, 0, 4)], None, 0, r"a meeple's segment must be in \[0, 3\], got 4"),
        ([(0, 0, 0), (0, 0, 1)], None, 0, "meeples must be at most one a tile"),
        ([], [[0] * 4] * 6, 0, "points must be 4 a player, got"),
        ([], [[0] * 5] * 2, 0, "points must be 4 a player, got"),
        ([], [[0, -1, 0, 0]] * 2, 0, r"points must be in \[0, 10000\], got -1"),
        ([], None, 2, r"mover must be in \[0, 1\], got 2"),
        ([(0, 0, 0)], None, 0, "no game can be in this position"),
    ],
)
def test_set_up_checks_all_it_gets(meeples, points, mover, message):
    model = CarcassonneModel(2, 0)
    with pytest.raises(ValueError, match=message):
        model.set_up(meeples, points or [[0] * 4] * 2, mover, 0)
    assert model == CarcassonneModel(2, 0)


@pytest.mark.parametrize(
    "meeples",
    [
        [(0, 1, 0)],  # the city that both tiles complete
        [(0, 1, 1), (0, 0, 0)],  # the same on the other tile
        [(0, 0, 1), (1, 0, 2)],  # two on one tile
    ],
)
def test_set_up_refuses_meeples_that_no_game_has(meeples):
    model = from_data(data(tiles=[START, CITY]))
    with pytest.raises(ValueError, match="no game can be in this position"):
        model.set_up(meeples, [[0] * 4] * 2, 0)


def test_set_up_refuses_a_meeple_on_a_complete_cloister():
    cells = [(x, y) for y in (-1, -2, -3) for x in (-1, 0, 1)]
    cloisters = [{"tile": "B", "x": x, "y": y, "rotation": 0} for x, y in cells]
    model = from_data(data(tiles=[START, *cloisters]))
    segment = segment_targets("B", 0).index(("cloister",))
    places = {(tile.x, tile.y): i for i, tile in enumerate(model.board)}
    with pytest.raises(ValueError, match="no game can be in this position"):
        model.set_up([(0, places[0, -2], segment)], [[0] * 4] * 2, 0)
    model.set_up([(0, places[0, -1], segment)], [[0] * 4] * 2, 0)


def test_other_positions_have_no_data():
    model = CarcassonneModel(1, 3, "small", two_step=True)
    model.apply_action(0)
    model.apply_action(int(model.legal_actions()[0]))
    with pytest.raises(ValueError, match="must be one before a turn of a game, got <Carcassonne"):
        to_data(model)
    with pytest.raises(ValueError, match="order must hold the tiles"):
        CarcassonneModel(1, 3, "small").fix_order("A")
