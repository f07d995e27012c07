"""Agents from their names."""

from __future__ import annotations

import copy
import inspect
import math
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from agents import (
    AGENTS,
    EAMCTS,
    MCTS,
    RAVE,
    UCB1,
    Agent,
    Expectimax,
    Formula,
    FormulaPolicy,
    ForwardModel,
    GameRollout,
    Grammar,
    RandomAgent,
    RolloutPolicy,
    WinRollout,
    make,
)
from agents.catalogue import make_game, named_players
from agents.checks import check_count
from agents.registry import as_agent
from agents.specification import MAX_LENGTH, MAX_NESTING, parsed, specified, written
from games import Bandit, TicTacToe

ALIASES = {
    "greedy": "expectimax(depth=1, heuristic=vs)",
    "expectimax-1-s": "expectimax(depth=1, heuristic=s)",
    "expectimax-1-vs": "expectimax(depth=1, heuristic=vs)",
    "expectimax-2-s": "expectimax(depth=2, heuristic=s)",
    "expectimax-2-vs": "expectimax(depth=2, heuristic=vs)",
    "expectimax-1-outlook": "expectimax(depth=1, heuristic=outlook)",
    "expectimax-2-outlook": "expectimax(depth=2, heuristic=outlook)",
    "expectimax-1-forecast": "expectimax(depth=1, heuristic=forecast)",
    "expectimax-1-value": "expectimax(depth=1, heuristic=value)",
    "uct": "mcts(c=0.02, expansion=ordered, widening=(2, 0.4))",
    "strongest": "racing-mcts(tree_policy=puct(c=0.2), evaluator=afterstates(heuristic=outlook, "
    "temperature=0.012), chance_selection=stratified, "
    "race_policy=greedy(heuristic=outlook, max_moves=16))",
    "star1": "star-minimax(depth=2)",
    "star2": "star-minimax(depth=2, probing_factor=1)",
    "star2.5": "star-minimax(depth=2, probing_factor=4)",
    "greedy-oep": "oep(repair=greedy)",
    " mcts( iterations = 70 ,c=0.25 ) ": "mcts(iterations=70, c=0.25)",
    "mcts(time_limit=1e-1)": "mcts(time_limit=0.1)",
    "expectimax(depth=3, heuristic='s')": "expectimax(depth=3, heuristic=s)",
    "star2.5(depth=1, upper=2)": "star-minimax(depth=1, upper=2, probing_factor=4)",
}
"""Texts, and those that stand for the same agents."""


class Judged(Bandit):
    """A bandit that knows the heuristics of all named players."""

    heuristics = ("s", "vs", "outlook", "forecast", "value")

    def heuristic(self, player: int, kind: str) -> float:
        return 0.0


@pytest.mark.parametrize("name", [*AGENTS, *named_players()])
def test_every_name_makes_an_agent_that_plays(name):
    game, _, player = name.rpartition(".")
    is_bound = player.startswith("evolved")  # to its game, whose indicators its formula names
    model = make_game(game or "reversi") if is_bound else Judged(0.2, 0.9, 0.5)
    if "network" in repr(make(name)):  # whose name says the number of players
        players = 1 if "-1p-" in name else 2
        model = make_game(
            f"carcassonne(num_players={players}, tiles=small, deterministic=True)", seed=0
        )
    agent = make(name, seed=0)
    if name == "emcts":  # whose thousands of turns take seconds in a game in Python
        agent = make("emcts(iterations=300)", seed=0)
    assert model.is_legal(agent.act(model))


def test_a_class_has_the_signature_of_the_constructor_that_it_inherits():
    class Captain(RandomAgent):
        def __init__(self, ship): ...

    class Mate(Captain): ...

    assert list(Mate.__signature__.parameters) == ["ship"]
    assert inspect.signature(Mate) == inspect.signature(Captain) == Mate.__signature__


def test_a_named_player_takes_a_budget():
    agent = make("uct(iterations=30)", seed=1)
    assert repr(agent) == "mcts(iterations=30, c=0.02, expansion=ordered, widening=(2, 0.4))"
    twin = make("carcassonne.uct(iterations=30)", seed=1)
    assert repr(agent) == repr(twin)
    assert agent.act(TicTacToe()) == twin.act(TicTacToe())


