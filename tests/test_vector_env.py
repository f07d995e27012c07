"""The vector environment: equal to single ones bit by bit, whatever the mode and the threads."""

from __future__ import annotations

import copy
import itertools
import pickle
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, Error, InvalidAction, ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import carcassonne_env
from agents import MCTS, Rng
from agents.testing import check_forward_model
from carcassonne_env.batch import Results
from carcassonne_env.encoding import ACTION_MODES
from carcassonne_env.gymnasium_env import CarcassonneEnv
from carcassonne_env.rewards import REWARDS
from carcassonne_env.settings import ILLEGAL_ACTIONS
from carcassonne_env.vector_env import CarcassonneVectorEnv
from envs import FEW, IDS, ORDER, same, wipe
from playing import LastLearner
from test_border import Index
from waiting import soon

NUM_ENVS = 3

CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "flat": {"tiles": FEW},
    "two_step": {"num_meeples": 1, "deterministic": False, "action_mode": "two_step"},
    "index": {"tiles": FEW, "action_mode": "index", "board_size": 4, "max_score": 10},
    "virtual lead": {"tiles": FEW, "num_players": 3, "seat": 2, "reward": "virtual"},
    "greedy": {
        **{"tiles": FEW, "num_players": 3, "seat": 1, "opponent": "greedy", "reward": "virtual"},
        **{"action_mode": "two_step"},
    },
    "MCTS": {"tiles": FEW, "num_players": 2, "seat": 1, "opponent": "mcts(iterations=3)"},
    "a planner": {"tiles": FEW, "num_players": 2, "opponent": MCTS(3), "reward": "score"},
    "a learner": {"tiles": FEW, "num_players": 2, "opponent": LastLearner()},
    "planes": {"tiles": FEW, "observation": "planes", "action_mode": "two_step"},
    "rows of tiles": {"tiles": FEW, "observation": "tiles", "action_mode": "two_step"},
    "one array": {"tiles": FEW, "observation": "flat", "num_players": 2, "seat": 1},
    "full infos": {"tiles": FEW, "info": "full"},
    "features": {"tiles": FEW, "action_mode": "index", "observation": "features"},
    "scaled features": {
        **{"tiles": FEW, "action_mode": "index", "observation": "scaled_features"},
        **{"num_players": 2, "seat": 1, "max_rows": 50},
    },
    "second seat": {"tiles": FEW, "num_players": 2, "seat": 1, "action_mode": "two_step"},
    "two players": {"tiles": FEW, "num_players": 2, "deterministic": False, "reward": "win"},
    "three players": {
        **{"num_players": 3, "seat": 1, "reward": "score", "tiles": FEW},
        **{"action_mode": "two_step", "illegal_action": "noop", "info": "full"},
    },
    "costly": {
        **{"tiles": FEW, "num_players": 3, "seat": 2, "reward": "final", "max_score": 2},
        **{"action_mode": "two_step", "illegal_action": "noop"},
    },
    "stalling": {
        **{"tiles": FEW, "num_players": 3, "seat": 2, "reward": "virtual"},
        **{"illegal_action": "noop", "opponent": "greedy"},
    },
    "base": {"num_players": 2, "num_meeples": 7, "tiles": "base", "deterministic": False},
    "last of five": {"num_players": 5, "seat": 4, "num_meeples": 7, "board_size": 6},
    "most tiles discarded": {
        **{"num_players": 2, "seat": 1, "num_meeples": 7, "tiles": "base", "board_size": 3},
        **{"action_mode": "two_step", "deterministic": False},
    },
    "often over before the learner's turn": {
        **{"num_players": 4, "seat": 3, "tiles": {"C": 3, "D": 1, "X": 2}, "board_size": 3},
        **{"action_mode": "index", "deterministic": False},
    },
    "limited": {"tiles": FEW, "illegal_action": "noop", "max_episode_steps": 3},
    "limited to a step": {
        **{"tiles": FEW, "num_players": 3, "seat": 2, "opponent": "greedy", "reward": "virtual"},
        "max_episode_steps": 1,
    },
    "limited to about a game": {
        **{"tiles": FEW, "num_players": 2, "seat": 1, "action_mode": "two_step"},
        "max_episode_steps": 9,
    },
    **{
        f"over at once, {reward}": {
            **{"tiles": {"B": 1, "D": 1}, "num_players": 2, "seat": 1, "reward": reward},
            "illegal_action": illegal_action,
        }
        for reward, illegal_action in zip(REWARDS, itertools.cycle(ILLEGAL_ACTIONS), strict=False)
    },
}
configurations = pytest.mark.parametrize("kwargs", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
autoreset_modes = pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.value)


def rows(infos: dict[str, Any], mask: np.ndarray) -> dict[str, Any]:
    return {
        key: rows(value, mask) if isinstance(value, dict) else value[mask]
        for key, value in infos.items()
    }


def sampled(envs: CarcassonneVectorEnv, num_steps: int, illegal: float = 0) -> Iterator[np.ndarray]:
    rng, generator = Rng(1), np.random.default_rng(1)
    for _ in range(num_steps):
        actions = envs.sample_actions(rng)
        is_other = generator.random(envs.num_envs) < illegal
        others = generator.integers(envs.single_action_space.n, size=envs.num_envs)
        yield np.where(is_other, others, actions)


