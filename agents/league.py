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
from agents.checks import check_choice, extra
from agents.evaluation import half_width

with extra("experiments", __name__):
    import pandas as pd
    from scipy import special, stats

ELO = 400 / np.log(10)
"""Elo points per unit of log odds."""
MIN_POINTS = 5
"""Points won, and points lost, from which on the games show how much a rating varies."""
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
        ValueError: If the games are not for two players, or their scores are missing or not finite
            numbers.
    """
    _check_games_for_two(table, score)
    lead = table[f"{score}_0"] - table[f"{score}_1"]
    games = table.assign(lead=lead, wins=lead > 0, draws=lead == 0, losses=lead < 0)
    matches = games.groupby(["game", "seat_0", "seat_1"], sort=False).agg(
        games=("lead", "size"),
        wins=("wins", "sum"),
        draws=("draws", "sum"),
        losses=("losses", "sum"),
        difference=("lead", "mean"),
        half_width=("lead", half_width),
    )
    return matches.reset_index()


def _check_games_for_two(table: pd.DataFrame, score: str) -> None:
    if num_columns(table, "seat") != 2:
        raise ValueError("table must hold games for two: seat_0 and seat_1")
    _check_scores(table, score, 2)


def _check_scores(table: pd.DataFrame, score: str, seats: int) -> None:
    """Raises ValueError unless the table has all scores, and they are finite numbers."""
    for column in (f"{score}_{seat}" for seat in range(seats)):
        if column not in table:
            raise ValueError(f"score must name columns of the table, which has no {column!r}")
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
    A game without its counterpart is left out. Arguments and errors are those of `results`.

    Returns:
        A row for each pair: ``game``, ``first``, ``second``, ``seed``; ``points`` of the first
        player in both games (0, 0.5, 1, 1.5 or 2, where a win is 1), as `agents.sprt.SPRT.add`
        takes them; and its mean ``lead`` in the two games. Of two players, the first is the one
        that comes first in the table.
    """
    _check_games_for_two(table, score)
    key = ["game", "first", "second", "seed"]
    lead = table[f"{score}_0"] - table[f"{score}_1"]
    own = table[["game", "seat_0", "seat_1", "seed"]].set_axis(key, axis=1)
    own = own.assign(points=(np.sign(lead) + 1) / 2, lead=lead)
    swapped = own.rename(columns={"first": "second", "second": "first"})
    both = own.merge(swapped, on=key)
    players = pd.unique(own[["first", "second"]].to_numpy().ravel())
    place = {player: i for i, player in enumerate(players)}
    both = both[both["first"].map(place) < both["second"].map(place)].reset_index(drop=True)
    return both[key].assign(
        points=both["points_x"] + 1 - both["points_y"], lead=(both["lead_x"] - both["lead_y"]) / 2
    )


def league(table: pd.DataFrame, rule: LeagueRule = THESIS, score: str = "return") -> pd.DataFrame:
    """The league table, sorted by points, then by the summed difference of scores.

    Arguments and errors are those of `results`; `rule` gives the points.

    Returns:
        A row for each player, the best first: ``rank`` (equal for equal points and difference),
        ``player``, ``points``; numbers of matches ``won``, ``drawn`` and ``lost``; numbers of games
        ``wins``, ``draws`` and ``losses``; summed ``difference``.
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

    The intervals do not trust the model with the chance in the games: comparisons within a game
    depend on each other, draws vary less than wins and losses, and games of one seed share their
    chance outcomes. The games of one seed in one game form a cluster, and the intervals come from
    what the clusters contribute (the cluster-robust or sandwich estimator of Liang and Zeger, 1986,
    "Longitudinal data analysis using generalized linear models", with Student's t for as many
    clusters). Where a player has fewer than 5 points, or has lost fewer than 5, the clusters say
    too little: then the interval is that of the model, with independent comparisons, if this is
    wider. In simulations with 2, 3 and 5 seats, equal and different strengths, with and without
    draws, 93 to 97% of the intervals hold the true rating. If nearly all games have the expected
    winner, fewer do.

    Args:
        table: A table that `agents.arena.play_matches` returned. Without a column ``seed``, every
            row is a cluster.
        score: The columns that decide a game, as in `results`.

    Returns:
        A row for each player, the best first: ``player``; ``rating``, which is 0 on average; and
        ``half_width`` of its 95% confidence interval (NaN if all games form one cluster, unless the
        interval is that of the model).

    Raises:
        ValueError: If there are no games for two or more, or their scores are missing or not finite
            numbers.
    """
    seats = num_columns(table, "seat")
    if seats < 2 or table.empty:
        raise ValueError("table must hold games for two or more: seat_0, seat_1, ...")
    _check_scores(table, score, seats)
    players = pd.unique(table[[f"seat_{i}" for i in range(seats)]].to_numpy().ravel())
    games = _comparisons(table, score, seats, players)
    points = np.zeros((len(players), len(players)))  # [i, j]: of player i against j
    np.add.at(points, (games["first"], games["second"]), games["points"])
    np.add.at(points, (games["second"], games["first"]), 1 - games["points"])
    strengths, inverse = _bradley_terry(points)
    degrees = games["cluster"].nunique() - 1
    robust = stats.t.ppf(0.975, degrees) * _errors(inverse @ _variation(games, strengths) @ inverse)
    by_the_model = stats.norm.ppf(0.975) * _errors(inverse)
    is_scarce = np.minimum(points.sum(axis=0), points.sum(axis=1)) < MIN_POINTS
    frame = pd.DataFrame(
        {
            "player": players,
            "rating": ELO * (strengths - strengths.mean()),
            "half_width": ELO * np.where(is_scarce, np.fmax(robust, by_the_model), robust),
        }
    )
    return frame.sort_values("rating", ascending=False, ignore_index=True)


