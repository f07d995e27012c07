"""Stable-Baselines3: its checker, its processes, MaskablePPO trained and asked with the masks."""

from __future__ import annotations

import copy
import multiprocessing
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, InvalidAction
from gymnasium.utils.env_checker import data_equivalence

import carcassonne_env
from agents import MCTS, Agent
from carcassonne_env import PolicyAgent
from fop_env import FUNCTIONS

ONE_MEEPLE = "carcassonne_env:Carcassonne-1p-1m-d"
ONE_PLAYER = [f"carcassonne_env:Carcassonne-1p-{m}m-{order}" for m in (1, 3) for order in "ds"]
TWO_PLAYERS = ["carcassonne_env:Carcassonne-2p-7m-s"]
FOP = [f"fop_env:FOP-{function}" for function in FUNCTIONS]
ALIKE = {
    f"{players}-{mode}": (names, {"action_mode": mode})
    for players, names in (("1p", ONE_PLAYER), ("2p", TWO_PLAYERS))
    for mode in ("flat", "two_step", "index")
}
"""All environments, those of equal spaces together."""
every_environment = pytest.mark.parametrize(
    ("names", "settings"), [*ALIKE.values(), (FOP, {})], ids=[*ALIKE, "FOP"]
)


def setup_module() -> None:
    """Imports what takes seconds once tests need it, so not where tests are only collected."""
    global torch, MaskablePPO, is_masking_supported, check_env, make_vec_env
    global DummyVecEnv, SubprocVecEnv, VecEnv, NativeVecEnv, RivalsVecEnv, without_copies
    global evaluate_policy
    pytest.importorskip("stable_baselines3")
    pytest.importorskip("sb3_contrib")
    import torch
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.utils import is_masking_supported
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.evaluation import evaluate_policy
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv

    from carcassonne_env.sb3 import NativeVecEnv, RivalsVecEnv, without_copies


# Unavoidable: the checker takes any array of three dimensions for an image, which it wants to be
# uint8 from 0 to 255 (such are fed to a CNN made for photographs) and 36 pixels wide; and the mode
# "index" has tables of its actions, neither images nor vectors.
@pytest.mark.filterwarnings("ignore:.*(image|unconventional shape):UserWarning")
@pytest.mark.parametrize("is_wrapped", [True, False], ids=["wrapped", "unwrapped"])
@every_environment
def test_check_env(names, settings, is_wrapped):
    for name in names:
        env = gym.make(name, **settings)
        check_env(env if is_wrapped else env.unwrapped)
    if names != FOP:
        settings = {**settings, "board_size": 9, "info": "full", "reward": "virtual"}
        for observation in ("features", "planes", "flat"):
            check_env(gym.make(names[-1], **settings, observation=observation))


def played(envs: VecEnv) -> Iterator[list[Any]]:
    """Plays legal actions and, where there is one, an illegal one; yields what comes back."""
    envs.seed(5)
    yield [dict(envs.reset())]
    for i in range(6):
        masks = np.array(envs.env_method("action_masks"))
        actions = masks.argmin(axis=1) if i == 4 else masks.argmax(axis=1)
        observations, rewards, is_over, infos = envs.step(actions)
        yield [dict(observations), rewards.tolist(), is_over.tolist(), list(infos)]
    envs.close()


@pytest.mark.parametrize(
    ("names", "settings"),
    [
        (ONE_PLAYER[1:3], {"action_mode": "index"}),
        (TWO_PLAYERS, {"action_mode": "two_step"}),
        (FOP[:2], {}),
    ],
    ids=["1p", "2p", "FOP"],
)
def test_environments_of_other_processes_are_equal_to_those_here(names, settings, monkeypatch):
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    # The processes come, as by default, from a server that was spawned. It loads what takes long,
    # PyTorch above all, once for all of them; the environments are imported by each.
    multiprocessing.set_forkserver_preload(["stable_baselines3"])
    makers = [partial(gym.make, name, **settings) for name in names]
    expected = list(played(DummyVecEnv(makers)))
    results = list(played(SubprocVecEnv(makers)))
    assert data_equivalence(results, expected, exact=True)
    assert all(expected[5][2]) == ("FOP" not in names[0])


