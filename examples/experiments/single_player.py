"""MCTS in single-player Carcassonne, beside the published scores.

Plays every exploration constant in the two games for which scores are published and prints mean
scores with 95% confidence intervals. ``--games 60`` takes about two minutes on one core. Needs the
extra ``render``.

Source: Valdez Ameneyro (2024), "Analysing the Impacts of Dynamically Evolving Selection Policies in
Monte Carlo Tree Search Through Evolutionary Algorithms", PhD thesis, National University of Ireland
Maynooth, table 5.10: 30 games each, 10,000 iterations a move, normalised score as return.
"""

from __future__ import annotations

import argparse
import math

import gymnasium
import numpy as np
from tqdm import tqdm

import carcassonne_env  # noqa: F401  (registers the environments)
from agents import MCTS

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


def final_score(env_id: str, c: float, iterations: int, seed: int) -> int:
    """The score of one game; game and planner are seeded alike for every constant."""
    env = gymnasium.make(env_id)
    env.reset(seed=seed)
    agent = MCTS(iterations, c=c, seed=seed)
    is_over = False
    while not is_over:
        _, _, is_over, _, info = env.step(agent.act(env))
    return int(info["scores"][0])


def main() -> None:
    """Plays all games and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=60, help="games of each row")
    parser.add_argument("--iterations", type=int, default=10_000, help="MCTS iterations a move")
    args = parser.parse_args()
    if args.games < 2:
        parser.error(f"--games must be at least 2, got {args.games}")
    lines = [f"{'game':20} {'C':>6}   {'ours':>14}   {'published':>14}   {'difference':>12}"]
    with tqdm(total=len(PUBLISHED) * args.games, unit="game") as progress:
        for (env_id, c), (mean, deviation) in PUBLISHED.items():
            scores = []
            for seed in range(args.games):
                scores.append(final_score(env_id, c, args.iterations, seed))
                progress.update()
            ours, error = np.mean(scores), np.std(scores, ddof=1) / math.sqrt(args.games)
            published_error = deviation / math.sqrt(PUBLISHED_GAMES)
            difference = (ours - mean) / math.hypot(error, published_error)
            lines.append(
                f"{env_id:20} {c:6.3f}   {ours:6.2f} +- {1.96 * error:4.2f}   "
                f"{mean:6.2f} +- {1.96 * published_error:4.2f}   {difference:+5.1f} errors"
            )
    print("\n".join(lines))


if __name__ == "__main__":
    main()
