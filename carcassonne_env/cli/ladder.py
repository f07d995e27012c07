"""``carcassonne ladder``: ratings of the known players, and of anyone's player among them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agents.checks import check_seconds, exact, suggestion
from agents.cli.options import Address, Backend, Entrant, Jobs, entrants_of, texts_by_name
from agents.cli.tournament import tell_standings
from agents.files import write_file
from agents.tables import markdown

from .options import Meeples, Tiles

if TYPE_CHECKING:
    import pandas as pd

LADDER = {
    "random": "random",
    "greedy": "greedy",
    "expectimax-2-vs": "expectimax-2-vs",
    "mcts": "mcts(c=0.5, iterations=5000)",  # as Valdez Ameneyro (2024) published it
    "uct": "uct(time_limit={time})",
    "expectimax-1-outlook": "expectimax-1-outlook",
    "expectimax-2-outlook": "expectimax-2-outlook",
    "expectimax-1-value": "expectimax-1-value",
    "strongest": "strongest(time_limit={time})",
    "strongest-value": "strongest-value(time_limit={time})",
}
"""Players of every ladder, by name; "{time}" stands for the seconds a move."""
TIME = "{time}"


def ladder(
    time: Annotated[
        float, typer.Option(help="seconds a move of the players that have a time limit")
    ] = 0.1,
    pairs: Annotated[
        int, typer.Option(min=1, help="pairs of games of each two players, who swap seats")
    ] = 50,
    player: Annotated[
        list[str] | None,
        typer.Option(
            help="adds a player, also as name=player; {time} in it stands for --time; repeatable"
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="of the ladder's own players, only the one of this name; repeatable"),
    ] = None,
    tiles: Tiles = "base",
    meeples: Meeples = 7,
    seed: Annotated[int, typer.Option(min=0, help="seed of the first pair of games")] = 0,
    out: Annotated[
        Path, typer.Option(file_okay=False, help="folder for the ladder and the table of games")
    ] = Path("results"),
    jobs: Jobs = None,
    backend: Backend = "local",
    address: Address = None,
) -> None:
    """Rate the known players, and yours among them, by pairs of games.

    Each two players meet in pairs of games with the same draws of tiles, and swap seats. The ladder
    shows ratings with 95% intervals, the share of the points won, the mean lead, and the time of a
    move. The files ladder.csv and ladder.md hold it, ladder_games.csv has a row for each game. If
    you interrupt the command, run it again, and it continues; players that you add meet the others.
    Choose another --out after you change the code of a player.

    Run nothing else at the same time, and no more --jobs than the machine has cores, because
    players with a time limit search less when they share a core.

    carcassonne ladder --only greedy --only strongest --player "mine=my_agents:clever" --jobs 2
    """
    from agents.arena import round_robin
    from agents.backends import backend as running_on
    from agents.csv_tables import write_table

    from ..game_setup import Setup
    from ..measures import final_scores

    check_seconds("--time", time)
    cores = os.cpu_count() or 1
    if backend == "local" and jobs is not None and jobs > cores:
        raise ValueError(f"--jobs must be at most {cores}, the number of cores, got {jobs}")
    players = ladder_players(player or (), only or (), time)
    entrants = {each.identity: each for each in entrants_of(players)}
    setup = Setup(2, meeples, tiles)
    path = out / "ladder_games.csv"
    with running_on(backend, jobs, address):
        seated = [(identity, each.player) for identity, each in entrants.items()]
        given = path, {setup.name: setup}, seated, pairs
        games = round_robin(*given, first_seed=seed, measure=final_scores)
    frame = ladder_table(games, entrants)
    shown = shown_table(frame)
    write_table(out / "ladder.csv", frame)
    write_file(out / "ladder.md", markdown(shown.columns, shown.to_numpy()) + "\n")
    tell_standings({f"Ladder, {2 * pairs} games of each two players": shown}, path)


# Players


def ladder_players(added: Sequence[str], only: Sequence[str], time: float) -> dict[str, str]:
    """The players of a ladder by name, as text for `agents.cli.options.player_of`.

    They are those of `LADDER`, or those of the names in ``only`` if there are any, and the added
    ones. The seconds a move replace "{time}".
    """
    for name in only:
        if name not in LADDER:
            hint = suggestion(name, LADDER)
            raise ValueError(f"--only must be one of {', '.join(LADDER)}, got {name!r}{hint}")
    known = [f"{name}={text}" for name, text in LADDER.items() if not only or name in only]
    players = texts_by_name([*known, *added])
    return {name: text.replace(TIME, exact(time)) for name, text in players.items()}


# Tables


def ladder_table(games: pd.DataFrame, entrants: Mapping[str, Entrant]) -> pd.DataFrame:
    """The table of `agents.league.ladder` with the names and texts of entrants by identity."""
    from agents.league import ladder as rated

    frame = rated(games, "score")
    found = [entrants[identity] for identity in frame["player"]]
    frame.insert(1, "specification", [each.text for each in found])
    return frame.assign(player=[each.name for each in found])


def shown_table(frame: pd.DataFrame) -> pd.DataFrame:
    """The ladder as text: one column for each number and its interval."""
    shown = frame[["player"]].copy()
    shown["rating"] = [f"{row.rating:+.0f} ± {row.half_width:.0f}" for row in frame.itertuples()]
    shown["points"] = frame["points"].map("{:.1%}".format)
    shown["lead"] = [f"{row.lead:+.1f} ± {row.lead_half_width:.1f}" for row in frame.itertuples()]
    shown["ms a move"] = (1000 * frame["seconds"]).map("{:.3g}".format)
    return shown.assign(games=frame["games"].astype(str))
