"""What holds for every planner: seeds, copies, budgets, errors, interrupts, watchers, refusals."""

from __future__ import annotations

import copy
import inspect
import itertools
import math
import pickle
import re
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from agents import AGENTS, Agent, ForwardModel, Planner, PythonForwardModel, SearchResult, make
from agents.agent import watched
from carcassonne_env import CarcassonneModel
from games import Bandit, GameTree, TicTacToe, Turns, random_tree
from playing import decision_after, one_player, opening


def even(model: ForwardModel) -> tuple[list[float], list[float]]:
    count = len(model.legal_actions())
    return [0.0] * model.num_players, [1 / count] * count


def even_batch(models: list[ForwardModel]) -> list[tuple[list[float], list[float]]]:
    return [even(model) for model in models]


EVOLUTION = {"iterations": 300, "generations": 3, "offspring": 2, "fitness_iterations": 5}
SMALL: dict[str, dict[str, Any]] = {
    "random": {},
    "mcts": {"iterations": 150},
    "racing-mcts": {"iterations": 150, "tree_iterations": 60},
    "ea-mcts": EVOLUTION,
    "siea-mcts": EVOLUTION,
    "es-mcts": EVOLUTION,
    "es-p-mcts": EVOLUTION,
    "expectimax": {"depth": 2},
    "star-minimax": {"depth": 2},
    "star1": {},
    "star2": {},
    "star2.5": {},
    "greedy-action": {},
    "greedy-turn": {"iterations": 60},
    "non-exploring-mcts": {"iterations": 60},
    "bb-mcts": {"iterations": 60},
    "oep": {"iterations": 60, "population": 10},
    "greedy-oep": {"iterations": 60, "population": 10},
    "emcts": {"iterations": 60},
}
"""Options of every planner, with which a search takes a few milliseconds."""
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "mcts, evaluator": ("mcts", {"evaluator": even, "tree_policy": "puct"}),
    "mcts, batches": ("mcts", {"evaluator": even_batch, "batch_size": 6, "tree_policy": "puct"}),
    "mcts, afterstates": ("mcts", {"evaluator": "afterstates", "chance_selection": "stratified"}),
    "mcts, trees": ("mcts", {"trees": 2, "evaluator": "afterstates"}),
    "mcts, phases": ("mcts", {"phases": 3}),
    "mcts, guided": (
        "mcts",
        {"iterations": 40, "rollout_policy": "epsilon-greedy", "rollouts": 2},
    ),
    "mcts, RAVE": ("mcts", {"tree_policy": "rave(c=1)"}),
    "mcts, solver": ("mcts", {"solver": True, "widening": (2, 0.5), "expansion": "ordered"}),
    "ea-mcts, parents": ("ea-mcts", {"parents": 2, "reevaluate_parents": True}),
    "ea-mcts, endless": ("ea-mcts", {"keep_evolving": True}),
    "greedy-turn, reply": ("greedy-turn", {"reply": True}),
    "bb-mcts, reply": ("bb-mcts", {"reply": True}),
    "oep, reply": ("oep", {"reply": True}),
    "emcts, ordered": ("emcts", {"mutations": "ordered", "starts": 3, "reply": True}),
}
CASES = {name: (name, options) for name, options in SMALL.items()} | {
    case: (name, SMALL[name] | options) for case, (name, options) in VARIANTS.items()
}
CERTAIN = ("expectimax", "star", "greedy-action", "greedy-turn")
"""How the names begin of planners that draw nothing, or among equal actions only."""


def new(case: str, seed: Any = 0, **changes: Any) -> Any:
    name, options = CASES[case]
    return AGENTS[name](**options | changes, seed=seed)


def without_end(case: str, seconds: float) -> dict[str, Any]:
    """Options with which a search lasts so long."""
    endless = {"iterations": None, "depth": None, "generations": 10**6, "time_limit": seconds}
    return {option: value for option, value in endless.items() if has(CASES[case][0], option)}


def those_with(*options: str) -> Any:
    return pytest.mark.parametrize("case", [c for c in CASES if has(CASES[c][0], *options)])


def has(name: str, *options: str) -> bool:
    return {*options} <= {*inspect.signature(AGENTS[name]).parameters}


def tiles(num_players: int = 2, **options: Any) -> CarcassonneModel:
    """The first decision of a small game."""
    return opening(num_players, "small", num_meeples=3, **options)


