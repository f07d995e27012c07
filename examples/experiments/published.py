"""Our values beside published ones: tests, verdicts, and what they say together.

A value is *informative* if chance can make it differ: it is not constant, and our mean is not among
the numbers that round to the printed one. Only informative values are tests.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from report import (
    MAX_DIFFERENCE,
    Report,
    Tally,
    Together,
    emphasised,
    markdown,
    p_text,
    tally_of,
    verdict,
    with_interval,
)
from scipy import stats

POWER = 0.8
"""The probability with which a row shows the smallest difference that it could have shown."""
RESAMPLES = 2000


class Comparison(NamedTuple):
    """A published value beside ours."""

    row: tuple[str, ...]  # the game, which all rows of equal seeds share, and the agent
    column: str
    ours: str  # with its 95% confidence interval
    published: str
    nearest: float  # to ours, of the numbers that round to the published one
    difference: float  # ours less the nearest number
    z: float  # the difference as a normal deviate of the same p-value; NaN without a test
    p_value: float
    visible: float
    """The smallest difference that would have been shown with 80% probability; NaN without any
    variation, infinity if there is no such difference."""
    is_informative: bool
    values: np.ndarray | None = None  # ours, seed by seed
    deviation: str = ""  # the published one over these values, as printed; empty if unknown


def compare_means(
    row: tuple[str, ...],
    column: str,
    values: pd.Series,
    printed: str,
    count: int,
    *,
    decimals: int,
    unprinted: str = "",
) -> Comparison:
    """Compares our mean with a published one by Welch's t test; values are ordered by their seeds.

    A mean, or "mean ± deviation", is printed, of `count` values. It is rounded to `decimals`, if
    more are not printed. `unprinted` is the deviation if none is printed; if that is empty, too,
    ours stands for both.
    """
    mean, _, deviation = printed.partition(" ± ")
    deviation = deviation or unprinted
    decimals = max(decimals, decimals_of(mean))
    nearest = nearest_to(values.mean(), float(mean), decimals)
    spreads = values.std(), float(deviation) if deviation else values.std()
    errors = spreads[0] / math.sqrt(len(values)), spreads[1] / math.sqrt(count)
    error, difference = math.hypot(*errors), float(values.mean() - nearest)
    z, p_value, visible = 0.0, 1.0, math.nan
    if error > 0:
        squares = errors[0] ** 4 / (len(values) - 1) + errors[1] ** 4 / (count - 1)
        law = stats.t(error**4 / squares)  # Welch's degrees of freedom
        p_value = float(2 * law.sf(abs(difference) / error))
        z = deviate(p_value, difference)
        visible = float((law.isf(stats.norm.sf(MAX_DIFFERENCE)) + law.ppf(POWER)) * error)
    elif difference:  # without variation there is no test
        z = p_value = math.nan
    ours, is_informative = with_interval(values, decimals), difference != 0 and error > 0
    found = z, p_value, visible, is_informative, values.to_numpy(float), deviation
    return Comparison(row, column, ours, mean, nearest, difference, *found)


def compare_row(
    row: tuple[str, ...],
    columns: Mapping[str, int],
    values: Iterable[pd.Series],
    printed: Iterable[str],
    count: int,
    unprinted: Iterable[str] = (),
) -> list[Comparison]:
    """Compares the means of a row of a table, from left to right; an empty text is no value.

    The arguments are those of `compare_means` for each column; columns have their decimals.
    """
    cells = zip(columns.items(), values, printed, unprinted or [""] * len(columns), strict=True)
    return [
        compare_means(row, name, ours, text, count, decimals=decimals, unprinted=deviation)
        for (name, decimals), ours, text, deviation in cells
        if text
    ]


def compare_shares(
    row: tuple[str, ...], column: str, ours: tuple[int, int], published: tuple[int, int]
) -> Comparison:
    """Compares two shares, each (successes, trials), by Fisher's exact test."""
    (successes, trials), (their_successes, their_trials) = ours, published
    share, their_share = successes / trials, their_successes / their_trials
    table = [[k, n - k] for k, n in (ours, published)]
    p_value = min(float(stats.fisher_exact(table).pvalue), 1.0)
    pooled = (successes + their_successes + 1) / (trials + their_trials + 2)
    error = math.sqrt(pooled * (1 - pooled) * (1 / trials + 1 / their_trials))
    low, high = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    difference = share - their_share
    z = deviate(p_value, difference)
    visible = float((MAX_DIFFERENCE + stats.norm.ppf(POWER)) * error)
    visible = visible if visible <= 1 else math.inf
    texts = f"{share:.2f} [{low:.2f}, {high:.2f}]", f"{their_share:.2f}"
    found = their_share, difference, z, p_value, visible, difference != 0
    return Comparison(row, column, *texts, *found)


