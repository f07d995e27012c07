"""MCTS in single-player Carcassonne, beside the published scores.

Plays every exploration constant in the two games for which scores are published and prints mean
scores with 95% confidence intervals. ``--games 60`` takes about two minutes on one core. Every game
leaves a row, and an interrupted run goes on where it stopped. Needs the extra ``experiments``.

Source: Valdez Ameneyro (2024), "Analysing the Impacts of Dynamically Evolving Selection Policies in
Monte Carlo Tree Search Through Evolutionary Algorithms", PhD thesis, National University of Ireland
Maynooth, table 5.10: 30 games each, 10,000 iterations a move, normalised score as return.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import gymnasium

import carcassonne_env  # noqa: F401  (registers the environments)
from agents import MCTS
from agents.experiment import run_experiment

PUBLISHED_GAMES = 30
PUBLISHED = {
    ("Carcassonne-1p-1m-d", 0.5): (30.83, 9.38),
    ("Carcassonne-1p-1m-d", math.sqrt(2)): (31.70, 7.21),
    ("Carcassonne-1p-1m-d", 3.0): (31.80, 10.17),
    ("Carcassonne-1p-3m-s", 0.5): (49.90, 7.29),
    ("Carcassonne-1p-3m-s", math.sqrt(2)): (49.13, 5.75),
    ("Carcassonne-1p-3m-s", 3.0): (48.57, 6.92),
}
"""Mean and standard deviation of the final score, by environment and exploration constant."""


def final_score(game: str, c: float, iterations: int, seed: int) -> dict[str, int]:
    """Plays one game; game and planner are seeded alike for every constant."""
    env = gymnasium.make(game)
    env.reset(seed=seed)
    agent = MCTS(iterations, c=c, seed=seed)
    is_over = False
    while not is_over:
        _, _, is_over, _, info = env.step(agent.act(env))
    return {"score": int(info["scores"][0])}


def main() -> None:
    """Plays the games that are missing and prints the table."""
    args = parsed_arguments()
    jobs = [
        {"game": game, "c": c, "iterations": args.iterations, "seed": seed}
        for game, c in PUBLISHED
        for seed in range(args.games)
    ]
    table = run_experiment(args.out / "single_player.csv", final_score, jobs, workers=args.jobs)
    print(f"{'game':20} {'C':>6}   {'ours':>14}   {'published':>14}   {'difference':>12}")
    for (game, c), rows in table.groupby(["game", "c"], sort=False):
        mean, deviation = PUBLISHED[game, c]
        ours, error = rows["score"].mean(), rows["score"].sem()
        published_error = deviation / math.sqrt(PUBLISHED_GAMES)
        difference = (ours - mean) / math.hypot(error, published_error)
        print(
            f"{game:20} {c:6.3f}   {ours:6.2f} +- {1.96 * error:4.2f}   "
            f"{mean:6.2f} +- {1.96 * published_error:4.2f}   {difference:+5.1f} errors"
        )


def parsed_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--games", type=int, default=60, help="games of each row, 2 or more")
    parser.add_argument("--iterations", type=int, default=10_000, help="MCTS iterations a move")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder of the rows")
    args = parser.parse_args()
    if args.games < 2:
        parser.error(f"--games must be at least 2, got {args.games}")
    return args


if __name__ == "__main__":
    main()
