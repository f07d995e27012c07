"""The evaluation helper: every kind of policy, the same episodes, and its numbers."""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import gymnasium
import joblib
import numpy as np
import pytest
from gymnasium.envs.classic_control import CartPoleEnv
from pandas import DataFrame

import fop_env  # noqa: F401
from agents import MCTS, RandomAgent, make
from agents.environments import gymnasium_env
from agents.episodes import play_episodes
from agents.evaluation import evaluate, summary
from agents.learner import as_function
from carcassonne_env import CarcassonneModel, PolicyAgent, TwoStepAgent
from envs import one
from games import TicTacToe
from playing import LastLearner, LastMaskedLearner, last_seen

ID = "Carcassonne-1p-3m-d"


def first_legal(observation: Any, info: dict[str, Any]) -> int:
    return int(info["action_mask"].argmax())


def untimed(table: DataFrame) -> DataFrame:
    """The table without wall times, which differ from run to run."""
    return table.drop(columns="seconds_per_move")


def test_every_kind_of_policy_is_asked():
    policies = (LastLearner(), LastMaskedLearner(), last_seen)
    tables = [untimed(evaluate(policy, ID, 3)) for policy in policies]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


@pytest.mark.parametrize("policy", [LastLearner(), LastMaskedLearner(), last_seen])
def test_learned_policies_are_functions(policy):
    function = pickle.loads(pickle.dumps(as_function(policy)))
    mask = np.array([0, 1, 1, 0], dtype=np.int8)
    assert function({"action_mask": mask}, {"action_mask": mask}) == 2


@pytest.mark.parametrize("policy", [None, RandomAgent(0), LastLearner, MCTS], ids=repr)
def test_what_is_not_learned_is_refused(policy):
    with pytest.raises(TypeError, match="predict") as refusal:
        as_function(policy)
    assert repr(policy) in str(refusal.value)


def test_numbers_are_those_of_the_returns():
    table = evaluate(first_legal, ID, 5, seeds=np.array([3, 1, 4, 1, 5])).iloc[0]
    alone = [
        evaluate(first_legal, ID, 2, seeds=[seed, seed]).iloc[0]["mean"] for seed in (3, 1, 4, 1, 5)
    ]
    assert table["mean"] == pytest.approx(np.mean(alone))
    assert table["deviation"] == pytest.approx(np.std(alone, ddof=1))
    assert table["half_width"] == pytest.approx(
        2.776 * np.std(alone, ddof=1) / math.sqrt(5), rel=1e-3
    )
    assert (table["minimum"], table["maximum"]) == (min(alone), max(alone))


def test_opponents_take_the_other_seats():
    table = evaluate(
        MCTS(300, c=0.05, seed=0),
        "Carcassonne-2p-7m-s",
        3,
        {"random": RandomAgent(1), "itself": MCTS(300, c=0.05, seed=1)},
        tiles="small",
    ).set_index("opponent")
    assert list(table["policy"]) == ["policy", "policy"]
    assert table.loc["random", "minimum"] > 0
    assert table.loc["random", "mean"] > table.loc["itself", "mean"]


def test_actions_may_be_arrays_of_one_number():
    tables = [
        untimed(evaluate(policy, ID, 2, tiles={"B": 2, "D": 2}))
        for policy in (first_legal, lambda *seen: np.array([first_legal(*seen)]))
    ]
    assert tables[0].equals(tables[1])
    torque = evaluate(lambda observation, info: np.zeros(1, np.float32), "Pendulum-v1", 2)
    assert torque["truncated"].item() == 2


def test_other_games_are_played():
    table = evaluate(MCTS(100, seed=0), "FOP-f1", 4, reward="expected")
    assert table["mean"].item() > 0.9


def test_a_simulation_may_have_a_model_of_another_kind():
    class Physics(CartPoleEnv):
        model = object()

    with registered(Physics) as name:
        table = evaluate(lambda observation, info: 0, name, 2)
    assert table["mean"].item() >= 8
    assert table[["illegal", "truncated"]].to_numpy().sum() == 0


