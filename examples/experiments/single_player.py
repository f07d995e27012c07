"""Ten agents in single-player Carcassonne, beside the published values.

Every agent plays the four games. The report has mean scores, the points per meeple played
(efficiency) and the share of turns with a meeple in hand (availability), with 95% confidence
intervals of the means. Every game adds a row to a table, and an interrupted run continues where it
stopped. Needs the extra ``experiments``.

Source: Valdez Ameneyro (2024), "Analysing the Impacts of Dynamically Evolving Selection Policies in
Monte Carlo Tree Search Through Evolutionary Algorithms", PhD thesis, National University of Ireland
Maynooth, table 5.10 (30 games a row, 10,000 iterations a move).
"""

from __future__ import annotations

import argparse
import math

import pandas as pd
from command_line import at_least_two, parsed, parser, positive
from courses import breakdown_figure, courses, turn_figure, with_formula_sizes
from report import Report, groups_by, markdown, side_by_side, verdict, welch, with_interval
from scipy import stats

from agents.arena import round_robin
from agents.backends import backend
from carcassonne_env.game_setup import Setup
from carcassonne_env.measures import final_scores

SETUPS = [Setup(1, meeples, "small", known) for meeples in (1, 3) for known in (True, False)]
GAMES = {setup.name: setup for setup in SETUPS}
PUBLISHED_GAMES = 30
PUBLISHED = {
    ("1p-1m-small-d", "MCTS C=0.5"): (30.83, 9.38, 11.86, 0.122),
    ("1p-1m-small-d", "MCTS C=sqrt2"): (31.70, 7.21, 11.19, 0.128),
    ("1p-1m-small-d", "MCTS C=3"): (31.80, 10.17, 11.36, 0.128),
    ("1p-1m-small-d", "EA-MCTS"): (27.27, 8.53, 12.21, 0.107),
    ("1p-1m-small-d", "SIEA-MCTS"): (29.23, 8.81, 11.54, 0.114),
    ("1p-1m-small-d", "Expectimax-1-s"): (7.53, 8.94, 3.83, 0.101),
    ("1p-1m-small-d", "Expectimax-1-vs"): (21.93, 11.72, 9.40, 0.101),
    ("1p-1m-small-d", "Expectimax-2-s"): (13.83, 11.78, 4.94, 0.171),
    ("1p-1m-small-d", "Expectimax-2-vs"): (27.33, 12.88, 8.54, 0.226),
    ("1p-1m-small-d", "Random"): (3.13, 3.79, 2.76, 0.059),
    ("1p-3m-small-s", "MCTS C=0.5"): (49.90, 7.29, 7.84, 0.294),
    ("1p-3m-small-s", "MCTS C=sqrt2"): (49.13, 5.75, 7.80, 0.288),
    ("1p-3m-small-s", "MCTS C=3"): (48.57, 6.92, 7.59, 0.294),
    ("1p-3m-small-s", "EA-MCTS"): (45.87, 5.73, 7.56, 0.286),
    ("1p-3m-small-s", "SIEA-MCTS"): (47.60, 7.50, 7.32, 0.316),
    ("1p-3m-small-s", "Expectimax-1-s"): (18.70, 7.76, 3.53, 0.290),
    ("1p-3m-small-s", "Expectimax-1-vs"): (36.43, 9.31, 7.01, 0.239),
    ("1p-3m-small-s", "Expectimax-2-s"): (48.67, 8.68, 4.66, 0.812),
    ("1p-3m-small-s", "Expectimax-2-vs"): (53.33, 11.20, 7.62, 0.404),
    ("1p-3m-small-s", "Random"): (10.27, 5.25, 3.02, 0.209),
}
"""Mean and standard deviation of the final score, mean efficiency and availability."""
AGENTS = {
    "MCTS C=0.5": "mcts(iterations={iterations}, c=0.5)",
    "MCTS C=sqrt2": "mcts(iterations={iterations})",
    "MCTS C=3": "mcts(iterations={iterations}, c=3)",
    "EA-MCTS": "ea-mcts(iterations={iterations})",
    "SIEA-MCTS": "siea-mcts(iterations={iterations})",
    "Expectimax-1-s": "expectimax-1-s",
    "Expectimax-1-vs": "expectimax-1-vs",
    "Expectimax-2-s": "expectimax-2-s",
    "Expectimax-2-vs": "expectimax-2-vs",
    "Random": "random",
}
"""The agents of the table."""


