"""Networks without a library: their ratings against numpy, their files and their player."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from agents import MCTS, make
from agents.agent import PlayerError
from agents.catalogue import make_game
from agents.game import play_game
from carcassonne_env import CarcassonneModel
from carcassonne_env.encoding import Encoder
from carcassonne_env.network import (
    LAYERS,
    ActionNetwork,
    NetworkEvaluator,
    expected_returns,
    load_network,
    save_network,
)
from carcassonne_env.play.players import limited
from carcassonne_env.players.network_agent import CHECKPOINTS, FOLDER, NetworkAgent
from games import TicTacToe, children
from models import positions as course

SMALL = "carcassonne(num_players=1, num_meeples=3, tiles=small)"
Layers = dict[str, NDArray[np.float32]]


def layers_of(num_tiles: int, num_players: int, units: tuple[int, int], seed: int = 0) -> Layers:
    """Random weights."""
    encoder = Encoder(num_tiles, num_players, "index", observation="features")
    n, m = units
    num_inputs = encoder.vector_size + encoder.num_terms + 1
    shapes = ((n, encoder.num_terms), (n, num_inputs), (n,), (m, n), (m,), (m,), (m,), (1,), (2,))
    rng = np.random.default_rng(seed)
    return {
        name: rng.normal(scale=0.2, size=shape).astype(np.float32)
        for name, shape in zip(LAYERS, shapes, strict=True)
    }


def expected(
    encoder: Encoder, layers: Layers, model: CarcassonneModel
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ratings and the values of the actions as the docstring of network.pyx has them."""
    seen = encoder.observe(model, model.current_player())
    count = len(model.legal_actions())
    now, after = seen["features"][: encoder.num_terms], seen["afterstates"][:count]
    position = layers["of_position"] @ np.concatenate([seen["vector"], seen["features"]])
    hidden = np.maximum((after - now) @ layers["of_changes"].T + position + layers["bias"], 0)
    deeper = np.maximum(hidden @ layers["rating"].T + layers["rating_bias"], 0)
    of_rating, of_value = layers["outlook"][:, None] * expected_returns(model)
    values = np.tanh(deeper @ layers["value"] + layers["value_bias"] + of_value)
    ratings = deeper @ layers["logit"] + of_rating
    return ratings.astype(np.float64), values.astype(np.float64)


def positions(specification: str, seed: int) -> list[CarcassonneModel]:
    """The positions of a random game in which a player is to move."""
    game = course(make_game(specification, seed=seed), seed)
    return [model.clone() for model in game if model.current_player() >= 0]


@pytest.mark.parametrize(
    ("specification", "num_tiles", "num_players"),
    [
        (SMALL, 24, 1),
        ("carcassonne", 72, 2),
        ("carcassonne(num_players=3)", 72, 3),
        ("carcassonne(deterministic=True, tiles=small)", 72, 2),
    ],
)
def test_ratings_are_those_of_numpy(specification, num_tiles, num_players):
    layers = layers_of(num_tiles, num_players, (40, 24))
    network = ActionNetwork(num_tiles, num_players, layers)
    for model in positions(specification, seed=1)[::3]:
        ratings = network.ratings(model)
        assert ratings.dtype == np.float32
        np.testing.assert_allclose(
            ratings, expected(network.encoder, layers, model)[0], rtol=2e-4, atol=2e-3
        )


@pytest.mark.parametrize("num_players", [1, 2, 3])
def test_the_returns_that_the_outlook_expects(num_players):
    """At the last tile they are those of the game."""
    for model in positions(f"carcassonne(num_players={num_players}, tiles=small)", seed=3):
        mover, found = model.current_player(), []
        for after in children(model, sorted(model.legal_actions())):
            is_over = after.is_terminal()
            found.append(after.returns()[mover] if is_over else after.heuristic(mover, "outlook"))
        np.testing.assert_allclose(expected_returns(model), found, rtol=1e-5, atol=1e-7)


