"""Search trees in the Function Optimisation Problem, beside the published ones.

Every agent searches every function 100 times from the start, with the same seeds. Each search adds
a row to ``fop_trees.csv``, and an interrupted run continues where it stopped. The report
``fop_trees.md`` compares our values with the published ones, and the agents with each other. Its
pictures show where in [0, 1] the searches put their nodes, and the spread of results and depths.
Needs the extra ``experiments``.

Source: Valdez Ameneyro (2024, see the README), tables 5.4 to 5.8 and 5.11: 100 runs of 5,000
iterations. These settings reproduce the tables: a threshold of 1e-5, and UCB1 as
Q + C*sqrt(ln(N)/n). In searches of MCTS, terminal nodes keep their first return; in searches that
evolve formulas, they draw a new return at each visit. The result is the value at the end of the
line of highest means: the thesis names the line of most visits, but its author's program has the
two results the wrong way round (see the README).
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from command_line import at_least_two, parsed, parser
from matplotlib.figure import Figure
from report import (
    MAX_DIFFERENCE,
    Report,
    emphasised,
    groups_by,
    markdown,
    side_by_side,
    welch,
    with_interval,
)

from agents import EAMCTS, MCTS, SIEAMCTS, UCB1, Agent, Formula, SearchResult
from agents.backends import backend
from agents.experiment import run_experiment
from agents.league import compare as compare_samples
from fop_env import FUNCTIONS, FopModel
from fop_env.figures import location_figure, location_histogram

CONSTANTS = {"0.5": 0.5, "1": 1.0, "sqrt2": math.sqrt(2), "2": 2.0, "3": 3.0}
EVOLVING = {"EA-MCTS": EAMCTS, "SIEA-MCTS": SIEAMCTS}
AGENTS = [*(f"MCTS C={name}" for name in CONSTANTS), *EVOLVING]
COLUMNS = {"expansion_rate": 3, "terminal_states": 0, "leaf_depth": 2, "result": 4}
"""The columns of the tables, and their numbers of decimals."""
ALL_COLUMNS = {**COLUMNS, "most_visited_result": 4}
"""The same with the result that the text of the thesis describes."""
PRINTED_DECIMALS = {"expansion_rate": 2, "terminal_states": 0, "leaf_depth": 2, "result": 3}
"""The numbers of decimals to which published means are rounded."""
PUBLISHED_RUNS = 100
PUBLISHED = {
    ("f1", "MCTS C=0.5"): ("1", "0", "14.04 ± 1.38", "0.999"),
    ("f1", "MCTS C=1"): ("1", "0", "13.14 ± 1.37", "0.999"),
    ("f1", "MCTS C=sqrt2"): ("1", "0", "12.85 ± 1.39", "0.999"),
    ("f1", "MCTS C=2"): ("1", "0", "12.58 ± 1.29", "0.999"),
    ("f1", "MCTS C=3"): ("1", "0", "12.33 ± 1.18", "0.999"),
    ("f1", "EA-MCTS"): ("0.56 ± 0.25", "545 ± 470", "13.53 ± 2.82", "0.999"),
    ("f1", "SIEA-MCTS"): ("0.54 ± 0.24", "418 ± 376", "13.39 ± 2.85", "0.999"),
    ("f2", "MCTS C=0.5"): ("0.49 ± 0.20", "621 ± 384", "15.65 ± 2.14", "0.936 ± 0.04"),
    ("f2", "MCTS C=1"): ("0.96 ± 0.05", "1064 ± 382", "15.61 ± 2.21", "0.964 ± 0.02"),
    ("f2", "MCTS C=sqrt2"): ("1", "739 ± 260", "15.05 ± 2.54", "0.971 ± 0.01"),
    ("f2", "MCTS C=2"): ("1", "197 ± 146", "14.25 ± 2.55", "0.973"),
    ("f2", "MCTS C=3"): ("1", "0", "12.96 ± 2.12", "0.972 ± 0.01"),
    ("f2", "EA-MCTS"): ("0.21 ± 0.08", "69 ± 49", "11.35 ± 3.27", "0.922 ± 0.05"),
    ("f2", "SIEA-MCTS"): ("0.23 ± 0.11", "74 ± 67", "11.37 ± 3.21", "0.922 ± 0.05"),
    ("f4", "MCTS C=0.5"): ("0.36 ± 0.20", "447 ± 372", "15.30 ± 2.46", "0.912 ± 0.05"),
    ("f4", "MCTS C=1"): ("0.91 ± 0.09", "1212 ± 274", "15.73 ± 2.27", "0.974 ± 0.02"),
    ("f4", "MCTS C=sqrt2"): ("1 ± 0.01", "1029 ± 192", "15.35 ± 2.49", "0.979"),
    ("f4", "MCTS C=2"): ("1", "415 ± 155", "14.58 ± 2.59", "0.978"),
    ("f4", "MCTS C=3"): ("1", "0", "13.46 ± 2.42", "0.977"),
    ("f4", "EA-MCTS"): ("0.21 ± 0.10", "54 ± 57", "11.09 ± 3.15", "0.874 ± 0.06"),
    ("f4", "SIEA-MCTS"): ("0.21 ± 0.10", "52 ± 58", "10.99 ± 3.08", "0.873 ± 0.06"),
}
"""The printed columns: mean ± deviation over runs; for the depth, the deviation over leaves."""
PUBLISHED_FORMULAS = {
    ("f1", "EA-MCTS"): (0.49, 0.52, 0.95, 12.0),
    ("f1", "SIEA-MCTS"): (0.50, 0.52, 0.95, 11.9),
    ("f2", "EA-MCTS"): (0.55, 0.53, 0.93, 13.2),
    ("f2", "SIEA-MCTS"): (0.63, 0.49, 0.93, 12.8),
}
"""Table 5.11: shares of evolved formulas that contain n, N and Q, and their mean size."""


# One search


def agent_of(name: str, form: str, iterations: int, seed: int) -> Agent:
    """The agent of a row of the tables."""
    if name in EVOLVING:
        return EVOLVING[name](iterations, seed=seed)
    c = CONSTANTS[name.removeprefix("MCTS C=")]
    return MCTS(iterations, tree_policy=UCB1(c, form), resample_terminals=False, seed=seed)


def tree_row(
    function: str, agent: str, threshold: float, form: str, iterations: int, seed: int
) -> dict[str, Any]:
    """Searches once and returns the statistics of the tree."""
    model = FopModel(function, threshold=threshold)
    result = agent_of(agent, form, iterations, seed).search(model)
    statistics, evolution = result.tree_statistics, getattr(result, "evolution", None)
    return {
        "action": result.action,
        "num_nodes": statistics.num_nodes,
        "num_leaves": statistics.num_leaves,
        "expansion_rate": statistics.expansion_rate,
        "terminal_states": statistics.terminal_states,
        "leaf_depth": statistics.leaf_depth[0],
        "leaf_depth_deviation": statistics.leaf_depth[1],
        "result": value_by_means(result),
        "most_visited_result": statistics.most_visited_result,
        "formula": str(evolution.formula) if evolution else "",
        "locations": " ".join(map(str, location_histogram(result, bins=128, phases=3).ravel())),
    }


def value_by_means(result: SearchResult) -> float:
    """The function's value at the end of the line of children with the highest means."""
    end = result.model.clone()
    for _, action in result.search_tree.principal_variation(by="mean"):
        end.apply_action(action)
    return end.heuristic(0, "centre")