def main() -> None:
    """Plays the missing games and writes the report."""
    args = parsed_arguments()
    agents = {label: text.format(iterations=args.iterations) for label, text in AGENTS.items()}
    path = args.out / "single_player.csv"
    with backend(args.backend, args.jobs, args.address):
        games = {name: GAMES[name] for name in args.setups}
        table = round_robin(path, games, [*agents.values()], args.games, measure=final_scores)
    course = courses(games, table)
    table = with_meeples(table, course)
    report = Report(args, "single_player", "Single-player Carcassonne")
    report.section(
        "Beside the published values (table 5.10)",
        f"{args.games} games a row, {args.iterations} iterations a move. Ours / published, means ± "
        "half of the 95% confidence interval; difference of the scores in combined standard "
        "errors, p: Welch. Efficiency: points a meeple played; availability: share of turns with "
        "a meeple in hand; bold where they differ, with our deviation for both, as none is "
        "printed. Games without published values are not comparable.",
        scores_table(table, agents),
    )
    for name, rows in groups_by(table, "game").items():
        add_pictures(report, name, rows, course[course["game"] == name], agents)
    report.write()


def with_meeples(table: pd.DataFrame, course: pd.DataFrame) -> pd.DataFrame:
    """Adds the meeples played in each game, and the share of turns with a meeple in hand."""
    turns = course.groupby("row")
    played = turns["num_farms"].max() + turns["num_others"].max()
    available = turns["in_hand"].agg(lambda counts: (counts > 0).mean())
    return table.assign(meeples=played, availability=available)


def scores_table(table: pd.DataFrame, agents: dict[str, str]) -> str:
    """A table of every agent in every game, with our values beside the published ones."""
    label = {specification: label for label, specification in agents.items()}
    lines = []
    for (name, agent), rows in groups_by(table, ["game", "seat_0"]).items():
        score = with_interval(rows["score_0"], 2)
        efficiency, availability = efficiencies(rows), rows["availability"]
        line = [name, label[agent]]
        if published := PUBLISHED.get((name, label[agent])):
            mean, deviation, published_efficiency, published_availability = published
            difference, p_value = welch(rows["score_0"], mean, deviation, PUBLISHED_GAMES)
            error = stats.t.ppf(0.975, PUBLISHED_GAMES - 1) * deviation / math.sqrt(PUBLISHED_GAMES)
            line += [f"{score} / {mean:.2f} ± {error:.2f}", f"{difference:+.1f}", f"{p_value:.2f}"]
            line.append(verdict(difference))
            line += [
                side_by_side(efficiency, published_efficiency, PUBLISHED_GAMES, 2),
                side_by_side(availability, published_availability, PUBLISHED_GAMES, 3),
            ]
        else:
            line += [score, "", "", "not comparable"]
            line += [with_interval(efficiency, 2), with_interval(availability, 3)]
        lines.append(line)
    header = ["game", "agent", "score", "difference", "p", "verdict", "efficiency", "availability"]
    return markdown(header, lines)


def efficiencies(rows: pd.DataFrame) -> pd.Series:
    """Numbers whose mean is the efficiency: the points per meeple played in all games.

    Their deviation is the deviation of this ratio (delta method).
    """
    mean = max(rows["meeples"].mean(), 1 / len(rows))
    ratio = rows["score_0"].mean() / mean
    return ratio + (rows["score_0"] - ratio * rows["meeples"]) / mean


def add_pictures(
    report: Report, name: str, rows: pd.DataFrame, course: pd.DataFrame, agents: dict[str, str]
) -> None:
    """The pictures of one game."""
    label = {specification: label for label, specification in agents.items()}
    order = list(agents.values())
    report.picture(
        f"{name}_breakdown",
        breakdown_figure(rows, order, list(agents)),
        f"{name}: final scores by the features that they come from",
    )
    report.picture(
        f"{name}_turns",
        turn_figure(
            with_formula_sizes(course),
            {
                "num_farms": "meeples played on farms",
                "num_others": "meeples played elsewhere",
                "visits": "visits of the action played",
                "size": "nodes of the evolved formula",
            },
            label,
        ),
        f"{name}: meeples, visits and evolved formulas by turn",
    )


def parsed_arguments() -> argparse.Namespace:
    """The options of the command line."""
    options = parser(__doc__)
    options.add_argument("--games", type=at_least_two, default=30, help="games of each row")
    options.add_argument("--iterations", type=positive, default=10_000, help="iterations a move")
    options.add_argument("--setups", nargs="+", choices=GAMES, default=[*GAMES], help="which games")
    return parsed(options, games=5, iterations=500)


if __name__ == "__main__":
    main()
