"""Shared code of the experiments with leagues: labels, league tables, ratings."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from report import markdown

from agents.league import LeagueRule, league, ratings, results

SEASONS = 4000
COVERAGE = 0.99


def labelled(table: pd.DataFrame, agents: Mapping[str, str]) -> pd.DataFrame:
    """A table of games for two, with labels instead of specifications.

    Args:
        table: The table that `agents.arena.play_matches` returned.
        agents: Specifications by label.
    """
    label = {specification: label for label, specification in agents.items()}
    return table.assign(**{seat: table[seat].map(label) for seat in ("seat_0", "seat_1")})


def seasons(table: pd.DataFrame, rule: LeagueRule) -> pd.DataFrame:
    """League points of simulated further seasons, with a column for each player.

    Every match is simulated from the games that were played. Its shares of wins, draws and losses
    are drawn from their posterior under Jeffreys' prior, and then its games from these shares. A
    simulated season therefore differs from the one played as much as a second real season would.
    """
    rng = np.random.default_rng(0)
    matches = results(table, "score")
    players = pd.unique(matches[["seat_0", "seat_1"]].to_numpy().ravel())
    totals = {player: np.zeros(SEASONS) for player in players}
    for match in matches.itertuples():
        counts = np.array([match.wins, match.draws, match.losses])
        shares = rng.dirichlet(counts + 0.5, size=SEASONS)
        for i, (wins, _, losses) in enumerate(rng.multinomial(match.games, shares)):
            totals[match.seat_0][i] += rule.points(wins, losses)
            totals[match.seat_1][i] += rule.points(losses, wins)
    return pd.DataFrame(totals)


def interval(values: pd.Series) -> tuple[int, int]:
    """The middle 99% of the values."""
    low, high = values.quantile([(1 - COVERAGE) / 2, (1 + COVERAGE) / 2], interpolation="nearest")
    return int(low), int(high)


def league_table(
    table: pd.DataFrame, rule: LeagueRule, published: Mapping[str, int], *, are_ranks: bool
) -> str:
    """The league table beside published ranks or points, which agree if inside the interval.

    Args:
        table: The games, with labels.
        rule: The rule for league points.
        published: Published points or ranks by player; empty if there are none.
        are_ranks: Whether the published values are ranks.
    """
    points = seasons(table, rule)
    ranks = points.rank(axis=1, ascending=False, method="min")
    lines = []
    for row in league(table, rule, "score").itertuples():
        name = row.player
        low, high = interval((ranks if are_ranks else points)[name])
        shown = f"{row.rank} [{low}, {high}]" if are_ranks else f"{row.rank}"
        shown_points = f"{row.points}" if are_ranks else f"{row.points} [{low}, {high}]"
        line = [shown, name, shown_points, f"{row.won}-{row.drawn}-{row.lost}"]
        if published:
            agrees = low <= published[name] <= high
            line += [f"{published[name]}", "agree" if agrees else "**differ**"]
        games = row.wins + row.draws + row.losses
        lines.append([*line, f"{row.difference / games:+.1f}"])
    header = ["rank", "agent", "points", "matches won-drawn-lost"]
    header += [f"published {'rank' if are_ranks else 'points'}", "verdict"] * bool(published)
    return markdown([*header, "difference a game"], lines)


LEAGUE_LEGEND = (
    "In brackets: where 99% of the seasons lie that the games let expect (Jeffreys' prior), among "
    "them the published one if it agrees."
)


def ratings_table(table: pd.DataFrame) -> str:
    """Elo-like ratings with half of their 95% intervals."""
    lines = [
        [row.player, f"{row.rating:+.0f} ± {row.half_width:.0f}"]
        for row in ratings(table, "score").itertuples()
    ]
    return markdown(["agent", "rating"], lines)