# The native vector environment


@pytest.mark.parametrize("action_mode", ["flat", "two_step", "index"])
@pytest.mark.parametrize("name", [ONE_MEEPLE, *TWO_PLAYERS])
@pytest.mark.parametrize("max_episode_steps", [None, 1])
def test_native_environments_are_those_of_processes(name, action_mode, max_episode_steps):
    settings = {"action_mode": action_mode, "tiles": {"B": 2, "D": 2, "E": 1}, "reward": "virtual"}
    settings |= {"max_episode_steps": max_episode_steps, "info": "full"}
    envs = NativeVecEnv(name, 3, reward_scale=0.5, **settings)
    singles = make_vec_env(name, 3, env_kwargs=settings)
    given = [{}, {"order": "EBDB"}, {"tiles": {"B": 1, "D": 1}}], {"order": "BEBD"}, None
    for options in given:
        for vec in (envs, singles):
            vec.seed(7)
            if options is not None:  # they count for one reset
                vec.set_options(options)
        assert data_equivalence(dict(envs.reset()), dict(singles.reset()), exact=True)
    num_over = num_cut_off = 0
    for i in range(25):
        masks = np.array(envs.env_method("action_masks"))
        assert (masks == np.array(singles.env_method("action_masks"))).all()
        actions = masks.argmin(axis=1) if i == 9 else masks.argmax(axis=1)
        results = [vec.step(actions) for vec in (envs, singles)]
        (observations, rewards, is_over, infos), expected = results
        assert data_equivalence(dict(observations), dict(expected[0]), exact=True)
        assert (rewards == 0.5 * expected[1]).all()
        assert rewards.dtype == np.float32
        assert (is_over == expected[2]).all()
        for info, other in zip(infos, expected[3], strict=True):
            assert info.get("episode", {}).get("r") == other.get("episode", {}).get("r")
            assert info.get("episode", {}).get("l") == other.get("episode", {}).get("l")
            is_cut_off = info.get("TimeLimit.truncated", False)
            assert is_cut_off == other["TimeLimit.truncated"]
            num_cut_off += is_cut_off
            last, expected_last = (i.get("terminal_observation") for i in (info, other))
            assert data_equivalence(last, expected_last, exact=True)
            assert info.keys() == (other.keys() if "episode" in other else set())
            for key in info.keys() - {"episode", "terminal_observation"}:
                np.testing.assert_array_equal(info[key], other[key])
        num_over += sum(is_over)
    assert num_over >= 6
    assert (num_cut_off > 6) == (max_episode_steps is not None)
    envs.close()
    with pytest.raises(ClosedEnvironmentError):
        envs.step(actions)


def test_attributes_of_native_environments():
    envs = NativeVecEnv(ONE_MEEPLE, 3)
    assert is_masking_supported(envs)
    assert all(map(envs.has_attr, ("model", "env_action", "np_random_seed", "seat")))
    assert not envs.has_attr("points")
    assert not envs.has_attr("reset")
    assert envs.get_attr("seat", [0, 2]) == [0, 0]
    assert envs.env_is_wrapped(gym.Wrapper) == [False] * 3
    envs.reset()
    assert [model.num_players for model in envs.get_attr("model", 1)] == [1]
    with pytest.raises(AttributeError, match="'seat' cannot be set"):
        envs.set_attr("seat", 1)
    NativeVecEnv(ONE_MEEPLE, 1, autoreset_mode=gym.vector.AutoresetMode.SAME_STEP)
    with pytest.raises(ValueError, match="self_play must be False in NativeVecEnv, got True"):
        NativeVecEnv(TWO_PLAYERS[0], 2, self_play=True)
    with pytest.raises(ValueError, match="copy must be True in NativeVecEnv, got False"):
        NativeVecEnv(ONE_MEEPLE, 2, copy=False)
    with pytest.raises(ValueError, match="observation must be one of"):
        NativeVecEnv(ONE_MEEPLE, 2, observation="none")
    with pytest.raises(ValueError, match=r"env_id must be .* got 'CartPole-v1'"):
        NativeVecEnv("CartPole-v1", 2)
    with pytest.raises(ValueError, match="reward_scale"):
        NativeVecEnv(ONE_MEEPLE, 2, reward_scale=0)


