"""League tables, ratings and tests: by hand, by definition, and against other computations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import thesis
from scipy import optimize, special, stats

from agents.arena import record_of, round_robin
from agents.league import (
    ELO,
    GALVAN,
    THESIS,
    LeagueRule,
    _bradley_terry,
    compare,
    corrected,
    ladder,
    league,
    pairs,
    ratings,
    results,
)
from fop_env import FopModel

Match = tuple[str, str, list[float]]
"""Seat 0, seat 1, and what seat 0 won every game by."""


def table_of(*matches: Match, game: str = "game", **columns: Any) -> pd.DataFrame:
    """The games as the arena would return them."""
    rows = [
        {
            "game": game,
            "seat_0": first,
            "seat_1": second,
            "seed": seed,
            "return_0": 50 + difference / 2,
            "return_1": 50 - difference / 2,
            **columns,
        }
        for first, second, differences in matches
        for seed, difference in enumerate(differences)
    ]
    return pd.DataFrame(rows)


def won(wins: int, losses: int, draws: int = 0) -> list[float]:
    return [1.0] * wins + [-1.0] * losses + [0.0] * draws


# --- Points ---


def test_points_by_the_definitions():
    """By wins/losses >= 3 and losses/wins <= 1.5; by the shares 0.75 and 0.55: in whole numbers."""
    for wins, losses in itertools.product(range(120), repeat=2):
        lead = 4 if wins > losses else 2 if wins == losses else 0
        has_bonus = wins > losses and wins >= 3 * losses
        has_thesis_bonus = wins < losses and 2 * losses <= 3 * wins
        has_galvan_bonus = wins < losses and 100 * losses <= 55 * (wins + losses)
        assert THESIS.points(wins, losses) == lead + has_bonus + has_thesis_bonus
        assert GALVAN.points(wins, losses) == lead + has_bonus + has_galvan_bonus


def test_points_of_a_rule_of_ones_own():
    rule = LeagueRule(winning_bonus=1, losing_bonus=2 / 3)
    assert [rule.points(w, 6 - w) for w in range(7)] == [0, 0, 1, 2, 4, 4, 5]
    assert type(rule.points(6, 0)) is type(rule.points(2, 4)) is int


# --- The league ---

HAND_MADE = table_of(
    ("a", "b", [10, 10, 10, -6]),  # 5 points to 0
    ("b", "a", [8, -4, 8, -4]),  # drawn
    ("a", "c", [1, 1, -20, -20, -20]),  # 1 to 4
    ("c", "a", [0, 0, 0, 0]),  # drawn
    ("b", "c", [2, 0, -1, 5]),  # 4 to 0
    ("c", "b", [-3, 0, 0, 0]),  # 0 to 5
)


def test_a_league_by_hand():
    frame = league(HAND_MADE)
    columns = "rank player points won drawn lost wins draws losses difference"
    assert frame.columns.tolist() == columns.split()
    assert frame.to_numpy().tolist() == [
        [1, "b", 13 - 2, 2, 1, 1, 6, 4, 6, -24 + 8 + 6 + 3],
        [2, "a", 10, 1, 2, 1, 7, 4, 6, 24 - 8 - 58],
        [3, "c", 6, 1, 1, 2, 4, 8, 5, 58 - 6 - 3],
    ]


def test_the_results_of_matches():
    tables = [HAND_MADE, table_of(("a", "b", [7.5]), game="other")]
    table = pd.concat(tables, ignore_index=True).sample(frac=1, random_state=0)
    frame = results(table).set_index(["game", "seat_0", "seat_1"])
    columns = "games wins draws losses difference half_width"
    assert frame.columns.tolist() == columns.split()
    assert len(frame) == 7
    assert frame.loc["game", "a", "c"].tolist()[:5] == [5, 2, 0, 3, -58 / 5]
    assert frame.loc["game", "b", "c"].tolist()[:5] == [4, 2, 1, 1, 1.5]
    assert frame.loc["game", "c", "a"].tolist() == [4, 0, 4, 0, 0, 0]
    assert frame.loc["other", "a", "b"].tolist()[:5] == [1, 1, 0, 0, 7.5]
    assert math.isnan(frame.loc[("other", "a", "b"), "half_width"])
    low, high = stats.t.interval(0.95, 3, 1.5, stats.sem([2, 0, -1, 5]))
    assert frame.loc[("game", "b", "c"), "half_width"] == pytest.approx((high - low) / 2)


def test_each_game_has_matches_of_its_own():
    """Two matches won narrowly bring more than one that is drawn."""
    games = [table_of(("a", "b", won(4, 1)), game="x"), table_of(("a", "b", won(1, 4)), game="y")]
    frame = league(pd.concat(games)).set_index("player")
    assert frame["points"].tolist() == [5, 5]
    assert frame["won"].tolist() == frame["lost"].tolist() == [1, 1]


def test_ties_are_broken_by_the_difference():
    table = table_of(("a", "b", [1, 1, 1, 1]), ("b", "c", [9, 9, 9, 9]), ("c", "a", [6, 6, 6, 6]))
    frame = league(table)
    assert frame["points"].tolist() == [5, 5, 5]
    assert frame["player"].tolist() == ["b", "c", "a"]
    assert frame["difference"].tolist() == [32, -12, -20]
    assert frame["rank"].tolist() == [1, 2, 3]


def test_games_may_be_won_by_another_score():
    table = table_of(("a", "b", won(3, 1)), score_0=5, score_1=9)
    assert league(table)["player"].tolist() == ["a", "b"]
    by_score = league(table, score="score")
    assert by_score["player"].tolist() == ["b", "a"]
    assert by_score["difference"].tolist() == [16, -16]
    assert results(table, "score")["difference"].tolist() == [-4]
    assert ratings(table, "score")["player"].tolist() == ["b", "a"]


# --- What the publications say ---


def published(matches: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """The games of a published table of wins-draws-losses: rows against columns, seat 0 first."""
    return table_of(
        *(
            (first, second, won(wins, losses, draws))
            for first, cells in matches.items()
            for second, cell in zip((p for p in matches if p != first), cells, strict=True)
            for wins, draws, losses in [map(int, cell.split("-"))]
        )
    )


def test_the_thesis_contradicts_itself_in_the_league_of_constants():
    """Its points (table 6.6) do not follow from its matches (6.4) by its own rule.

    Four of the five differ, each time upwards: by 2 for C = 0.5, 1 and 2, and by 4 for C = 3. They
    sum to 104, but 20 matches have 100 points at most, and these matches have 94. The order of the
    five agrees.
    """
    frame = league(published(thesis.MATCHES_OF_CONSTANTS)).set_index("player")
    points = {"MCTS C=0.5": 36, "MCTS C=1": 26, "MCTS C=2": 16, "MCTS C=sqrt2": 15, "MCTS C=3": 1}
    assert frame["points"].to_dict() == points
    more = {name: thesis.POINTS_OF_CONSTANTS[name] - points[name] for name in points}
    assert more == {name: {"MCTS C=sqrt2": 0, "MCTS C=3": 4}.get(name, 2) for name in points}
    assert sorted(points, key=thesis.POINTS_OF_CONSTANTS.__getitem__)[::-1] == list(points)
    assert (sum(points.values()), sum(thesis.POINTS_OF_CONSTANTS.values())) == (94, 104)
    games = [(wins, losses) for wins in range(11) for losses in range(11 - wins)]
    most = max(THESIS.points(wins, losses) + THESIS.points(losses, wins) for wins, losses in games)
    assert math.perm(len(points), 2) * most == 100


def test_the_final_ranks_of_the_thesis_follow_from_its_matches():
    """Table 6.9 has the ranks that its rule gives to the matches of table 6.8."""
    frame = league(published(thesis.FINAL_MATCHES)).set_index("player")
    assert frame["rank"].to_dict() == thesis.FINAL_RANKS
    assert frame["points"].tolist() == [50, 47, 43, 34, 20, 10, 0]
    assert frame[["wins", "draws", "losses"]].sum(axis=1).tolist() == [240] * 7


def test_equal_players_share_a_rank():
    """One win each, by 1 point; 1/49 times 49 is less than 1 in floating point."""
    matches = ("c", "a", won(0, 1, 48)), ("c", "b", won(0, 1))
    frame = league(table_of(*matches)).set_index("player")
    assert frame["rank"].to_dict() == {"a": 1, "b": 1, "c": 3}
    assert frame["difference"].to_dict() == {"a": 1, "b": 1, "c": -2}


# --- Ratings ---


def random_table(seed: int, num_players: int = 5, num_games: int = 60) -> pd.DataFrame:
    """Games between random players, some drawn, some of a player alone with itself."""
    rng = np.random.default_rng(seed)
    names = [f"p{i}" for i in range(num_players)]
    return table_of(
        *(
            (*rng.choice(names, 2, replace=bool(i % 10 == 0)), [float(rng.integers(-2, 4))])
            for i in range(num_games)
        )
    ).assign(seed=rng.integers(num_games // 2, size=num_games))


def test_odds_become_elo():
    """Three to one is 191 points, but for the virtual draws, which count less and less."""
    errors = []
    for games in (4, 40, 400, 40_000):
        frame = ratings(table_of(("a", "b", won(3 * games // 4, games // 4)))).set_index("player")
        errors.append(400 * math.log10(3) - (frame["rating"]["a"] - frame["rating"]["b"]))
    assert all(0 < later < earlier / 5 for earlier, later in itertools.pairwise(errors))
    assert errors[-1] < 0.02


@pytest.mark.parametrize("games", [10**5, 10**6])
def test_ratings_end_however_many_games_there_are(interrupt_after, games):
    """Asked of the solver itself: tables of so many games would take long to make."""
    rng = np.random.default_rng(0)
    for points in (np.diag([games] * 3, 1), np.triu(rng.integers(games, size=(7, 7)), 1)):
        interrupt_after(5)
        try:
            strengths, covariance = _bradley_terry(points.astype(float))
        except KeyboardInterrupt:
            pytest.fail("Newton's method does not end")
        assert (np.diff(strengths) < 0).all()
        assert np.isfinite(covariance).all()


def equations(table: pd.DataFrame, names: list[str] | None = None) -> tuple[list[str], np.ndarray]:
    """The players, and the points of the row's against the column's, game by game."""
    names = names or sorted({*table["seat_0"], *table["seat_1"]})
    points = np.zeros((len(names), len(names)))
    for _, game in table.iterrows():
        i, j = names.index(game["seat_0"]), names.index(game["seat_1"])
        result = np.sign(game["return_0"] - game["return_1"])
        points[i, j] += {1: 1, 0: 0.5, -1: 0}[result]
        points[j, i] += {1: 0, 0: 0.5, -1: 1}[result]
    return names, points


def log_likelihood(strengths: np.ndarray, points: np.ndarray) -> float:
    """Of the games and of a draw of everyone with a player of strength 0."""
    odds = special.log_expit(strengths[:, None] - strengths)
    prior = special.log_expit(strengths) + special.log_expit(-strengths)
    return float((points * odds).sum() + 0.5 * prior.sum())


def sandwich(table: pd.DataFrame, best: np.ndarray) -> np.ndarray:
    """Half of each interval from the slope and the curvature of the likelihood, by differences."""
    step, units = 1e-3, np.eye(len(best))

    def slope(points: np.ndarray, at: np.ndarray) -> np.ndarray:
        ends = [[log_likelihood(at + sign * step * u, points) for sign in (1, -1)] for u in units]
        return (np.array(ends) @ [1, -1]) / (2 * step)

    names, points = equations(table)
    curvature = [slope(points, best + step * u) - slope(points, best - step * u) for u in units]
    prior = slope(np.zeros_like(points), best)  # of the virtual draws
    clusters = [equations(games, names)[1] for _, games in table.groupby("seed")]
    slopes = np.array([slope(cluster, best) - prior for cluster in clusters])
    average = special.expit(best)
    meat = len(slopes) / (len(slopes) - 1) * slopes.T @ slopes + np.diag(average * (1 - average))
    centred = (units - 1 / len(best)) @ np.linalg.inv(-np.array(curvature) / (2 * step))
    errors = np.sqrt(np.diag(centred @ meat @ centred.T))
    return ELO * stats.t.ppf(0.975, len(slopes) - 1) * errors


@pytest.mark.parametrize("seed", range(5))
def test_ratings_satisfy_the_score_equations(seed):
    """Everyone has as many points as expected, the virtual draw among them.

    So the ratings are the most likely ones; the intervals are found by differences.
    """
    table = random_table(seed, num_players=6, num_games=100)
    names, points = equations(table)
    frame = ratings(table)
    assert frame.columns.tolist() == ["player", "rating", "half_width"]
    assert frame["rating"].mean() == pytest.approx(0, abs=1e-9)
    assert frame["rating"].is_monotonic_decreasing
    frame = frame.set_index("player").loc[names]
    strengths = frame["rating"].to_numpy() / ELO
    shift = optimize.brentq(lambda x: (special.expit(strengths + x) - 0.5).sum(), -20, 20)
    expected = (points + points.T) * special.expit(strengths[:, None] - strengths)
    expected = expected.sum(axis=1) + special.expit(strengths + shift)
    assert points.sum(axis=1) + 0.5 == pytest.approx(expected, abs=1e-7)
    widths = sandwich(table, strengths + shift)
    assert frame["half_width"].tolist() == pytest.approx(widths, rel=1e-3)


def test_games_for_three_count_as_three_pairs():
    rng = np.random.default_rng(0)
    seats, returns = ["seat_0", "seat_1", "seat_2"], ["return_0", "return_1", "return_2"]
    table = pd.DataFrame([rng.permutation(list("abcd"))[:3] for _ in range(40)], columns=seats)
    table[returns] = rng.integers(4, size=(40, 3))
    table["seed"] = range(40)
    columns = ["seat_0", "seat_1", "return_0", "return_1", "seed"]
    pairs = [
        table[[seats[i], seats[j], returns[i], returns[j], "seed"]].set_axis(columns, axis=1)
        for i, j in itertools.combinations(range(3), 2)
    ]
    expected = ratings(pd.concat(pairs)).set_index("player")
    frame = ratings(table).set_index("player")
    pd.testing.assert_frame_equal(frame, expected.loc[frame.index])
    best = table_of(("a", "b", [1.0])).assign(seat_2="c", return_2=-99.0)
    assert ratings(best)["player"].tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("function", [ratings, league])
def test_measures_are_not_taken_for_seats(function):
    table = table_of(("a", "b", won(3, 1)))
    measured = table.assign(seat_1_moves=7)
    pd.testing.assert_frame_equal(function(measured), function(table))


def simulated(
    rng: np.random.Generator, strengths: np.ndarray, seats: int, grain: float, num_seeds: int
) -> pd.DataFrame:
    """Games of random players, who all play in every seat; each seed favours seats at random.

    The model holds between each two players (Gumbel's distribution), but for draws, which come from
    rounding to the grain, and for the luck of the seats.
    """
    starts = [rng.permutation(len(strengths))[:seats] for _ in range(num_seeds)]
    seated = np.array([np.roll(start, i) for start in starts for i in range(seats)])
    seeds = np.repeat(np.arange(num_seeds), seats)
    luck = rng.normal(0, 0.5, (num_seeds, seats))[seeds]
    returns = strengths[seated] + rng.gumbel(size=seated.shape) + luck
    table = pd.DataFrame(seated).add_prefix("seat_").assign(game="game", seed=seeds)
    return table.join(pd.DataFrame(np.floor(returns / grain)).add_prefix("return_"))


COVERAGE_CASES = list(itertools.product((2, 3, 5), (0.0, 1.0), (1e-9, 2.0)))
"""Seats, largest strength, and grain: with 2, a fifth to a third of the comparisons are drawn."""


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "spread", "grain"), COVERAGE_CASES)
def test_intervals_hold_what_they_promise(seats, spread, grain):
    """In simulated tournaments; the true ratings are those of very many games."""
    rng = np.random.default_rng(0)
    strengths = np.linspace(-spread, spread, seats + 1)
    truth = ratings(simulated(rng, strengths, seats, grain, 20_000)).set_index("player")["rating"]
    hits = []
    for _ in range(400):
        frame = ratings(simulated(rng, strengths, seats, grain, 60)).set_index("player")
        hits.append((frame["rating"] - truth.loc[frame.index]).abs() <= frame["half_width"])
    assert 0.93 <= np.mean(hits) <= 0.97


def test_scarce_points_have_the_interval_of_the_model():
    """All games won: their clusters do not vary."""
    for games in (1, 4, 40):
        frame = ratings(table_of(("a", "b", won(games, 0))))
        log_odds = frame["rating"] / ELO
        of_draws = special.expit(log_odds - log_odds.mean()) * special.expit(-log_odds)
        lead = log_odds[0] - log_odds[1]
        of_games = games * special.expit(lead) * special.expit(-lead)
        error = ELO / math.sqrt(2 * (of_draws[0] + 2 * of_games))
        assert frame["half_width"].tolist() == pytest.approx([1.959964 * error] * 2, rel=1e-4)


def test_one_seed_says_nothing_about_others():
    table = table_of(("a", "b", won(20, 10))).assign(seed=7)
    assert ratings(table)["half_width"].isna().all()


# --- Pairs of games, and the ladder ---


def test_pairs_by_hand():
    """Games of equal name and seed with swapped seats; the last games have no counterpart."""
    games = ("a", "b", [10, -2, 0, 4]), ("b", "a", [-6, -8, 3]), ("c", "b", [1]), ("b", "c", [-1])
    others = [table_of(("a", "a", [1.0])), table_of(("b", "c", [1.0]), game="other")]
    frame = pairs(pd.concat([table_of(*games), *others], ignore_index=True))
    assert frame.columns.tolist() == ["game", "first", "second", "seed", "points", "lead"]
    assert frame.to_numpy().tolist() == [
        ["game", "a", "b", 0, 2.0, 8.0],
        ["game", "a", "b", 1, 1.0, 3.0],
        ["game", "a", "b", 2, 0.5, -1.5],
        ["game", "b", "c", 0, 0.0, -1.0],
    ]


def test_pairs_are_found_in_any_order_and_by_any_score():
    rng = np.random.default_rng(1)
    matches = [(x, y, list(rng.integers(-1, 2, 6))) for x, y in itertools.permutations("abc", 2)]
    table = table_of(*matches)
    shuffled = table.sample(frac=1, random_state=0).set_index(rng.permutation(len(table)) + 7)
    both = []
    for frame in (pairs(table), pairs(shuffled)):
        swapped = frame.rename(columns={"first": "second", "second": "first"})
        swapped = swapped.assign(points=2 - frame["points"], lead=-frame["lead"])
        keys = ["first", "second", "seed"]
        both.append(pd.concat([frame, swapped]).sort_values(keys).set_index(keys))
    pd.testing.assert_frame_equal(*both, check_like=True)
    assert len(both[0]) == 2 * 3 * 6
    renamed = table.rename(columns={"return_0": "score_0", "return_1": "score_1"})
    pd.testing.assert_frame_equal(pairs(renamed, "score"), pairs(table))


def test_a_ladder_of_recorded_games(tmp_path):
    game = FopModel("f1", threshold=0.01, num_players=2)
    entrants = ["random", "mcts(iterations=150)", ("zero", lambda model: 0)]
    table = round_robin(tmp_path / "table.csv", {"fop": game}, entrants, 5)
    frame = ladder(table)
    pd.testing.assert_frame_equal(frame[["player", "rating", "half_width"]], ratings(table))
    for row in frame.itertuples():
        leads, seconds = [], []
        for _, played in table.iterrows():
            for seat in (0, 1):
                if played[f"seat_{seat}"] == row.player:
                    leads.append(played[f"return_{seat}"] - played[f"return_{1 - seat}"])
                    plies = record_of(played).plies
                    seconds += [ply.seconds for ply in plies if ply.player == seat]
        assert row.games == len(leads) == 20
        assert row.points == pytest.approx(np.mean((np.sign(leads) + 1) / 2))
        assert row.lead == pytest.approx(np.mean(leads))
        assert row.seconds == pytest.approx(np.mean(seconds))


def test_leads_have_the_intervals_of_pairs():
    """The luck of the draw, which is equal in both games of a pair, cancels out."""
    table = table_of(("a", "b", [30, -26, 12]), ("b", "a", [26, -30, 9]), plies="[]", seconds="[]")
    frame = ladder(table).set_index("player")
    assert frame.loc["a", "lead"] == pytest.approx(11 / 6)
    low, high = stats.t.interval(0.95, 2, 11 / 6, stats.sem([2, 2, 1.5]))
    assert frame["lead_half_width"].tolist() == pytest.approx([(high - low) / 2] * 2)
    assert frame["seconds"].isna().all()  # no moves
    single = ladder(table[table["seed"] == 0])
    assert single["lead_half_width"].isna().all()


# --- Tests of samples ---

SAMPLES = np.random.default_rng(3).normal(0, [1, 2], (25, 2)) + np.array([0, 0.8])


@pytest.mark.filterwarnings("ignore:.?kurtosistest")  # SciPy for Python 3.10
def test_samples_are_compared_as_scipy_does():
    first, second = SAMPLES.T
    expected = {
        "Mann-Whitney U": stats.mannwhitneyu(first, second, alternative="two-sided").pvalue,
        "Welch t": stats.ttest_ind(first, second, equal_var=False).pvalue,
        "normality of the first": stats.normaltest(first).pvalue,
        "normality of the second": stats.normaltest(second).pvalue,
    }
    assert compare(first.tolist(), pd.Series(second)) == expected
    assert len(set(expected.values())) == 4
    assert stats.ttest_ind(first, second).pvalue != expected["Welch t"]
    shorter = compare(first, second[:9])
    assert shorter["Welch t"] == stats.ttest_ind(first, second[:9], equal_var=False).pvalue
    assert shorter["normality of the second"] == stats.normaltest(second[:9]).pvalue


def test_pairs_are_compared_as_scipy_does():
    """No test of samples that are not paired stands beside them."""
    first, second = SAMPLES.T
    test = stats.ttest_rel(first, second)
    effect = (first - second).mean() / (first - second).std(ddof=1)
    found = compare(first, second, is_paired=True)
    first_four = ["paired t", "Wilcoxon", "normality of the differences", "effect size"]
    assert list(found)[:4] == first_four
    assert found["paired t"] == pytest.approx(test.pvalue)
    assert found["Wilcoxon"] == stats.wilcoxon(first, second).pvalue
    assert found["normality of the differences"] == stats.normaltest(first - second).pvalue
    assert found["effect size"] == pytest.approx(effect)


def test_effect_sizes_have_intervals_that_hold_them():
    rng = np.random.default_rng(0)
    hits = []
    for sample in rng.normal(0.8, 1, (400, 20)):
        found = compare(sample, np.zeros(20), is_paired=True)
        hits.append(found["effect size, low"] <= 0.8 <= found["effect size, high"])
    assert 0.93 < np.mean(hits) < 0.97


def test_corrections_by_hand():
    p_values = [0.01, math.nan, 0.04, 0.03, 0.9]
    holm, hochberg = corrected(p_values), corrected(p_values, "benjamini-hochberg")
    np.testing.assert_allclose(holm, [0.04, math.nan, 0.09, 0.09, 0.9], rtol=1e-6)
    np.testing.assert_allclose(hochberg, [0.04, math.nan, 0.16 / 3, 0.16 / 3, 0.9], rtol=1e-6)
    assert corrected([0.6, 0.7]).tolist() == [1, 1]
    for method in ("holm", "benjamini-hochberg"):
        assert corrected([], method).tolist() == []


def missing(p_values: dict[str, float]) -> set[str]:
    return {name for name, value in p_values.items() if math.isnan(value)}


NORMALITY = {"normality of the first", "normality of the second"}


@pytest.mark.filterwarnings("ignore:.?kurtosistest")  # SciPy for Python 3.10
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1], [2, 3], {"Welch t", *NORMALITY}),
        ([1, 2], [3], {"Welch t", *NORMALITY}),
        ([1, 2], [2, 3], NORMALITY),
        (range(7), range(8), {"normality of the first"}),
        (range(8), range(7), {"normality of the second"}),
        (range(8), range(8), set()),
        ([5] * 9, [5] * 9, {"Welch t", *NORMALITY}),
        ([5] * 9, [7] * 9, {"Welch t", *NORMALITY}),
        ([0.1] * 10, [0.1] * 3, {"Welch t", *NORMALITY}),
        *(([constant] * 9, range(9), {"normality of the first"}) for constant in (2.0, 0.1)),
    ],
)
def test_what_cannot_be_tested_is_nan(first, second, expected):
    assert missing(compare(first, second)) == expected


def test_equal_pairs_cannot_be_tested():
    equal, single = compare(range(10), range(10), is_paired=True), compare([1], [2], is_paired=True)
    shifted = compare(np.arange(10) / 10, np.arange(10) / 10 + 0.1, is_paired=True)
    assert missing(equal) == set(equal)
    assert missing(single) == missing(shifted) == set(equal) - {"Wilcoxon"}


# --- Scores that are refused ---


@pytest.mark.parametrize(
    ("function", "score", "seat"),
    [
        *((function, math.nan, 0) for function in (results, league, ratings, pairs, ladder)),
        *((ratings, score, 1) for score in (math.inf, -math.inf, None)),
    ],
)
def test_scores_are_finite(function, score, seat):
    rows = [("a", "b", 1.0, 2.0), ("b", "a", 1.0, 0.0), ("a", "b", 3.0, 2.0)]
    table = pd.DataFrame(rows, columns=["seat_0", "seat_1", "score_0", "score_1"])
    table.insert(0, "game", "g")
    table[f"score_{seat}"] = [1.0, score, score]
    message = rf"^score_{seat} must hold finite numbers, got .* in 2 of 3 rows: 1, 2$"
    with pytest.raises(ValueError, match=message):
        function(table, score="score")


def seated(*names: str) -> pd.DataFrame:
    seats = {f"seat_{i}": [name] for i, name in enumerate(names)}
    return pd.DataFrame({"game": "g", **seats, **{f"return_{i}": 1.0 for i in range(len(names))}})


UNPAIRED = table_of(("a", "b", [1]), ("b", "a", [2]), ("a", "c", [1]), plies="[]", seconds="[]")


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        *(
            (function, [seated(*names)], "table must hold games for two")
            for function in (results, league, pairs, ladder)
            for names in ("a", "abc")
        ),
        *((ratings, [table], "games for two or more") for table in (seated("a"), UNPAIRED[:0])),
        *(
            (partial(function, score="goals"), [UNPAIRED], "which has no 'goals_0'")
            for function in (league, ratings)
        ),
        (ladder, [UNPAIRED], r"must be in pairs of games, got none of \['c'\]"),
        (compare, [[], [1]], "samples must not be empty, .* got 0 and 1"),
        (compare, [[1], []], "samples must not be empty, .* got 1 and 0"),
        (partial(compare, is_paired=True), [[1, 2], [1]], ".* got 2 and 1"),
        (corrected, [[0.5, 1.5]], r"p_values must be in \[0, 1\], got \[0.5, 1.5\]"),
        (corrected, [[0.5], "bonferroni"], r"method must be one of .*'holm'.*got 'bonferroni'"),
    ],
)
def test_bad_arguments_are_refused(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)


def test_ratings_that_do_not_converge_end():
    with pytest.raises(ArithmeticError, match="did not converge in 1000 steps"):
        _bradley_terry(np.array([[0.0, math.nan], [1.0, 0.0]]))
