"""Multi-action games: Evolutionary MCTS against its rivals in the tactics game.

The script plays Evolutionary MCTS (EMCTS) against six other planners with 5, 10 and 15 actions a
turn, at equal numbers of turns valued and at equal time. It then has all planners plan the same
turns and draws how fast they get how far. At last it plays EMCTS with each of its options against
EMCTS without.

Source: Baier and Cowling, "Evolutionary MCTS for Multi-Action Adversarial Games", IEEE Conference
on Computational Intelligence and Games, 2018.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from published import Comparison, cell, compare_points, tally
from report import Option, Report, grid, markdown, run, with_interval
from standings import pairs_of_games

from agents import Rng, make
from agents.catalogue import make_game
from agents.experiment import run_experiment
from agents.forward_model import ForwardModel

PARTS = ("evaluations", "time", "turns", "options")
ACTION_POINTS = (5, 10, 15)
AS_PUBLISHED = ", as published"
OPPONENTS = {
    "Greedy Action": "greedy-action",
    "Greedy Turn": "greedy-turn({})",
    "Greedy Turn" + AS_PUBLISHED: "greedy-turn({}, order=legal, depth=6, rest=quiet)",
    "BB-MCTS": "bb-mcts({})",
    "BB-MCTS" + AS_PUBLISHED: "bb-mcts({}, rest=quiet)",
    "non-exploring MCTS": "non-exploring-mcts({})",
    "non-exploring MCTS" + AS_PUBLISHED: "non-exploring-mcts({}, rest=quiet)",
    "vanilla OEP": "oep({})",
    "greedy OEP": "greedy-oep({})",
}
"""The players, with a place for their budgets.

Three planners of the published program differ from ours: Greedy Turn takes the actions as the game
lists them, searches six of a turn and plays no more, and both MCTS play what their tree holds and
no more. Its game lets a player end a turn at any time; ours has no passing, and the quiet actions
of `rest` come closest.
"""
EVALUATIONS = {"200 ms": 670, "1 s": 3300}
"""Turns valued in the published time.

A depth-first search of the Java program valued 500,000 ends of turns in 6 s (Justesen, slides of
"Online Evolution for Multi-Action Adversarial Games", EvoApplications 2016), about one applied
action for each. Online evolution applies five actions for each turn of 5 actions: at the same
speed, 3,300 turns in 0.2 s and 16,700 in 1 s. EMCTS valued a fifth as many (Baier and Cowling).
"""
PHASES = {"200 ms": 20, "1 s": 40}
TIMES = {"20 ms": 0.02, "200 ms": 0.2}
PUBLISHED: dict[tuple[str, str], tuple[float | None, ...]] = {
    ("200 ms", "Greedy Action"): (87.6, 97.8, 98.3),
    ("200 ms", "Greedy Turn"): (96.9, 100, 100),
    ("200 ms", "BB-MCTS"): (68.6, 88.8, 93.0),
    ("200 ms", "non-exploring MCTS"): (74.5, 91.8, 92.0),
    ("200 ms", "vanilla OEP"): (77.8, 92.0, 94.8),
    ("200 ms", "greedy OEP"): (60.6, 59.5, 65.3),
    ("1 s", "Greedy Action"): (88.1, 98.5, 99.3),
    ("1 s", "Greedy Turn"): (92.8, None, None),
    ("1 s", "BB-MCTS"): (67.1, 90.3, 94.5),
    ("1 s", "vanilla OEP"): (70.5, 84.8, 91.0),
    ("1 s", "greedy OEP"): (52.5, 58.8, 61.8),
}
"""Percent of the points of EMCTS with 5, 10 and 15 actions a turn (table I), where we know them."""
PLAYED = 400
"""Published games of a cell."""
OPTIONS = (
    "mutations=ordered",
    "c=0.01",
    "c=None, tree_policy=ucb1-tuned(c=0.01)",
    "starts=10",
    "reply=True",
)
OPTION_PHASES, OPTION_EVALUATIONS = 20, 670
GRID = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)
"""Numbers of turns valued at which the best value so far is drawn."""
POINTS = 60_000
"""Points of the game's evaluation that a return of 1 stands for."""


def main(report: Report) -> None:
    for part, add in zip(PARTS, (add_evaluations, add_times, add_turns, add_options), strict=True):
        if part in report.args.parts:
            add(report)