def _errors(covariance: np.ndarray) -> np.ndarray:
    """Standard errors of log odds that are centred on 0."""
    centring = np.eye(len(covariance)) - 1 / len(covariance)
    return np.sqrt(np.diag(centring @ covariance @ centring))


def _comparisons(table: pd.DataFrame, score: str, seats: int, players: np.ndarray) -> pd.DataFrame:
    """A row for each two players of each game, with the number of its ``cluster``.

    ``first`` and ``second`` are the indices of the players; ``points`` of the first: 1, 0.5 or 0.
    """
    index = {player: i for i, player in enumerate(players)}
    key = [name for name in ("game", "seed") if name in table]
    clusters = table.groupby(key).ngroup() if "seed" in table else np.arange(len(table))
    frames = []
    for i, j in itertools.combinations(range(seats), 2):
        difference = table[f"{score}_{i}"] - table[f"{score}_{j}"]
        first, second = (table[f"seat_{seat}"].map(index) for seat in (i, j))
        points = (np.sign(difference) + 1) / 2
        frames.append(
            pd.DataFrame({"first": first, "second": second, "points": points, "cluster": clusters})
        )
    return pd.concat(frames, ignore_index=True)


def _variation(games: pd.DataFrame, strengths: np.ndarray) -> np.ndarray:
    """The covariance of the score equations: that of the clusters, and of the virtual draws."""
    first, second = games["first"].to_numpy(), games["second"].to_numpy()
    surprise = games["points"].to_numpy() - special.expit(strengths[first] - strengths[second])
    count = games["cluster"].nunique()
    sums = np.zeros((count, len(strengths)))
    np.add.at(sums, (games["cluster"], first), surprise)
    np.add.at(sums, (games["cluster"], second), -surprise)
    average = special.expit(strengths)
    of_clusters = count / (count - 1) * sums.T @ sums if count > 1 else np.nan
    return of_clusters + np.diag(average * (1 - average))


