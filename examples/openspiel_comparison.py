"""MCTS here and in OpenSpiel on the same games: speed and strength.

All searches are UCT with the same exploration constant and one random rollout an iteration. As in
OpenSpiel, chance nodes have plain means, and the highest mean decides between equal visits. "C++"
and "Python" are the two programs of OpenSpiel, `pyspiel.MCTSBot` and `mcts.MCTSBot`. "ours" is on
OpenSpiel's game, and "compiled" on our own version of the game; `python_carcassonne` is our game,
registered in OpenSpiel. The searches run one after the other on one core, several times, and the
best rate counts. Needs the extra ``openspiel``.

    python examples/openspiel_comparison.py
    python examples/openspiel_comparison.py --strength --games 100 --iterations 200
"""

from __future__ import annotations

import argparse
import gc
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

import carcassonne_env.openspiel  # noqa: F401, registers python_carcassonne
from agents import MCTS, ForwardModel
from agents.adapters.openspiel import OpenSpielModel
from agents.games import make

GAMES = {
    "connect_four": None,
    "othello": "reversi",
    "hex": "hex(size=11)",
    "backgammon": None,
    "breakthrough": None,
    "python_carcassonne": "carcassonne",
}
"""Games of OpenSpiel, and our compiled versions of them."""
C = 1.4
REPEATS = 3


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--names", nargs="+", choices=GAMES, default=list(GAMES))
    options.add_argument("--strength", action="store_true", help="play against the C++ program")
    options.add_argument("--games", type=int, default=100)
    options.add_argument(
        "--seed", type=int, default=0, help="of the first game; the next have the next"
    )
    options.add_argument("--iterations", type=int, default=1000, help="iterations of a search")
    options.add_argument("--quick", action="store_true", help="measure for a moment only")
    given = options.parse_args()
    if given.strength:
        print_strength(given.names, range(given.seed, given.seed + given.games), given.iterations)
    else:
        print_speed(given.names, 5 if given.quick else given.iterations)


# Speed


def print_speed(names: list[str], count: int) -> None:
    """Prints playouts and iterations a second from the first decision of each game."""
    print("| game | a second | compiled | ours | C++ | Python | ours/C++ | ours/Python |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names:
        state = draw(pyspiel.load_game(name).new_initial_state(), np.random.RandomState(0))
        for what, (here, compiled, python) in PROGRAMS.items():
            own = f"{rate(here, own_model(name), 10 * count):,.0f}" if GAMES[name] else ""
            ours = rate(here, OpenSpielModel(state), count)
            theirs, slow = rate(compiled, state, count), rate(python, state, count)
            rates = f"{own} | {ours:,.0f} | {theirs:,.0f} | {slow:,.0f}"
            ratios = f"{ours / theirs:.2f} | {ours / slow:.1f}"
            print(f"| {name} | {what} | {rates} | {ratios} |", flush=True)


def own_model(name: str) -> ForwardModel:
    """Our version of a game, at its first decision."""
    model = make(GAMES[name])
    while model.is_chance_node():
        model.apply_action(model.sample_chance(0))
    return model


def python_evaluator(playouts: int) -> mcts.RandomRolloutEvaluator:
    """OpenSpiel's random playouts in Python."""
    return mcts.RandomRolloutEvaluator(playouts, np.random.RandomState(0))


def python_bot(state: pyspiel.State, iterations: int) -> mcts.MCTSBot:
    """OpenSpiel's MCTS in Python."""
    given = state.get_game(), C, iterations, python_evaluator(1)
    return mcts.MCTSBot(*given, solve=False, random_state=np.random.RandomState(0))


def compiled_bot(
    state: pyspiel.State, iterations: int, *, playouts: int = 1, seed: int = 0
) -> pyspiel.Bot:
    """OpenSpiel's MCTS in C++."""
    evaluator = pyspiel.RandomRolloutEvaluator(playouts, seed)
    return pyspiel.MCTSBot(state.get_game(), evaluator, C, iterations, 1000, False, seed, False)


def our_mcts(iterations: int, seed: int = 0) -> MCTS:
    """Our MCTS with the settings of OpenSpiel's."""
    return MCTS(iterations, C, chance_backup="sampled", seed=seed)


PROGRAMS: dict[str, tuple[Callable[[Any, int], Any], ...]] = {
    "playouts": (
        lambda model, count: model.rollout_returns(count, 0),
        lambda state, count: compiled_bot(state, 1, playouts=count).mcts_search(state),
        lambda state, count: python_evaluator(count).evaluate(state),
    ),
    "iterations": (
        lambda model, count: our_mcts(count).search(model),
        lambda state, count: compiled_bot(state, count).mcts_search(state),
        lambda state, count: python_bot(state, count).mcts_search(state),
    ),
}
"""What is measured: ours on a model, and OpenSpiel's in C++ and in Python on a state."""


def rate(run: Callable[[Any, int], Any], position: Any, count: int) -> float:
    """The best rate of several runs, in units a second."""
    timed = timeit.Timer(lambda: run(position, count), setup=gc.enable)
    return count / min(timed.repeat(REPEATS, number=1))


# Strength


def print_strength(names: list[str], seeds: range, iterations: int) -> None:
    """Prints the results of our MCTS against OpenSpiel's in C++."""
    print("| game | games | won | drawn | lost | mean of win 1, loss -1 | 95% interval |")
    print("|---|---|---|---|---|---|---|")
    for name in names:
        results = np.sign([play(name, seed, iterations) for seed in seeds])
        won, drawn, lost = (int((results == sign).sum()) for sign in (1, 0, -1))
        mean, half = results.mean(), 1.96 * results.std(ddof=1) / len(seeds) ** 0.5
        counts = f"{len(seeds)} | {won} | {drawn} | {lost}"
        interval = f"{mean - half:+.2f} to {mean + half:+.2f}"
        print(f"| {name} | {counts} | {mean:+.2f} | {interval} |", flush=True)


def play(name: str, seed: int, iterations: int) -> float:
    """Our return in one game; we begin in those with an even seed."""
    seat = seed % 2
    state, random = pyspiel.load_game(name).new_initial_state(), np.random.RandomState(seed)
    agent = our_mcts(iterations, seed)
    bot = compiled_bot(state, iterations, seed=seed)
    while not draw(state, random).is_terminal():
        ours = state.current_player() == seat
        state.apply_action(choose(agent, state) if ours else bot.step_with_policy(state)[1])
    return state.returns()[seat]


def choose(agent: MCTS, state: pyspiel.State) -> int:
    """The action of our search; it searches our own model if the state holds one."""
    model = getattr(state, "model", None) or OpenSpielModel(state)
    return state.string_to_action(model.action_to_string(agent.choose(model)))


def draw(state: pyspiel.State, random: np.random.RandomState) -> pyspiel.State:
    """The state after the chance events that come next."""
    while state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(random.choice(outcomes, p=chances))
    return state


if __name__ == "__main__":
    main()
