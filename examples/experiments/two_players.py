"""The base game for two: kinds of rewards, MCTS against random play, and two leagues.

The script repeats the four experiments of chapter 6 and sets every result beside the published one.

Published: tables 6.2, 6.3, 6.4, 6.6, 6.8 and 6.9 of the thesis (see `thesis`), 5,000 iterations a
move.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import thesis
from courses import breakdown_figure, by_agent, courses, turn_figure, with_formula_sizes
from published import (
    TESTS_LEGEND,
    Comparison,
    compare_means,
    compare_row,
    compare_shares,
    rows_table,
    tally,
    tests_table,
)
from report import Option, Report, groups_by, markdown, run, with_interval
from standings import LEAGUE_LEGEND, add_league, played
from thesis import EVOLVING, MCTS, RULE

from agents.experiment import run_experiment
from agents.game import Player, play_game
from agents.league import THESIS
from carcassonne_env.game_setup import Setup
from carcassonne_env.measures import final_scores

SETUP = Setup(num_players=2, num_meeples=7, tiles="base")
GAMES = {SETUP.name: SETUP}
FINALISTS = {
    **{label: MCTS[label] for label in ("MCTS C=0.5", "MCTS C=1")},
    **EVOLVING,
    "Expectimax-2-vs": "expectimax-2-vs",
    "Expectimax-2-s": "expectimax-2-s",
    "Random": "random",
}


def main(report: Report) -> None:
    report.parts.append(f"MCTS and what evolves it: {report.args.iterations} iterations a move.")
    reward_types(report)
    against_random(report)
    league_of_constants(report)
    final_league(report)


# Table 6.2


def reward_game(iterations: int, c: float, seat: str, seed: int) -> dict[str, float]:
    """Plays win/loss rewards against score differences; returns the lead of the former."""
    plain = f"mcts(iterations={iterations}, c={c}, {RULE})"
    win = f"mcts(iterations={iterations}, c={c}, rollout_policy=win, {RULE})"
    return lead_of(win, plain, seat, seed)


def lead_of(player: Player, opponent: Player, seat: str, seed: int) -> dict[str, float]:
    """Plays a game in which the player has the "first" seat or the "second"."""
    players = [player, opponent] if seat == "first" else [opponent, player]
    scores = play_game(SETUP, players, seed, measure=final_scores).measures
    return {"lead": (scores["score_0"] - scores["score_1"]) * (1 if seat == "first" else -1)}


def reward_jobs(iterations: int, num_games: int) -> list[dict[str, Any]]:
    """Jobs of pairs of games, one in either seat, with a constant for each pair as published."""
    constants = np.random.default_rng(0).uniform(0.5, 3, num_games // 2).round(3).tolist()
    return [
        {"iterations": iterations, "c": c, "seat": seat, "seed": seed}
        for seed, c in enumerate(constants)
        for seat in thesis.KINDS_OF_RETURNS
    ]


def reward_types(report: Report) -> None:
    """MCTS with win/loss rewards against MCTS with score differences."""
    jobs = reward_jobs(report.args.iterations, report.args.reward_games)
    table = run_experiment(report.path("rewards_drawn"), reward_game, jobs)
    comparisons, lines = [], []
    for seat, rows in groups_by(table, "seat").items():
        row, counts = (f"{seat} player", "win/loss rewards"), results_of(rows["lead"])
        both = counts, thesis.KINDS_OF_RETURNS[seat]
        comparisons.append(share_of_wins(row, *both))
        shown = ["-".join(map(str, results)) for results in both]
        lines.append([row[0], *shown, with_interval(rows["lead"], 1)])
    report.tallies.append(tally("6.2", comparisons))
    report.section(
        "Kinds of returns (table 6.2)",
        "MCTS that knows wins, draws and losses only (`rollout_policy=win`), against the one that "
        "knows the difference of the scores. C is the same for both and drawn from [0.5, 3] for "
        "each pair of games. Wins-draws-losses and mean lead of the former.",
        markdown(["as", "ours", "published", "mean lead"], lines),
        tests_table(comparisons),
    )


def results_of(leads: pd.Series) -> tuple[int, int, int]:
    """Wins, draws and losses."""
    return int((leads > 0).sum()), int((leads == 0).sum()), int((leads < 0).sum())


def share_of_wins(
    row: tuple[str, ...], counts: tuple[int, int, int], published: tuple[int, int, int]
) -> Comparison:
    """Compares the shares of games won, from wins, draws and losses."""
    return compare_shares(row, "wins", (counts[0], sum(counts)), (published[0], sum(published)))


# Table 6.3

RANDOM_COLUMNS = {"lead": 2, "score": 2, "meeples": 2}


def against_random(report: Report) -> None:
    """MCTS against random play, in either seat."""
    agents, num_games = {**MCTS, "Random": "random"}, report.args.random_games
    seatings = [*((label, "Random") for label in MCTS), *(("Random", label) for label in MCTS)]
    table = played(report, "random", GAMES, agents, num_games, seatings)
    course = courses(GAMES, table)
    placed = course.groupby(["row", "player"])[["num_farms", "num_others"]].max().sum(axis=1)
    comparisons = []
    for seat, name in enumerate(thesis.AGAINST_RANDOM):
        mcts = table[table[f"seat_{seat}"] != "Random"]
        for label, rows in groups_by(mcts, f"seat_{seat}").items():
            score = rows[f"score_{seat}"]
            meeples = placed.xs(seat, level="player").loc[rows.index]
            values = score - rows[f"score_{1 - seat}"], score, meeples
            row, printed = (f"{name} seat", label), thesis.AGAINST_RANDOM[name][label]
            given = thesis.RANDOM_GAMES, thesis.AGAINST_RANDOM_DEVIATIONS[name]
            comparisons += compare_row(row, RANDOM_COLUMNS, values, printed, *given)
    report.tallies.append(tally("6.3", comparisons))
    report.section(
        "Against random play (table 6.3)",
        "Ours / published: means ± half of the 95% confidence interval; bold where they differ.",
        rows_table(["seat", "agent"], list(RANDOM_COLUMNS), comparisons),
        TESTS_LEGEND
        + " Deviations are published for leads and scores in the second seat, roughly; elsewhere "
        "ours stands for both.",
        tests_table(comparisons),
    )


# Tables 6.4 and 6.6


def league_of_constants(report: Report) -> None:
    """A round robin of five exploration constants."""
    num_games = report.args.league_games
    table = played(report, "constants", GAMES, MCTS, num_games)
    comparisons = match_comparisons(table, thesis.MATCHES_OF_CONSTANTS, thesis.LEADS_OF_CONSTANTS)
    report.tallies.append(tally("6.4", comparisons))
    add_league(
        report,
        "Round robin of five constants (table 6.6)",
        f"{num_games} games a match, either seat order. {LEAGUE_LEGEND} {{chance}} The published "
        "points do not follow from the published matches (table 6.4), which give 36, 26, 15, 16 "
        "and 1 points for C = 0.5, 1, sqrt2, 2 and 3 by the published rule.",
        table,
        THESIS,
        thesis.POINTS_OF_CONSTANTS,
        name="6.6",
    )
    add_matches(report, "The matches of this league (table 6.4)", comparisons)


def match_comparisons(
    table: pd.DataFrame,
    matches: Mapping[str, tuple[str, ...]],
    leads: Mapping[str, tuple[str, ...]] | None = None,
) -> list[Comparison]:
    """Every match beside a published table: shares of wins and, where published, mean leads."""
    comparisons = []
    groups = groups_by(table, ["seat_0", "seat_1"])
    for first, cells in matches.items():
        others = [player for player in matches if player != first]
        for i, (second, counts) in enumerate(zip(others, cells, strict=True)):
            lead = groups[first, second]["score_0"] - groups[first, second]["score_1"]
            row, published = ("base", f"{first} – {second}"), tuple(map(int, counts.split("-")))
            comparisons.append(share_of_wins(row, results_of(lead), published))
            if leads:
                given = lead, leads[first][i], sum(published)
                comparisons.append(compare_means(row, "lead", *given, decimals=1))
    return comparisons


def add_matches(report: Report, heading: str, comparisons: list[Comparison]) -> None:
    """Adds the matches of a league."""
    report.section(
        heading,
        "The first of both has the first seat; shares of its wins, with 95% intervals, and mean "
        f"leads where they are published, with our deviation for both. {TESTS_LEGEND}",
        tests_table(comparisons),
        is_printed=False,
    )


# Tables 6.8 and 6.9


def final_league(report: Report) -> None:
    """A round robin of seven agents, with pictures of their games."""
    num_games = report.args.final_games
    table = played(report, "final", GAMES, FINALISTS, num_games)
    course = courses(GAMES, table)
    scores = by_agent(table).groupby("agent")["score"]
    means = ", ".join(f"{name} {with_interval(values, 1)}" for name, values in scores)
    comparisons = match_comparisons(table, thesis.FINAL_MATCHES)
    report.tallies.append(tally("6.8", comparisons))
    add_league(
        report,
        "Final round robin (table 6.9)",
        f"{num_games} games a match, either seat order. {LEAGUE_LEGEND} {{chance}}",
        table,
        THESIS,
        thesis.FINAL_RANKS,
        f"Mean scores: {means}.",
        name="6.9",
        are_ranks=True,
    )
    add_matches(report, "The matches of the final (table 6.8)", comparisons)
    caption = "Final scores by the features that they come from"
    report.picture("breakdown", breakdown_figure(table, list(FINALISTS)), caption)
    columns = {"in_hand": "meeples in hand", "num_farms": "meeples played on farms"}
    report.picture("meeples", turn_figure(course, columns), "Meeples by turn")
    columns = {"visits": "visits of the action played", "size": "nodes of the evolved formula"}
    caption = "Visits of the most visited action, and sizes of evolved formulas, by turn"
    report.picture("search", turn_figure(with_formula_sizes(course), columns), caption)


if __name__ == "__main__":
    run(
        main,
        "The base game for two",
        iterations=Option(5000, "iterations a move", quick=200),
        reward_games=Option(100, "a row of table 6.2", quick=10, least=2, is_even=True),
        random_games=Option(20, "a row of table 6.3", quick=4, least=2),
        league_games=Option(10, "a match of table 6.4", quick=2),
        final_games=Option(20, "a match of table 6.8", quick=2),
    )
