"""What the experiments' reports say: comparisons, verdicts, leagues and pictures by turn."""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from pathlib import Path

import fop_trees
import joblib
import learn_outlook
import numpy as np
import outlook_chances
import pandas as pd
import published
import pytest
import report
import reward_readings
from courses import KINDS, breakdown_figure, turn_figure
from outlook_calibration import accuracy, chance_figure, estimate, mean_of, moments
from published import Comparison, compare_means, compare_points, compare_shares
from report import Option, run
from scipy import stats
from single_player import efficiencies
from standings import (
    league_table,
    league_tally,
    pair_of_games,
    seasons,
    width_of_chance,
    with_chance,
)

from agents import Rng
from agents.evaluation import half_width
from agents.league import THESIS
from carcassonne_env import CarcassonneModel
from carcassonne_env.outlook import DEMANDS_OF_SEVERAL, set_demands
from models import advance

VALUES = pd.Series([3.0, 5.0, 4.0, 8.0, 5.0])
ROW = ("f1", "MCTS")


def compared(printed: str, count: int = 20, decimals: int = 0, **options: str) -> Comparison:
    """Our values beside a published mean."""
    return compare_means(ROW, "x", VALUES, printed, count, decimals=decimals, **options)


@pytest.mark.parametrize(
    ("printed", "unprinted", "spread"),
    [
        ("4.20 ± 1.5", "", 1.5),
        ("4.20 ± 1.5", "9", 1.5),
        ("4.20", "9", 9),
        ("4.20", "", VALUES.std()),
    ],
)
def test_means_are_compared_by_welch(printed, unprinted, spread):
    """Where no deviation is known, ours stands for both."""
    found = compared(printed, decimals=6, unprinted=unprinted)
    test = stats.ttest_ind_from_stats(5, VALUES.std(), 5, 4.2, spread, 20, equal_var=False)
    assert found.difference == pytest.approx(0.8, abs=1e-5)
    assert found.p_value == pytest.approx(test.pvalue, rel=1e-4)
    assert 2 * stats.norm.sf(found.z) == pytest.approx(found.p_value)
    assert (found.ours, found.published) == (report.with_interval(VALUES, 6), "4.20")


def test_a_printed_mean_stands_for_all_that_round_to_it():
    assert not compared("5").is_informative
    assert compared("5.4").difference == pytest.approx(5 - 5.35)
    assert compared("5.40").difference == pytest.approx(5 - 5.395)
    assert compared("4", decimals=0).difference == 0.5
    assert compared("4", decimals=2).difference == pytest.approx(0.995)


def test_what_does_not_vary_agrees_with_the_same_number_alone():
    alike = pd.Series([1.0, 1.0])
    found = [
        compare_means(ROW, "x", alike, mean, 9, decimals=1) for mean in ("1.0", "0.9", "0.9 ± 0.1")
    ]
    assert [c.is_informative for c in found] == [False, False, True]
    assert [report.verdict(c.z) for c in found] == ["agrees", "no test", "agrees"]
    assert "inf" not in published.tests_table(found)
    table = published.tally("5.4", found)
    assert (table.values, table.agree, table.informative) == (3, 2, 1)


def test_shares_are_compared_exactly():
    """A hundred of a hundred differ from 95 no more than chance lets expect."""
    found = compare_shares(ROW, "n", (100, 100), (95, 100))
    assert found.p_value == pytest.approx(stats.fisher_exact([[100, 0], [95, 5]]).pvalue)
    assert report.verdict(found.z) == "agrees"
    assert published.cell(found) == "1.00 [0.96, 1.00] / 0.95"
    apart = compare_shares(ROW, "n", (39, 100), (6, 100))
    assert 1e-9 < apart.p_value < 1e-7
    assert published.cell(apart) == "**0.39 [0.30, 0.49] / 0.06**"
    assert published.tests_table([apart]).endswith(
        "| +0.33 | +5.64 | 1.7e-08 | 0.228 | **higher** |"
    )
    assert not compare_shares(ROW, "n", (10, 10), (50, 50)).is_informative
    assert compare_shares(ROW, "n", (1, 2), (5, 10)).visible == math.inf