def alone() -> CarcassonneModel:
    """A game that is one turn of its only player."""
    return CarcassonneModel(1, 7, deterministic=True, seed=0)


middle = partial(decision_after, 20, 3)


def long() -> Turns:
    """A game in Python of turns of eight moves, too long for any search."""
    return Turns(2, 8, 3, 60)


GAMES: dict[str, Callable[[], ForwardModel]] = {
    "tree": partial(random_tree, 2, 1),
    "tree for three": partial(random_tree, 3, 7),
    "turns": partial(Turns, 2, 3, 2, 13),
    "carcassonne": tiles,
    "two steps": partial(tiles, two_step=True),
    "one player": one_player,
}
in_all_cases = those_with()
searching = those_with("time_limit")


def content(value: Any) -> Any:
    """What a result says, but for its seconds, as something that can be compared."""
    if is_dataclass(value):
        names = [
            field.name for field in fields(value) if field.name not in ("seconds", "tree_seconds")
        ]
        return {name: content(getattr(value, name)) for name in names}
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, list | tuple):
        return [content(item) for item in value]
    return content(value.table()) if hasattr(value, "table") else value


def found(agent: Agent, model: ForwardModel) -> Any:
    """What an agent finds, and what it has drawn from its generator by then."""
    is_planner = isinstance(agent, Planner)
    result = content(agent.search(model)) if is_planner else [agent.act(model) for _ in range(9)]
    return result, agent.rng.copy().random()


def test_every_planner_is_tested():
    assert {*SMALL} == {*AGENTS}


# --- Seeds and copies ---


@pytest.mark.parametrize(
    ("case", "game"),
    [
        *itertools.product(SMALL, GAMES),
        *itertools.product(VARIANTS, ("tree for three", "turns", "two steps")),
    ],
)
def test_the_seed_decides_search_after_search(case, game):
    """And the game stays as it was."""
    model = GAMES[game]()
    if ("star" in case or "solver" in case) and model.num_players > 2:
        pytest.skip("for two players")
    before = pickle.dumps(model)
    twins = new(case), new(case)
    for _ in range(2):
        assert found(twins[0], model) == found(twins[1], model)
    assert model.is_legal(new(case).act(model))
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("case", [case for case in CASES if not case.startswith(CERTAIN)])
def test_other_seeds_find_other_things(case):
    model = tiles(two_step=True)
    agent = new(case)
    first = found(agent, model)[0]
    assert any(found(new(case, seed), model)[0] != first for seed in range(1, 4))
    assert any(found(agent, model)[0] != first for _ in range(3))


def copies(original: Any) -> list[Any]:
    return [copy.deepcopy(original), pickle.loads(pickle.dumps(original))]


@in_all_cases
def test_copies_go_on_with_the_stream(case):
    agent, model = new(case), tiles()
    found(agent, model)
    twins, expected = copies(agent), found(agent, model)
    for twin in twins:
        assert (repr(twin), found(twin, model)) == (repr(agent), expected)
    if isinstance(agent, Planner):
        result = agent.search(model)
        for twin in copies(result):
            assert (content(twin), str(twin)) == (content(result), str(result))


@pytest.mark.parametrize("case", SMALL)
def test_the_representation_makes_the_same_agent(case):
    agent = new(case)
    twin = make(repr(agent), seed=0)
    assert twin.specification == agent.specification == repr(agent)
    assert found(twin, tiles()) == found(agent, tiles())


DEEPENING = [(name, {"max_positions": 300}) for name in ("expectimax", "star-minimax")]


@pytest.mark.parametrize(("name", "options"), [*CASES.values(), *DEEPENING])
def test_options_that_are_set_later_act_like_those_given_first(name, options):
    agent, expected = AGENTS[name](seed=0), found(AGENTS[name](**options, seed=0), tiles())
    if is_dataclass(agent):
        assert found(replace(agent, **options, seed=0), tiles()) == expected
    for option, value in options.items():
        setattr(agent, option, value)
    assert found(agent, tiles()) == expected


@pytest.mark.parametrize("name", [n for n in SMALL if has(n, "iterations", "time_limit")])
def test_a_budget_that_is_taken_away_leaves_the_default(name):
    agent = new(name)
    agent.iterations = None
    assert found(agent, tiles()) == found(new(name, iterations=None), tiles())


