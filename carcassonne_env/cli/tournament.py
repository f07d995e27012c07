"""``carcassonne tournament``: a round robin with league table and ratings."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..game_setup import Setup
from ..measures import final_scores
from .options import Address, Backend, Jobs, KnownOrder, Meeples, On, Tiles, TileSet, player_of

if TYPE_CHECKING:
    import pandas as pd


class Rule(str, Enum):
    """Names of the rules for league points."""

    thesis = "thesis"
    galvan = "galvan"


def tournament(
    players: Annotated[list[str], typer.Argument(help="any number of players")],
    games: Annotated[
        int, typer.Option(min=1, help="games of a match; every seat order is a match")
    ] = 10,
    seats: Annotated[int, typer.Option(min=1, max=5, help="players of each game")] = 2,
    tiles: Tiles = TileSet.base,
    meeples: Meeples = 7,
    known_order: KnownOrder = False,
    rule: Annotated[
        Rule, typer.Option(help="rule that says which defeats earn a point")
    ] = Rule.thesis,
    out: Annotated[Path, typer.Option(help="folder for the table of games, tournament.csv")] = Path(
        "results"
    ),
    jobs: Jobs = None,
    backend: On = Backend.local,
    address: Address = None,
) -> None:
    """Let all players meet each other in every seat order, with the same draws of tiles.

    The table gets a row for each game. If you interrupt the command, run it again, and it
    continues. Rows are found by the names of the players, so choose another --out after you change
    the code of a player.

    carcassonne tournament random greedy "mcts(c=0.05, iterations=1000)" my_agents:clever --jobs 2
    """
    from agents.arena import round_robin
    from agents.backends import backend as running_on

    setup = Setup(seats, meeples, tiles.value, known_order)
    entrants = [(text, player_of(text)) for text in players]
    path = out / "tournament.csv"
    with running_on(backend.value, jobs, address):
        table = round_robin(path, {setup.name: setup}, entrants, games, measure=final_scores)
    for title, frame in standings(table, seats, rule).items():
        print(f"\n{title}\n{frame.to_string(index=False, float_format='%.1f')}")
    print(f"\nGames: {path}")


def standings(table: pd.DataFrame, seats: int, rule: Rule) -> dict[str, pd.DataFrame]:
    """The result tables by title: scores, and for several seats ratings, matches and league."""
    import pandas as pd

    from agents.league import GALVAN, THESIS, league, ratings, results

    scores = pd.concat(
        [
            table[[f"seat_{i}", f"score_{i}"]].set_axis(["player", "score"], axis=1)
            for i in range(seats)
        ]
    )
    mean = scores.groupby("player", sort=False)["score"].agg(["mean", "std", "min", "max"])
    frames = {"Scores": mean.reset_index()}
    if seats > 1:
        frames["Ratings, ± half of the 95% interval"] = ratings(table, "score")
    if seats == 2:
        frames["Matches, seen from seat 0"] = results(table, "score").drop(columns="game")
        frames[f"League, points of the rule {rule.value!r}"] = league(
            table, THESIS if rule is Rule.thesis else GALVAN, "score"
        )
    return frames