@pytest.mark.parametrize(
    "compare",
    [
        lambda rng, shift: compare_means(
            ROW, "x", pd.Series(rng.normal(shift, 1, 30)), f"{rng.normal(0, 30**-0.5):.9f} ± 1", 30,
            decimals=9,
        ),
        lambda rng, shift: compare_shares(
            ROW, "x", (rng.binomial(100, 0.5 + shift), 100), (rng.binomial(100, 0.5), 100)
        ),
    ],
    ids=["means", "shares"],
)  # fmt: skip
def test_rows_show_what_they_could_have_shown(compare):
    """A difference of this size is found in four of five samples."""
    rng = np.random.default_rng(0)
    visible = np.mean([compare(rng, 0).visible for _ in range(30)])
    shown = [abs(compare(rng, visible).z) > 3 for _ in range(200)]
    assert 0.7 < np.mean(shown) < 0.9


def test_rows_of_equal_seeds_are_one_sample():
    same = [compared("4.00 ± 1")._replace(column="y")] * 3
    (alike, _) = published.together(same)
    assert alike.z == pytest.approx(same[0].z)
    other = [c._replace(row=(game, "MCTS")) for c, game in zip(same, "abc", strict=True)]
    (apart, of_mcts) = published.together(other)
    assert apart.z == pytest.approx(same[0].z * math.sqrt(3))
    assert (apart.column, of_mcts.column) == ("y", "y of MCTS")
    assert (apart.below, apart.count) == (0, 3)
    assert apart.p_of_signs == pytest.approx(2 / 2**3)


def test_deviations_are_tested():
    """By F for normal values; by resampling where a few values make all of the deviation."""
    rng = np.random.default_rng(0)
    normal = rng.normal(0, 2, 100)
    wide = compare_means(ROW, "x", pd.Series(normal), "0.0 ± 1.0", 100, decimals=1)
    cells = published.deviations_table([wide]).splitlines()[-1].strip("| ").split(" | ")
    ratio = normal.std(ddof=1) / 1.05
    assert cells[2:6] == ["x", f"{normal.std(ddof=1):.3g}", "1.0", f"{ratio:.2f}"]
    assert float(cells[6]) == pytest.approx(2 * stats.f.sf(ratio**2, 99, 99), rel=0.1)
    assert float(cells[7]) < 0.001
    tailed = np.where(np.arange(100) < 2, 30.0, normal)
    assert published.f_test(2, 100) < 1e-9 < 0.05 < published.resampled_test(tailed, 2)
    same = compare_means(
        ROW, "x", pd.Series(normal), f"0 ± {normal.std(ddof=1):.2f}", 9, decimals=0
    )
    assert len(published.deviations_table([same]).splitlines()) == 2


@pytest.mark.parametrize(
    ("z", "verdict"),
    [
        (0, "agrees"),
        (-3, "agrees"),
        (3.01, "**higher**"),
        (-3.01, "**lower**"),
        (math.nan, "no test"),
    ],
)
def test_values_agree_within_three_errors(z, verdict):
    assert report.verdict(z) == verdict
    assert report.emphasised("x", z) == ("**x**" if "*" in verdict else "x")
    assert pytest.approx(2 * stats.norm.sf(3)) == report.CHANCE


def test_tallies_count_to_either_side():
    """The median difference that values could show is told as a share of their mean."""
    points = pd.Series(np.random.default_rng(0).choice([0.0, 0.5, 1.0], 1000))
    found = [compare_points(ROW, "x", points, [n], 1000) for n in (0.3, 0.48, 0.53, 0.7)]
    table = published.tally("I", found, is_joint=False)
    assert (table.values, table.agree, table.higher, table.lower) == (4, 2, 1, 1)
    assert (table.informative, table.together) == (4, ())
    size = np.mean([0.3, 0.48, 0.53, 0.7])
    assert table.visible == f"{np.median([c.visible for c in found]) / size:.0%}"
    assert found[1].visible == pytest.approx(3.84 * math.hypot(points.sem(), 0.5 / 1000**0.5), 0.01)


def test_small_numbers_are_never_zero():
    assert [report.p_text(p) for p in (0.5, 0.0044, 1e-7, 0, math.nan)] == [
        "0.5", "0.0044", "1e-07", "< 1e-99", "–"
    ]  # fmt: skip
    half = report.half_width(pd.Series([1, 1.0002]))
    assert report.with_interval(pd.Series([1, 1.0002]), 1) == f"1.0 ± {half:.1g}"
    assert report.with_interval(pd.Series([1.0, 1.0]), 1) == "1.0"
    assert report.at_most(0.01) == "fewer than 0.1"
    assert report.at_most(0.27) == "at most 0.3"


