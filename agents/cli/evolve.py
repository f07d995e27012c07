"""``evolve``: evolves formulas that guide the playouts of MCTS."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Address, Backend, Jobs


def evolve(
    game: Annotated[str, typer.Argument(help="game for two, such as hex(size=6)")],
    playouts: Annotated[int, typer.Option(min=1, help="iterations of MCTS a move")] = 100,
    branching: Annotated[
        int, typer.Option(min=1, help="random moves among which a formula chooses")
    ] = 4,
    generations: Annotated[int, typer.Option(min=1, help="number of generations")] = 100,
    population: Annotated[int, typer.Option(min=2, help="formulas of a generation")] = 120,
    games: Annotated[
        int, typer.Option(min=1, help="games of a formula as first player, and as second")
    ] = 25,
    new_tree: Annotated[
        bool, typer.Option("--new-tree", help="forget the tree after each move, as for Hex")
    ] = False,
    guide: Annotated[
        list[str] | None, typer.Option(help="fixed opponent that counts for fitness; repeatable")
    ] = None,
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            help="fixed opponent of the fittest, for the record; repeatable; by default MCTS with "
            "random playouts and as many iterations"
        ),
    ] = None,
    measured_games: Annotated[
        int, typer.Option(min=1, help="games of the fittest against each such opponent")
    ] = 20,
    final_games: Annotated[
        int, typer.Option(min=2, help="games of each finalist, which choose the champion")
    ] = 200,
    seed: Annotated[int, typer.Option(min=0, help="seed of the run")] = 0,
    out: Annotated[
        Path, typer.Option(file_okay=False, help="folder for tables and picture")
    ] = Path("results"),
    jobs: Jobs = None,
    backend: Backend = "local",
    address: Address = None,
) -> None:
    """Evolve formulas that choose the moves in playouts, by games of the formulas with each other.

    The defaults are those of the publication. If you interrupt a run, give the same command again,
    and it continues.

    python -m agents evolve reversi --playouts 100 --out results/reversi --jobs 2
    """
    from agents.backends import backend as running_on
    from agents.coevolution import Settings, champion, evolve as run, figure
    from agents.pictures import save_figure

    if final_games % 2:
        raise ValueError(f"--final-games must be even, as both seats get half, got {final_games}")
    opponents = opponent or [f"mcts(c=1.4, iterations={playouts}, reuse_tree={not new_tree})"]
    settings = Settings(
        game,
        playouts,
        branching,
        generations,
        population,
        games,
        reuse_tree=not new_tree,
        guides=tuple(guide or ()),
        opponents=tuple(opponents),
        measured_games=measured_games,
        seed=seed,
    )
    with running_on(backend, jobs, address):
        record = run(out, settings)
        formula, share = champion(out, settings, record, games=final_games)
    save_figure(figure(record), out / "evolution.png")
    print(f"\nChampion, with {share:.2f} of the points against {opponents[0]}:\n{formula}")
    print(f"\nTables and picture: {out}")