def budget_of(report: Report, evaluations: int, times: int = 1) -> str:
    """The budget of so many turns valued, with the factor of the command line."""
    return f"iterations={times * max(1, round(report.args.scale * evaluations))}"


def played(report: Report, first: str, second: str, num_games: int) -> dict[int, pd.Series]:
    """The share of the points of the first player in pairs of games, by action points."""
    given = first, second, num_games // 2
    return {
        n: pairs_of_games(report.path(f"{n}_games"), f"tactics(action_points={n})", *given)[
            "points"
        ]
        for n in ACTION_POINTS
    }


def header(*first: str) -> list[str]:
    """The heads of a table with a column for each number of action points."""
    return [*first, *(f"{points} actions" for points in ACTION_POINTS)]


def add_evaluations(report: Report) -> None:
    """EMCTS against each opponent, both with the same number of turns valued."""
    lines: list[list[str]] = []
    found: list[Comparison] = []
    for (time, number), games in zip(EVALUATIONS.items(), report.args.games, strict=True):
        budget = budget_of(report, number)
        emcts = f"emcts({budget}, phases={PHASES[time]})"
        opponents = {name: player.format(budget) for name, player in OPPONENTS.items()}
        opponents["vanilla OEP, five times as many"] = f"oep({budget_of(report, number, 5)})"
        for opponent, player in opponents.items():
            points = played(report, emcts, player, games)
            compared = compare_cells((time, opponent), points)
            found += compared.values() if opponent in OPPONENTS else []
            cells = [cell(compared[n]) if n in compared else percent(p) for n, p in points.items()]
            lines.append([f"{number:,}", f"{games}", opponent, *cells])
    ours = [c for c in found if not c.row[1].endswith(AS_PUBLISHED)]
    as_published = [c for c in found if c.row[1] + AS_PUBLISHED not in OPPONENTS]
    for name, comparisons in (("our reading", ours), ("as published", as_published)):
        report.tallies.append(tally(name, comparisons, is_joint=False))
    text = (
        "Percent of the points of EMCTS, half of the games in either seat: ours / published. Both "
        "players value the same number of turns; the published ones had the same time (200 ms for "
        "the first number, 1 s for the second). Bold: they differ by more than 3 standard errors."
    )
    heads = header("turns valued", "games", "opponent")
    report.section("Equal numbers of turns valued", text, markdown(heads, lines))


def compare_cells(row: tuple[str, str], series: dict[int, pd.Series]) -> dict[int, Comparison]:
    """The cells of a row beside the published ones that we know, by action points."""
    time, opponent = row
    published = PUBLISHED.get((time, opponent.partition(",")[0]), (None,) * len(ACTION_POINTS))
    return {
        n: compare_points(row, f"{n} actions", points, [number], PLAYED, whole=100, decimals=1)
        for (n, points), number in zip(series.items(), published, strict=True)
        if number is not None
    }


def percent(points: pd.Series) -> str:
    """Our percent."""
    return with_interval(100 * points, 1)


def add_times(report: Report) -> None:
    """EMCTS against each opponent at equal time."""
    lines = []
    for (time, seconds), games in zip(TIMES.items(), report.args.timed_games, strict=True):
        budget = f"time_limit={report.args.scale * seconds:g}"
        emcts = f"emcts({budget}, phases={PHASES['200 ms']})"
        for opponent, player in OPPONENTS.items():
            series = played(report, emcts, player.format(budget), games)
            lines.append([time, f"{games}", opponent, *map(percent, series.values())])
    text = "Percent of the points of EMCTS at equal time a turn. Here a machine's speed counts."
    report.section("Equal time", text, markdown(header("time a turn", "games", "opponent"), lines))


# --- One turn ---


def position(action_points: int, seed: int) -> ForwardModel:
    """A position at the start of a turn, after some turns of Greedy Action."""
    model = make_game(f"tactics(action_points={action_points})")
    rng, agent, num_turns = Rng(seed), make("greedy-action"), 2 + seed % 12
    while not model.is_terminal() and (model.is_chance_node() or model.turn < num_turns):
        is_chance = model.is_chance_node()
        model.apply_action(model.sample_chance(rng) if is_chance else agent.choose(model))
    return position(action_points, seed + 10_000) if model.is_terminal() else model


