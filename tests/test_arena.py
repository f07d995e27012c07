"""The arena: every kind of player in every kind of game, the same records however they are made."""

from __future__ import annotations

import copy
import itertools
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pandas as pd
import pytest
from gymnasium import spaces
from pettingzoo import AECEnv

import carcassonne_env
import fop_env
from agents import (
    CHANCE,
    EAMCTS,
    MCTS,
    TERMINAL,
    UCB1,
    Agent,
    Expectimax,
    ForwardModel,
    Grammar,
    PythonForwardModel,
    RandomAgent,
    Rng,
    StarMinimax,
)
from agents.arena import play_match, play_matches, plies_of, record_of, round_robin, row_of
from agents.game import GameRecord, Ply, play_game, replay
from carcassonne_env import CarcassonneModel, PolicyAgent, TwoStepAgent
from fop_env import FopModel
from games import Arms, Bandit, Dice, OfNumPy, ThreePlayers, TicTacToe
from playing import FEW, LastLearner, LastMaskedLearner, LastPlanner, last_seen

SETTINGS = {"num_players": 2, "num_meeples": 3, "tiles": FEW}
SMALL = CarcassonneModel(**SETTINGS)
DUEL = FopModel("f4", threshold=0.01, num_players=2)


def level(model: ForwardModel, player: int) -> float:
    return 0.0


class Sums(PythonForwardModel):
    """Two players say 0 to 3 in turn, a die falls after every word; who said more wins at random.

    The difference of the sums is the expected return of player 0, in tenths.
    """

    def __init__(self) -> None:
        super().__init__(num_players=2, num_actions=6)
        self.events: tuple[int, ...] = ()

    def current_player(self) -> int:
        if len(self.events) == 8:
            return TERMINAL
        return CHANCE if len(self.events) % 2 else len(self.events) // 2 % 2

    def legal_actions(self) -> range:
        return range(4)

    def chance_outcomes(self) -> tuple[range, list[float]]:
        return range(6), [1 / 6] * 6

    def apply_action(self, action: int) -> None:
        self.events += (action,)

    def returns(self) -> tuple[float, float]:
        expected = (sum(self.events[::4]) - sum(self.events[2::4])) / 10
        return expected, -expected

    def sample_returns(self, rng: Rng) -> tuple[float, float]:
        drawn = 1.0 if rng.random() < (1 + self.returns()[0]) / 2 else -1.0
        return drawn, -drawn

    def copy_from(self, source: Sums) -> None:
        self.events = source.events


class Acting:
    """An object that is no agent."""

    def __init__(self, act: Any) -> None:
        self.act = act


class Toll(AECEnv):
    """As of others, without a forward model: two agents in turn pay 0 to 2 to each other.

    The observation is a number from 0 to 99, drawn at the reset. The first agent pays three times,
    the second twice.
    """

    metadata = {"name": "toll", "render_modes": []}  # noqa: RUF012

    def __init__(self, is_truncated: bool = False) -> None:
        super().__init__()
        self.is_truncated = is_truncated
        self.possible_agents = ["north", "south"]
        self.observation_spaces = dict.fromkeys(self.possible_agents, spaces.Discrete(100))
        self.action_spaces = dict.fromkeys(self.possible_agents, spaces.Discrete(3))

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.number = int(np.random.default_rng(seed).integers(100))
        self.payments = 0
        self.agents = list(self.possible_agents)
        self.agent_selection = "north"
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": np.ones(3, dtype=np.int8)} for agent in self.agents}

    def step(self, action: Any) -> None:
        payer = self.agent_selection
        if self.terminations[payer] or self.truncations[payer]:
            self._was_dead_step(action)
            return
        if action not in (0, 1, 2):
            raise ValueError(f"nobody can pay {action}")
        payee = "south" if payer == "north" else "north"
        self.payments += 1
        self._cumulative_rewards[payer] = 0
        self.rewards = {payer: -action, payee: action}
        is_over = self.payments == 5
        ends = self.truncations if self.is_truncated else self.terminations
        ends.update(dict.fromkeys(self.agents, is_over))
        self._accumulate_rewards()
        self.agent_selection = payee

    def observe(self, agent: str) -> int:
        return self.number

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]