def test_text_stands_for_itself():
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
        "mcts(rollout_policy=ordered(epsilon=0.5), phases=5)",
        "siea-mcts(time_limit=1.5, alpha=0.2)",
        "es-mcts(iterations=100, first_formula=Q + n)",
        "expectimax(depth=3, heuristic=s)",
        "star-minimax(upper=0.5, time_limit=1)",
    ],
)
def test_the_representation_is_the_text(text):
    agent = make(text, seed=3)
    assert repr(agent) == ALIASES.get(text, text)
    assert repr(make(repr(agent))) == repr(agent)
    assert repr(copy.deepcopy(agent)) == repr(pickle.loads(pickle.dumps(agent))) == repr(agent)


@pytest.mark.parametrize(
    "value",
    [
        "O'Neill.zip",
        "a)b",
        "f(x",
        'it\'s "x", y',
        "C:\\dir\\",
        "",
        " a",
        "a, b",
        ("'\"", "\\'", ","),
    ],
)
def test_text_is_read_back_whatever_it_holds(value):
    options = {"path": value, "c": 1}
    assert parsed("agent", specified("planner", options)) == ("planner", options)


@pytest.mark.parametrize(
    ("text", "integers"),
    [
        ("mcts(iterations=1e6)", "mcts(iterations=1000000)"),
        ("mcts(model_calls=2.0, phases=1e1)", "mcts(model_calls=2, phases=10)"),
        ("racing-mcts(tree_iterations=1e3)", "racing-mcts(tree_iterations=1000)"),
        ("siea-mcts(generations=3.0)", "siea-mcts(generations=3)"),
        ("expectimax(depth=2.0)", "expectimax(depth=2)"),
        (
            "star2.5(max_positions=1e5)",
            "star-minimax(depth=2, probing_factor=4, max_positions=100000)",
        ),
        ("star-minimax(probing_factor=1e0)", "star-minimax(probing_factor=1)"),
        ("emcts(iterations=1e3, phases=20.0)", "emcts(iterations=1000)"),
        ("mcts(c=1.0)", "mcts(c=1.0)"),
    ],
)
def test_counts_may_be_written_as_floats(text, integers):
    agent = make(text)
    assert agent.specification == integers
    given = {name: value for name, value in vars(agent).items() if name in integers}
    wanted = {name: value for name, value in vars(make(integers)).items() if name in integers}
    assert str(given) == str(wanted)


@pytest.mark.parametrize("value", [1.5, math.nan, math.inf, -2.0, 0.0, 1e30, True, "1000", None])
def test_counts_are_whole(value):
    with pytest.raises(ValueError, match=r"depth must be an integer in \[1, 1000\], got"):
        check_count("depth", value, 1, 1000)