class Illegal:
    """Predicts illegal actions."""

    def predict(self, observation: dict[str, Any], **_: Any) -> tuple[Any, None]:
        return observation["action_mask"].argmin(axis=1), None


def test_evaluations_count_returns_without_the_scale():
    envs = NativeVecEnv(ONE_MEEPLE, 2, reward_scale=0.5)
    assert evaluate_policy(Illegal(), envs, 3) == (-1, 0)


def test_maskable_ppo_learns_on_native_environments():
    torch.set_num_threads(1)
    settings = {"action_mode": "two_step", "reward": "virtual", "observation": "flat"}
    settings |= {"tiles": {"B": 3, "D": 2, "E": 1}, "illegal_action": "raise"}
    envs = NativeVecEnv(ONE_MEEPLE, 4, **settings)
    options = {"n_steps": 16, "batch_size": 32, "n_epochs": 1, "seed": 0, "device": "cpu"}
    policy = {"net_arch": [4]}
    first, second = (
        MaskablePPO("MultiInputPolicy", envs, policy_kwargs=policy, **options)
        .learn(128)
        .ep_info_buffer
        for _ in range(2)
    )
    assert len(first) >= 4
    assert [episode["r"] for episode in first] == [episode["r"] for episode in second]


# Rivals

SHORT = {"tiles": {"B": 2, "D": 2, "E": 2}, "action_mode": "two_step", "reward": "virtual"}
"""Games of five turns."""


def last_legal(observation: dict[str, Any], info: dict[str, Any]) -> Any:
    """The last legal action in one game, or in each of many."""
    masks = info["action_mask"]
    return masks.shape[-1] - 1 - masks[..., ::-1].argmax(axis=-1)


def test_options_are_those_of_the_next_games_against_rivals():
    envs = RivalsVecEnv(TWO_PLAYERS[0], 2, ["random"], **SHORT)
    envs.set_options([{}, {"tiles": {"B": 2, "D": 1}}])
    for num_tiles in ([6, 3], [6, 6]):
        envs.reset()
        assert [model.num_tiles for model in envs.get_attr("model")] == num_tiles


class AgainstRival:
    """A game in the environment for several, in which a rival plays all seats but one."""

    def __init__(self, game: Any, rival: Agent, seat: int) -> None:
        self.game, self.rival, self.seat = game, rival, seat
        self.gain = 0.0

    def turn(self, next_seat: int, action: Any = None) -> tuple[float, bool]:
        """The gain and whether the game ended, up to the next turn of the learner.

        If it ends, the learner has another seat in the next game.
        """
        result = None
        while action is not None or self.game.agent_selection != f"player_{self.seat}":
            self.game.step(self.rival.act(self.game) if action is None else action)
            self.gain += self.game.rewards[f"player_{self.seat}"]
            action = None
            if any(self.game.terminations.values()):
                result = self.gain, True
                self.game.reset()
                self.seat, self.gain = next_seat, 0.0
        if result is None:
            result, self.gain = (self.gain, False), 0.0
        return result


