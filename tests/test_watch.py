"""Searches that are watched: every planner stops when it is told to, with what it has found."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from agents import Planner, PythonForwardModel, Rng, make
from agents.agent import watched
from agents.lookahead.planner import LookaheadResult
from agents.mcts.result import SearchResult
from agents.multi_action.result import TurnResult
from agents.registry import AGENTS
from carcassonne_env import CarcassonneModel
from games import TicTacToe

ENDLESS = {
    "expectimax": ["depth=1000", "depth=3", "time_limit=50", "depth=3, heuristic=outlook"],
    "star-minimax": ["depth=4", "time_limit=50", "depth=4, probing_factor=2"],
    "star1": ["depth=4"],
    "star2": ["depth=4"],
    "star2.5": ["depth=4, heuristic=outlook"],
    "mcts": [
        "time_limit=50",
        "time_limit=50, trees=2",
        "time_limit=50, phases=5",
        "time_limit=50, rollout_policy=greedy",
        "iterations=10, rollouts=1000000, rollout_policy=greedy",  # it stops within an iteration
        "time_limit=50, evaluator=afterstates(heuristic=outlook, temperature=0.01)",
    ],
    "racing-mcts": [
        "time_limit=50, tree_iterations=1000000",
        "time_limit=50, tree_iterations=100, race_policy=greedy",
    ],
    "ea-mcts": ["time_limit=50", "time_limit=50, keep_evolving=True"],
    "es-mcts": ["time_limit=50", "time_limit=50, fitness_iterations=1000000"],
    "es-p-mcts": ["time_limit=50, fitness_iterations=1000000"],
    "bb-mcts": ["time_limit=50, phases=2"],
    "emcts": ["time_limit=50", "time_limit=50, mutations=ordered"],
}
"""Options with which a search takes a minute or for ever; time_limit=50 for other planners."""
SEARCHING = [
    f"{name}({options})"
    for name in AGENTS
    if name not in ("random", "greedy-action")  # these have no budget and take milliseconds
    for options in ENDLESS.get(name, ["time_limit=50"])
]


def middle() -> CarcassonneModel:
    """A position in the middle of a game for two."""
    model, rng = CarcassonneModel(), Rng(3)
    while len(model.board) < 20 or model.is_chance_node():
        is_chance = model.is_chance_node()
        model.apply_action(model.sample_chance(rng) if is_chance else model.sample_action(rng))
    return model


def alone() -> CarcassonneModel:
    """A game that is one turn of its only player."""
    return CarcassonneModel(1, 7, deterministic=True, seed=0)


@pytest.mark.parametrize("text", SEARCHING)
def test_every_planner_stops_within_a_moment(text: str) -> None:
    planner = make(text, seed=0)
    assert isinstance(planner, Planner)
    model = middle() if hasattr(planner, "depth") or "trees" in vars(planner) else alone()
    delays = []
    for _ in range(3):  # another process may take the processor
        told: list[float] = []
        result = watched(planner.decide, model, lambda _, told=told: told.append(now()) or True)
        delays.append(now() - told[0])
        assert model.is_legal(result.action)
        if min(delays) < 0.3:
            break
    assert min(delays) < 0.3


now = time.perf_counter


@pytest.mark.parametrize(
    ("text", "kind", "seen"),
    [
        ("mcts(time_limit=1)", SearchResult, SearchResult),
        ("expectimax(time_limit=1)", LookaheadResult, type(None)),
        ("oep(time_limit=1)", TurnResult, type(None)),
        ("bb-mcts(time_limit=1)", TurnResult, type(None)),
        ("emcts(time_limit=1)", TurnResult, type(None)),
    ],
)
def test_a_search_that_is_only_watched_goes_on(text: str, kind: type, seen: type) -> None:
    results: list[Any] = []
    planner = make(text, seed=0)
    assert isinstance(planner, Planner)
    model = alone() if kind is TurnResult else middle()
    assert isinstance(watched(planner.search, model, results.append), kind)
    assert 2 <= len(results) <= 11, "about ten times a second"
    assert {type(result) for result in results} == {seen}


def test_a_lookahead_that_is_stopped_has_the_values_of_its_last_depth() -> None:
    model = middle()
    for text in ("expectimax(depth=3)", "star1(depth=4)"):
        planner = make(text, seed=0)
        assert isinstance(planner, Planner)
        result = watched(planner.search, model, lambda _: True)
        assert result.depth == 1
        assert not result.is_complete
        assert result.values.max() == result.value


def test_a_lookahead_that_is_stopped_without_a_heuristic_says_so() -> None:
    planner = make("expectimax(depth=9)", seed=0)
    assert isinstance(planner, Planner)
    with pytest.raises(RuntimeError, match="stopped before its end"):
        watched(planner.search, TicTacToe(), lambda _: True)


def test_evolution_in_copies_shows_the_tree_itself() -> None:
    """While formulas are evaluated in copies, thoughts are of the tree that is kept."""
    results: list[SearchResult] = []
    planner = make("es-mcts(iterations=500, fitness_iterations=6000, generations=3)", seed=0)
    assert isinstance(planner, Planner)
    last = watched(planner.search, middle(), results.append)
    assert len(results) > 1
    visits = [int(result.visits.sum()) for result in results]
    assert visits == sorted(visits)
    assert all(total <= result.iterations for total, result in zip(visits, results, strict=True))
    assert last.visits.sum() <= 500


class Simple(Planner):
    """A planner of one's own, which knows nothing of being watched."""

    def search(self, game: PythonForwardModel) -> Any:
        """The first action."""
        return type("Found", (), {"action": int(game.legal_actions()[0]), "value": 0.0})


def test_planners_of_ones_own_need_not_be_watched() -> None:
    assert watched(Simple().search, TicTacToe(), lambda _: True).action == 0
    assert watched(Simple().decide, TicTacToe(), lambda _: True).action == 0
    assert Simple().act(TicTacToe()) == 0


def test_time_limits_act_within_an_iteration() -> None:
    """One iteration of so many guided rollouts would take a quarter of an hour."""
    planner = make("mcts(rollouts=1000000, rollout_policy=greedy, time_limit=0.3)", seed=0)
    assert isinstance(planner, Planner)
    seconds = []
    for _ in range(3):  # another process may take the processor
        result = planner.search(middle())
        assert result.iterations == 1
        assert np.isfinite(result.value)
        seconds.append(result.seconds)
        if seconds[-1] < 0.5:
            break
    assert min(seconds) < 0.5
