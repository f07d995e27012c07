"""``carcassonne benchmark``: measures a player on the tasks of the benchmark; the leaderboard."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from agents.cli.options import Jobs, identity, named, player_of
from agents.files import write_file


def benchmark(
    players: Annotated[
        list[str] | None, typer.Argument(help="players to measure, also as name=player")
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option(help="only the task of this name; repeatable")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="few games, with seeds for development; no result")
    ] = False,
    table: Annotated[
        bool, typer.Option("--table", help="write the leaderboard from the results in --out")
    ] = False,
    out: Annotated[Path, typer.Option(help="folder for games, results and leaderboard")] = Path(
        "results/benchmark"
    ),
    jobs: Jobs = None,
) -> None:
    """Measure players on the frozen tasks of "Carcassonne benchmark v1".

    A player is a specification, module:name for an agent or a function of the model, or
    process(./engine) for a program in any language. Each player's games and result are in files of
    its name in the folder --out. If you interrupt the command, run it again, and it continues.

    carcassonne benchmark "mine=my_agents:clever" --task 1p-3m-s --quick
    """
    from agents.benchmark import play, result_of, save

    from ..play.benchmark import V1

    if not players and not table:
        raise ValueError("name a player, or give --table")
    if quick and table:
        raise ValueError("--quick gives no result, so it does not go with --table")
    tasks = V1.chosen(task or [])
    entries = _entries(players or [])
    for name, text in entries.items():
        player, own = player_of(text), identity(name, text)
        games = play(V1, name, player, own, out, tasks, is_quick=quick, workers=jobs)
        result = result_of(V1, name, player, own, games)
        for task_name, measured in result["tasks"].items():
            print(f"{name}, {task_name}: {_told(measured)}")
        if not quick:
            print(f"Result: {save(result, out)}")
    if table:
        _write_leaderboard(out)


def _entries(players: Sequence[str]) -> dict[str, str]:
    """The texts of the players by name; a name is also that of files."""
    entries: dict[str, str] = {}
    for text in players:
        name, player = named(text)
        if name in entries:
            raise ValueError(f"players must have different names, got {name!r} twice")
        if re.search(r'[/\\:*?"<>|\0]|^\.', name):
            raise ValueError(f"{name!r} cannot name a file: put a name and = before the player")
        player_of(player)  # refuses all bad players before the first game
        entries[name] = player
    return entries


def _told(measured: Mapping[str, Any]) -> str:
    """What was measured in a task, in words."""
    time = measured["ms_per_move"]
    parts = [
        f"{measured['mean']:.3g} ± {measured['half_width']:.2g} {measured['unit']}",
        f"{measured['games']} games",
        *([] if time is None else [f"{time:.3g} ms a move"]),
        *(f"{count} {kind}" for kind, count in measured["failures"].items()),
    ]
    return ", ".join(parts)


def _write_leaderboard(out: Path) -> None:
    from agents.benchmark import load
    from agents.leaderboard import figure, page
    from agents.pictures import save_figure

    from ..play.benchmark import V1

    results, others = load(out, V1)
    write_file(out / "leaderboard.md", page(V1, results, others))
    save_figure(figure(V1, results), out / "leaderboard.png")
    print(f"Leaderboard: {out / 'leaderboard.md'}")
