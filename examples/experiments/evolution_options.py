"""An ablation: what each option of the evolving planners changes.

Every variant searches functions of the Function Optimisation Problem and plays single-player
Carcassonne, with the same seeds.

The rows from "reevaluate_parents" on are ideas that Valdez Ameneyro (2024, see the README) names as
future work, without numbers.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator
from typing import Any

import gymnasium
import pandas as pd
from report import (
    Option,
    Report,
    effect_text,
    grid,
    groups_by,
    markdown,
    p_text,
    run,
    with_interval,
)

from agents import EAMCTS, ESMCTS, MCTS, SIEAMCTS, ESpMCTS, SearchResult
from agents.experiment import run_experiment
from agents.league import compare, corrected
from fop_env import FUNCTIONS, FopModel

VARIANTS: dict[str, tuple[type[MCTS], dict[str, Any]]] = {
    "MCTS C=0.5": (MCTS, {"c": 0.5}),
    "MCTS C=sqrt2": (MCTS, {}),
    "EA-MCTS": (EAMCTS, {}),
    "SIEA-MCTS": (SIEAMCTS, {}),
    "ES-MCTS": (ESMCTS, {}),
    "ES-p-MCTS": (ESpMCTS, {}),
    "reevaluate_parents": (EAMCTS, {"reevaluate_parents": True}),
    "sanity_checks": (EAMCTS, {"sanity_checks": True}),
    "semantics of branches": (SIEAMCTS, {"semantics": "branches"}),
    "keep_evolving": (EAMCTS, {"keep_evolving": True}),
    "protect_exploration": (EAMCTS, {"protect_exploration": True}),
    "objectives": (EAMCTS, {"objectives": "return and size"}),
    "sane and re-evaluated": (EAMCTS, {"reevaluate_parents": True, "sanity_checks": True}),
}
"""The planner of each row, and its options that are not the defaults."""
BASELINE = "EA-MCTS"
CARCASSONNE = "Carcassonne-1p-1m-d"


def options(*functions: str) -> dict[str, Option]:
    """The options of a script that searches these functions and plays games of Carcassonne."""
    return {
        "functions": Option(functions, "the functions", choices=FUNCTIONS),
        "runs": Option(100, "searches of each function", quick=5, least=2),
        "games": Option(30, "of Carcassonne", quick=2, least=2),
        "iterations": Option(5000, "of each search", quick=500),
    }


def jobs_of(
    args: Namespace, carcassonne: str, role: str, names: Iterable[str]
) -> list[dict[str, Any]]:
    """The jobs of such a script: searches and games of each name that has the role in them."""
    chosen = {role: names, "iterations": [args.iterations]}
    return [
        *grid(game=args.functions, **chosen, seed=range(args.runs)),
        *grid(game=[carcassonne], **chosen, seed=range(args.games)),
    ]


def started(game: str, seed: int) -> gymnasium.Env[Any, Any]:
    """An environment of Carcassonne at the start of a game."""
    env = gymnasium.make(f"carcassonne_env:{game}")  # registers it in worker processes, too
    env.reset(seed=seed)
    return env


def searches(planner: MCTS, env: gymnasium.Env[Any, Any]) -> Iterator[SearchResult]:
    """Plays an episode to its end; yields the result of every search before its action."""
    is_over = False
    while not is_over:
        result = planner.search(env)
        yield result
        _, _, is_over, _, _ = env.step(env.unwrapped.env_action(result.action))


def measure(game: str, variant: str, iterations: int, seed: int) -> dict[str, float]:
    """Searches the FOP once (result: that of the line of most visits), or plays (the score)."""
    planner_type, options = VARIANTS[variant]
    planner = planner_type(iterations, seed=seed, **options)
    if game == CARCASSONNE:
        env = started(game, seed)
        sizes = [size_of(result) for result in searches(planner, env)]
        return {"result": float(env.unwrapped.model.scores[0]), "nodes": sum(sizes) / len(sizes)}
    result = planner.search(FopModel(game))
    value = result.tree_statistics.most_visited_result
    return {"result": value, "nodes": float(size_of(result))}


def size_of(result: SearchResult) -> int:
    """Number of nodes of the evolved formula, 0 if none evolved."""
    evolution = getattr(result, "evolution", None)
    return evolution.formula.size if evolution else 0


def table_of(groups: dict[tuple[str, str], pd.DataFrame]) -> str:
    """The table of all variants, with tests against the baseline, seed by seed.

    P-values are corrected for the number of rows.
    """
    lines, p_values = [], []
    for (game, variant), rows in groups.items():
        results = [found["result"].to_numpy() for found in (rows, groups[game, BASELINE])]
        tests = compare(*results, is_paired=True)
        p_values.append(tests["paired t"])
        result = with_interval(rows["result"], 2 if game == CARCASSONNE else 4)
        nodes = with_interval(rows["nodes"], 1) if rows["nodes"].any() else ""
        lines.append([game, variant, result, effect_text(tests), nodes])
    for line, p_value in zip(lines, corrected(p_values), strict=True):
        line.insert(-1, p_text(p_value))
    return markdown(["game", "variant", "result", "effect", "p", "nodes"], lines)


def main(report: Report) -> None:
    jobs = jobs_of(report.args, CARCASSONNE, "variant", VARIANTS)
    table = run_experiment(report.path(), measure, jobs)
    report.section(
        "All variants",
        f"Effect: mean difference from {BASELINE}, seed by seed, in standard deviations of the "
        "differences, with its 95% interval; p: paired t test, corrected by Holm's method.",
        table_of(groups_by(table, ["game", "variant"])),
    )


if __name__ == "__main__":
    title = "Options of the evolving planners"
    run(main, title, **options("f2", "f4"))