# Comparison with the published values


class Comparison(NamedTuple):
    """A published value beside ours."""

    function: str
    agent: str
    column: str
    ours: pd.Series
    published: str
    difference: float  # our mean minus the published one, in combined standard errors
    p_value: float  # of Welch's t test


def compare(rows: pd.DataFrame, function: str, agent: str) -> Iterator[Comparison]:
    """Compares one row of the tables, column by column.

    The published deviation over searches is the printed one, or 0 where none is printed. For the
    depth, our deviation stands for both, because the printed one is over leaves. A printed mean
    stands for all numbers that are rounded to it.
    """
    for column, text in zip(COLUMNS, PUBLISHED[function, agent], strict=True):
        mean, _, printed = text.partition(" ± ")
        deviation = None if column == "leaf_depth" else float(printed or 0)
        nearest = nearest_to(rows[column].mean(), float(mean), PRINTED_DECIMALS[column])
        test = welch(rows[column], nearest, deviation, PUBLISHED_RUNS)
        yield Comparison(function, agent, column, rows[column], text, *test)


def nearest_to(value: float, printed: float, decimals: int) -> float:
    """Among the numbers that round to a printed one, the number nearest to a value."""
    half = 0.5 * 10.0**-decimals
    return min(max(value, printed - half), printed + half)


