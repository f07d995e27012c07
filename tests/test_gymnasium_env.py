"""Carcassonne's Gymnasium environment: every number it shows, rewards, tiles that are given."""

from __future__ import annotations

import re
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from agents import RandomAgent
from carcassonne_env import CarcassonneModel, Move
from carcassonne_env.encoding import ACTION_MODES, PLANES
from carcassonne_env.gymnasium_env import CarcassonneEnv
from carcassonne_env.rewards import REWARDS
from carcassonne_env.tiles import LETTERS
from envs import IDS, results, same, started, steps
from reference import STEPS
from reference_observations import expected_observation

PLACEMENTS = 4 * 9
"""Actions of one cell: rotations and meeple slots."""


def tiles_of(env: gym.Env, **options: Any) -> str:
    """The tiles of an episode in the order in which they were to be placed."""
    tiles = [result[-1]["current_tile"] for result in results(env, **options)]
    return "".join(LETTERS[tile] for tile in tiles if tile >= 0)


# Registration


@pytest.mark.parametrize("name", IDS)
def test_ids(name):
    env = started(gym.make, id=name).unwrapped
    num_players, num_meeples, order = re.findall(r"(\d)p-(\d)m-(.)", name)[0]
    num_tiles = 24 if num_players == "1" else 72
    assert env.model.num_players == int(num_players)
    assert env.model.num_meeples == int(num_meeples)
    assert env.model.num_tiles == num_tiles
    assert env.model.is_deterministic == (order == "d")
    assert env.action_space.n == (num_tiles + 2) ** 2 * PLACEMENTS


# Infos and observations


@pytest.mark.parametrize("num_players", [1, 3])
@pytest.mark.parametrize("action_mode", ACTION_MODES)
def test_one_array_holds_planes_and_vector(action_mode, num_players):
    kwargs = {"action_mode": action_mode, "num_players": num_players, "seat": num_players - 1}
    full, planes, flat = (
        CarcassonneEnv(**kwargs, observation=name) for name in ("full", "planes", "flat")
    )
    for parts, stacked, row in zip(
        results(full, 2), results(planes, 2), results(flat, 2), strict=True
    ):
        board, vector = parts[0].pop("observation"), parts[0].pop("vector")
        constant = np.broadcast_to(vector[:, None, None], (len(vector), *board.shape[1:]))
        one = np.concatenate([board, constant], dtype=np.float32)
        assert same(stacked[0], {**parts[0], "observation": one})
        both = np.concatenate([board.ravel(), vector], dtype=np.float32)
        assert same(row[0], {**parts[0], "observation": both})
        for result, env in ((stacked, planes), (row, flat)):
            assert result[0] in env.observation_space
            assert same(result[1:], parts[1:])


@pytest.mark.parametrize("num_players", [1, 2])
def test_full_infos_have_texts_and_dictionaries_too(num_players):
    kwargs = {"num_players": num_players, "deterministic": False}
    plain, env = CarcassonneEnv(**kwargs), CarcassonneEnv(**kwargs, info="full")
    for (*_, numbers), (*_, info) in zip(results(plain, 3), results(env, 3), strict=True):
        points = env.model.score_breakdown
        more = {"tile": env.model.current_tile or "", "points": points}
        if num_players == 1:
            more["points"] = points[0]
        assert same(info, {**numbers, **more})
    assert info["tile"] == ""


def test_given_tiles_are_copied():
    tiles = {"B": 3, "D": 1}
    env = CarcassonneEnv(tiles=tiles)
    tiles["B"] = 1
    env.reset(seed=0)
    assert env.model.num_tiles == 4


# Rewards


@pytest.mark.parametrize("action_mode", ACTION_MODES)
@pytest.mark.parametrize(("num_players", "seat"), [(1, 0), (2, 0), (2, 1), (5, 4)])
def test_virtual_rewards_are_gains_in_virtual_lead(num_players, seat, action_mode):
    kwargs = {"num_players": num_players, "seat": seat, "action_mode": action_mode}
    env = CarcassonneEnv(**kwargs, reward="virtual", deterministic=False)

    def lead(scores):
        others = [score for player, score in enumerate(scores) if player != seat]
        return scores[seat] - max(others, default=0)

    for seed in range(3):
        env.reset(seed=seed)
        total, rewards = 0.0, []
        while not env.model.is_terminal():
            if env.model.virtual_scores != (0,) * num_players:
                env.set_state(env.get_state())
            _, reward, *_, info = env.step(RandomAgent(seed).act(env))
            assert type(reward) is float
            total += reward
            rewards.append(reward)
            assert total == lead(info["virtual_scores"])
        assert total == lead(env.model.scores)
        assert len({*rewards}) > 2


