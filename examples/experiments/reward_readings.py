"""Readings of the rewards of table 6.2: which wins may MCTS with win/loss rewards have seen?

MCTS with rewards 1, 0 and -1 plays MCTS with the difference of the scores, as in
``two_players.py``, where the published row is not reproduced. Here the features that decide about a
win vary, and the unit of the differences. Rollouts are in Python; ends of the game that are in the
tree count with the difference of the scores.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from report import Option, Report, groups_by, markdown, run, with_interval
from thesis import KINDS_OF_RETURNS
from two_players import lead_of, results_of, reward_jobs

from agents import MCTS, Rng
from agents.experiment import run_experiment
from carcassonne_env import CarcassonneModel

FEATURES = ("city", "road", "cloister", "farm")
READINGS = {
    "final scores": (FEATURES, 1),
    "without farms": (FEATURES[:-1], 1),
    "differences in points": (FEATURES, 593),
}
"""The features whose points decide about a win, and the divisor of the other player's C: with
returns in points, the constant C does what C / 593 does with differences divided by 593."""


def winner_by(
    features: tuple[str, ...], seed: int
) -> Callable[[CarcassonneModel], tuple[float, float]]:
    """An evaluator: plays at random to the end; these features decide who wins."""
    rng = Rng(seed)

    def values(model: CarcassonneModel) -> tuple[float, float]:
        model.rollout(rng)
        first, second = (sum(points[f] for f in features) for points in model.score_breakdown)
        return float(np.sign(first - second)), float(np.sign(second - first))

    return values


def game(reading: str, iterations: int, c: float, seat: str, seed: int) -> dict[str, float]:
    """Plays win/loss rewards against score differences; returns the lead of the former."""
    features, divisor = READINGS[reading]
    own, other = ({"seed": rng, "recommendation": "robust-random"} for rng in Rng(seed).spawn(2))
    win = MCTS(iterations, c=c, evaluator=winner_by(features, seed), **own)
    difference = MCTS(iterations, c=c / divisor, **other)
    return lead_of(win, difference, seat, seed)


def main(report: Report) -> None:
    pairs = reward_jobs(report.args.iterations, report.args.games)
    jobs = [{"reading": reading, **job} for reading in READINGS for job in pairs]
    table = run_experiment(report.path(), game, jobs)
    lines = [["published", *("-".join(map(str, row)) for row in KINDS_OF_RETURNS.values()), ""]]
    for reading, rows in groups_by(table, "reading").items():
        seats = groups_by(rows, "seat")
        counts = ["-".join(map(str, results_of(seats[s]["lead"]))) for s in KINDS_OF_RETURNS]
        lines.append([reading, *counts, with_interval(rows["lead"], 1)])
    header = ["reading", "as first player", "as second player", "mean lead"]
    report.section("Wins-draws-losses", markdown(header, lines))


if __name__ == "__main__":
    run(
        main,
        "Readings of the rewards of table 6.2",
        iterations=Option(5000, "iterations a move", quick=50),
        games=Option(100, "of each reading", quick=2, least=2, is_even=True),
    )
