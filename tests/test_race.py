"""MCTS that ends in a race: what the rollouts decide, its budgets and its record."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from agents import (
    CHANCE,
    MCTS,
    TERMINAL,
    PythonForwardModel,
    RaceResult,
    RacingMCTS,
    Rng,
    make,
)
from carcassonne_env import CarcassonneModel
from games import TicTacToe
from playing import decision_after, opening

MIN_ROUNDS = 8
"""Rounds before an action can leave a race."""


class Luck(PythonForwardModel):
    """An action is worth its edge, plus the same luck for all: five draws of -1 or 1.

    The return is a tenth of the sum. The heuristic "last" holds the last action for the best.

    Args:
        edges: What each action adds to the luck.
        can_determinize: Whether the draws can be made beforehand.
    """

    heuristics = ("last",)
    DRAWS = 5

    def __init__(self, edges: tuple[float, ...], can_determinize: bool = False) -> None:
        super().__init__(num_players=1, num_actions=max(len(edges), 2))
        self.edges = edges
        self.can_determinize = can_determinize
        self.action: int | None = None
        self.draws: list[int] = []
        self.future: list[int] = []

    def current_player(self) -> int:
        if self.action is None:
            return 0
        return TERMINAL if len(self.draws) == self.DRAWS else CHANCE

    def legal_actions(self) -> range:
        return range(len(self.edges))

    def chance_outcomes(self) -> tuple[tuple[int, ...], tuple[float, ...]]:
        return (0, 1), (0.5, 0.5)

    def determinize(self, rng: Any) -> None:
        if not self.can_determinize:
            super().determinize(rng)
        self.future = [int(rng.below(2)) for _ in range(self.DRAWS)]

    def apply_action(self, action: int) -> None:
        if self.action is not None:
            self.draws = [*self.draws, action]
            return
        self.action = action
        if self.future:
            self.draws = self.future

    def returns(self) -> list[float]:
        return [(self.edges[self.action or 0] + sum(2 * d - 1 for d in self.draws)) / 10]

    def heuristic(self, player: int, kind: str) -> float:
        return float(self.action or 0)


class Coins(Luck):
    """Every action has a coin of its own, which nine times of ten brings 0.1, else nothing."""

    DRAWS = 4

    def chance_outcomes(self) -> tuple[tuple[int, ...], tuple[float, ...]]:
        return (0, 1), (0.1, 0.9)

    def returns(self) -> list[float]:
        return [self.draws[self.action or 0] / 10]


EDGES = (0.0, 0.5, 0.45, 0.2)


def racer(tree_iterations: int = 50, iterations: int | None = 5000, **options: Any) -> RacingMCTS:
    """A planner whose rollouts count as much as the tree's mean counts."""
    options = {"prior_rollouts": 1.0, "seed": 0} | options
    return RacingMCTS(iterations, tree_iterations=tree_iterations, **options)


@pytest.mark.parametrize("can_determinize", [False, True])
def test_all_actions_meet_the_same_luck(can_determinize):
    """Luck cancels out, so eight rounds tell an edge of 0.05 from one of 0.045."""
    model = Luck(EDGES, can_determinize)
    for seed in range(20):
        race = racer(400, seed=seed, prior_rollouts=1e-6).search(model).race
        assert race.action == 1
        assert race.num_left == 1
        assert race.rollouts.tolist() == [MIN_ROUNDS] * 4


class Delayed(Luck):
    """Every second action takes one more draw first, which counts for nothing."""

    def current_player(self) -> int:
        if self.action is None:
            return 0
        return TERMINAL if len(self.draws) == self.DRAWS + self.action % 2 else CHANCE

    def apply_action(self, action: int) -> None:
        is_choice = self.action is None
        super().apply_action(action)
        if is_choice and self.future:
            self.draws = [0] * (action % 2) + self.future

    def returns(self) -> list[float]:
        luck = sum(2 * draw - 1 for draw in self.draws[-self.DRAWS :])
        return [(self.edges[self.action or 0] + luck) / 10]


def test_futures_are_the_same_whatever_is_drawn_before():
    """Where the game can make its draws beforehand; the same random numbers are other luck here."""
    for can_determinize in (True, False):
        model = Delayed(EDGES, can_determinize)
        options = {"iterations": 1000, "prior_rollouts": 1e-6}
        races = [racer(100, seed=seed, **options).search(model).race for seed in range(5)]
        in_few_rounds = [race.rollouts.max() == MIN_ROUNDS for race in races]
        assert all(in_few_rounds) == can_determinize


def test_an_action_that_luck_decides_stays_in_the_race():
    """Independent draws of deviation 1 for a difference of 0.01: a few rounds cannot tell."""

    class Gamble(Luck):
        def apply_action(self, action):
            """The second action turns the luck round."""
            turned = action if self.action != 1 else 1 - action
            super().apply_action(action if self.action is None else turned)

    for seed in range(5):
        result = racer(100, 1100, seed=seed).search(Gamble((0.0, 0.01)))
        assert result.race.rollouts.min() > 3 * MIN_ROUNDS