def test_a_network_that_corrects_nothing_is_the_outlook():
    layers = layers_of(72, 2, (8, 8)) | {"outlook": np.array([80.0, 10.0])}
    layers |= {name: np.zeros_like(layers[name]) for name in ("logit", "value", "value_bias")}
    network = ActionNetwork(72, 2, layers, 0.1)
    for model in positions("carcassonne", seed=1)[::5]:
        returns = expected_returns(model)
        np.testing.assert_allclose(network.ratings(model), 80 * returns, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("specification", "num_players"), [(SMALL, 1), ("carcassonne", 2)])
def test_a_search_asks_a_network_for_priors_and_values(specification, num_players):
    layers = layers_of(72, num_players, (40, 24))
    layers["logit"] *= 0.05
    network = ActionNetwork(72, num_players, layers, 0.3)
    evaluator = pickle.loads(pickle.dumps(NetworkEvaluator(network, 2.0)))
    planner = MCTS(300, evaluator=evaluator, tree_policy="puct", first_play_urgency=9.0, seed=0)
    rows = planner.search(positions(specification, seed=1)[4]).tree()
    boards, deciders, num_valued = [positions(specification, seed=1)[4]], [0], 0
    for index, row in enumerate(rows[1:], start=1):
        boards += children(boards[row["parent"]], [row["action"]])
        mover = rows["player"][row["parent"]]
        deciders.append(mover if mover >= 0 else deciders[row["parent"]])
        if row["player"] >= 0 and row["visits"] == 1:
            ratings, values = expected(network.encoder, layers, boards[index])
            value = 0.3 * values[ratings.argmax()]
            sign = 1 if row["player"] == deciders[index] else -1
            assert row["mean"] == pytest.approx(sign * value, rel=1e-3, abs=1e-4)
            num_valued += 1
    assert num_valued > 50
    tried = rows[rows["parent"] == 0]
    chances = special.softmax(expected(network.encoder, layers, boards[0])[0] / 2)
    wanted = dict(zip(sorted(boards[0].legal_actions()), chances, strict=True))
    assert len(tried) == len(wanted)
    assert tried["probability"] == pytest.approx([wanted[a] for a in tried["action"]], rel=1e-3)


def test_a_file_holds_a_network(tmp_path):
    layers = layers_of(24, 1, (64, 64))
    save_network(tmp_path / "own.npz", 24, 1, layers)
    twin, network = load_network(tmp_path / "own.npz"), ActionNetwork(24, 1, layers)
    for model in positions(SMALL, seed=2):
        np.testing.assert_array_equal(twin.ratings(model), network.ratings(model))
    first = (tmp_path / "own.npz").read_bytes()
    save_network(tmp_path / "own.npz", 24, 1, layers)
    assert (tmp_path / "own.npz").read_bytes() == first
    agent = make(f"network(checkpoint={tmp_path / 'own.npz'})")
    model = positions(SMALL, seed=2)[5]
    assert agent.act(model) == sorted(model.legal_actions())[network.ratings(model).argmax()]


def test_the_largest_weights_do_not_overflow():
    for sign in (-1, 1):
        layers = {name: np.full_like(a, 1e4) for name, a in layers_of(72, 5, (64, 64)).items()}
        network = ActionNetwork(72, 5, layers | {"logit": np.full(64, sign * 1e4)})
        for model in positions("carcassonne(num_players=5)", seed=2)[::9]:
            assert np.isfinite(network.ratings(model)).all()


def test_a_file_that_was_written_again_is_read_again(tmp_path):
    file, ratings = tmp_path / "own.npz", []
    for seed in range(2):
        save_network(file, 24, 1, layers_of(24, 1, (8, 8), seed))
        ratings.append(NetworkAgent(str(file)).network.ratings(positions(SMALL, seed=2)[3]))
    assert not np.array_equal(*ratings)


def test_copies_of_a_network_rate_alike():
    agent, model = make("ppo-1p-3m-s"), positions(SMALL, seed=2)[3]
    ratings = agent.network.ratings(model)
    twin = pickle.loads(pickle.dumps(agent))
    np.testing.assert_array_equal(twin.network.ratings(model), ratings)
    assert copy.deepcopy(agent).network is agent.network


