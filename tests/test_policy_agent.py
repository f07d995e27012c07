"""Learned policies as agents: what they are shown, what is played, in every place of a planner."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import carcassonne_env.players.policy_agent
import envs
from agents import MCTS
from agents.agent import PlayerError
from carcassonne_env import CarcassonneModel, PolicyAgent, TwoStepAgent
from carcassonne_env.encoding import Encoder
from carcassonne_env.gymnasium_env import CarcassonneEnv
from envs import modes, same, steps
from games import TicTacToe
from playing import FEW, LastMaskedLearner, last_seen

SETTINGS = {"num_players": 2, "num_meeples": 3, "tiles": FEW, "deterministic": False}


class LastLegal(LastMaskedLearner):
    """Keeps what it is shown."""

    shown: tuple[Any, Any] = None, None

    def predict(
        self, observation: Any, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[np.ndarray, None]:
        self.shown = observation, action_masks
        return super().predict(observation, deterministic, action_masks)


class LastNumber:
    """The same by other means: among the model's actions the one of the highest number."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder

    def act(self, model: CarcassonneModel) -> int:
        return max(model.legal_actions(), key=lambda action: self.encoder.encode(model, action))


started = partial(envs.started, partial(CarcassonneEnv, **SETTINGS))
"""An environment after a reset."""


@modes
@pytest.mark.parametrize("more", [{}, {"info": "full"}], ids=str)
def test_policies_are_shown_what_every_mover_sees(mode, more):
    env = carcassonne_env.env(**SETTINGS, action_mode=mode, **more)
    env.reset(seed=1)
    shown = []
    agent = PolicyAgent(lambda *both: shown.append(both) or last_seen(*both), env)
    for _ in env.agent_iter():
        observation, _, is_over, _, info = env.last()
        action = None if is_over else agent.act(env)
        info = {"action_mask": observation["action_mask"], **info}
        assert is_over or same(shown.pop(), (observation, info))
        assert is_over or action == last_seen(observation, info)
        env.step(action)
    assert env.model.is_terminal()


@modes
def test_models_of_learning_libraries_are_asked_with_the_mask(mode):
    env, policy = started(action_mode=mode), LastLegal()
    action = PolicyAgent(policy, env).act(env.model)
    assert action == env.model_action(last_seen(None, {"action_mask": env.action_masks()}))
    assert same(policy.shown, (env._observe(0, True), env.action_masks()))


@modes
@pytest.mark.parametrize("seat", [0, 1])
def test_opponents_play_what_they_choose(mode, seat):
    settings = {"action_mode": mode, "seat": seat}
    maker = started(**settings)
    number = LastNumber(maker.encoder)
    rivals = PolicyAgent(LastLegal(), maker), number, number.act, LastLegal()
    first, *others = [list(steps(started(2, **settings, opponent=rival))) for rival in rivals]
    assert all(same(first, other) for other in others)


@pytest.mark.parametrize("make", [CarcassonneEnv, partial(gym.make, "Carcassonne-2p-7m-s")])
def test_copies_share_a_learned_opponent(make):
    """Gymnasium keeps it among the arguments, too."""
    env = envs.started(make, **SETTINGS, opponent=LastLegal())
    twins = copy.deepcopy(env).unwrapped, env.unwrapped.clone()
    env.unwrapped.set_state(twins[0].get_state())
    first, *others = [list(steps(each)) for each in (env.unwrapped, *twins)]
    assert all(same(first, other) for other in others)


def test_the_modes_of_policy_and_game_may_differ():
    env = started(action_mode="flat")
    agent = PolicyAgent(last_seen, started(action_mode="index"))
    assert agent.act(env.model) == max(env.model.legal_actions())
    assert env.model_action(agent.act(env)) == max(env.model.legal_actions())


def test_a_policy_plays_with_fewer_tiles():
    agent = PolicyAgent(last_seen, gym.make("Carcassonne-2p-7m-s"))
    env = started(opponent=agent, seat=1)
    assert len(env.model.board) == 2