@pytest.mark.parametrize("action_mode", ["flat", "two_step", "index"])
@pytest.mark.parametrize(("is_agent", "num_players"), [(False, 2), (False, 3), (True, 2)])
def test_games_against_rivals_are_those_of_the_environment_for_several(
    is_agent, num_players, action_mode
):
    settings = {**SHORT, "num_players": num_players, "action_mode": action_mode}
    games = [carcassonne_env.env(**settings) for _ in range(3)]
    agent = PolicyAgent(last_legal, games[0])
    envs = RivalsVecEnv(TWO_PLAYERS[0], 3, [agent if is_agent else last_legal], **settings)
    envs.seed(3)
    observations = envs.reset()
    singles = [AgainstRival(*given) for given in zip(games, [agent] * 3, envs.seats, strict=True)]
    for i, single in enumerate(singles):
        single.game.reset(seed=3 + i)
        single.gain, _ = single.turn(single.seat)
    seats, num_over = set(), 0
    for _ in range(30):
        for i, game in enumerate(games):
            row = {name: array[i] for name, array in observations.items()}
            assert data_equivalence(row, game.observe(f"player_{envs.seats[i]}"), exact=True)
        actions = observations["action_mask"].argmax(axis=1)
        observations, rewards, is_over, infos = envs.step(actions)
        for i, single in enumerate(singles):
            assert (rewards[i], is_over[i]) == single.turn(envs.seats[i], actions[i])
            assert ("episode" in infos[i]) == is_over[i]
        seats.update(envs.seats.tolist())
        num_over += is_over.sum()
    assert seats == set(range(num_players))
    assert num_over >= 6


def test_rivals_are_drawn_and_asked_once_for_all_games_that_wait():
    sizes = []

    def policy(observations, info):
        assert (observations["action_mask"] == info["action_mask"]).all()
        sizes.append(len(info["action_mask"]))
        return last_legal(observations, info)

    class Counting(MCTS):
        asked = 0

        def choose(self, model):
            Counting.asked += 1
            return super().choose(model)

    envs = RivalsVecEnv(TWO_PLAYERS[0], 32, [Counting(3, seed=0)], **SHORT)
    envs.seed(0)
    observations = envs.reset()
    first = Counting.asked  # once a turn, which is of two actions
    assert 8 <= first <= 24
    envs.add_rival(policy)
    for _ in range(20):
        observations, *_ = envs.step(observations["action_mask"].argmax(axis=1))
    assert sum(sizes) > 4 * len(sizes)
    assert Counting.asked > first


def test_rivals_follow_the_seed():
    def returns(envs, seed):
        envs.seed(seed)
        observations = envs.reset()
        results = [envs.seats.tolist()]
        for _ in range(12):
            observations, rewards, *_ = envs.step(observations["action_mask"].argmax(axis=1))
            results.append(rewards.tolist())
        return results

    rivals = ["random", "mcts(iterations=3)", MCTS(3, seed=1)]
    envs = RivalsVecEnv(TWO_PLAYERS[0], 4, rivals, **SHORT)
    twin = RivalsVecEnv(TWO_PLAYERS[0], 4, rivals, **SHORT)
    first = returns(envs, 5)
    assert returns(twin, 5) == first
    assert returns(envs, 5) == first  # the rivals begin anew
    assert returns(envs, 6) != first


def test_the_stream_of_rivals_is_not_that_of_the_first_game():
    envs = RivalsVecEnv(TWO_PLAYERS[0], 64, [last_legal], **SHORT)
    envs.seed(3)
    envs.reset()
    assert envs.seats.tolist() != np.random.default_rng(3).integers(2, size=64).tolist()


def test_networks_play_as_predicted():
    envs = RivalsVecEnv(TWO_PLAYERS[0], 8, ["random"], **SHORT)
    model = MaskablePPO("MultiInputPolicy", envs, n_steps=2, seed=0, device="cpu")
    envs.seed(0)
    observations = envs.reset()
    chosen = without_copies(model)
    assert without_copies("greedy") == "greedy"
    assert without_copies(last_legal) is last_legal
    for _ in range(8):
        masks = observations["action_mask"]
        expected, _ = model.predict(observations, action_masks=masks, deterministic=True)
        assert (chosen(observations, {"action_mask": masks}) == expected).all()
        observations, *_ = envs.step(expected)


def test_a_network_with_its_own_predict_keeps_it():
    class Careful(MaskablePPO):
        def predict(self, observation, *args, **kwargs):
            return last_legal(observation, {"action_mask": kwargs["action_masks"]}), None

    envs = RivalsVecEnv(TWO_PLAYERS[0], 2, ["random"], **SHORT)
    model = Careful("MultiInputPolicy", envs, n_steps=2, seed=0, device="cpu")
    assert without_copies(model) is model