def without(name: str) -> Layers:
    layers = layers_of(24, 1, (8, 8))
    del layers[name]
    return layers


@pytest.mark.parametrize(
    ("layers", "words"),
    [
        (without("bias"), "layers must have the names of_changes, of_position, bias"),
        (without("value"), "layers must have the names .*, perhaps without the last one or"),
        (layers_of(24, 1, (8, 8)) | {3: np.zeros(3)}, "layers must have the names .*, got .*, 3"),
        (layers_of(24, 1, (65, 8)), r"number of units of bias must be in \[1, 64\], got 65"),
        (layers_of(24, 1, (8, 65)), r"number of units of logit must be in \[1, 64\], got 65"),
        (layers_of(24, 1, (0, 8)), r"number of units of bias must be in \[1, 64\], got 0"),
        (layers_of(24, 2, (8, 8)), r"'of_changes' must have the shape \(8, 41\), got \(8, 82\)"),
        (layers_of(24, 1, (8, 8)) | {"rating": np.zeros((8, 7))}, "layer 'rating' must have the s"),
        (layers_of(24, 1, (8, 8)) | {"logit": np.full(8, np.nan)}, r"\[-10000, 10000\], got ±nan"),
        (layers_of(24, 1, (8, 8)) | {"logit": np.full(8, -2e4)}, r"10000\], got ±20000"),
    ],
)  # fmt: skip
def test_layers_that_do_not_fit_are_refused(layers, words):
    with pytest.raises(ValueError, match=words):
        ActionNetwork(24, 1, layers)


def test_a_player_refuses_games_that_its_network_did_not_learn():
    for model in (CarcassonneModel(num_players=2, tiles="small"), TicTacToe()):
        with pytest.raises(PlayerError, match=r"^network\(checkpoint=ppo-1p-3m-s\): ") as caught:
            play_game(model, ["ppo-1p-3m-s", "random"])
        assert caught.value.kind == "refusal"


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04 broken", None])
def test_a_file_that_is_no_network_is_refused(content, tmp_path):
    path = tmp_path / "other.npz"
    if content is None:
        np.savez(path, num_tiles=24, num_players=1, bias=np.zeros(3))
    else:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=r"other\.npz is not a network that save_network wrote"):
        NetworkAgent(str(path))


def test_a_network_with_values_searches_by_name(tmp_path):
    save_network(tmp_path / "own.npz", 72, 1, layers_of(72, 1, (8, 8)))
    player = f"network-mcts(checkpoint={tmp_path / 'own.npz'}, iterations=30)"
    model = positions(SMALL, seed=2)[5]
    result = make(player, seed=1).search(model)
    assert result.iterations == 30
    assert make(player, seed=1).act(model) == result.action


PPO = FOLDER / "ppo-1p-3m-s.npz"
TWO_STEPS = "carcassonne(num_players=1, two_step=True)"


def random_network(num_players: int) -> ActionNetwork:
    return ActionNetwork(72, num_players, layers_of(72, num_players, (8, 8)))