@pytest.mark.parametrize("name", [ID, "Carcassonne-2p-7m-s"])
def test_texts_are_players(name):
    table = evaluate("greedy", name, 2, {"rival": "random"}, tiles="small")
    assert table["mean"][0] > 0
    assert name != ID or table["difference"][1] > 0


def test_an_unknown_environment_needs_its_package():
    for name in ("Chess-v0", "Chess/small-v0"):
        message = "import the package that registers it, or name it in the id"
        with pytest.raises(gymnasium.error.UnregisteredEnv, match=message):
            evaluate(RandomAgent(0), name, 2)
    with pytest.raises(gymnasium.error.NameNotFound, match="Did you mean: `Carcassonne-1p-3m-s`"):
        evaluate(RandomAgent(0), "carcassonne_env:Carcassonne-1p-3m-x", 2)
    with pytest.raises(gymnasium.error.VersionNotFound) as refusal:
        evaluate(RandomAgent(0), "Carcassonne/1p-3m-s-v7", 2)
    assert "import the package" not in str(refusal.value)
    assert len(evaluate(RandomAgent(0), "carcassonne_env:Carcassonne-1p-3m-s", 2)) == 1


def test_rows_do_not_depend_on_each_other():
    rivals = {"a": RandomAgent(0), "b": RandomAgent(0)}
    table = evaluate(first_legal, ID, 4, rivals)
    assert table["mean"][1] == table["mean"][2] == evaluate(rivals["a"], ID, 4)["mean"][0]


# Episodes


def test_a_summary_is_that_of_the_episodes():
    rivals = {"random": RandomAgent(0)}
    table = play_episodes(first_legal, ID, 3, rivals, seeds=[5, 6, 7])
    assert list(table["policy"]) == ["policy"] * 3 + ["random"] * 3
    assert list(table["episode"]) == [0, 1, 2] * 2
    assert list(table["seed"]) == [5, 6, 7] * 2
    assert (table["return"] == table["score"]).all()
    assert table["steps"].between(22, 23).all()  # one of these orders has a tile that fits nowhere
    assert table["outcome"].isna().all()
    assert table["lead"].isna().all()
    assert not table["illegal"].any()
    assert not table["truncated"].any()
    assert (table["seconds_per_move"] > 0).all()
    summed = evaluate(first_legal, ID, 3, rivals, seeds=[5, 6, 7])
    assert untimed(summed).equals(untimed(summary(table)))


def test_differences_are_paired_by_seed():
    table = play_episodes(first_legal, ID, 6, {"random": RandomAgent(0)})
    own, other = (table[table["policy"] == name]["return"] for name in ("policy", "random"))
    differences = own.to_numpy() - other.to_numpy()
    row = summary(table).set_index("policy").loc["random"]
    assert row["difference"] == pytest.approx(differences.mean())
    expected = 2.5706 * differences.std(ddof=1) / math.sqrt(6)
    assert row["difference_half_width"] == pytest.approx(expected, rel=1e-3)
    assert math.isnan(summary(table)["difference"][0])


TWO = "Carcassonne-2p-7m-s"
SHORT = {"tiles": {"A": 2, "B": 1, "D": 3, "E": 1, "U": 2, "V": 2}, "num_meeples": 2}


SIGNS = {"win": 1, "draw": 0, "loss": -1}


@pytest.mark.parametrize("kind", [int, np.uint8])
def test_outcomes_of_three_are_those_of_the_seat(kind):
    settings = {**SHORT, "num_players": 3, "seat": kind(1)}
    table = play_episodes("greedy", TWO, 4, {"r": "random"}, **settings)
    assert (np.sign(table["lead"]) == table["outcome"].map(SIGNS)).all()


