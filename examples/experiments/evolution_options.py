"""An ablation: what each option of the evolving planners changes.

Every variant searches functions of the Function Optimisation Problem and plays single-player
Carcassonne, with the same seeds. An interrupted run goes on where it stopped. Needs the extra
``experiments``.

The rows from "reevaluate_parents" on are ideas for the future of Valdez Ameneyro (2024, see the
README), which publishes no figures for them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import gymnasium
from report import groups_by, markdown, welch, with_interval

import carcassonne_env  # noqa: F401  (registers the environments)
from agents import EAMCTS, ESMCTS, MCTS, SIEAMCTS, Agent, ESpMCTS
from agents.experiment import run_experiment
from fop_env import FUNCTIONS, FopModel

VARIANTS: dict[str, tuple[type[Agent], dict[str, Any]]] = {
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
"""The planner of each row and what differs from its defaults."""
BASELINE = "EA-MCTS"
CARCASSONNE = "Carcassonne-1p-1m-d"


def measure(game: str, variant: str, iterations: int, seed: int) -> dict[str, float]:
    """One search in the FOP (the value found), or a game of Carcassonne (its score)."""
    planner_type, options = VARIANTS[variant]
    planner = planner_type(iterations, seed=seed, **options)
    if game == CARCASSONNE:
        env = gymnasium.make(game)
        env.reset(seed=seed)
        is_over, sizes = False, []
        while not is_over:
            result = planner.search(env)
            sizes.append(result.evolution.formula.size if result.evolution else 0)
            _, _, is_over, _, info = env.step(env.unwrapped.env_action(result.action))
        return {"result": float(info["scores"][0]), "nodes": sum(sizes) / len(sizes)}
    result = planner.search(FopModel(game))
    size = result.evolution.formula.size if result.evolution else 0
    return {"result": result.tree_statistics.most_visited_result, "nodes": float(size)}


def report(rows: Any, baseline: Any) -> list[str]:
    """Mean result and its difference from the baseline's, and mean number of nodes of formulas."""
    result = rows["result"]
    difference, p_value = welch(result, baseline.mean(), baseline.std(), len(baseline))
    nodes = with_interval(rows["nodes"], 1) if rows["nodes"].any() else ""
    is_score = rows["game"].iloc[0] == CARCASSONNE
    return [
        with_interval(result, 2 if is_score else 4),
        f"{difference:+.1f}",
        f"{p_value:.2g}",
        nodes,
    ]


def main() -> None:
    """Runs what is missing and prints the table."""
    args = parsed_arguments()
    counts = {**dict.fromkeys(args.functions, args.runs), CARCASSONNE: args.games}
    jobs = [
        {"game": game, "variant": variant, "iterations": args.iterations, "seed": seed}
        for game, count in counts.items()
        for variant in VARIANTS
        for seed in range(count)
    ]
    table = run_experiment(args.out / "evolution_options.csv", measure, jobs, workers=args.jobs)
    groups = groups_by(table, ["game", "variant"])
    lines = [
        [*key, *report(rows, groups[key[0], BASELINE]["result"])] for key, rows in groups.items()
    ]
    print(f"Difference from {BASELINE} in combined standard errors; p: Welch, uncorrected.\n")
    print(markdown(["game", "variant", "result", "difference", "p", "nodes"], lines))


def parsed_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--functions", nargs="*", choices=FUNCTIONS, default=["f2", "f4"])
    parser.add_argument("--runs", type=int, default=100, help="searches of each, 2 or more")
    parser.add_argument("--games", type=int, default=30, help="of Carcassonne, 2 or more")
    parser.add_argument("--iterations", type=int, default=5000, help="of each search")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder of the rows")
    args = parser.parse_args()
    if args.runs < 2 or args.games < 2:
        parser.error(f"--runs and --games must be 2 or more, got {args.runs} and {args.games}")
    return args


if __name__ == "__main__":
    main()