@modes
def test_illegal_choices_are_refused(mode):
    env = started(action_mode=mode)
    illegal = np.flatnonzero(env.action_masks() == 0)
    illegal = illegal[:: 1 + len(illegal) // 100]
    for choice in (*illegal, np.array(illegal[0]), -1, env.action_space.n, 1.5, None):
        agent = PolicyAgent(lambda observation, info, choice=choice: choice, env)
        with pytest.raises(PlayerError, match=rf"action {choice}\b.*illegal"):
            agent.act(env.model)
    legal = np.flatnonzero(env.action_masks())[:1]
    assert PolicyAgent(lambda *_: legal, env).act(env.model) == env.model_action(legal[0])


class Seen(gym.ObservationWrapper):
    """Shows the position and the seat, as a wrapper that computes features does."""

    def observation(self, observation):
        return self.unwrapped.model.scores, self.unwrapped.seat, observation


def test_policies_are_shown_what_wrappers_make_of_observations():
    shown, env = [], gym.make("Carcassonne-2p-7m-s", tiles=FEW, num_meeples=3)
    env = Seen(gym.wrappers.FilterObservation(env, ["vector"]))
    env.reset(seed=5)
    agent = PolicyAgent(lambda *both: shown.append(both) or last_seen(*both), env)
    before = env.unwrapped.model.clone()
    (game := envs.started(carcassonne_env.env, 1, 4, **SETTINGS)).step(agent.act(game))
    agent.act(game)
    for player, ((scores, seat, rest), info) in enumerate(shown):
        assert (scores, seat, [*rest]) == (tuple(info["scores"]), player, ["vector"])
    assert same(rest["vector"], game.observe(game.agent_selection)["vector"])
    assert env.unwrapped.model == before


def test_the_statistics_of_observations_are_those_of_the_training():
    env = gym.make("Carcassonne-1p-3m-s", tiles=FEW, observation="flat", action_mode="index")
    env = gym.wrappers.FlattenObservation(gym.wrappers.FilterObservation(env, ["observation"]))
    env = gym.wrappers.NormalizeObservation(env)
    shown, (observation, _) = [], env.reset(seed=0)
    count = env.obs_rms.count
    PolicyAgent(lambda *both: shown.append(both) or last_seen(*both), env).act(env.unwrapped.model)
    assert same(shown[0][0], observation)
    assert env.obs_rms.count == count


@pytest.mark.parametrize(
    "wrapper",
    [
        partial(gym.wrappers.TransformAction, func=lambda action: action, action_space=None),
        partial(gym.wrappers.DelayObservation, delay=1),
        partial(gym.wrappers.FrameStackObservation, stack_size=2),
    ],
    ids=lambda wrapper: wrapper.func.__name__,
)
def test_wrappers_that_cannot_be_applied_are_refused(wrapper):
    env = gym.wrappers.FilterObservation(gym.make("Carcassonne-2p-7m-s"), ["observation"])
    with pytest.raises(TypeError, match=f"env must have no .*, got {wrapper.func.__name__}"):
        PolicyAgent(last_seen, wrapper(env))


@pytest.mark.parametrize(
    "other", [{"action_mode": "two_step"}, {"board_size": 9}, {"num_players": 3}]
)
def test_games_that_do_not_fit_are_refused(other):
    with pytest.raises(PlayerError, match="another variant") as caught:
        PolicyAgent(last_seen, started(**other)).act(started().model)
    assert caught.value.kind == "refusal"
    for rival in (PolicyAgent(last_seen, started(**other)), "ppo-1p-3m-s", "alphazero-2p-small"):
        with pytest.raises(ValueError, match=r"cannot play this game.*another variant"):
            CarcassonneEnv(num_players=2, tiles="base", opponent=rival)


def test_other_games_are_refused():
    policy = PolicyAgent(last_seen, started())
    for player in (policy, TwoStepAgent(policy)):
        with pytest.raises(PlayerError, match=r"plays Carcassonne, got .*TicTacToe") as caught:
            player.act(TicTacToe())
        assert caught.value.kind == "refusal"


def test_nobody_chooses_for_chance():
    with pytest.raises(ValueError, match="chance"):
        PolicyAgent(last_seen, started()).act(CarcassonneModel())


@pytest.mark.parametrize("policy", [None, MCTS(5), LastLegal], ids=["None", "planner", "class"])
def test_what_is_not_learned_is_refused(policy):
    with pytest.raises(TypeError, match="learned policy"):
        PolicyAgent(policy, started())
    for env in ("Carcassonne-2p-7m-s", gym.make("CartPole-v1")):
        with pytest.raises(TypeError, match="env must be an environment of carcassonne_env, got"):
            PolicyAgent(last_seen, env)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("policy", [LastLegal(), last_seen], ids=["model", "function"])
def test_copies_keep_the_opponent(policy, duplicate):
    env = started(3, opponent=PolicyAgent(policy, started()))
    assert same(list(steps(duplicate(env))), list(steps(env)))


def test_policies_are_measured_as_planners_are():
    from agents.evaluation import evaluate

    maker, policy, name = started(), LastLegal(), "Carcassonne-2p-7m-s"
    settings = {"tiles": FEW, "num_meeples": 3}
    same = LastNumber(maker.encoder)
    rivals = {"agent": PolicyAgent(policy, maker), "same": same, "bare": policy, "act": same.act}

    def measured(policy):
        table = evaluate(policy, name, 4, rivals, **settings).set_index("opponent")
        return table.drop(columns="seconds_per_move")

    table = measured(policy)
    assert all(table.loc["agent"].equals(table.loc[name]) for name in ("same", "bare", "act"))
    assert table.loc["agent", "deviation"] > 0
    assert table.equals(measured(rivals["agent"]))
