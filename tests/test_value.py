"""The value: its inputs against the terms of the outlook, its network against NumPy, its files."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from agents import Rng, make
from agents.game import play_game
from carcassonne_env import CarcassonneModel, value
from carcassonne_env.outlook import TERMS
from carcassonne_env.value import SHAPES_OF_LAYERS, load_layers, save_layers, set_layers
from models import advance

CITY, ROAD, CLOISTER, FARM = range(4)
TILES, SHIELDS, CELLS, MEEPLES, HELD = 4, 5, 7, slice(8, 10), 10
EVER, GROWTH, COMPLETED, EXPECTED = 12, 14, 22, 23
"""Inputs of a feature, as in value.pxd."""
JOINING, CHANGES = 3, 21
"""Inputs of a pair."""


@pytest.fixture
def own_layers():
    """The layers of the package by number of players, which are set again after a test."""
    folder = Path(value.__file__).parent
    networks = {n: load_layers(folder / f"value-{n}.npz") for n in (1, 2, 3)}
    yield networks
    for num_players, layers in networks.items():
        set_layers(layers, num_players)


def positions(seed: int, **options: object) -> Iterator[CarcassonneModel]:
    """The positions after the moves of a game, some of them greedy on the virtual score."""
    model, rng, greedy = CarcassonneModel(**options), Rng(seed), make("greedy", seed=seed)
    while not model.is_terminal():
        if model.is_chance_node() or rng.random() < 0.3:
            advance(model, rng)
        else:
            model.apply_action(greedy.choose(model))
        if model.is_chance_node():
            yield model


def values_of(model: CarcassonneModel, kind: str) -> np.ndarray:
    return np.array([model.heuristic(p, kind) for p in range(model.num_players)])


def value_of(model: CarcassonneModel, layers: dict[str, np.ndarray], player: int) -> float:
    """The lead of a player by NumPy."""
    inputs = model.value_inputs(player)
    position = inputs["position"]
    parts = [position]
    for kind in ("features", "cells", "pairs"):
        rows = np.c_[inputs[kind], np.full(len(inputs[kind]), position[-2])]
        units = np.maximum(rows @ layers[f"{kind} first"] + layers[f"{kind} first bias"], 0)
        sums = units @ layers[f"{kind} second"] + layers[f"{kind} second bias"]
        parts.append(np.maximum(sums, 0).sum(0))
    units = np.maximum(np.concatenate(parts) @ layers["hidden"] + layers["hidden bias"], 0)
    correction = units @ layers["output"] + position @ layers["linear"] + layers["bias"][0]
    return float(position[-1] + correction)


def random_layers(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: rng.normal(0, 0.1, shape) for name, shape in SHAPES_OF_LAYERS.items()}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tiles": "small"},
        {"board_size": 9},
        *({"num_players": n, "tiles": "small"} for n in (1, 3, 4, 5)),
    ],
)
def test_the_value_is_that_of_numpy(options, own_layers):
    """In games for two from the side of the player who moved last, else from that of each."""
    num_players = options.get("num_players", 2)
    number = min(num_players, 3)
    for layers in (own_layers[number], random_layers(0)):
        set_layers(layers, number)
        for model in positions(1, **options):
            values = values_of(model, "value") * model.max_score()
            for player in [1 - model.mover] if num_players == 2 else range(num_players):
                assert values[player] == pytest.approx(value_of(model, layers, player), abs=1e-3)
            if num_players == 2:
                assert values[model.mover] == -values[1 - model.mover]


def test_games_for_one_have_a_network_of_their_own(own_layers):
    """Also in a model that was copied from a game for two, which keeps rows."""
    kinds = ({"num_players": n, "tiles": "small"} for n in (1, 2))
    one, two = ([position.clone() for position in positions(6, **kind)][10] for kind in kinds)
    before = values_of(one, "value"), values_of(two, "value")
    set_layers(random_layers(3), 1)
    copy = two.clone()
    assert (values_of(copy, "value") == before[1]).all()
    copy.copy_from(one)
    assert (values_of(copy, "value") == values_of(one, "value")).all()
    assert values_of(one, "value") != before[0]
    for number, error in ((4, ValueError), (0, ValueError), (1.5, TypeError)):
        with pytest.raises(error, match="num_players must be"):
            set_layers(own_layers[2], number)


def test_rows_go_by_the_number_of_players(own_layers):
    """Games for three and more share a network, but have other shares of the turns left."""
    set_layers(random_layers(3), 3)
    models = three, five = CarcassonneModel(3), CarcassonneModel(5)
    for model in models:
        model.apply_action(int(model.chance_outcomes()[0][0]))
        model.apply_action(int(model.legal_actions()[0]))
    three.heuristic(0, "value")
    three.copy_from(five)  # with rows of the game for three
    assert (values_of(three, "value") == values_of(five, "value")).all()


def test_inputs_add_up_to_the_terms_of_the_outlook():
    """A term sums what the rows of the features, or of the pairs, tell one by one."""
    for model in positions(2):
        inputs = model.value_inputs()
        rows, pairs = inputs["features"].astype(float), inputs["pairs"].astype(float)
        assert inputs["position"][:-2] == pytest.approx(
            model.outlook_terms()[[1 - model.mover, model.mover]].ravel()
        )
        for side in range(2):
            terms = dict(zip(TERMS, inputs["position"][side * len(TERMS) :], strict=False))
            held = rows[:, HELD + side] > 0
            cities, roads, farms = (rows[held & (rows[:, k] > 0)] for k in (CITY, ROAD, FARM))
            points = cities[:, TILES] + cities[:, SHIELDS]
            assert points.sum() == terms["city points"]
            doubled = (points * cities[:, EVER]).sum() / 250
            assert doubled == pytest.approx(terms["city completion"], abs=0.002 * points.sum())
            assert roads[:, TILES].sum() == terms["road points"]
            growth = roads[:, GROWTH].sum() / 20
            assert growth == pytest.approx(terms["road growth"], abs=0.03 * len(roads))
            assert 3 * farms[:, COMPLETED].sum() == terms["farm points"]
            expected = 3 * farms[:, EXPECTED].sum() / 20
            assert expected == pytest.approx(terms["farm completion"], abs=0.08 * len(farms))
            for k, kind in enumerate(("city", "road", "farm")):
                own = pairs[pairs[:, k] > 0]
                chances = own[:, JOINING] / (own[:, JOINING] + 2)
                for change, name in enumerate(("gain", "loss")):
                    total = (-1) ** change * (own[:, CHANGES + 2 * side + change] @ chances) / 4
                    error = 0.13 * len(own) + 1e-5
                    assert total == pytest.approx(terms[f"{kind} {name}"], abs=error)


def test_rows_are_the_features_and_the_open_cells():
    """Rows have the numbers of the features that can still score, and of the sides of the cells."""
    for model in positions(3):
        inputs, me = model.value_inputs(), 1 - model.mover
        rows = sorted((*r[:TILES], *r[MEEPLES]) for r in inputs["features"].astype(int).tolist())
        kinds = ("city", "road", "cloister", "farm")
        assert rows == sorted(
            (*(int(f.kind == kind) for kind in kinds), f.meeples[me], f.meeples[1 - me])
            for f in model.features
            if (any(f.meeples) or f.kind in kinds[:2]) and not (f.is_complete and f.kind != "farm")
        )
        tiles = {(tile.x, tile.y) for tile in model.board}
        steps = ((0, 1), (1, 0), (0, -1), (-1, 0))
        around = [(x + dx, y + dy) for x, y in tiles for dx, dy in steps]
        open_cells = set(around) - tiles
        sides = sorted(around.count(cell) for cell in open_cells)
        assert sorted(inputs["cells"][:, 1].tolist()) == sides
        assert (inputs["cells"][:, 2:5].sum(1) == inputs["cells"][:, 1]).all()


def test_inputs_have_the_side_of_the_player_and_that_of_the_others():
    """Of the others, the most meeples of any one, and the terms of the one who can expect most."""
    for model in positions(4, num_players=3, num_meeples=3):
        for me in range(3):
            inputs, others = model.value_inputs(me), [p for p in range(3) if p != me]
            rival = max(others, key=lambda player: model.forecast[player])
            terms = model.outlook_terms()[[me, rival]].ravel()
            assert inputs["position"][:-2] == pytest.approx(terms)
            lead = model.forecast[me] - model.forecast[rival]
            assert inputs["position"][-1] == pytest.approx(lead, abs=1e-3)
            found = [tuple(row) for row in inputs["features"][:, 8:12].tolist() if any(row)]
            sides = [
                (f.meeples[me], max(f.meeples[p] for p in others))
                for f in model.features
                if any(f.meeples) and not (f.is_complete and f.kind != "farm")
            ]
            held = [(a, b, int(a >= b), int(b >= a)) for a, b in sides]
            assert sorted(found) == sorted((a, b, a and x, b and y) for a, b, x, y in held)
    assert model.value_inputs()["position"].tolist() == pytest.approx(
        model.value_inputs((model.mover - 1) % 3)["position"].tolist()
    )
    for player, error in ((3, ValueError), (1.5, TypeError)):
        with pytest.raises(error, match="player must be"):
            model.value_inputs(player)


@pytest.mark.parametrize(("num_players", "num_games"), [(2, 20), (3, 10)])
def test_it_plays_better_than_the_outlook(num_players, num_games):
    """In the same seat, with the same tiles."""
    gains = []
    for seed in range(num_games):
        start = CarcassonneModel(num_players)
        players = ["expectimax-1-outlook"] * num_players
        before = play_game(start, players, seed).returns
        for seat in range(num_players):
            others = [*players]
            others[seat] = "expectimax-1-value"
            gains.append(play_game(start, others, seed).returns[seat] - before[seat])
    assert np.mean(gains) * start.max_score() > 1


@pytest.fixture
def learn():
    """The script learn_value.py."""
    pytest.importorskip("torch")
    return importlib.import_module("learn_value")


def test_what_it_learns_comes_eight_moves_later(learn):
    """The first moves learn the leads of later ones, and the last eight the result.

    In a game for three they learn from nine moves later, when the same player has moved.
    """
    three = CarcassonneModel(3)
    inputs, later = learn.play(three, "forecast", Rng(1))
    results = [round(share * three.max_score()) for share in three.returns()]
    assert {round(lead) for lead in later[-9:]} <= {*results}
    assert later[-10] not in results
    inputs, later = learn.play(CarcassonneModel(), "forecast", Rng(1))
    leads = [float(at["position"][-1]) for at in inputs]
    assert later[: len(leads) - learn.AHEAD] == pytest.approx(leads[learn.AHEAD :], abs=1e-4)
    signs = (-1) ** np.arange(learn.AHEAD - 1)  # by whose move it was
    assert later[: -learn.AHEAD : -1] == (signs * later[-1]).tolist()
    assert abs(later[-1]) > 10  # so that the next line shows the sign
    assert leads[-1] == pytest.approx(later[-1], abs=10)


def test_what_it_learns_is_of_its_own_games(learn, tmp_path):
    """Runs in one folder do not share games if the players or the teachers differ."""
    teacher, files = tmp_path / "value-2.npz", []
    for words in ([], ["--players", "1"], ["--players", "3"]):
        files += learn.files_of(learn.arguments(words), None)
    for network in (b"first", b"second"):  # may take the place of an earlier one
        teacher.write_bytes(network)
        files += learn.files_of(learn.arguments([]), teacher)
    assert len(set(files)) == len(files)


def test_learning_goes_on_from_the_layers_of_a_teacher(learn, monkeypatch, tmp_path):
    monkeypatch.setattr(learn, "GAMES_A_FILE", 2)
    learn.played(2, 0, tmp_path / "games.npz", None)
    layers = random_layers(1)
    network = learn.Network(learn.Positions([tmp_path / "games.npz"]), layers)
    for name, layer in network.layers().items():
        np.testing.assert_allclose(layer, layers[name], rtol=1e-4, err_msg=name)


def test_a_file_holds_layers(tmp_path, own_layers):
    path = tmp_path / "layers.npz"
    layers = random_layers(1)
    save_layers(path, layers)
    for name, array in load_layers(path).items():
        assert (array == layers[name].astype(np.float32)).all()
    np.savez(tmp_path / "other.npz", **layers | {"bias": np.zeros(1, [("x", "f4"), ("y", "f4")])})
    path.write_bytes(b"PK")
    for name in ("layers", "other"):
        with pytest.raises(ValueError, match=rf"{name}\.npz has no layers that save_layers wrote"):
            load_layers(tmp_path / f"{name}.npz")


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("hidden", None, "layers must have the names"),
        ("hidden", np.zeros((3, 3)), r"layer 'hidden' must have the shape .* got \(3, 3\)"),
        ("bias", [np.nan], "layer 'bias' must have numbers in .* got ±nan"),
        ("bias", [-1e5], "layer 'bias' must have numbers in .* got ±100000"),
    ],
)
def test_layers_that_do_not_fit_are_refused(name, array, message, tmp_path):
    layers = {**random_layers(2), name: array}
    if array is None:
        del layers[name]
    model = next(positions(5))
    before = model.heuristic(0, "value")
    for call in (set_layers, lambda bad: save_layers(tmp_path / "bad.npz", bad)):
        with pytest.raises(ValueError, match=message):
            call(layers)
    assert model.heuristic(0, "value") == before
    assert not (tmp_path / "bad.npz").exists()