def started(num_envs: int = NUM_ENVS, seed: Any = 0, **kwargs: Any) -> CarcassonneVectorEnv:
    envs = CarcassonneVectorEnv(num_envs, **{"tiles": FEW, **kwargs})
    envs.reset(seed=seed)
    return envs


def models(envs: CarcassonneVectorEnv) -> list:
    return [envs.model(i) for i in range(envs.num_envs)]


def step_all(
    envs: CarcassonneVectorEnv, num_steps: int, illegal: float = 0
) -> Iterator[tuple[Any, ...]]:
    """Plays at random and resets what is over where nobody else does; yields all results."""
    for actions in sampled(envs, num_steps, illegal):
        result = envs.step(actions)
        yield result
        if envs.autoreset_mode == AutoresetMode.DISABLED and result[2].any():
            yield envs.reset(options={"reset_mask": result[2]})


# Equality with single environments


def native_and_single(
    mode: AutoresetMode, name: str = "Carcassonne-1p-3m-d", **kwargs: Any
) -> tuple[CarcassonneVectorEnv, Any]:
    options = {"autoreset_mode": mode}
    envs = gym.make_vec(name, NUM_ENVS, **options, **kwargs)
    return envs, gym.make_vec(name, NUM_ENVS, "sync", options, **kwargs)


def check_equality(envs: CarcassonneVectorEnv, singles: Any, num_steps: int) -> np.ndarray:
    """Steps native and single environments alike; all that they return is equal.

    Returns:
        How many episodes terminated, how many were truncated, and how many actions were illegal.
    """
    assert envs.metadata["autoreset_mode"] is singles.metadata["autoreset_mode"]
    assert envs.single_observation_space == singles.single_observation_space
    assert envs.observation_space == singles.observation_space
    assert envs.action_space == singles.action_space
    assert same(envs.reset(seed=3), singles.reset(seed=3))
    counts = np.zeros(3, dtype=int)
    for actions in sampled(envs, num_steps, 0.05):
        kept = actions.copy()
        result = envs.step(actions)
        assert same(result, singles.step(actions))
        assert same(actions, kept)
        is_over = result[2] | result[3]
        counts += [result[2].sum(), result[3].sum(), result[4]["illegal_action"].sum()]
        if envs.autoreset_mode == AutoresetMode.DISABLED and is_over.any():
            with pytest.raises(ResetNeeded, match="are over"):
                envs.step(actions)
            mask, seeds = is_over.copy(), list(range(len(is_over))) if counts.sum() % 2 else None
            observations, infos = envs.reset(seed=seeds, options={"reset_mask": mask})
            assert same(mask, is_over)
            expected = singles.reset(seed=seeds, options={"reset_mask": is_over.copy()})
            assert same(observations, expected[0])
            assert same(rows(infos, is_over), rows(expected[1], is_over))
            masks = [key for key in infos if key.startswith("_")]
            assert same([infos[key] for key in masks], [expected[1][key] for key in masks])
    return counts


@autoreset_modes
@configurations
@pytest.mark.slow(
    keep="^(flat|two_step|index|virtual lead|greedy|planes|rows of tiles|full infos|.*features|"
    "costly|stalling|base|limited.*|over.*)-"
)
def test_equal_to_single_environments(kwargs, mode):
    envs, singles = native_and_single(mode, **kwargs)
    assert type(envs) is CarcassonneVectorEnv
    assert [*envs.observation_space.spaces] == [*envs.single_observation_space.spaces]
    num_steps = 100 if isinstance(kwargs.get("tiles"), dict) else 150  # such games are short
    num_over, num_truncated, num_illegal = check_equality(envs, singles, num_steps)
    limit, is_over_at_once = kwargs.get("max_episode_steps"), len(kwargs.get("tiles", ())) == 2
    least_over, least_truncated = {None: (3 * NUM_ENVS, 0), 9: (3, 0)}.get(limit, (0, 3))
    assert num_over >= least_over
    assert num_truncated >= least_truncated
    assert limit or not num_truncated
    assert num_illegal > 0 or mode == AutoresetMode.SAME_STEP or is_over_at_once


@pytest.mark.parametrize("limit", [576, None, -1])
def test_ids_hand_their_limit_to_the_native_environment(limit):
    settings = {} if limit == 576 else {"max_episode_steps": limit}
    settings |= {"illegal_action": "noop", "observation": "none"}
    envs = gym.make_vec("Carcassonne-1p-3m-d", 2, **settings)
    envs.reset(seed=0)
    truncations = [envs.step(np.zeros(2, dtype=np.int64))[3].tolist() for _ in range(576)]
    assert truncations == [[False, False]] * 575 + [[limit == 576] * 2]


def test_steps_of_some_games_count_for_the_limit():
    envs = started(3, self_play=True, max_episode_steps=3, num_players=2)
    games = np.array([True, False, True])
    for i in range(7):
        is_over = envs.step_games(games, np.where(games, envs.sample_actions(), 0))
        assert is_over.tolist() == [i % 3 == 2, False, i % 3 == 2]
    assert [len(model.board) for model in models(envs)] == [2, 1, 2]