def test_both_seats_are_played_in_one_call():
    table = play_episodes(RandomAgent(1), TWO, 4, {"r": RandomAgent(0)}, both_seats=True, **SHORT)
    for seat in (0, 1):
        alone = play_episodes(RandomAgent(1), TWO, 4, {"r": RandomAgent(0)}, seat=seat, **SHORT)
        played = table[table["seat"] == seat].reset_index(drop=True)
        assert untimed(played).equals(untimed(alone))
    assert (table["lead"] == table["score"] - table["opponent_score"]).all()
    assert (np.sign(table["lead"]) == table["outcome"].map(SIGNS)).all()
    row = summary(table).iloc[0]
    assert (row["episodes"], row["difference"]) == (8, table["lead"].mean())
    assert row["wins"] + row["draws"] + row["losses"] == 8
    assert row["wins"] == (table["lead"] > 0).sum()
    means = table.groupby("seed")[["lead", "return"]].mean()  # two games of a seed are no two draws
    widths = row[["difference_half_width", "half_width"]].tolist()
    assert widths == pytest.approx((3.1824 * means.sem()).tolist(), rel=1e-3)


@pytest.mark.parametrize("player", ["greedy", lambda o, info: [*info["action_mask"]].index(1)])
def test_a_game_may_be_over_before_the_turn_of_the_player(player):
    settings = {"both_seats": True, "tiles": {"D": 2}, "num_meeples": 0}
    table = play_episodes(player, TWO, 2, {"r": "random"}, **settings)
    assert (table["steps"] == 1).all()
    assert (table["outcome"] == "draw").all()
    assert not table["illegal"].any()


class Forbidden:
    """A policy that must not be asked."""

    def act(self, env: Any) -> int:
        raise AssertionError("an episode began before all players were checked")


@pytest.mark.parametrize(
    ("env_id", "settings", "message"),
    [
        (ID, {"both_seats": True}, "both_seats must be False for a game that has one seat"),
        (TWO, {"both_seats": True, "seat": 1}, "both_seats .* is given the seat 1"),
        (TWO, {"both_seats": 2}, "both_seats must be True or False, got 2"),
        (ID, {"workers": 0}, r"workers must be an integer in \[1, .* got 0"),
        *((ID, {"episodes": n}, r"episodes must be an integer in \[2, .* got") for n in (1, "2")),
        (ID, {"episodes": 3, "seeds": [1, 2]}, "seeds must be 3, one an episode, got 2"),
        (ID, {"seeds": [1, 2.5]}, r"seeds must be integers, one an episode, got \[1, 2.5\]"),
        (ID, {"seeds": 3}, "seeds must be integers, one an episode, got 3"),
        (ID, {"policy": Forbidden(), "seeds": [1, -2]}, "seeds must be 0 or more, got -2"),
        *(
            (name, {"opponents": {"a": RandomAgent(0), "policy": RandomAgent(0)}}, text)
            for text in [r"other names than 'policy', .* got \['a', 'policy'\]"]
            for name in (ID, TWO)
        ),
        (ID, {"policy": 3}, r"policy must have predict.* got 3"),
        (ID, {"policy": "gredy"}, r"known name, got 'gredy'"),
        *(
            (name, {"policy": Forbidden(), "opponents": {"b": opponent}}, str(opponent))
            for name in (ID, TWO)
            for opponent in ("gredy", 3)
        ),
        (ID, {"policy": MCTS}, r"predict.* got <class"),
        (ID, {"opponents": [RandomAgent(0)]}, r"opponents must be a mapping .* got \[random\]"),
        (ID, {"opponents": {None: "random"}}, "opponents must be a mapping from names .*None: "),
    ],
)
def test_bad_arguments_are_refused(env_id, settings, message):
    settings = {"policy": first_legal, "episodes": 2, **settings}
    with pytest.raises((TypeError, ValueError), match=message):
        evaluate(env_id=env_id, **settings)


