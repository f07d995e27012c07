"""The observation "features": the terms of the outlook, of the position and after each action."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import carcassonne_env
from agents import Rng, make
from carcassonne_env import CarcassonneModel
from carcassonne_env.encoding import Encoder
from carcassonne_env.gymnasium_env import CarcassonneEnv
from carcassonne_env.outlook import SCALES, TERMS
from carcassonne_env.position_data import from_data
from carcassonne_env.tiles import LETTERS
from carcassonne_env.vector_env import CarcassonneVectorEnv
from envs import modes

ORDER = "BAVEJURMHNXWKCLFGIOPQST"
"""The tiles of a small game but the start tile."""
GAMES: dict[str, dict[str, Any]] = {
    "one player": {"deterministic": True},
    "one player by chance": {"num_meeples": 1, "deterministic": False},
    "last of three": {"num_players": 3, "seat": 2, "deterministic": True},
    "bounded": {"num_players": 2, "board_size": 6, "deterministic": False},
}
games = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def positions(mode: str, seed: int = 0, **game: Any) -> Iterator[tuple[CarcassonneEnv, Any]]:
    """The environment and the observation before each action of a random game, and at the end."""
    env = CarcassonneEnv(**game, action_mode=mode, observation="features", illegal_action="raise")
    rng, is_over = Rng(seed), False
    observation, _ = env.reset(seed=seed)
    yield env, observation
    while not is_over:
        action = env.env_action(env.model.sample_action(rng))
        observation, _, is_over, _, _ = env.step(action)
        yield env, observation


def seen_by(terms: np.ndarray, viewer: int) -> np.ndarray:
    """The terms as the viewer sees them: the own ones first, then by seat."""
    return np.roll(terms, -viewer, axis=0).ravel().astype(np.float32)


@modes
@games
def test_features_are_the_terms_and_the_stage(game, mode):
    stages = []
    for env, observation in positions(mode, **game):
        features = observation["features"]
        expected = seen_by(env.model.outlook_terms(), game.get("seat", 0))
        np.testing.assert_array_equal(features[:-1], expected)
        bag = sum(env.model.bag.values())
        assert features[-1] == pytest.approx(bag / (env.variant.num_tiles - 1))
        assert env.observation_space.contains(observation)
        stages.append(features[-1])
    assert max(stages) >= 20 / 23
    assert min(stages) == 0


@pytest.mark.parametrize("game", [g for g in GAMES.values() if not g["deterministic"]])
def test_afterstates_are_the_terms_after_each_action(game):
    for env, observation in positions("index", **game):
        rows = observation["afterstates"]
        assert rows.shape == (env.action_space.n, len(TERMS) * env.model.num_players)
        num_legal = observation["action_mask"].sum()
        assert not rows[num_legal:].any()
        for action in range(num_legal):
            after = env.model.clone()
            after.apply_action(env.model_action(action))
            expected = seen_by(after.outlook_terms(), 0)
            np.testing.assert_array_equal(rows[action], expected)


def test_afterstates_do_not_show_the_tiles_to_come():
    """Nor does another part of the observation: they are those of a game with chance nodes."""
    encoder = Encoder(24, 2, "index", observation="features")
    ordered = CarcassonneModel(2, order=ORDER, tiles="small")
    by_chance = CarcassonneModel(2, tiles="small")
    rng, num_compared = Rng(0), 0
    for letter in ORDER:
        by_chance.apply_action(LETTERS.index(letter))
        while by_chance.current_tile is not None:
            mover = by_chance.mover
            assert ordered.mover == mover
            expected = encoder.observe(by_chance, mover)
            for name, part in encoder.observe(ordered, mover).items():
                np.testing.assert_array_equal(part, expected[name])
            action = by_chance.sample_action(rng)
            by_chance.apply_action(action)
            ordered.apply_action(action)
            num_compared += 1
    assert num_compared >= 10


def test_every_seat_sees_its_own_terms_first():
    env = carcassonne_env.env(num_players=3, action_mode="index", observation="features")
    env.reset(seed=1)
    rng = Rng(1)
    for _ in range(12):
        env.step(env.unwrapped.env_action(env.unwrapped.model.sample_action(rng)))
    model = env.unwrapped.model
    assert len({tuple(row) for row in model.outlook_terms()}) == 3
    for seat, agent in enumerate(env.possible_agents):
        observation = env.observe(agent)
        np.testing.assert_array_equal(
            observation["features"][:-1], seen_by(model.outlook_terms(), seat)
        )
        assert observation["afterstates"].any() == (agent == env.agent_selection)
        assert env.observation_space(agent).contains(observation)


@modes
def test_the_rest_of_the_observation_is_that_without_features(mode):
    env = CarcassonneEnv(action_mode=mode)
    full, _ = env.reset(seed=0)
    _, observation = next(positions(mode))
    more = {"features", "afterstates"} if mode == "index" else {"features"}
    assert observation.keys() - full.keys() == more
    for name, part in full.items():
        np.testing.assert_array_equal(part, observation[name])


@pytest.mark.parametrize("max_rows", [1, 7, 128])
def test_max_rows_cuts_off_rows_and_nothing_else(max_rows):
    settings = {"num_players": 2, "action_mode": "index", "observation": "features"}
    whole = CarcassonneVectorEnv(3, **settings, self_play=True)
    cut = CarcassonneVectorEnv(3, **settings, self_play=True, max_rows=max_rows)
    single = carcassonne_env.env(**settings, tiles="small", num_meeples=3, max_rows=max_rows)
    observations, _ = whole.reset(seed=1)
    short, _ = cut.reset(seed=1)
    rng, most = Rng(0), 0
    for _ in range(12):
        assert cut.observation_space.contains(short)
        for name, part in observations.items():
            has_rows = name in ("actions", "afterstates")
            np.testing.assert_array_equal(short[name], part[:, :max_rows] if has_rows else part)
        most = max(most, observations["action_mask"].sum(axis=1).max())
        actions = whole.sample_actions(rng)
        observations, short = whole.step(actions)[0], cut.step(actions)[0]
    assert most > 7
    single.reset(seed=0)
    assert single.observation_space("player_0").contains(single.observe("player_0"))
    assert single.observe("player_0")["afterstates"].shape == (max_rows, 82)
    encoder = Encoder(24, 2, "index", observation="features", max_rows=max_rows)
    assert pickle.loads(pickle.dumps(encoder)).shapes() == encoder.shapes()


@modes
@games
def test_scaled_features_are_the_terms_in_units_of_their_scales(game, mode):
    scales = np.array([*SCALES.values()] * game.get("num_players", 1), dtype=np.float32)
    scaled = CarcassonneEnv(**game, action_mode=mode, observation="scaled_features")
    for env, plain in positions(mode, **game):
        scaled.set_state(env.get_state())
        observation = scaled._observe(game.get("seat", 0), True)
        assert scaled.observation_space.contains(observation)
        assert observation.keys() == plain.keys()
        for name, part in plain.items():
            expected = part
            if name == "features":
                expected = np.append(np.clip(part[:-1] / scales, -1, 1), part[-1])
            elif name == "afterstates":
                expected = np.clip(part / scales, -1, 1)
            np.testing.assert_array_equal(observation[name], expected)


def test_terms_beyond_their_scales_are_cut_off():
    encoder = Encoder(24, 1, observation="scaled_features")
    space = encoder.spaces()["features"]
    assert (space.low.min(), space.high.max()) == (-1, 1)
    assert pickle.loads(pickle.dumps(encoder)).observation == "scaled_features"
    for points, expected in ((100, 0.4), (1000, 1)):
        data = {"tiles": [{"tile": "D", "x": 0, "y": 0, "rotation": 0}], "num_players": 1}
        data |= {"bag": {"E": 2}, "scores": [{"road": points}], "num_meeples": 3}
        features = encoder.features(from_data(data), 0)
        assert features[TERMS.index("scored")] == np.float32(expected)


def test_scales_fit_games():
    """Few terms are cut off, and none is tiny in all positions."""
    largest, num_positions, num_cut_off = np.zeros(len(TERMS)), 0, 0
    player, rng = make("greedy", seed=0), Rng(0)
    for num_players, tiles in ((1, "small"), (2, "base"), (2, "base"), (3, "base")):
        model = CarcassonneModel(num_players, tiles=tiles)
        while not model.is_terminal():
            if model.is_chance_node():
                model.apply_action(model.sample_chance(rng))
                continue
            terms = abs(model.outlook_terms()) / [*SCALES.values()]
            largest = np.maximum(largest, terms.max(axis=0))
            num_cut_off += (terms > 1).any()
            num_positions += 1
            model.apply_action(player.choose(model))
    assert num_cut_off < num_positions / 50
    assert (largest > 0.1).all()


@pytest.mark.parametrize("viewer", [-1, 2])
def test_an_unknown_viewer_is_refused(viewer):
    model, encoder = CarcassonneModel(2, tiles="small"), Encoder(24, 2, "index", None, "features")
    looks = encoder.planes, encoder.vector, encoder.observe, encoder.features, encoder.afterstates
    for look in looks:
        with pytest.raises(ValueError, match=rf"viewer must be in \[0, 1\], got {viewer}"):
            look(model, viewer)