# --- Players who all take the last legal action ---


def last(model: ForwardModel) -> int:
    return int(model.legal_actions()[-1])


class LastAgent(RandomAgent):
    """An agent of one's own, which has a generator."""

    def choose(self, model: ForwardModel) -> int:
        self.rng.below(100)
        return last(model)


class LastCallable:
    """An object that is called."""

    def __call__(self, model: ForwardModel) -> np.int64:
        return np.int64(last(model))


def untimed(record: GameRecord) -> GameRecord:
    return GameRecord(record.returns, [p._replace(seconds=0) for p in record.plies])


def course(record: GameRecord) -> list[tuple[int, int]]:
    return [(ply.player, ply.action) for ply in record.plies]


def draws(record: GameRecord) -> list[int]:
    return [ply.action for ply in record.plies if ply.player == CHANCE]


def bag(seed: int) -> CarcassonneModel:
    return CarcassonneModel(**SETTINGS, deterministic=True, seed=seed)


def of_seat(record: GameRecord, seat: int) -> list[Ply]:
    return [ply for ply in record.plies if ply.player == seat]


# --- Games in models ---


@pytest.mark.parametrize(
    ("game", "values"), [(Bandit(0.3), (1, 0)), (DUEL, (1, 0)), (Sums(), (1, -1))]
)
def test_random_returns_are_drawn(game, values):
    records = [play_game(game, [last] * game.num_players, seed) for seed in range(200)]
    drawn = [record.returns[0] for record in records]
    assert set(drawn) == set(values)
    if game.num_players == 2:
        assert all(record.returns[1] == -record.returns[0] for record in records)
    if isinstance(game, Bandit):
        assert np.mean(drawn) == pytest.approx(0.3, abs=0.1)


@pytest.mark.parametrize("game", [SMALL, Sums()], ids=["Carcassonne", "Sums"])
def test_every_kind_of_player_plays_in_a_model(game):
    kinds = [last, LastCallable(), Acting(last), LastAgent(0), LastPlanner(10, seed=0)]
    expected = play_game(game, [last, "random"], 5)
    assert [p.action for p in of_seat(expected, 0)] != [p.action for p in of_seat(expected, 1)]
    for kind in kinds:
        assert untimed(play_game(game, [kind, "random"], 5)) == untimed(expected)


def test_numbers_of_a_game_may_be_those_of_numpy(tmp_path):
    games = {"plain": TicTacToe(), "of NumPy": OfNumPy()}
    table = play_match(tmp_path / "table.csv", games, ["mcts(iterations=20)", "random"], 1)
    plain, of_numpy = (table[table["game"] == name].iloc[0] for name in games)
    assert untimed(record_of(plain)) == untimed(record_of(of_numpy))


@pytest.mark.parametrize(
    "agent", [RandomAgent(3), MCTS(20, seed=3), MCTS(20, seed=3, reuse_tree=True), EAMCTS(40)]
)
def test_agents_begin_every_game_as_they_are_handed_over(agent):
    twin = copy.deepcopy(agent)
    first, second = (play_game(SMALL, [agent, agent], 2) for _ in range(2))
    assert untimed(first) == untimed(second)
    start = SMALL.clone()
    start.apply_action(0)
    assert agent.act(start) == twin.act(start)


@pytest.mark.parametrize("seed", [-1, 0.5, None, "1", True])
def test_games_have_a_seed(seed):
    """With None, no two runs would be alike."""
    with pytest.raises(ValueError, match=f"seed must be an integer of 0 or more, got {seed!r}"):
        play_game(DUEL, ["random", "random"], seed)


def test_specifications_get_a_seed_each():
    """Two random players of one seed would choose alike in this game."""
    records = [play_game(DUEL, ["random", "random"], seed) for seed in range(10)]
    choices = [[[p.action for p in of_seat(r, seat)][:3] for seat in (0, 1)] for r in records]
    assert sum(first != second for first, second in choices) >= 3
    assert len({tuple(first) for first, _ in choices}) > 1