def compare_points(
    row: tuple[str, ...],
    column: str,
    points: pd.Series,
    published: Sequence[float],
    num_games: int,
    *,
    whole: int = 1,
    decimals: int = 3,
) -> Comparison:
    """Compares our share of the points with a published one of so many games, by a z test.

    `whole` is the number of published points that all wins would give. Of several published runs,
    the number nearest to ours in their range counts. Both errors are estimated with one more win
    and one more loss on either side (Agresti and Caffo, 2000), so that they are above 0 where all
    games were won. That of the published share is the largest possible; draws make it smaller.
    """
    mean, texts = points.mean(), [f"{number:.{decimals}f}" for number in published]
    nearest = min(max(mean, min(published) / whole), max(published) / whole)
    ours = pd.concat([points, pd.Series([0.0, 1.0])]).sem()
    share = (nearest * num_games + 1) / (num_games + 2)
    error = math.hypot(ours, math.sqrt(share * (1 - share) / (num_games + 2)))
    difference = float(mean - nearest)
    z, visible = difference / error, (MAX_DIFFERENCE + stats.norm.ppf(POWER)) * error
    return Comparison(
        row,
        column,
        with_interval(whole * points, decimals),
        "-".join(texts),
        whole * nearest,
        whole * difference,
        z,
        float(2 * stats.norm.sf(abs(z))),
        whole * float(visible),
        difference != 0,
    )


def decimals_of(number: str) -> int:
    """The number of printed decimals."""
    return len(number.partition(".")[2])


def nearest_to(value: float, printed: float, decimals: int) -> float:
    """Among the numbers that round to a printed one, the number nearest to a value."""
    half = 0.5 * 10.0**-decimals
    return min(max(value, printed - half), printed + half)


def deviate(p_value: float, sign: float) -> float:
    """The normal deviate of a two-sided p-value, with the given sign."""
    return math.copysign(float(stats.norm.isf(max(p_value, 1e-300) / 2)), sign)


# What single rows say


def cell(comparison: Comparison) -> str:
    """Ours / published, in bold if they differ."""
    return emphasised(f"{comparison.ours} / {comparison.published}", comparison.z)


TESTS_LEGEND = (
    "*Difference*: ours less published, where a printed mean stands for the nearest number that "
    "rounds to it; *z*: the same in standard errors (a normal deviate). *p*: Welch's t test of "
    "means, Fisher's exact test of shares, not corrected for the number of tests. *Could show*: "
    f"the smallest difference that would have been found with a probability of {POWER:.0%}. A "
    "dash: equal by rounding, or without any variation."
)


def tests_table(comparisons: Iterable[Comparison]) -> str:
    """The test of every value."""
    lines = []
    for c in comparisons:
        found = [f"{c.difference:+.3g}", f"{c.z:+.2f}" if c.z else "0", p_text(c.p_value)]
        found = found if c.is_informative else ["–"] * 3
        values = [*c.row, c.column, c.ours, c.published, *found]
        lines.append([*values, visible_text(c.visible), verdict(c.z)])
    header = ["game", "agent", "column", "ours", "published"]
    return markdown([*header, "difference", "z", "p", "could show", "verdict"], lines)


def visible_text(difference: float) -> str:
    """The smallest difference that could have been shown; "none" if even the largest could not."""
    if math.isnan(difference):
        return "–"
    return "none" if math.isinf(difference) else f"{difference:.3g}"


DEVIATIONS_LEGEND = (
    "Deviations over searches or games, where one is published; one that is not printed rounds to "
    "0. *Ratio*: ours to the nearest number that rounds to the published one. *p (F)*: F test of "
    "the variances, which presumes normal values. *p (resampled)*: how often two samples drawn "
    "from our values have deviations at least as far apart, which presumes nothing about their "
    f"distribution ({RESAMPLES:,} samples)."
)


def deviations_table(comparisons: Iterable[Comparison]) -> str:
    """Tests of our deviations against the published ones, where they are not equal by rounding."""
    lines = []
    for c, count in ((c, len(c.values)) for c in comparisons if c.deviation and c.values.std() > 0):
        decimals = max(decimals_of(c.deviation), min(2, decimals_of(c.published)))
        ours = c.values.std(ddof=1)
        theirs = nearest_to(ours, float(c.deviation), decimals)
        if ours != theirs and theirs > 0:
            p_values = f_test(ours / theirs, count), resampled_test(c.values, ours / theirs)
            texts = [f"{ours:.3g}", c.deviation, f"{ours / theirs:.2f}", *map(p_text, p_values)]
            lines.append([*c.row, c.column, *texts])
    header = ["game", "agent", "column", "ours", "published", "ratio", "p (F)", "p (resampled)"]
    return markdown(header, lines)


