"""Forward models as environments: what players see, chance, starts, opponents, bad input."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from agents import ForwardModel, RandomAgent, Rng
from agents.environments import aec_env, gymnasium_env, raw_aec_env
from carcassonne_env import CarcassonneModel
from envs import FEW, GAMES, Case, cells, moves, one, points, results, same, scores, steps
from fop_env import FopModel
from games import Bandit, Dice, OfNumPy, TicTacToe
from playing import Told

every_game = pytest.mark.parametrize("case", GAMES.values(), ids=GAMES)


def zoo(make: Callable[..., Any], case: Case, seed: int = 0, **options: Any) -> Any:
    env = make(case.model, observe=case.observe, **options)
    env.reset(seed=seed)
    return env


gym = partial(zoo, gymnasium_env)


def episode(env: Any) -> list[tuple]:
    return list(steps(env, 4))


def assert_share(count: int, total: int, probability: float) -> None:
    """The count is within four standard errors of its expectation."""
    error = math.sqrt(probability * (1 - probability) / total)
    assert abs(count / total - probability) < 4 * error


# What players see


# Unavoidable with planes, see tests/test_stable_baselines3.py.
@pytest.mark.filterwarnings("ignore:.*observation is an image but its `dtype`:UserWarning")
@pytest.mark.filterwarnings("ignore:.*observation is an image but the upper and:UserWarning")
@pytest.mark.filterwarnings("ignore:The minimal resolution for an image is 36x36:UserWarning")
@pytest.mark.filterwarnings("ignore:Treating image space as channels-last:UserWarning")
@every_game
def test_stable_baselines3_accepts_it(case):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gym(case))


@every_game
def test_observations_are_those_of_the_model_for_each_player(case):
    env = zoo(aec_env, case)
    see = case.observe or type(case.model).observation
    for _ in moves(env):
        expected = [np.float32(see(env.model, p)) for p in range(case.model.num_players)]
        for agent, numbers in zip(env.agents, expected, strict=True):
            assert same(env.observe(agent)["observation"], numbers)
        assert same(env.state(), np.concatenate([numbers.ravel() for numbers in expected]))
        assert all(info == {} for info in env.infos.values())


@every_game
def test_a_learner_sees_its_seat_and_gets_its_return(case):
    see = case.observe or type(case.model).observation
    for seat in range(case.model.num_players):
        env = gym(case, seat=seat)
        for observation, *outcome, info in results(env, 1):
            assert same(observation["observation"], np.float32(see(env.model, seat)))
            assert list(info) == ["action_mask"]
            if outcome and not env.model.is_terminal():
                assert outcome[0] == 0
        if not isinstance(case.model, FopModel):  # which draws it
            assert outcome[0] == env.model.returns()[seat]


def test_ends_are_bools_also_if_numbers_of_the_game_are_those_of_numpy():
    env = gymnasium_env(OfNumPy(), observe=cells)
    assert all(type(result[2]) is bool for result in [*results(env, 1)][1:])
    game = aec_env(OfNumPy(), observe=cells)
    game.reset(seed=1)
    for agent in moves(game):
        assert type(game.terminations[agent]) is bool
    assert [type(value) for value in game.terminations.values()] == [bool, bool]


# Games


def after(model: ForwardModel, action: int) -> list[ForwardModel]:
    """All positions at the next decision, or the end, after an action."""
    model = model.clone()
    model.apply_action(action)
    if not model.is_chance_node():
        return [model]
    outcomes = model.chance_outcomes()[0]
    return [position for outcome in outcomes for position in after(model, int(outcome))]


@every_game
def test_games_are_those_of_the_model(case):
    env = zoo(aec_env, case)
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


@pytest.mark.parametrize("make", [aec_env, gymnasium_env])
def test_returns_are_drawn(make):
    env, drawn = make(Bandit(0.3), observe=one), []
    env.reset(seed=0)
    for _ in range(1000):
        result = env.step(0)
        drawn.append(result[1] if result else env.rewards["player_0"])
        env.reset()
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


def test_other_seeds_give_other_games():
    def rolls(env):
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

    def orders(seed):
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


# Opponents and seats


class Policy:
    def predict(self, observation, action_masks=None, deterministic=False):
        assert same(observation["action_mask"], action_masks)
        assert observation["observation"][-1] == 0.5  # sees the board as player 1
        return np.array(np.flatnonzero(action_masks)[-1]), None


def last(model: ForwardModel) -> int:
    action = model.legal_actions()[-1]
    model.apply_action(action)
    return action


class Last:
    def act(self, model: ForwardModel) -> int:
        return last(model)


@pytest.mark.parametrize("opponent", [last, Last(), Policy(), [last], (Policy(),)])
def test_opponents_play_the_other_seat(opponent):
    env = gym(GAMES["tic-tac-toe"], opponent=opponent)
    for action, expected in ((0, "X.......O"), (1, "XX.....OO"), (3, "XX.X..OOO")):
        _, reward, is_over, _, _ = env.step(action)
        assert env.model.cells == expected
    assert (reward, is_over) == (-1, True)


class Large(Policy):
    def __deepcopy__(self, memo):
        raise MemoryError


def test_states_and_clones_have_no_copies_of_learned_opponents():
    env = gym(GAMES["tic-tac-toe"], opponent=Large())
    env.set_state(env.get_state())
    for each in (env.clone(), env):
        each.step(0)
        assert each.model.cells == "X.......O"


@pytest.mark.parametrize("name", ["tic-tac-toe", "carcassonne"])
def test_agents_are_copied_at_every_reset_and_told_everything(name):
    """Chance outcomes, too."""
    agent, model = Told(seed=0), GAMES[name].model.clone()
    env = gym(GAMES[name], opponent=agent)
    first = episode(env)
    for action in env.get_state()[-1][1].told:
        model.apply_action(action)
    assert model == env.model
    assert agent.told == []
    env.reset(seed=0)
    assert same(episode(env), first)


def always(action: int, model: ForwardModel) -> int:
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


# Wrong calls


class Debts(TicTacToe):
    def returns(self) -> tuple[int, int]:
        first, second = super().returns()
        return 5 * first, 5 * second


def test_the_reward_for_an_illegal_action_can_be_the_lowest_return():
    game = {"model": Debts(), "observe": cells, "illegal_reward": -5}
    for env in (gymnasium_env(**game), aec_env(**game)):
        env.reset(seed=0)
        for action in (4, 4):
            result = env.step(action)
        assert (result[1] if result else env.rewards["player_1"]) == -5.0


@pytest.mark.parametrize("make", [aec_env, gymnasium_env])
def test_returns_below_the_reward_for_an_illegal_action_warn(make):
    rivals = {"seat": 1, "opponent": last} if make is gymnasium_env else {}
    for settings in ({}, {"illegal_reward": -5}, {"illegal_action": "raise"}):
        env = make(Debts(), observe=cells, **rivals, **settings)
        env.reset(seed=0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for action in (0, 1) if rivals else (8, 0, 7, 1, 6):
                env.step(action)
        assert env.model.returns() == (5, -5)
        texts = [str(warning.message) for warning in caught]
        assert len(texts) == (not settings)
        assert all("illegal_reward must be the lowest return" in text for text in texts)


def test_an_opponents_error_is_not_swallowed():
    env = gym(GAMES["tic-tac-toe"], opponent=partial(always, 4))
    with pytest.raises(ValueError, match="chose action 4, which is illegal"):
        env.step(4)
    with pytest.raises(ResetNeeded, match="an opponent raised an exception"):
        env.step(0)
    env.reset()
    env.step(0)


IN_BOTH: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"model": 3}, TypeError, "model must be a .* 3"),
    ({"model": TicTacToe}, TypeError, r"model .*<class '.*TicTacToe'>"),
    ({"model": "chess"}, ValueError, "game .* 'chess'"),
    ({"model": lambda seed: 3}, TypeError, "model .*, got 3"),
    ({"model": TicTacToe("XXXOO....")}, ValueError, "model .* over"),
    ({"observe": None}, TypeError, "TicTacToe has no .* observe"),
    ({"observe": 3}, TypeError, "observe must be a function .* 3"),
    ({"observe": lambda m, p: [2]}, ValueError, r"observation .*\[2\.\]"),
    ({"observe": lambda m, p: [np.nan]}, ValueError, "observation"),
    ({"observe": lambda m, p: 0.5}, ValueError, "observation must be"),
    ({"observe": lambda m, p: [[1], [0, 1]]}, ValueError, "observation must be"),
    ({"observe": lambda m, p: []}, ValueError, "observation must be"),
    ({"observe": lambda m, p: [0] * (p + 1)}, ValueError, "shape"),
    ({"render_mode": "svg"}, ValueError, "render_mode .*'svg'"),
    ({"render_mode": "rgb_array"}, ValueError, "'ansi'.*'rgb_array'"),
    *(
        ({"illegal_reward": x}, ValueError, f"illegal_reward must be .* got {x!r}")
        for x in (np.nan, "-1", None)
    ),
]
BAD = [
    *((make, *bad) for make in (gymnasium_env, aec_env) for bad in IN_BOTH),
    (gymnasium_env, {"seat": 2}, ValueError, r"seat must be in \[0, 1\], got 2"),
    (gymnasium_env, {"seat": "first"}, TypeError, "seat must be an integer, got 'first'"),
    (gymnasium_env, {"illegal_action": "noop"}, ValueError, "illegal_action .* 'noop'"),
    (gymnasium_env, {"opponent": "mcts(depth=2)"}, ValueError, "'depth'"),
    (gymnasium_env, {"opponent": RandomAgent}, TypeError, "opponent .*RandomAgent"),
    (gymnasium_env, {"opponent": None}, TypeError, "opponent .* None"),
    (gymnasium_env, {"opponent": [3]}, TypeError, "opponent .* 3"),
    (gymnasium_env, {"opponent": lambda seen, info: 0}, TypeError, "function of the model, got .*"),
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
    def marks(model, player):
        return [9 - model.cells.count(".")]

    env = gymnasium_env(TicTacToe(), observe=marks)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"observation must be .* \[0, 1\].*\[2\.\]"):
        env.step(0)
