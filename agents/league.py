"""Compares players: league tables, ratings and statistical tests from tables of `agents.arena`.

Needs the extra ``experiments``.
"""

from __future__ import annotations

import itertools
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.arena import num_columns, record_of
from agents.checks import extra
from agents.evaluation import half_width

with extra("experiments", __name__):
    import pandas as pd
    from scipy import special, stats

ELO = 400 / np.log(10)
"""Elo points per unit of log odds."""
MAX_STEPS = 1000
"""The largest number of steps of Newton's method; the ratings from 10**9 games take 38."""


@dataclass(frozen=True)
class LeagueRule:
    """Points for a match: 4 for a win, 2 for a draw, 0 for a loss, and bonus points.

    Bonus points depend on the winner's share of the decided games, which are those without a draw.

    Attributes:
        winning_bonus: The winner gets a bonus point if its share is at least this.
        losing_bonus: The loser gets a bonus point if the winner's share is at most this.
    """

    winning_bonus: float
    losing_bonus: float

    def points(self, wins: int, losses: int) -> int:
        """Points for a match with these numbers of won and lost games; draws do not count."""
        if wins == losses:
            return 2
        if wins > losses:
            return 4 + (wins >= self.winning_bonus * (wins + losses))
        return int(losses <= self.losing_bonus * (wins + losses))


THESIS = LeagueRule(winning_bonus=3 / 4, losing_bonus=3 / 5)
"""Bonuses for wins/losses of 3 or more and losses/wins of 1.5 or less (Valdez Ameneyro, 2024)."""
GALVAN = LeagueRule(winning_bonus=3 / 4, losing_bonus=0.55)
"""The rule in the published program of Galván and Simpson (2021, arXiv:2112.09697):
``Experimental_Setup.py`` in https://github.com/33fred33/CarcassonneAI."""


def results(table: pd.DataFrame, score: str = "return") -> pd.DataFrame:
    """The results of the matches in a table of games for two players.

    Args:
        table: A table that `agents.arena.play_matches` returned.
        score: The columns that decide a game: "score" stands for ``score_0`` and ``score_1``.

    Returns:
        A row for each match: ``game``, ``seat_0``, ``seat_1``, ``games``, ``wins``, ``draws`` and
        ``losses`` of seat 0, and the mean ``difference`` of the scores with ``half_width`` of its
        95% confidence interval (NaN for a single game).

    Raises:
        ValueError: If the games are not for two players, or a score is not a finite number.
    """
    _check_games_for_two(table, score)
    rows = []
    for key, games in table.groupby(["game", "seat_0", "seat_1"], sort=False):
        difference = games[f"{score}_0"] - games[f"{score}_1"]
        rows.append(
            {
                **dict(zip(("game", "seat_0", "seat_1"), key, strict=True)),
                "games": len(games),
                "wins": int((difference > 0).sum()),
                "draws": int((difference == 0).sum()),
                "losses": int((difference < 0).sum()),
                "difference": difference.mean(),
                "half_width": half_width(difference) if len(games) > 1 else np.nan,
            }
        )
    return pd.DataFrame(rows)


def _check_games_for_two(table: pd.DataFrame, score: str) -> None:
    if num_columns(table, "seat") != 2:
        raise ValueError("table must hold games for two: seat_0 and seat_1")
    _check_scores(table, score, 2)


def _check_scores(table: pd.DataFrame, score: str, seats: int) -> None:
    """Raises ValueError unless all scores are finite numbers."""
    for column in (f"{score}_{seat}" for seat in range(seats)):
        is_finite = np.isfinite(table[column].astype(float))
        if not is_finite.all():
            refused = table[column][~is_finite]
            raise ValueError(
                f"{column} must hold finite numbers, got {refused.iloc[0]} in {len(refused)} of "
                f"{len(table)} rows: {', '.join(map(str, refused.index[:10]))}"
                f"{', ...' if len(refused) > 10 else ''}"
            )


def pairs(table: pd.DataFrame, score: str = "return") -> pd.DataFrame:
    """The pairs of games in a table of games for two players.

    The games of a pair have the same seed, so the same chance outcomes, and the players swap seats.
    A game without its counterpart is left out.

    Args:
        table: A table that `agents.arena.play_matches` returned.
        score: As in `results`.

    Returns:
        A row for each pair: ``game``, ``first``, ``second``, ``seed``; ``points`` of the first
        player in both games (0, 0.5, 1, 1.5 or 2, where a win is 1), as `agents.sprt.SPRT.add`
        takes them; and its mean ``lead`` in the two games. Of two players, the first is the one
        that comes first in the table.

    Raises:
        ValueError: As in `results`.
    """
    _check_games_for_two(table, score)
    key = ["game", "first", "second", "seed"]
    lead = table[f"{score}_0"] - table[f"{score}_1"]
    own = table[["game", "seat_0", "seat_1", "seed"]].set_axis(key, axis=1)
    own = own.assign(points=(np.sign(lead) + 1) / 2, lead=lead)
    swapped = own.rename(columns={"first": "second", "second": "first"})
    both = own.merge(swapped, on=key)
    place = {
        name: i for i, name in enumerate(pd.unique(own[["first", "second"]].to_numpy().ravel()))
    }
    both = both[both["first"].map(place) < both["second"].map(place)].reset_index(drop=True)
    return both[key].assign(
        points=both["points_x"] + 1 - both["points_y"], lead=(both["lead_x"] - both["lead_y"]) / 2
    )


