"""How far Carcassonne's outlook can be believed: its predictions beside the results of the games.

The outlook plays games against itself, greedily, in the base game for two and in the 24-tile game
for one player with 3 meeples. Before every draw the script notes what the outlook and the virtual
scores predict of the final scores, and the outlook's chance that each unfinished city, road and
cloister is completed. At the end of the game it notes what became of them. Choose another ``--out``
after you change the outlook.

``python examples/experiments/outlook_calibration.py --games 1000 --jobs 2``
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import joblib
import numpy as np
import pandas as pd
from learn_outlook import play
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from report import Option, Report, grid, markdown, run

from agents.catalogue import make_game
from agents.experiment import run_experiment
from agents.progress import progress_bar

GAMES = {
    "base game for two": "carcassonne",
    "1p-3m-s": "carcassonne(num_players=1, num_meeples=3, tiles=small)",
}
METHODS = {"outlook": "outlook", "vs": "virtual score"}
NUM_PHASES = 6
NUM_BINS = 10
KINDS = ("city", "road", "cloister")
CLAIMED = {True: "with meeples", False: "without meeples"}
MIN_COUNT = 50
"""A picture has no point for fewer features."""
RESAMPLES = 1000
"""Games are drawn again, with replacement, so many times for an interval."""
DIAGONAL = {"color": "gray", "lw": 1, "ls": "--", "zorder": 0}
"""The line on which predictions are right."""

ACCURACY = {
    "mean error": (2, True),
    "RMSE": (1, False),
    "correlation": (2, False),
    "slope": (2, True),
}
"""How predictions fit, with the decimals shown, and whether the interval is."""

Statistics = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Statistics float64[..., statistics] of sums float64[..., sums]."""


def main(report: Report) -> None:
    args = report.args
    for title, game in GAMES.items():
        rows = played(title, game, args)
        positions, features = noted(rows, args.jobs)
        report.section(title, f"{args.games:,} games, {len(positions):,} positions before a draw.")
        for quantity in ("lead", "score") if "lead" in positions else ("score",):
            report.section(f"{title}: the {quantity}", *prediction_table(positions, quantity))
        quantity = "lead" if "lead" in positions else "score"
        name, figure = title.replace(" ", "_"), prediction_figure(positions, quantity)
        caption = f"Final {quantity} by predicted {quantity}, {title}."
        report.picture(f"{name}_{quantity}", figure, caption)
        report.section(f"{title}: chances of completion", *chance_tables(features))
        caption = f"Share of the features that were completed, by the outlook's chance, {title}."
        report.picture(f"{name}_chances", chance_figure(features), caption)


def options(games: int, seed: int = 0) -> dict[str, Option]:
    """The options of the command line, with these defaults."""
    return {
        "games": Option(games, "of each kind", quick=6, least=2),
        "exploration": Option(0.0, "share of random moves"),
        "seed": Option(seed, "seed of the run", least=0),
    }


# --- Games ---


def played(title: str, game: str, args: Any) -> list[tuple[str, list[int]]]:
    """The game, and the actions and outcomes, of each game."""
    first = 10**9 * args.seed  # no generation of learn_outlook.py has these seeds
    seeds = range(first, first + args.games)
    jobs = grid(game=[game], exploration=[args.exploration], seed=seeds)
    path = args.out / f"outlook_calibration_{title.replace(' ', '_')}.csv"
    return [(game, json.loads(plies)) for plies in run_experiment(path, plies_of, jobs)["plies"]]


def plies_of(game: str, exploration: float, seed: int) -> dict[str, str]:
    """The actions and outcomes of a game that the outlook plays."""
    return {"plies": json.dumps(play(game, exploration, seed, heuristic="outlook"))}