def planned_turn(action_points: int, planner: str, seed: int) -> dict[str, Any]:
    """Plans a turn; a row with the best value after each number of `GRID`."""
    model = position(action_points, seed)
    result = make(planner, seed=seed).search(model)
    now = model.heuristic(model.current_player(), "evaluation")
    counts = [count for count, _ in result.history]
    row: dict[str, Any] = {"legal_actions": len(model.legal_actions())}
    for count in GRID:
        known = int(np.searchsorted(counts, count, side="right"))
        best = result.history[known - 1][1] if known else np.nan
        row[f"best_{count}"] = POINTS * (best - now)
    row["evaluations_per_second"] = result.evaluations_per_second
    statistics = None if result.search is None else result.search.tree_statistics
    row["tree_nodes"] = np.nan if statistics is None else statistics.num_nodes
    row["tree_depth"] = np.nan if statistics is None else statistics.max_depth
    return row


def add_turns(report: Report) -> None:
    """All planners on the same turns: who gets where, how fast."""
    budget, num_turns = budget_of(report, GRID[-1]), report.args.turns
    planners = {"EMCTS": f"emcts({budget}, phases=20)"}
    planners |= {
        name: player.format(budget)
        for name, player in OPPONENTS.items()
        if not name.endswith(AS_PUBLISHED)
    }
    lines, tables = [], {}
    for points in ACTION_POINTS:
        jobs = grid(action_points=[points], planner=planners.values(), seed=range(num_turns))
        path = report.path(f"{points}_turns")
        tables[points] = table = run_experiment(path, planned_turn, jobs)
        for name, planner in planners.items():
            rows = table[table["planner"] == planner]
            legal, gained = rows["legal_actions"].mean(), with_interval(rows[f"best_{GRID[-1]}"], 0)
            speed = f"{rows['evaluations_per_second'].median():,.0f}"
            tree = shown(rows["tree_nodes"]), shown(rows["tree_depth"])
            lines.append([f"{points}", name, f"{legal:.0f}", gained, speed, *tree])
    heads = ["actions", "planner", "legal actions at first", "points gained"]
    text = (
        f"{num_turns} turns from games of Greedy Action, each planned by every planner with "
        f"{budget}. Points gained: the value of the best turn that was valued, minus that of the "
        "position, in points of the game's evaluation."
    )
    table = markdown([*heads, "turns valued a second", "tree nodes", "tree depth"], lines)
    report.section("Planning one turn", text, table)
    report.picture("turns", turns_figure(tables, planners), "Best value by number of turns valued")


def shown(values: pd.Series) -> str:
    """A mean, or nothing where there are no values."""
    return "" if values.isna().all() else f"{values.mean():,.0f}"


def turns_figure(tables: dict[int, pd.DataFrame], planners: dict[str, str]) -> Figure:
    """The points gained by the number of turns valued, one panel for each length of a turn."""
    figure = Figure(figsize=(4 * len(tables), 4), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(tables)))
    for ax, (points, table) in zip(panels, tables.items(), strict=True):
        means = table.groupby("planner")[[f"best_{count}" for count in GRID]].mean()
        for name, planner in planners.items():
            style = {"color": "black", "linewidth": 2} if name == "EMCTS" else {}
            ax.plot(GRID, means.loc[planner], label=name, **style)
        ax.set(xscale="log", title=f"{points} actions a turn", xlabel="turns valued")
    panels[0].set_ylabel("points gained")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=7)
    return figure


def add_options(report: Report) -> None:
    """EMCTS with each of its options against EMCTS without."""
    budget = f"{budget_of(report, OPTION_EVALUATIONS)}, phases={OPTION_PHASES}"
    lines = []
    for option in OPTIONS:
        players = f"emcts({budget}, {option})", f"emcts({budget})"
        series = played(report, *players, report.args.games[0])
        lines.append([f"`{option}`", *map(percent, series.values())])
    text = f"Percent of the points of EMCTS with the option against EMCTS without, both `{budget}`."
    report.section("Options of EMCTS", text, markdown(header("option"), lines))


if __name__ == "__main__":
    even = {"least": 2, "is_even": True}
    run(
        main,
        "Multi-action games",
        parts=Option(PARTS, "what to run", choices=PARTS),
        games=Option((200, 100), "games a cell for both budgets", quick=(2, 2), nargs=2, **even),
        timed_games=Option((100, 20), "those at 20 and 200 ms", quick=(2, 2), nargs=2, **even),
        turns=Option(50, "turns for every planner", quick=2),
        scale=Option(1.0, "factor of all budgets", quick=0.02),
    )
