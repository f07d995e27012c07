"""The Gymnasium environment: its contract, its seeds and copies, and every number it shows."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence

import carcassonne_env
from agents import RandomAgent, Rng
from carcassonne_env import CarcassonneModel, Move
from carcassonne_env.encoding import PLANES, Encoder
from carcassonne_env.gymnasium_env import CarcassonneEnv
from carcassonne_env.tiles import BY_LETTER, LETTERS, SIDES
from reference import STEPS, neighbour, terrain

IDS = {
    "Carcassonne-1p-1m-d": (1, True),
    "Carcassonne-1p-1m-s": (1, False),
    "Carcassonne-1p-3m-d": (3, True),
    "Carcassonne-1p-3m-s": (3, False),
}
PLACEMENTS = 4 * 9
"""Actions of one cell: rotations and meeple slots."""

every_id = pytest.mark.parametrize("name", IDS)
ordered_and_not = pytest.mark.parametrize("deterministic", [True, False], ids="ds")


def steps(env: gym.Env, seed: int = 0) -> Iterator[tuple]:
    """Plays random legal actions to the end of an episode; yields what each step returns."""
    agent, is_over = RandomAgent(seed), False
    while not is_over:
        result = env.step(agent.act(env))
        is_over = result[2] or result[3]
        yield result


def results(env: gym.Env, seed: int | None = None, **options: Any) -> Iterator[tuple]:
    """Plays an episode; yields what reset and steps return: observation first, info last."""
    yield env.reset(seed=seed, options=options)
    yield from steps(env)


def episode(env: gym.Env, seed: int | None = None, **options: Any) -> list[tuple]:
    """All that an episode returns."""
    return list(results(env, seed, **options))


def tiles_of(env: gym.Env, seed: int | None = None, **options: Any) -> str:
    """The tiles of an episode in the order in which they were to be placed."""
    tiles = [result[-1]["current_tile"] for result in results(env, seed, **options)]
    return "".join(LETTERS[tile] for tile in tiles if tile >= 0)


def started(seed: int = 0, num_steps: int = 0, **kwargs: Any) -> CarcassonneEnv:
    """An environment after a reset and some random steps."""
    env = CarcassonneEnv(**kwargs)
    env.reset(seed=seed)
    for _ in range(num_steps):
        env.step(RandomAgent(seed).act(env))
    return env


def same(data: Any, other: Any) -> bool:
    """Whether nested tuples, lists and dicts hold equal values and arrays of equal types."""
    return data_equivalence(data, other, exact=True)


# Registration


@every_id
def test_ids(name):
    env = gym.make(name).unwrapped
    env.reset(seed=0)
    num_meeples, is_deterministic = IDS[name]
    assert env.model.num_players == 1
    assert env.model.num_meeples == num_meeples
    assert env.model.num_tiles == 24
    assert env.model.is_deterministic == is_deterministic
    assert env.action_space.n == 24_336


@every_id
def test_spec_is_json(name):
    spec = gym.spec(name)
    restored = EnvSpec.from_json(spec.to_json())
    assert restored == spec
    assert same(episode(gym.make(restored), 1), episode(gym.make(name), 1))


@pytest.mark.parametrize("name", [*IDS, "Carcassonne-2p-7m-s"])
def test_ids_with_a_version_are_the_same(name):
    other, spec = gym.spec(name.replace("-", "/", 1) + "-v0"), gym.spec(name)
    assert other.version == 0
    assert (other.entry_point, other.kwargs) == (spec.entry_point, spec.kwargs)
    assert other.vector_entry_point == spec.vector_entry_point
    assert other.max_episode_steps == spec.max_episode_steps
    assert EnvSpec.from_json(other.to_json()) == other


def test_gymnasium_imports_the_package_by_name():
    program = "import gymnasium as g; g.make('carcassonne_env:Carcassonne-1p-3m-d').reset(seed=0)"
    root = Path(carcassonne_env.__file__).parents[1]
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, cwd=root)


# Contract


@pytest.mark.parametrize("name", [*IDS, "Carcassonne-2p-7m-s"])
def test_check_env(name):
    pytest.importorskip("resvg_py")
    check_env(gym.make(name).unwrapped)


# Unavoidable: the checker recommends the unwrapped environment, users have the wrapped one.
@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version:UserWarning")
@every_id
@pytest.mark.slow(keep="1p-1m-d")
def test_check_env_as_made(name):
    pytest.importorskip("resvg_py")
    check_env(gym.make(name))


@every_id
def test_types(name):
    env = gym.make(name)
    observation, _ = env.reset(seed=0)
    assert list(observation) == ["observation", "action_mask", "vector"]
    for observation, reward, terminated, truncated, info in steps(env):
        assert observation in env.observation_space
        assert type(reward) is float
        assert type(terminated) is bool
        assert truncated is False
        assert info["scores"].dtype == info["virtual_scores"].dtype == np.int64
        assert info["meeples"].dtype == np.int64
        assert info["illegal_action"] is False
    assert terminated


def test_info_tells_the_position():
    env = CarcassonneEnv(deterministic=False)
    for *_, info in results(env, seed=3):
        assert tuple(info["scores"]) == env.model.scores
        assert tuple(info["virtual_scores"]) == env.model.virtual_scores
        assert tuple(info["meeples"]) == env.model.meeples
        tile = info["current_tile"]
        assert (LETTERS[tile] if tile >= 0 else None) == env.model.current_tile
        assert info["score_breakdown"].tolist() == [[*env.model.score_breakdown[0].values()]]
    assert info["score_breakdown"].sum() == info["scores"][0] > 0


@pytest.mark.parametrize("num_players", [1, 2])
@pytest.mark.parametrize("board_size", [None, 5])
@pytest.mark.parametrize("action_mode", ["flat", "two_step", "index"])
def test_infos_have_the_same_keys_and_shapes_at_every_step(action_mode, board_size, num_players):
    settings = {"action_mode": action_mode, "board_size": board_size, "num_players": num_players}
    env = CarcassonneEnv(**settings, deterministic=False)

    def kinds(info: dict[str, Any]) -> dict[str, Any]:
        return {key: (np.asarray(value).dtype, np.shape(value)) for key, value in info.items()}

    infos = [result[-1] for result in results(env, seed=1)]
    twin = started(1, 3, **settings)
    infos.append(twin.step(int(twin.action_masks().argmin()))[-1])
    assert infos[-1]["illegal_action"]
    for info in infos:
        assert kinds(info) == kinds(infos[0])
        assert {dtype.kind for dtype, _ in kinds(info).values()} <= set("bif")


@pytest.mark.parametrize("num_players", [1, 3])
@pytest.mark.parametrize("action_mode", ["flat", "two_step", "index"])
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


def test_nothing_is_shared_between_calls():
    env = CarcassonneEnv()
    expected = episode(CarcassonneEnv(), seed=1)
    for result, kept in zip(results(env, seed=1), expected, strict=True):
        assert same(result, kept)
        observation, info = result[0], result[-1]
        for returned in (*observation.values(), *info.values(), env.action_masks()):
            if isinstance(returned, np.ndarray):
                returned.fill(7)
        observation.clear()
        info.clear()


def test_given_tiles_are_copied():
    tiles = {"B": 3, "D": 1}
    env = CarcassonneEnv(tiles=tiles)
    tiles["B"] = 1
    env.reset(seed=0)
    assert env.model.num_tiles == 4


# Seeds


@every_id
def test_same_seed_same_episode(name):
    assert same(episode(gym.make(name), seed=5), episode(gym.make(name), seed=5))


@ordered_and_not
def test_other_seeds_other_episodes(deterministic):
    env = CarcassonneEnv(deterministic=deterministic)
    assert len({tiles_of(env, seed) for seed in range(8)}) == 8


@ordered_and_not
def test_reset_without_seed_goes_on_with_the_stream(deterministic):
    env = CarcassonneEnv(deterministic=deterministic)
    tiles = [tiles_of(env, seed) for seed in (7, None, None)]
    assert tiles == [tiles_of(env, seed) for seed in (7, None, None)]
    assert len(set(tiles)) == 3


def test_steps_do_not_touch_np_random():
    env = started(deterministic=False)
    before = env.np_random.bit_generator.state
    list(steps(env))
    assert env.np_random.bit_generator.state == before


# Rewards


@every_id
def test_rewards_sum_to_the_final_score(name):
    env = gym.make(name)
    for seed in range(5):
        env.reset(seed=seed)
        rewards = [reward for _, reward, *_ in steps(env)]
        assert sum(rewards) == env.unwrapped.model.scores[0]


@pytest.mark.parametrize("action_mode", ["flat", "two_step", "index"])
@pytest.mark.parametrize(("num_players", "seat"), [(1, 0), (2, 0), (2, 1), (5, 4)])
def test_virtual_rewards_are_gains_in_virtual_lead(num_players, seat, action_mode):
    kwargs = {"num_players": num_players, "seat": seat, "action_mode": action_mode}
    env = CarcassonneEnv(**kwargs, reward="virtual", deterministic=False)

    def lead(scores: Any) -> int:
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


@pytest.mark.parametrize(("max_score", "divisor"), [(None, 135), (50, 50)])
def test_final_reward_is_the_return(max_score, divisor):
    env = started(seed=1, reward="final", max_score=max_score)
    *rewards, last = [reward for _, reward, *_ in steps(env)]
    assert set(rewards) == {0}
    assert {type(reward) for reward in (*rewards, last)} == {float}
    assert last == env.model.returns()[0] == env.model.scores[0] / divisor > 0


# Actions


def illegal_actions(env: CarcassonneEnv) -> list[int]:
    """The illegal actions at the cell of the first legal one, and some all over the window."""
    mask = env.action_masks()
    first = int(mask.argmax()) // PLACEMENTS * PLACEMENTS
    some = [*range(first, first + PLACEMENTS), *range(0, len(mask), 211)]
    return [action for action in some if not mask[action]]


def test_illegal_action_ends_the_episode():
    env = started(num_steps=5)
    for action in illegal_actions(env):
        twin = env.clone()
        _, reward, terminated, truncated, info = twin.step(action)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert type(reward) is float
        assert info["illegal_action"] is True
        assert twin.model == env.model
        with pytest.raises(ResetNeeded):
            twin.step(action)
    twin.reset()
    assert not next(steps(twin))[-1]["illegal_action"]


def test_illegal_action_changes_nothing_in_the_game():
    env = started(num_steps=5, illegal_action="noop")
    future, num_legal = list(steps(env.clone())), env.action_masks().sum()
    for action in illegal_actions(env):
        observation, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-1.0, False, False)
        assert type(reward) is float
        assert info["illegal_action"] is True
        assert observation["action_mask"].sum() == num_legal
    assert same(list(steps(env)), future)


@pytest.mark.parametrize("illegal_action", ["terminate", "noop"])
@pytest.mark.parametrize("max_score", [None, 1])
@pytest.mark.parametrize("num_players", [1, 2, 5])
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


def test_the_first_illegal_action_of_a_late_seat_forfeits_the_same():
    kwargs = {"num_players": 2, "seat": 1, "opponent": "greedy", "reward": "virtual"}
    env = started(**kwargs, illegal_action="noop")
    assert env.model.virtual_scores[0] > 0
    assert env.forfeit == CarcassonneModel(num_meeples=3, tiles="small").max_score()
    rewards = [env.step(int(env.action_masks().argmin()))[1]]
    assert rewards == [-env.forfeit]
    rewards += [result[1] for result in steps(env)]
    assert sum(rewards) == -env.forfeit + env.model.scores[1] - env.model.scores[0]


@pytest.mark.parametrize("max_score", [None, 20])
def test_a_restored_state_forfeits_what_its_own_tiles_are_worth(max_score):
    kwargs = {"num_players": 2, "reward": "virtual", "max_score": max_score}
    env = started(**kwargs, num_steps=3)
    state, illegal = env.get_state(), int(env.action_masks().argmin())
    env.reset(options={"tiles": {"B": 1, "D": 1}})
    assert env.forfeit < 50
    env.set_state(state)
    lead = env.model.virtual_scores[0] - env.model.virtual_scores[1]
    assert env.step(illegal)[1] == -CarcassonneModel(2, 3, "small").max_score() - lead


def test_illegal_action_raises():
    env = started(num_steps=5, illegal_action="raise")
    future, num_legal = list(steps(env.clone())), env.action_masks().sum()
    for action in illegal_actions(env):
        with pytest.raises(
            InvalidAction, match=f"action {action} .* {num_legal} actions are legal"
        ):
            env.step(action)
    assert same(list(steps(env)), future)


@pytest.mark.parametrize("illegal_action", ["terminate", "noop", "raise"])
@pytest.mark.parametrize("action", [-1, 24_336, 10**30, 1.5, "3", None, np.array([3])], ids=repr)
def test_action_outside_the_space_raises(action, illegal_action):
    env = started(illegal_action=illegal_action)
    before = env.model.clone()
    for method in (env.step, env.model_action):
        with pytest.raises(InvalidAction) as refusal:
            method(action)
        assert repr(action) in str(refusal.value)
    assert env.model == before


@pytest.mark.parametrize("kind", [int, np.int64, np.int32, np.uint16, np.array])
def test_integers_of_any_kind_are_actions(kind):
    env = started(illegal_action="raise")
    env.step(kind(RandomAgent(0).act(env)))
    assert len(env.model.board) == 2


def test_no_step_before_a_reset_and_after_the_end():
    env = CarcassonneEnv()
    with pytest.raises(ResetNeeded, match="no position yet"):
        env.step(0)
    episode(env)
    with pytest.raises(ResetNeeded):
        env.step(0)
    episode(env)


# Arguments and options


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("reward", "points"),
        ("info", "all"),
        ("observation", "none"),
        ("illegal_action", None),
        ("render_mode", "svg"),
        ("num_meeples", -1),
        ("num_meeples", 1.5),
        ("tiles", "large"),
        ("tiles", {"B": 3}),
        ("deterministic", "no"),
        ("max_score", 0),
    ],
)
def test_bad_argument_is_named(argument, value):
    with pytest.raises((TypeError, ValueError), match=argument) as refusal:
        CarcassonneEnv(**{argument: value})
    assert repr(value) in str(refusal.value)


def test_unknown_argument_is_named():
    with pytest.raises(TypeError, match="'num_tiles'"):
        CarcassonneEnv(num_tiles=2)


@ordered_and_not
def test_order_is_given(deterministic):
    env = CarcassonneEnv(deterministic=deterministic)
    order = "".join(sorted(set(LETTERS) - {"D"}, reverse=True))
    env.reset(seed=0, options={"order": order})
    assert env.model.current_tile + env.model.order == order
    env.reset()
    assert env.model.is_deterministic == deterministic


@ordered_and_not
def test_tiles_are_given(deterministic):
    env = CarcassonneEnv(deterministic=deterministic)
    assert sorted(tiles_of(env, tiles={"B": 3, "D": 2})) == ["B", "B", "B", "D"]
    env.reset()
    assert env.model.num_tiles == 24


def test_tiles_and_order_are_given():
    tiles = {"A": 1, "B": 2, "D": 1}
    assert tiles_of(CarcassonneEnv(), tiles=tiles, order="BAB") == "BAB"


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
    env = started(num_steps=3)
    before = env.model.clone()
    with pytest.raises((TypeError, ValueError), match=message):
        env.reset(options=options)
    assert env.model == before


# Masks and observations


def check_masks(env: CarcassonneEnv, observation: dict[str, Any], info: dict[str, Any]) -> None:
    """The masks show exactly the legal actions, each at a number of its own."""
    actions = env.model.legal_actions().tolist()
    numbers = [env.env_action(action) for action in actions]
    assert [env.model_action(number) for number in numbers] == actions
    expected = np.zeros(env.action_space.n, np.int8)
    expected[numbers] = 1
    assert expected.sum() == len(actions)
    for mask in (observation["action_mask"], info["action_mask"], env.action_masks()):
        np.testing.assert_array_equal(mask, expected, strict=True)


def expected_planes(model: CarcassonneModel, width: int) -> np.ndarray:
    """The planes of a position as the docstring of the environment describes them."""
    planes = {name: np.zeros((width, width), np.int8) for name in PLANES}
    terrains = {"C": "city", "R": "road", "F": "field"}

    def mark(name: str, x: int, y: int) -> None:
        planes[name][(width // 2 - y) % width, (width // 2 + x) % width] = 1

    cells = {(tile.x, tile.y) for tile in model.board}
    for tile in model.board:
        segments = BY_LETTER[tile.tile].segments
        for side in SIDES:
            mark(f"{terrains[terrain(tile.tile, tile.rotation, side)]} {side}", tile.x, tile.y)
        if any(segment.kind == "cloister" for segment in segments):
            mark("cloister", tile.x, tile.y)
        if any(segment.shields for segment in segments):
            mark("shield", tile.x, tile.y)
    for meeple in model.placed_meeples:
        owner = "own" if meeple.player == model.mover else "other"
        mark(f"{owner} meeple on a {meeple.target[0]}", meeple.x, meeple.y)
    for cell in {neighbour(cell, side) for cell in cells for side in STEPS} - cells:
        mark("open cell", *cell)
    for cell in model.legal_cells:
        mark("legal cell", *cell)
    return np.stack(list(planes.values()))


def expected_vector(model: CarcassonneModel, num_tiles: int) -> np.ndarray:
    """The vector of a position as the docstrings describe it."""
    num_left = sum(model.bag.values())
    vector = [float(letter == model.current_tile) for letter in LETTERS]
    vector += [model.bag.get(letter, 0) / max(num_left, 1) for letter in LETTERS]
    for i in range(model.num_players):
        player = (model.mover + i) % model.num_players
        vector.append(model.meeples[player] / max(model.num_meeples, 1))
        vector.append(min(1, model.scores[player] / model.max_score()))
        vector.append(min(1, model.virtual_scores[player] / model.max_score()))
    return np.array([*vector, num_left / num_tiles], np.float32)


def check_observation(planes: Any, vector: Any, model: CarcassonneModel, num_tiles: int) -> None:
    """Every number is the expected one."""
    expected = expected_planes(model, num_tiles + 2), expected_vector(model, num_tiles)
    np.testing.assert_array_equal(planes, expected[0], strict=True)
    np.testing.assert_array_equal(vector, expected[1], strict=True)


ENVIRONMENTS = {
    "deterministic": {},
    "stochastic": {"deterministic": False},
    "one meeple": {"num_meeples": 1},
    "no meeples": {"num_meeples": 0},
    "scores above the maximum": {"max_score": 2},
    "two tiles": {"tiles": {"B": 1, "D": 1}},
    "base": {"num_meeples": 7, "tiles": "base", "deterministic": False},
}


@pytest.mark.parametrize("kwargs", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_every_number_of_an_episode(kwargs):
    env = CarcassonneEnv(**kwargs)
    num_tiles = CarcassonneModel(1, tiles=kwargs.get("tiles", "small")).num_tiles
    for observation, *_, info in results(env, seed=4):
        check_masks(env, observation, info)
        check_observation(observation["observation"], observation["vector"], env.model, num_tiles)
    assert not observation["action_mask"].any()


def test_fewer_tiles_are_shown_in_the_same_window():
    env = CarcassonneEnv()
    for observation, *_, info in results(env, seed=0, tiles={"B": 5, "D": 1}):
        check_masks(env, observation, info)
        check_observation(observation["observation"], observation["vector"], env.model, 24)


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_observation_is_from_the_view_of_the_mover(num_players):
    model = CarcassonneModel(num_players, 3, "small", seed=1)
    encoder, rng = Encoder(24, num_players), Rng(1)
    while not model.is_terminal():
        mover = model.mover
        check_observation(encoder.planes(model, mover), encoder.vector(model, mover), model, 24)
        is_chance = model.is_chance_node()
        model.apply_action(model.sample_chance(rng) if is_chance else model.sample_action(rng))


def test_start_tile_lies_in_the_middle():
    observation, _ = CarcassonneEnv(tiles={"B": 2, "D": 1}).reset()
    planes = zip(PLANES, observation["observation"], strict=True)
    assert {name: np.argwhere(plane).tolist() for name, plane in planes if plane.any()} == {
        "city N": [[2, 2]],
        "road E": [[2, 2]],
        "road W": [[2, 2]],
        "field S": [[2, 2]],
        "open cell": [[1, 2], [2, 1], [2, 3], [3, 2]],
        "legal cell": [[3, 2]],
    }


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
        check_masks(env, observation, info)
        check_observation(observation["observation"], observation["vector"], env.model, 24)
        shown = dict(zip(PLANES, observation["observation"], strict=True))
        assert (
            sum(shown[f"{terrain} N"].sum() for terrain in ("city", "road", "field"))
            == distance + 1
        )
        assert shown["open cell"].sum() == 2 * distance + 4
    assert info["current_tile"] == -1


# Copies

DUPLICATES = {
    "clone": CarcassonneEnv.clone,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}

every_duplicate = pytest.mark.parametrize("duplicate", DUPLICATES.values(), ids=DUPLICATES)


@every_duplicate
@ordered_and_not
def test_copies_go_on_alike_and_apart(duplicate, deterministic):
    env = started(num_steps=8, deterministic=deterministic)
    twin = duplicate(env)
    future = [*steps(twin), *episode(twin)]
    assert same([*steps(env), *episode(env)], future)


@every_duplicate
def test_copies_of_a_finished_episode_are_finished(duplicate):
    env = started()
    env.step(0)
    for over in (CarcassonneEnv(), env):
        with pytest.raises(ResetNeeded):
            duplicate(over).step(0)


@pytest.mark.parametrize("name", ["deepcopy", "pickle"])
def test_wrapped_environments_are_copied(name):
    env = gym.make("Carcassonne-1p-3m-s")
    env.reset(seed=0)
    twin = DUPLICATES[name](env)
    assert same(list(steps(twin)), list(steps(env)))


@ordered_and_not
def test_state_is_returned_to(deterministic):
    env = started(num_steps=8, deterministic=deterministic)
    state = env.get_state()
    future = list(steps(env))
    fresh = CarcassonneEnv(deterministic=deterministic)
    for other in (env, env, started(seed=1, deterministic=deterministic), fresh):
        other.set_state(state)
        assert same(list(steps(other)), future)
    env.set_state(env.get_state())
    with pytest.raises(ResetNeeded):
        env.step(0)


# Pictures


def test_render_text():
    env = gym.make("Carcassonne-1p-3m-d", render_mode="ansi")
    env.reset(seed=0)
    texts = [env.render()]
    for _ in steps(env):
        assert env.render() == str(env.unwrapped.model) != texts[-1]
        texts.append(env.render())
    assert "player 0: 0 points, 3 meeples" in texts[0]


def test_render_pixels():
    pytest.importorskip("resvg_py")
    env = gym.make("Carcassonne-1p-3m-d", render_mode="rgb_array")
    env.reset(seed=0)
    before = env.render()
    next(steps(env))
    after = env.render()
    for pixels in (before, after):
        assert pixels.dtype == np.uint8
        assert pixels.shape == (720, 720, 3)
    assert not np.array_equal(before, after)


def test_themes_differ():
    pytest.importorskip("resvg_py")
    corners = []
    for theme in ("light", "dark"):
        env = CarcassonneEnv(render_mode="rgb_array", theme=theme)
        env.reset(seed=0)
        corners.append(int(env.render()[0, 0].sum()))
    assert corners[1] < 200 < 500 < corners[0]


def test_window_shows_the_game_until_it_is_closed(screen):
    env = gym.make("Carcassonne-1p-1m-s", render_mode="human")
    env.reset(seed=0)
    pictures = []
    for _ in steps(env):
        pictures.append(screen.surfarray.array3d(screen.display.get_surface()))
        if len(pictures) == 3:
            break
    assert pictures[0].shape == (720, 720, 3)
    assert not np.array_equal(pictures[0], pictures[2])
    twin = copy.deepcopy(env.unwrapped)
    assert twin.window is not env.unwrapped.window
    assert twin.window.screen is None
    screen.event.post(screen.event.Event(screen.QUIT))
    next(steps(env))
    assert env.unwrapped.window.is_closed
    next(steps(env))  # the game goes on unseen
    env.close()


@pytest.mark.slow
def test_videos_are_recorded(tmp_path):
    pytest.importorskip("resvg_py")
    pytest.importorskip("moviepy")
    env = gym.wrappers.RecordVideo(
        gym.make("Carcassonne-1p-1m-d", render_mode="rgb_array"),
        tmp_path / "new",
        disable_logger=True,
    )
    episode(env, seed=0)
    env.close()
    assert list(tmp_path.glob("new/*.mp4"))


def test_render_without_a_mode_warns():
    env = started()
    with pytest.warns(UserWarning, match="render_mode.*'ansi', 'rgb_array'"):
        assert env.render() is None


# The ecosystem


def test_episode_statistics():
    env = gym.wrappers.RecordEpisodeStatistics(gym.make("Carcassonne-1p-3m-s"))
    *_, last = results(env, seed=1)
    assert last[-1]["episode"]["r"] == last[-1]["scores"][0] > 0
    assert last[-1]["episode"]["l"] == len(env.unwrapped.model.board) - 1


def test_vector_environment_equals_single_ones():
    envs = gym.make_vec("Carcassonne-1p-3m-s", num_envs=3, vectorization_mode="sync")
    singles = [started(seed=10 + i, deterministic=False) for i in range(3)]
    observations, _ = envs.reset(seed=10)
    agent, num_steps = RandomAgent(0), 0
    while not any(single.model.is_terminal() for single in singles):
        actions = [agent.act(single) for single in singles]
        expected = [single.step(action) for single, action in zip(singles, actions, strict=True)]
        observations, rewards, terminations, _, infos = envs.step(np.array(actions))
        for i, (observation, reward, terminated, _, info) in enumerate(expected):
            assert same({key: value[i] for key, value in observations.items()}, observation)
            assert (rewards[i], terminations[i]) == (reward, terminated)
            assert same(infos["action_mask"][i], info["action_mask"])
        num_steps += 1
    assert num_steps >= 20
    envs.close()


# The limit of steps


@pytest.mark.parametrize("name", [name for name in gym.registry if name.startswith("Carcassonne-")])
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


def test_a_repeated_illegal_action_is_truncated():
    env = gym.make("Carcassonne-1p-3m-d", illegal_action="noop", max_episode_steps=9)
    _, info = env.reset(seed=0)
    illegal = info["action_mask"].argmin()
    ends = [env.step(illegal)[2:4] for _ in range(9)]
    assert ends == [(False, False)] * 8 + [(False, True)]
