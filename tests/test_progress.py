"""Progress bars: on a terminal, and not in a file."""

import re
import sys
from pathlib import Path

import pytest

from agents.experiment import run_experiment
from agents.progress import progress_bar

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("is_terminal", [False, True])
def test_bars_are_for_terminals(is_terminal, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal)
    jobs = [{"seed": seed} for seed in range(5)]
    for num_jobs in (2, 5):  # of which two are there already
        run_experiment(tmp_path / "table.csv", lambda seed: {"x": seed}, jobs[:num_jobs])
        shown = capsys.readouterr().err
    for words in ("table: ", "| 2/5 [", "| 5/5 ["):
        assert (words in shown) == is_terminal
    assert list(progress_bar([1, 2], desc="pair")) == [1, 2]
    assert ("pair: 100%" in capsys.readouterr().err) == is_terminal


def test_a_closed_stream_shows_no_bar(monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    assert list(progress_bar([1, 2])) == [1, 2]


def test_notebooks_show_bars(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    assert list(progress_bar([1, 2], desc="pair")) == [1, 2]
    assert "pair: 100%" in capsys.readouterr().err


def test_all_bars_are_made_in_one_place():
    folders = ("agents", "carcassonne_env", "fop_env", "examples")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    makers = [path for path in paths if re.search(r"\btqdm\(", path.read_text(encoding="utf-8"))]
    assert makers == [ROOT / "agents" / "progress.py"]