# Report


def sections(table: pd.DataFrame) -> dict[str, str]:
    """The sections of the report in Markdown, by heading."""
    groups = groups_by(table, ["function", "agent"])
    comparisons = [list(compare(groups[key], *key)) for key in PUBLISHED if key in groups]
    return {
        "Beside the published values": published_section(comparisons),
        "Evolved formulas": formula_section(groups),
        "Tests of the differences": difference_section(comparisons),
        "All agents": "Mean ± deviation over searches; deviation of the depth: over the leaves of "
        "a tree. The most visited result ends the line of most visits, as in the text of the "
        "thesis, the other one the line of highest means, as in its tables.\n\n"
        + markdown(
            ["function", "agent", *ALL_COLUMNS],
            [
                [*key, *(with_deviation(rows, column) for column in ALL_COLUMNS)]
                for key, rows in groups.items()
            ],
        ),
        "Agents against each other": "p-values (two-sided) of Mann-Whitney's U and Welch's t test, "
        "searches as samples, not corrected for the number of tests.\n\n"
        + markdown(
            ["function", "agents", *(f"{c}: {t}" for c in SPREAD for t in ("U", "t"))],
            pairwise_tests(table),
        ),
    }


PRINTED = ("Beside the published values", "Evolved formulas")
"""The sections of the report that are also printed on the screen."""


def published_section(comparisons: list[list[Comparison]]) -> str:
    """Our means and the published ones side by side, and the number that agree."""
    differences = [c.difference for row in comparisons for c in row]
    agreeing = sum(abs(difference) <= MAX_DIFFERENCE for difference in differences)
    return (
        "Ours / published: means, ± half of the 95% confidence interval over searches. "
        f"{agreeing} of {len(differences)} values agree within {MAX_DIFFERENCE} combined standard "
        "errors; the others are bold. The comparison is meant for 100 runs: a few searches that "
        "happen to be alike show too small a deviation.\n\n"
    ) + markdown(
        ["function", "agent", *COLUMNS],
        [[row[0].function, row[0].agent, *map(comparison_cell, row)] for row in comparisons],
    )


def formula_section(groups: dict[tuple[str, str], pd.DataFrame]) -> str:
    """The shares of evolved formulas with each variable, beside the published shares."""
    return (
        "Ours / published (table 5.11): shares that contain n, N and Q, and mean number of nodes; "
        "± half of the 95% confidence interval; bold where they differ, with our deviation for "
        "both.\n\n"
    ) + markdown(
        ["function", "agent", "n", "N", "Q", "nodes"],
        [
            [*key, *formula_cells(rows["formula"], PUBLISHED_FORMULAS.get(key))]
            for key, rows in groups.items()
            if key[1] in EVOLVING
        ],
    )


def difference_section(comparisons: list[list[Comparison]]) -> str:
    """The test of every difference."""
    return (
        "Difference: ours less published, in combined standard errors; p: Welch's t test, not "
        "corrected for the number of tests. Where the table prints no deviation it is 0; that of "
        "depths is ours. A printed mean stands for the nearest value that is rounded to it.\n\n"
    ) + markdown(
        ["function", "agent", "column", "published", "difference", "p"],
        [
            [*c[:3], c.published, f"{c.difference:+.2f}", f"{c.p_value:.2g}"]
            for row in comparisons
            for c in row
        ],
    )


def comparison_cell(comparison: Comparison) -> str:
    """Our value / the published one, in bold if they differ."""
    ours = with_interval(comparison.ours, COLUMNS[comparison.column])
    text = f"{ours} / {comparison.published.partition(' ± ')[0]}"
    return emphasised(text, comparison.difference)


def formula_cells(texts: pd.Series, published: tuple[float, ...] | None) -> Iterator[str]:
    """Shares of n, N and Q, and the number of nodes: ours / published if known."""
    formulas = [Formula(text) for text in texts if isinstance(text, str) and text]
    if not formulas:  # too few iterations for evolution
        yield from [""] * 4
        return
    columns = [[float(name in f.variables) for f in formulas] for name in ("n", "N", "Q")]
    columns.append([float(f.size) for f in formulas])
    for i, (numbers, decimals) in enumerate(zip(columns, (2, 2, 2, 1), strict=True)):
        values = pd.Series(numbers)
        if published:
            yield side_by_side(values, published[i], PUBLISHED_RUNS, decimals)
        else:
            yield with_interval(values, decimals)


