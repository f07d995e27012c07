"""Commands that write tables as they go: after a kill, they end as if nothing had happened."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agents.cli.main import main
from commands import run_here

EVOLVE = (
    'evolve "hex(size=4)" --playouts 2 --population 6 --generations 3 --games 2 '
    "--measured-games 2 --final-games 2 --seed 1"
)
TOURNAMENT = 'tournament --game "carcassonne(tiles=small)" --games 4 mcts(iterations=30) random'
COMMANDS = {"individuals.csv": EVOLVE, "tournament.csv": f"{TOURNAMENT} greedy"}
"""Commands of ``python -m agents``, by the table that grows first."""
KILLED = """
import os, signal
from agents import experiment
from agents.cli.main import main

append = experiment._Table.append

def killed(table, key, cells):
    if table.path.name in ("individuals.csv", "tournament.csv") and len(table.rows) == 7:
        table.file.write(b"half a row,")
        os.killpg(0, signal.SIGKILL)
    return append(table, key, cells)

experiment._Table.append = killed
main()
"""
"""The commands in a process that is killed in the middle of the eighth row, with its workers."""


def without_times(folder: Path) -> dict[str, list[str]]:
    """The rows of all tables in order, as workers may swap them; in games nothing but the moves."""
    return {
        path.name: sorted(
            line.rpartition(',"[0')[0] or line for line in path.read_text().splitlines()
        )
        for path in folder.rglob("*.csv")
    }


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs signals and groups of processes")
@pytest.mark.parametrize("table", COMMANDS)
def test_a_killed_run_goes_on(tmp_path, table):
    """One worker ends the run, which had two."""
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    options = [*shlex.split(COMMANDS[table]), "--out"]
    command = [sys.executable, "-c", KILLED, *options, str(killed), "--jobs", "2"]
    run = subprocess.run(command, start_new_session=True, stdout=subprocess.DEVNULL)
    assert run.returncode == -signal.SIGKILL
    path = killed / table
    whole_rows = path.read_bytes().removesuffix(b"half a row,")
    outputs = [run_here(main, (*options, folder)) for folder in (killed, whole)]
    assert [done.code for done in outputs] == [0, 0]
    assert path.read_bytes().startswith(whole_rows)
    assert len(whole_rows.splitlines()) == 8 < len(path.read_bytes().splitlines())
    assert without_times(killed) == without_times(whole)
    assert outputs[0].out.replace(str(killed), str(whole)) == outputs[1].out
    assert not outputs[0].err  # no bar, as it is no terminal
