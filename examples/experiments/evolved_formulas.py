"""The formulas that EA-MCTS and SIEA-MCTS evolve: the most frequent ones, and their size by turn.

The script searches the start of the Function Optimisation Problem many times and plays games of
single-player Carcassonne. It records the formula of every search, prints the most frequent ones,
simplified, and plots the sizes and the variables of formulas by turn, as figures 6.1 and 6.2 of
Valdez Ameneyro (2024, see the README) do for the two-player game.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from courses import draw_mean
from evolution_options import jobs_of, options, searches, started
from matplotlib.figure import Figure
from report import Option, Report, groups_by, markdown, run, with_interval

from agents import EAMCTS, SIEAMCTS, Formula
from agents.experiment import run_experiment
from fop_env import FopModel

PLANNERS = {"EA-MCTS": EAMCTS, "SIEA-MCTS": SIEAMCTS}
VARIABLES = ("Q", "n", "N")
CARCASSONNE = "Carcassonne-1p-3m-s"


def evolve(game: str, agent: str, iterations: int, seed: int) -> dict[str, str]:
    """Searches once in the FOP, or plays a game of Carcassonne; returns the formulas by turn.

    A turn has no formula if its budget ended before a formula was evaluated.
    """
    planner = PLANNERS[agent](iterations, seed=seed)
    is_played = game == CARCASSONNE
    results = (
        searches(planner, started(game, seed)) if is_played else [planner.search(FopModel(game))]
    )
    return {"formulas": ";".join(str(r.evolution.formula) if r.evolution else "" for r in results)}


def by_turn(table: pd.DataFrame) -> pd.DataFrame:
    """One row for each formula: game, agent, turn, text, size, and which variables it has."""
    rows = []
    for row in table.itertuples():
        for turn, text in enumerate(row.formulas.split(";"), start=1):
            if text:
                formula = Formula(text)
                place = {"game": row.game, "agent": row.agent, "turn": turn}
                size = {"size": formula.size, "formula": str(formula.simplified())}
                contains = {name: name in formula.variables for name in VARIABLES}
                rows.append(place | size | contains)
    return pd.DataFrame(rows)


def most_frequent(formulas: pd.DataFrame, count: int) -> str:
    """The most frequent formulas, and the mean size of all formulas."""
    lines = []
    for (game, agent), rows in groups_by(formulas, ["game", "agent"]).items():
        texts = rows["formula"].value_counts().head(count)
        listed = ", ".join(f"`{text}` ({number})" for text, number in texts.items())
        lines.append([game, agent, str(len(rows)), with_interval(rows["size"], 1), listed])
    return markdown(["game", "agent", "formulas", "nodes", "most frequent, simplified"], lines)


def turn_figure(formulas: pd.DataFrame) -> Figure:
    """Mean size, and the shares that contain each variable, by turn; bands are 95% intervals."""
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    left, *others = figure.subplots(1, 1 + formulas["agent"].nunique())
    for ax, (agent, rows) in zip(others, groups_by(formulas, "agent").items(), strict=True):
        turns = rows.groupby("turn")
        draw_mean(left, turns["size"], label=agent)
        for name, style in zip(VARIABLES, ("-", "--", ":"), strict=True):
            draw_mean(ax, turns[name], linestyle=style, label=name)
        ax.set(title=agent, xlabel="turn", ylabel="share of formulas with it", ylim=(0, 1.02))
        ax.legend()
    left.set(title="Nodes of the evolved formula", xlabel="turn", ylim=(0, None))
    left.axhline(Formula(EAMCTS().first_formula, c=2).size, color="gray", lw=1, label="UCB1")
    left.legend()
    return figure


def main(report: Report) -> None:
    jobs = jobs_of(report.args, CARCASSONNE, "agent", PLANNERS)
    formulas = by_turn(run_experiment(report.path(), evolve, jobs).replace(np.nan, ""))
    report.section("The most frequent formulas", most_frequent(formulas, report.args.most))
    figure = turn_figure(formulas[formulas["game"] == CARCASSONNE])
    report.picture("turns", figure, "Size and variables of evolved formulas by turn")


if __name__ == "__main__":
    run(
        main,
        "The formulas that EA-MCTS and SIEA-MCTS evolve",
        **options("f1", "f2", "f4"),
        most=Option(5, "formulas to print"),
    )