def test_draws_do_not_depend_on_choices():
    """The first words of both players meet every throw of the first die."""
    records = [play_game(Sums(), ["random", "random"], seed) for seed in range(200)]
    for ply in (0, 2):
        pairs = {(record.plies[ply].action, record.plies[1].action) for record in records}
        assert len(pairs) == 4 * 6


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", [SMALL, Sums()], ids=["Carcassonne", "Sums"])
def test_both_seat_orders_meet_the_same_draws(game, seed):
    """However much the players themselves draw; and the same results, while they play alike."""
    players = [LastPlanner(30, seed=seed), last, LastAgent(seed)]
    records = [play_game(game, [a, b], seed) for a in players for b in players]
    assert all(untimed(record) == untimed(records[0]) for record in records)
    unlike = play_game(game, ["random", "mcts(iterations=5)"], seed)
    assert draws(unlike)[0] == draws(records[0])[0]
    assert draws(play_game(game, [last, last], seed + 10)) != draws(records[0])


def listening(log: list[Any]) -> Agent:
    """An agent that writes down what it is told, and a None wherever it chooses."""

    class Listener(RandomAgent):
        def advance(self, action: int) -> None:
            log.append(action)

        def choose(self, model: ForwardModel) -> int:
            log.append(None)
            return super().choose(model)

    return Listener(0)


@pytest.mark.parametrize("seat", [0, 1])
def test_agents_are_told_everything_in_order(seat):
    log: list[Any] = []
    players = ["random", "random"]
    players[seat] = listening(log)
    record = play_game(SMALL, players, 0)
    expected: list[Any] = []
    for ply in record.plies:
        expected += [None, ply.action] if ply.player == seat else [ply.action]
    assert log == expected


# --- Plies ---


def recording(planner: Any, results: list[Any]) -> Any:
    search = type(planner).search

    class Recording(type(planner)):  # type: ignore[misc]
        def search(self, game: Any) -> Any:
            results.append(search(self, game))
            return results[-1]

    planner.__class__ = Recording
    return planner


BY_VISITS = [
    MCTS(30, seed=0),
    MCTS(30, seed=0, trees=2, vote="majority"),
    EAMCTS(60, fitness_iterations=2, seed=0),
]
BY_DEPTH = [Expectimax(1, "s", seed=0), StarMinimax(1, seed=0)]
SCORED = [SMALL, carcassonne_env.env(**SETTINGS, action_mode="index")]
OTHERS = [Sums(), fop_env.env()]


@pytest.mark.parametrize(
    ("planner", "game"),
    [
        *itertools.product(BY_VISITS, SCORED + OTHERS),
        *itertools.product(BY_DEPTH, SCORED),  # which have heuristics
    ],
    ids=lambda value: type(value).__name__,
)
def test_plies_hold_what_the_search_found(planner, game):
    results: list[Any] = []
    planner = recording(copy.deepcopy(planner), results)
    start = time.perf_counter()
    plies = of_seat(play_game(game, ["random", planner], 0), 1)
    seconds = time.perf_counter() - start
    assert len(plies) == len(results) > 1
    for ply, result in zip(plies, results, strict=True):
        assert ply.value == pytest.approx(result.value, abs=1e-6)
        visits = dict(zip(result.actions, getattr(result, "visits", result.actions), strict=True))
        has_visits = isinstance(planner, MCTS)
        assert ply.visits == (visits[result.action] if has_visits else None)
        evolution = getattr(result, "evolution", None)
        assert ply.formula == (str(evolution.formula) if evolution else "")
        if isinstance(game, ForwardModel):
            assert ply.action == result.action
            assert ply.move == result.model.action_to_string(result.action)
    assert any(ply.formula for ply in plies) == isinstance(planner, EAMCTS)
    assert 0 < sum(result.seconds for result in results) <= sum(p.seconds for p in plies) < seconds


def test_plies_hold_nothing_where_nothing_was_searched():
    record = play_game(SMALL, ["random", last], 0)
    assert all(ply[2:5] == (None, None, "") for ply in record.plies)
    for model, ply in replay(SMALL, record.plies):
        assert model.string_to_action(ply.move) == ply.action
    assert all((ply.seconds > 0) == (ply.player != CHANCE) for ply in record.plies)


# --- Environments ---


