"""``carcassonne join``: a planner takes a seat in a game of the program JCloisterZone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agents.checks import extra
from agents.cli.options import Seed, player_of
from agents.cli.play import seed_or_random


def join(
    address: Annotated[str, typer.Argument(help="where the host listens, such as localhost:37447")],
    engine: Annotated[
        Path, typer.Option(help="JCloisterZone's Engine.jar, with the folder expansions beside it")
    ],
    player: Annotated[str, typer.Option(help="planner or level that takes the seat")] = "strongest",
    name: Annotated[
        str | None, typer.Option(help="name that the others see; default: the player")
    ] = None,
    slot: Annotated[
        int | None, typer.Option(min=0, max=8, help="slot to take; default: the first free one")
    ] = None,
    java: Annotated[str, typer.Option(help="the program Java")] = "java",
    protocol: Annotated[
        str | None, typer.Option(help="version of the host's protocol, if it is another one")
    ] = None,
    seed: Seed = None,
) -> None:
    """Play in a game that a person hosts with JCloisterZone 5, the base game for 2 to 5.

    Start this command after the game was created and before it begins. After an interruption, the
    same command goes on with the game.

    carcassonne join localhost --engine JCloisterZone/resources/Engine.jar

    carcassonne join 192.168.1.7:37447 --engine Engine.jar --player "strongest(time_limit=3)"
    """
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    from agents.game import check_fit, seat

    with extra("web", "carcassonne join"):
        from ..jcloisterzone.client import PROTOCOL, join as play
    from ..game_setup import Setup
    from ..jcloisterzone.engine import Engine
    from ..play.players import player_text

    (agent,), _ = seat([player_of(player_text(player))], seed_or_random(seed))
    check_fit(agent, Setup())  # before it takes the seat of somebody who could play
    running = Engine(engine, java)
    known = protocol or PROTOCOL
    result = play(address, running, agent, name=name or player, slot=slot, protocol=known)
    table = Table("player", Column("points", justify="right"), title="Result")
    for each, points in result:
        table.add_row(Text(each), str(points))
    Console().print(table)