def test_results_do_not_depend_on_the_number_of_workers():
    def table(workers):
        rivals = {"mcts": MCTS(20, seed=0), "random": RandomAgent(0)}
        options = {"both_seats": True, "workers": workers, **SHORT}
        return untimed(play_episodes(MCTS(20, seed=1), TWO, 3, rivals, **options))

    assert table(1).equals(table(2))


def test_no_more_workers_start_than_there_are_episodes(monkeypatch):
    parallel, asked = joblib.Parallel, []

    def alone(workers, **options):
        asked.append(workers)
        return parallel(1, **options)

    monkeypatch.setattr(joblib, "Parallel", alone)
    evaluate("random", "FOP-f1", 2, workers=100)
    assert asked == [2]


def test_episodes_do_not_depend_on_each_other():
    """Each episode has random numbers of its own, whatever came before it."""
    table = play_episodes(RandomAgent(0), ID, 2, seeds=[7, 7])
    assert table["return"][0] != table["return"][1]
    for agent in (RandomAgent(0), TwoStepAgent(RandomAgent(0))):
        returns = [play_episodes(agent, ID, n, seeds=[7] * n)["return"] for n in (2, 5)]
        assert returns[0].tolist() == returns[1][:2].tolist()
        assert len(set(returns[1])) > 2


@contextmanager
def registered(entry_point: Any, **kwargs: Any) -> Iterator[str]:
    """The id of an environment that is known in this context."""
    gymnasium.register("Game-of-the-tests", entry_point, kwargs=kwargs)
    try:
        yield "Game-of-the-tests"
    finally:
        del gymnasium.registry["Game-of-the-tests"]


@pytest.mark.parametrize("opponent", [LastMaskedLearner(), [LastMaskedLearner()]])
def test_a_setting_may_be_a_learned_opponent_which_is_not_copied(opponent):
    with registered("agents.environments:gymnasium_env", model="hex(size=3)") as name:
        table = evaluate("random", name, 2, opponent=opponent)
    assert table["illegal"].item() == 0


def test_games_without_points_are_won_and_lost():
    rivals = {"random": RandomAgent(0)}
    with registered("agents.environments:gymnasium_env", model="hex(size=3)") as name:
        row = evaluate(MCTS(200, seed=0), name, 4, rivals, both_seats=True).iloc[0]
    assert (row["wins"], row["draws"], row["losses"]) == (8, 0, 0)
    assert math.isnan(row["difference"])


# Illegal actions


def test_illegal_endings_are_counted_as_losses():
    greedy = make("greedy", seed=0)

    class Careless:
        """Greedy until it leads."""

        def act(self, env):
            scores = env.unwrapped.model.scores
            mask = env.unwrapped.action_masks()
            return int(mask.argmin()) if scores[0] > scores[1] else greedy.act(env)

    table = play_episodes(Careless(), TWO, 3, {"random": RandomAgent(0)}, tiles="small")
    assert table["illegal"].all()
    assert (table["outcome"] == "loss").all()
    assert (table["score"] == 0).all()
    assert (table["lead"] == -CarcassonneModel(tiles="small").max_score()).all()
    row = summary(table).iloc[0]
    assert (row["illegal"], row["losses"], row["truncated"]) == (3, 3, 0)


def stubborn(observation: Any, info: dict[str, Any]) -> int:
    return int(info["action_mask"].argmin())


@pytest.mark.parametrize("env_id", [ID, TWO])
def test_a_policy_that_repeats_an_illegal_action_comes_to_an_end(env_id):
    table = play_episodes(stubborn, env_id, 2, illegal_action="noop")
    assert table["truncated"].all()
    assert table["illegal"].all()
    assert (table["steps"] == 576).all()
    assert summary(table)["truncated"].item() == 2
    assert set(table["outcome"]) == ({"loss"} if env_id == TWO else {None})


