"""Threads that share a model: nothing crashes, and what began goes on from where it began."""

from __future__ import annotations

import itertools
import random
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from agents import (
    EAMCTS,
    MCTS,
    TERMINAL,
    Expectimax,
    PythonForwardModel,
    Rng,
    SearchResult,
    StarMinimax,
)
from alone import run_alone
from carcassonne_env import CarcassonneModel
from carcassonne_env.encoding import Encoder
from fop_env import FopModel
from games import TicTacToe
from models import advance, in_play, positions
from test_network import random_network


class Signal(np.random.SeedSequence):
    """A seed that tells when it is used, which is after the model was read."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.is_used = threading.Event()

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> np.ndarray:
        self.is_used.set()
        return super().generate_state(n_words, dtype)


@pytest.mark.parametrize("config", [{}, {"deterministic": True, "seed": 0, "num_players": 3}])
def test_rollouts_go_on_from_where_they_began(config):
    # 8,000 playouts last a fifth of a second; thousands of changes fall into it.
    model, other = CarcassonneModel(**config), CarcassonneModel(num_players=5, tiles="small")
    expected = model.clone().rollout_returns(8000, 7)
    seed, found = Signal(7), []
    thread = threading.Thread(target=lambda: found.append(model.rollout_returns(8000, seed)))
    thread.start()
    seed.is_used.wait()
    num_changes, rng = 0, Rng(1)
    while thread.is_alive():
        model.copy_from(other)
        while not model.is_terminal() and thread.is_alive():
            advance(model, rng)
            num_changes += 1
    thread.join()
    assert num_changes > 10
    assert np.array_equal(found[0], expected)


def read_while_it_changes(name: str) -> None:
    encoder = Encoder(72, 2, "index", observation="features", max_rows=99)
    network = random_network(2)
    read: Callable[[CarcassonneModel], list[np.ndarray]] = {
        "ratings": lambda model: [network.ratings(model) for _ in range(9)],
        "many": lambda model: list(encoder.many([model] * 9)["afterstates"]),
    }[name]
    game = positions(CarcassonneModel(), 0)
    places = [model.clone() for model in game if model.current_player() >= 0][::20]
    expected, shared = [read(place)[0] for place in places], places[0].clone()
    is_over = threading.Event()

    def change() -> None:
        for place in itertools.cycle(places):
            shared.copy_from(place)
            if is_over.is_set():
                return

    thread = threading.Thread(target=change)
    thread.start()
    found = [one for _ in range(60) for one in read(shared)]
    is_over.set()
    thread.join()
    assert all(any(map(np.array_equal, itertools.repeat(one), expected)) for one in found)


def read_what_grows() -> None:
    results: list[SearchResult] = []
    has_begun, is_over = threading.Event(), threading.Event()
    game, planner, num_refused = in_play(CarcassonneModel()), MCTS(time_limit=60, seed=0), 0

    def watch(result: SearchResult) -> bool:
        results.append(result)
        has_begun.set()
        return is_over.is_set()

    thread = threading.Thread(target=lambda: planner.search(game, watch=watch))
    thread.start()
    assert has_begun.wait(60)
    while num_refused < 99 and thread.is_alive():
        try:
            results[-1].search_tree.table()
        except RuntimeError as error:
            num_refused += "goes on in another thread" in str(error)
    is_over.set()
    thread.join()
    assert num_refused == 99
    assert len(results[-1].search_tree.table()) == results[-1].search_tree.num_nodes


def test_what_another_thread_changes_is_read_at_one_moment_or_not_at_all():
    calls = ["read_while_it_changes('ratings')", "read_while_it_changes('many')"]
    run_alone("\n".join(["from test_threads import *", *calls, "read_what_grows()"]))


class Board(PythonForwardModel):
    """Five turns among players and actions that may be many or few."""

    heuristics = ("steps",)

    def __init__(self, num_players: int = 2, num_actions: int = 3) -> None:
        super().__init__(num_players, num_actions)
        self.steps = 0

    def current_player(self) -> int:
        return TERMINAL if self.steps >= 5 else self.steps % self.num_players

    def legal_actions(self) -> range:
        return range(self.num_actions)

    def apply_action(self, action: int) -> None:
        self.steps += 1

    def returns(self) -> list[float]:
        return [1.0] + [0.0] * (self.num_players - 1)

    def heuristic(self, player: int, kind: str) -> float:
        return self.steps / 5

    def copy_from(self, source: Board) -> None:
        self.steps = source.steps


def carcassonne(seed: int) -> CarcassonneModel:
    """A position of a game, by the seed with other numbers of players and tiles."""
    model = CarcassonneModel(
        num_players=1 + seed % 5, tiles=("base", "small")[seed % 2], two_step=seed % 3 == 0
    )
    for _ in range(seed * 7 % 40):
        advance(model, Rng(seed))
    return model


SHARED: dict[str, list[Callable[[], Any]]] = {
    "carcassonne": [lambda seed=seed: carcassonne(seed) for seed in range(5)],
    "fop": [
        FopModel,
        lambda: FopModel("f4", branching=5, num_players=2),
        lambda: FopModel("f2", branching=3, dimensions=2),
        lambda: FopModel(lambda x: x, branching=2, threshold=0.1),
    ],
    "tic-tac-toe": [TicTacToe, lambda: TicTacToe("X.O......")],
    "board": [Board, lambda: Board(5, 2), lambda: Board(1, 500), lambda: Board(40, 1)],
}
"""Models of one class each, which copy each other's positions."""

