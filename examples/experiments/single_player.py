"""Ten agents in single-player Carcassonne, beside the published values.

Plays every agent in the two games of table 5.10 and prints mean scores, points a meeple played in
all games (efficiency) and the share of turns with a meeple in hand (availability), with 95%
confidence intervals of the means. Every game leaves a row, and an interrupted run goes on where it
stopped. Needs the extra ``experiments``.

Source: Valdez Ameneyro (2024), "Analysing the Impacts of Dynamically Evolving Selection Policies in
Monte Carlo Tree Search Through Evolutionary Algorithms", PhD thesis, National University of Ireland
Maynooth, table 5.10 (30 games a row, 10,000 iterations a move).
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import gymnasium
from report import groups_by, markdown, welch, with_interval

import carcassonne_env  # noqa: F401  (registers the environments)
from agents import make
from agents.experiment import run_experiment

PUBLISHED_GAMES = 30
PUBLISHED = {
    ("Carcassonne-1p-1m-d", "MCTS C=0.5"): (30.83, 9.38, 11.86, 0.122),
    ("Carcassonne-1p-1m-d", "MCTS C=sqrt2"): (31.70, 7.21, 11.19, 0.128),
    ("Carcassonne-1p-1m-d", "MCTS C=3"): (31.80, 10.17, 11.36, 0.128),
    ("Carcassonne-1p-1m-d", "EA-MCTS"): (27.27, 8.53, 12.21, 0.107),
    ("Carcassonne-1p-1m-d", "SIEA-MCTS"): (29.23, 8.81, 11.54, 0.114),
    ("Carcassonne-1p-1m-d", "Expectimax-1-s"): (7.53, 8.94, 3.83, 0.101),
    ("Carcassonne-1p-1m-d", "Expectimax-1-vs"): (21.93, 11.72, 9.40, 0.101),
    ("Carcassonne-1p-1m-d", "Expectimax-2-s"): (13.83, 11.78, 4.94, 0.171),
    ("Carcassonne-1p-1m-d", "Expectimax-2-vs"): (27.33, 12.88, 8.54, 0.226),
    ("Carcassonne-1p-1m-d", "Random"): (3.13, 3.79, 2.76, 0.059),
    ("Carcassonne-1p-3m-s", "MCTS C=0.5"): (49.90, 7.29, 7.84, 0.294),
    ("Carcassonne-1p-3m-s", "MCTS C=sqrt2"): (49.13, 5.75, 7.80, 0.288),
    ("Carcassonne-1p-3m-s", "MCTS C=3"): (48.57, 6.92, 7.59, 0.294),
    ("Carcassonne-1p-3m-s", "EA-MCTS"): (45.87, 5.73, 7.56, 0.286),
    ("Carcassonne-1p-3m-s", "SIEA-MCTS"): (47.60, 7.50, 7.32, 0.316),
    ("Carcassonne-1p-3m-s", "Expectimax-1-s"): (18.70, 7.76, 3.53, 0.290),
    ("Carcassonne-1p-3m-s", "Expectimax-1-vs"): (36.43, 9.31, 7.01, 0.239),
    ("Carcassonne-1p-3m-s", "Expectimax-2-s"): (48.67, 8.68, 4.66, 0.812),
    ("Carcassonne-1p-3m-s", "Expectimax-2-vs"): (53.33, 11.20, 7.62, 0.404),
    ("Carcassonne-1p-3m-s", "Random"): (10.27, 5.25, 3.02, 0.209),
}
"""Mean and standard deviation of the final score, mean efficiency and availability."""
AGENTS = {
    "MCTS C=0.5": "mcts(c=0.5, iterations={iterations})",
    "MCTS C=sqrt2": "mcts(iterations={iterations})",
    "MCTS C=3": "mcts(c=3, iterations={iterations})",
    "EA-MCTS": "ea-mcts(iterations={iterations})",
    "SIEA-MCTS": "siea-mcts(iterations={iterations})",
}
"""The agents of the table; others have the name of the row."""


def play(game: str, agent: str, iterations: int, seed: int) -> dict[str, float]:
    """Plays one game; game and planner are seeded alike for every agent.

    Returns:
        The score, the meeples played and the share of turns with a meeple in hand.
    """
    env = gymnasium.make(game)
    env.reset(seed=seed)
    model = env.unwrapped.model
    planner = make(AGENTS.get(agent, agent.lower()).format(iterations=iterations), seed=seed)
    num_turns = num_available = num_played = 0
    while not model.is_terminal():
        action = planner.choose(model)
        num_played += model.decode_action(action).target is not None
        num_available += model.meeples[0] > 0
        num_turns += 1
        env.step(env.unwrapped.env_action(action))
    return {
        "score": model.scores[0],
        "meeples": num_played,
        "availability": num_available / num_turns,
    }


def main() -> None:
    """Plays the games that are missing and prints the table."""
    args = parsed_arguments()
    jobs = [
        {"game": game, "agent": agent, "iterations": args.iterations, "seed": seed}
        for game, agent in PUBLISHED
        for seed in range(args.games)
    ]
    table = run_experiment(args.out / "single_player.csv", play, jobs, workers=args.jobs)
    lines = []
    for key, rows in groups_by(table, ["game", "agent"]).items():
        mean, deviation, efficiency, availability = PUBLISHED[key]
        difference, p_value = welch(rows["score"], mean, deviation, PUBLISHED_GAMES)
        published_error = 1.96 * deviation / math.sqrt(PUBLISHED_GAMES)
        lines.append(
            [
                *key,
                f"{with_interval(rows['score'], 2)} / {mean:.2f} ± {published_error:.2f}",
                f"{difference:+.1f}",
                f"{p_value:.2f}",
                f"{rows['score'].sum() / rows['meeples'].sum():.2f} / {efficiency:.2f}",
                f"{with_interval(rows['availability'], 3)} / {availability:.3f}",
            ]
        )
    header = ["game", "agent", "score", "difference", "p", "efficiency", "availability"]
    print("Ours / published; difference of the scores in combined standard errors, p: Welch.\n")
    print(markdown(header, lines))


def parsed_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--games", type=int, default=60, help="games of each row, 2 or more")
    parser.add_argument("--iterations", type=int, default=10_000, help="iterations a move")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder of the rows")
    args = parser.parse_args()
    if args.games < 2:
        parser.error(f"--games must be at least 2, got {args.games}")
    return args


if __name__ == "__main__":
    main()
