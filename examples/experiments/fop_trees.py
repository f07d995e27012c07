"""Search trees in the Function Optimisation Problem, beside the published ones.

Every agent searches every function 100 times from the start, with the same seeds. The report
``fop_trees.md`` compares our values with the published ones, and the agents with each other. Its
pictures show where in [0, 1] the searches put their nodes, and the spread of results and depths.

Published: tables 5.4 to 5.8 and 5.11 of the thesis (see `thesis`), 100 runs of 5,000 iterations.
These settings reproduce the tables: a threshold of 1e-5, and UCB1 as Q + C*sqrt(ln(N)/n). In
searches of MCTS, terminal nodes keep their first return; in searches that evolve formulas, they
draw a new return at each visit. The result is the value at the end of the line of highest means:
the thesis names the line of most visits, but its author's program has the two results the wrong way
round (see the README).
"""

from __future__ import annotations

import itertools
import textwrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from published import (
    Comparison,
    add_tests,
    compare_means,
    compare_row,
    compare_shares,
    rows_table,
    tally,
)
from report import Option, Report, effect_text, grid, groups_by, markdown, p_text, run
from thesis import CONSTANTS, FORMULAS, TREE_AGENTS, TREE_SEARCHES, TREES

from agents import EAMCTS, MCTS, SIEAMCTS, UCB1, Agent, Formula, SearchResult
from agents.experiment import run_experiment
from agents.league import compare, corrected
from fop_env import FUNCTIONS, FopModel
from fop_env.figures import location_figure, location_histogram

EVOLVING = {"EA-MCTS": EAMCTS, "SIEA-MCTS": SIEAMCTS}
COLUMNS = {"expansion_rate": 2, "terminal_states": 0, "leaf_depth": 2, "result": 3}
"""The columns of the tables, and the decimals to which published means are rounded at least."""
ALL_COLUMNS = {**COLUMNS, "most_visited_result": 3}
"""The same with the result that the text of the thesis describes."""


# One search


def agent_of(name: str, form: str, iterations: int, seed: int) -> Agent:
    """The agent of a row of the tables."""
    if name in EVOLVING:
        return EVOLVING[name](iterations, seed=seed)
    policy = UCB1(CONSTANTS[name], form)
    return MCTS(iterations, tree_policy=policy, resample_terminals=False, seed=seed)