TASKS: dict[str, Callable[[Any, list[Any], random.Random], Any]] = {
    "copy_from": lambda model, others, rng: model.copy_from(rng.choice(others)),
    "apply_action": lambda model, others, rng: advance(model, Rng(rng.random() > 1)),
    "clone": lambda model, others, rng: model.clone() == model,
    "rollout_returns": lambda model, others, rng: model.rollout_returns(20, rng.randrange(99)),
    "rollout": lambda model, others, rng: model.rollout(rng.randrange(99)),
    "determinize": lambda model, others, rng: model.determinize(rng.randrange(99)),
    "legal_actions": lambda model, others, rng: model.legal_actions(),
    "chance_outcomes": lambda model, others, rng: model.chance_outcomes(),
    "returns": lambda model, others, rng: model.returns(),
    "heuristic": lambda model, others, rng: model.heuristic(0, model.heuristics[0]),
    "ordered_actions": lambda model, others, rng: model.ordered_actions(),
    "str": lambda model, others, rng: str(model) + repr(model),
    "pickle": lambda model, others, rng: model.__reduce__(),
    "hash": lambda model, others, rng: model.position_hash(),
    "mcts": lambda model, others, rng: MCTS(30, seed=0).search(model),
    "trees": lambda model, others, rng: MCTS(30, seed=0, trees=2).search(model),
    "rave": lambda model, others, rng: MCTS(30, tree_policy="rave", seed=0).search(model),
    "greedy": lambda model, others, rng: MCTS(5, rollout_policy="greedy").search(model),
    "evaluator": lambda model, others, rng: MCTS(
        20, evaluator=lambda models: [[0.0] * m.num_players for m in models], batch_size=4
    ).search(model),
    "ea-mcts": lambda model, others, rng: EAMCTS(
        300, generations=1, offspring=2, fitness_iterations=5, seed=0
    ).search(model),
    "expectimax": lambda model, others, rng: Expectimax(1).search(model),
    "star-minimax": lambda model, others, rng: StarMinimax(1).search(model),
}
"""What threads do to a model that they share."""


def share(kind: str, names: list[str], seed: int, seconds: float) -> dict[str, int]:
    """Has two threads do these tasks to one model; how often each was done without an error."""
    sys.setswitchinterval(1e-5)
    others = [make() for make in SHARED[kind]]
    model, end = others[0].clone(), time.monotonic() + seconds
    done = dict.fromkeys(names, 0)
    crashed: list[BaseException] = []

    def run(number: int) -> None:
        rng = random.Random(2 * seed + number)
        while time.monotonic() < end and not crashed:
            name = rng.choice(names[number::2])
            try:
                TASKS[name](model, others, rng)
                done[name] += 1
            except Exception:  # of a position that another thread brought about
                pass
            except BaseException as error:
                crashed.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not crashed, crashed
    return done


def share_all(kind: str, seconds: float, is_thorough: bool) -> None:
    """One thread copies other positions into the model, and another does everything else to it.

    This is repeated until half of the tasks were done, which takes longer on a loaded machine. With
    `is_thorough` two threads share every pair of tasks instead, each for so many seconds.
    """
    if is_thorough:
        for seed, pair in enumerate(itertools.combinations_with_replacement(TASKS, 2)):
            share(kind, list(pair), seed, seconds)
        return
    changing = ["copy_from", "apply_action", "determinize", "rollout"]
    others = [name for name in TASKS if name not in changing]
    names = [name for pair in zip(others, itertools.cycle(changing), strict=False) for name in pair]
    done: set[str] = set()
    for seed in range(60):
        counts = share(kind, names, seed, seconds)
        done |= {name for name, count in counts.items() if count}
        if len(done) > len(counts) / 2:
            return
    raise AssertionError(done)


def test_threads_share_a_model():
    calls = [f"print({kind!r}); share_all({kind!r}, 0.3, False)" for kind in SHARED]
    run_alone("\n".join(["from test_threads import *", *calls]))


@pytest.mark.slow
@pytest.mark.parametrize("kind", SHARED)
def test_every_pair_of_methods_in_two_threads(kind):
    # 253 pairs, 0.05 s each.
    run_alone(f"import test_threads; test_threads.share_all({kind!r}, 0.05, True)", seconds=600)