# Actions


@pytest.mark.parametrize("illegal_action", ["terminate", "noop"])
@pytest.mark.parametrize("max_score", [None, 1])
@pytest.mark.parametrize("num_players", [1, 3])
@pytest.mark.parametrize("reward", ["score", "final", "win", "virtual"])
def test_an_illegal_action_never_pays(reward, num_players, max_score, illegal_action):
    kwargs = {"num_players": num_players, "seat": num_players - 1, "reward": reward}
    kwargs |= {"opponent": "random" if num_players == 1 else "greedy", "max_score": max_score}
    env = CarcassonneEnv(**kwargs, illegal_action=illegal_action)
    env.reset(seed=0)
    total, is_over, has_lost = 0.0, False, False
    while not is_over:
        quitter, illegal = env.clone(), int(env.action_masks().argmin())
        ends = [quitter.step(illegal)[1] for _ in range(3 if illegal_action == "noop" else 1)]
        assert max(ends) < 0
        if reward == "virtual":
            assert total + ends[0] == -env.forfeit
        for seed in range(3):
            returns = sum(result[1] for result in steps(env.clone(), seed))
            assert sum(ends) <= returns
            has_lost = has_lost or returns < -1
        _, gain, is_over, *_ = env.step(RandomAgent(0).act(env))
        total += gain
    loses_more = reward == "virtual" or (reward == "final" and max_score == 1)
    assert has_lost == (num_players > 1 and loses_more)


@pytest.mark.parametrize("reward", REWARDS)
def test_a_restored_state_pays_by_the_rewards_of_its_environment(reward):
    original = started(CarcassonneEnv, num_players=2, reward="virtual", num_steps=8)
    score, (own, other) = original.model.scores[0], original.model.virtual_scores
    env = CarcassonneEnv(num_players=2, reward=reward)
    env.set_state(original.get_state())
    total = sum(result[1] for result in steps(env))
    final, lead = env.model.scores[0], env.model.scores[0] - env.model.scores[1]
    expected = {"score": final - score, "virtual": lead - (own - other)}
    expected |= {"final": env.model.returns()[0], "win": np.sign(lead)}
    assert total == expected[reward]


@pytest.mark.parametrize("max_score", [None, 20])
def test_a_restored_state_forfeits_what_its_own_tiles_are_worth(max_score):
    kwargs = {"num_players": 2, "reward": "virtual", "max_score": max_score}
    env = started(CarcassonneEnv, **kwargs, num_steps=3)
    state, illegal = env.get_state(), int(env.action_masks().argmin())
    env.reset(options={"tiles": {"B": 1, "D": 1}})
    assert env.forfeit < 50
    env.set_state(state)
    lead = env.model.virtual_scores[0] - env.model.virtual_scores[1]
    assert env.step(illegal)[1] == -CarcassonneModel(2, 3, "small").max_score() - lead


# Arguments and options


@pytest.mark.parametrize("deterministic", [True, False], ids="ds")
def test_tiles_and_order_are_given(deterministic):
    env, order = CarcassonneEnv(deterministic=deterministic), "XWVUTSRQPONMLKJIHGFECBA"
    assert tiles_of(env, order=order) == order
    assert tiles_of(env, tiles={"A": 1, "B": 2, "D": 1}, order="BAB") == "BAB"
    assert sorted(tiles_of(env, tiles={"B": 3, "D": 2})) == ["B", "B", "B", "D"]
    env.reset()
    assert (env.model.num_tiles, env.model.is_deterministic) == (24, deterministic)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 1}, "'tiles' and 'order', got .*'seed'"),
        ({"tiles": "base"}, "at most 24 tiles, got 72"),
        ({"tiles": {"B": 24, "D": 1}}, "at most 24 tiles, got 25"),
        ({"tiles": "huge"}, "tiles .* 'huge'"),
        ({"tiles": {"D": 1, "Z": 1}}, "tiles .* 'Z'"),
        ({"tiles": None}, "tiles .* None"),
        ({"order": "ABC"}, "order .* 'ABC'"),
        ({"tiles": {"B": 1, "D": 1}, "order": "BB"}, "order .* 'BB'"),
    ],
)
def test_bad_options_are_named(options, message):
    env = started(CarcassonneEnv, num_steps=3)
    before = env.model.clone()
    with pytest.raises((TypeError, ValueError), match=message):
        env.reset(options=options)
    assert env.model == before