def noted(
    games: list[tuple[str, list[int]]], jobs: int | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The predictions in all positions, and the chances of all features in them."""
    parts = joblib.Parallel(jobs or 1)(
        joblib.delayed(notes_of)(*game) for game in progress_bar(games, desc="notes", unit="game")
    )
    tables = zip(*parts, strict=True)
    positions, features = (pd.concat(table, keys=range(len(games))) for table in tables)
    for table in (positions, features):
        table.index = table.index.droplevel(1)
    return positions, features


def notes_of(game: str, plies: list[int]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What was predicted before each draw of a game, with what came of it.

    Predictions and results are those of the player who draws next.
    """
    model = make_game(game)
    positions, features = [], []
    num_draws = model.num_tiles - 1
    for ply in plies:
        if model.is_chance_node():
            phase = NUM_PHASES * (num_draws - sum(model.bag.values())) // num_draws
            predicted = (("outlook", model.expected_scores), ("vs", model.virtual_scores))
            found = [measures(scores, model.mover, f" {method}") for method, scores in predicted]
            positions.append((model.mover, {"phase": phase} | found[0] | found[1]))
            features += [
                (phase, feature.kind, any(feature.meeples), chance, next(iter(feature.segments)))
                for feature, chance in model.completion_chances()
            ]
        model.apply_action(ply)
    is_complete = {part: f.is_complete for f in model.features for part in f.segments}
    table = pd.DataFrame(features, columns=["phase", "kind", "claimed", "chance", "segment"])
    table["completed"] = table.pop("segment").map(is_complete).astype(float)
    return pd.DataFrame([row | measures(model.scores, mover) for mover, row in positions]), table


def measures(scores: tuple[float, ...], player: int, method: str = "") -> dict[str, float]:
    """The score of a player and, with two players, the lead."""
    found = {f"score{method}": scores[player]}
    if len(scores) == 2:
        found[f"lead{method}"] = scores[player] - scores[1 - player]
    return found


# --- Statistics ---


def estimate(
    table: pd.DataFrame, statistics: Statistics
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Statistics of the sums of the columns, and half of their 95% intervals.

    Positions of a game are no independent samples, so whole games are drawn again.
    """
    sums = table.groupby(level=0).sum().to_numpy()
    rng = np.random.default_rng(0)
    times = rng.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=RESAMPLES)
    with np.errstate(invalid="ignore", divide="ignore"):
        return statistics(sums.sum(0)), 1.96 * np.nanstd(statistics(times @ sums), axis=0)


def moments(predicted: pd.Series, final: pd.Series) -> pd.DataFrame:
    """The columns whose sums determine how a prediction fits."""
    columns = {"n": 1.0, "p": predicted, "f": final}
    squares = {"pp": predicted**2, "ff": final**2, "pf": predicted * final}
    return pd.DataFrame(columns | squares, index=predicted.index)


def accuracy(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """How a prediction fits, from sums of `moments`: float[..., 4], for each of `ACCURACY`."""
    p, f, pp, ff, pf = np.moveaxis(sums[..., 1:] / sums[..., :1], -1, 0)
    error = np.sqrt(np.maximum(pp - 2 * pf + ff, 0))
    covariance, variance = pf - p * f, pp - p * p
    correlation = covariance / np.sqrt(variance * (ff - f * f))
    return np.stack([p - f, error, correlation, covariance / variance], axis=-1)


def mean_of(values: pd.Series) -> tuple[float, float]:
    """The mean of values, and half of its 95% interval."""
    table = pd.DataFrame({"n": 1.0, "value": values})
    (mean,), (half,) = estimate(table, lambda sums: sums[..., 1:] / sums[..., :1])
    return mean, half


# --- Predictions of the result ---


def phase_name(phase: int) -> str:
    """The shares of the tiles that are left in a phase."""
    first, last = (round(100 * (1 - p / NUM_PHASES)) for p in (phase, phase + 1))
    return f"{first}-{last} %"


def prediction_table(positions: pd.DataFrame, quantity: str) -> tuple[str, str]:
    """What the columns mean, and how predictions fit in each phase, outlook / virtual score."""
    text = (
        f"The {quantity} of the player who draws next, {' / '.join(METHODS.values())}, by the "
        "share of the tiles that is left. *Mean error* is predicted minus final points. *Slope* is "
        "that of the regression line of the final on the predicted points; it is 1 if large "
        "predictions are neither too large nor too small. With 95% intervals by resampling whole "
        "games."
    )
    groups = {phase_name(phase): group for phase, group in positions.groupby("phase")}
    lines = [
        [name, f"{len(group):,}", *prediction_cells(group, quantity)]
        for name, group in {**groups, "all": positions}.items()
    ]
    return text, markdown(["tiles left", "positions", *ACCURACY], lines)


def prediction_cells(group: pd.DataFrame, quantity: str) -> Iterator[str]:
    """How the predictions of a group of positions fit: one cell for each measure."""
    predictions = (group[f"{quantity} {method}"] for method in METHODS)
    found = [estimate(moments(predicted, group[quantity]), accuracy) for predicted in predictions]
    for i, (decimals, has_interval) in enumerate(ACCURACY.values()):
        yield " / ".join(
            f"{values[i]:.{decimals}f}" + (f" ± {halves[i]:.{decimals}f}" if has_interval else "")
            for values, halves in found
        )


def prediction_figure(positions: pd.DataFrame, quantity: str) -> Figure:
    """Final by predicted points, in tenths of the positions by their prediction, by phase."""
    figure = Figure(figsize=(9, 5.6), layout="constrained")
    axes = figure.subplots(2, NUM_PHASES // 2, sharex=True, sharey=True).flat
    for ax, (phase, group) in zip(axes, positions.groupby("phase"), strict=False):
        for i, (method, name) in enumerate(METHODS.items()):
            predicted = group[f"{quantity} {method}"]
            tenths = pd.qcut(predicted.rank(method="first"), NUM_BINS, labels=False)
            groups = [group[tenths == tenth] for tenth in range(NUM_BINS)]
            points = [
                (g[f"{quantity} {method}"].mean(), *mean_of(g[quantity])) for g in groups if len(g)
            ]
            draw_points(ax, points, "o-", f"C{i}", name)
        ends = np.quantile(positions[[quantity, f"{quantity} outlook"]], [0.02, 0.98])
        ax.plot(ends, ends, **DIAGONAL)
        ax.set_title(f"{phase_name(phase)} of the tiles left", fontsize=10)
    figure.supxlabel(f"predicted {quantity}")
    figure.supylabel(f"final {quantity}")
    figure.axes[0].legend(loc="upper left", fontsize=8)
    return figure


def draw_points(
    ax: Axes, points: list[tuple[float, float, float]], style: str, colour: str, label: str
) -> None:
    """Draws points with error bars."""
    x, y, half = zip(*points, strict=True)
    ax.errorbar(x, y, half, fmt=style, color=colour, label=label, ms=3.5, lw=1, capsize=2)


# --- Chances of completion ---


def chance_tables(features: pd.DataFrame) -> Iterator[str]:
    """Chances and frequencies by tenths of the chance, and by phase."""
    yield (
        "Features are counted once in every position in which they are unfinished. *Chance* is the "
        "mean of the outlook's chances, and *completed* the share of the features that were "
        "complete at the end of the game, in percent, with 95% intervals by resampling whole games."
    )
    yield "Chance / completed, by the share of the tiles that is left:"
    lines = []
    for kind, claimed, group in kinds_of(features):
        phases = (group[group["phase"] == phase] for phase in range(NUM_PHASES))
        cells = [
            f"{100 * part['chance'].mean():.0f} / {share(part)}" if len(part) else ""
            for part in (group, *phases)
        ]
        lines.append([f"{kind} {CLAIMED[claimed]}", f"{len(group):,}", *cells])
    yield markdown(["", "features", "all", *map(phase_name, range(NUM_PHASES))], lines)
    yield "Completed, by the chance, with the number of features:"
    names = [f"{100 * i // NUM_BINS}-{100 * (i + 1) // NUM_BINS} %" for i in range(NUM_BINS)]
    columns = {"chance": names}
    for kind, claimed, group in kinds_of(features):
        columns[f"{kind} {CLAIMED[claimed]}"] = [
            f"{share(part)} ({len(part):,})" if len(part) else "" for part in binned(group)
        ]
    yield markdown(columns, zip(*columns.values(), strict=True))


def kinds_of(features: pd.DataFrame) -> Iterator[tuple[str, bool, pd.DataFrame]]:
    """The features of each kind, with and without meeples."""
    for kind in KINDS:
        for claimed in CLAIMED:
            yield kind, claimed, features[(features.kind == kind) & (features.claimed == claimed)]


def binned(group: pd.DataFrame) -> list[pd.DataFrame]:
    """The features by tenths of the chance."""
    bins = (NUM_BINS * group["chance"]).astype(int).clip(upper=NUM_BINS - 1)
    return [group[bins == i] for i in range(NUM_BINS)]


def share(group: pd.DataFrame) -> str:
    """The share of the features that were completed, in percent."""
    value, half = mean_of(group["completed"])
    return f"{100 * value:.0f} ± {100 * half:.0f}"


def chance_figure(features: pd.DataFrame) -> Figure:
    """The share of the features that were completed, by the outlook's chance."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    axes = dict(zip(KINDS, figure.subplots(1, len(KINDS), sharex=True, sharey=True), strict=True))
    for kind, claimed, group in kinds_of(features):
        points = [
            (g["chance"].mean(), *mean_of(g["completed"]))
            for g in binned(group)
            if len(g) >= MIN_COUNT
        ]
        if points:
            draw_points(axes[kind], points, "o", f"C{1 - claimed}", CLAIMED[claimed])
    for kind, ax in axes.items():
        ax.plot([0, 1], [0, 1], **DIAGONAL)
        ax.set(title=kind, xlabel="chance by the outlook")
    axes[KINDS[0]].set_ylabel("share completed")
    drawn = (zip(*ax.get_legend_handles_labels(), strict=True) for ax in axes.values())
    named = {label: handle for handle, label in chain.from_iterable(drawn)}
    axes[KINDS[0]].legend(named.values(), named.keys(), loc="upper left", fontsize=8)
    return figure


if __name__ == "__main__":
    run(main, "Calibration of the outlook", **options(games=1000))
