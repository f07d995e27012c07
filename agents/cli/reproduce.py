"""``reproduce``: repeats published experiments."""

from __future__ import annotations

import runpy
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from .options import Address, Backend, Jobs

EXPERIMENTS = {
    "E1": ("search trees in the Function Optimisation Problem", "fop_trees"),
    "E2": ("ten agents in single-player Carcassonne", "single_player"),
    "E3": ("the base game of Carcassonne for two players", "two_players"),
    "E4": ("the league of agents with 400 simulations a move", "simulation_league"),
    "E5": ("values and landscapes of random play", "fop_values", "landscape"),
    "E6": ("EvoMCTS: playouts by evolved formulas in Reversi, Dodgem and Hex", "evomcts"),
    "E7": ("multi-action games: EMCTS and its rivals in a tactics game", "multi_action"),
}
"""What each experiment is about, and its scripts in the order in which they run."""
Experiment = Enum("Experiment", {name: name for name in EXPERIMENTS}, type=str)  # type: ignore[misc]
LIST = "; ".join(f"{name}: {about}" for name, (about, *_) in EXPERIMENTS.items())


def reproduce(
    experiment: Annotated[Experiment, typer.Argument(help=LIST, case_sensitive=False)],
    quick: Annotated[
        bool, typer.Option("--quick", help="run a small version that takes minutes")
    ] = False,
    jobs: Jobs = None,
    backend: Backend = "local",
    address: Address = None,
    out: Annotated[
        Path, typer.Option(file_okay=False, help="folder for results, report and pictures")
    ] = Path("results"),
) -> None:
    """Repeat a published experiment and compare its results with the published ones.

    If you interrupt a run, start it again, and it continues.
    """
    folder = Path(__file__).parents[2] / "examples" / "experiments"
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{folder} is missing: the experiments are scripts of the repository, so install a "
            "checkout of it with pip install -e"
        )
    options = ["--out", str(out), "--backend", backend]
    options += ["--quick"] * quick
    options += ["--jobs", str(jobs)] if jobs is not None else []
    options += ["--address", address] if address is not None else []
    sys.path.insert(0, str(folder))  # the scripts import each other
    _, *scripts = EXPERIMENTS[experiment.value]
    for script in scripts:
        path = str(folder / f"{script}.py")
        sys.argv = [path, *options]
        runpy.run_path(path, run_name="__main__")