class Late(Luck):
    """The player makes the last draw, so that an evaluator is asked before the luck is known."""

    def current_player(self) -> int:
        return 0 if len(self.draws) == self.DRAWS - 1 else super().current_player()

    def legal_actions(self) -> range:
        return range(2) if self.action is not None else super().legal_actions()


def test_rollouts_correct_the_tree():
    """The evaluator holds the last action for the best; its tree is too small to see the end."""

    def misled(position):
        return [float(position.action or 0)]

    for seed in range(10):
        options = {"evaluator": misled, "prior_rollouts": 0.01, "seed": seed}
        result = racer(4, **options).search(Late(EDGES))
        assert result.race.actions[result.race.tree_means.argmax()] == 3
        assert result.action == 1


def test_values_weigh_rollouts_and_the_tree():
    """Where every rollout of an action returns the same, its value is known."""
    edges = (0.3, 0.1, 0.2)

    class Sure(Luck):
        DRAWS = 0

    for prior in (0.5, 4.0, 100.0):
        result = racer(60, prior_rollouts=prior, evaluator=None).search(Sure(edges))
        race = result.race
        returns = np.array(edges)[race.actions] / 10
        values = (prior * race.tree_means + race.rollouts * returns) / (prior + race.rollouts)
        assert race.values == pytest.approx(values)
        assert race.values == pytest.approx(returns)
        assert race.errors == pytest.approx(0)
        assert race.tree_means == pytest.approx(returns)
        assert race.action == 0


def test_the_prior_is_worth_so_many_rollouts():
    """A wrong mean weighs the more, the more rollouts it counts for: at most its one visit."""
    options: dict[str, Any] = {"evaluator": lambda position: [5.0], "iterations": 4 + 4 * 30}
    distances = []
    for prior in (1e-6, 0.3, 1.0, 1e9):
        race = racer(4, prior_rollouts=prior, **options).search(Late(EDGES)).race
        distances.append(abs(race.values - 5).max())
    assert distances[0] > distances[1] > distances[2] == distances[3]


def test_the_result_takes_the_race_into_account():
    model = Luck(EDGES)
    result, tree = racer(50).search(model), MCTS(50, seed=0).search(model)
    race = result.race
    assert result.action == race.action
    assert result.value == race.values[race.actions == race.action]
    rows = np.searchsorted(result.actions, race.actions)
    assert result.visits.tolist() == tree.visits.tolist()
    assert result.means[rows] == pytest.approx(race.values)
    assert result.standard_errors[rows].tolist() == race.errors.tolist()
    assert race.tree_means == pytest.approx(tree.means[rows])
    assert result.iterations == tree.iterations + race.rollouts.sum() == 50 + 32
    assert result.tree_iterations == 50
    assert result.principal_variation[0] == (0, result.action)
    assert "race: 32 rollouts of 4 actions, 1 left" in str(result)


@pytest.mark.parametrize("budget", [1, 30, 50])
def test_without_a_rest_of_the_budget_there_is_no_race(budget):
    result, tree = racer(50, budget).search(Luck(EDGES)), MCTS(budget, seed=0).search(Luck(EDGES))
    assert result.race is None
    assert result.action == tree.action
    assert result.value == result.means[result.actions == result.action]
    assert "race" not in str(result)


def test_budgets():
    model = opening(tiles="small")
    options = {"race_policy": "uniform", "prior_rollouts": 20.0, "contestants": 3}
    for iterations in (53, 100, 501):
        race = racer(50, iterations, **options).search(model).race
        assert iterations - 50 - 3 < race.rollouts.sum() <= iterations - 50 or race.num_left < 3
    result = racer(50, None, model_calls=20_000, **options).search(model)
    assert result.race.num_left == 1 or 20_000 <= result.model_calls < 20_000 + 3 * 50


def test_a_round_that_the_time_limit_interrupts_does_not_count():
    seconds = 0.1
    ends = []

    class Slow(Late):
        def returns(self):
            ends.append(time.sleep(seconds))
            return super().returns()

    options = {"evaluator": lambda position: [0.0], "time_limit": 2.5 * seconds}
    assert racer(4, None, **options).search(Slow(EDGES)).race is None
    assert len(ends) < len(EDGES)


@pytest.mark.parametrize("turns", [4, 19, 22])
def test_a_race_needs_so_many_outcomes_of_the_next_draw(turns):
    model, rng = CarcassonneModel(1, tiles="small"), Rng(1)
    for _ in range(turns):
        model.apply_action(model.sample_chance(rng))
        model.apply_action(model.sample_action(rng))
    model.apply_action(model.sample_chance(rng))
    outcomes = sum(count > 0 for count in model.bag.values())

    def search(least):
        return racer(50, 200, race_policy="uniform", min_outcomes=least).search(model)

    assert search(0).race is not None
    assert search(outcomes).race is not None
    result = search(outcomes + 1)
    assert (result.race, result.tree_iterations) == (None, 200)


