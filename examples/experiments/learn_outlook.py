"""Learns the weights of Carcassonne's outlook from games that it plays against itself.

Each generation plays games with the weights of the one before, greedily on the outlook, with a few
random moves. Ridge regression then finds the weights with which the terms best predict the final
lead (for one player, the final score), from the games of this generation and the one before. Games
are rows of a table, and the weights of every generation are a file, so an interrupted run continues
where it stopped. At last every generation plays against the first weights.

``python examples/experiments/learn_outlook.py`` learns the weights for several players from the
base game for two; with ``--players 1`` those for one player, from the 24-tile games with 1 and 3
meeples.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import partial, reduce
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from report import Option, Report, grid, markdown, run, with_interval
from standings import points_of

from agents import CHANCE, Rng, make
from agents.catalogue import make_game
from agents.experiment import run_experiment
from agents.forward_model import ForwardModel
from agents.game import play_model
from carcassonne_env.measures import final_scores
from carcassonne_env.outlook import TERMS, load_weights, save_weights, set_weights

GAMES = {
    1: ("carcassonne(num_players=1, num_meeples=1, tiles=small)",
        "carcassonne(num_players=1, num_meeples=3, tiles=small)"),
    2: ("carcassonne",),
}  # fmt: skip
GAMES_A_JOB = 20
KNOTS = np.array([0.0, 0.5, 1.0])
"""Shares of tiles left at which a term has a weight of its own."""
FIRST_WEIGHTS = {
    "city completion soon": (0, 1, 1),
    "first meeple": (3, 9, 9),
    "second meeple": (1, 5, 5),
    "third meeple": (1, 3, 3),
    "further meeples": (0, 1, 1),
}
"""Weights of the first generation at the end, in the middle and at the start of the game. Points on
the board count 1, other terms nothing."""
POINTS = ("scored", "city points", "road points", "cloister points", "farm points")
RIDGE = 100.0
"""Strength of the penalty on the squares of the weights, of terms with unit variance."""


def main(report: Report) -> None:
    args = report.args
    files, fits = learn(report)
    lines = [
        [str(i), f"{f['positions']:,}", f"{f['r2']:.3f}", f"{f['error']:.2f}", text]
        for i, (f, text) in enumerate(zip(fits, compare(files, report), strict=True), start=1)
    ]
    header = ["generation", "positions", "R²", "error in points", "against the first"]
    report.section(
        "Generations",
        f"At least {args.games:,} games a generation, {GAMES_A_JOB} in a job; "
        f"{args.exploration:.0%} of the moves random. R² and "
        "the root of the mean squared error are those of the fit, over all positions before a "
        "draw in the games of the generation and of the one before. Against the first: points (one "
        "player: mean score) of the generation, greedy on its outlook, against the weights that "
        "the first generation played with.",
        markdown(header, lines),
    )
    report.picture("learning", curve(fits), "Error of the fit by generation.")
    print(f"Weights: {files[-1]}")


# --- Generations ---


def learn(report: Report) -> tuple[list[Path], list[dict[str, float]]]:
    """The files of all weights, the first ones included, and how each generation's fit went."""
    args = report.args
    files = [report.path("0").with_suffix(".txt")]
    save_weights(files[0], first_weights(), "The weights to start from.")
    fits, earlier = [], None
    for generation in range(1, args.generations + 1):
        games = played(generation, files[-1], report)
        sums = statistics_of(games, args.jobs)
        weights, fit = fitted(sums if earlier is None else add(sums, earlier))
        earlier = sums
        fits.append(fit)
        files.append(report.path(str(generation)).with_suffix(".txt"))
        save_weights(files[-1], weights, provenance(generation, fit, args))
    return files, fits


def first_weights() -> np.ndarray:
    """The weights of the first generation: float64[terms, 3]."""
    return np.array([(1, 1, 1) if t in POINTS else FIRST_WEIGHTS.get(t, (0, 0, 0)) for t in TERMS])