def test_checked_counts_are_integers():
    values = (np.float64(30), np.int8(30), np.float32(30), 30.0, 30)
    for count in (check_count("n", value, 1, 99) for value in values):
        assert (type(count), count) == (int, 30)
    assert check_count("n", None, 1, 99, also=None) is None
    assert MCTS(iterations=np.float64(30)).specification == "mcts(iterations=30)"
    assert MCTS(1e2, seed=0).search(TicTacToe()).iterations == 100


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "mct",
            "agent must be a known name, got 'mct'; did you mean 'mcts'. Known are ",
        ),
        ("gredy", "got 'gredy'; did you mean 'greedy'?"),
        ("mcts(iteration=5)", "'mcts' has no option 'iteration'; .*; did you mean 'iterations'?"),
        ("mcts(tree_policy=ubc1)", r"one of ucb1, .*, got 'ubc1'; did you mean 'ucb1'\?: unknown"),
        ("mcts(expansion=order)", r"one of \(.*\), got 'order'; did you mean 'ordered'?"),
        ("xyz", "got 'xyz'. Known are random, mcts, "),
        (None, "agent must be text like 'name' or .*, got None"),
        (["mcts"], r"agent must be text like .*, got \['mcts'\]"),
        ("", "agent must read like 'name' or 'name\\(option=value\\)', got ''"),
        ("mcts(c=1", "agent must read like"),
        ("mcts(1)", r"options must read like option=value, got '1' in 'mcts\(1\)'"),
        ("mcts(c=1,)", "options must read like option=value, got ''"),
        ("mcts(seed=1)", "'mcts' has no option 'seed'"),
        ("random(c=1)", "'random' has no option 'c'; its options are: none"),
        ("greedy(depth=2)", "'greedy' has no option 'depth'; its options are: max_positions"),
        ("uct(c=2)", "'uct' has no option 'c'; its options are: iterations, "),
        ("carcassonne.mcts", "agent must be a known name, got 'carcassonne.mcts'"),
        ("mcts(c=1, c=2)", "option 'c' is given twice in"),
        ("mcts(iterations=" + "-" * 5000 + "1)", "nested too deeply, got '---|iterations must be"),
        ("mcts(iterations=" + "1+" * 4000 + "1)", "nested too deeply, got '1|iterations must be"),
        ("mcts(tree_policy=Q" + ".Q" * 4000 + ")", "nested too deeply, got 'Q|tree_policy must be"),
        ("mcts(iterations=" + "(" * 201 + "1" + ")" * 201 + ")", "must not be nested too deeply"),
        ("mcts(iterations=" + "(" * 10**6 + "1" + ")" * 10**6 + ")", "10000 characters or less"),
        ("mcts(iterations=" + "-" * 10**6 + "1)", "10000 characters or less, got 1000018: 'mcts"),
        *(
            (f"mcts({name}={'9' * 400})", f"{name} must be")
            for name in ("c", "time_limit", "first_play_urgency", "iterations")
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_cannot_be_made_is_refused(text, message):
    with pytest.raises(ValueError if isinstance(text, str) else TypeError, match=message):
        make(text)


def biggest(depth: int) -> str:
    """A formula of as many tokens as there may be, and of the longest constants."""
    return f"({biggest(depth - 1)} - {biggest(depth - 1)})" if depth else "-1.2345678901234567e-300"


def test_the_bounds_are_generous():
    text = f"mcts(tree_policy={biggest(8)})"
    assert 7000 < len(text) < MAX_LENGTH
    assert repr(make(text)) == text
    deep = "[" * 190 + "]" * 190
    assert MAX_NESTING == 200
    assert str(parsed("thing", f"thing(x={deep})")[1]["x"]) == deep


# --- Text that stands for one value ---


def flat(model: ForwardModel, player: int, weight: float = 0.0) -> float:
    return weight


def within(weight: float) -> Callable[..., float]:
    def heuristic(model: ForwardModel, player: int) -> float:
        return weight

    return heuristic


class Clever(MCTS):
    """A player of one's own."""


class Stateful:
    """Pickled by its attributes."""


class Unpicklable:
    """Not pickled at all."""

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("no pickles here")


FINE = 0.1234567
FINER = math.nextafter(FINE, 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (1, "1"),
        (None, "None"),
        (0.0, -0.0),
        ((1,), [1]),
        ((1, (2, 3)), (1, 2, 3)),
        ({1, 2}, frozenset({1, 2})),
        ({"a": 1}, {"a": 2}),
        (FINE, FINER),
        (np.float64(FINE), np.float64(FINER)),
        (Fraction(1, 3), Fraction(2, 3)),
        (flat, math.sqrt),
        (flat, partial(flat, weight=0.0)),
        (partial(flat, weight=1.0), partial(flat, weight=2.0)),
        (MCTS, EAMCTS),
        (Grammar(), Grammar(max_mutation_depth=2)),
        (Grammar(), Grammar(internal_probability=FINE)),
        (Grammar(internal_probability=FINE), Grammar(internal_probability=FINER)),
        (Grammar(constants=(FINE,)), Grammar(constants=(FINER,))),
        (UCB1(FINE), UCB1(FINER)),
        (RAVE(FINE), RAVE(FINER)),
        (RAVE(0, 1000), RAVE(0, math.nextafter(1000, 0))),
        (GameRollout("uniform", FINE), GameRollout("uniform", FINER)),
        (RolloutPolicy(), WinRollout()),
        (Formula(f"Q + {FINE}"), Formula(f"Q + {FINER}")),
        (FormulaPolicy(Formula("Q")), FormulaPolicy(Formula("Q"), "negate_formula")),
        (MCTS(tree_policy=UCB1(FINE)), MCTS(tree_policy=UCB1(FINER))),
        (MCTS(5), Clever(5)),
        (EAMCTS(grammar=Grammar()), EAMCTS(grammar=Grammar(max_mutation_depth=2))),
        (Expectimax(heuristic=flat), Expectimax(heuristic=partial(flat, weight=1.0))),
    ],
)
def test_values_that_differ_are_written_differently(one, other):
    assert written(one) != written(other)
    for value in (one, other):
        assert written(pickle.loads(pickle.dumps(value))) == written(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float64(0.1), "0.1"),
        (np.int8(3), "3"),
        ((1,), "(1,)"),
        ({"b": [2], "a": ()}, "{'b': [2], 'a': ()}"),
        ({"c", "a", "b"}, "set(['a', 'b', 'c'])"),
        (flat, f"{__name__}:flat"),
        (partial(flat, weight=0.5), f"partial({__name__}:flat, weight=0.5)"),
        (Formula("Q + n"), "Formula('Q + n')"),
        (RAVE(0.5), "RAVE(0.5, 1000.0)"),
        (
            Grammar(("Q",), (1,)),
            "Grammar(('Q',), (1,), max_depth=8, max_mutation_depth=3, internal_probability=0.9)",
        ),
        (Expectimax(heuristic=flat), f"expectimax(heuristic={__name__}:flat)"),
        (MCTS(5, tree_policy=RAVE(0.5)), "mcts(iterations=5, tree_policy=RAVE(0.5, 1000.0))"),
        (UCB1(2, UCB1.FORMS[1]), "UCB1(2.0, 'Q + C*sqrt(2*ln(N)/n)', False)"),
        (Clever(5), "Clever(iterations=5)"),
    ],
)
def test_values_are_written_so(value, text):
    assert written(value) == text


