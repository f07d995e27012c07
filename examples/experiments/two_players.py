"""The base game for two: kinds of rewards, MCTS against random play, and two leagues.

The script repeats the four experiments of chapter 6 and sets every result beside the published one.
Every game adds a row to a table, and an interrupted run continues where it stopped. Needs the extra
``experiments``.

Source: Valdez Ameneyro (2024), "Analysing the Impacts of Dynamically Evolving Selection Policies in
Monte Carlo Tree Search Through Evolutionary Algorithms", PhD thesis, National University of Ireland
Maynooth, tables 6.2, 6.3, 6.6 and 6.9 (5,000 iterations a move); the constant for table 6.2 is from
his script ``Carcassonne2p.py`` in https://github.com/33fred33/MCTS_EA_Tabletop_games.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

import pandas as pd
from command_line import at_least_two, even, parsed, parser, positive
from courses import breakdown_figure, by_agent, courses, turn_figure, with_formula_sizes
from report import Report, groups_by, markdown, verdict, welch, with_interval
from scipy import stats
from standings import LEAGUE_LEGEND, labelled, league_table, ratings_table

from agents.arena import play_matches, round_robin
from agents.backends import backend
from agents.league import THESIS
from carcassonne_env.game_setup import Setup
from carcassonne_env.measures import final_scores

SETUP = Setup(num_players=2, num_meeples=7, tiles="base")
GAMES = {SETUP.name: SETUP}
CONSTANTS = {
    "MCTS C=0.5": 0.5, "MCTS C=1": 1, "MCTS C=sqrt2": 2**0.5, "MCTS C=2": 2, "MCTS C=3": 3
}  # fmt: skip
MCTS = {label: f"mcts(iterations={{iterations}}, c={c})" for label, c in CONSTANTS.items()}
WIN_MCTS = {
    label: f"mcts(iterations={{iterations}}, c={c}, rollout_policy=win)"
    for label, c in CONSTANTS.items()
}
FINALISTS = {
    "MCTS C=0.5": MCTS["MCTS C=0.5"],
    "MCTS C=1": MCTS["MCTS C=1"],
    "EA-MCTS": "ea-mcts(iterations={iterations})",
    "SIEA-MCTS": "siea-mcts(iterations={iterations})",
    "Expectimax-2-vs": "expectimax-2-vs",
    "Expectimax-2-s": "expectimax-2-s",
    "Random": "random",
}
SIGNIFICANCE = 0.01
KINDS_OF_RETURNS = {"MCTS C=0.5": (6, 1, 93)}
"""Table 6.2: wins, draws and losses of MCTS with win/loss rewards against MCTS with the difference
of the scores as reward."""
PUBLISHED_RANDOM_GAMES = 20
AGAINST_RANDOM = {
    "MCTS C=0.5": (97.05, 113.05, 16.2),
    "MCTS C=1": (85.75, 96.6, 14.3),
    "MCTS C=sqrt2": (84.05, 97.9, 14.75),
    "MCTS C=2": (75.15, 90.7, 13.35),
    "MCTS C=3": (71.35, 86.65, 12.95),
}
"""Table 6.3, 20 games each: difference of final scores, own score, meeples played."""
LEAGUE = {
    "MCTS C=0.5": 38, "MCTS C=1": 28, "MCTS C=sqrt2": 15, "MCTS C=2": 18, "MCTS C=3": 5
}  # fmt: skip
"""Table 6.6: league points."""
FINAL_RANKS = {
    "MCTS C=0.5": 1, "MCTS C=1": 2, "EA-MCTS": 3, "SIEA-MCTS": 4, "Expectimax-2-vs": 5,
    "Expectimax-2-s": 6, "Random": 7,
}  # fmt: skip
"""Table 6.9."""


def main() -> None:
    """Plays the missing games and writes the report."""
    args = parsed_arguments()
    report = Report(args, "two_players", "The base game for two")
    report.parts.append(f"MCTS and what evolves it: {args.iterations} iterations a move.")
    with backend(args.backend, args.jobs, args.address):
        reward_types(report, args)
        against_random(report, args)
        league_of_constants(report, args)
        final_league(report, args)
    report.write()


def specifications(agents: Mapping[str, str], args: argparse.Namespace) -> dict[str, str]:
    """The specifications of players, by label, with the number of iterations."""
    return {label: text.format(iterations=args.iterations) for label, text in agents.items()}


# Table 6.2


def reward_types(report: Report, args: argparse.Namespace) -> None:
    """MCTS with win/loss rewards against MCTS with score differences, for every constant."""
    agents = specifications(MCTS, args)
    win_agents = specifications(WIN_MCTS, args)
    pairs = [(win_agents[label], agents[label]) for label in CONSTANTS]
    seatings = [seating for pair in pairs for seating in (pair, pair[::-1])]
    path = args.out / "two_players_rewards.csv"
    players = [*agents.values(), *win_agents.values()]
    table = play_matches(
        path, GAMES, players, seatings, args.reward_games // 2, measure=final_scores
    )
    lead = table["score_0"] - table["score_1"]
    lines = []
    for label, agent in win_agents.items():
        leads = pd.concat([lead[table["seat_0"] == agent], -lead[table["seat_1"] == agent]])
        counts = [int((leads > 0).sum()), int((leads == 0).sum()), int((leads < 0).sum())]
        results = [*map(str, counts), with_interval(leads, 1)]
        lines.append([label, *results, *held_against(KINDS_OF_RETURNS.get(label), counts)])
    report.section(
        "Kinds of returns (table 6.2)",
        "MCTS that knows wins, draws and losses only (`rollout_policy=win`), against the one that "
        "knows the difference of the scores; half of the games in either seat. The author's script "
        "has C = 0.5; the other constants show what it matters. p: Fisher's exact test of the wins "
        f"(they differ if p < {SIGNIFICANCE}).",
        markdown(
            ["agent", "wins", "draws", "losses", "mean lead", "published", "p", "verdict"], lines
        ),
    )


def held_against(published: Sequence[int] | None, counts: Sequence[int]) -> list[str]:
    """Published wins, draws and losses, the p-value of the wins, and the verdict."""
    if published is None:
        return ["", "", ""]
    won_or_not = [[wins, sum(others)] for wins, *others in (counts, published)]
    p_value = stats.fisher_exact(won_or_not).pvalue
    outcome = "agree" if p_value >= SIGNIFICANCE else "**differ**"
    return ["-".join(map(str, published)), f"{p_value:.2g}", outcome]


# Table 6.3


def against_random(report: Report, args: argparse.Namespace) -> None:
    """MCTS in the first seat against random play."""
    agents = specifications({**MCTS, "Random": "random"}, args)
    seatings = [(agents[label], "random") for label in MCTS]
    path = args.out / "two_players_random.csv"
    table = play_matches(
        path, GAMES, [*agents.values()], seatings, args.random_games, measure=final_scores
    )
    course = courses(GAMES, table)
    played = course[course["player"] == 0].groupby("row")[["num_farms", "num_others"]].max()
    table = labelled(table, agents).assign(
        difference=table["score_0"] - table["score_1"], meeples=played.sum(axis=1)
    )
    lines = []
    for label, rows in groups_by(table, "seat_0").items():
        for column, published in zip(
            ("difference", "score_0", "meeples"), AGAINST_RANDOM[label], strict=True
        ):
            difference, _ = welch(rows[column], published, None, PUBLISHED_RANDOM_GAMES)
            name = {"score_0": "score"}.get(column, column)
            ours = with_interval(rows[column], 1)
            lines.append(
                [label, name, f"{ours} / {published:g}", f"{difference:+.1f}", verdict(difference)]
            )
    report.section(
        "Against random play (table 6.3)",
        "Ours / published, means of the first player, ± half of the 95% confidence interval. "
        "*Difference*: ours less published in combined standard errors, with our deviation for "
        "both, as none is printed.",
        markdown(["agent", "column", "ours / published", "difference", "verdict"], lines),
    )


# Table 6.6


def league_of_constants(report: Report, args: argparse.Namespace) -> None:
    """A round robin of five exploration constants."""
    agents = specifications(MCTS, args)
    path = args.out / "two_players_constants.csv"
    table = round_robin(path, GAMES, [*agents.values()], args.league_games, measure=final_scores)
    table = labelled(table, agents)
    report.section(
        "Round robin of five constants (table 6.6)",
        f"{args.league_games} games a match, either seat order. {LEAGUE_LEGEND} The published "
        f"points sum to {sum(LEAGUE.values())}, but 20 matches give 100 at most by the published "
        "rule: not all of them can be right.",
        league_table(table, THESIS, LEAGUE, are_ranks=False),
        ratings_table(table),
    )


# Table 6.9


def final_league(report: Report, args: argparse.Namespace) -> None:
    """A round robin of seven agents, with pictures of their games."""
    agents = specifications(FINALISTS, args)
    path = args.out / "two_players_final.csv"
    table = round_robin(path, GAMES, [*agents.values()], args.final_games, measure=final_scores)
    course = courses(GAMES, table)
    label = {specification: label for label, specification in agents.items()}
    named = labelled(table, agents)
    scores = by_agent(named).groupby("agent")["score"]
    report.section(
        "Final round robin (table 6.9)",
        f"{args.final_games} games a match, either seat order. {LEAGUE_LEGEND}",
        league_table(named, THESIS, FINAL_RANKS, are_ranks=True),
        ratings_table(named),
        "Mean scores: "
        + ", ".join(f"{name} {with_interval(values, 1)}" for name, values in scores)
        + ".",
    )
    report.picture(
        "breakdown",
        breakdown_figure(table, list(agents.values()), list(agents)),
        "Final scores by the features that they come from",
    )
    report.picture(
        "meeples",
        turn_figure(
            course,
            {"in_hand": "meeples in hand", "num_farms": "meeples played on farms"},
            label,
        ),
        "Meeples by turn",
    )
    report.picture(
        "search",
        turn_figure(
            with_formula_sizes(course),
            {"visits": "visits of the action played", "size": "nodes of the evolved formula"},
            label,
        ),
        "Visits of the most visited action, and sizes of evolved formulas, by turn",
    )


def parsed_arguments() -> argparse.Namespace:
    """The options of the command line."""
    options = parser(__doc__)
    options.add_argument("--iterations", type=positive, default=5000, help="iterations a move")
    options.add_argument("--reward-games", type=even, default=100, help="a row of table 6.2")
    options.add_argument("--random-games", type=at_least_two, default=20, help="a row of table 6.3")
    options.add_argument("--league-games", type=positive, default=10, help="a match of table 6.6")
    options.add_argument("--final-games", type=positive, default=20, help="a match of table 6.9")
    return parsed(
        options, iterations=200, reward_games=10, random_games=4, league_games=2, final_games=2
    )


if __name__ == "__main__":
    main()
