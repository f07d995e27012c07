"""What the reports of leagues share: intervals of league points, ratings as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
from report import markdown

from agents.league import LeagueRule, ratings, results


def points_intervals(
    table: pd.DataFrame, rule: LeagueRule, repetitions: int = 2000
) -> dict[str, tuple[float, float]]:
    """95% intervals of league points, by the bootstrap over the games of each match."""
    matches = results(table, "score")
    rng = np.random.default_rng(0)
    totals = {player: np.zeros(repetitions) for player in pd.unique(matches["seat_0"])}
    for match in matches.itertuples():
        shares = np.array([match.wins, match.draws, match.losses]) / match.games
        counts = rng.multinomial(match.games, shares, size=repetitions)
        totals[match.seat_0] += [rule.points(wins, losses) for wins, _, losses in counts]
        totals[match.seat_1] += [rule.points(losses, wins) for wins, _, losses in counts]
    return {player: tuple(np.quantile(p, [0.025, 0.975])) for player, p in totals.items()}


def ratings_table(table: pd.DataFrame) -> str:
    """Elo-like ratings with half of their 95% intervals."""
    lines = [
        [row.player, f"{row.rating:+.0f} ± {row.half_width:.0f}"]
        for row in ratings(table, "score").itertuples()
    ]
    return markdown(["agent", "rating"], lines)