@pytest.mark.parametrize(
    "value",
    [
        lambda model, player: 0.0,
        within(1.0),
        partial(within(1.0)),
        random.Random(0).random,
        Stateful(),
        Unpicklable(),
        np.zeros(2),
        (1, [object()]),
        math,
        Expectimax(heuristic=within(1.0)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_that_have_no_text_of_their_own_are_refused(value):
    with pytest.raises(
        ValueError, match=r"cannot be imported|not made by|be pickled|does not identify"
    ):
        written(value)
    agent = MCTS.__new__(MCTS, tree_policy=value)
    assert repr(agent) == f"mcts(tree_policy={value!r})"
    with pytest.raises(ValueError, match="another value of tree_policy may have the same text"):
        assert agent.specification


def test_values_in_themselves_are_refused():
    value: list[Any] = []
    value.append(value)
    with pytest.raises(ValueError, match="nested too deeply"):
        written(value)


def test_the_text_is_the_same_in_every_run():
    script = (
        "from agents import Expectimax, Formula\n"
        "from agents.specification import written\n"
        "print(written(({'a', 'b', 'c', 'd'}, Expectimax(heuristic=Formula))))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": n},
        ).stdout
        for n in "12"
    ]
    assert runs[0] == runs[1]
    assert b"(set(['a', 'b', 'c', 'd']), expectimax(heuristic=agents.formulas" in runs[0]


def test_agents_of_agents_are_refused_together():
    class Team(Agent):
        def __init__(self, captain):
            self.captain = captain

        def choose(self, model):
            return self.captain.choose(model)

    assert Team(MCTS(5, seed=1)).specification == "Team(captain=mcts(iterations=5))"
    with pytest.raises(ValueError, match="another value of captain may have the same text"):
        assert Team(Expectimax(heuristic=within(1.0))).specification


def test_functions_are_agents_that_copies_share():
    """Also compiled ones, which may tell no signature."""
    agent = as_agent(max)
    assert (repr(agent), copy.deepcopy(agent)) == ("builtins:max", agent)
    with pytest.raises(TypeError, match=r"rival must be text .* got <function "):
        as_agent(lambda model, more: 0, name="rival")