class Quitter:
    """Greedy for some steps, and then illegal until the episode ends."""

    def __init__(self, num_legal: int) -> None:
        self.num_legal = num_legal
        self.greedy = make("greedy", seed=0)

    def act(self, env: Any) -> int:
        if len(env.unwrapped.model.board) <= self.num_legal:
            return int(self.greedy.act(env))
        return int(env.unwrapped.action_masks().argmin())


@pytest.mark.parametrize(
    ("reward", "illegal_action"),
    [("score", "terminate"), ("win", "noop"), ("virtual", "terminate")],
)
@pytest.mark.parametrize("env_id", [ID, TWO])
def test_quitters_are_never_above_those_who_play_on(env_id, reward, illegal_action):
    settings = {"reward": reward, "illegal_action": illegal_action, "tiles": "small"}
    settings |= {"max_score": 20, "max_episode_steps": 40}
    rival = {"greedy": make("greedy", seed=0)} if env_id == TWO else {}
    rows = {
        name: evaluate(player, env_id, 4, rival, **settings).iloc[0]
        for name, player in {"first": first_legal, **{n: Quitter(n) for n in (0, 8, 20)}}.items()
    }
    for num_legal in (0, 8, 20):
        row = rows[num_legal]
        assert (row["illegal"], rows["first"]["illegal"]) == (4, 0)
        assert row["mean"] <= rows["first"]["minimum"]
        if env_id == TWO:
            assert row["difference"] < rows["first"]["difference"] < 0
            assert row["losses"] == 4


@pytest.mark.filterwarnings("ignore:.*illegal_reward must be the lowest return")
def test_an_illegal_episode_is_not_above_any_other():
    """Losing costs 10 here, and an illegal action 1: the environment cannot know."""

    class Steep(TicTacToe):
        def returns(self):
            return tuple(10 * value for value in super().returns())

    calls = itertools.count()

    def policy(observation, info):
        mask = info["action_mask"]
        return int(mask.argmin() if next(calls) == 1 else mask.argmax())

    with registered(gymnasium_env, model=Steep(), observe=one) as name:
        table = play_episodes(
            policy, name, 8, {"expert": make("mcts(iterations=300, c=14)", seed=0)}
        )
    played = table[table["policy"] == "policy"]
    assert played["illegal"].sum() == 1
    assert played["return"].min() == -10
    assert (played.loc[played["illegal"], "return"] == -10).all()


@pytest.mark.parametrize("points", [(0, 0), np.zeros(2)], ids=["tuple", "array"])
def test_games_without_a_bound_of_the_points_are_lost_without_a_bound(points):
    class Points(TicTacToe):
        """Tic-tac-toe with points."""

        scores = points

    with registered(gymnasium_env, model=Points(), observe=one) as name:
        row = evaluate(stubborn, name, 2, {"random": RandomAgent(0)}).iloc[0]
    assert (row["illegal"], row["mean"], row["difference"]) == (2, -1, -math.inf)


# Recurrent policies


class Counting:
    """A recurrent policy: its state counts the steps, and it takes the action of that number."""

    starts: ClassVar[list[Any]] = []

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[int, tuple[int]]:
        count = 0 if state is None or episode_start.any() else state[0]
        self.starts.append(count)
        legal = np.flatnonzero(observation["action_mask"])
        return int(legal[count % len(legal)]), (count + 1,)


def test_recurrent_policies_keep_their_memory_during_an_episode():
    Counting.starts.clear()
    evaluate(Counting(), ID, 2)
    assert Counting.starts == [*range(23), *range(23)]


def test_recurrent_policies_are_refused_where_episodes_are_not_known():
    maker = gymnasium.make(TWO, **SHORT)
    env = gymnasium.make(TWO, opponent=PolicyAgent(Counting(), maker), seat=1, **SHORT)
    with pytest.raises(TypeError, match=r"recurrent policy cannot play here.*Counting"):
        env.reset(seed=0)
