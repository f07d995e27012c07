"""Forward models as environments: checkers, masks, seeds, chance, copies, opponents, bad input."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import SyncVectorEnv

from agents import MCTS, ForwardModel, RandomAgent, Rng
from agents.environments import Observe, aec_env, gymnasium_env, raw_aec_env
from agents.game import play_game
from agents.games import Dodgem, Hex, Reversi, TacticsModel
from carcassonne_env import CarcassonneModel
from fop_env import FopModel
from games import Bandit, Dice, ThreePlayers, TicTacToe
from playing import Told

with warnings.catch_warnings():  # where pygame is installed, PettingZoo warns of a game of its own
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, render_test, seed_test


class Planes(TicTacToe):
    """Tic-tac-toe with an observation of its own: three planes of three rows."""

    def observation(self, player: int) -> np.ndarray:
        """Own marks, marks of the other player, and empty cells."""
        cells = np.array(list(self.cells))
        marks = "XO" if player == 0 else "OX"
        return np.array([cells == mark for mark in (*marks, ".")], np.float32).reshape(3, 3, 3)


def cells(model: TicTacToe, player: int) -> np.ndarray:
    """What is in each cell, as one vector."""
    return np.array([".XO".index(cell) / 2 for cell in model.cells] + [1 - player / 2], np.float32)


def one(model: ForwardModel, player: int) -> list[int]:
    """Shows nothing."""
    return [1]


def points(model: Dice, player: int) -> np.ndarray:
    """Points and rolls that are left."""
    return np.array([model.points / 20, model.rolls / 3, 1], np.float32)


def choices(model: ThreePlayers, player: int) -> np.ndarray:
    """All choices so far and the player, who does not see more."""
    return np.array([1, player / 2, *((*model.choices, 0, 0, 0)[:3])], np.float32) / 2


def interval(model: FopModel, player: int) -> np.ndarray:
    """The bounds of the interval."""
    return np.ravel(model.intervals).astype(np.float32)


def scores(model: CarcassonneModel, player: int) -> np.ndarray:
    """The points and the share of the tiles on the board."""
    share = len(model.board) / model.num_tiles
    return np.array([share, *(score / 100 for score in model.scores)], np.float32)


FEW = {"B": 2, "D": 2, "U": 2}


class Case(NamedTuple):
    """A game and what players see of it; None asks the game."""

    model: ForwardModel
    observe: Observe | None = None


GAMES = {
    "tic-tac-toe": Case(TicTacToe(), cells),
    "planes": Case(Planes()),
    "dice": Case(Dice(), points),
    "three players": Case(ThreePlayers(), choices),
    "fop": Case(FopModel("f4", threshold=0.01, num_players=2), interval),
    "carcassonne": Case(CarcassonneModel(num_players=2, tiles=FEW), scores),
    "reversi": Case(Reversi()),
    "reversi plus": Case(Reversi(plus=True)),
    "dodgem": Case(Dodgem(size=3)),
    "hex": Case(Hex(size=4, swap=True)),
    "tactics": Case(TacticsModel("tiny", max_turns=12)),
}
every_game = pytest.mark.parametrize("case", GAMES.values(), ids=GAMES)
zoo_makers = pytest.mark.parametrize("make", [aec_env, raw_aec_env])


def zoo(make: Callable[..., Any], case: Case, seed: int = 0, **options: Any) -> Any:
    """An AEC environment after a reset."""
    env = make(case.model, observe=case.observe, **options)
    env.reset(seed=seed)
    return env


def gym(case: Case, seed: int = 0, **options: Any) -> Any:
    """A Gymnasium environment after a reset."""
    env = gymnasium_env(case.model, observe=case.observe, **options)
    env.reset(seed=seed)
    return env


def same(data: Any, other: Any) -> bool:
    """Whether nested tuples, lists and dicts hold equal values and arrays of equal types."""
    return data_equivalence(data, other, exact=True)


def moves(env: Any) -> Iterator[str]:
    """Plays an AEC game with random actions; yields the player to move before each action."""
    rng = Rng(7)
    while not env.unwrapped.model.is_terminal():
        yield env.agent_selection
        env.step(env.unwrapped.model.sample_action(rng))


def rest(env: Any) -> list[tuple]:
    """Plays an AEC game to the end with random actions; returns what every player saw."""
    rng, seen = Rng(3), []
    for agent in env.agent_iter():
        seen.append((agent, *env.last()))
        env.step(None if env.terminations[agent] else env.unwrapped.model.sample_action(rng))
    return seen


def episode(env: Any) -> list[tuple]:
    """Plays a Gymnasium episode to the end with random actions; returns what the steps returned."""
    agent, results = RandomAgent(4), []
    while not results or not results[-1][2]:
        results.append(env.step(agent.act(env)))
    return results


def pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


def assert_share(count: int, total: int, probability: float) -> None:
    """The count is within four standard errors of its expectation."""
    error = math.sqrt(probability * (1 - probability) / total)
    assert abs(count / total - probability) < 4 * error


# Checkers


@every_game
def test_check_env(case):
    options = [{}, {"seat": None}]
    if case.model.num_players > 1:
        options.append({"opponent": "mcts(iterations=3)", "seat": 1})
    for settings in options:
        check_env(gym(case, **settings), skip_render_check=True)


# Unavoidable with planes, see tests/test_stable_baselines3.py.
@pytest.mark.filterwarnings("ignore:.*observation is an image but its `dtype`:UserWarning")
@pytest.mark.filterwarnings("ignore:.*observation is an image but the upper and:UserWarning")
@pytest.mark.filterwarnings("ignore:The minimal resolution for an image is 36x36:UserWarning")
@pytest.mark.filterwarnings("ignore:Treating image space as channels-last:UserWarning")
@every_game
def test_stable_baselines3_accepts_it(case):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gym(case))


# Unavoidable: the test knows no observations but arrays.
@pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Observation is not a NumPy array:UserWarning",
)
@zoo_makers
@every_game
def test_api(make, case):
    api_test(make(case.model, observe=case.observe), num_cycles=100)


@zoo_makers
@every_game
def test_seed(make, case):
    seed_test(lambda: make(case.model, observe=case.observe), num_cycles=100)


@every_game
def test_render(case, screen, capsys):
    render_test(partial(aec_env, case.model, observe=case.observe))
    is_printed = not hasattr(case.model, "_repr_svg_")
    assert (str(case.model) in capsys.readouterr().out) == is_printed
    for env in (gym(case, render_mode="ansi"), zoo(aec_env, case, render_mode="ansi")):
        assert env.render() == str(env.unwrapped.model)


def test_a_window_shows_every_position(screen):
    for maker in (gymnasium_env, raw_aec_env):
        env = maker("hex(size=3)", render_mode="human")
        pictures = []
        env.reset(seed=0)
        for action in (0, 1):
            pictures.append(screen.surfarray.array3d(screen.display.get_surface()))
            env.step(action)
        assert env.render() is None
        assert pictures[0].shape == (600, 600, 3)
        assert not np.array_equal(*pictures)
        twin = env.clone()
        env.close()
        assert env.window.is_closed
        assert not twin.window.is_closed
        twin.close()


def test_pixels_have_one_size_and_the_proportions_of_the_picture():
    pytest.importorskip("resvg_py")
    env = gym(GAMES["carcassonne"], render_mode="rgb_array")
    before = env.render()
    episode(env)
    after = env.render()
    assert before.shape == after.shape == (600, 600, 3)
    assert (before != after).any()


@every_game
def test_render_needs_a_mode(case):
    for env in (gym(case), zoo(raw_aec_env, case)):
        with pytest.warns(UserWarning, match="render_mode.*'ansi'"):
            assert env.render() is None


@every_game
def test_vector_environments(case):
    makers = [partial(gymnasium_env, case.model, observe=case.observe) for _ in range(2)]
    envs = SyncVectorEnv(makers)
    singles = [gym(case, seed) for seed in (5, 6)]
    envs.reset(seed=5)
    observations, rewards, *_ = envs.step(np.zeros(2, int))
    for i, single in enumerate(singles):
        observation, reward, *_ = single.step(0)
        assert same({key: value[i] for key, value in observations.items()}, observation)
        assert rewards[i] == reward


# What players see


@zoo_makers
@every_game
def test_masks_are_the_legal_actions_of_the_player_to_move(make, case):
    env = zoo(make, case)
    for mover in moves(env):
        model = env.unwrapped.model
        assert mover == f"player_{model.current_player()}"
        for agent in env.agents:
            mask = env.observe(agent)["action_mask"]
            legal = list(model.legal_actions()) if agent == mover else []
            assert np.flatnonzero(mask).tolist() == legal
            assert env.observe(agent) in env.observation_space(agent)
            assert env.infos[agent] == {}  # the mask stands in one place
    for agent in env.agents:
        assert not env.observe(agent)["action_mask"].any()


@zoo_makers
@every_game
def test_the_state_is_what_all_players_see(make, case):
    env = zoo(make, case)
    for _ in moves(env):
        seen = [env.observe(agent)["observation"].ravel() for agent in env.agents]
        assert same(env.state(), np.concatenate(seen))
        assert env.state() in env.unwrapped.state_space


@every_game
def test_observations_are_those_of_the_model_for_each_player(case):
    env = zoo(raw_aec_env, case)
    see = case.observe or type(case.model).observation
    for _ in moves(env):
        for player, agent in enumerate(env.agents):
            seen = env.observe(agent)["observation"]
            assert seen.dtype == np.float32
            np.testing.assert_array_equal(seen, np.float32(see(env.model, player)))


@every_game
def test_a_learner_sees_its_seat_and_its_actions(case):
    for seat in range(case.model.num_players):
        env = gym(case, seat=seat)
        see = case.observe or type(case.model).observation
        results, agent = [env.reset(seed=1)], RandomAgent(0)
        while not env.model.is_terminal():
            assert env.model.current_player() == seat
            observation, info = results[-1][0], results[-1][-1]
            np.testing.assert_array_equal(
                observation["observation"], np.float32(see(env.model, seat))
            )
            legal = list(env.model.legal_actions())
            for mask in (observation["action_mask"], info["action_mask"], env.action_masks()):
                assert mask.dtype == np.int8
                assert np.flatnonzero(mask).tolist() == legal
            results.append(env.step(agent.act(env)))
            assert list(results[-1][-1]) == ["action_mask"]
        assert not results[-1][0]["action_mask"].any()
        assert not env.action_masks().any()
        rewards = [reward for _, reward, *_ in results[1:]]
        assert not any(rewards[:-1])
        assert {type(reward) for reward in rewards} == {float}
        if not isinstance(case.model, FopModel):  # which draws it
            assert rewards[-1] == env.model.returns()[seat]


# Games


def after(model: ForwardModel, action: int) -> list[ForwardModel]:
    """All positions at the next decision, or the end, after an action."""
    model = model.clone()
    model.apply_action(action)
    if not model.is_chance_node():
        return [model]
    outcomes = model.chance_outcomes()[0]
    return [position for outcome in outcomes for position in after(model, int(outcome))]


@zoo_makers
@every_game
def test_games_are_those_of_the_model(make, case):
    env = zoo(make, case)
    rng, totals = Rng(1), dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, is_over, is_truncated, _ = env.last()
        totals[agent] += reward
        assert (is_over, is_truncated) == (env.unwrapped.model.is_terminal(), False)
        if is_over:
            env.step(None)
            continue
        action = env.unwrapped.model.sample_action(rng)
        possible = after(env.unwrapped.model, action)
        env.step(action)
        assert env.unwrapped.model in possible
    if not isinstance(case.model, FopModel):
        returns = env.unwrapped.model.returns()
        assert totals == dict(zip(env.possible_agents, returns, strict=True))
    else:
        assert set(totals.values()) in ({1, -1}, {0})


@pytest.mark.parametrize("name", ["tic-tac-toe", "three players"])
def test_tournaments_play_it_as_the_model(name):
    case = GAMES[name]
    players = ["mcts(iterations=30)", RandomAgent(3), "random"][: case.model.num_players]
    for seed in range(3):
        env = aec_env(case.model, observe=case.observe)
        expected = play_game(case.model, players, seed)
        record = play_game(env, players, seed)
        assert record.returns == expected.returns
        assert [ply.action for ply in record.plies] == [ply.action for ply in expected.plies]


@every_game
def test_tournaments_play_every_game(case):
    def first(observation: Any, info: dict[str, Any]) -> int:
        return info["action_mask"].argmax()

    env = aec_env(case.model, observe=case.observe)
    players = [first, "random", "mcts(iterations=5)"][: case.model.num_players]
    assert play_game(env, players, 1).returns == play_game(env, players, 1).returns


@zoo_makers
def test_returns_are_drawn(make):
    env = make(Bandit(0.3), observe=one)
    drawn = []
    env.reset(seed=0)
    for _ in range(1000):
        env.step(0)
        drawn.append(env.rewards["player_0"])
        env.reset()
    assert set(drawn) == {0, 1}
    assert_share(sum(drawn), 1000, 0.3)
    env = gymnasium_env(Bandit(0.3), observe=one)
    env.reset(seed=0)
    drawn = [env.step(0)[1] for _ in range(1000) if env.reset()]
    assert set(drawn) == {0, 1}
    assert_share(sum(drawn), 1000, 0.3)


def test_chance_outcomes_have_their_probabilities():
    case, ends, firsts = GAMES["dice"], 0, []
    for env in (zoo(raw_aec_env, case), gym(case)):
        for _ in range(1000):
            env.step(Dice.ROLL)
            ends += env.model.is_terminal()  # both faces equal
            env.reset()
    assert_share(ends, 2000, 0.5**2 + 0.3**2 + 0.2**2)
    env = zoo(raw_aec_env, GAMES["carcassonne"])
    for _ in range(1000):
        env.reset()
        firsts.append(env.model.current_tile)
    for tile in "BDU":  # the start tile is one of the D
        assert_share(firsts.count(tile), 1000, (2 - (tile == "D")) / 5)


# Seeds


@every_game
def test_the_seed_decides_everything(case):
    def played(seed: int) -> list:
        env = zoo(raw_aec_env, case, seed)
        seen = rest(env)
        env.reset()  # the stream goes on
        learner = gym(case, seed, seat=None)
        results = episode(learner)
        return [seen, rest(env), results, learner.reset(), episode(learner)]

    assert same(played(5), played(5))


def test_other_seeds_give_other_games():
    def rolls(env: Any) -> str:
        return repr([env.step(Dice.ROLL) for _ in range(4) if not env.model.is_terminal()])

    games = [rolls(gym(GAMES["dice"], seed)) for seed in range(20)]
    assert len(set(games)) > 5
    env = gym(GAMES["dice"], 0)
    games = [rolls(env) for _ in range(20) if env.reset()]
    assert len(set(games)) > 5
    against_random = [repr(episode(gym(GAMES["tic-tac-toe"], seed))) for seed in range(20)]
    assert len(set(against_random)) > 5


@pytest.mark.parametrize(
    "model",
    [
        "carcassonne(tiles=small, deterministic=True)",
        lambda seed: CarcassonneModel(2, tiles=FEW, deterministic=True, seed=seed),
    ],
)
@pytest.mark.parametrize("make", [aec_env, gymnasium_env])
def test_text_and_functions_give_a_new_start_at_every_reset(make, model):
    env = make(model, observe=scores)

    def orders(seed: int) -> list[str]:
        env.reset(seed=seed)
        starts = []
        for _ in range(5):
            starts.append(env.unwrapped.model.order)
            env.reset()
        return starts

    assert orders(0) == orders(0)
    assert len({*orders(0), *orders(1)}) > 3


def test_a_model_is_copied():
    model = TicTacToe()
    env = gymnasium_env(model, observe=cells, opponent=["random"])
    model.apply_action(0)
    env.reset(seed=0)
    assert env.model == TicTacToe()
    env.step(4)
    env.reset()
    assert env.model == TicTacToe()


# Copies

DUPLICATES = {"copy": copy.copy, "clone": lambda e: e.clone(), "deepcopy": copy.deepcopy}
DUPLICATES |= {"pickle": pickled}
duplicates = pytest.mark.parametrize("duplicate", DUPLICATES.values(), ids=DUPLICATES)


@duplicates
@every_game
def test_copies_go_on_alike_and_apart(case, duplicate):
    env = zoo(raw_aec_env, case, seed=1)
    env.step(env.model.legal_actions()[-1])
    before = env.model.clone()
    twin = duplicate(env)
    future = rest(twin)
    assert env.model == before
    assert same(rest(env), future)
    env.reset()
    twin.reset()
    assert same(rest(env), rest(twin))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled])
@every_game
def test_wrapped_environments_are_copied(case, duplicate):
    env = zoo(aec_env, case, seed=1)
    env.step(env.unwrapped.model.legal_actions()[-1])
    future = rest(duplicate(env))
    assert same(rest(env), future)


OPPONENTS = ["random", "mcts(iterations=20)", RandomAgent(0)]


@duplicates
@pytest.mark.parametrize("opponent", OPPONENTS, ids=repr)
@pytest.mark.parametrize("name", ["tic-tac-toe", "three players", "fop", "carcassonne"])
def test_learners_environments_go_on_alike_and_apart(name, opponent, duplicate):
    env = gym(GAMES[name], opponent=opponent, seat=None, seed=1)
    if name != "three players":
        env.step(env.model.legal_actions()[-1])
    before = env.model.clone()
    twin = duplicate(env)
    future = [*episode(twin), twin.reset(), *episode(twin)]
    assert env.model == before
    assert same([*episode(env), env.reset(), *episode(env)], future)


@pytest.mark.parametrize("opponent", OPPONENTS, ids=repr)
@pytest.mark.parametrize("name", ["tic-tac-toe", "fop", "carcassonne"])
def test_state_is_returned_to(name, opponent):
    make = partial(gym, GAMES[name], opponent=opponent, seat=None)
    for seed in range(3):
        env = make(seed=seed)
        env.step(env.model.legal_actions()[-1])
        state, seat = env.get_state(), env.seat
        future = episode(env)
        for other in (env, env, make(seed=9)):
            other.set_state(state)
            assert other.seat == seat
            assert same(episode(other), future)
            with pytest.raises(ResetNeeded, match="the episode is over"):
                other.step(0)


# Opponents and seats


class Policy:
    """A learned policy: plays the last legal action."""

    def predict(self, observation, action_masks=None, deterministic=False):
        """As sb3-contrib calls it; what it returns is an array."""
        assert same(observation["action_mask"], action_masks)
        assert observation["observation"][-1] == 0.5  # sees the board as player 1
        return np.array(np.flatnonzero(action_masks)[-1]), None


def last(model: ForwardModel) -> int:
    """Plays the last legal action; spoils its copy of the model."""
    action = model.legal_actions()[-1]
    model.apply_action(action)
    return action


@pytest.mark.parametrize("opponent", [last, Policy(), [last], (Policy(),)], ids=repr)
def test_opponents_play_the_other_seat(opponent):
    env = gym(GAMES["tic-tac-toe"], opponent=opponent)
    for action, expected in ((0, "X.......O"), (1, "XX.....OO"), (3, "XX.X..OOO")):
        _, reward, is_over, _, _ = env.step(action)
        assert env.model.cells == expected
    assert (reward, is_over) == (-1, True)


def test_opponents_know_the_game_better_than_random_ones():
    def lost(opponent: str) -> int:
        env = gym(GAMES["tic-tac-toe"], opponent=opponent)
        return sum(episode(env)[-1][1] == -1 for _ in range(40) if env.reset())

    assert lost("mcts(iterations=100)") > 30 > 20 > lost("random")


def test_agents_are_copied_at_every_reset_and_told_everything():
    agent = Told(seed=0)
    env = gym(GAMES["tic-tac-toe"], opponent=agent)
    first = episode(env)
    told = env.get_state()[-1][1].told
    model = TicTacToe()
    for action in told:
        model.apply_action(action)
    assert model == env.model
    env.reset()
    assert same(episode(env), first)
    assert agent.told == []


def test_chance_outcomes_are_told():
    case = GAMES["carcassonne"]
    env = gym(case, opponent=Told(seed=0))
    episode(env)
    model = case.model.clone()
    for action in env.get_state()[-1][1].told:
        model.apply_action(action)
    assert model == env.model


def always(action: int, model: ForwardModel) -> int:
    """Plays one action."""
    return action


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_sequences_have_an_opponent_for_each_other_seat(seat):
    opponents = [partial(always, 1), partial(always, 0)]
    env = gym(GAMES["three players"], opponent=opponents, seat=seat)
    assert len(env.model.choices) == seat
    env.step(0)
    expected = [1, 0]
    expected.insert(seat, 0)
    assert env.model.choices == tuple(expected)


def test_seats_are_drawn():
    env, seats = gym(GAMES["three players"], seat=None), []
    for _ in range(600):
        env.reset()
        seats.append(env.seat)
        assert env.model.current_player() == env.seat
    for seat in range(3):
        assert_share(seats.count(seat), 600, 1 / 3)


def test_a_game_may_end_before_the_first_turn():
    env = gym(Case(Dice(player=1), points), opponent=lambda model: Dice.ROLL)
    assert env.model.is_terminal()
    assert not env.action_masks().any()
    _, reward, is_over, _, _ = env.step(2)
    assert (reward, is_over) == (env.model.returns()[0], True)
    with pytest.raises(ResetNeeded, match="the episode is over"):
        env.step(0)


@pytest.mark.parametrize("agent", [MCTS(40, seed=0), RandomAgent(0)], ids=repr)
@every_game
def test_agents_act(case, agent):
    for env in (zoo(aec_env, case), zoo(raw_aec_env, case), gym(case)):
        while not env.unwrapped.model.is_terminal():
            before = env.unwrapped.model.clone()
            action = agent.act(env)
            assert env.unwrapped.model == before
            env.step(action)


# Wrong calls


def test_an_illegal_action_ends_an_episode():
    env = gym(GAMES["tic-tac-toe"])
    env.step(4)
    before = env.model.clone()
    observation, reward, is_over, is_truncated, info = env.step(4)
    assert (reward, is_over, is_truncated) == (-1.0, True, False)
    assert env.model == before
    for mask in (observation["action_mask"], info["action_mask"], env.action_masks()):
        assert not mask.any()
    with pytest.raises(ResetNeeded, match="the episode is over"):
        env.step(0)
    env.reset()
    assert env.action_masks().all()


def test_an_illegal_action_ends_a_game_of_several():
    env = zoo(aec_env, GAMES["three players"])
    env.step(0)
    env.step(2)
    assert env.unwrapped.model.choices == (0,)
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)
    totals = {}
    for agent, observation, reward, is_over, *_ in rest(env):
        assert is_over
        assert not observation["action_mask"].any()
        totals[agent] = reward
    assert totals == {"player_0": 0, "player_1": -1, "player_2": 0}
    env.reset()
    assert len(rest(env)) == 6


class Debts(TicTacToe):
    """Tic-tac-toe for higher stakes."""

    def returns(self) -> tuple[int, int]:
        """Five times those of tic-tac-toe."""
        first, second = super().returns()
        return 5 * first, 5 * second


def test_the_reward_for_an_illegal_action_can_be_the_lowest_return():
    game = {"model": Debts(), "observe": cells, "illegal_reward": -5}
    for env in (gymnasium_env(**game), aec_env(**game)):
        env.reset(seed=0)
        for action in (4, 4):
            result = env.step(action)
        assert (result[1] if result else env.rewards["player_1"]) == -5.0


def test_returns_below_the_reward_for_an_illegal_action_warn():
    for settings in ({}, {"illegal_reward": -5}, {"illegal_action": "raise"}):
        env = gymnasium_env(Debts(), observe=cells, seat=1, opponent=last, **settings)
        env.reset(seed=0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rewards = [env.step(action)[1] for action in (0, 1)]
        assert rewards == [0, -5]
        texts = [str(warning.message) for warning in caught]
        assert len(texts) == (not settings)
        assert all("illegal_reward must be the lowest return" in text for text in texts)


@pytest.mark.parametrize("maker", [gymnasium_env, aec_env])
def test_a_bad_reward_for_an_illegal_action_is_refused(maker):
    for value in (np.nan, "-1", None):
        with pytest.raises(ValueError, match=f"illegal_reward must be .* got {value!r}"):
            maker(TicTacToe(), observe=cells, illegal_reward=value)


def test_an_illegal_action_is_refused():
    case = GAMES["tic-tac-toe"]
    for env in (zoo(raw_aec_env, case), gym(case, illegal_action="raise", opponent=last)):
        env.step(4)
        before = env.model.clone()
        with pytest.raises(
            InvalidAction, match=r"4 is illegal; \d actions are legal: \[0, 1, 2, 3"
        ):
            env.step(4)
        assert env.model == before
        env.step(0)


@pytest.mark.parametrize("action", [-1, 9, 10**9, 1.0, "1", None, np.array([1])], ids=repr)
def test_an_action_outside_the_space_is_refused(action):
    case = GAMES["tic-tac-toe"]
    for env in (zoo(raw_aec_env, case), zoo(aec_env, case), gym(case)):
        with pytest.raises(InvalidAction, match=r"must be an integer in \[0, 9\), got ") as refusal:
            env.step(action)
        assert repr(action) in str(refusal.value)


def test_no_step_before_a_reset_and_after_the_end():
    case = GAMES["tic-tac-toe"]
    env, learner = raw_aec_env(case.model, observe=cells), gymnasium_env(TicTacToe(), observe=cells)
    unset = lambda: env.step(0), lambda: learner.step(0), learner.action_masks, learner.get_state
    for ask in (*unset, lambda: env.model, learner.clone().get_state):
        with pytest.raises(ResetNeeded, match="no position yet: call reset"):
            ask()
    env.reset()
    rest(env)
    with pytest.raises(ResetNeeded, match="all agents were removed"):
        env.step(None)


def test_actions_applied_to_the_model_are_noticed():
    for env in (zoo(raw_aec_env, GAMES["tic-tac-toe"]), gym(GAMES["tic-tac-toe"])):
        env.model.apply_action(0)
        with pytest.raises(ResetNeeded, match="an action was applied to the model: call reset"):
            env.step(1)


def test_an_opponents_error_is_not_swallowed():
    env = gym(GAMES["tic-tac-toe"], opponent=partial(always, 4))
    with pytest.raises(ValueError, match="chose action 4, which is illegal"):
        env.step(4)
    with pytest.raises(ResetNeeded, match="an opponent raised an exception"):
        env.step(0)
    env.reset()
    env.step(0)


both = [gymnasium_env, aec_env]
BAD = [
    *((make, {"model": 3}, TypeError, "model must be a .* 3") for make in both),
    *((make, {"model": TicTacToe}, TypeError, r"model .*<class '.*TicTacToe'>") for make in both),
    *((make, {"model": "chess"}, ValueError, "game .* 'chess'") for make in both),
    *((make, {"model": "fop(parts=2)"}, ValueError, "'parts'") for make in both),
    *((make, {"model": lambda seed: 3}, TypeError, "model .*, got 3") for make in both),
    *((make, {"model": TicTacToe("XXXOO....")}, ValueError, "model .* over") for make in both),
    *((make, {"observe": None}, TypeError, "TicTacToe has no .* observe") for make in both),
    *((make, {"observe": 3}, TypeError, "observe must be a function .* 3") for make in both),
    *((make, {"observe": lambda m, p: [2]}, ValueError, r"observation .*\[2\.\]") for make in both),
    *((make, {"observe": lambda m, p: [np.nan]}, ValueError, "observation") for make in both),
    *((make, {"observe": lambda m, p: 0.5}, ValueError, "observation must be") for make in both),
    *((make, {"observe": lambda m, p: []}, ValueError, "observation must be") for make in both),
    *((make, {"observe": lambda m, p: [0] * (p + 1)}, ValueError, "shape") for make in both),
    *((make, {"render_mode": "svg"}, ValueError, "render_mode .*'svg'") for make in both),
    *((make, {"render_mode": "rgb_array"}, ValueError, "'ansi'.*'rgb_array'") for make in both),
    (gymnasium_env, {"seat": 2}, ValueError, r"seat must be in \[0, 1\], got 2"),
    (gymnasium_env, {"seat": "first"}, TypeError, "seat must be an integer, got 'first'"),
    (gymnasium_env, {"illegal_action": "noop"}, ValueError, "illegal_action .* 'noop'"),
    (gymnasium_env, {"opponent": "mcts(depth=2)"}, ValueError, "'depth'"),
    (gymnasium_env, {"opponent": RandomAgent}, TypeError, "opponent .*RandomAgent"),
    (gymnasium_env, {"opponent": None}, TypeError, "opponent .* None"),
    (gymnasium_env, {"opponent": [3]}, TypeError, "opponent .* 3"),
    (gymnasium_env, {"opponent": ["random"] * 2}, ValueError, "opponent .* sequence of 1, .* 2"),
    *(
        (
            gymnasium_env,
            {"model": Bandit(1), "observe": one, "opponent": opponent},
            ValueError,
            text,
        )
        for opponent, text in ((last, "one player .*opponent"), ([last], "sequence of 0, .* 1"))
    ),
]


@pytest.mark.parametrize(("make", "settings", "error", "message"), BAD)
def test_bad_argument_is_named(make, settings, error, message):
    settings = {"model": TicTacToe(), "observe": cells, **settings}
    with pytest.raises(error, match=message):
        make(settings.pop("model"), **settings)


def test_observations_that_leave_the_space_are_noticed():
    def marks(model: TicTacToe, player: int) -> list[int]:
        return [9 - model.cells.count(".")]

    env = gymnasium_env(TicTacToe(), observe=marks)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"observation must be .* \[0, 1\].*\[2\.\]"):
        env.step(0)


def test_options_are_refused():
    env = gym(GAMES["tic-tac-toe"])
    with pytest.raises(ValueError, match=r"options must be None or empty, got \['start'\]"):
        env.reset(options={"start": 1})


def test_state_of_another_game_is_refused():
    state = gym(GAMES["three players"]).get_state()
    with pytest.raises(ValueError, match=r"the state is of another game: .*this is TicTacToe"):
        gym(GAMES["tic-tac-toe"]).set_state(state)


# Learning


@pytest.mark.slow
def test_maskable_ppo_learns_and_becomes_an_opponent():
    sb3_contrib = pytest.importorskip("sb3_contrib")
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    env = gymnasium_env(Planes(), seat=None, illegal_action="raise")
    learner = sb3_contrib.MaskablePPO(
        "MultiInputPolicy", env, n_steps=256, batch_size=64, gamma=1.0, seed=0, device="cpu"
    )
    learner.learn(2048)

    def mean_reward(policy: Any) -> float:
        env.reset(seed=1)
        results = []
        for _ in range(100):
            observation, info = env.reset()
            is_over = False
            while not is_over:
                action = policy(observation, info["action_mask"])
                observation, reward, is_over, _, info = env.step(action)
            results.append(reward)
        return float(np.mean(results))

    rng = np.random.default_rng(0)
    at_random = mean_reward(lambda _, mask: rng.choice(np.flatnonzero(mask)))
    learned = mean_reward(lambda seen, mask: learner.predict(seen, action_masks=mask)[0])
    assert learned > at_random + 0.2
    # The learner beats a random player from the other side, too.
    rewards = []
    against = gymnasium_env(Planes(), opponent=learner, seat=None)
    against.reset(seed=0)
    for _ in range(50):
        rewards.append(episode(against)[-1][1])
        against.reset()
    assert np.mean(rewards) < 0