@pytest.mark.parametrize("seed", [[5, 5, 9], [4, None, 6], (1, 2, 3), np.int64(7), 0])
def test_seeds_and_the_streams_after_them_are_those_of_single_environments(seed):
    envs, singles = started(seed=seed), [CarcassonneEnv(tiles=FEW) for _ in range(NUM_ENVS)]
    seeds = [int(seed) + i for i in range(3)] if np.ndim(seed) == 0 else list(seed)
    for i, single in enumerate(singles):
        single.reset(seed=seeds[i])
    for _ in range(3):
        for i, single in enumerate(singles):
            assert envs.model(i) == single.model or seeds[i] is None
            single.reset()
        envs.reset()


def test_without_a_seed_games_differ():
    assert len({repr(started(seed=None).model(0).order) for _ in range(8)}) > 1


# Self-play


@pytest.mark.parametrize("action_mode", ACTION_MODES)
@pytest.mark.parametrize("num_threads", [1, 2])
def test_steps_of_some_games_are_those_of_a_step_and_leave_the_others(action_mode, num_threads):
    kwargs = {"num_players": 2, "action_mode": action_mode, "reward": "virtual", "tiles": FEW}
    kwargs |= {"self_play": True, "autoreset_mode": "SameStep", "illegal_action": "noop"}
    envs = CarcassonneVectorEnv(NUM_ENVS, **kwargs, num_threads=num_threads)
    twins = CarcassonneVectorEnv(NUM_ENVS, **kwargs)
    observations, infos = envs.reset(seed=2)
    expected, expected_infos = twins.reset(seed=2)
    draws, num_over = np.random.default_rng(0), 0
    for actions in sampled(twins, 60, illegal=0.05):
        games = draws.random(NUM_ENVS) < 0.5
        before = copy.deepcopy((observations, infos))
        is_over = envs.step_games(games, actions)
        illegal = expected["action_mask"].argmin(axis=1)  # changes nothing ("noop")
        result = twins.step(np.where(games, actions, illegal))
        expected, expected_infos = result[0], result[4]
        assert same(observations, expected)
        assert (is_over == result[2]).all()
        for name in ("rewards", "illegal_action", "current_player", "scores"):
            assert (infos[name][games] == expected_infos[name][games]).all()
            assert (infos[name][~games] == before[1][name][~games]).all()
        num_over += is_over.sum()
    assert num_over >= 3


@pytest.mark.parametrize("autoreset_mode", ["SameStep", "Disabled"])
def test_actions_of_games_that_are_not_stepped_have_no_effect(autoreset_mode):
    kwargs = {"self_play": True, "illegal_action": "raise", "autoreset_mode": autoreset_mode}
    envs = CarcassonneVectorEnv(3, **kwargs, tiles=FEW)
    observations, _ = envs.reset(seed=0)
    games = np.array([False, True, False])
    while not envs.step_games(games, np.where(games, envs.sample_actions(), -7)).any():
        pass
    assert [len(model.board) for model in models(envs)] == [1, 1, 1]
    illegal = observations["action_mask"].argmin(axis=1)
    with pytest.raises(InvalidAction, match=f"action {illegal[1]} is illegal in game 1"):
        envs.step_games(games, illegal)
    while not (is_over := envs.step(envs.sample_actions())[2]).any():
        pass
    assert not envs.step_games(~is_over, envs.sample_actions())[is_over].any()


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("num_players", "action_mode"), list(enumerate(ACTION_MODES, 1)))
def test_self_play_is_that_of_the_environment_for_several(num_players, action_mode, reward):
    kwargs = {"num_players": num_players, "action_mode": action_mode, "reward": reward}
    kwargs |= {"tiles": FEW, "deterministic": False, "num_meeples": 2}
    envs = CarcassonneVectorEnv(NUM_ENVS, **kwargs, self_play=True)
    singles = [carcassonne_env.env(**kwargs) for _ in range(NUM_ENVS)]
    observations, infos = envs.reset(seed=5)
    for i, single in enumerate(singles):
        single.reset(seed=5 + i)
    num_over = 0
    for actions in sampled(envs, 60, illegal=0.02):
        movers = infos["current_player"]
        for i, single in enumerate(singles):
            assert single.agent_selection == f"player_{movers[i]}"
            if not infos["illegal_action"][i]:  # PettingZoo shows no actions after an illegal one
                expected = single.observe(single.agent_selection)
                assert same({name: array[i] for name, array in observations.items()}, expected)
        observations, rewards, terminations, _, infos = envs.step(actions)
        for i, single in enumerate(singles):
            if any(single.terminations.values()):  # the step that resets
                single.reset()
                assert not terminations[i]
                assert rewards[i] == 0
            else:
                single.step(actions[i])
                assert terminations[i] == any(single.terminations.values())
                assert infos["rewards"][i].tolist() == [*single.rewards.values()]
                assert rewards[i] == infos["rewards"][i, movers[i]]
                is_illegal = any(info["illegal_action"] for info in single.infos.values())
                assert infos["illegal_action"][i] == is_illegal
            num_over += terminations[i]
            assert infos["scores"][i].tolist() == list(single.model.scores)
    assert num_over >= 3


def test_random_play_in_c_needs_random_opponents():
    with pytest.raises(ValueError, match='opponent="random"'):
        started(num_players=2, opponent="greedy").play_randomly(1, Rng(0))