def reported(
    monkeypatch: pytest.MonkeyPatch, folder: Path, *arguments: str
) -> tuple[report.Report, int]:
    """The report of a script with these arguments, and the number of workers of its jobs."""
    found = []
    monkeypatch.setattr(sys, "argv", ["script.py", "--out", str(folder), *arguments])
    run(
        lambda report: found.append((report, joblib.parallel.get_active_backend()[1])),
        "Games of {players}",
        "played_{players}",
        players=Option(2, "players", choices=(1, 2)),
        last_games=Option(10, "games", quick=6, least=2, is_even=True),
        seconds=Option(1.0, "time", quick=0.1),
        parts=Option(("a", "b"), "parts", choices="abc"),
        seed=Option(0, "seed", least=0),
    )
    return found[0]


def test_scripts_read_their_options(monkeypatch, tmp_path):
    whole, num_workers = reported(monkeypatch, tmp_path, "--jobs", "3", "--parts", "c", "a")
    assert (whole.path(), num_workers) == (tmp_path / "played_2.csv", 3)
    assert whole.path("x") == tmp_path / "played_2_x.csv"
    assert (whole.args.last_games, whole.args.seconds, whole.args.parts) == (10, 1.0, ["c", "a"])
    assert (tmp_path / "played_2.md").read_text().startswith("# Games of 2\n")
    small, _ = reported(monkeypatch, tmp_path, "--quick", "--seconds", "3", "--players", "1")
    assert small.path() == tmp_path / "quick" / "played_1.csv"
    assert (small.args.last_games, small.args.seconds, small.args.parts) == (6, 3.0, ("a", "b"))
    assert "A small version" in (tmp_path / "quick" / "played_1.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--last-games", "3"], "argument --last-games: must be even, 2 or more, got 3"),
        (["--last-games", "0"], "must be even, 2 or more, got 0"),
        (["--last-games", "x"], "argument --last-games: must be int, got 'x'"),
        (["--seed", "-1"], "must be 0 or more, got -1"),
        (["--players", "3"], "argument --players: invalid choice: 3"),
        (["--parts", "d"], "argument --parts: invalid choice: 'd'"),
        (["--parts"], "argument --parts: expected at least one argument"),
        (["--jobs", "0"], "argument --jobs: must be 1 or more, got 0"),
        (["--backend", "x"], "argument --backend: invalid choice: 'x'"),
    ],
)
def test_bad_options_are_refused(monkeypatch, capsys, tmp_path, arguments, message):
    with pytest.raises(SystemExit, match="2"):
        reported(monkeypatch, tmp_path, *arguments)
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_reports_begin_with_the_verdict(tmp_path):
    low = [compared(f"{7 + i}.00 ± 1")._replace(row=(f"f{i}", "EA")) for i in range(5)]
    written = report.Report(argparse.Namespace(out=tmp_path, quick=False), "x", "Trees")
    written.tallies.append(published.tally("5.4", [*low, compared("5")]))
    written.section("A section", "Text.", is_printed=False)
    written.write()
    _, first, _, *rest = (tmp_path / "x.md").read_text(encoding="utf-8").split("\n\n")
    agreeing = sum(abs(c.z) <= 3 for c in low) + 1
    assert first.startswith(
        f"**Of 6 comparisons with published values {agreeing} agree; ours are higher in 0 and "
        f"lower in {6 - agreeing}.** In 5 the values "
    )
    assert "expect fewer than 0.1 disagreements" in first
    assert "ours differ in: x in 5.4 (lower, z = " in first
    assert rest[0] == "## A section"
    assert "| 5.4 | x of EA |" in rest[-1]


def test_a_pair_of_games_tells_seats_and_draws():
    """Who begins on 2 x 2 cells of Hex wins, and a single ply of Dodgem is a draw."""
    player = "mcts(iterations=200, solver=True)"
    seats = {"points": 0.5, "in_first_seat": 1, "in_second_seat": 0, "draws": 0}
    assert pair_of_games("hex(size=2)", player, player, 0) == seats
    drawn = pair_of_games("dodgem(max_plies=1)", "random", "random", 0)
    assert drawn == dict.fromkeys(seats, 0.5) | {"draws": 1}