def test_searches_in_threads_are_the_same():
    models = [make_model() for name, make_model in GAMES.items() if "three" not in name]
    jobs = [(case, models[i % len(models)]) for i, case in enumerate([*CASES] * 2)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda job: found(new(job[0]), job[1]), jobs))
    for (case, model), result in zip(jobs, results, strict=True):
        assert result == found(new(case), model), case


# --- Games ---


@in_all_cases
def test_a_player_must_be_to_move(case):
    agent, over = new(case), tiles()
    over.rollout(0)
    for act in (agent.act, agent.search) if isinstance(agent, Planner) else (agent.act,):
        with pytest.raises(ValueError, match="no player is to move: the game is over"):
            act(over)
        with pytest.raises(ValueError, match="no player is to move: the position is a chance node"):
            act(CarcassonneModel())
        for game in (None, "Carcassonne", CarcassonneModel):
            with pytest.raises(TypeError, match=r"must be a ForwardModel or an environment .* got"):
                act(game)


# --- Budgets ---


class Counted(GameTree):
    """Counts the actions and outcomes applied to all its copies."""

    applied = 0

    def apply_action(self, action: int) -> None:
        Counted.applied += 1
        super().apply_action(action)


@those_with("iterations")
def test_iterations_are_exact(case):
    """Turn planners may value fewer turns, and a race ends with a round."""
    for model, budget in itertools.product((tiles(), random_tree(2, 1)), (1, 2, 77)):
        trees = CASES[case][1].get("trees", 1)
        result = new(case, iterations=max(budget, trees)).search(model)
        if not isinstance(result, SearchResult):
            assert 1 <= result.evaluations <= budget
        elif case == "racing-mcts":
            assert result.iterations <= budget
            assert budget - 4 < result.iterations or has_winner(result)
        else:
            assert result.iterations == result.visits.sum()
            assert result.iterations == max(budget, trees) or result.is_proven


@those_with("model_calls")
@pytest.mark.parametrize("calls", [8, 60, 700])
def test_model_calls_stop_the_search_at_once(case, calls):
    """In the iteration or turn that spends them; they are the actions applied to copies."""
    model = Counted(random_tree(2, 1).node)
    Counted.applied = 0
    result = new(case, iterations=None, model_calls=calls).search(model)
    assert result.model_calls == Counted.applied
    assert result.model_calls < calls + 60
    if isinstance(result, SearchResult) and not (result.is_proven or has_winner(result)):
        assert result.model_calls >= calls
    if case.startswith("mcts") and case not in ("mcts, trees", "mcts, phases"):
        shorter = new(case, iterations=max(1, result.iterations - 1)).search(model)
        assert shorter.model_calls < calls or result.iterations == 1 or result.is_proven


@those_with("model_calls")
def test_the_smallest_budget_buys_an_action(case):
    model, trees = tiles(), CASES[case][1].get("trees", 1)
    assert model.is_legal(new(case, iterations=None, model_calls=trees).search(model).action)


def has_winner(result: SearchResult) -> bool:
    race = getattr(result, "race", None)
    return race is not None and race.num_left == 1


@those_with("max_nodes")
@pytest.mark.parametrize("max_nodes", [2, 3, 9, 40])
def test_full_trees_are_searched_on(case, max_nodes):
    for model in (tiles(), random_tree(2, 1)):
        result = new(case, max_nodes=max_nodes).search(model)
        rows = result.tree()
        assert result.search_tree.num_nodes == len(rows) <= max_nodes
        assert model.is_legal(result.action)
        assert np.isfinite(rows["mean"]).all()
        below = np.bincount(rows["parent"][1:], rows["visits"][1:], minlength=len(rows))
        assert np.all(rows["visits"] >= below)


@those_with("iterations", "time_limit", "model_calls")
def test_the_first_budget_spent_stops_the_search(case):
    model = tiles()
    few = found(new(case, iterations=20), model)
    assert found(new(case, iterations=20, time_limit=60, model_calls=2**40), model) == few
    calls = found(new(case, iterations=None, model_calls=90), model)
    assert found(new(case, iterations=10**8, time_limit=60, model_calls=90), model) == calls


@searching
def test_time_limits_are_kept(case):
    """It lasts so long, and no longer in the time of this process, which others do not lengthen."""
    limit, trees, durations = 0.1, CASES[case][1].get("trees", 1), []
    for _ in range(20):  # machines are noisy
        start, start_here = time.perf_counter(), time.process_time()
        result = new(case, **without_end(case, limit)).search(alone())
        seconds = time.perf_counter() - start
        durations.append((seconds, (time.process_time() - start_here) / trees))
        assert result.seconds <= seconds
        if seconds > 0.95 * limit and durations[-1][1] < 1.05 * limit:
            return
    pytest.fail(f"a time limit of {limit} s took {durations}")