@pytest.mark.parametrize("copy", [True, False])
def test_an_exception_of_an_opponent_needs_a_reset(copy):
    class Late:
        turns = 0

        def act(self, model):
            self.turns += 1
            if self.turns == 2:
                raise ZeroDivisionError
            return int(model.legal_actions()[0])

    envs = started(1, num_players=2, opponent=Late(), deterministic=False, copy=copy)
    envs.step(envs.sample_actions())
    with pytest.raises(ZeroDivisionError):
        envs.step(envs.sample_actions())
    with pytest.raises(ResetNeeded, match=r"exception in games \[0\]"):
        envs.step(np.array([0]))
    observations, _ = envs.reset(seed=1)
    first = {name: array[0] for name, array in observations.items()}
    assert same(first, envs.encoder.observe(envs.model(0), 0))
    envs.step(envs.sample_actions())


@pytest.mark.parametrize("action", [-1, 1.5, 2**40, None])
def test_an_illegal_action_of_an_opponent_is_refused(action):
    class Wrong:
        def act(self, model):
            return action

    with pytest.raises(ValueError, match=f"action {action} is not legal"):
        started(num_players=2, seat=1, opponent=Wrong())


def test_an_action_of_an_opponent_is_read_once():
    class First:
        def act(self, model):
            return Index(int(model.legal_actions()[0]), 10**9)

    envs = started(num_players=2, seat=1, opponent=First())
    assert [len(model.board) for model in models(envs)] == [2] * NUM_ENVS


# Making


@pytest.mark.parametrize("name", IDS)
def test_make_vec(name):
    check_equality(gym.make_vec(name, 2), SyncVectorEnv([partial(gym.make, name)] * 2), 1)


def test_episode_statistics():
    envs = gym.wrappers.vector.RecordEpisodeStatistics(gym.make_vec(IDS[3], num_envs=4))
    envs.reset(seed=0)
    returns, expected = [], []
    for actions in sampled(envs.unwrapped, 60):
        *_, terminations, _, infos = envs.step(actions)
        returns += infos["episode"]["r"][terminations].tolist() if terminations.any() else []
        expected += infos["scores"][terminations, 0].tolist()
    assert returns == expected
    assert len(returns) >= 8


# Fresh arrays


@autoreset_modes
@pytest.mark.parametrize("action_mode", ACTION_MODES)
def test_arrays_are_fresh_at_every_call(action_mode, mode):
    kwargs = {"action_mode": action_mode, "autoreset_mode": mode, "illegal_action": "terminate"}
    envs, others = started(**kwargs), started(**kwargs)
    wipe(envs.reset(seed=2))
    others.reset(seed=2)
    for result, expected in zip(step_all(envs, 50, 0.05), step_all(others, 50, 0.05), strict=True):
        assert same(result, expected)
        kept = copy.copy(result[2]) if len(result) == 5 else None
        wipe(result)
        if kept is not None:
            result[2][:] = kept  # which names the games to reset


def test_arrays_of_a_call_are_distinct():
    envs = started()
    for observations, *_, infos in (envs.reset(), envs.step(envs.sample_actions(Rng(0)))):
        assert infos.pop("action_mask") is observations["action_mask"]
        arrays = [*observations.values(), *infos.values()]
        for i, array in enumerate(arrays):
            for other in arrays[:i]:
                assert not np.may_share_memory(array, other)


def test_what_was_returned_stays_as_it_was():
    envs = started(autoreset_mode="SameStep")
    returned = list(step_all(envs, 15))
    kept = copy.deepcopy(returned)
    list(step_all(envs, 40))
    assert all(map(same, returned, kept))


# Kept arrays


@autoreset_modes
@configurations
@pytest.mark.slow(
    keep="^(flat|two_step|index|greedy|planes|rows of tiles|one array|scaled features|base)-"
)
def test_kept_arrays_show_what_new_ones_do(kwargs, mode):
    settings = {"max_episode_steps": 20, **kwargs, "autoreset_mode": mode}
    envs, twin = (CarcassonneVectorEnv(NUM_ENVS, **settings, copy=copy) for copy in (False, True))
    draws, (arrays, _) = np.random.default_rng(0), envs.reset(seed=3)
    assert same(arrays, twin.reset(seed=3)[0])
    for actions in sampled(twin, 60, illegal=0.02):
        result = envs.step(actions)
        assert same(result, twin.step(actions))
        assert all(result[0].pop(name) is array for name, array in arrays.items())
        is_over = (result[2] | result[3]) & (mode == AutoresetMode.DISABLED)
        if (mask := is_over | (draws.random(NUM_ENVS) < 0.1)).any():
            options = {"reset_mask": mask}
            assert same(envs.reset(options=options), twin.reset(options=options))


CHANGES: dict[str, dict[str, Any]] = {
    **{f"{count} threads": {"num_threads": count} for count in (2, 9)},
    "kept arrays": {"copy": False, "num_threads": 2},
    "no observations": {"observation": "none"},
}