def test_games_without_a_turn_of_the_learner_are_left_out():
    envs = RivalsVecEnv(TWO_PLAYERS[0], 4, ["greedy"], tiles={"B": 1, "D": 1})
    observations = envs.reset()
    for _ in range(5):
        assert envs.seats.tolist() == [0] * 4
        observations, _, is_over, _ = envs.step(observations["action_mask"].argmax(axis=1))
        assert is_over.all()


def test_bad_rivals_and_illegal_actions_are_named():
    envs = RivalsVecEnv(TWO_PLAYERS[0], 2, ["random"], **SHORT)
    observations = envs.reset()
    action = observations["action_mask"][1].argmin()
    with pytest.raises(InvalidAction, match=rf"action {action} is illegal in game 1"):
        envs.step(np.array([observations["action_mask"][0].argmax(), action]))
    with pytest.raises(TypeError, match="a learned policy must have predict"):
        envs.add_rival(5)
    with pytest.raises(ValueError, match="nobody"):
        envs.add_rival("nobody")
    with pytest.raises(ValueError, match="rival='ppo-1p-3m-s' cannot play this game"):
        envs.add_rival("ppo-1p-3m-s")
    for name, mode in ((ONE_MEEPLE, "two_step"), (TWO_PLAYERS[0], "index")):
        others = NativeVecEnv(name, 2, **{**SHORT, "action_mode": mode})
        with pytest.raises(ValueError, match="rival must have learned with the observation_space"):
            envs.add_rival(MaskablePPO("MultiInputPolicy", others, n_steps=2, device="cpu"))
    with pytest.raises(
        ValueError, match=r"with the action_space Discrete\(\d+\), got Discrete\(9\)"
    ):
        envs.add_rival(SimpleNamespace(action_space=gym.spaces.Discrete(9)))
    envs.seed(0)
    envs.reset()  # without those that were refused
    for rivals in ([], "greedy"):
        with pytest.raises(ValueError, match="rivals must be a list of one rival or more"):
            RivalsVecEnv(TWO_PLAYERS[0], 2, rivals)
    with pytest.raises(ValueError, match="env_id must be of a game for two or more players"):
        RivalsVecEnv(ONE_MEEPLE, 2, ["greedy"])
    fixed = {"opponent": "greedy", "seat": 1, "illegal_action": "raise", "max_episode_steps": 9}
    for name, value in fixed.items():
        with pytest.raises(ValueError, match=f"{name} must be .* in RivalsVecEnv, got '?{value}"):
            RivalsVecEnv(TWO_PLAYERS[0], 2, ["greedy"], **{name: value})


@pytest.fixture(scope="module")
def learner():
    """A tiny network after a few hundred steps, in which an illegal action would have raised."""
    torch.set_num_threads(1)  # for so small a network more threads are slower
    envs = make_vec_env(ONE_MEEPLE, n_envs=2, seed=0, env_kwargs={"illegal_action": "raise"})
    options = {"n_steps": 32, "batch_size": 32, "n_epochs": 1, "seed": 0, "device": "cpu"}
    policy = {"net_arch": [4]}
    return MaskablePPO("MultiInputPolicy", envs, policy_kwargs=policy, **options).learn(256)


def test_learning_plays_whole_episodes(learner):
    lengths = [episode["l"] for episode in learner.ep_info_buffer]
    assert len(lengths) == 2 * (128 // 23)
    assert all(20 <= length <= 23 for length in lengths)  # a tile or two may be discarded


def test_learner_is_an_agent(learner):
    env = gym.make(ONE_MEEPLE)
    observation, info = env.reset(seed=2)
    agent = copy.deepcopy(PolicyAgent(learner, env))
    masks = info["action_mask"]
    assert agent.act(env) == learner.predict(observation, action_masks=masks, deterministic=True)[0]