def provenance(generation: int, fit: dict[str, float], args: Any) -> str:
    """The first lines of a file of weights."""
    players = "one player" if args.players == 1 else "several players"
    return (
        f"Weights of the outlook in games for {players}.\n"
        f"python examples/experiments/learn_outlook.py --players {args.players} "
        f"--games {args.games} --generations {args.generations} "
        f"--exploration {args.exploration} --seed {args.seed}\n"
        f"Generation {generation}: {fit['positions']:,} positions, R2 {fit['r2']:.3f}, error "
        f"{fit['error']:.2f} points."
    )


def played(generation: int, weights: Path, report: Report) -> pd.DataFrame:
    """The games of a generation, one row for `GAMES_A_JOB` games."""
    args = report.args
    first = (args.seed * 1000 + generation) * 1_000_000
    jobs = [
        {"game": game, "generation": generation, "exploration": args.exploration, "seed": first + i}
        for i in range(0, math.ceil(args.games / len(GAMES[args.players])), GAMES_A_JOB)
        for game in GAMES[args.players]
    ]
    path = report.path(f"games_{args.seed}_{args.games}")
    return run_experiment(path, partial(plies_of, weights), jobs)


def plies_of(
    weights: Path, game: str, generation: int, exploration: float, seed: int
) -> dict[str, str]:
    """The actions and outcomes of some games of a generation."""
    set_weights("outlook-learning", load_weights(weights))
    numbers = range(seed, seed + GAMES_A_JOB)
    return {"plies": json.dumps([play(game, exploration, i) for i in numbers])}


def play(
    game: str, exploration: float, seed: int, heuristic: str = "outlook-learning"
) -> list[int]:
    """The actions and outcomes of a game, greedy on a heuristic, with a share of random moves."""
    rng = Rng(seed)
    agent = make(f"expectimax(depth=1, heuristic={heuristic})", seed=rng)
    model = make_game(game)
    plies = []
    while not model.is_terminal():
        if model.current_player() == CHANCE:
            ply = model.sample_chance(rng)
        elif rng.random() < exploration:
            ply = model.sample_action(rng)
        else:
            ply = agent.choose(model)
        plies.append(int(ply))
        model.apply_action(ply)
    return plies


# --- Regression ---


def statistics_of(games: pd.DataFrame, jobs: int | None) -> dict[str, Any]:
    """Sums over all positions before a draw, from which `fitted` finds the weights."""
    rows = list(zip(games["game"], games["plies"], strict=True))
    parts = joblib.Parallel(jobs or 1)(
        joblib.delayed(sums_of)(rows[i : i + 10]) for i in range(0, len(rows), 10)
    )
    return reduce(add, parts)


