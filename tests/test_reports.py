"""What the experiments' reports say: comparisons, verdicts, leagues and pictures by turn."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("joblib")
pytest.importorskip("matplotlib")
pytest.importorskip("pandas")
pytest.importorskip("scipy")

import fop_trees
import pandas as pd
import report
from courses import turn_figure
from outlook_calibration import bias, correlation, error, estimate, mean_of, moments, slope
from scipy import stats
from single_player import efficiencies
from standings import league_table, seasons
from two_players import held_against

from agents.league import THESIS

VALUES = pd.Series([3.0, 5.0, 4.0, 8.0, 5.0])


@pytest.mark.parametrize(("deviation", "count"), [(1.5, 20), (None, 20), (0.0, 4)])
def test_differences_are_in_combined_standard_errors(deviation: float | None, count: int) -> None:
    spread = VALUES.std() if deviation is None else deviation
    error = math.sqrt(VALUES.var() / 5 + spread**2 / count)
    difference, _ = report.welch(VALUES, 4.2, deviation, count)
    assert difference == pytest.approx((5 - 4.2) / error)


def test_what_does_not_vary_agrees_with_the_same_number_alone() -> None:
    alike = pd.Series([1.0, 1.0])
    assert report.welch(alike, 1.0, None, 9) == (0, 1)
    assert report.welch(alike, 0.9, None, 9) == (math.inf, 0)
    assert report.welch(alike, 1.1, 0.0, 9) == (-math.inf, 0)


@pytest.mark.parametrize(
    ("difference", "agree"), [(0, True), (3, True), (-3, True), (3.01, False), (-math.inf, False)]
)
def test_means_agree_within_three_errors(difference: float, agree: bool) -> None:
    assert report.verdict(difference) == ("agree" if agree else "**differ**")
    assert report.emphasised("x", difference) == ("x" if agree else "**x**")


def test_means_side_by_side() -> None:
    error = math.sqrt(VALUES.var() * (1 / 5 + 1 / 7))  # with the same deviation for both
    ours = report.with_interval(VALUES, 1)
    below, above = 5 - 2.9 * error, 5 - 3.1 * error
    assert report.side_by_side(VALUES, below, 7, 1) == f"{ours} / {below:.1f}"
    assert report.side_by_side(VALUES, above, 7, 1) == f"**{ours} / {above:.1f}**"


def test_efficiency_is_the_ratio_of_all_games_with_its_error() -> None:
    """The standard error is that of ten thousand ratios of samples drawn with replacement."""
    rng = np.random.default_rng(0)
    meeples = rng.integers(1, 6, size=200)
    games = pd.DataFrame(
        {"score_0": 8 * meeples + rng.integers(0, 9, size=200), "meeples": meeples}
    )
    numbers = efficiencies(games)
    assert numbers.mean() == pytest.approx(games["score_0"].sum() / games["meeples"].sum())
    drawn = games.to_numpy()[rng.integers(200, size=(10_000, 200))].sum(axis=1)
    assert numbers.sem() == pytest.approx((drawn[:, 0] / drawn[:, 1]).std(), rel=0.05)
    assert efficiencies(pd.DataFrame({"score_0": [0, 0], "meeples": [0, 0]})).tolist() == [0, 0]


def games_of(*matches: tuple[str, str, int, int]) -> pd.DataFrame:
    """Matches as (seat 0, seat 1, games won, games lost)."""
    return pd.DataFrame(
        [
            {"game": "x", "seat_0": first, "seat_1": second, "score_0": lead, "score_1": 0}
            for first, second, wins, losses in matches
            for lead in [1] * wins + [-1] * losses
        ]
    )


def test_seasons_spread_as_the_games_let_expect() -> None:
    """Two hundred games leave no doubt, two leave much; a match gives 4 to 6 points in all."""
    sure = seasons(games_of(("a", "b", 200, 0)), THESIS)
    assert (sure["a"] == 5).all()
    assert (sure["b"] == 0).all()
    open_ = seasons(games_of(("a", "b", 1, 1)), THESIS)
    assert set(open_["a"]) == {0, 2, 5}
    assert open_["a"].mean() == pytest.approx(open_["b"].mean(), abs=0.2)
    even = seasons(games_of(("a", "b", 50, 50)), THESIS)
    assert set((even["a"] + even["b"]).unique()) <= {4, 5, 6}


@pytest.mark.parametrize(
    ("published", "are_ranks", "verdicts"),
    [
        ({"a": 5, "b": 0}, False, ["agree", "agree"]),
        ({"a": 4, "b": 1}, False, ["**differ**", "**differ**"]),
        ({"a": 1, "b": 2}, True, ["agree", "agree"]),
        ({"a": 2, "b": 1}, True, ["**differ**", "**differ**"]),
    ],
)
def test_leagues_are_held_against_published_ones(
    published: dict[str, int], are_ranks: bool, verdicts: list[str]
) -> None:
    table = league_table(
        games_of(("b", "a", 0, 200)), THESIS, published, are_ranks=are_ranks
    ).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    assert [row[1] for row in cells[2:]] == ["a", "b"]
    assert [row[cells[0].index("verdict")] for row in cells[2:]] == verdicts
    assert "verdict" not in league_table(
        games_of(("b", "a", 0, 200)), THESIS, {}, are_ranks=are_ranks
    )


def test_wins_are_held_against_published_ones() -> None:
    assert held_against(None, [1, 2, 3]) == ["", "", ""]
    assert held_against((6, 1, 93), [6, 1, 93]) == ["6-1-93", "1", "agree"]
    assert held_against((6, 1, 93), [5, 12, 83])[2] == "agree"
    assert held_against((6, 1, 93), [39, 3, 58])[1:] == ["1.7e-08", "**differ**"]


def test_pictures_by_turn_end_where_players_lack_a_turn() -> None:
    """Of ten players nine have a third turn, and five a fourth."""
    rows = [
        {"row": row, "player": 0, "agent": "x", "count": row * turn}
        for row in range(10)
        for turn in range(1, 3 + (row > 0) + (row > 4))
    ]
    figure = turn_figure(pd.DataFrame(rows), {"count": "counted"}, {"x": "the agent"})
    (line,) = figure.axes[0].lines
    assert line.get_xdata().tolist() == [1, 2, 3]
    assert line.get_ydata().tolist() == [4.5, 9, 15]


def predictions(num_games: int, num_positions: int) -> pd.DataFrame:
    """Predictions and results, the same in all positions of a game."""
    rng = np.random.default_rng(1)
    predicted = rng.normal(5, 3, num_games)
    final = 1 + 0.8 * predicted + rng.normal(0, 2, num_games)
    games = np.repeat(np.arange(num_games), num_positions)
    return pd.DataFrame({"p": predicted[games], "f": final[games]}, index=games)


def test_calibration_is_measured_as_by_the_textbook() -> None:
    table = predictions(50, 3)
    sums = moments(table["p"], table["f"]).to_numpy().sum(0)
    assert bias(sums) == pytest.approx((table["p"] - table["f"]).mean())
    assert error(sums) == pytest.approx(math.sqrt(((table["p"] - table["f"]) ** 2).mean()))
    line = stats.linregress(table["p"], table["f"])
    assert slope(sums) == pytest.approx(line.slope)
    assert correlation(sums) == pytest.approx(line.rvalue)


def test_positions_of_a_game_are_one_sample() -> None:
    """More positions that say the same make the interval no narrower."""
    table = predictions(400, 1)
    mean, half = mean_of(table["f"])
    assert mean == pytest.approx(table["f"].mean())
    assert half == pytest.approx(1.96 * table["f"].sem(), rel=0.1)
    assert mean_of(predictions(400, 9)["f"]) == pytest.approx((mean, half))
    line = stats.linregress(table["p"], table["f"])
    _, half = estimate(moments(table["p"], table["f"]), slope)
    assert half == pytest.approx(1.96 * line.stderr, rel=0.15)


def test_results_in_the_function_problem_follow_means_not_visits() -> None:
    """A formula that prefers a low mean leads the visits astray; published results follow means."""
    row = fop_trees.tree_row("f1", "EA-MCTS", 1e-5, fop_trees.UCB1.FORMS[0], 5000, seed=53)
    assert row["most_visited_result"] < 0.1
    assert row["result"] > 0.99
