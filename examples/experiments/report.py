"""What the reports share: intervals, comparisons with published values, tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd
from scipy import stats

from agents.evaluation import half_width

MAX_DIFFERENCE = 4
"""Combined standard errors within which two means agree."""


def with_interval(values: pd.Series, decimals: int) -> str:
    """Mean ± half of the 95% confidence interval; the mean alone where all values are alike."""
    mean = f"{values.mean():.{decimals}f}"
    return f"{mean} ± {half_width(values):.{decimals}f}" if values.std() else mean


def welch(
    values: pd.Series, mean: float, deviation: float | None, count: int
) -> tuple[float, float]:
    """Compares with a published mean of ``count`` values; its deviation is ours where not printed.

    Returns:
        Ours less published in combined standard errors, and the p-value of Welch's t test.
    """
    ours, spread = values.mean(), values.std()
    if ours == mean or not (spread or deviation):  # nothing varies: there is nothing to test
        return (0.0, 1.0) if ours == mean else (math.copysign(math.inf, ours - mean), 0.0)
    published = spread if deviation is None else deviation
    test = stats.ttest_ind_from_stats(
        ours, spread, len(values), mean, published, count, equal_var=False
    )
    return float(test.statistic), float(test.pvalue)


def groups_by(table: pd.DataFrame, columns: str | list[str]) -> dict[Any, pd.DataFrame]:
    """The rows of every value of some columns, in the order of the table."""
    return dict(iter(table.groupby(columns, sort=False)))


def markdown(header: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """A table."""
    header = list(header)
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, ["---"] * len(header), *lines])