def add(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The sums over two sets of positions."""
    return {name: one[name] + other[name] for name in one}


def sums_of(rows: list[tuple[str, str]]) -> dict[str, Any]:
    """The sums over the games of some rows."""
    leads, targets, means, scores = [], [], [], []
    for game, plies in rows:
        for actions in json.loads(plies):
            positions, final = positions_of(make_game(game), actions)
            for terms, left in positions:
                stages = np.clip(1 - np.abs(left - KNOTS) / KNOTS[1], 0, None)
                lead = terms[0] - terms[1] if len(terms) > 1 else terms[0]
                leads.append(np.outer(lead, stages).ravel())
                targets.append(final[0] - final[1] if len(final) > 1 else final[0])
                means.append(np.outer(terms.mean(0), stages).ravel())
                scores.append(np.mean(final))
    x, y, m, s = map(np.array, (leads, targets, means, scores))
    constants = m[:, -len(KNOTS) :]  # of the last term, which is 1 for every player
    products = {"xx": x.T @ x, "xy": x.T @ y, "yy": y @ y}
    products |= {"cc": constants.T @ constants, "cm": constants.T @ m, "cs": constants.T @ s}
    return {"count": len(y), "y": y.sum(), **products}


def positions_of(
    model: ForwardModel, actions: list[int]
) -> tuple[list[tuple[np.ndarray, float]], tuple[int, ...]]:
    """The terms and the share of tiles left, wherever a tile was laid; and the final scores."""
    positions = []
    num_tiles, laid = model.num_tiles - 1, 1
    for action in actions:
        if model.current_player() == CHANCE and len(model.board) > laid:
            laid = len(model.board)
            positions.append((model.outlook_terms(), sum(model.bag.values()) / num_tiles))
        model.apply_action(action)
    return positions, model.scores


def fitted(sums: dict[str, Any]) -> tuple[np.ndarray, dict[str, float]]:
    """The weights float64[terms, 3] by ridge regression, and how they fit.

    Points scored count 1. Weights that no lead can show, those of the term that is 1 for every
    player, are then chosen to predict the mean of the final scores.
    """
    size, fixed = len(TERMS) * len(KNOTS), len(KNOTS)
    xx, xy = sums["xx"], sums["xy"]
    target = xy[fixed:] - xx[fixed:, :fixed].sum(1)
    scale = np.sqrt(np.maximum(np.diag(xx)[fixed:] / sums["count"], 1e-9))
    matrix = xx[fixed:, fixed:] / np.outer(scale, scale) + RIDGE * np.eye(size - fixed)
    weights = np.ones(size)
    weights[fixed:] = np.linalg.solve(matrix, target / scale) / scale
    squares = sums["yy"] - 2 * weights @ xy + weights @ xx @ weights
    variance = sums["yy"] - sums["y"] ** 2 / sums["count"]
    rest = sums["cs"] - sums["cm"] @ weights
    weights[-len(KNOTS) :] += np.linalg.solve(sums["cc"], rest)
    error = np.sqrt(squares / sums["count"])
    fit = {"positions": sums["count"], "r2": 1 - squares / variance, "error": error}
    return weights.reshape(len(TERMS), len(KNOTS)), fit


# --- Comparison ---


def compare(files: list[Path], report: Report) -> Iterator[str]:
    """How each generation does against the first weights; a single player's mean score."""
    args = report.args
    for file in files[1:]:
        weights = {"weights": [str(file)], "first": [str(files[0])]}
        jobs = grid(game=GAMES[args.players], **weights, seed=range(args.matches))
        name = f"{args.seed}_{args.games}_{args.exploration:g}"
        table = run_experiment(report.path(f"matches_{name}"), match, jobs)
        by_game = [table[table["game"] == game]["result"] for game in GAMES[args.players]]
        if args.players == 1:
            yield ", ".join(with_interval(result, 1) for result in by_game)
        else:
            yield f"{with_interval(100 * by_game[0], 1)} %"


def match(game: str, weights: str, first: str, seed: int) -> dict[str, float]:
    """The share of the points in a pair of games; of a single player, the score of one game."""
    set_weights("outlook-learning", load_weights(weights))
    set_weights("outlook-first", load_weights(first))
    agents = [
        make(f"expectimax(depth=1, heuristic=outlook-{name})", seed=own)
        for name, own in zip(("learning", "first"), Rng(seed).spawn(2), strict=True)
    ]
    if make_game(game).num_players == 1:
        return {"result": finals(game, agents[:1], seed)["score_0"]}
    points = 0.0
    for players, sign in ((agents, 1), (agents[::-1], -1)):
        scores = finals(game, players, seed)
        points += points_of(sign * (scores["score_0"] - scores["score_1"]))
    return {"result": points / 2}


def finals(game: str, players: list[Any], seed: int) -> dict[str, int]:
    """The final scores of a game; the seed alone decides the order of the tiles."""
    return play_model(make_game(game), players, Rng(seed), measure=final_scores).measures


def curve(fits: list[dict[str, float]]) -> Figure:
    """The error of the fit by generation."""
    figure = Figure(figsize=(5, 3.2), layout="constrained")
    axes = figure.subplots()
    axes.plot(range(1, len(fits) + 1), [fit["error"] for fit in fits], marker="o")
    axes.set(xlabel="generation", ylabel="error of the lead, points")
    return figure


if __name__ == "__main__":
    run(
        main,
        "Learning the outlook",
        "outlook_{players}",
        players=Option(2, "which weights", choices=(1, 2)),
        generations=Option(6, "number of generations", quick=2),
        games=Option(10_000, "games a generation, at least", quick=60),
        matches=Option(200, "pairs of games at the end", quick=4),
        exploration=Option(0.05, "share of random moves"),
        seed=Option(0, "seed of the run", least=0),
    )