@searching
def test_no_time_at_all(case):
    model = middle()
    assert model.is_legal(new(case, **without_end(case, 1e-9)).act(model))


# --- Errors and interrupts ---


class GameError(Exception):
    """Raised by a game."""


METHODS = (
    *("current_player", "legal_actions", "ordered_actions", "chance_outcomes", "apply_action"),
    *("returns", "sample_returns", "sample_chance", "copy_from", "rollout", "heuristic"),
)


@in_all_cases
@pytest.mark.parametrize("call", [0, 5, 60])
def test_errors_of_a_game_reach_the_caller(case, call, monkeypatch):
    """And what is found afterwards is what a new planner finds."""
    model, raised = random_tree(2, 1), set()
    expected = found(new(case), model)
    for method in METHODS:
        agent, calls, original = new(case), itertools.count(), getattr(GameTree, method)

        def troubled(*args, calls=calls, original=original):
            if next(calls) == call:
                raise GameError("in this call")
            return original(*args)

        with monkeypatch.context() as patch:
            patch.setattr(GameTree, method, troubled)
            try:
                agent.act(model)
            except GameError:
                raised.add(method)
            else:
                assert next(calls) <= call
                continue
        assert found(agent, model) == expected
    assert call or raised >= {"current_player", "legal_actions"}
    assert call > 5 or raised or case == "random"


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals to threads")
def test_an_interrupt_that_reaches_another_thread_ends_all_trees(interrupt_after):
    interrupt_after(0)  # its signal interrupts, when the timer below sends it

    def interrupt():
        signal.pthread_kill(threading.get_ident(), signal.SIGALRM)

    start = time.perf_counter()
    threading.Timer(0.05, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        make("mcts(time_limit=10, trees=2)").search(tiles())
    assert time.perf_counter() - start < 5


@searching
@pytest.mark.parametrize("make_model", [alone, long])
def test_an_interrupt_leaves_the_search(case, make_model, interrupt_after):
    agent, model = new(case, **without_end(case, 60)), make_model()
    start = time.process_time()  # which other processes do not lengthen
    interrupt_after(0.04)
    with pytest.raises(KeyboardInterrupt):
        agent.search(model)
    assert time.process_time() - start < 0.04 + 0.2
    assert agent.rng.copy().random() == new(case).rng.copy().random()


# --- Searches that are watched ---

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


@pytest.mark.parametrize(
    "text",
    [
        f"{name}({options})"
        for name in AGENTS
        if has(name, "time_limit")  # the others take milliseconds
        for options in ENDLESS.get(name, ["time_limit=50"])
    ],
)
def test_every_planner_stops_within_a_moment(text):
    planner = make(text, seed=0)
    model = middle() if hasattr(planner, "depth") or "trees" in vars(planner) else alone()
    now, told = time.process_time, []  # which other processes do not lengthen
    result = watched(planner.decide, model, lambda _: told.append(now()) or True)
    assert now() - told[0] < 0.3
    assert model.is_legal(result.action)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("mcts(time_limit=0.5)", SearchResult),
        ("expectimax(time_limit=0.5)", type(None)),
        ("oep(time_limit=0.5)", type(None)),
        ("bb-mcts(time_limit=0.5)", type(None)),
        ("emcts(time_limit=0.5)", type(None)),
    ],
)
def test_a_search_that_is_only_watched_goes_on(text, seen):
    results: list[Any] = []
    assert watched(make(text, seed=0).search, alone(), results.append).seconds >= 0.45
    assert 2 <= len(results) <= 6, "about ten times a second"
    assert {type(result) for result in results} == {seen}


@pytest.mark.parametrize(
    "options",
    [
        {"c": 1e3, "recommendation": "robust-random"},
        *({"trees": 2}, {"widening": (2, 0.4)}, {"determinize": True}, {"phases": 2}),
    ],
)
def test_watching_does_not_change_a_search(options, monkeypatch):
    monkeypatch.setattr("agents.mcts.iteration.WATCH_SECONDS", 0.001)
    seen: list[int] = []
    plain, seen_search = (
        content(new("mcts", iterations=5000, **options).search(tiles(), **kwargs))
        for kwargs in ({}, {"watch": lambda result: seen.append(result.iterations)})
    )
    assert plain == seen_search
    assert len(seen) > 0
    assert seen == sorted(seen)