def test_points_of_pairs_that_were_all_won_have_an_error():
    won = pd.Series([1.0] * 100)
    assert 0.5 < compare_points(ROW, "x", won, [0.95], 100).z < 3
    assert compare_points(ROW, "x", won, [1.0], 100).z == 0
    points = pd.Series(np.random.default_rng(0).choice([0, 0.5, 1], 4000))
    error = math.hypot(points.sem(), math.sqrt(0.4 * 0.6 / 4000))
    found = compare_points(ROW, "x", points, [0.4], 4000)
    assert found.z == pytest.approx((points.mean() - 0.4) / error, rel=0.01)


@pytest.mark.parametrize(
    ("runs", "difference"), [((481, 510), 0), ((510, 530), -10), ((470,), 30), ((400, 450), 50)]
)
def test_points_are_compared_with_the_nearest_of_several_runs(runs, difference):
    even = pd.Series([0.0, 1.0] * 500)
    found = compare_points(ROW, "x", even, runs, 1000, whole=1000, decimals=0)
    assert (found.difference, found.nearest) == pytest.approx((difference, 500 - difference))
    assert found.published == "-".join(map(str, runs))
    assert found.is_informative == (difference != 0)


def test_efficiency_is_the_ratio_of_all_games_with_its_error():
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


def test_seasons_spread_as_the_games_let_expect():
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
        ({"a": 5, "b": 0}, False, ["agrees", "agrees"]),
        ({"a": 4, "b": 1}, False, ["**higher**", "**lower**"]),
        ({"a": 1, "b": 2}, True, ["agrees", "agrees"]),
        ({"a": 2, "b": 1}, True, ["**higher**", "**lower**"]),
    ],
)
def test_leagues_are_held_against_published_ones(published, are_ranks, verdicts):
    games = games_of(("b", "a", 0, 200))
    frame = with_chance(games, THESIS, published, are_ranks=are_ranks)
    table = league_table(frame, are_ranks=are_ranks).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    assert [row[1] for row in cells[2:]] == ["a", "b"]
    assert [row[cells[0].index("verdict")] for row in cells[2:]] == verdicts
    alone = with_chance(games, THESIS, {}, are_ranks=are_ranks)
    assert "verdict" not in league_table(alone, are_ranks=are_ranks)
    tally = league_tally("6.6", frame)
    assert (tally.values, tally.agree) == (2, verdicts.count("agrees"))
    assert (tally.informative, tally.expected) == (0, 0)  # two hundred games leave no doubt


def test_leagues_say_how_wide_chance_is():
    games = games_of(("a", "b", 1, 1), ("b", "a", 1, 1))
    points = with_chance(games, THESIS, {"a": 4, "b": 4}, are_ranks=False)
    assert "spread over 10 of 10 points" in width_of_chance(points, THESIS, are_ranks=False)
    assert league_tally("6.6", points).expected == pytest.approx(2 * report.CHANCE)
    ranks = with_chance(games, THESIS, {}, are_ranks=True)
    assert "spread over 1 of 2 ranks" in width_of_chance(ranks, THESIS, are_ranks=True)


def test_pictures_by_turn_end_where_players_of_an_agent_lack_a_turn():
    """Of ten players nine have a third turn, and five a fourth; the means are those of the nine."""
    rows = [
        {"row": row, "player": player, "agent": agent, "count": row * turn}
        for player, agent in enumerate("xy")
        for row in range(10)
        for turn in range(1, 3 + 3 * player + (row > 0) + (row > 4))
    ]
    figure = turn_figure(pd.DataFrame(rows), {"count": "counted"})
    first, second = figure.axes[0].lines
    assert first.get_xdata().tolist() == [1, 2, 3]
    assert first.get_ydata().tolist() == [5, 10, 15]
    assert second.get_ydata().tolist() == [5, 10, 15, 20, 25, 30]
    band, _ = figure.axes[0].collections
    low, high = band.get_datalim(figure.axes[0].transData).intervaly
    assert low < 5
    assert high == pytest.approx(15 + half_width(3 * pd.Series(range(1, 10))))


def test_breakdowns_have_intervals():
    table = pd.DataFrame(
        {"game": "g", "seat_0": ["a"] * 4, "seed": range(4), "score_0": [10, 20, 30, 40]}
        | {f"{kind}_0": [1, 2, 3, 4] for kind in KINDS}
    )
    figure = breakdown_figure(table, ["a"])
    (bars,) = figure.axes[0].collections
    ((low, high),) = [segment[:, 1] for segment in bars.get_segments()]
    assert high - low == pytest.approx(2 * half_width(table["score_0"]))