def played_by_hand(env: Any, actions: Sequence[int], seed: int) -> tuple[float, ...]:
    """The returns after the actions, which are all legal, by the rewards of every step."""
    env.reset(seed=seed)
    returns = dict.fromkeys(env.possible_agents, 0.0)
    for action in actions:
        observation, *_, info = env.last()
        told = {**info, **observation} if isinstance(observation, dict) else info
        assert told["action_mask"][action]
        env.step(action)
        for agent in returns:
            returns[agent] += env.rewards[agent]
    assert all(env.terminations.values()) or all(env.truncations.values())
    return tuple(returns.values())


def wanderer(seed: int) -> Callable[[Any, dict[str, Any]], int]:
    rng = np.random.default_rng(seed)
    return lambda observation, info: int(rng.choice(np.flatnonzero(info["action_mask"])))


ENVIRONMENTS = {
    "carcassonne": lambda: carcassonne_env.env(**SETTINGS),
    "scores by the step": lambda: carcassonne_env.env(**SETTINGS, reward="score"),
    "two steps": lambda: carcassonne_env.env(**SETTINGS, action_mode="two_step"),
    "three players": lambda: carcassonne_env.env(**(SETTINGS | {"num_players": 3})),
    "raw": lambda: carcassonne_env.raw_env(**SETTINGS),
    "fop": lambda: fop_env.env(function="f4"),
    "fop alone": lambda: fop_env.env(function="f4", num_players=1),
    "toll": Toll,
    "toll, truncated": lambda: Toll(is_truncated=True),
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_game_in_an_environment_is_played_to_its_end(name):
    env = ENVIRONMENTS[name]()
    results = set()
    for seed in range(8):
        record = play_game(env, [wanderer(seed)] * len(env.possible_agents), seed)
        actions = [ply.action for ply in record.plies]
        assert record.returns == played_by_hand(ENVIRONMENTS[name](), actions, seed)
        assert {ply.player for ply in record.plies} == {*range(len(env.possible_agents))}
        results.add(record.returns)
    assert len(results) > 1


@pytest.mark.parametrize("name", ["carcassonne", "two steps", "fop"])
def test_every_kind_of_player_plays_in_an_environment(name):
    env = ENVIRONMENTS[name]()
    kinds = [LastLearner(), LastMaskedLearner(), last_seen]
    if name == "fop":
        kinds += [LastAgent(0), LastPlanner(10, seed=0), Acting(LastAgent(0).act)]
    else:  # where actions of the model have other numbers
        kinds.append(PolicyAgent(LastLearner(), env))
    expected = untimed(play_game(env, [last_seen, "random"], 5))
    for kind in kinds:
        assert untimed(play_game(env, [kind, "random"], 5)) == expected


@pytest.mark.parametrize("mode", ["flat", "two_step", "index"])
def test_planners_play_in_environments(mode):
    env = carcassonne_env.env(**SETTINGS, action_mode=mode)
    for planner in (MCTS(30, seed=0), TwoStepAgent(MCTS(30, seed=0)), "mcts(iterations=30)"):
        record = play_game(env, [planner, "random"], 2)
        actions = [ply.action for ply in record.plies]
        assert record.returns == played_by_hand(env, actions, 2)
        if isinstance(planner, Agent):
            env.reset(seed=2)
            assert actions[0] == copy.deepcopy(planner).act(env)


def test_environments_are_left_as_they_are():
    env = carcassonne_env.env(**SETTINGS)
    before = [play_game(env, [last_seen] * 2, 7)]
    with pytest.raises(gymnasium.error.ResetNeeded):
        _ = env.model
    env.reset(seed=3)
    position = env.model.clone()
    before.append(play_game(env, [last_seen] * 2, 7))
    assert env.model == position
    assert untimed(before[0]) == untimed(before[1])


def test_environments_may_be_functions_of_the_seed():
    seeds = []

    def made(seed):
        seeds.append(seed)
        return Toll()

    numbered = [lambda number, info: number % 3] * 2
    assert course(play_game(made, numbered, 6)) == course(play_game(Toll(), numbered, 6))
    assert seeds == [6]


def test_agents_in_environments_are_told_nothing():
    log: list[Any] = []
    play_game(carcassonne_env.env(**SETTINGS), [listening(log), "random"])
    assert set(log) == {None}


# --- What is refused ---


NO_GAME = "game must be a ForwardModel, an AEC environment"
NO_POLICY = "a learned policy must have predict"
NO_PLAYER = r"function of the model, got {}.*PolicyAgent"


def no_action(action: Any) -> str:
    return rf"test_arena:.*lambda.* must choose an action, .* got {re.escape(repr(action))}"


@pytest.mark.parametrize(
    ("game", "players", "error", "message"),
    [
        *(
            (game, ["random"] * count, ValueError, f"one for each of 2 seats, got {count}")
            for game in (SMALL, carcassonne_env.env(**SETTINGS), Sums())
            for count in (0, 1, 3)
        ),
        *(
            (game, ["random"], TypeError, NO_GAME)
            for game in (None, "carcassonne", 3, lambda seed: None, lambda seed: last)
        ),
        (gymnasium.make("FOP-f1"), ["random"], TypeError, NO_GAME),
        *(
            (SMALL, [player, "random"], TypeError, NO_PLAYER.format(shown))
            for player, shown in (
                (LastLearner(), ".*LastLearner"),
                (MCTS, ".*MCTS"),  # an instance was meant
                (last_seen, ".*last_seen"),  # sees no model
                (None, "None"),
                (3, "3"),
            )
        ),
        *((Toll(), [player, last_seen], TypeError, NO_POLICY) for player in (None, 3, LastLearner)),
        *(
            (game, ["random", lambda model, a=action: a], ValueError, f"{action}, which is illegal")
            for game in (SMALL, Sums())  # which is written in Python, and need not check
            for action in (-1, 10**6, 5)
        ),
        *(
            (game, [lambda *seen, a=action: a, other], TypeError, no_action(action))
            for game, other in ((Sums(), "random"), (Toll(), last_seen))
            for action in (0.5, None, "0", [0])
        ),
        *(
            (Toll(), [last_seen, planner], TypeError, r"whose unwrapped\.model is one, got .*Toll")
            for planner in ("random", MCTS(5))
        ),
        (Arms(math.nan), ["random"], ValueError, r"returns must be 1 finite numbers, got \(nan,\)"),
    ],
)
def test_bad_games_and_players_are_refused(game, players, error, message):
    with pytest.raises(error, match=message):
        play_game(game, players)


def test_environments_judge_illegal_actions():
    """By default the game ends; raw environments raise, and so may those of others."""

    def illegal(observation, info):
        return int(np.flatnonzero(info["action_mask"] == 0)[0])

    record = play_game(carcassonne_env.env(**SETTINGS), [last_seen, illegal])
    assert (record.returns, len(record.plies)) == ((0, -1), 2)
    with pytest.raises(gymnasium.error.InvalidAction, match="illegal"):
        play_game(carcassonne_env.raw_env(**SETTINGS), [last_seen, illegal])
    with pytest.raises(ValueError, match="nobody can pay 7"):
        play_game(Toll(), [lambda observation, info: 7, last_seen])


@pytest.mark.parametrize("option", ["measure", "watch"])
def test_only_models_are_measured_and_watched(option):
    message = r"measure and watch need a game that is a ForwardModel, got .*Toll"
    with pytest.raises(TypeError, match=message):
        play_game(Toll(), [last_seen, last_seen], **{option: lambda *seen: {}})


# --- Tournaments ---

ENTRANTS = ["random", "mcts(iterations=10)", ("last", last)]
NAMES = ["random", "mcts(iterations=10)", "last"]
GAMES = {"small": SMALL, "duel": DUEL, "sums": Sums()}


def measured(model: ForwardModel) -> dict[str, Any]:
    is_scored = isinstance(model, CarcassonneModel)
    return {"score_0": model.scores[0] if is_scored else None, "kind": type(model).__name__}


def without_seconds(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns="seconds")


def seatings_of(table: pd.DataFrame) -> Counter[tuple[str, ...]]:
    names = [name for name in table if name.startswith("seat_")]
    return Counter(table[names].itertuples(index=False, name=None))


def test_a_match_is_in_one_seat_order(tmp_path):
    table = play_match(tmp_path / "table.csv", GAMES, ENTRANTS[:2], 4, measure=measured)
    assert seatings_of(table) == {tuple(NAMES[:2]): 4 * 3}
    assert set(table["kind"]) == {"CarcassonneModel", "FopModel", "Sums"}


def test_seatings_are_as_told(tmp_path):
    """A player may have several seats, another none."""
    seatings = [["last", "last"], ["random", "last"]]
    table = play_matches(tmp_path / "table.csv", {"duel": DUEL}, ENTRANTS, iter(seatings), 3)
    assert seatings_of(table) == {("last", "last"): 3, ("random", "last"): 3}
    rows = table[table["seat_0"] == "last"]["plies"]
    assert rows.nunique() == 1


def test_rows_are_the_games(tmp_path):
    players = dict(zip(NAMES, ["random", "mcts(iterations=10)", last], strict=True))
    table = round_robin(tmp_path / "table.csv", GAMES, ENTRANTS, 2, measure=measured)
    assert table["seed"].is_monotonic_increasing  # so that an unfinished run has whole rounds
    for _, row in table.iterrows():
        seated = [players[row["seat_0"]], players[row["seat_1"]]]
        record = play_game(GAMES[row["game"]], seated, row["seed"], measure=measured)
        read = record_of(row)
        assert untimed(read) == untimed(record)
        assert [[*map(type, ply)] for ply in read.plies] == [[*map(type, p)] for p in record.plies]
        assert row["kind"] == record.measures["kind"]
        if row["game"] == "small":
            assert row["score_0"] == record.measures["score_0"]


def test_agents_are_named_by_their_representation(tmp_path):
    entrants = [MCTS(5, seed=1), RandomAgent(2), TwoStepAgent(RandomAgent(0)), "greedy"]
    table = round_robin(tmp_path / "table.csv", {"small": SMALL}, entrants, 1)
    names = ["mcts(iterations=5)", "random", "TwoStepAgent(planner=random)", "greedy"]
    assert list(dict.fromkeys(table["seat_0"])) == names


def test_agents_that_differ_have_rows_of_their_own(tmp_path):
    """Though their options differ only in the 8th digit, or in what was not shown."""
    grammars = [Grammar(), Grammar(max_mutation_depth=2), Grammar(internal_probability=0.5)]
    agents = [EAMCTS(5, grammar=grammar, seed=0) for grammar in grammars]
    agents += [MCTS(5, tree_policy=UCB1(c), seed=0) for c in (0.12345678, 0.12345679)]
    table = round_robin(tmp_path / "table.csv", {"bandit": Bandit(0.2, 0.8)}, agents, 1)
    assert table["seat_0"].nunique() == 5


def test_agents_with_functions_are_known_again(tmp_path):
    path = tmp_path / "table.csv"
    agents = [Expectimax(heuristic=level, seed=0), "random"]
    for _ in range(2):
        table = round_robin(path, {"bandit": Bandit(0.2, 0.8)}, agents, 1)
        assert table["seat_0"].tolist() == [f"expectimax(heuristic={__name__}:level)", "random"]
    assert len(pd.read_csv(path)) == 2


def test_agents_without_names_of_their_own_are_refused(tmp_path):
    agent = Expectimax(heuristic=lambda model, player: 0.0, seed=0)
    path, games = tmp_path / "table.csv", {"bandit": Bandit(0.2, 0.8)}
    with pytest.raises(ValueError, match=r"give \(name, player\), or .* imported; expectimax"):
        round_robin(path, games, [agent], 1)
    assert not path.exists()
    table = round_robin(path, games, [("level", agent)], 1)
    assert table["seat_0"].tolist() == ["level"]


def test_tournaments_are_held_in_environments(tmp_path):
    games = {"carcassonne": carcassonne_env.env(**SETTINGS), "fop": lambda seed: fop_env.env()}
    entrants = ["random", ("learner", LastLearner()), ("function", last_seen)]
    table = round_robin(tmp_path / "table.csv", games, entrants, 1)
    plies = table.set_index(["game", "seat_0", "seat_1"])["plies"]
    assert plies["fop", "random", "learner"] == plies["fop", "random", "function"]
    assert plies["carcassonne", "learner", "random"] == plies["carcassonne", "function", "random"]


# --- The same table, whoever plays it ---


def tournament(path: Path, workers: int | None) -> pd.DataFrame:
    """Players and games that reach other processes by value."""

    def choose_last(model: ForwardModel) -> int:
        return int(model.legal_actions()[-1])

    def bag(seed: int) -> CarcassonneModel:
        return CarcassonneModel(**SETTINGS, deterministic=True, seed=seed)

    def scores(model: CarcassonneModel) -> dict[str, int]:
        return {f"score_{seat}": score for seat, score in enumerate(model.scores)}

    games = {"small": SMALL, "bag": bag}
    entrants = [
        "mcts(iterations=20)",
        EAMCTS(60, fitness_iterations=2, seed=0),
        ("last", choose_last),
    ]
    table = round_robin(path, games, entrants, 2, measure=scores, workers=workers)
    assert len(table) == 2 * 2 * 6
    return table


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The table of the tournament, made by one worker."""
    return tournament(tmp_path_factory.mktemp("alone") / "table.csv", 1)


@pytest.mark.parametrize("workers", [None, 2])
def test_records_do_not_depend_on_the_number_of_workers(tmp_path, alone, workers):
    table = tournament(tmp_path / "table.csv", workers)
    pd.testing.assert_frame_equal(without_seconds(table), without_seconds(alone))


# --- Runs that go on ---


def test_seeds_begin_where_they_should(tmp_path):
    """The games are those of a longer match from seed 0."""
    whole = play_match(tmp_path / "whole.csv", {"duel": DUEL}, ENTRANTS[:2], 4)
    part = play_match(tmp_path / "part.csv", {"duel": DUEL}, ENTRANTS[:2], 2, first_seed=2)
    both = round_robin(tmp_path / "both.csv", {"duel": DUEL}, ENTRANTS[:2], 2, first_seed=2)
    assert part["seed"].tolist() == [2, 3]
    assert both["seed"].tolist() == [2, 2, 3, 3]
    assert part["plies"].tolist() == whole["plies"].tolist()[2:]


# --- Tournaments that are refused ---

TWINS = [MCTS(5, seed=0), MCTS(5, seed=1)]
SOME = {"duel": DUEL}, ENTRANTS[:2], 1


PAIR = [NAMES[:2]]


@pytest.mark.parametrize(
    ("play", "arguments", "message"),
    [
        *(
            (play_matches, (GAMES, ENTRANTS, PAIR, count), "num_games must be an integer in")
            for count in (0, 1.5, True)
        ),
        (play_matches, ({}, ENTRANTS, PAIR, 1), "games must be one or more"),
        (play_matches, (GAMES, ENTRANTS, [], 1), "seatings must be one or more"),
        (play_matches, (GAMES, ENTRANTS, [["random", "nobody"]], 1), r"must name 2 .*'nobody'"),
        (play_matches, (GAMES, ENTRANTS, [["random"]], 1), "must name 2 of the players"),
        (play_matches, (GAMES, ENTRANTS, [NAMES], 1), "must name 2 of the players"),
        (play_matches, (GAMES, ENTRANTS, PAIR * 2, 1), "jobs must differ"),
        (play_matches, (GAMES, ["random"] * 2, [["random"] * 2], 1), "names.*'random' twice"),
        (play_matches, (GAMES, TWINS, PAIR, 1), r"names, got 'mcts\(iterations=5\)' twice"),
        (play_matches, (GAMES, ["random", last], PAIR, 1), "an entrant must be"),
        (play_matches, (GAMES, ["random", (None, last)], PAIR, 1), "name must be text, got None"),
        (play_matches, (GAMES | {"b": Bandit(0.5)}, ENTRANTS, PAIR, 1), "same number of .*'b': 1"),
        (play_matches, ({"none": None}, ENTRANTS, PAIR, 1), "game must be a ForwardModel"),
        (play_matches, (SMALL, ENTRANTS, PAIR, 1), "games must be a mapping"),
        (play_matches, (GAMES, "random", PAIR, 1), "entrants must be a sequence"),
        *(
            (partial(play_match, first_seed=seed), SOME, "first_seed must be an integer")
            for seed in (-1, 0.5, True, 2**31)
        ),
        *(
            (play_match, (GAMES, some, 1), "a seating must name 2 of the players")
            for some in (ENTRANTS, ENTRANTS[:1])
        ),
        *(
            (
                round_robin,
                ({"game": game}, ENTRANTS[:count], 1),
                rf"players must be {game.num_players} or more",
            )
            for game, count in ((SMALL, 1), (ThreePlayers(), 2), (Bandit(0.5), 0))
        ),
        (round_robin, ({}, ENTRANTS, 1), "games must be one or more"),
        *(
            (round_robin, (GAMES, ["random", entrant], 1), "agent must be .* got 'alphazero'")
            for entrant in ("alphazero", ("name", "alphazero"))
        ),
        (
            round_robin,
            (GAMES, ["random", "expectimax(heuristic='x')"], 1),
            r"^expectimax.*: heuristic must be .* got 'x'$",
        ),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_bad_tournaments_are_refused(tmp_path, play, arguments, message):
    path = tmp_path / "folder" / "table.csv"
    with pytest.raises((TypeError, ValueError), match=message):
        play(path, *arguments)
    assert not path.parent.exists()


def test_a_game_that_fails_is_named(tmp_path):
    def cheat(model):
        return 99

    path = tmp_path / "table.csv"
    entrants, seatings = [*ENTRANTS, ("cheat", cheat)], [["last", "random"], ["cheat", "random"]]
    with pytest.raises(RuntimeError) as failure:
        play_matches(path, {"duel": DUEL}, entrants, seatings, 1)
    job = "{'game': 'duel', 'seat_0': 'cheat', 'seat_1': 'random', 'seed': 0}"
    reason = f"{__name__}:{cheat.__qualname__} chose action 99, which is illegal"
    assert str(failure.value) == f"job {job} failed:\n{reason}"
    assert path.read_bytes().count(b"\n") == 2


# --- Records ---


def test_rows_hold_values_of_all_kinds():
    """Infinite ones, text in quotes, the returns of twelve seats in order, and no measures."""
    plies = [
        Ply(0, 5, value=math.inf),
        Ply(1, 6, 3, -1.5, 'Q + "x", n', seconds=2e-6),
        Ply(CHANCE, 2),
    ]
    returns = (math.inf, -0.5, *map(float, range(10)))
    for record in (GameRecord(returns, plies), GameRecord(returns, [], {"return_rate": 0.5})):
        read = record_of(pd.Series(row_of(record)))
        assert (read.returns, read.plies) == (returns, record.plies)


@pytest.mark.parametrize("name", ["return_0", "return_2", "seat_2", "plies", "seconds"])
def test_measures_do_not_replace_the_record(tmp_path, name):
    with pytest.raises((RuntimeError, ValueError), match=name):
        play_match(tmp_path / "table.csv", *SOME, measure=lambda model: {name: 5})


def test_plies_of_a_table(tmp_path):
    table = round_robin(tmp_path / "table.csv", {"small": SMALL}, ENTRANTS, 1)
    table.index = table.index + 100
    plies = [
        (index, number, *ply)
        for index, row in table.iterrows()
        for number, ply in enumerate(record_of(row).plies)
    ]
    expected = pd.DataFrame(plies, columns=["row", "ply", *Ply._fields])
    pd.testing.assert_frame_equal(plies_of(table), expected, check_dtype=False)


@pytest.mark.parametrize("game", [SMALL, bag, TicTacToe(), Dice(player=1), ThreePlayers()])
def test_games_are_played_again(game):
    for seed in range(3):
        start = game(seed) if callable(game) else game
        record = play_game(game, ["random"] * start.num_players, seed)
        assert record.measures == {}
        twin, seen = start.clone(), []
        for model, ply in replay(game, record.plies, seed):
            assert model.current_player() == ply.player
            assert repr(model) == repr(twin) or not isinstance(start, CarcassonneModel)
            twin.apply_action(ply.action)
            seen.append(ply)
        assert seen == record.plies
        assert model.is_terminal()
        assert tuple(model.returns()) == record.returns


@pytest.mark.parametrize("game", [Toll(), lambda seed: Toll()], ids=["env", "function"])
def test_environments_cannot_be_played_again(game):
    with pytest.raises(TypeError, match=r"only a game that is a ForwardModel .* got .*Toll"):
        list(replay(game, [Ply(0, 1)]))
