"""Agents from their names."""

from __future__ import annotations

import copy
import pickle

import pytest

from agents import AGENTS, MCTS, Expectimax, RandomAgent, StarMinimax, make
from agents.registry import game_players
from games import Bandit, TicTacToe

ALIASES = {
    "greedy": "expectimax(depth=1, heuristic=vs)",
    "expectimax-1-s": "expectimax(depth=1, heuristic=s)",
    "expectimax-1-vs": "expectimax(depth=1, heuristic=vs)",
    "expectimax-2-s": "expectimax(depth=2, heuristic=s)",
    "expectimax-2-vs": "expectimax(depth=2, heuristic=vs)",
    "strongest": "mcts(c=0.02, expansion=ordered, widening=(2, 0.4))",
    "star1": "star-minimax(depth=2)",
    "star2": "star-minimax(depth=2, probing_factor=1)",
    "star2.5": "star-minimax(depth=2, probing_factor=4)",
}


@pytest.mark.parametrize("name", [*AGENTS, *game_players()])
def test_every_name_makes_an_agent_that_plays(name: str) -> None:
    model = Bandit(0.2, 0.9, 0.5)
    model.heuristics = ("s", "vs")
    model.heuristic = lambda player, kind: 0.0
    assert make(name, seed=0).act(model) in range(3)


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("random", RandomAgent, {}),
        ("mcts", MCTS, {"iterations": 5000}),
        (" mcts( iterations = 70 ,c=0.25 ) ", MCTS, {"iterations": 70, "rollouts": 1}),
        ("mcts(time_limit=1e-1)", MCTS, {"iterations": None, "time_limit": 0.1}),
        ("greedy", Expectimax, {"depth": 1, "heuristic": "vs"}),
        ("expectimax-2-s", Expectimax, {"depth": 2, "heuristic": "s"}),
        ("expectimax(depth=3, heuristic='s')", Expectimax, {"depth": 3, "heuristic": "s"}),
        ("star1", StarMinimax, {"depth": 2, "probing_factor": 0, "lower": -1, "upper": 1}),
        ("star2", StarMinimax, {"probing_factor": 1}),
        ("star2.5(depth=1, upper=2)", StarMinimax, {"depth": 1, "probing_factor": 4, "upper": 2}),
    ],
)
def test_names_mean_these_agents(name: str, kind: type, expected: dict[str, object]) -> None:
    agent = make(name)
    assert type(agent) is kind
    assert {option: getattr(agent, option) for option in expected} == expected


def test_the_strongest_takes_a_budget() -> None:
    agent = make("strongest(iterations=30)", seed=1)
    assert repr(agent) == "mcts(iterations=30, c=0.02, expansion=ordered, widening=(2, 0.4))"
    twin = make("carcassonne.strongest(iterations=30)", seed=1)
    assert repr(agent) == repr(twin)
    assert agent.act(TicTacToe()) == twin.act(TicTacToe())


def test_text_stands_for_itself() -> None:
    formula = "Q + c*sqrt(ln(N)/n)"
    assert repr(make(f"mcts(tree_policy={formula}, c=2)")) == repr(MCTS(tree_policy=formula, c=2))
    assert repr(make(f'mcts(tree_policy="{formula}", c=2)')) == repr(MCTS(tree_policy=formula, c=2))


@pytest.mark.parametrize(
    "text",
    [
        *AGENTS,
        *ALIASES,
        "mcts(iterations=1000, c=0.5)",
        "mcts(tree_policy=ucb1-tuned(scale=0.2), time_limit=0.1)",
        "mcts(tree_policy=Q + 0.5*sqrt(ln(N)/n))",
        "mcts(rollout_policy=truncated(max_moves=3, heuristic=vs), widening=(2, 0.5))",
        "siea-mcts(time_limit=1.5, alpha=0.2)",
        "es-mcts(iterations=100, first_formula=Q + n)",
        "expectimax(depth=3, heuristic=s)",
        "star-minimax(upper=0.5, time_limit=1)",
    ],
)
def test_the_representation_is_the_text(text: str) -> None:
    agent = make(text, seed=3)
    assert repr(agent) == ALIASES.get(text, text)
    assert repr(make(repr(agent))) == repr(agent)
    assert repr(copy.deepcopy(agent)) == repr(pickle.loads(pickle.dumps(agent))) == repr(agent)


def test_the_seed_is_the_agents() -> None:
    agents = [make("mcts(iterations=20)", seed=seed) for seed in (1, 1, 2)]
    same, twin, other = ([a.act(TicTacToe()) for _ in range(20)] for a in agents)
    assert same == twin != other


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mct", "agent must be one of random, mcts, .*, got 'mct'"),
        ("", "agent must read like 'name' or 'name\\(option=value\\)', got ''"),
        ("mcts(c=1", "agent must read like"),
        ("mcts(1)", r"options must read like option=value, got '1' in 'mcts\(1\)'"),
        ("mcts(c=1,)", "options must read like option=value, got ''"),
        ("mcts(d=1)", "'mcts' has no option 'd'; its options are: iterations, c, "),
        ("mcts(seed=1)", "'mcts' has no option 'seed'"),
        ("random(c=1)", "'random' has no option 'c'; its options are: none"),
        ("greedy(depth=2)", "'greedy' has no option 'depth'; its options are: max_positions"),
        ("strongest(c=2)", "'strongest' has no option 'c'; its options are: iterations, "),
        ("carcassonne.mcts", "agent must be one of random, mcts, .*, got 'carcassonne.mcts'"),
        ("mcts(c=1, c=2)", "option 'c' is given twice in"),
        ("mcts(c=-1)", r"c must be a finite number in \[0, inf\), got -1"),
        ("mcts(c=x)", r"c must be a finite number in \[0, inf\), got 'x'"),
    ],
)
def test_what_cannot_be_made_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(text)
