"""Shared code of the reports: intervals, comparisons with published values, tables, the file."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from agents.evaluation import half_width

MAX_DIFFERENCE = 3
"""Two means agree within so many combined standard errors; by chance alone, 0.3% differ by more."""


def with_interval(values: pd.Series, decimals: int) -> str:
    """Mean ± half of the 95% confidence interval; only the mean if all values are equal."""
    mean = f"{values.mean():.{decimals}f}"
    varies = len(values) > 1 and values.std() > 0
    return f"{mean} ± {half_width(values):.{decimals}f}" if varies else mean


def welch(
    values: pd.Series, mean: float, deviation: float | None, count: int
) -> tuple[float, float]:
    """Compares our values with a published mean of ``count`` values.

    If no deviation was published, our deviation is used for both.

    Returns:
        Our mean minus the published one in combined standard errors, and the p-value of Welch's t
        test.
    """
    ours, spread = values.mean(), values.std()
    if ours == mean or not (spread or deviation):  # without variation there is no test
        return (0.0, 1.0) if ours == mean else (math.copysign(math.inf, ours - mean), 0.0)
    published = spread if deviation is None else deviation
    test = stats.ttest_ind_from_stats(
        ours, spread, len(values), mean, published, count, equal_var=False
    )
    return float(test.statistic), float(test.pvalue)


def groups_by(table: pd.DataFrame, columns: str | list[str]) -> dict[Any, pd.DataFrame]:
    """The rows for every value of some columns, in the order of the table."""
    return dict(iter(table.groupby(columns, sort=False)))


def markdown(header: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    header = list(header)
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, ["---"] * len(header), *lines])


def verdict(difference: float) -> str:
    """Whether two means agree, by their difference in combined standard errors."""
    return "agree" if abs(difference) <= MAX_DIFFERENCE else "**differ**"


def emphasised(text: str, difference: float) -> str:
    """A text about two means, in bold if the means differ."""
    return text if abs(difference) <= MAX_DIFFERENCE else f"**{text}**"


def side_by_side(values: pd.Series, published: float, count: int, decimals: int) -> str:
    """Our mean / a published mean of ``count`` values, in bold if they differ."""
    difference, _ = welch(values, published, None, count)
    return emphasised(f"{with_interval(values, decimals)} / {published:.{decimals}f}", difference)


class Report:
    """A report in Markdown, with pictures in the same folder.

    Args:
        args: The options: the folder (``out``), and whether this is a small version (``quick``).
        name: The name of the file without its suffix; names of pictures begin with it.
        title: The heading.
    """

    def __init__(self, args: argparse.Namespace, name: str, title: str) -> None:
        self.out: Path = args.out
        self.name = name
        self.parts = [f"# {title}"]
        if args.quick:
            self.parts.append(
                "**A small version (`--quick`)**: too few games or searches, or too short ones, to "
                "be held against what is published. Its verdicts only show what a report is like."
            )
        self.out.mkdir(parents=True, exist_ok=True)

    def section(self, heading: str, *parts: str, is_printed: bool = True) -> None:
        """Adds a section, and prints it."""
        text = "\n\n".join([f"## {heading}", *parts])
        self.parts.append(text)
        if is_printed:
            print(text, end="\n\n")

    def picture(self, name: str, figure: Figure, caption: str) -> None:
        """Adds a picture."""
        file = f"{self.name}_{name}.png"
        figure.savefig(self.out / file, dpi=150)
        self.parts.append(f"![{caption}]({file})\n\n*{caption}*")

    def write(self) -> None:
        """Writes the file and prints its path."""
        path = self.out / f"{self.name}.md"
        path.write_text("\n\n".join(self.parts) + "\n", encoding="utf-8")
        print(f"Report: {path}")