ENVIRONMENTS = {
    "deterministic": {},
    "stochastic": {"deterministic": False},
    "one meeple": {"num_meeples": 1},
    "no meeples": {"num_meeples": 0},
    "scores above the maximum": {"max_score": 2},
    "two tiles": {"tiles": {"B": 1, "D": 1}},
    "base": {"num_meeples": 7, "tiles": "base", "deterministic": False},
    "fewer tiles in the same window": {"reset": {"tiles": {"B": 5, "D": 1}}},
}


def check_observation(observation: dict[str, Any], env: CarcassonneEnv) -> None:
    num_tiles, width = env.variant.num_tiles, env.encoder.width
    size = num_tiles, width, env.encoder.num_actions
    assert same(observation, expected_observation(env.model, 0, "flat", *size))


@pytest.mark.parametrize("kwargs", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_every_number_of_an_episode(kwargs):
    options = kwargs.pop("reset", {})
    env = CarcassonneEnv(**kwargs)
    for observation, *_ in results(env, seed=4, **options):
        check_observation(observation, env)


@pytest.mark.parametrize(
    ("letter", "rotation", "side"), [("U", 1, "E"), ("U", 1, "W"), ("G", 1, "N"), ("G", 0, "S")]
)
def test_window_wraps_around(letter, rotation, side):
    env = CarcassonneEnv(tiles={"D": 1, letter: 23})
    observation, info = env.reset()
    width, (dx, dy) = 26, STEPS[side]
    for distance in range(1, 24):
        move = Move(distance * dx, distance * dy, rotation, None)
        number = env.env_action(env.model.encode_action(move))
        observation, _, _, _, info = env.step(number)
        column, row = width // 2 + move.x, width // 2 - move.y
        assert number // PLACEMENTS == row % width * width + column % width
        check_observation(observation, env)
        shown = dict(zip(PLANES, observation["observation"], strict=True))
        assert (
            sum(shown[f"{terrain} N"].sum() for terrain in ("city", "road", "field"))
            == distance + 1
        )
        assert shown["open cell"].sum() == 2 * distance + 4
    assert info["current_tile"] == -1


# Pictures


def test_themes_differ():
    corners = []
    for theme in ("light", "dark"):
        env = CarcassonneEnv(render_mode="rgb_array", theme=theme)
        env.reset(seed=0)
        corners.append(int(env.render()[0, 0].sum()))
    assert corners[1] < 200 < 500 < corners[0]


@pytest.mark.slow
def test_videos_are_recorded(tmp_path):
    pytest.importorskip("moviepy")
    env = gym.wrappers.RecordVideo(
        gym.make("Carcassonne-1p-1m-d", render_mode="rgb_array"),
        tmp_path / "new",
        disable_logger=True,
    )
    _ = list(results(env, 0))
    env.close()
    assert list(tmp_path.glob("new/*.mp4"))


# The limit of steps


@pytest.mark.parametrize("name", IDS)
def test_ids_have_a_limit_of_steps_that_no_legal_game_reaches(name):
    longest = 2 * (72 - 1)
    assert gym.spec(name).max_episode_steps >= 4 * longest
    env = gym.make(name, tiles="base", action_mode="two_step", illegal_action="noop")
    _, info = env.reset(seed=0)
    steps, is_over, is_truncated = 0, False, False
    while not (is_over or is_truncated):
        action = env.action_space.sample(info["action_mask"])
        _, _, is_over, is_truncated, info = env.step(action)
        steps += 1
    assert (is_over, is_truncated) == (True, False)
    assert steps <= longest