def predictions(num_games: int, num_positions: int) -> pd.DataFrame:
    """Predictions and results, the same in all positions of a game."""
    rng = np.random.default_rng(1)
    predicted = rng.normal(5, 3, num_games)
    final = 1 + 0.8 * predicted + rng.normal(0, 2, num_games)
    games = np.repeat(np.arange(num_games), num_positions)
    return pd.DataFrame({"p": predicted[games], "f": final[games]}, index=games)


def test_calibration_is_measured_as_by_the_textbook():
    table = predictions(50, 3)
    found = accuracy(moments(table["p"], table["f"]).to_numpy().sum(0))
    line, differences = stats.linregress(table["p"], table["f"]), table["p"] - table["f"]
    error = math.sqrt((differences**2).mean())
    assert found == pytest.approx([differences.mean(), error, line.rvalue, line.slope])


def test_positions_of_a_game_are_one_sample():
    table = predictions(400, 1)
    mean, half = mean_of(table["f"])
    assert mean == pytest.approx(table["f"].mean())
    assert half == pytest.approx(1.96 * table["f"].sem(), rel=0.1)
    assert mean_of(predictions(400, 9)["f"]) == pytest.approx((mean, half))
    line = stats.linregress(table["p"], table["f"])
    _, halves = estimate(moments(table["p"], table["f"]), accuracy)
    assert halves[-1] == pytest.approx(1.96 * line.stderr, rel=0.15)


def test_all_points_of_chances_are_named():
    """Also those that the first panel does not have."""
    few = {"kind": "city", "claimed": False}, {"kind": "road", "claimed": True}
    rows = [kind | {"chance": 0.5, "completed": i % 2} for kind in few for i in range(50)]
    figure = chance_figure(pd.DataFrame(rows, index=pd.Index(np.arange(100) % 5, name="game")))
    (legend,) = filter(None, (ax.get_legend() for ax in figure.axes))
    assert [text.get_text() for text in legend.get_texts()] == ["without meeples", "with meeples"]


def test_demands_are_found_in_what_became_of_features(monkeypatch):
    """Features are completed at random with the chances of other demands, which the fit finds."""
    truth = np.broadcast_to((1.5, 0.8), (3, 2, 2))
    rng, positions = np.random.default_rng(0), []
    for seed in range(40):
        model, draws = CarcassonneModel(), Rng(seed)
        while len(model.board) < 15:
            advance(model, draws)
        positions.append(model)
    try:
        set_demands(2, truth)
        chances = [np.array([c for _, c in model.completion_chances()]) for model in positions]
    finally:
        set_demands(2, DEMANDS_OF_SEVERAL)
    outcomes = [rng.random(len(each)) < each for each in chances]
    monkeypatch.setattr(outlook_chances, "DEMANDS_OF_SEVERAL", truth)
    rows = outlook_chances.fits(list(zip(positions, outcomes, strict=True)), 2)
    for _, count, _, _, _, fit, true, share in itertools.islice(rows, 3):
        ratio = 2 * int(count.replace(",", "")) * (float(true) - float(fit))
        assert float(fit) <= float(true) < float(share)
        assert ratio < stats.chi2(2).isf(1e-3)  # its law, for two parameters
    set_demands(2, DEMANDS_OF_SEVERAL)


def test_results_in_the_function_problem_follow_means_not_visits():
    """A formula that prefers a low mean leads the visits astray; published results follow means."""
    row = fop_trees.tree_row("f1", "EA-MCTS", 1e-5, fop_trees.UCB1.FORMS[0], 5000, seed=53)
    assert row["most_visited_result"] < 0.1
    assert row["result"] > 0.99


@pytest.mark.parametrize("reading", reward_readings.READINGS)
def test_games_of_readings_are_those_of_their_seeds(reading):
    games = [reward_readings.game(reading, 20, 1.0, "first", seed) for seed in (3, 3, 4)]
    assert games[0] == games[1] != games[2]


def test_generations_of_few_games_have_a_job_of_each_game(monkeypatch, tmp_path):
    monkeypatch.setattr(learn_outlook, "run_experiment", lambda path, function, jobs: jobs)
    args = argparse.Namespace(out=tmp_path, quick=False, seed=0, games=1, players=1, exploration=0)
    jobs = learn_outlook.played(1, tmp_path, report.Report(args, "x", "X"))
    assert [job["game"] for job in jobs] == [*learn_outlook.GAMES[1]]