def league(table: pd.DataFrame, rule: LeagueRule = THESIS, score: str = "return") -> pd.DataFrame:
    """The league table, sorted by points, then by the summed difference of scores.

    Args:
        table: As in `results`.
        rule: The rule that gives points.
        score: As in `results`.

    Returns:
        A row for each player, the best first: ``rank`` (equal for equal points and difference),
        ``player``, ``points``; numbers of matches ``won``, ``drawn`` and ``lost``; numbers of games
        ``wins``, ``draws`` and ``losses``; summed ``difference``.

    Raises:
        ValueError: As in `results`.
    """
    matches = results(table, score)
    home = matches.assign(player=matches["seat_0"])
    away = matches.assign(
        player=matches["seat_1"],
        wins=matches["losses"],
        losses=matches["wins"],
        difference=-matches["difference"],
    )
    sides = pd.concat([home, away], ignore_index=True)
    sides["points"] = [
        rule.points(w, n) for w, n in zip(sides["wins"], sides["losses"], strict=True)
    ]
    sides["difference"] *= sides["games"]
    sides["won"] = sides["wins"] > sides["losses"]
    sides["drawn"] = sides["wins"] == sides["losses"]
    sides["lost"] = sides["wins"] < sides["losses"]
    columns = ["points", "won", "drawn", "lost", "wins", "draws", "losses", "difference"]
    totals = sides.groupby("player", sort=False)[columns].sum().reset_index()
    totals["difference"] = totals["difference"].round(9)  # rounding errors must not decide
    keys = ["points", "difference"]
    totals = totals.sort_values(keys, ascending=False, ignore_index=True)
    places = pd.Series(range(1, len(totals) + 1))
    totals.insert(0, "rank", places.mask(totals.duplicated(keys)).ffill().astype(int))
    return totals


def ratings(table: pd.DataFrame, score: str = "return") -> pd.DataFrame:
    """Elo ratings: a difference of 400 points means odds of ten to one.

    The model is that of Bradley and Terry (1952), "Rank analysis of incomplete block designs"; a
    draw counts as half a win. Every player also gets a draw against an average player, so that a
    player who won all games has a finite rating too. A game for more than two players counts as one
    game between each two of them.

    Args:
        table: A table that `agents.arena.play_matches` returned.
        score: The columns that decide a game, as in `results`.

    Returns:
        A row for each player, the best first: ``player``; ``rating``, which is 0 on average; and
        ``half_width`` of its 95% confidence interval (normal, from the observed information; games
        count as independent).

    Raises:
        ValueError: If the games are for one player, or a score is not a finite number.
    """
    seats = num_columns(table, "seat")
    if seats < 2:
        raise ValueError("table must hold games for two or more: seat_0, seat_1, ...")
    _check_scores(table, score, seats)
    players = pd.unique(table[[f"seat_{i}" for i in range(seats)]].to_numpy().ravel())
    index = {player: i for i, player in enumerate(players)}
    points = np.zeros((len(players), len(players)))  # [i, j]: of player i against j
    for i, j in itertools.combinations(range(seats), 2):
        difference = table[f"{score}_{i}"] - table[f"{score}_{j}"]
        first = table[f"seat_{i}"].map(index)
        second = table[f"seat_{j}"].map(index)
        np.add.at(points, (first, second), (np.sign(difference) + 1) / 2)
        np.add.at(points, (second, first), (1 - np.sign(difference)) / 2)
    strengths, covariance = _bradley_terry(points)
    errors = np.sqrt(np.diag(covariance))
    frame = pd.DataFrame(
        {
            "player": players,
            "rating": ELO * strengths,
            "half_width": ELO * stats.norm.ppf(0.975) * errors,
        }
    )
    return frame.sort_values("rating", ascending=False, ignore_index=True)


