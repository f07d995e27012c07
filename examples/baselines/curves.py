"""The learning curves of the baselines and the table of their last scores.

    cd examples && python -m baselines.curves

Reads the tables of measurements in a folder, prints the table in Markdown, and draws a curve for
each baseline: the mean of its seeds with its 95% interval. With one seed, the interval is that of
the games of a measurement. Needs the extra ``experiments``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from agents.csv_tables import read_table
from agents.evaluation import half_width
from agents.pictures import save_figure
from agents.tables import markdown

GOOD = 64.0
"""A score a little above that of expectimax-1-outlook, which looks one move ahead."""
HEADER = ("baseline", "seeds", "minutes", "score", "actions", f"minutes to {GOOD:g} points")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    folder = Path(__file__).with_name("results")
    parser.add_argument("folder", nargs="?", type=Path, default=folder, help="of the tables")
    parser.add_argument("--out", type=Path, default=Path("curves.png"), help="the picture")
    args = parser.parse_args()
    runs = read(args.folder)
    print(markdown(HEADER, [line_of(name, rows) for name, rows in ordered(runs)]))
    save_figure(drawn(runs), args.out)


def read(folder: Path) -> pd.DataFrame:
    """The measurements of all trainings in a folder."""
    paths = sorted(folder.glob("*.csv"))
    if not paths:
        raise ValueError(f"folder must hold tables of measurements (.csv), got {folder}")
    runs = pd.concat([read_table(path) for path in paths], ignore_index=True)
    runs["measurement"] = runs.groupby(["name", "seed"]).cumcount()
    return runs


def last_of(rows: pd.DataFrame) -> pd.DataFrame:
    """The last measurement of each seed."""
    return rows.groupby("seed").tail(1)


def ordered(runs: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The baselines by their last scores, the best first."""
    found = [(str(name), rows) for name, rows in runs.groupby("name")]
    return sorted(found, key=lambda each: -last_of(each[1])["mean"].mean())


def interval(rows: pd.DataFrame) -> float:
    """Half of the interval of the mean of seeds; of one seed, that of its games."""
    return half_width(rows["mean"]) if len(rows) > 1 else float(rows["half_width"].iloc[0])


def line_of(name: str, rows: pd.DataFrame) -> list[str]:
    """The cells of a baseline in the table."""
    last = last_of(rows)
    good = rows[rows["mean"] >= GOOD].groupby("seed")["seconds"].min()
    until_good = f"{good.mean() / 60:.1f}" if len(good) == len(last) else "not by all seeds"
    minutes = f"{last['seconds'].mean() / 60:.1f}"
    score = f"{last['mean'].mean():.1f} ± {interval(last):.1f}"
    steps = f"{last['steps'].mean():,.0f}"
    return [f"`{name}`", str(len(last)), minutes, score, steps, until_good]


def drawn(runs: pd.DataFrame) -> Figure:
    """A curve with its interval for each baseline."""
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    ax = figure.subplots()
    for name, rows in ordered(runs):
        measurements = rows.groupby("measurement")
        minutes, means = measurements["seconds"].mean() / 60, measurements["mean"].mean()
        halves = np.array([interval(each) for _, each in measurements])
        seeds = rows["seed"].nunique()
        ax.plot(minutes, means, label=f"{name}, {seeds} seed{'s' if seeds > 1 else ''}")
        ax.fill_between(minutes, means - halves, means + halves, alpha=0.15)
    ax.set(xlabel="processor time, minutes", ylabel="score of greedy games")
    ax.grid(alpha=0.3)
    figure.legend(loc="outside right center")
    return figure


if __name__ == "__main__":
    main()
