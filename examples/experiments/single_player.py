"""Ten agents in single-player Carcassonne, beside the published values.

Every agent plays the four games. The report has mean scores, the points per meeple played
(efficiency), the share of turns with a meeple in hand (availability), and what evolved formulas
consist of, with 95% confidence intervals of the means.

Published: tables 5.10 and 5.11 of the thesis (see `thesis`), 30 games a row, 10,000 iterations a
move.
"""

from __future__ import annotations

import pandas as pd
from courses import breakdown_figure, courses, turn_figure, with_formula_sizes
from published import Comparison, add_tests, compare_row, rows_table, tally
from report import Option, Report, groups_by, run
from standings import played
from thesis import EVOLVING, FORMULAS, MCTS, SINGLE_PLAYER, SINGLE_PLAYER_GAMES

from agents import Formula
from carcassonne_env.game_setup import Setup

SETUPS = [Setup(1, meeples, "small", known) for meeples in (1, 3) for known in (True, False)]
GAMES = {setup.name: setup for setup in SETUPS}
COLUMNS = {"score": 2, "efficiency": 2, "availability": 3}
"""The columns of table 5.10, and the decimals to which published means are rounded."""
AGENTS = {
    **{label: MCTS[label] for label in ("MCTS C=0.5", "MCTS C=sqrt2", "MCTS C=3")},
    **EVOLVING,
    **{f"Expectimax-{name}": f"expectimax-{name}" for name in ("1-s", "1-vs", "2-s", "2-vs")},
    "Random": "random",
}
"""The agents of the table."""


def main(report: Report) -> None:
    args = report.args
    games = {name: GAMES[name] for name in args.setups}
    table = played(report, "", games, AGENTS, args.games)
    course = courses(games, table)
    table = with_meeples(table, course)
    report.parts.append(f"{args.games} games a row, {args.iterations} iterations a move.")
    add_sections(report, table, course)
    for name, rows in groups_by(table, "game").items():
        add_pictures(report, name, rows, course[course["game"] == name])


def with_meeples(table: pd.DataFrame, course: pd.DataFrame) -> pd.DataFrame:
    """Adds the meeples played in each game, and the share of turns with a meeple in hand."""
    turns = course.groupby("row")
    played = turns["num_farms"].max() + turns["num_others"].max()
    available = turns["in_hand"].agg(lambda counts: (counts > 0).mean())
    return table.assign(meeples=played, availability=available)


def add_sections(report: Report, table: pd.DataFrame, course: pd.DataFrame) -> None:
    """Adds the tables to the report, and what they say to its verdict."""
    scores, formulas = score_comparisons(table), formula_comparisons(course)
    report.tallies += [tally("5.10", scores), tally("5.11, Carcassonne", formulas)]
    report.section(
        "Beside the published values (table 5.10)",
        "Ours / published: means ± half of the 95% confidence interval; bold where they differ. "
        "Efficiency: points a meeple played; availability: share of turns with a meeple in hand.",
        rows_table(["game", "agent"], list(COLUMNS), scores),
    )
    report.section(
        "Evolved formulas (table 5.11)",
        "Ours / published: shares that contain n, N and Q, and mean number of nodes, of all moves; "
        "a game is one sample.",
        rows_table(["game", "agent"], ["n", "N", "Q", "nodes"], formulas),
    )
    note = "Only scores have published deviations; elsewhere ours stands for both."
    add_tests(report, scores, formulas, note)


def score_comparisons(table: pd.DataFrame) -> list[Comparison]:
    """Our scores, efficiencies and availabilities beside those of table 5.10."""
    comparisons = []
    for (name, agent), rows in groups_by(table, ["game", "seat_0"]).items():
        values = rows["score_0"], efficiencies(rows), rows["availability"]
        printed = SINGLE_PLAYER[name][agent]
        comparisons += compare_row((name, agent), COLUMNS, values, printed, SINGLE_PLAYER_GAMES)
    return comparisons


def formula_comparisons(course: pd.DataFrame) -> list[Comparison]:
    """The formulas of each game beside table 5.11: shares with each variable, and sizes."""
    moves = course[course["formula"] != ""]
    found = pd.DataFrame([contents(text) for text in moves["formula"]], index=moves.index)
    comparisons = []
    for (name, agent), rows in groups_by(moves, ["game", "agent"]).items():
        means = found.loc[rows.index].groupby(rows["row"]).mean()
        *shares, size = FORMULAS[name, agent]
        printed = [*(f"{share:.2f}" for share in shares), size]
        columns, values = dict.fromkeys(means, 2), [means[column] for column in means]
        comparisons += compare_row((name, agent), columns, values, printed, SINGLE_PLAYER_GAMES)
    return comparisons


def contents(text: str) -> dict[str, float]:
    """Whether a formula has n, N and Q, and its number of nodes."""
    formula = Formula(text)
    has = {name: float(name in formula.variables) for name in "nNQ"}
    return {**has, "nodes": formula.size}


def efficiencies(rows: pd.DataFrame) -> pd.Series:
    """Numbers whose mean is the efficiency: the points per meeple played in all games.

    Their deviation is the deviation of this ratio (delta method).
    """
    mean = max(rows["meeples"].mean(), 1 / len(rows))
    ratio = rows["score_0"].mean() / mean
    return ratio + (rows["score_0"] - ratio * rows["meeples"]) / mean


def add_pictures(report: Report, name: str, rows: pd.DataFrame, course: pd.DataFrame) -> None:
    """The pictures of one game."""
    caption = f"{name}: final scores by the features that they come from"
    report.picture(f"{name}_breakdown", breakdown_figure(rows, list(AGENTS)), caption)
    columns = {
        "num_farms": "meeples played on farms",
        "num_others": "meeples played elsewhere",
        "visits": "visits of the action played",
        "size": "nodes of the evolved formula",
    }
    caption = f"{name}: meeples, visits and evolved formulas by turn"
    report.picture(f"{name}_turns", turn_figure(with_formula_sizes(course), columns), caption)


if __name__ == "__main__":
    run(
        main,
        "Single-player Carcassonne",
        games=Option(30, "games of each row", quick=5, least=2),
        iterations=Option(10_000, "iterations a move", quick=500),
        setups=Option(tuple(GAMES), "which games", choices=GAMES),
    )
