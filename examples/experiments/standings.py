"""Shared code of the experiments with games: labels, pairs of games, league tables, ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from report import CHANCE, Report, Tally, grid, markdown, tally_of, verdict

from agents.arena import num_columns, play_matches, round_robin
from agents.catalogue import NamedGame
from agents.experiment import run_experiment
from agents.game import GameLike, play_game
from agents.league import LeagueRule, league, ratings, results
from carcassonne_env.measures import final_scores

SEASONS = 20_000
COVERAGE = 1 - CHANCE


def played(
    report: Report,
    part: str,
    games: Mapping[str, GameLike],
    agents: Mapping[str, str],
    num_games: int,
    seatings: Sequence[tuple[str, str]] | None = None,
) -> pd.DataFrame:
    """A table of games in which labels name the players: a round robin, or matches of pairs.

    Specifications by label may refer to the options of the script, such as
    "mcts(iterations={iterations})".
    """
    texts = {label: text.format(**vars(report.args)) for label, text in agents.items()}
    place, entrants = report.path(part), [*texts.values()]
    if seatings is None:
        table = round_robin(place, games, entrants, num_games, measure=final_scores)
    else:
        pairs = [tuple(texts[label] for label in seating) for seating in seatings]
        table = play_matches(place, games, entrants, pairs, num_games, measure=final_scores)
    labels = {text: label for label, text in texts.items()}
    seats = [f"seat_{i}" for i in range(num_columns(table, "seat"))]
    return table.assign(**{seat: table[seat].map(labels) for seat in seats})


def leads(table: pd.DataFrame, player: str, opponent: str) -> pd.Series:
    """The final leads of a player over an opponent, one for each game of the two."""
    lead = table["score_0"] - table["score_1"]
    is_first = (table["seat_0"] == player) & (table["seat_1"] == opponent)
    is_second = (table["seat_0"] == opponent) & (table["seat_1"] == player)
    return pd.concat([lead[is_first], -lead[is_second]])


def pairs_of_games(path: Path, game: str, first: str, second: str, num_pairs: int) -> pd.DataFrame:
    """Plays pairs of games: a row of `pair_of_games` for each, which are kept in the table."""
    jobs = grid(game=[game], first=[first], second=[second], seed=range(num_pairs))
    return run_experiment(path, pair_of_games, jobs)


def pair_of_games(game: str, first: str, second: str, seed: int) -> dict[str, float]:
    """The first player's share of the points, 1 a win, 0.5 a draw; in either seat; and draws."""
    found = []
    for seat, players in enumerate(((first, second), (second, first))):
        returns = play_game(NamedGame(game), players, 2 * seed + seat).returns
        found.append(returns[seat] - returns[1 - seat])
    begun, followed = map(points_of, found)
    return {
        "points": (begun + followed) / 2,
        "in_first_seat": begun,
        "in_second_seat": followed,
        "draws": found.count(0) / 2,
    }


def points_of(lead: Any) -> Any:
    """The points for a lead, or for a series of leads: 1 a win, 0.5 a draw."""
    return (lead > 0) + 0.5 * (lead == 0)


def add_league(
    report: Report,
    heading: str,
    text: str,
    table: pd.DataFrame,
    rule: LeagueRule,
    published: Mapping[str, int],
    *more: str,
    name: str = "",
    are_ranks: bool = False,
) -> None:
    """Adds a league table with ratings, and with published points or ranks if there are any.

    In the text, "{chance}" stands for how much varies by chance. The name is that of the published
    table in the verdict; by default it is the heading.
    """
    frame = with_chance(table, rule, published, are_ranks=are_ranks)
    if published:
        report.tallies.append(league_tally(name or heading, frame))
    report.section(
        heading,
        text.format(chance=width_of_chance(frame, rule, are_ranks=are_ranks)),
        league_table(frame, are_ranks=are_ranks),
        ratings_table(table),
        *more,
    )


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
    """The middle of the values, all but the rarest that chance alone makes differ."""
    low, high = values.quantile([(1 - COVERAGE) / 2, (1 + COVERAGE) / 2], interpolation="nearest")
    return int(low), int(high)


def with_chance(
    table: pd.DataFrame, rule: LeagueRule, published: Mapping[str, int], *, are_ranks: bool
) -> pd.DataFrame:
    """The league with what chance allows, beside published points or ranks, if there are any.

    New columns are ``low`` and ``high``, the interval of points or ranks, and ``published`` with
    its ``verdict``: whether it lies inside, or ours are higher or lower. Rank 1 is the highest.
    """
    points = seasons(table, rule)
    values = points.rank(axis=1, ascending=False, method="min") if are_ranks else points
    frame = league(table, rule, "score")
    frame[["low", "high"]] = [interval(values[player]) for player in frame["player"]]
    if published:
        frame["published"] = frame["player"].map(published)
        outside = frame["published"].clip(frame["low"], frame["high"]) - frame["published"]
        frame["verdict"] = [verdict(-n if are_ranks else n, 0) for n in outside]
    return frame


def league_table(frame: pd.DataFrame, *, are_ranks: bool) -> str:
    """The league table in Markdown, from `with_chance`."""
    lines = []
    for row in frame.itertuples():
        line = [f"{row.rank}", row.player, f"{row.points}", f"{row.won}-{row.drawn}-{row.lost}"]
        line[0 if are_ranks else 2] += f" [{row.low}, {row.high}]"
        if "published" in frame:
            line += [f"{row.published}", row.verdict]
        games = row.wins + row.draws + row.losses
        lines.append([*line, f"{row.difference / games:+.1f}"])
    header = ["rank", "agent", "points", "matches won-drawn-lost"]
    if "published" in frame:
        header += [f"published {'rank' if are_ranks else 'points'}", "verdict"]
    return markdown([*header, "difference a game"], lines)


def width_of_chance(frame: pd.DataFrame, rule: LeagueRule, *, are_ranks: bool) -> str:
    """How much the points or ranks of one agent vary by chance, as a sentence."""
    widths = (frame["high"] - frame["low"]).set_axis(frame["player"])
    matches = frame.loc[0, ["won", "drawn", "lost"]].sum()
    all_there_is = f"{len(frame)} ranks" if are_ranks else f"{matches * rule.points(1, 0)} points"
    return (
        f"Chance is wide: {COVERAGE:.1%} of the seasons of an agent spread over "
        f"{widths.mean():.0f} of {all_there_is} on average, and over {widths.max()} for "
        f"{widths.idxmax()}. Smaller differences cannot show."
    )


def league_tally(name: str, frame: pd.DataFrame) -> Tally:
    """What the comparison with a published league says."""
    widths = frame["high"] - frame["low"]
    visible = f"± {widths.median() / 2:g}"
    return tally_of(name, [*frame["verdict"]], int((widths > 0).sum()), visible)


LEAGUE_LEGEND = (
    f"In brackets: where {COVERAGE:.1%} of the seasons lie that the games let expect (Jeffreys' "
    "prior), among them the published one if it agrees."
)


def ratings_table(table: pd.DataFrame) -> str:
    """Elo-like ratings with half of their 95% intervals."""
    lines = [
        [row.player, f"{row.rating:+.0f} ± {row.half_width:.0f}"]
        for row in ratings(table, "score").itertuples()
    ]
    return markdown(["agent", "rating"], lines)