def _bradley_terry(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log odds of each player against an average one, and the inverse of the information."""
    games = points + points.T
    strengths = np.zeros(len(points))
    for _ in range(MAX_STEPS):
        expected = special.expit(strengths[:, None] - strengths)
        average = special.expit(strengths)
        gradient = (points - games * expected).sum(axis=1) + 0.5 - average
        weights = games * expected * (1 - expected)
        information = np.diag(weights.sum(axis=1) + average * (1 - average)) - weights
        step = np.linalg.solve(information, gradient)
        strengths = strengths + step / max(1, np.abs(step).max())
        if np.abs(step).max() < 1e-7:
            return strengths, np.linalg.inv(information)
    raise ArithmeticError(f"the ratings did not converge in {MAX_STEPS} steps: {points}")


def ladder(table: pd.DataFrame, score: str = "return") -> pd.DataFrame:
    """The ladder: ratings of players who met in pairs of games, and what they come from.

    Arguments are those of `pairs`.

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
    sides = pd.concat([first, second]).groupby("first")
    frame = ratings(table, score)
    if alone := [player for player in frame["player"] if player not in sides.groups]:
        raise ValueError(f"every player must be in pairs of games, got none of {alone}")
    found = sides.agg(
        games=("lead", lambda lead: 2 * len(lead)),
        points=("points", lambda points: points.mean() / 2),
        lead=("lead", "mean"),
        lead_half_width=("lead", half_width),
    )
    return frame.join(found.assign(seconds=_seconds_a_move(table)), on="player")


def _seconds_a_move(table: pd.DataFrame) -> pd.Series:
    """The mean time of a move by player."""
    times = [
        (row[f"seat_{ply.player}"], ply.seconds)
        for _, row in table.iterrows()
        for ply in record_of(row).plies
        if ply.player >= 0
    ]
    return pd.DataFrame(times, columns=["player", "seconds"]).groupby("player")["seconds"].mean()


def compare(first: Any, second: Any, *, is_paired: bool = False) -> dict[str, float]:
    """Tests whether two samples differ (two-sided), and whether they are normally distributed.

    Args:
        first: The first sample, one number for each game.
        second: The second sample, likewise.
        is_paired: Whether numbers of equal index belong together because their games share a seed.
            Then only the differences of the pairs, first less second, are tested.

    Returns:
        p-values by test, see `corrected` for many of them. A p-value is NaN where there is nothing
        to test.

        - Samples that are not paired: "Mann-Whitney U"; "Welch t", NaN if a sample has a single
          number or both are constant; "normality of the first" and "normality of the second" (the
          test of D'Agostino and Pearson), NaN if the sample is constant or has fewer than 8
          numbers.
        - Pairs: "paired t", NaN for a single pair or if all differences are equal; "Wilcoxon", NaN
          if all differences are 0; "normality of the differences", as above. Also "effect size",
          the mean difference in standard deviations of the differences, with "effect size, low" and
          "effect size, high", the ends of its 95% confidence interval (normal approximation by
          Hedges and Olkin, 1985); all NaN where "paired t" is.

    Raises:
        ValueError: If a sample is empty, or paired samples differ in length.
    """
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if not len(first) or not len(second) or (is_paired and len(first) != len(second)):
        raise ValueError(
            f"samples must not be empty, and paired samples must have equal lengths, got "
            f"{len(first)} and {len(second)}"
        )
    if is_paired:
        return _compare_pairs(first - second)
    return {
        "Mann-Whitney U": float(stats.mannwhitneyu(first, second).pvalue),
        "Welch t": _welch(first, second),
        "normality of the first": _normality(first),
        "normality of the second": _normality(second),
    }


def _compare_pairs(differences: np.ndarray) -> dict[str, float]:
    count, spread = len(differences), np.ptp(differences)
    p_value = effect = half = np.nan
    if count > 1 and spread > 1e-12 * np.abs(differences).max():  # not by rounding errors alone
        test = stats.ttest_1samp(differences, 0)
        p_value, effect = float(test.pvalue), float(test.statistic / np.sqrt(count))
        half = stats.norm.ppf(0.975) * np.sqrt(1 / count + effect**2 / (2 * (count - 1)))
    return {
        "paired t": p_value,
        "Wilcoxon": float(stats.wilcoxon(differences).pvalue) if differences.any() else np.nan,
        "normality of the differences": np.nan if np.isnan(p_value) else _normality(differences),
        "effect size": effect,
        "effect size, low": float(effect - half),
        "effect size, high": float(effect + half),
    }


CORRECTIONS = ("holm", "benjamini-hochberg")
"""Corrections for many tests: Holm (1979), "A simple sequentially rejective multiple test
procedure", and Benjamini and Hochberg (1995), "Controlling the false discovery rate"."""


def corrected(p_values: Any, method: str = "holm") -> np.ndarray:
    """p-values corrected for the number of tests.

    Args:
        p_values: The p-values of all tests, 0 to 1; NaN where there was nothing to test, which does
            not count.
        method: "holm": the probability that any of the true hypotheses is rejected stays below the
            level. "benjamini-hochberg": the expected share of wrong rejections among all rejections
            does (for tests that are independent or go together).

    Returns:
        float64[n]: The corrected p-values in the same order, NaN where they were.

    Raises:
        ValueError: If a p-value is not in [0, 1], or there is no such method.
    """
    check_choice("method", method, CORRECTIONS)
    values = np.array(p_values, dtype=float)
    is_test = ~np.isnan(values)
    tests = values[is_test]
    if ((tests < 0) | (tests > 1)).any():
        raise ValueError(f"p_values must be in [0, 1], got {values.tolist()}")
    if method == "holm":
        order = np.argsort(tests)
        steps = np.maximum.accumulate(tests[order] * np.arange(len(tests), 0, -1))
        tests[order] = np.minimum(steps, 1)
    elif len(tests):
        tests = stats.false_discovery_control(tests, method="bh")
    values[is_test] = tests
    return values


def _welch(first: np.ndarray, second: np.ndarray) -> float:
    if min(len(first), len(second)) < 2 or not (np.ptp(first) or np.ptp(second)):
        return np.nan
    with warnings.catch_warnings():  # scipy warns if a sample hardly varies
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(stats.ttest_ind(first, second, equal_var=False).pvalue)


def _normality(sample: np.ndarray) -> float:
    return float(stats.normaltest(sample).pvalue) if len(sample) >= 8 and np.ptp(sample) else np.nan
