"""What random play makes of early moves: final scores by where meeples go, and how many.

Values every position after the first turn, and after the second one from two boards, by random
playouts, grouped by the feature that got a meeple; and draws the mean final score of random games
by turn and number of meeples played. Needs the extra ``experiments``.

Source: Valdez Ameneyro (2024, see the README), figures 4.15 to 4.22, of which we have no numbers.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import joblib
import numpy as np
import pandas as pd
from command_line import at_least_two, parsed, parser
from matplotlib.figure import Figure
from report import Report, markdown, with_interval
from tqdm import tqdm

from agents import Rng
from agents.arena import play_game, replay
from agents.backends import backend
from carcassonne_env import CarcassonneModel
from carcassonne_env.records import turns

GAMES = {
    "1 player, 1 meeple": CarcassonneModel(1, 1, "small"),
    "1 player, 3 meeples": CarcassonneModel(1, 3, "small"),
    "2 players, 7 meeples": CarcassonneModel(2, 7, "base"),
}
PLACES = ("no meeple", "city", "road", "cloister", "farm")
COUNTS = {
    "num_farms": "on farms",
    "num_others": "on other features",
    "num_all": "in all",
}


def main() -> None:
    """Writes the report."""
    args = parsed_arguments()
    report = Report(args.out, "landscape", "What random play makes of early moves")
    with backend(args.backend, args.jobs, args.address):
        for name, game in GAMES.items():
            look_at(report, name, game, args)
    report.write()


def look_at(report: Report, name: str, game: CarcassonneModel, args: argparse.Namespace) -> None:
    """Adds a game to the report."""
    first = moves_table(name, [game], args)
    boards = [after_first_turn(game, seed) for seed in (0, 1)]
    tables = {"after turn 1": first}
    for i, board in enumerate(boards, start=1):
        tables[f"after turn 2, board {i}"] = moves_table(f"{name}, board {i}", [board], args)
    report.section(
        name,
        f"Mean final score of the player who moved, over the positions of each kind (number of "
        f"positions in brackets; {args.playouts} random playouts each), ± half of the 95% "
        "confidence interval over positions.",
        markdown(["meeple", *tables], [place_line(place, tables) for place in PLACES]),
    )
    slug = name.replace(",", "").replace(" ", "_")
    report.picture(slug, places_figure(tables), f"{name}: mean final score of positions, by meeple")
    report.picture(
        f"{slug}_turns",
        heat_figure(random_games(name, game, args.games)),
        f"{name}: mean final score of random games, by turn and meeples played until then",
    )


# Playouts from every position after a turn


def after_first_turn(game: CarcassonneModel, seed: int) -> CarcassonneModel:
    """A board after a random first turn."""
    model, rng = game.clone(), Rng(seed)
    model.apply_action(model.sample_chance(rng))
    model.apply_action(model.sample_action(rng))
    return model


def moves_table(
    name: str, boards: list[CarcassonneModel], args: argparse.Namespace
) -> pd.DataFrame:
    """Every next move from some boards: where its meeple goes, and the mean score of playouts."""
    moves = [move for board in boards for move in next_moves(board)]
    jobs = (
        joblib.delayed(mean_score)(model, player, args.playouts, (args.seed, i))
        for i, (_, player, model) in enumerate(moves)
    )
    scores = joblib.Parallel(return_as="generator")(jobs)
    places = [place for place, _, _ in moves]
    scores = list(tqdm(scores, total=len(moves), desc=name, unit="position"))
    return pd.DataFrame({"place": places, "score": scores})


def next_moves(board: CarcassonneModel) -> Iterator[tuple[str, int, CarcassonneModel]]:
    """Every draw and every action: where the meeple goes, who moved, and the position."""
    for tile in board.chance_outcomes()[0]:
        drawn = board.clone()
        drawn.apply_action(tile)
        for action in drawn.legal_actions():
            target = drawn.decode_action(action).target
            model = drawn.clone()
            model.apply_action(action)
            yield (target[0] if target else PLACES[0]), drawn.current_player(), model


def mean_score(model: CarcassonneModel, player: int, playouts: int, seed: tuple[int, int]) -> float:
    """The mean final score of a player over random playouts."""
    total = 0
    rng = Rng(np.random.SeedSequence(seed))
    scratch = model.clone()
    for _ in range(playouts):
        scratch.copy_from(model)
        scratch.rollout(rng)
        total += scratch.scores[player]
    return total / playouts


def place_line(place: str, tables: dict[str, pd.DataFrame]) -> list[str]:
    """The means of one kind of moves in each table."""
    line = [place]
    for table in tables.values():
        scores = table.loc[table["place"] == place, "score"]
        line.append(f"{with_interval(scores, 2)} ({len(scores)})" if len(scores) else "")
    return line


def places_figure(tables: dict[str, pd.DataFrame]) -> Figure:
    """Box plots of the means, by the feature that got the meeple."""
    figure = Figure(figsize=(4 * len(tables), 3.6), layout="constrained")
    axes = figure.subplots(1, len(tables), sharey=True)
    for ax, (title, table) in zip(axes, tables.items(), strict=True):
        groups = [table.loc[table["place"] == place, "score"] for place in PLACES]
        ax.boxplot(groups, widths=0.6)
        ax.set_xticks(range(1, len(PLACES) + 1), PLACES, rotation=30)
        ax.set_title(title)
    axes[0].set_ylabel("mean final score")
    return figure


# Random games by turn


def random_games(name: str, game: CarcassonneModel, num_games: int) -> pd.DataFrame:
    """Every turn of random games, with the final score of its player."""
    jobs = (joblib.delayed(random_game)(game, seed) for seed in range(num_games))
    courses = joblib.Parallel(return_as="generator")(jobs)
    courses = tqdm(courses, total=num_games, desc=f"{name}, random games", unit="game")
    return pd.DataFrame([turn for course in courses for turn in course])


def random_game(game: CarcassonneModel, seed: int) -> list[dict[str, Any]]:
    """The turns of one random game."""
    record = play_game(game, ["random"] * game.num_players, seed)
    course = list(turns(replay(game, record.plies)))
    final = {turn["player"]: turn["score"] for turn in course}
    for turn in course:
        turn["num_all"] = turn["num_farms"] + turn["num_others"]
        turn["final"] = final[turn["player"]]
    return course


def heat_figure(course: pd.DataFrame) -> Figure:
    """Heat maps of the mean final score, by turn and number of meeples played."""
    figure = Figure(figsize=(5 * len(COUNTS), 3.8), layout="constrained")
    axes = figure.subplots(1, len(COUNTS))
    grids = {
        column: course.pivot_table(index=column, columns="turn", values="final", aggfunc="mean")
        for column in COUNTS
    }
    low = min(np.nanmin(grid.to_numpy()) for grid in grids.values())
    high = max(np.nanmax(grid.to_numpy()) for grid in grids.values())
    for ax, (column, grid) in zip(axes, grids.items(), strict=True):
        image = ax.pcolormesh(grid.columns, grid.index, grid, vmin=low, vmax=high)
        ax.set_xlabel("turn")
        ax.set_ylabel(f"meeples played {COUNTS[column]}")
        ax.yaxis.get_major_locator().set_params(integer=True)
    figure.colorbar(image, ax=axes, label="mean final score")
    return figure


def parsed_arguments() -> argparse.Namespace:
    """The options of the command line."""
    options = parser(__doc__)
    options.add_argument("--playouts", type=int, default=500, help="from each position")
    options.add_argument(
        "--games", type=at_least_two, default=3000, help="random ones of each game"
    )
    options.add_argument("--seed", type=int, default=0, help="of the playouts")
    return parsed(options, playouts=20, games=100)


if __name__ == "__main__":
    main()