SPREAD = ("result", "leaf_depth")
"""The columns for which spreads over searches are drawn and differences tested."""


def pairwise_tests(table: pd.DataFrame) -> list[list[str]]:
    """Statistical tests of all pairs of agents on every function."""
    lines = []
    for function, rows in groups_by(table, "function").items():
        samples = groups_by(rows, "agent")
        for first, second in itertools.combinations(samples, 2):
            p_values = []
            for column in SPREAD:
                pair = samples[first][column], samples[second][column]
                tests = compare_samples(*pair)
                p_values += [tests["Mann-Whitney U"], tests["Welch t"]]
            lines.append([function, f"{first}, {second}", *(f"{p:.2g}" for p in p_values)])
    return lines


def with_deviation(rows: pd.DataFrame, column: str) -> str:
    """Mean ± standard deviation; for the depth, the mean deviation within trees, as printed."""
    values = rows[column]
    spread = rows["leaf_depth_deviation"].mean() if column == "leaf_depth" else values.std()
    decimals = ALL_COLUMNS[column]
    return f"{values.mean():.{decimals}f} ± {spread:.{decimals}f}"


# Pictures


def mean_locations(rows: pd.DataFrame) -> np.ndarray:
    """Mean numbers of nodes by third of the search and by location: float64[3, 128]."""
    counts = [np.array(text.split(), dtype=np.int64) for text in rows["locations"]]
    return np.mean(counts, axis=0).reshape(3, 128)


def spread_figure(table: pd.DataFrame) -> Figure:
    """Box plots of results and depths by agent, one column a function."""
    functions = groups_by(table, "function")
    figure = Figure(figsize=(2.6 * len(functions) + 1.5, 6), layout="constrained")
    axes = figure.subplots(2, len(functions), sharex=True, squeeze=False)
    for row, column in enumerate(SPREAD):
        for ax, (function, rows) in zip(axes[row], functions.items(), strict=True):
            samples = groups_by(rows, "agent")
            ax.boxplot([sample[column] for sample in samples.values()], widths=0.6)
            ax.set_xticks(range(1, len(samples) + 1), samples, rotation=60, ha="right")
            ax.set_title(function if row == 0 else "")
        axes[row, 0].set_ylabel(("value where the highest means lead", "mean depth of leaves")[row])
    return figure


# Command line


def main() -> None:
    """Runs the missing searches, writes the report and pictures, prints the comparison."""
    args = parsed_arguments()
    jobs = [
        {
            "function": function,
            "agent": agent,
            "threshold": args.threshold,
            "form": args.form,
            "iterations": args.iterations,
            "seed": seed,
        }
        for function in args.functions
        for agent in AGENTS
        for seed in range(args.runs)
    ]
    with backend(args.backend, args.jobs, args.address):
        table = run_experiment(args.out / "fop_trees.csv", tree_row, jobs)
    report = Report(args, "fop_trees", "Search trees in the Function Optimisation Problem")
    report.parts.append(
        f"{args.runs} searches a row, {args.iterations} iterations, threshold "
        f"{args.threshold:g}, UCB1 as `{args.form}`; terminal nodes of MCTS keep their first "
        "return."
    )
    for heading, text in sections(table).items():
        report.section(heading, text, is_printed=heading in PRINTED)
    for function, rows in groups_by(table, "function").items():
        histograms = {a: mean_locations(sample) for a, sample in groups_by(rows, "agent").items()}
        caption = f"{function}: mean number of nodes in a search"
        report.picture(function, location_figure(FopModel(function), histograms, caption), caption)
    report.picture("spread", spread_figure(table), "Results and depths of the searches")
    report.write()


def parsed_arguments() -> argparse.Namespace:
    """The options of the command line."""
    options = parser(__doc__)
    options.add_argument("--functions", nargs="+", choices=FUNCTIONS, default=list(FUNCTIONS))
    options.add_argument("--runs", type=at_least_two, default=100, help="searches of each row")
    options.add_argument("--iterations", type=int, default=5000, help="of each search")
    options.add_argument("--threshold", type=float, default=1e-5, help="of terminal intervals")
    options.add_argument("--form", choices=UCB1.FORMS, default=UCB1.FORMS[0], help="of UCB1")
    return parsed(options, runs=10)


if __name__ == "__main__":
    main()
