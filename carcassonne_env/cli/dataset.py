"""``carcassonne dataset``: games of a player as a data set to learn from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agents.cli.options import Entrant, Jobs, code_of, player_of
from agents.files import check_writable

from ..players.weights import weights_of
from .options import KnownOrder, Meeples, Tiles


def dataset(
    player: Annotated[str, typer.Argument(help="the player of all seats")],
    games: Annotated[int, typer.Option(min=1, max=10**7, help="number of games")] = 1000,
    seats: Annotated[int, typer.Option(min=1, max=5, help="players of each game")] = 1,
    tiles: Tiles = "small",
    meeples: Meeples = 3,
    known_order: KnownOrder = False,
    exploration: Annotated[
        float, typer.Option(min=0, max=1, help="share of moves at random, which are no targets")
    ] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="seed of the first game")] = 0,
    out: Annotated[Path, typer.Option(help="file of the data set")] = Path("results/dataset.npz"),
    jobs: Jobs = None,
) -> None:
    """Record games of a player as a data set, for learning from its moves.

    Beside the data set lies a table with a row for each game, with .csv in place of .npz. If you
    interrupt the command, run it again, and it continues; with a larger --games it plays more. You
    may delete the table after that. carcassonne_env.dataset reads data sets.

    carcassonne dataset expectimax-1-outlook --games 10000 --jobs 2
    """
    from ..dataset import digest, save_dataset
    from ..game_setup import Setup
    from ..play.recording import record

    if out.suffix != ".npz":
        raise ValueError(f"--out must name a file that ends with .npz, got {str(out)!r}")
    setup = Setup(seats, meeples, tiles, known_order)
    found = player_of(player)
    out.parent.mkdir(parents=True, exist_ok=True)
    check_writable(out)
    recorded = record(
        out.with_suffix(".csv"),
        setup,
        found,
        games,
        name=None if isinstance(found, str) else player,
        first_seed=seed,
        exploration=exploration,
        code=code_of(found, player, weights_of(Entrant(player, player, found).identity)),
        workers=jobs,
    )
    save_dataset(out, recorded)
    moves = sum(len(game.actions) for game in recorded.games)
    print(f"Games: {games:,} of {setup.name} with {moves:,} moves of {recorded.player}")
    print(f"SHA-256 of the games: {digest(recorded)}")
    print(f"Data set: {out}, {out.stat().st_size:,} bytes")