@autoreset_modes
@pytest.mark.parametrize("action_mode", ACTION_MODES)
@pytest.mark.parametrize("self_play", [False, True])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_settings_that_change_no_game(change, self_play, action_mode, mode):
    settings = {"num_players": 2, "self_play": self_play, "action_mode": action_mode}
    settings |= {"deterministic": False}
    envs, twin = (started(**settings, autoreset_mode=mode, **more) for more in (change, {}))
    draws, is_seen = np.random.default_rng(0), "observation" not in change
    for result, expected in zip(step_all(envs, 40, 0.02), step_all(twin, 40, 0.02), strict=True):
        assert same(result, expected if is_seen else ({}, *expected[1:-1], {}))
        assert models(envs) == models(twin)
        if envs._batch.is_over().any():
            continue
        if self_play:
            games, actions = draws.random(NUM_ENVS) < 0.5, twin.sample_actions()
            assert same(envs.step_games(games, actions), twin.step_games(games, actions))
            assert not is_seen or same(envs._results.observations, twin._results.observations)
        elif draws.random() < 0.3:
            assert same(envs.play_randomly(3, Rng(2)), twin.play_randomly(3, Rng(2)))
    envs.close()
    twin.close()


# Illegal actions and wrong calls

CALLS: dict[str, Any] = {
    "action_masks": lambda envs: envs.action_masks(),
    "model": lambda envs: envs.model(0),
    "step": lambda envs: envs.step(np.zeros(envs.num_envs, np.int64)),
    "reset": lambda envs: envs.reset(seed=1),
    "sample_actions": lambda envs: envs.sample_actions(Rng(0)),
    "play_randomly": lambda envs: envs.play_randomly(1, Rng(0)),
}