@pytest.mark.parametrize("text", ["expectimax(depth=3)", "star1(depth=4)"])
def test_a_lookahead_that_is_stopped_has_the_values_of_its_last_depth(text):
    result = watched(make(text, seed=0).search, middle(), lambda _: True)
    assert (result.depth, result.is_complete) == (1, False)
    assert result.values.max() == result.value


def test_a_lookahead_that_is_stopped_without_a_heuristic_says_so():
    with pytest.raises(RuntimeError, match="stopped before its end"):
        watched(make("expectimax(depth=9)", seed=0).search, TicTacToe(), lambda _: True)


def test_evolution_in_copies_shows_the_tree_itself(monkeypatch):
    """While formulas are evaluated in copies, thoughts are of the tree that is kept."""
    monkeypatch.setattr("agents.mcts.iteration.WATCH_SECONDS", 0.005)
    results: list[SearchResult] = []
    planner = new("es-mcts", iterations=500, fitness_iterations=1000)
    last = watched(planner.search, middle(), results.append)
    assert len(results) > 1
    visits = [int(result.visits.sum()) for result in results]
    assert visits == sorted(visits)
    assert all(total <= result.iterations for total, result in zip(visits, results, strict=True))
    assert last.visits.sum() <= 500


def test_a_search_that_is_stopped_keeps_the_mean_of_the_rollouts_it_has_played():
    """Every return is 1; the first tree is watched and stops the second one among its rollouts."""
    planner = new("mcts", iterations=10, trees=2, rollouts=10**7)
    result = planner.search(Bandit(1), watch=lambda _: True)
    assert result.iterations == 2
    assert result.value == pytest.approx(1)


def test_time_limits_act_within_an_iteration():
    """One iteration of so many guided rollouts would take a quarter of an hour."""
    planner = make("mcts(rollouts=1000000, rollout_policy=greedy, time_limit=0.3)", seed=0)
    start = time.process_time()  # which other processes do not lengthen
    result = planner.search(middle())
    assert time.process_time() - start < 0.5
    assert result.iterations == 1
    assert math.isfinite(result.value)


class Simple(Planner):
    """A planner of one's own, which knows nothing of being watched."""

    def search(self, game: PythonForwardModel) -> Any:
        return type("Found", (), {"action": int(game.legal_actions()[0]), "value": 0.0})


def test_planners_of_ones_own_need_not_be_watched():
    assert watched(Simple().search, TicTacToe(), lambda _: True).action == 0
    assert watched(Simple().decide, TicTacToe(), lambda _: True).action == 0
    assert Simple().act(TicTacToe()) == 0


# --- Refusals ---

COUNTS = (0, -5, 2**64, 2**70, 0.5, math.nan, math.inf, "10", True)
BAD: dict[str, tuple[Any, ...]] = {
    "iterations": COUNTS,
    "model_calls": COUNTS,
    "max_positions": COUNTS,
    "depth": (*COUNTS, 10_001),
    "max_nodes": (*COUNTS, 1),
    "trees": COUNTS,
    "rollouts": COUNTS,
    "phases": COUNTS,
    "max_actions": COUNTS,
    "generations": (*COUNTS[1:], 2.5),
    "offspring": COUNTS,
    "parents": COUNTS,
    "fitness_iterations": COUNTS,
    "tree_iterations": COUNTS,
    "contestants": (*COUNTS, 1),
    "population": (*COUNTS, 3),
    "starts": COUNTS,
    "time_limit": (0, -0.5, math.nan, math.inf, "1", True),
    "seed": (-1, "0"),
}
"""Values that whatever planner has the option refuses."""


@pytest.mark.parametrize("name", AGENTS)
def test_bad_counts_and_budgets_are_refused(name):
    for option, values in BAD.items():
        for value in values if has(name, option) else ():
            with pytest.raises(ValueError, match=f"{option}.* got .*{re.escape(repr(value))}"):
                AGENTS[name](**{option: value})


@pytest.mark.parametrize("name", AGENTS)
def test_unknown_options_are_refused(name):
    with pytest.raises(ValueError, match="has no option 'luck'; its options are: "):
        make(f"{name}(luck=1)")
    with pytest.raises(TypeError, match="unexpected keyword argument 'luck'"):
        AGENTS[name](luck=1)
