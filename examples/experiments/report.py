"""The frame of the experiments: options, jobs and workers; intervals, verdicts and the report.

Games, searches and moves are rows of tables, so that an interrupted run continues where it stopped.
All scripts need the extra ``experiments``.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from agents.backends import BACKENDS, backend
from agents.evaluation import half_width
from agents.files import write_file
from agents.league import corrected
from agents.pictures import save_figure
from agents.tables import markdown as markdown

MAX_DIFFERENCE = 3
"""Two values agree within so many combined standard errors."""
CHANCE = math.erfc(MAX_DIFFERENCE / math.sqrt(2))
"""The probability that chance alone makes two equal values differ by more: 0.0027."""
AGREES, HIGHER, LOWER = VERDICTS = "agrees", "**higher**", "**lower**"
"""What a verdict says of our value, beside a published one."""


# Options and jobs


@dataclass(frozen=True)
class Option:
    """An option of a script, named by a keyword of `run`: ``last_games`` is ``--last-games``."""

    default: Any  # a tuple if it takes one value or more
    help: str
    quick: Any = None  # its value in a small version, if it is another one
    least: int = 1  # the least value of an integer
    is_even: bool = False  # as half of the games are in either seat
    nargs: int | None = None  # the number of values, if it is fixed
    choices: Any = None  # the values to choose from, if they are known

    def read(self, text: str) -> Any:
        """The value that a text means; numbers have the type of the default."""
        example = self.default[0] if isinstance(self.default, tuple) else self.default
        kind = type(example)
        try:
            value = kind(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"must be {kind.__name__}, got {text!r}") from error
        if isinstance(value, int) and (value < self.least or (self.is_even and value % 2)):
            even = "even, " if self.is_even else ""
            raise argparse.ArgumentTypeError(f"must be {even}{self.least} or more, got {text}")
        return value

    def add_to(self, parser: argparse.ArgumentParser, name: str) -> None:
        """Adds the option to a parser."""
        nargs = self.nargs or ("+" if isinstance(self.default, tuple) else None)
        kept = {"default": self.default, "choices": self.choices, "help": self.help}
        parser.add_argument(f"--{name.replace('_', '-')}", type=self.read, nargs=nargs, **kept)


def grid(**values: Iterable[Any]) -> list[dict[str, Any]]:
    """A job for each combination of values, by name; the last name varies fastest."""
    return [
        dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())
    ]


# Intervals and verdicts


def with_interval(values: pd.Series, decimals: int) -> str:
    """Mean ± half of the 95% confidence interval; only the mean if all values are equal.

    A half that would be rounded to 0 has one digit that is not.
    """
    mean = f"{values.mean():.{decimals}f}"
    if len(values) < 2 or not values.std() > 0:
        return mean
    half = half_width(values)
    shown = f"{half:.{decimals}f}"
    return f"{mean} ± {shown if float(shown) else f'{half:.1g}'}"


def p_text(p_value: float) -> str:
    """A p-value with two digits that are not 0; a dash if there was no test."""
    if math.isnan(p_value):
        return "–"
    return f"{p_value:.2g}" if p_value > 1e-99 else "< 1e-99"


def effect_text(tests: Mapping[str, float]) -> str:
    """The effect size of `agents.league.compare` with its interval; a dash if there is none."""
    effect, low, high = (tests[f"effect size{end}"] for end in ("", ", low", ", high"))
    return "–" if math.isnan(effect) else f"{effect:+.2f} [{low:+.2f}, {high:+.2f}]"


def groups_by(table: pd.DataFrame, columns: str | list[str]) -> dict[Any, pd.DataFrame]:
    """The rows for every value of some columns, in the order of the table."""
    return dict(iter(table.groupby(columns, sort=False)))


def verdict(difference: float, most: float = MAX_DIFFERENCE) -> str:
    """The verdict on our value less a published one, by default in combined standard errors.

    Values that differ by `most` or less agree. NaN: there was no test.
    """
    if math.isnan(difference):
        return "no test"
    return AGREES if abs(difference) <= most else HIGHER if difference > 0 else LOWER


def emphasised(text: str, difference: float) -> str:
    """A text about two values, in bold if they differ."""
    return f"**{text}**" if abs(difference) > MAX_DIFFERENCE else text


class Together(NamedTuple):
    """The tests of a column, taken together."""

    column: str
    count: int
    z: float  # Stouffer's, below 0 if ours are lower
    p_value: float
    below: int  # the number of our values that are lower
    p_of_signs: float


class Tally(NamedTuple):
    """What the comparison with a published table says."""

    table: str
    values: int
    agree: int
    higher: int
    lower: int
    informative: int
    expected: float  # disagreements that chance lets expect, at most
    visible: str  # what half of the informative values could have shown, beside published ones
    together: Sequence[Together] = ()


def tally_of(table: str, verdicts: Sequence[str], informative: int, visible: str) -> Tally:
    """Counts the verdicts on the values of a published table."""
    counts = [verdicts.count(word) for word in VERDICTS]
    return Tally(table, len(verdicts), *counts, informative, CHANCE * informative, visible)


def summary(tallies: Sequence[Tally]) -> str:
    """The verdict in a paragraph, and a table of the tallies."""
    names = ["values", "agree", "higher", "lower", "informative"]
    values, agree, higher, lower, informative = (
        sum(getattr(t, name) for t in tallies) for name in names
    )
    expected = sum(t.expected for t in tallies)
    untested = values - agree - higher - lower
    text = (
        f"**Of {values} comparisons with published values {agree} agree; ours are higher in "
        f"{higher} and lower in {lower}{f'; {untested} have no test' if untested else ''}.** In "
        f"{informative} the values are informative: neither "
        "constant nor equal to ours by rounding. Among these, chance alone lets expect "
        f"{at_most(expected)} disagreements. {joint_sentence(tallies)}"
    )
    lines = [
        [t.table, *(f"{getattr(t, name)}" for name in names), at_most(t.expected), t.visible]
        for t in tallies
    ]
    header = ["table", *names, "disagreements by chance", "could show (median)"]
    return f"{text}\n\n{markdown(header, lines)}"


def at_most(expected: float) -> str:
    """A number of disagreements that chance lets expect; never 0."""
    return f"at most {expected:.1f}" if expected >= 0.05 else "fewer than 0.1"


LEVEL = 0.05
"""The level of joint tests, corrected for their number."""
TOGETHER_LEGEND = (
    "The informative values of a column together, of all agents or of one. *z*: Stouffer's, below "
    "0 where ours are lower, with the correlations between our rows, which share seeds. *Lower*: "
    "how many of ours are lower, with the sign test, which takes rows for independent. *Holm*: p "
    f"of z, corrected for the number of tests; bold below {LEVEL}."
)


def joint_sentence(tallies: Sequence[Tally]) -> str:
    """Names the columns in which the rows differ together."""
    tests = corrected_tests(tallies)
    found = [
        f"{test.column} in {table} ({'lower' if test.z < 0 else 'higher'}, z = {test.z:+.1f})"
        for table, test, p_value in tests
        if p_value < LEVEL
    ]
    if found:
        return f"Taken together, ours differ in: {', '.join(found)}."
    return "Taken together by column and by agent, the values agree as well." if tests else ""


def corrected_tests(tallies: Sequence[Tally]) -> list[tuple[str, Together, float]]:
    """The joint tests with their tables and p-values by Holm."""
    tests = [(t.table, test) for t in tallies for test in t.together]
    p_values = corrected([test.p_value for _, test in tests])
    return [(*test, p_value) for test, p_value in zip(tests, p_values, strict=True)]


def together_table(tallies: Sequence[Tally]) -> str:
    """The joint test of every column."""
    lines = []
    for table, test, p_value in corrected_tests(tallies):
        mark = "**" if p_value < LEVEL else ""
        lower = f"{test.below} of {test.count} (p = {p_text(test.p_of_signs)})"
        values = [f"{test.z:+.2f}", p_text(test.p_value), lower]
        lines.append([table, test.column, *values, f"{mark}{p_text(p_value)}{mark}"])
    return markdown(["table", "column", "z", "p", "lower", "Holm"], lines)


# The report


class Report:
    """A report in Markdown, with pictures in the same folder; it begins with the verdict.

    Its name is that of the file without the suffix; those of tables and pictures begin with it.
    """

    def __init__(self, args: argparse.Namespace, name: str, title: str) -> None:
        self.args = args
        self.out: Path = args.out
        self.name = name
        self.title = title
        self.tallies: list[Tally] = []
        self.parts: list[str] = []
        if args.quick:
            self.parts.append(
                "**A small version (`--quick`)**: too few games or searches, or too short ones, to "
                "be held against what is published. Its verdicts only show what a report is like."
            )
        self.out.mkdir(parents=True, exist_ok=True)

    def path(self, part: str = "") -> Path:
        """The path of a table of rows, or of a part of them."""
        return self.out / f"{self.name}{part and f'_{part}'}.csv"

    def section(self, heading: str, *parts: str, is_printed: bool = True) -> None:
        """Adds a section, and prints it."""
        text = "\n\n".join([f"## {heading}", *parts])
        self.parts.append(text)
        if is_printed:
            print(text, end="\n\n")

    def picture(self, name: str, figure: Figure, caption: str) -> None:
        """Adds a picture."""
        file = f"{self.name}_{name}.png"
        save_figure(figure, self.out / file)
        self.parts.append(f"![{caption}]({file})\n\n*{caption}*")

    def write(self) -> None:
        """Writes the file and prints its path."""
        if any(t.together for t in self.tallies):
            heading = "Values taken together"
            self.section(heading, TOGETHER_LEGEND, together_table(self.tallies), is_printed=False)
        path = self.out / f"{self.name}.md"
        first = [summary(self.tallies)] if self.tallies else []
        text = "\n\n".join([f"# {self.title}", *first, *self.parts])
        write_file(path, text + "\n")
        print("\n\n".join(first))
        print(f"Report: {path}")


def run(main: Callable[[Report], None], title: str, name: str = "", **options: Option) -> None:
    """Reads the command line, runs the script where its options say, and writes its report.

    Beside its own options, every script has those for its size, workers, cluster and folder;
    `main` finds all in ``report.args``. The first line of the docstring of its module describes it.
    The title and the name of the report, by default that of the script, may refer to options:
    "{players}".
    """
    parser = argparse.ArgumentParser(
        description=main.__globals__["__doc__"].splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="a small version, to OUT/quick")
    jobs = Option(1, "worker processes")
    parser.add_argument("--jobs", type=jobs.read, help=jobs.help)  # None: the backend decides
    parser.add_argument("--backend", choices=BACKENDS, default="local", help="where jobs run")
    parser.add_argument("--address", help="of a Dask or Ray cluster that is there")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder to write to")
    for option_name, option in options.items():
        option.add_to(parser, option_name)
    if parser.parse_known_args()[0].quick:
        small = {name: o.quick for name, o in options.items() if o.quick is not None}
        parser.set_defaults(**small)
    args = parser.parse_args()
    if args.quick:
        args.out /= "quick"  # a subfolder, so that results of a full run stay
    name = name or Path(main.__code__.co_filename).stem
    report = Report(args, name.format(**vars(args)), title.format(**vars(args)))
    with backend(args.backend, args.jobs, args.address):
        main(report)
    report.write()
