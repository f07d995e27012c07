"""The environments of the Function Optimisation Problem: contracts, seeds, rewards, copies."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

import fop_env
from agents import MCTS, RandomAgent, Rng
from fop_env import FUNCTIONS, FopModel
from fop_env.gymnasium_env import FopEnv

with warnings.catch_warnings():  # where pygame is installed, PettingZoo warns of a game of its own
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, render_test, seed_test


def slope(x: Any, y: Any) -> Any:
    """Not the same along both axes."""
    return (x + 3 * y * y) / 4


VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "expected": {"function": "f4", "reward": "expected"},
    "three parts": {"function": "f2", "branching": 3, "threshold": 0.01},
    "two dimensions": {"function": "f3", "dimensions": 2},
    "table": {"function": slope, "dimensions": 2, "threshold": 0.01, "reward": "expected"},
    "no table": {"function": slope, "dimensions": 2},
}
BAD_ACTIONS = [-1, 2, 10**30, 1.0, "1", None, np.array([1])]
MAKERS = [lambda: gym.make("FOP-f1"), fop_env.env, fop_env.raw_env]

every_id = pytest.mark.parametrize("name", [f"FOP-{function}" for function in FUNCTIONS])
variants = pytest.mark.parametrize("kwargs", VARIANTS.values(), ids=VARIANTS)
zoo_makers = pytest.mark.parametrize("make", MAKERS[1:])
players = pytest.mark.parametrize("num_players", [1, 2])


def same(data: Any, other: Any) -> bool:
    """Whether nested tuples, lists and dicts hold equal values and arrays of equal types."""
    return data_equivalence(data, other, exact=True)


def steps(env: gym.Env) -> Iterator[tuple]:
    """Plays random actions to the end of an episode; yields what each step returns."""
    agent, is_over = RandomAgent(0), False
    while not is_over:
        result = env.step(agent.act(env))
        is_over = result[2] or result[3]
        yield result


def results(env: gym.Env, seed: int | None = None) -> Iterator[tuple]:
    """Plays an episode; yields what reset and steps return: observation first, info last."""
    yield env.reset(seed=seed)
    yield from steps(env)


def started(num_steps: int = 0, seed: int = 0, **kwargs: Any) -> FopEnv:
    """An environment after a reset and some steps."""
    env = FopEnv(**kwargs)
    env.reset(seed=seed)
    for _ in range(num_steps):
        env.step(1)
    return env


def rewards(count: int, seed: int | None) -> list[float]:
    """Those of episodes of one choice, always the first part, of f4."""
    env, drawn = FopEnv("f4", threshold=1), []
    for i in range(count):
        env.reset(seed=None if i else seed)
        drawn.append(env.step(0)[1])
    return drawn


def pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


def assert_mean(draws: list[float], mean: float) -> None:
    """Draws of 0 and 1 have this mean, within four standard errors."""
    assert set(draws) == {0, 1}
    assert abs(np.mean(draws) - mean) < 4 * math.sqrt(mean * (1 - mean) / len(draws))


# --- Gymnasium ---


# Unavoidable: the checker recommends the unwrapped environment, users have the wrapped one.
@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version:UserWarning")
@every_id
def test_check_env(name):
    check_env(gym.make(name))
    check_env(gym.make(name).unwrapped)


@variants
def test_check_env_of_variants(kwargs):
    check_env(gym.make("FOP-f1", **kwargs).unwrapped)


@every_id
def test_ids(name):
    env, spec = gym.make(name), gym.spec(name)
    restored = EnvSpec.from_json(spec.to_json())
    assert restored == spec
    assert same(list(results(gym.make(restored), 1)), list(results(env, 1)))
    assert env.unwrapped.model.is_same_problem(FopModel(name[-2:]))


def test_gymnasium_imports_the_package_by_name():
    program = "import gymnasium as g; g.make('fop_env:FOP-f1').reset(seed=0)"
    root = Path(fop_env.__file__).parents[1]
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, cwd=root)


@variants
def test_every_number_of_an_episode(kwargs):
    env = FopEnv(**kwargs)
    for num_choices, (observation, *outcome, info) in enumerate(results(env, seed=2)):
        model, is_over = env.model, num_choices == env.model.num_levels
        share = num_choices / model.num_levels
        vector = np.array([*np.ravel(model.intervals), share], np.float32)
        mask = np.full(model.num_actions, not is_over, np.int8)
        assert same(observation, {"observation": vector, "action_mask": mask})
        assert list(observation) == ["observation", "action_mask"]
        assert observation in env.observation_space
        assert same(env.action_masks(), mask)
        value, centre = info.pop("value"), np.array(model.centre)
        assert value == pytest.approx(float(model.evaluate(*centre)), abs=1e-12)
        assert same(info, {"action_mask": mask, "depth": num_choices, "centre": centre})
        if num_choices:
            reward, *ended = outcome
            assert [type(result) for result in outcome] == [float, bool, bool]
            assert ended == [is_over, False]
            assert reward == 0 or is_over
    assert is_over
    assert reward == value if kwargs.get("reward") == "expected" else reward in (0, 1)


@variants
def test_nothing_is_shared_between_calls(kwargs):
    env = FopEnv(**kwargs)
    for result, kept in zip(results(env, 1), list(results(FopEnv(**kwargs), 1)), strict=True):
        assert same(result, kept)
        observation, info = result[0], result[-1]
        assert not np.shares_memory(observation["action_mask"], info["action_mask"])
        for returned in (*observation.values(), *info.values(), env.action_masks()):
            if isinstance(returned, np.ndarray):
                returned.fill(7)
        observation.clear()
        info.clear()


def test_rewards_are_drawn_from_the_seed_with_the_probability_of_the_value():
    assert_mean(rewards(3000, seed=0), FopModel("f4").evaluate(0.25))
    drawn = [tuple(rewards(40, seed)) for seed in (*range(8), None, 0)]
    assert len(set(drawn)) == 9
    assert drawn[0] == drawn[-1]


@pytest.mark.parametrize("action", BAD_ACTIONS, ids=repr)
@pytest.mark.parametrize("make", [MAKERS[0], MAKERS[2]])
def test_action_outside_the_space_raises(make, action):
    env = make()
    env.reset()
    with pytest.raises(InvalidAction, match=r"action must be .* in \[0, 2\), got ") as refusal:
        env.step(action)
    assert repr(action) in str(refusal.value)
    assert env.unwrapped.model.depth == 0


def test_no_step_before_a_reset_and_after_the_end():
    env = FopEnv()
    for ask in (lambda: env.step(0), env.action_masks, env.get_state, env.clone().get_state):
        with pytest.raises(ResetNeeded, match="no position yet: call reset"):
            ask()
    for _ in range(2):
        list(results(env))
        with pytest.raises(ResetNeeded, match="the episode is over: call reset"):
            env.step(0)


@pytest.mark.parametrize(
    ("make", "argument", "value"),
    [
        *((FopEnv, "reward", "mean"), (FopEnv, "dimensions", 3), (FopEnv, "num_players", 2)),
        *((fop_env.env, "num_players", 3), (fop_env.env, "threshold", 2)),
        *((make, "render_mode", "svg") for make in (FopEnv, fop_env.env)),
    ],
)
def test_bad_argument_is_named(make, argument, value):
    with pytest.raises((TypeError, ValueError), match=rf"{argument} .*{value}|'{argument}'$"):
        make(**{argument: value})


def test_options_are_refused():
    env = started(2)
    with pytest.raises(ValueError, match=r"options must be None or empty, got \['start'\]"):
        env.reset(options={"start": 1})
    assert env.model.depth == 2
    env.reset(options={})
    assert env.model.depth == 0


@pytest.mark.parametrize("duplicate", [copy.copy, FopEnv.clone, copy.deepcopy, pickled])
@variants
def test_copies_go_on_alike_and_apart(kwargs, duplicate):
    env = started(2, **kwargs)
    for _ in range(8):  # as many draws of the reward
        twin = duplicate(env)
        future = [*steps(twin), *results(twin)]
        assert same([*steps(env), *results(env)], future)
        env.reset()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled])
def test_wrapped_environments_are_copied(duplicate):
    env = gym.make("FOP-f1")
    env.reset(seed=0)
    env.step(1)
    assert same(list(steps(duplicate(env))), list(steps(env)))


@variants
def test_state_is_returned_to(kwargs):
    for seed in range(8):
        env = started(2, seed, **kwargs)
        state, future = env.get_state(), list(steps(env))
        for other in (env, env, started(1, seed=9, **kwargs), FopEnv(**kwargs)):
            other.set_state(state)
            assert same(list(steps(other)), future)


def test_state_of_another_problem_is_refused():
    env = started(2)
    for kwargs in ({"function": "f2"}, {"branching": 3}, {"threshold": 0.1}, {"dimensions": 2}):
        with pytest.raises(ValueError, match="the state is of another problem"):
            env.set_state(started(**kwargs).get_state())
    assert env.model.depth == 2


@pytest.mark.parametrize("make", [FopEnv, fop_env.env, fop_env.raw_env])
def test_render(make):
    env, silent = make(render_mode="ansi"), make()
    env.reset(seed=0)
    env.step(1)
    assert env.render() == str(env.unwrapped.model)
    assert "#" * 32 + " [0.5, 1]" in env.render()
    silent.reset()
    with pytest.warns(UserWarning, match="render_mode.*'ansi', 'rgb_array'"):
        assert silent.render() is None


@pytest.mark.parametrize("dimensions", [1, 2])
@pytest.mark.parametrize("make", [FopEnv, fop_env.env])
def test_render_pixels(make, dimensions):
    pytest.importorskip("matplotlib")
    env = make(dimensions=dimensions, render_mode="rgb_array")
    env.reset(seed=0)
    before = env.render()
    env.step(1)
    after = env.render()
    assert before.shape == after.shape == (400, 600, 3)
    assert before.dtype == np.uint8
    assert not np.array_equal(before, after)


@pytest.mark.parametrize("agent", [MCTS(300, seed=0), RandomAgent(0)], ids=["MCTS", "random"])
@pytest.mark.parametrize("make", MAKERS)
def test_agents_act(make, agent):
    env = make()
    env.reset(seed=0)
    while not env.unwrapped.model.is_terminal():
        before = env.unwrapped.model.clone()
        action = agent.act(env)
        assert env.unwrapped.model == before
        env.step(action)
    if isinstance(agent, MCTS) and before.num_players == 1:
        assert before.heuristic(0, "centre") > 0.9


@pytest.mark.parametrize(
    ("mode", "kwargs"), [("sync", {}), ("async", {"context": "spawn"})], ids=["sync", "async"]
)
@pytest.mark.slow(keep="^sync")
def test_vector_environment_equals_single_ones(mode, kwargs):
    envs = gym.make_vec("fop_env:FOP-f4", 3, vectorization_mode=mode, vector_kwargs=kwargs)
    singles = [started(seed=10 + i, function="f4") for i in range(3)]
    envs.reset(seed=10)
    for actions in np.random.default_rng(0).integers(2, size=(17, 3)):
        expected = [single.step(action) for single, action in zip(singles, actions, strict=True)]
        observations, rewards, terminations, _, infos = envs.step(actions)
        for i, (observation, reward, terminated, _, info) in enumerate(expected):
            assert same({key: value[i] for key, value in observations.items()}, observation)
            assert (rewards[i], terminations[i]) == (reward, terminated)
            assert infos["value"][i] == info["value"]
    assert terminations.all()
    envs.close()


@pytest.mark.slow
def test_spawned_environments_of_every_id(monkeypatch):
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    makers = [partial(gym.make, f"fop_env:FOP-{function}") for function in FUNCTIONS]
    spawned, here = AsyncVectorEnv(makers, context="spawn"), SyncVectorEnv(makers)
    assert same(spawned.reset(seed=5), here.reset(seed=5))
    for actions in np.random.default_rng(0).integers(2, size=(20, len(makers))):
        assert same(spawned.step(actions), here.step(actions))
    spawned.close()


# --- PettingZoo ---


def play(env: Any) -> list[tuple]:
    """Plays on to the end with random actions; returns what each player saw."""
    rng, seen = Rng(0), []
    for agent in env.agent_iter():
        seen.append((agent, *env.last()))
        env.step(None if env.terminations[agent] else rng.below(env.action_space(agent).n))
    return seen


def gains(seen: list[tuple]) -> Counter[str]:
    """The sum of the rewards of each player."""
    totals: Counter[str] = Counter()
    for agent, _, reward, *_ in seen:
        totals[agent] += reward
    return totals


# Unavoidable: the test knows no observations but arrays.
@pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Observation is not a NumPy array:UserWarning",
)
@zoo_makers
@players
def test_api(make, num_players):
    api_test(make(num_players=num_players), num_cycles=100)
    api_test(make(num_players=num_players, function=slope, dimensions=2), num_cycles=30)


@zoo_makers
@players
def test_seed(make, num_players):
    seed_test(lambda: make(num_players=num_players), num_cycles=100)


@zoo_makers
@players
@pytest.mark.slow(keep="raw")
def test_render_modes(make, num_players, screen):
    pytest.importorskip("matplotlib")
    render_test(partial(make, num_players=num_players, threshold=0.3))


def test_a_window_shows_every_interval(screen):
    pytest.importorskip("matplotlib")
    env = FopEnv(render_mode="human")
    env.reset(seed=0)
    pictures = []
    for action in (0, 1):
        pictures.append(screen.surfarray.array3d(screen.display.get_surface()))
        env.step(action)
    assert env.render() is None
    assert pictures[0].shape == (600, 400, 3)
    assert not np.array_equal(*pictures)
    twin = env.clone()
    env.close()
    assert (env.window.is_closed, twin.window.is_closed) == (True, False)


@zoo_makers
def test_seed_decides_the_rewards_of_players(make):
    def drawn(seed: int) -> tuple[float, ...]:
        env = make(function="f4", threshold=1)
        env.reset(seed=seed)
        return tuple(gains(play(env))["player_0"] for _ in range(40) if env.reset() is None)

    assert len({drawn(seed) for seed in range(8)}) == 8
    assert drawn(0) == drawn(0)


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="needs PettingZoo 1.26")
def test_registered():
    env = pettingzoo.make("aec", "fop-v0", function="f2", num_players=1)
    assert env.possible_agents == ["player_0"]
    assert env.metadata["name"] == "fop_v0"
    assert not env.metadata["is_parallelizable"]


@zoo_makers
@players
def test_only_the_player_to_move_has_actions(make, num_players):
    env = make(num_players=num_players, branching=3)
    env.reset(seed=0)
    agents = [f"player_{i}" for i in range(num_players)]
    for num_choices in range(12):
        assert env.agents == agents
        assert env.agent_selection == agents[num_choices % num_players if num_choices < 11 else 0]
        for agent in agents:
            is_open = agent == env.agent_selection and num_choices < 11
            observation, mask = env.observe(agent), np.full(3, is_open, np.int8)
            assert same(observation["action_mask"], mask)
            assert same(env.state(), observation["observation"])
            assert list(env.infos[agent]) == [
                "depth",
                "centre",
                "value",
            ]  # the mask stands in one place
            assert observation in env.observation_space(agent)
            assert env.terminations[agent] is (num_choices == 11)
            observation["action_mask"].fill(7)
        if num_choices < 11:
            env.step(1)


@zoo_makers
def test_rewards_are_zero_sum_and_have_the_mean_of_the_value(make):
    env, drawn = make(function="f4", threshold=0.5), []
    env.reset(seed=0)
    for _ in range(1000):
        env.step(0)
        assert env.rewards == {"player_0": 0, "player_1": 0}
        env.step(1)
        drawn.append(env.rewards["player_0"])
        assert env.rewards["player_1"] == -drawn[-1]
        assert gains(play(env)) == {"player_0": drawn[-1], "player_1": -drawn[-1]}
        env.reset()
    assert_mean(drawn, FopModel("f4").evaluate(0.375))


@zoo_makers
@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled])
@players
def test_copies_of_games_go_on_alike(make, duplicate, num_players):
    env = make(function="f4", threshold=0.01, num_players=num_players)
    env.reset(seed=0)
    for _ in range(8):
        env.step(1)
        twin = duplicate(env)
        assert twin.unwrapped.model == env.unwrapped.model
        future = play(twin)
        assert env.unwrapped.model.depth == 1
        assert same(play(env), future)
        twin.reset()
        env.reset()
        assert same(play(twin), play(env))
        env.reset()


@pytest.mark.parametrize("duplicate", [fop_env.pettingzoo_env.FopAECEnv.clone, copy.copy])
def test_raw_environment_is_cloned(duplicate):
    env = fop_env.raw_env()
    with pytest.raises(ResetNeeded):
        duplicate(env).model  # noqa: B018
    env.reset(seed=0)
    env.step(1)
    twin = duplicate(env)
    twin.step(1)
    assert (env.model.depth, twin.model.depth) == (1, 2)
