"""The leaderboard of a benchmark: tables in Markdown, and a picture of strength against time.

Needs the extra ``experiments``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agents.benchmark import Benchmark, Task
from agents.checks import extra
from agents.tables import markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKS = {
    "planner": ("o", "#1f5fa8"),
    "learner": ("s", "#c8501e"),
    "agent": ("D", "#7a4fa0"),
    "program": ("^", "#3c7d3c"),
}
"""Shape and colour of the kinds of players in the picture."""
Result = Mapping[str, Any]


def page(benchmark: Benchmark, results: Sequence[Result], others: Sequence[str]) -> str:
    """The leaderboard in Markdown of results (see `agents.benchmark.result_of`) of a benchmark.

    Results of other versions, whose names are `others`, are only named.
    """
    parts = [
        f"# {benchmark.name}: the leaderboard",
        f"`carcassonne benchmark --table` wrote this page. Hash: `{benchmark.hash}`. Intervals are "
        "95% confidence intervals over games; they are ± 0.0 where all seeds gave the same result, "
        "which is no certainty. A learner is one run of its training; the interval does not "
        "cover others.",
        "![Strength against time](leaderboard.png)",
        *(_section(benchmark, task, results) for task in benchmark.tasks),
    ]
    if others:
        named = ", ".join(f"`{name}`" for name in others)
        parts.append(f"Results of another version, which are not compared: {named}.")
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(benchmark: Benchmark, task: Task, results: Sequence[Result]) -> str:
    """The table of a task, the best player first; "" if nobody played it."""
    ranked = ranking(task, results)
    if not ranked:
        return ""
    rivals = [rival for rival in benchmark.rivals_of(task) if rival]
    header = ["entry", "kind", _unit(task)[1], *rivals, "ms a move", "failures"]
    lines = []
    for result in ranked:
        measured = result["tasks"][task.name]
        against = [measured["rivals"][rival] for rival in rivals]
        shown = [_shown(one, task) for one in (measured, *against)]
        time = "–" if measured["ms_per_move"] is None else f"{measured['ms_per_move']:.3g}"
        failures = ", ".join(f"{count} {kind}" for kind, count in measured["failures"].items())
        lines.append([f"`{result['name']}`", result["kind"], *shown, time, failures or "0"])
    games = ranked[0]["tasks"][task.name]["games"]
    about = f"`{task.game}`, {games} games of each player."
    if rivals:
        about += " Each column of a rival has the points against it."
    text = " ".join(filter(None, (about, task.note)))
    return f"## {task.name}\n\n{text}\n\n{markdown(header, lines)}"


def ranking(task: Task, results: Sequence[Result]) -> list[Result]:
    """The results that have a task, the best first."""
    played = [result for result in results if task.name in result["tasks"]]
    return sorted(played, key=lambda result: -result["tasks"][task.name]["mean"])


def _unit(task: Task) -> tuple[int, str]:
    """By what the measure is multiplied to be shown, and its name: scores, or points in %."""
    return (1, "score") if task.unit == "score" else (100, "points, %")


def _shown(measured: Mapping[str, Any], task: Task) -> str:
    """Mean and interval."""
    factor, _ = _unit(task)
    return f"{factor * measured['mean']:.1f} ± {factor * measured['half_width']:.1f}"


def figure(benchmark: Benchmark, results: Sequence[Result]) -> Figure:
    """The measure of each task against milliseconds a move; the bars are the intervals."""
    with extra("experiments", "the picture of a leaderboard"):
        from matplotlib.figure import Figure

    tasks = [task for task in benchmark.tasks if ranking(task, results)]
    columns = min(2, len(tasks))
    rows = -(-len(tasks) // columns)
    drawing = Figure(figsize=(6.5 * columns, 4 * rows), layout="constrained")
    grid = drawing.subplots(rows, columns, squeeze=False).ravel()
    for axes, task in zip(grid, tasks, strict=False):
        _draw(axes, task, ranking(task, results))
    for axes in grid[len(tasks) :]:
        axes.remove()
    kinds = {result["kind"] for result in results}
    handles = [
        grid[0].plot([], [], MARKS[kind][0], color=MARKS[kind][1], label=kind)[0]
        for kind in MARKS
        if kind in kinds
    ]
    drawing.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return drawing


def _draw(axes: Any, task: Task, ranked: Sequence[Result]) -> None:
    """The panel of a task. Where marks lie close together, their names are a list."""
    factor, unit = _unit(task)
    line = 0.045 * factor * max(result["tasks"][task.name]["mean"] for result in ranked)
    names: list[tuple[float, float]] = []  # where they lie
    for result in ranked:
        measured = result["tasks"][task.name]
        if measured["ms_per_move"] is None:
            continue
        mark, colour = MARKS[result["kind"]]
        at = measured["ms_per_move"], factor * measured["mean"]
        axes.errorbar(*at, yerr=factor * measured["half_width"], fmt=mark, color=colour, capsize=3)
        height = min([at[1], *(y - line for x, y in names if 1 / 15 < x / at[0] < 15)])
        names.append((at[0], height))
        style = {"textcoords": "offset points", "va": "center", "fontsize": 8, "parse_math": False}
        axes.annotate(result["name"], (at[0], height), (8, 0), **style)
    axes.set_xscale("log")
    axes.margins(x=0.25)
    axes.set_ylim(bottom=min([0, *(y for _, y in names)]))  # names below it would not be drawn
    axes.set_title(task.name)
    axes.set_xlabel("milliseconds a move")
    axes.set_ylabel(unit)
    axes.grid(alpha=0.3)
