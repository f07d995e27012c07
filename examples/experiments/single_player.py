"""MCTS and the planners that evolve it in single-player Carcassonne, beside the published values.

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
from agents import EAMCTS, MCTS, SIEAMCTS
from agents.experiment import run_experiment
from games import searches

PUBLISHED_GAMES = 30
PUBLISHED = {
    ("Carcassonne-1p-1m-d", "MCTS C=0.5"): (30.83, 9.38, 11.86, 0.122),
    ("Carcassonne-1p-1m-d", "MCTS C=sqrt2"): (31.70, 7.21, 11.19, 0.128),
    ("Carcassonne-1p-1m-d", "MCTS C=3"): (31.80, 10.17, 11.36, 0.128),
    ("Carcassonne-1p-1m-d", "EA-MCTS"): (27.27, 8.53, 12.21, 0.107),
    ("Carcassonne-1p-1m-d", "SIEA-MCTS"): (29.23, 8.81, 11.54, 0.114),
    ("Carcassonne-1p-3m-s", "MCTS C=0.5"): (49.90, 7.29, 7.84, 0.294),
    ("Carcassonne-1p-3m-s", "MCTS C=sqrt2"): (49.13, 5.75, 7.80, 0.288),
    ("Carcassonne-1p-3m-s", "MCTS C=3"): (48.57, 6.92, 7.59, 0.294),
    ("Carcassonne-1p-3m-s", "EA-MCTS"): (45.87, 5.73, 7.56, 0.286),
    ("Carcassonne-1p-3m-s", "SIEA-MCTS"): (47.60, 7.50, 7.32, 0.316),
}
"""Mean and standard deviation of the final score, mean efficiency and availability."""
CONSTANTS = {"0.5": 0.5, "sqrt2": math.sqrt(2), "3": 3.0}
EVOLVING = {"EA-MCTS": EAMCTS, "SIEA-MCTS": SIEAMCTS}


def agent_of(name: str, iterations: int, seed: int) -> MCTS:
    """The agent of a row of the table."""
    if name in EVOLVING:
        return EVOLVING[name](iterations, seed=seed)
    return MCTS(iterations, c=CONSTANTS[name.removeprefix("MCTS C=")], seed=seed)


def play(game: str, agent: str, iterations: int, seed: int) -> dict[str, float]:
    """Plays one game; game and planner are seeded alike for every agent.

    Returns:
        The score, the meeples played and the share of turns with a meeple in hand.
    """
    env = gymnasium.make(game)
    env.reset(seed=seed)
    model = env.unwrapped.model
    num_turns = num_available = num_played = 0
    for result in searches(agent_of(agent, iterations, seed), env):
        num_played += model.decode_action(result.action).target is not None
        num_available += model.meeples[0] > 0
        num_turns += 1
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