def f_test(ratio: float, count: int) -> float:
    """The p-value of a ratio of two deviations of ``count`` normal values each."""
    law = stats.f(count - 1, count - 1)
    return float(min(1, 2 * min(law.cdf(ratio**2), law.sf(ratio**2))))


def resampled_test(values: np.ndarray, ratio: float) -> float:
    """How often the deviations of two samples of the values have such a ratio, or its inverse."""
    rng = np.random.default_rng(0)
    samples = values[rng.integers(len(values), size=(2, RESAMPLES, len(values)))]
    with np.errstate(divide="ignore", invalid="ignore"):  # samples of equal values
        distances = np.abs(np.diff(np.log(samples.std(axis=2)), axis=0))
    num_as_far = (~(distances < abs(math.log(ratio)))).sum()
    return float((num_as_far + 1) / (RESAMPLES + 1))


# What rows say together


def together(comparisons: Sequence[Comparison]) -> list[Together]:
    """The informative values of each column, tested together: of all agents, and of each agent."""
    informative = [c for c in comparisons if c.is_informative]
    groups = defaultdict(list)
    for name in ("{0.column}", "{0.column} of {0.row[1]}"):
        for c in informative:
            groups[name.format(c)].append(c)
    return [joint_test(name, tests) for name, tests in groups.items() if len(tests) > 1]


def joint_test(column: str, tests: Sequence[Comparison]) -> Together:
    """Stouffer's z of correlated tests (Strube, 1985), and the sign test.

    Rows of one game share their seeds, so their values go together. The correlations are those of
    our values; they hold for both sides if the published rows share seeds as well.
    """
    sum_of_z, below = sum(c.z for c in tests), sum(c.difference < 0 for c in tests)
    variance = len(tests) + 2 * sum(
        correlation(first, second) for i, first in enumerate(tests) for second in tests[:i]
    )
    z = sum_of_z / math.sqrt(max(variance, len(tests)))  # chance correlations must not narrow it
    signs = stats.binomtest(below, len(tests)).pvalue
    return Together(column, len(tests), z, float(2 * stats.norm.sf(abs(z))), below, float(signs))


def correlation(first: Comparison, second: Comparison) -> float:
    """The correlation of the values of two rows of one game, seed by seed."""
    if first.row[0] != second.row[0] or first.values is None or second.values is None:
        return 0.0
    is_constant = not (first.values.std() and second.values.std())
    return 0.0 if is_constant else float(np.corrcoef(first.values, second.values)[0, 1])


def tally(table: str, comparisons: Sequence[Comparison], *, is_joint: bool = True) -> Tally:
    """What the comparisons of a published table say, one by one and, by default, together."""
    informative = [c for c in comparisons if c.is_informative]
    sizes = defaultdict(list)
    for c in informative:
        sizes[c.column].append(abs(c.nearest))
    shares = [c.visible / np.mean(sizes[c.column]) for c in informative if any(sizes[c.column])]
    median = np.median(shares) if shares else math.nan
    visible = f"{median:.0%}" if math.isfinite(median) else visible_text(median)
    verdicts = [verdict(c.z) for c in comparisons]
    found = tally_of(table, verdicts, len(informative), visible)
    return found._replace(together=together(comparisons)) if is_joint else found


def rows_table(header: Iterable[str], columns: Sequence[str], found: Sequence[Comparison]) -> str:
    """Ours / published, with a line for each row and the names of its parts before the columns."""
    cells = {(c.row, c.column): cell(c) for c in found}
    rows = dict.fromkeys(c.row for c in found)
    lines = [[*row, *(cells.get((row, column), "") for column in columns)] for row in rows]
    return markdown([*header, *columns], lines)


def add_tests(report: Report, means: list[Comparison], others: list[Comparison], note: str) -> None:
    """Adds all tests to a report, those of the deviations of means, too.

    The note says something of published deviations.
    """
    tests = tests_table([*means, *others])
    report.section("Tests of the differences", f"{TESTS_LEGEND} {note}", tests, is_printed=False)
    deviations = deviations_table(means)
    report.section("Tests of the deviations", DEVIATIONS_LEGEND, deviations, is_printed=False)