def _bradley_terry(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log odds of each player, 0 on average, and their covariance, by Newton's method."""
    count = len(points)
    games = points + points.T
    strengths = np.zeros(count)
    for _ in range(MAX_STEPS):
        expected = special.expit(strengths[:, None] - strengths)
        average = special.expit(strengths)
        gradient = (points - games * expected).sum(axis=1) + 0.5 - average
        weights = games * expected * (1 - expected)
        information = np.diag(weights.sum(axis=1) + average * (1 - average)) - weights
        step = np.linalg.solve(information, gradient)
        strengths = strengths + step / max(1, np.abs(step).max())
        if np.abs(step).max() < 1e-7:
            break
    else:
        raise ArithmeticError(f"the ratings did not converge in {MAX_STEPS} steps: {points}")
    centring = np.eye(count) - 1 / count
    return centring @ strengths, centring @ np.linalg.inv(information) @ centring


def ladder(table: pd.DataFrame, score: str = "return") -> pd.DataFrame:
    """The ladder: ratings of players who met in pairs of games, and what they come from.

    Args:
        table: A table of games for two, as `pairs` takes it.
        score: As in `results`.

    Returns:
        A row for each player, the best first: ``player``; ``rating`` and its ``half_width``, as
        `ratings` returns them; number of ``games`` in pairs, and the share of their ``points``, 0
        to 1; the mean ``lead`` of a game, with ``lead_half_width`` of its 95% confidence interval
        (Student's t of the pairs; NaN for a single pair); and the mean time of a move in
        ``seconds``.

    Raises:
        ValueError: As in `results`, or if a player is in no pair of games.
    """
    first = pairs(table, score)
    second = first.rename(columns={"first": "second", "second": "first"})
    second = second.assign(points=2 - first["points"], lead=-first["lead"])
    sides = dict(iter(pd.concat([first, second]).groupby("first")))
    frame = ratings(table, score)
    if alone := [player for player in frame["player"] if player not in sides]:
        raise ValueError(f"every player must be in pairs of games, got none of {alone}")
    seconds = _seconds_a_move(table)
    rows = []
    for player in frame["player"]:
        lead, points = sides[player]["lead"], sides[player]["points"]
        rows.append(
            {
                "games": 2 * len(lead),
                "points": points.mean() / 2,
                "lead": lead.mean(),
                "lead_half_width": half_width(lead) if len(lead) > 1 else np.nan,
                "seconds": seconds.get(player, np.nan),
            }
        )
    return frame.join(pd.DataFrame(rows))


def _seconds_a_move(table: pd.DataFrame) -> dict[str, float]:
    """The mean time of a move by player."""
    times: dict[str, list[float]] = {}
    for _, row in table.iterrows():
        for ply in record_of(row).plies:
            if ply.player >= 0:
                times.setdefault(row[f"seat_{ply.player}"], []).append(ply.seconds)
    return {player: float(np.mean(seconds)) for player, seconds in times.items()}


def compare(first: Any, second: Any, *, is_paired: bool = False) -> dict[str, float]:
    """Tests whether two samples differ (two-sided), and whether each is normally distributed.

    Args:
        first: The first sample, one number for each game.
        second: The second sample, likewise.
        is_paired: Whether numbers of equal index belong together because their games share a seed.

    Returns:
        p-values by test: "Mann-Whitney U"; "Welch t", NaN if a sample has a single number or both
        are constant; "Wilcoxon" (paired samples only), NaN if the samples are equal; "normality of
        the first" and "normality of the second" (the test of D'Agostino and Pearson), NaN if the
        sample is constant or has fewer than 8 numbers.

    Raises:
        ValueError: If a sample is empty, or paired samples differ in length.
    """
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if not len(first) or not len(second) or (is_paired and len(first) != len(second)):
        raise ValueError(
            f"samples must not be empty, and paired samples must have equal lengths, got "
            f"{len(first)} and {len(second)}"
        )
    p_values = {
        "Mann-Whitney U": float(stats.mannwhitneyu(first, second).pvalue),
        "Welch t": _welch(first, second),
    }
    if is_paired:
        differs = bool((first != second).any())
        p_values["Wilcoxon"] = float(stats.wilcoxon(first, second).pvalue) if differs else np.nan
    for name, sample in (("first", first), ("second", second)):
        p_values[f"normality of the {name}"] = _normality(sample)
    return p_values


def _welch(first: np.ndarray, second: np.ndarray) -> float:
    if min(len(first), len(second)) < 2 or not (np.ptp(first) or np.ptp(second)):
        return np.nan
    with warnings.catch_warnings():  # scipy warns if a sample hardly varies
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(stats.ttest_ind(first, second, equal_var=False).pvalue)


def _normality(sample: np.ndarray) -> float:
    return float(stats.normaltest(sample).pvalue) if len(sample) >= 8 and np.ptp(sample) else np.nan
