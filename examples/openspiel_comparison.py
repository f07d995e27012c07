"""Random playouts and MCTS iterations a second, here and in OpenSpiel, on the same games.

Both programs run on one core, one right after the other, each several times; the best rate counts.
OpenSpiel's random playouts are those of its C++ `RandomRolloutEvaluator`, its MCTS is the C++
`MCTSBot`. Needs the package ``open_spiel``.

    python examples/openspiel_comparison.py
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

import pyspiel

from agents import MCTS
from agents.games import make

GAMES = {"reversi": "othello", "hex(size=11)": "hex(board_size=11)"}
"""Our games, and the same games of OpenSpiel."""
C = 1.4
REPEATS = 3


def main() -> None:
    """Prints a table in Markdown."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="measure for a moment only")
    count = 50 if options.parse_args().quick else 5000
    print("| game | | here | OpenSpiel | ratio |")
    print("|---|---|---|---|---|")
    for mine, theirs in GAMES.items():
        model, game = make(mine), pyspiel.load_game(theirs)
        rows = {
            "random playouts a second": (
                rate(partial(model.rollout_returns, 10 * count, 0), 10 * count),
                rate(partial(searched, game, 1, count), count),
            ),
            "MCTS iterations a second": (
                rate(partial(MCTS(count, C, seed=0).search, model), count),
                rate(partial(searched, game, count, 1), count),
            ),
        }
        for name, (ours, other) in rows.items():
            print(f"| {mine} | {name} | {ours:,.0f} | {other:,.0f} | {ours / other:.1f} |")


def rate(run: Callable[[], object], size: int) -> float:
    """The best rate of several runs, in units a second."""
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return size / min(seconds)


def searched(game: pyspiel.Game, simulations: int, playouts: int) -> None:
    """Searches the start of a game with OpenSpiel's MCTS in C++."""
    evaluator = pyspiel.RandomRolloutEvaluator(playouts, 0)
    bot = pyspiel.MCTSBot(game, evaluator, C, simulations, 1000, False, 0, False)
    bot.mcts_search(game.new_initial_state())


if __name__ == "__main__":
    main()