def test_raise_leaves_all_games_unstepped():
    envs, untouched = (started(4, illegal_action="raise", deterministic=False) for _ in range(2))
    for actions in sampled(untouched, 20):
        before = models(envs)
        bad = actions.copy()
        bad[2] = (bad[2] // 36 * 36 - 36) % envs.single_action_space.n
        if not untouched._batch.is_over()[2]:
            with pytest.raises(InvalidAction, match=f"action {bad[2]} is illegal in game 2"):
                envs.step(bad)
        assert models(envs) == before
        assert same(envs.step(actions), untouched.step(actions))


BAD_ACTIONS = {
    **{"too few": [0, 0], "too many": [0] * 4, "two dimensions": [[0, 0, 0]], "a number": 0},
    "ragged": [[0], [0, 0], 0],
    **{"floats": [0.0, 1.0, 2.0], "booleans": [True, False, True], "text": ["0", "1", "2"]},
    **{"none": None, "negative": [0, -1, 0], "too large": [0, 0, 5184]},
    **{"far too large": [0, 0, 10**30], "unsigned": np.array([0, 0, 2**64 - 1], np.uint64)},
}
MASKS = {
    "a list": ([True, False, False], TypeError),
    "integers": (np.array([1, 0, 0]), TypeError),
    "too few": (np.array([True, False]), ValueError),
    "two dimensions": (np.array([[True, False, False]]), ValueError),
}
OPTIONS: dict[str, Any] = {
    "options must be a mapping .* 3": 3,
    "'tiles' and 'order', got .*'start'": {"start": 1},
    "at most 10 tiles, got 24": {"tiles": "small"},
    "order .* 'ABC'": {"order": "ABC"},
}
ANY_ERROR = TypeError, ValueError, Error
WRONG: dict[str, tuple[Any, ...]] = {
    **{
        f"actions: {name}": ("step", actions, InvalidAction, r"actions must be 3 .* \[0, 5184\)")
        for name, actions in BAD_ACTIONS.items()
    },
    **{
        f"games: {name}": ("step_games", games, error, "games must")
        for name, (games, error) in MASKS.items()
    },
    **{
        f"reset mask: {name}": ("options", {"reset_mask": mask}, error, "reset_mask must")
        for name, (mask, error) in {**MASKS, "none": (np.zeros(3, bool), ValueError)}.items()
    },
    **{f"option: {text}": ("options", value, ANY_ERROR, text) for text, value in OPTIONS.items()},
    **{f"model: {i}": ("model", i, TypeError, "i must be an integer") for i in (1.7, True, "1")},
    **{
        f"seed: {seed!r}": ("seed", seed, ANY_ERROR, "[Ss]eed")
        for seed in (
            *([1, 2], [1, 2, 3, 4], -1, [-1, 2, 3], "abc", [1.5, 2, 3], [True] * 3),
            np.arange(6).reshape(3, 2),
        )
    },
    **{
        f"number of steps: {number!r}": ("play", number, error, message)
        for numbers, error, message in (
            ((0, -1, 2**31), ValueError, r"num_steps must be in \[1, 2147483647\]"),
            ((1.5, True, None), TypeError, "num_steps must be an integer"),
            ((1,), ValueError, 'opponent="random"'),
        )
        for number in numbers
    },
}


@pytest.mark.parametrize("illegal_action", ["terminate", "raise"])
@pytest.mark.parametrize(("what", "value", "error", "message"), WRONG.values(), ids=WRONG)
def test_wrong_calls_are_refused_and_change_nothing(what, value, error, message, illegal_action):
    envs = started(self_play=True, illegal_action=illegal_action)
    before, zeros = models(envs), np.zeros(3, dtype=np.int64)
    calls = {
        "step": lambda: envs.step(value),
        "step_games": lambda: envs.step_games(value, zeros),
        "options": lambda: envs.reset(options=value),
        "seed": lambda: envs.reset(seed=value),
        "play": lambda: envs.play_randomly(value, Rng(0)),
        "model": lambda: envs.model(value),
    }
    with pytest.raises(error, match=message):
        calls[what]()
    assert models(envs) == before
    envs.step_games(np.ones(3, dtype=np.bool_), envs.sample_actions())


def test_steps_of_some_games_need_self_play():
    with pytest.raises(ValueError, match="step_games needs self_play=True"):
        started().step_games(np.ones(3, dtype=np.bool_), np.zeros(3, dtype=np.int64))


@pytest.mark.parametrize("kind", [np.int32, np.uint8, np.int64, list, tuple])
def test_integers_of_any_kind_are_actions(kind):
    envs = started(action_mode="index")
    is_type = kind in (list, tuple)
    envs.step(kind([0, 1, 2]) if is_type else np.array([0, 9, 1, 9, 2, 9], kind)[::2])
    assert [len(model.board) for model in models(envs)] == [2, 2, 2]


def test_no_call_but_reset_comes_before_the_first_one():
    envs = CarcassonneVectorEnv(2)
    with pytest.raises(ResetNeeded, match="the first reset"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    for name in CALLS.keys() - {"reset"}:
        with pytest.raises(ResetNeeded, match="not begun: call reset"):
            CALLS[name](envs)


def test_disabled_autoreset_wants_a_reset_of_what_is_over():
    envs = started(autoreset_mode=AutoresetMode.DISABLED)
    envs.step([envs.sample_actions(Rng(0))[0], 0, 0])
    before = models(envs)
    with pytest.raises(ResetNeeded, match=r"games \[1, 2\] are over: .* reset_mask"):
        envs.step([0, 0, 0])
    assert models(envs) == before
    envs.reset(options={"reset_mask": np.array([False, True, False])})
    with pytest.raises(ResetNeeded, match=r"games \[2\] are over"):
        envs.step([0, 0, 0])
    envs.reset(options={"reset_mask": np.array([False, True, True])})
    envs.step(envs.sample_actions(Rng(0)))
    assert len(envs.model(0).board) == 3


def test_options_are_those_of_single_environments():
    envs = started()
    envs.reset(options={"order": ORDER})
    assert {model.current_tile + model.order for model in models(envs)} == {ORDER}
    envs.reset(options={"tiles": {"B": 3, "D": 1}})
    assert {model.num_tiles for model in models(envs)} == {4}
    options = {"order": ORDER, "reset_mask": np.array([False, True, False])}
    envs.reset(options=options)
    assert [model.num_tiles for model in models(envs)] == [4, 10, 4]
    assert list(options) == ["order", "reset_mask"]
    envs.reset()
    assert {model.num_tiles for model in models(envs)} == {10}


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_vector_environments_are_not_copied(duplicate):
    for envs in (CarcassonneVectorEnv(2, tiles=FEW), started()):
        with pytest.raises(TypeError, match="vector environments cannot be copied or pickled"):
            duplicate(envs)


def test_closed_environments_refuse_to_go_on():
    envs = started()
    envs.close()
    for name in CALLS.keys() - {"model", "action_masks"}:
        with pytest.raises(ClosedEnvironmentError, match=r"close\(\)"):
            CALLS[name](envs)


@pytest.mark.parametrize("action_mode", ACTION_MODES)
def test_attributes_and_methods_of_games(action_mode):
    envs = started(action_mode=action_mode)
    singles = [CarcassonneEnv(tiles=FEW, action_mode=action_mode) for _ in range(NUM_ENVS)]
    for i, single in enumerate(singles):
        single.reset(seed=i)
    for actions in sampled(envs, 4):
        masks = [single.action_masks() for single in singles]
        assert same(envs.action_masks(), np.array(masks))
        assert same(envs.call("action_masks"), tuple(masks))
        assert envs.get_attr("model") == tuple(single.model for single in singles)
        model_actions = envs.call("model_action", int(actions[0]))
        assert model_actions == tuple(s.model_action(int(actions[0])) for s in singles)
        with pytest.raises(InvalidAction, match="action must be an integer in"):
            envs.call("model_action", 10**9)
        envs.step(actions)
        for single, action in zip(singles, actions, strict=True):
            single.step(action)
    for name in ("seat", "illegal_action", "action_space", "observation_space", "np_random_seed"):
        expected = tuple(getattr(single, name) for single in singles)
        assert envs.get_attr(name) == envs.call(name) == expected
    envs.action_masks().fill(7)
    assert envs.action_masks().max() == 1
    with pytest.raises(AttributeError, match="points"):
        envs.get_attr("points")
    with pytest.raises(AttributeError, match=r"step\(\) is for all games at once"):
        envs.call("step", actions)
    with pytest.raises(AttributeError, match="'seat' cannot be set"):
        envs.set_attr("seat", 1)


def test_actions_are_sampled_by_the_seed_of_the_reset():
    envs, twin = started(5, seed=3), started(5, seed=3)
    assert same(envs.sample_actions(), twin.sample_actions())
    assert envs.np_random.random() == twin.np_random.random()  # which wrappers draw from
    samples = [started(5, seed=other).sample_actions() for other in (4, 5, 6)]
    assert len({tuple(sample) for sample in samples}) > 1


@pytest.mark.parametrize("deterministic", [True, False])
def test_sampled_actions_do_not_depend_on_the_tiles_drawn(deterministic):
    """Given the tile, all its actions are equally likely."""
    tiles = {"B": 1, "D": 2, "U": 1, "X": 1}
    envs = CarcassonneVectorEnv(2, deterministic=deterministic, tiles=tiles, num_meeples=0)
    counts: dict[tuple[int, int], np.ndarray] = {}
    for seed in range(1500):
        observations, infos = envs.reset(seed=seed)
        actions = envs.sample_actions()
        seen = zip(infos["current_tile"], observations["action_mask"], strict=True)
        for i, (tile, mask) in enumerate(seen):
            legal = np.flatnonzero(mask)
            counts.setdefault((i, tile), np.zeros(len(legal)))[legal == actions[i]] += 1
    assert len(counts) == 2 * 4
    for count in counts.values():
        expected = count.mean()
        degrees = len(count) - 1
        excess = ((count - expected) ** 2).sum() / expected - degrees
        assert excess <= 5 * np.sqrt(2 * degrees)


def test_the_stream_of_sampled_actions_is_that_of_no_game():
    generators = started(1, seed=3)._sampler, Rng(seeding.np_random(3)[0]), Rng(3)
    assert len({rng.random() for rng in generators for _ in range(5)}) == 15


# Beside Gymnasium's interface


def test_models_are_copies():
    envs = started()
    model = envs.model(1)
    model.rollout(0)
    assert not envs.model(1).is_terminal()
    for i in (-1, 3):
        with pytest.raises(IndexError, match=rf"\[0, 3\), got {i}"):
            envs.model(i)


@pytest.mark.parametrize(
    "kwargs",
    [
        {"max_episode_steps": 4},
        *({"num_players": 2, "seat": 1, "reward": reward} for reward in REWARDS),
    ],
    ids=str,
)
def test_random_play_in_c_is_that_of_sampled_actions(kwargs):
    envs, twin = (started(1, **kwargs, autoreset_mode="SameStep") for _ in range(2))
    rewards, ends = envs.play_randomly(100, Rng(5))
    assert rewards.shape == ends.shape == (100, 1)
    assert rewards.dtype == np.float64
    assert ends.dtype == np.bool_
    rng = Rng(5)
    for row, is_over in zip(rewards, ends, strict=True):
        _, expected, terminated, truncated, _ = twin.step(twin.sample_actions(rng))
        assert same(row, expected)
        assert same(is_over, terminated | truncated)
    assert ends.any()
    assert models(envs) == models(twin)


def test_random_play_in_c_goes_on_from_games_that_are_over():
    envs = started(1, autoreset_mode=AutoresetMode.DISABLED)
    while not envs.step(envs.sample_actions(Rng(0)))[2]:
        pass
    rewards, terminations = envs.play_randomly(200, Rng(0))
    assert terminations.sum() >= 200 // sum(FEW.values())
    assert not envs.play_randomly(1, Rng(0))[1]
    assert rewards.any()


@pytest.mark.parametrize("action_mode", ACTION_MODES)
def test_sampled_actions_are_legal_and_follow_the_seed(action_mode):
    envs = started(5, action_mode=action_mode, illegal_action="raise")
    observations, _ = envs.reset(seed=1)
    rng, twin, drawn = Rng(0), Rng(0), set()
    for _ in range(40):
        actions = envs.sample_actions(rng)
        assert same(actions, envs.sample_actions(twin))
        assert actions.dtype == np.int64
        for i, mask in enumerate(observations["action_mask"]):
            assert mask[actions[i]] == 1 or (not mask.any() and actions[i] == 0)
        drawn.update(actions.tolist())
        observations, *_ = envs.step(actions)
    assert len(drawn) > 20


# Interrupts and threads

SLOW = {"num_players": 5, "tiles": "base", "num_meeples": 7, "observation": "none"}
"""Games of which a step takes long, with all that the other players do."""


@pytest.mark.parametrize("num_threads", [1, 3])
def test_after_an_interrupt_no_thread_works_on(num_threads, interrupt_after):
    envs = CarcassonneVectorEnv(2500, **SLOW, num_threads=num_threads)
    envs.reset(seed=0)
    first_actions = envs.sample_actions(Rng(0))
    start = time.perf_counter()
    envs.step(first_actions)
    seconds = time.perf_counter() - start
    for trial in range(3):
        actions = envs.sample_actions(Rng(trial))
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            interrupt_after(seconds / 4)
            envs.step(actions)
            time.sleep(10)
        before = [envs.model(last - 1) for _, last in envs._ranges]
        time.sleep(0.1)
        assert [envs.model(last - 1) for _, last in envs._ranges] == before
    envs.reset(seed=0)
    assert same(envs.sample_actions(Rng(0)), first_actions)
    envs.close()


def test_parts_of_a_step_that_begin_too_late_do_nothing():
    """As when an interrupt falls between the submission of a part and the wait for it."""
    envs = started(observation="none")
    before, submitted = models(envs), []

    def submit(step, first, last):
        submitted.append(partial(step, first, last))
        raise KeyboardInterrupt

    results = Results(envs._batch, False)
    with pytest.raises(KeyboardInterrupt):
        envs._batch.step(envs.sample_actions(Rng(0)), results, submit, [(0, 3)])
    submitted[0]()
    assert models(envs) == before


@pytest.mark.parametrize(("num_envs", "num_steps"), [(1, 10**6), (500, 2000)])
def test_random_play_in_c_is_interrupted_at_once(num_envs, num_steps, interrupt_after):
    envs = CarcassonneVectorEnv(num_envs, **SLOW)
    envs.reset(seed=0)
    interrupt_after(0.1)
    start = time.thread_time()
    with pytest.raises(KeyboardInterrupt):
        envs.play_randomly(num_steps, Rng(0))
    assert time.thread_time() - start < 0.1 + 0.2
    envs.reset(seed=0)
    assert envs.model(0).num_tiles == 72


def is_busy(envs: CarcassonneVectorEnv) -> bool:
    try:
        envs.model(0)
    except RuntimeError:
        return True
    return False


def test_games_that_another_thread_plays_are_refused():
    envs, twin = (CarcassonneVectorEnv(1, **SLOW) for _ in range(2))
    for each in (envs, twin):
        each.reset(seed=0)
    with ThreadPoolExecutor(1) as executor:
        playing = executor.submit(envs.play_randomly, 300_000, Rng(0))
        assert soon(lambda: is_busy(envs))
        for call in CALLS.values():
            with pytest.raises(RuntimeError, match="busy: another thread"):
                call(envs)
        assert not playing.done()
        assert same(playing.result(), twin.play_randomly(300_000, Rng(0)))
    assert envs.model(0) == twin.model(0)
    assert same(envs.reset(), twin.reset())


def in_vain(envs: CarcassonneVectorEnv, *calls: Callable[[CarcassonneVectorEnv], Any]) -> Any:
    """Steps a part of a step, and calls before the other parts, which is refused."""

    def submit(step, first, last):
        part: Future[None] = Future()
        part.set_result(step(first, last))
        for call in calls:
            with pytest.raises(RuntimeError, match="busy: another thread"):
                call(envs)
        return part

    return submit


def test_games_in_the_middle_of_a_step_are_refused():
    envs, twin = started(), started()
    actions = envs.sample_actions(Rng(0))
    results = Results(envs._batch, True)
    envs._batch.step(actions, results, in_vain(envs, *CALLS.values()), [(0, 1), (1, 3)])
    assert same(results.observations, twin.step(actions)[0])
    assert models(envs) == models(twin)


def test_a_step_that_is_refused_leaves_what_was_returned():
    envs = started(self_play=True)
    observations, _ = envs.reset(seed=0)
    kept, games, actions = copy.deepcopy(observations), np.arange(3) == 0, envs.sample_actions()
    calls = (lambda e: e.step(actions)), (lambda e: e.step_games(games, actions))
    envs._batch.step(actions, Results(envs._batch, True), in_vain(envs, *calls), [(0, 3)])
    assert same(observations, kept)
    envs.step_games(games, envs.sample_actions())
    first, model = {name: array[0] for name, array in observations.items()}, envs.model(0)
    assert same(first, envs.encoder.observe(model, model.mover))


def test_threads_may_do_anything_at_any_time():
    """Every call of several threads succeeds, or is refused; no game is ever broken."""
    envs = CarcassonneVectorEnv(64, num_players=2, num_threads=2, deterministic=False)
    envs.reset(seed=0)
    end = time.monotonic() + 1

    def misuse(name):
        num_refused = 0
        while time.monotonic() < end:
            try:
                CALLS[name](envs)
            except RuntimeError:
                num_refused += 1
        return num_refused

    with ThreadPoolExecutor(len(CALLS)) as executor:
        assert sum(executor.map(misuse, CALLS)) > 0
    check_forward_model(envs.model(0).clone, num_games=3)
    envs.reset(seed=0)
    assert models(envs) == models(started(64, num_players=2, deterministic=False, tiles="small"))
    envs.close()


# Memory


def test_more_threads_than_games_take_no_memory():
    tracemalloc.start()
    try:
        envs = started(num_threads=10**6)
        envs.step(envs.sample_actions())
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()
    envs.close()


# Other vector environments


@pytest.mark.parametrize("action_mode", ACTION_MODES)
@pytest.mark.parametrize("names", [IDS[:4], IDS[4:]], ids=["1p", "2p"])
@pytest.mark.slow(keep="flat")
def test_spawned_environments_of_every_id(names, action_mode, monkeypatch):
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    settings = {"action_mode": action_mode}
    makers = [partial(gym.make, f"carcassonne_env:{name}", **settings) for name in names]
    spawned, here = AsyncVectorEnv(makers, context="spawn"), SyncVectorEnv(makers)
    result = here.reset(seed=5)
    assert same(spawned.reset(seed=5), result)
    here.action_space.seed(5)
    for i in range(8):
        masks = result[0]["action_mask"]
        is_illegal = i == 4
        actions = masks.argmin(1) if is_illegal else here.action_space.sample(tuple(masks))
        result = here.step(actions)
        assert same(spawned.step(actions), result)
        assert result[2].all() == is_illegal
    spawned.close()
