"""The levels of opponents: each plays against the next lower one, in the base game for two.

Every seed is played once in either seat. The script prints the share of points won (a draw is half
a point) and the mean lead, with 95% confidence intervals. The level "master" has a limit of 1 s a
move; here it gets so many iterations instead, so that the result does not depend on what else the
machine does.
"""

from __future__ import annotations

from itertools import pairwise

import pandas as pd
from report import Option, Report, markdown, run, with_interval
from standings import leads, played, points_of

from carcassonne_env.game_setup import Setup
from carcassonne_env.play.players import LEVELS

SETUP = Setup(num_players=2, num_meeples=7, tiles="base")


def main(report: Report) -> None:
    players = {**LEVELS, "master": f"strongest-forecast(iterations={report.args.iterations})"}
    seatings = [seating for pair in pairwise(players) for seating in (pair, pair[::-1])]
    table = played(report, "", {SETUP.name: SETUP}, players, report.args.games // 2, seatings)
    report.section(
        "Each level against the next lower one",
        "Half of the games in either seat; share of points won (a draw is half a point) and mean "
        "lead, ± half of the 95% confidence interval.",
        levels_table(table, players),
    )


def levels_table(table: pd.DataFrame, players: dict[str, str]) -> str:
    """A row for each level, the strongest first; the players begin with the weakest."""
    lines = []
    for lower, level in pairwise(players):
        lead = leads(table, level, lower)
        shown = [with_interval(points_of(lead), 2), with_interval(lead, 1)]
        lines.append([level, f"`{players[level]}`", lower, f"{len(lead)}", *shown])
    lowest = next(iter(players))
    header = ["level", "player", "against", "games", "points", "lead"]
    return markdown(header, [*lines[::-1], [lowest, f"`{players[lowest]}`", "", "", "", ""]])


if __name__ == "__main__":
    run(
        main,
        "Levels of opponents",
        games=Option(100, "games of each pair of levels", quick=2, least=2, is_even=True),
        iterations=Option(2_600, "of the level master, a move", quick=30),
    )
