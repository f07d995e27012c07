"""Pruning by *-minimax, compared with Expectimax, in the base game for two.

The script searches positions in the middle of random games with Expectimax, Star1, Star2 and
Star2.5. It prints the share of Expectimax's nodes that each agent visits, and the positions that it
values in a second. It fails if their values do not agree.
"""

from __future__ import annotations

import numpy as np
from report import Option, Report, groups_by, markdown, run, with_interval

from agents import Rng, make
from agents.experiment import run_experiment
from carcassonne_env import CarcassonneModel

AGENTS = ("expectimax", "star1", "star2", "star2.5")
HEURISTICS = ("s", "vs")
BOUND = 100 / 593
"""The bound of the published agents: a lead of 100 points, in units of the returns."""


def mid_game(seed: int, num_tiles: int) -> CarcassonneModel:
    """A position of a random game with this number of tiles on the board and one to place."""
    model, rng = CarcassonneModel(), Rng(seed)
    while model.is_chance_node() or len(model.board) < num_tiles:
        chance = model.is_chance_node()
        model.apply_action(model.sample_chance(rng) if chance else model.sample_action(rng))
    return model


def search(agent: str, heuristic: str, depth: int, tiles: int, seed: int) -> dict[str, float]:
    """Searches one position."""
    bounds = "" if agent == "expectimax" else f", lower={-BOUND!r}, upper={BOUND!r}"
    planner = make(f"{agent}(depth={depth}, heuristic={heuristic}{bounds})", seed=seed)
    result = planner.search(mid_game(seed, tiles))
    return {name: getattr(result, name) for name in ("value", "nodes", "positions", "seconds")}


def main(report: Report) -> None:
    args = report.args
    jobs = [
        {"agent": a, "heuristic": h, "depth": args.depth, "tiles": args.tiles, "seed": seed}
        for h in HEURISTICS
        for a in AGENTS
        for seed in range(args.positions)
    ]
    table = run_experiment(report.path(), search, jobs)
    lines = []
    for (heuristic, agent), rows in groups_by(table, ["heuristic", "agent"]).items():
        full = table[(table["heuristic"] == heuristic) & (table["agent"] == "expectimax")]
        np.testing.assert_allclose(rows["value"], full["value"], atol=1e-9, err_msg=agent)
        shares = rows["nodes"] / full["nodes"].to_numpy()
        nodes, shown = f"{rows['nodes'].mean():,.0f}", with_interval(shares, 3)
        speed = f"{rows['positions'].sum() / rows['seconds'].sum() / 1e6:.1f}"
        time = f"{1000 * rows['seconds'].mean():.1f}"
        lines.append([heuristic, agent, nodes, shown, speed, time])
    header = ["heuristic", "agent", "nodes", "share", "million positions/s", "ms a search"]
    report.section("Means of a search", markdown(header, lines))


if __name__ == "__main__":
    run(
        main,
        "Pruning by *-minimax",
        positions=Option(100, "positions to search", quick=10),
        depth=Option(2, "decisions to look ahead"),
        tiles=Option(36, "tiles on the board"),
    )
