"""Progress bars: on a terminal, and not in a file."""

import sys

import pytest

from agents.experiment import run_experiment
from agents.progress import progress_bar


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
