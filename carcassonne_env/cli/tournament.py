"""``carcassonne tournament``: a round robin with league table and ratings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agents.cli import options
from agents.cli.tournament import played, standings, tell_standings

from .options import KnownOrder, Meeples, Tiles


def tournament(
    players: options.Entrants,
    games: options.Games = 10,
    seats: Annotated[int, typer.Option(min=1, max=5, help="players of each game")] = 2,
    tiles: Tiles = "base",
    meeples: Meeples = 7,
    known_order: KnownOrder = False,
    rule: options.Rule = "thesis",
    out: options.Table = Path("results"),
    jobs: options.Jobs = None,
    backend: options.Backend = "local",
    address: options.Address = None,
) -> None:
    """Let all players meet each other in every seat order, with the same draws of tiles.

    The table gets a row for each game. If you interrupt the command, run it again, and it
    continues. Rows are found by the names of the players, so choose another --out after you change
    the code of a player. A name before a player, as in name=player, stands for it in the standings.

    carcassonne tournament random greedy "strong=mcts(iterations=1000)" my_agents:clever
    """
    from agents.backends import backend as running_on

    from ..game_setup import Setup
    from ..measures import final_scores

    setup = Setup(seats, meeples, tiles, known_order)
    entrants = options.entrants_of(options.texts_by_name(players))
    path = out / "tournament.csv"
    with running_on(backend, jobs, address):
        table = played(path, {setup.name: setup}, entrants, games, final_scores)
    tell_standings(standings(table, rule, "score"), path)
