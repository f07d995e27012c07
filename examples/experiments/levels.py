"""The levels of opponents: each plays against the next lower one, in the base game for two.

Every seed is played once in either seat. The script prints the share of points won (a draw is half
a point) and the mean lead, with 95% confidence intervals. The level "strongest" has a limit of 1 s
a move; here it gets so many iterations instead, so that the result does not depend on what else
the machine does. Needs the extra ``experiments``.
"""

from __future__ import annotations

import argparse
from itertools import pairwise

import pandas as pd
from command_line import even, parsed, parser, positive
from report import Report, markdown, with_interval

from agents.arena import play_matches
from agents.backends import backend
from carcassonne_env.game_setup import Setup
from carcassonne_env.measures import final_scores
from carcassonne_env.play.players import LEVELS

SETUP = Setup(num_players=2, num_meeples=7, tiles="base")


def players_of(iterations: int) -> dict[str, str]:
    """Specifications by level; the strongest has a budget of iterations."""
    return {**LEVELS, "strongest": f"strongest(iterations={iterations})"}


def main() -> None:
    """Plays the missing games and writes the report."""
    args = parsed_arguments()
    players = players_of(args.iterations)
    neighbours = list(pairwise(players.values()))
    seatings = [seating for pair in neighbours for seating in (pair, pair[::-1])]
    path = args.out / "levels.csv"
    with backend(args.backend, args.jobs, args.address):
        table = play_matches(
            path,
            {SETUP.name: SETUP},
            list(players.values()),
            seatings,
            args.games // 2,
            measure=final_scores,
        )
    report = Report(args, "levels", "Levels of opponents")
    report.section(
        "Each level against the next lower one",
        "Half of the games in either seat; share of points won (a draw is half a point) and mean "
        "lead, ± half of the 95% confidence interval.",
        levels_table(table, players),
    )
    report.write()


def levels_table(table: pd.DataFrame, players: dict[str, str]) -> str:
    """A row for each level, the strongest first.

    Args:
        table: The games, in which specifications name the players.
        players: Specifications by level, the weakest first.
    """
    lines = []
    for lower, level in pairwise(players):
        lead = leads(table, players[level], players[lower])
        points = (lead > 0) + 0.5 * (lead == 0)
        line = [level, f"`{players[level]}`", lower]
        line += [f"{len(lead)}", with_interval(points, 2), with_interval(lead, 1)]
        lines.append(line)
    lowest = next(iter(players))
    header = ["level", "player", "against", "games", "points", "lead"]
    return markdown(header, [*lines[::-1], [lowest, f"`{players[lowest]}`", "", "", "", ""]])


def leads(table: pd.DataFrame, player: str, opponent: str) -> pd.Series:
    """The final leads of a player over an opponent, one for each game of the two."""
    lead = table["score_0"] - table["score_1"]
    is_first = (table["seat_0"] == player) & (table["seat_1"] == opponent)
    is_second = (table["seat_0"] == opponent) & (table["seat_1"] == player)
    return pd.concat([lead[is_first], -lead[is_second]])


def parsed_arguments() -> argparse.Namespace:
    """The options of the command line."""
    options = parser(__doc__)
    options.add_argument("--games", type=even, default=100, help="games of each pair of levels")
    options.add_argument(
        "--iterations", type=positive, default=2_600, help="of the strongest level, a move"
    )
    return parsed(options, games=2, iterations=30)


if __name__ == "__main__":
    main()