def tree_row(
    function: str, agent: str, threshold: float, form: str, iterations: int, seed: int
) -> dict[str, Any]:
    """Searches once and returns the statistics of the tree."""
    model = FopModel(function, threshold=threshold)
    result = agent_of(agent, form, iterations, seed).search(model)
    statistics, evolution = result.tree_statistics, getattr(result, "evolution", None)
    depth, deviation = statistics.leaf_depth
    names = ("num_nodes", "num_leaves", "expansion_rate", "terminal_states", "most_visited_result")
    return {
        **{name: getattr(statistics, name) for name in names},
        "leaf_depth": depth,
        "leaf_depth_deviation": deviation,
        "result": value_by_means(result),
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


def comparisons_of(groups: dict[tuple[str, str], pd.DataFrame]) -> list[Comparison]:
    """Our trees beside tables 5.4 to 5.8, value by value.

    Where no deviation over searches is printed, it rounds to 0. For the depth, our deviation stands
    for both, because the printed one is over leaves.
    """
    comparisons = []
    for function, rows in TREES.items():
        for agent, (rate, terminals, depth, result) in zip(TREE_AGENTS, rows, strict=True):
            if (found := groups.get((function, agent))) is not None:
                printed = rate, terminals, depth.partition(" ± ")[0], result
                given = printed, TREE_SEARCHES, ["0", "0", "", "0"]
                values = [found[column] for column in COLUMNS]
                comparisons += compare_row((function, agent), COLUMNS, values, *given)
    return comparisons


def formula_comparisons(groups: dict[tuple[str, str], pd.DataFrame]) -> list[Comparison]:
    """The formulas of each function beside table 5.11: shares with each variable, and sizes."""
    comparisons = []
    for key, rows in groups.items():
        formulas = [Formula(text) for text in rows["formula"] if isinstance(text, str) and text]
        if key[1] in EVOLVING and formulas:  # with few iterations, nothing evolves
            *shares, size = FORMULAS[key]
            for name, share in zip("nNQ", shares, strict=True):
                ours = sum(name in formula.variables for formula in formulas), len(formulas)
                published = round(share * TREE_SEARCHES), TREE_SEARCHES
                comparisons.append(compare_shares(key, name, ours, published))
            sizes = pd.Series([formula.size for formula in formulas])
            comparisons.append(compare_means(key, "nodes", sizes, size, TREE_SEARCHES, decimals=1))
    return comparisons


# Report


def add_sections(report: Report, table: pd.DataFrame) -> None:
    """Adds the tables to the report, and what they say to its verdict."""
    groups = groups_by(table, ["function", "agent"])
    trees, formulas = comparisons_of(groups), formula_comparisons(groups)
    report.tallies += [tally("5.4 to 5.8", trees), tally("5.11, FOP", formulas)]
    report.section(
        "Beside the published values (tables 5.4 to 5.8)",
        "Ours / published: means, ± half of the 95% confidence interval over searches; bold where "
        "they differ. The comparison is meant for 100 runs: a few searches that happen to be alike "
        "show too small a deviation.",
        rows_table(["function", "agent"], list(COLUMNS), trees),
    )
    report.section(
        "Evolved formulas (table 5.11)",
        "Ours / published: shares that contain n, N and Q, with 95% intervals, and mean number of "
        "nodes.",
        rows_table(["function", "agent"], ["n", "N", "Q", "nodes"], formulas),
    )
    note = (
        "Where the tables print no deviation it rounds to 0; for depths and sizes of formulas, "
        "ours stands for both."
    )
    add_tests(report, trees, formulas, note)
    lines = [
        [*key, *(with_deviation(rows, c) for c in ALL_COLUMNS)] for key, rows in groups.items()
    ]
    report.section(
        "All agents",
        "Mean ± deviation over searches; deviation of the depth: over the leaves of a tree. The "
        "most visited result ends the line of most visits, as in the text of the thesis, the other "
        "one the line of highest means, as in its tables.",
        markdown(["function", "agent", *ALL_COLUMNS], lines),
        is_printed=False,
    )
    report.section(
        "Agents against each other",
        "All agents search with the same seeds, so the tests are those of pairs: *d* is the mean "
        "difference, first less second, in standard deviations of the differences, with its 95% "
        "interval; p of the paired t test and of Wilcoxon's (two-sided), corrected for the number "
        "of tests in a column by Holm's method. A dash: searches without any difference.",
        pairwise_tests(table),
        is_printed=False,
    )


SPREAD = ("result", "leaf_depth")
"""The columns for which spreads over searches are drawn and differences tested."""


def pairwise_tests(table: pd.DataFrame) -> str:
    """Tests of all pairs of agents on every function, seed by seed."""
    rows = []
    for function, searches in groups_by(table, "function").items():
        samples = groups_by(searches, "agent")
        for first, second in itertools.combinations(samples, 2):
            row = {"function": function, "agents": f"{first}, {second}"}
            for column in SPREAD:
                pair = (samples[name][column].to_numpy() for name in (first, second))
                tests = compare(*pair, is_paired=True)
                row[f"{column}: d"] = effect_text(tests)
                row |= {f"{column}: {test}": tests[test] for test in ("paired t", "Wilcoxon")}
            rows.append(row)
    frame = pd.DataFrame(rows)
    for name in frame.select_dtypes(float):
        frame[name] = [p_text(p_value) for p_value in corrected(frame[name])]
    return markdown(frame.columns, frame.to_numpy())


def with_deviation(rows: pd.DataFrame, column: str) -> str:
    """Mean ± standard deviation; for the depth, the mean deviation within trees, as printed."""
    values = rows[column]
    spread = rows["leaf_depth_deviation"].mean() if column == "leaf_depth" else values.std()
    decimals = ALL_COLUMNS[column] + 1
    return f"{values.mean():.{decimals}f} ± {spread:.{decimals}f}"


# Pictures


def mean_locations(rows: pd.DataFrame) -> np.ndarray:
    """Mean numbers of nodes by third of the search and by location: float64[3, 128]."""
    counts = [np.array(text.split(), dtype=np.int64) for text in rows["locations"]]
    return np.mean(counts, axis=0).reshape(3, 128)


def spread_figure(table: pd.DataFrame) -> Figure:
    """Box plots of results and depths by agent, one column a function; each plot has its scale."""
    functions = groups_by(table, "function")
    figure = Figure(figsize=(2.6 * len(functions) + 1.5, 6), layout="constrained")
    axes = figure.subplots(2, len(functions), sharex=True, squeeze=False)
    for row, column in enumerate(SPREAD):
        for ax, (function, rows) in zip(axes[row], functions.items(), strict=True):
            samples = {agent: sample[column] for agent, sample in groups_by(rows, "agent").items()}
            ax.boxplot(samples.values(), widths=0.6)
            ax.set_xticks(range(1, len(samples) + 1), samples, rotation=60, ha="right")
            ax.set_title(function if row == 0 else "")
        axes[row, 0].set_ylabel(("value where the highest means lead", "mean depth of leaves")[row])
    legend = (
        "Each plot has its own scale. Box: quartiles and median of the searches; whiskers: the "
        "last search within 1.5 box lengths; circles: searches beyond."
    )
    figure.suptitle(textwrap.fill(legend, int(14 * figure.get_figwidth())), fontsize=9)
    return figure


def main(report: Report) -> None:
    args = report.args
    options = {name: [getattr(args, name)] for name in ("threshold", "form", "iterations")}
    jobs = grid(function=args.functions, agent=TREE_AGENTS, **options, seed=range(args.runs))
    table = run_experiment(report.path(), tree_row, jobs)
    report.parts.append(
        f"{args.runs} searches a row, {args.iterations} iterations, threshold "
        f"{args.threshold:g}, UCB1 as `{args.form}`; terminal nodes of MCTS keep their first "
        "return."
    )
    add_sections(report, table)
    for function, rows in groups_by(table, "function").items():
        histograms = {a: mean_locations(sample) for a, sample in groups_by(rows, "agent").items()}
        caption = f"{function}: mean number of nodes in a search"
        report.picture(function, location_figure(FopModel(function), histograms, caption), caption)
    report.picture("spread", spread_figure(table), "Results and depths of the searches")


if __name__ == "__main__":
    run(
        main,
        "Search trees in the Function Optimisation Problem",
        functions=Option(tuple(FUNCTIONS), "the functions", choices=FUNCTIONS),
        runs=Option(100, "searches of each row", quick=10, least=2),
        iterations=Option(5000, "of each search"),
        threshold=Option(1e-5, "of terminal intervals"),
        form=Option(UCB1.FORMS[0], "of UCB1", choices=UCB1.FORMS),
    )