def searched(network: ActionNetwork, specification: str = SMALL, **options: float) -> object:
    model = make_game(specification)
    if model.is_chance_node():
        model.apply_action(model.sample_chance(0))
    return MCTS(5, evaluator=NetworkEvaluator(network, **options)).search(model)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: make("ppo-1p-3m-s").act(CarcassonneModel(deterministic=True)), "num_players=1"),
        (lambda: make("ppo-1p-3m-s").act(make_game(SMALL)), "no player is to move"),
        (lambda: make("ppo-1p-3m-s").act(make_game("dodgem")), "plays Carcassonne, got <Dodgem"),
        (lambda: NetworkAgent("ppo"), "checkpoint must be one of .*, got 'ppo'"),
        (lambda: NetworkAgent(Path("own.npz")), r"checkpoint must be one of .*Path\('own.npz'\)"),
        (lambda: make("network(checkpoint=3)"), "checkpoint must be one of .*, got 3"),
        (lambda: make("alphazero-2p-small(c=-0.1)"), r"c must be a .* \[0, inf\), got -0\.1"),
        (lambda: NetworkAgent("ppo-1p-3m-s", -0.1), r"temperature must be .* \[0, 1000\]"),
        (lambda: make("network"), "'network' is incomplete"),
        (lambda: make("ppo-1p-3m-s").act(CarcassonneModel(1, deterministic=True)), "up to 24 ti"),
        (
            lambda: ActionNetwork.__new__(ActionNetwork).ratings(positions(SMALL, seed=2)[3]),
            "made without __init__",
        ),
        (lambda: searched(load_network(PPO)), "network must have values and be for"),
        (lambda: searched(random_network(3)), "network must have values and be for"),
        (lambda: ActionNetwork(72, 1, {}, 0), r"scale must be .* in \(0, inf\)"),
        (lambda: searched(random_network(1), temperature=0), r"temperature must .* \(0, inf\)"),
        (lambda: searched(random_network(2)), "learned games with num_players=2"),
        (lambda: searched(random_network(1), "dodgem"), "whole turns of Carcassonne"),
        (lambda: searched(random_network(1), TWO_STEPS), "whole turns of Carcassonne"),
        (lambda: limited("network(checkpoint=ppo-1p-3m-s)"), "'checkpoint' is not allowed"),
    ],
)
def test_what_a_network_cannot_do_is_refused(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()


@pytest.mark.parametrize("mode", ["flat", "two_step", "index"])
def test_a_network_plays_environments(mode):
    agent = make("ppo-1p-3m-s")
    env = gymnasium.make("Carcassonne-1p-3m-s", action_mode=mode)
    env.reset(seed=4)
    total, is_over = 0.0, False
    while not is_over:
        _, reward, is_over, _, _ = env.step(agent.act(env))
        total += float(reward)
    assert total > 40  # random play has 8


def test_in_two_steps_it_plays_what_it_plays_in_one():
    agent = make("ppo-1p-3m-s")
    for model in positions(SMALL, seed=3):
        twin = model.in_two_steps()
        move = model.decode_action(agent.choose(model))
        twin.apply_action(agent.choose(twin))
        assert twin.decode_action(agent.choose(twin)) == move


def test_temperature_draws_by_the_softmax_of_the_ratings():
    model = positions(SMALL, seed=5)[3]
    ratings = NetworkAgent("ppo-1p-3m-s").network.ratings(model).astype(np.float64)
    chances = np.exp((ratings - ratings.max()) / 2)
    chances /= chances.sum()
    agent = make("ppo-1p-3m-s(temperature=2)", seed=1)
    twin = make("ppo-1p-3m-s(temperature=2)", seed=1)
    actions = sorted(model.legal_actions())
    drawn = [actions.index(agent.choose(model)) for _ in range(4000)]
    assert drawn[:50] == [actions.index(twin.choose(model)) for _ in range(50)]
    shares = np.bincount(drawn, minlength=len(actions)) / len(drawn)
    assert np.abs(shares - chances).max() < 4 * np.sqrt(0.25 / len(drawn))


@pytest.mark.parametrize("temperature", [1e-30, 1e-50, 5e-324])
def test_a_temperature_near_0_plays_the_highest_rating(temperature):
    model = positions(SMALL, seed=2)[3]
    ratings = NetworkAgent("ppo-1p-3m-s").network.ratings(model)
    action = NetworkAgent("ppo-1p-3m-s", temperature, seed=1).choose(model)
    assert ratings[list(model.legal_actions()).index(action)] == ratings.max()


def test_the_package_has_networks():
    assert "ppo-1p-3m-s" in CHECKPOINTS
    assert limited("alphazero-2p-small(iterations=50)") == "alphazero-2p-small(iterations=50)"
    for name in CHECKPOINTS:
        kind = "network-mcts" if name.startswith("alphazero") else "network"
        assert repr(make(name)) == f"{kind}(checkpoint={name})" == repr(make(repr(make(name))))
