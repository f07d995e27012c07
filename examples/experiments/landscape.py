"""Final scores of random play after early moves, by the places and numbers of meeples.

The script values positions by random playouts and groups them by the feature that got a meeple: all
positions after the first turn, and all positions after the second turn from two boards. It also
draws the mean final score of random games by turn and number of meeples played.

Source: Valdez Ameneyro (2024, see the README), figures 4.15 to 4.22; we do not have their numbers.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
from courses import courses
from matplotlib.figure import Figure
from report import Option, Report, markdown, run

from agents import Rng
from agents.arena import play_match
from agents.experiment import run_experiment
from carcassonne_env import CarcassonneModel
from carcassonne_env.game_setup import Setup
from carcassonne_env.measures import final_scores

SETUPS = (Setup(1, 1, "small"), Setup(1, 3, "small"), Setup(2, 7, "base"))
BOARDS = {"after turn 1": None, "after turn 2, board 1": 0, "after turn 2, board 2": 1}
"""The boards before the valued turn: the seed of their random first turn, or None without one."""
PLACES = ("no meeple", "city", "road", "cloister", "farm")
BOXES = (
    "box: quartiles and median of the positions (their number in parentheses); whiskers: the last "
    "position within 1.5 box lengths; circles: positions beyond"
)
"""The legend of the box plots."""
COUNTS = {"num_farms": "on farms", "num_others": "on other features", "num_all": "in all"}


def main(report: Report) -> None:
    report.parts.append(
        "The thesis shows these as figures 4.15 to 4.22; our sources do not have their numbers, so "
        "that nothing here is comparable."
    )
    positions = positions_table(report)
    for setup in SETUPS:
        look_at(report, setup, positions[positions["game"] == setup.name])


def look_at(report: Report, setup: Setup, positions: pd.DataFrame) -> None:
    """Adds the results of one game to the report."""
    args, name = report.args, setup.name
    tables = {board: positions[positions["board"] == board] for board in BOARDS}
    report.section(
        name,
        "Final score of the player who moved, after every draw and move, by the feature that got a "
        f"meeple: mean ± deviation over the positions, each by {args.playouts} random playouts "
        "(number of positions; every tile counts once).",
        markdown(["meeple", *tables], [place_line(place, tables) for place in PLACES]),
    )
    title = f"{words(setup)}: each position by {args.playouts} random playouts"
    caption = f"{name}: mean final score of positions, by the feature that got a meeple"
    report.picture(name, places_figure(tables, title), caption)
    figure = heat_figure(random_games(report, setup), f"{words(setup)}: {args.games} random games")
    caption = f"{name}: mean final score of random games, by turn and meeples played until then"
    report.picture(f"{name}_turns", figure, caption)


def words(setup: Setup) -> str:
    """A game in words, for the titles of pictures."""
    players = "1 player" if setup.num_players == 1 else f"{setup.num_players} players"
    meeples = "1 meeple" if setup.num_meeples == 1 else f"{setup.num_meeples} meeples"
    return f"{players}, {meeples} each, {setup.tiles} set of tiles"


# Playouts from every position after a turn


def positions_table(report: Report) -> pd.DataFrame:
    """A row for every position: game, board, place of the meeple, and mean final score."""
    playouts = report.args.playouts
    jobs = [
        {"game": setup.name, "board": board, "tile": tile, "playouts": playouts, "seed": 0}
        for setup in SETUPS
        for board, seed in BOARDS.items()
        for tile in start(setup, seed).chance_outcomes()[0].tolist()
    ]
    table = run_experiment(report.path(), value_moves, jobs)
    rows = table.assign(move=table["moves"].map(json.loads)).explode("move", ignore_index=True)
    return rows.assign(place=rows["move"].str[0], score=rows["move"].str[1].astype(float))


def start(setup: Setup, seed: int | None) -> CarcassonneModel:
    """The start of the game, or a board after a random first turn."""
    model = setup(0)
    if seed is not None:
        rng = Rng(seed)
        model.apply_action(model.sample_chance(rng))
        model.apply_action(model.sample_action(rng))
    return model


def value_moves(game: str, board: str, tile: int, playouts: int, seed: int) -> dict[str, Any]:
    """For every move with a tile: the place of the meeple, and the mean score of playouts."""
    drawn = start(Setup.named(game), BOARDS[board])
    drawn.apply_action(tile)
    player, rng = drawn.current_player(), Rng(np.random.SeedSequence(seed, spawn_key=(tile,)))
    moves = []
    for action in drawn.legal_actions():
        target, total, model = drawn.decode_action(action).target, 0, drawn.clone()
        for _ in range(playouts):
            model.copy_from(drawn)
            model.apply_action(action)
            model.rollout(rng)
            total += model.scores[player]
        moves.append((target[0] if target else PLACES[0], total / playouts))
    return {"moves": json.dumps(moves)}


def place_line(place: str, tables: dict[str, pd.DataFrame]) -> list[str]:
    """A line with the mean of one kind of moves for each table."""
    line = [place]
    for table in tables.values():
        scores = table.loc[table["place"] == place, "score"]
        spread = f" ± {scores.std():.2f}" if len(scores) > 1 else ""
        line.append(f"{scores.mean():.2f}{spread} ({len(scores)})" if len(scores) else "")
    return line


def places_figure(tables: dict[str, pd.DataFrame], title: str) -> Figure:
    """Box plots of the means, by the feature that got the meeple."""
    figure = Figure(figsize=(4 * len(tables), 4.2), layout="constrained")
    figure.suptitle(f"{title}\n{BOXES}", fontsize=10)
    axes = figure.subplots(1, len(tables), sharey=True)
    for ax, (title, table) in zip(axes, tables.items(), strict=True):
        groups = [table.loc[table["place"] == place, "score"] for place in PLACES]
        names = [f"{place}\n({len(group)})" for place, group in zip(PLACES, groups, strict=True)]
        ax.boxplot(groups, tick_labels=names, widths=0.6)
        ax.tick_params(axis="x", labelsize=8)
        ax.set_title(title)
    axes[0].set_ylabel("mean final score of a position")
    return figure


# Random games by turn


def random_games(report: Report, setup: Setup) -> pd.DataFrame:
    """A row for every turn of random games, with the final score of the player."""
    players = [(f"random {i}", "random") for i in range(setup.num_players)]
    games = {setup.name: setup}
    path = report.path(setup.name)
    table = play_match(path, games, players, report.args.games, measure=final_scores)
    course = courses(games, table)
    scores = table[[f"score_{i}" for i in range(setup.num_players)]].to_numpy()
    course["final"] = scores[course["row"], course["player"]]
    course["num_all"] = course["num_farms"] + course["num_others"]
    return course


def heat_figure(course: pd.DataFrame, title: str) -> Figure:
    """Heat maps of the mean final score, by turn and number of meeples played."""
    figure = Figure(figsize=(5 * len(COUNTS), 4.2), layout="constrained")
    figure.suptitle(f"{title}\nwhite cells: no game had that many meeples played by that turn")
    axes = figure.subplots(1, len(COUNTS))
    grids = [course.pivot_table(index=c, columns="turn", values="final") for c in COUNTS]
    low, high = min(grid.min().min() for grid in grids), max(grid.max().max() for grid in grids)
    for ax, grid, name in zip(axes, grids, COUNTS.values(), strict=True):
        image = ax.pcolormesh(grid.columns, grid.index, grid, vmin=low, vmax=high)
        ax.set(xlabel="turn", ylabel=f"meeples played {name}")
        ax.yaxis.get_major_locator().set_params(integer=True)
    figure.colorbar(image, ax=axes, label="mean final score")
    return figure


if __name__ == "__main__":
    run(
        main,
        "What random play makes of early moves",
        playouts=Option(500, "from each position", quick=20),
        games=Option(3000, "random ones of each game", quick=100, least=2),
    )
