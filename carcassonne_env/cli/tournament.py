"""``carcassonne tournament``: a round robin, its league table and ratings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agents.checks import check_choice

from ..records import final_scores
from .options import KnownOrder, Meeples, Tiles, Variant, player_of

if TYPE_CHECKING:
    import pandas as pd

RULES = ("thesis", "galvan")


def tournament(
    players: Annotated[list[str], typer.Argument(help="as many as you like")],
    games: Annotated[int, typer.Option(help="of each match; every seat order is a match")] = 10,
    seats: Annotated[int, typer.Option(help="players of a game, 1 to 5")] = 2,
    tiles: Tiles = "base",
    meeples: Meeples = 7,
    known_order: KnownOrder = False,
    rule: Annotated[str, typer.Option(help='of league points: "thesis" or "galvan"')] = "thesis",
    out: Annotated[Path, typer.Option(help="table of the games, a CSV file")] = Path(
        "results/tournament.csv"
    ),
    jobs: Annotated[int | None, typer.Option(help="worker processes")] = None,
    backend: Annotated[str, typer.Option(help='"local", "dask" or "ray"')] = "local",
    address: Annotated[str | None, typer.Option(help="of a cluster that is there")] = None,
) -> None:
    """Everybody plays everybody, in every seat order, with the same draws.

    Every game leaves a row in the table at --out; interrupt the command, run it again, and it goes
    on.

    carcassonne tournament random greedy "mcts(c=0.05, iterations=1000)" my_agents:clever --jobs 2
    """
    from agents.arena import round_robin
    from agents.backends import backend as running_on

    check_choice("rule", rule, RULES)
    variant = Variant(seats, tiles, meeples, known_order)
    entrants = [(text, player_of(text)) for text in players]
    with running_on(backend, jobs, address):
        table = round_robin(out, {variant.name: variant}, entrants, games, measure=final_scores)
    for title, frame in standings(table, seats, rule).items():
        print(f"\n{title}\n{frame.to_string(index=False, float_format='%.1f')}")
    print(f"\nGames: {out}")


def standings(table: pd.DataFrame, seats: int, rule: str) -> dict[str, pd.DataFrame]:
    """What can be said of games for so many."""
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
        frames[f"League, points of the rule {rule!r}"] = league(
            table, THESIS if rule == "thesis" else GALVAN, "score"
        )
    return frames