def test_a_game_may_go_round_in_circles_before_the_next_draw():
    class Waiting(Luck):
        """Action 0 changes nothing."""

        def apply_action(self, action):
            if action or self.current_player() == CHANCE:
                super().apply_action(action)

    result = racer(50, 100, min_outcomes=2).search(Waiting((0.0, 0.1)))
    assert (result.race, result.tree_iterations) == (None, 100)


def test_without_a_budget_the_race_has_300_rollouts():
    result = RacingMCTS(tree_iterations=50, prior_rollouts=1e-6, seed=0).search(Coins((0.0,) * 4))
    assert 50 + 300 - 4 < result.iterations <= 50 + 300
    assert RacingMCTS().iterations == 2300


def test_the_contestants_are_the_most_visited_actions():
    model = opening()
    result, tree = racer(300, 400, contestants=5).search(model), MCTS(300, seed=0).search(model)
    visits = dict(zip(tree.actions.tolist(), tree.visits.tolist(), strict=True))
    found = [visits[action] for action in result.race.actions.tolist()]
    assert found == sorted(visits.values(), reverse=True)[:5]


@pytest.mark.parametrize("num_players", [1, 2, 3, 5])
def test_strongest_races_in_every_kind_of_game(num_players):
    model = decision_after(4, 1, num_players, tiles="small")
    before = model.clone()
    agent = make("strongest(iterations=2040)", seed=0)
    result = agent.search(model)
    assert model == before
    assert 8 <= result.race.rollouts.sum() <= 40
    assert agent.principal_variation(result)[0] == (model.current_player(), result.action)
    assert result.action in model.legal_actions()


def test_a_watcher_sees_the_race(monkeypatch):
    monkeypatch.setattr("agents.mcts.iteration.WATCH_SECONDS", 0)
    seen: list[RaceResult] = []
    result = racer(10, 200, contestants=8).search(opening(), watch=seen.append)
    races = [one for one in seen if isinstance(one, RaceResult)]
    assert races[-1].race.rollouts.sum() > races[0].race.rollouts.sum() > 0
    assert races[-1].value == races[-1].means[races[-1].actions == races[-1].action]
    assert result.iterations == 10 + result.race.rollouts.sum()
    assert 0 < result.tree_seconds < result.seconds


@pytest.mark.parametrize("iterations", [90, 200, 1000])
def test_those_left_in_a_race_are_known(iterations):
    for seed in range(5):
        race = racer(50, iterations, seed=seed, contestants=8).search(opening()).race
        assert race.is_left.sum() == race.num_left
        assert race.is_left[race.actions == race.action].all()
        assert (race.rollouts[race.is_left] == race.rollouts.max()).all()


def test_of_equal_visits_the_higher_mean_counts():
    options = {"evaluator": lambda position: [float(position.action or 0)], "contestants": 2}
    assert racer(4, 400, **options).search(Late(EDGES)).race.actions.tolist() == [3, 2]


def test_without_chance_the_tree_gets_the_budget():
    model = CarcassonneModel(deterministic=True, seed=1, tiles="small")
    result, tree = racer(20, 100).search(model), MCTS(100, seed=0).search(model)
    assert result.race is None
    assert result.visits.tolist() == tree.visits.tolist()


def test_errors_are_those_of_the_rollouts():
    """The values of coins tell how often each of them brought 0.1."""
    for seed in range(5):
        race = racer(4, 400, seed=seed, evaluator=None).search(Coins((0.0,) * 4)).race
        count = race.rollouts.max()
        is_left = race.rollouts == count
        wins = ((1 + count) * race.values[is_left] - race.tree_means[is_left]) / 0.1
        assert wins == pytest.approx(wins.round())
        variance = 0.1**2 * wins * (count - wins) / (count * (count - 1))
        assert race.errors[is_left] == pytest.approx(np.sqrt(variance * count) / (1 + count))


def test_few_rounds_that_are_alike_do_not_pass_for_certainty():
    """Two actions are often alike in eight rounds; differences between others tell their error."""
    dropped = 0
    for seed in range(50):
        race = racer(40, 600, seed=seed).search(Coins((0.0,) * 4)).race
        dropped += race.rollouts.min() == MIN_ROUNDS
    assert dropped < 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trees": 2}, "a race needs trees=1, got 2"),
        ({"phases": 2}, "a race needs phases=1, got 2"),
        ({"evaluator": len, "batch_size": 8}, "a race needs batch_size=None, got 8"),
        ({"solver": True}, "a race needs solver=False, got True"),
        ({"recommendation": "max"}, "a race needs recommendation='robust', got 'max'"),
        ({"prior_rollouts": 0}, "prior_rollouts must be .* got 0"),
        ({"min_outcomes": -1}, "min_outcomes must be .* got -1"),
        ({"race_policy": "best"}, "race_policy must be .* got 'best'"),
        ({"race_policy": 3}, "race_policy must be text or a RolloutPolicy, got 3"),
        ({"race_policy": "win"}, "race_policy and rollout_policy must value ends .* alike"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        RacingMCTS(**options)


def test_a_policy_that_does_not_fit_the_game_is_refused():
    with pytest.raises(ValueError, match="heuristic"):
        racer(race_policy="greedy(heuristic=nothing)").search(TicTacToe())
