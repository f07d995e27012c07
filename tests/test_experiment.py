"""The experiment runner: exact rows, each job once, nothing lost whatever ends a run."""

from __future__ import annotations

import csv
import io
import itertools
import math
import os
import random
import signal
import sys
import time
import zlib
from collections.abc import Callable, Mapping
from fractions import Fraction
from http import HTTPStatus
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from agents.csv_tables import read_table, write_table
from agents.experiment import run_experiment
from waiting import soon

Function = Callable[..., Mapping[str, Any]]
WORKERS = [1, 2, None]
NAN = math.nan


def seeds(*numbers: int) -> list[dict[str, Any]]:
    return [{"seed": number} for number in numbers]


def square(seed: int, **_: Any) -> dict[str, Any]:
    return {"square": seed * seed}


def logged(log: Path, function: Function | None = None) -> Function:
    """The function, or a square, with a line in the log for each call."""

    def call(seed: int, **parameters: Any) -> Mapping[str, Any]:
        with log.open("a") as file:
            file.write(f"{seed}\n")
        return function(seed=seed, **parameters) if function else {"square": seed * seed}

    return call


def calls(log: Path) -> list[int]:
    """The seeds of the calls since the last time this was asked."""
    lines = log.read_text().split() if log.exists() else []
    log.unlink(missing_ok=True)
    return [int(line) for line in lines]


def stored(path: Path) -> list[int]:
    """The seeds of the rows, which come first in them."""
    return [int(line.split(",")[0]) for line in path.read_text(encoding="utf-8").splitlines()[1:]]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.csv"


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log"


def checked(table: str | bytes) -> bytes:
    """A table as it is written, with a checksum of each row."""
    header, *rows = (table if isinstance(table, bytes) else table.encode()).splitlines()
    sums = [b"%08x" % zlib.crc32(header + b"\n" + row) for row in rows]
    lines = [header + b",checksum", *map(b",".join, zip(rows, sums, strict=True))]
    return b"".join(line + b"\n" for line in lines)


def unchecked(path: Path) -> list[str]:
    """The lines of a table without the checksums."""
    lines = path.read_text(encoding="utf-8").splitlines()
    table = [line.rpartition(",")[0] for line in lines]
    assert path.read_bytes() == checked("\n".join(table))
    return table


def exactly(values: Any) -> list[tuple[type, str]]:
    """What tells apart 1, 1.0, True and "1", and 0.0 and -0.0."""
    return [(type(value), repr(value)) for value in values]


# --- Rows ---


@pytest.mark.parametrize("workers", WORKERS)
def test_rows_do_not_depend_on_the_number_of_workers(path, workers):
    def walk(seed, length, name):
        rng = random.Random(seed)
        time.sleep(0.01 * rng.random())  # jobs end in another order than they begin
        return {"end": sum(rng.gauss(0, 1) for _ in range(length)), "label": f'木, "{name}" {seed}'}

    jobs = [{"seed": seed, "length": 5 + seed % 3, "name": "wälk"} for seed in range(20)]
    rows = [job | walk(**job) for job in jobs]
    frame = run_experiment(path, walk, jobs, workers=workers)
    assert frame.columns.tolist() == ["seed", "length", "name", "end", "label"]
    assert frame.to_dict("records") == rows
    header, *lines = unchecked(path)
    assert header == "seed,length,name,end,label"
    labels = [r["label"].replace('"', '""') for r in rows]
    texts = [
        f'{r["seed"]},{r["length"]},wälk,{r["end"]!r},"{label}"'
        for r, label in zip(rows, labels, strict=True)
    ]
    assert sorted(lines) == sorted(texts)
    others = pd.read_csv(path).sort_values("seed", ignore_index=True)  # understand the table, too
    pd.testing.assert_frame_equal(others.drop(columns="checksum"), frame)


def test_parameters_keep_their_types(path):
    columns = {
        **{"seed": [3, 1, 2], "c": [0.1 + 0.2, -0.0, math.inf], "name": ["a", "", "1"]},
        **{"is_fast": [True, False, True], "nothing": [None] * 3, "mixed": [1, 0.5, None]},
        **{"any": ["x", True, None], "size": [np.int16(4), np.int16(5), np.int16(6)]},
    }
    jobs = [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
    for _ in range(2):  # computed, then read
        frame = run_experiment(path, square, jobs)
        assert frame.columns.tolist() == [*columns, "square"]
        kinds = {name: frame[name].dtype.kind for name in columns if name != "name"}
        assert "".join(kinds.values()) == "ifbOOOi"
        for name in kinds.keys() - {"size"}:
            assert exactly(frame[name].tolist()) == exactly(columns[name])
        assert frame["name"].tolist() == columns["name"]
        assert frame["size"].tolist() == columns["size"]
        assert frame["square"].tolist() == [9, 1, 4]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        *(
            (values, values)
            for values in [
                *([1, -5, 0], [2**63 - 1, -(2**63), 0], [2**63, 2**64 - 1], [2**63, -1, 10**30]),
                *([0.1 + 0.2, 1 / 3, 1e300, 5e-324, 1e16], [-0.0, 0.0, NAN, math.inf, -math.inf]),
                *(["a,b", 'say "no"', '"', ",", "'", " x ", "", "#1;2"], ["x", None, "1"]),
                *(["Größe", "木", "🎲", "e\u0301", "\\n"], [True, False], [True, 1, None]),
                *([1, "1", 1.5, "1.5", True, "True", None, ""], ["1_000", " 7"], ["7 ", "1e5"]),
                *(["1", "٣"], ["007", "+1"], ["7", "8"], ["True", "False"], ["", ""]),
                *(["nan", "inf", "-inf", "1e+16", "0.5", "5."], ["007", None, 7]),
                ["a\tb", "\t", "1\u00a0000", "\u00a0"],
            ]
        ),
        ([0.5, None, 2], [0.5, NAN, 2.0]),
        ([None, None], [NAN, NAN]),
        ([np.True_, np.True_], [True, True]),
        ([np.float32(0.1), np.float64(0.1)], [float(np.float32(0.1)), 0.1]),
        ([np.int8(-3), np.uint64(2**63)], [-3, 2**63]),
        ([np.int64(7), np.int8(-3)], [7, -3]),
        ([HTTPStatus.OK, HTTPStatus.NOT_FOUND], [200, 404]),
        ([np.str_("a b"), np.str_("c")], ["a b", "c"]),
    ],
    ids=repr,
)
def test_results_are_exact(path, values, expected):
    jobs = seeds(*range(len(values)))
    computed = run_experiment(path, lambda seed: {"x": values[seed], "y": 1.5}, jobs)
    read = run_experiment(path, square, jobs)
    pd.testing.assert_frame_equal(computed, read)
    assert exactly(read["x"].tolist()) == exactly(expected)
    assert read["y"].tolist() == [1.5] * len(values)


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]))
VALUES = st.booleans() | st.integers() | st.floats() | TEXT | st.integers().map(str)


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(values=st.lists(VALUES | st.floats().map(str), max_size=50))
def test_every_value_is_read_back(path, values):
    path.unlink(missing_ok=True)
    results = {f"result {i}": value for i, value in enumerate(values)}
    run_experiment(path, lambda seed: results, seeds(0))
    (row,) = run_experiment(path, square, seeds(0)).to_dict("records")
    assert exactly(row.values()) == exactly([0, *values])


def test_long_cells_are_read_back(path):
    """Longer than the csv module reads, as those of games of 12,000 plies."""
    text = "[" + "0," * 100_000 + '"Q"]'
    run_experiment(path, lambda seed: {"plies": text}, seeds(0))
    frame = run_experiment(path, square, seeds(0))
    assert frame["plies"].tolist() == [text]
    assert pd.read_csv(path)["plies"].tolist() == [text]


def test_the_folder_is_made(tmp_path):
    path = tmp_path / "some" / "folder" / "table"
    run_experiment(str(path), square, seeds(3))
    assert path.read_bytes() == checked("seed,square\n3,9\n")


# --- Resuming ---


def test_all_parameters_tell_jobs_apart(path, log):
    """Types as far as they can be seen in the file."""
    numbers = [1, 1.0, -1, 0, 0.0, -0.0, 0.3, 0.1 + 0.2, True, None]
    texts = ["", "1", "1.0", "True", "none", "a", "A", "a ", "a,b", "\t"]
    values = [*numbers, *texts]
    jobs = [{"seed": 0, "x": value} for value in values]
    run_experiment(path, logged(log), jobs)
    assert len(calls(log)) == len(jobs)
    assert len(run_experiment(path, logged(log), jobs[::-1])) == len(jobs)
    assert calls(log) == []


def label(seed: int, **_: Any) -> dict[str, Any]:
    return {"x": seed / 7, "label": f'"ß", 木 {seed}'}


@pytest.mark.parametrize("workers", [0, -1, 1.5, "2", True])
def test_a_wrong_number_of_workers_is_refused(path, workers):
    with pytest.raises(ValueError, match=f"workers must be an integer in .1, .* got {workers!r}"):
        run_experiment(path, label, [{"seed": 0}], workers=workers)
    assert not path.exists()


@pytest.mark.parametrize("wanted", [[0, 1, 2], [0]])
def test_a_row_that_was_cut_off_is_made_again_if_it_is_wanted(tmp_path, wanted):
    """Cut at every byte of the file, in the middle of characters too; a whole row is kept."""
    whole, path, log = tmp_path / "whole.csv", tmp_path / "table.csv", tmp_path / "log"
    jobs = [{"seed": seed, "name": "ä, b"} for seed in range(3)]
    expected = run_experiment(whole, label, jobs)
    lines = whole.read_bytes().splitlines(keepends=True)
    assert len(lines) == 4
    data = b"".join(lines)
    for size in range(len(data) + 1):
        path.write_bytes(data[:size])
        num_rows = max(0, data[: size + 1].count(b"\n") - 1)
        frame = run_experiment(path, logged(log, label), [jobs[seed] for seed in wanted])
        assert calls(log) == wanted[num_rows:]
        assert path.read_bytes() == b"".join(lines[: 1 + max(num_rows, len(wanted))])
        pd.testing.assert_frame_equal(frame, expected[: len(wanted)])


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.slow(keep="^1")
def test_an_interrupt_keeps_the_rows(tmp_path, interrupt_after, workers):
    """Job 4 sends the fixture's signal once the others have their rows; its end is not awaited."""
    path, log, ended = (tmp_path / name for name in ("table.csv", "log", "ended"))
    parent = os.getpid()

    def interrupting(seed):
        if seed == 4:
            assert soon(lambda: path.read_bytes().count(b"\n") == 5)
            os.kill(parent, signal.SIGALRM)
        if seed >= 4:
            time.sleep(60)
            ended.touch()
        return {"square": seed * seed}

    interrupt_after(30)  # should job 4 never come so far
    with pytest.raises(KeyboardInterrupt):
        run_experiment(path, interrupting, seeds(*range(8)), workers=workers)
    assert not ended.exists()
    kept = path.read_bytes()
    assert sorted(stored(path)) == [0, 1, 2, 3]
    frame = run_experiment(path, logged(log), seeds(*range(8)), workers=workers)
    assert sorted(calls(log)) == [4, 5, 6, 7]
    assert path.read_bytes().startswith(kept)
    assert frame["square"].tolist() == [seed * seed for seed in range(8)]


@pytest.mark.parametrize(("space", "message"), [(40, "end of a row: is"), (34, "too large: '.*'")])
def test_a_full_disk_is_named_and_loses_no_row(path, space, message):
    """Within the second row, or at its beginning."""
    resource = pytest.importorskip("resource", reason="limits are for POSIX")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (space, limits[1]))
    try:
        with pytest.raises(OSError, match=message) as info:
            run_experiment(path, square, seeds(1, 2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.name in str(info.value)
    assert path.stat().st_size == space
    run_experiment(path, square, seeds(1, 2))
    assert stored(path) == [1, 2]
    assert len(unchecked(path)) == 3


# --- Jobs that fail ---


def test_all_failing_jobs_are_named(tmp_path, path):
    def meet_and_fail(seed):
        (tmp_path / f"begun{seed}").touch()
        assert soon(lambda: len(list(tmp_path.glob("begun*"))) == 2)
        raise ValueError(f"number {seed}")

    with pytest.raises(RuntimeError) as info:
        run_experiment(path, meet_and_fail, seeds(0, 1), workers=2)
    for seed in (0, 1):
        assert f"job {{'seed': {seed}}} failed:\nTraceback (most recent" in str(info.value)
        assert "in meet_and_fail" in str(info.value)
        assert f"ValueError: number {seed}\n" in str(info.value)


COLUMNS = r"the columns of .*table\.csv are \['seed', 'x'\], its row has \['seed'"
TAKEN = "its results have the names of parameters or of the last column: "
NO_MAPPING = "TypeError: the results must be a mapping from names to values, got "
NO_SCALAR = "TypeError: x must be a number, bool, text or None, got "


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        ({"y": 1}, rf"{COLUMNS}, 'y'\]"),
        ({}, rf"{COLUMNS}\]"),
        ({"x": 1, "y": 2}, rf"{COLUMNS}, 'x', 'y'\]"),
        ({"seed": 1, "x": 2}, rf"{TAKEN}\['seed'\]"),
        ({"x": 1, "checksum": 2}, rf"{TAKEN}\['checksum'\]"),
        *((value, NO_MAPPING) for value in (None, 3, "x", ["x"], [("x", 1)], {"x"})),
        *(
            ({"x": value}, NO_SCALAR)
            for value in ([1], {}, (1, 2), np.zeros(2), b"x", 1j, Fraction(1, 2), ..., int)
        ),
        *(
            ({"x": value}, "ValueError: x must be text of one line, got ")
            for value in ("two\nlines", "\n", "a\r", "a\0", "a\x85b", "a\u2028b", "\ud800")
        ),
        ({1: 2}, "TypeError: a result's name must be text, got 1"),
        ({"a\nb": 2}, r"ValueError: a result's name must be text of one line, got 'a\\nb'"),
    ],
    ids=ascii,
)
def test_bad_results_fail_their_job(path, results, reason):
    if reason.startswith(COLUMNS):
        run_experiment(path, lambda seed: {"x": 0}, seeds(0, 1))
    before = path.read_bytes() if path.exists() else b""
    pattern = rf"^job \{{'seed': 2\}} failed:\n(.*\n)*{reason}.*\n?$"
    with pytest.raises(RuntimeError, match=pattern):
        run_experiment(path, lambda seed: results, seeds(2))
    assert path.read_bytes() == before
    assert len(run_experiment(path, lambda seed: {"x": 0}, seeds(2))) == 1


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("results", "reason"),
    [
        (lambda: int("three"), "(.*\n)+ValueError: .*'three'\n$"),
        (lambda: {"cube": 27}, "the columns of .*'cube'.*needs another file"),
    ],
    ids=["error", "columns"],
)
def test_jobs_that_were_begun_before_a_failure_get_their_rows(tmp_path, workers, results, reason):
    """With two workers, job 4 is under way; no further jobs are begun."""
    path, log, failed = (tmp_path / name for name in ("table.csv", "log", "failed"))

    def troubled(seed):
        if seed == 3:
            assert soon(lambda: path.read_bytes().count(b"\n") >= 4)  # the rows of 0, 1 and 2
            assert soon(lambda: workers == 1 or "4" in log.read_text().split())
            failed.touch()
            return results()
        if seed > 3:
            assert soon(failed.exists)
            time.sleep(0.2)
        return {"square": seed * seed}

    jobs = seeds(*range(100))
    with pytest.raises(RuntimeError, match=rf"^job \{{'seed': 3\}} failed:\n{reason}") as info:
        run_experiment(path, logged(log, troubled), jobs, workers=workers)
    assert str(info.value).count("failed:") == 1
    begun, rows = calls(log), stored(path)
    assert begun == [0, 1, 2, 3] if workers == 1 else {0, 1, 2, 3, 4} <= set(begun)
    assert len(begun) < 20
    assert sorted([3, *rows]) == sorted(begun)
    kept = path.read_bytes()
    frame = run_experiment(path, logged(log), jobs, workers=workers)
    assert sorted(calls(log)) == sorted(set(range(100)) - set(rows))
    assert path.read_bytes().startswith(kept)
    assert frame["square"].tolist() == [seed * seed for seed in range(100)]


# --- Two runs at the same time ---


@pytest.mark.skipif(sys.platform == "win32", reason="needs locks on files")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_second_run_on_a_file_is_refused(tmp_path, path, workers):
    """Jobs of the first run begin it: in the process of that run, or in others."""
    others = seeds(9)

    def second_run(seed):
        run_experiment(tmp_path / f"{seed}.csv", lambda seed: {"x": 1}, others)  # that file is free
        with pytest.raises(RuntimeError) as info:
            run_experiment(path, lambda seed: {"x": 1}, others)
        return {"error": str(info.value), "process": os.getpid()}

    frame = run_experiment(path, second_run, seeds(0, 1), workers=workers)
    assert frame["error"].tolist() == [f"another run is writing to {path}"] * 2
    assert (os.getpid() in set(frame["process"])) == (workers == 1)
    run_experiment(path, lambda seed: {"error": "", "process": 0}, seeds(2))
    assert sorted(stored(path)) == [0, 1, 2]


# --- Files and jobs that are refused ---


TABLE = checked("seed,c,square\n1,2,3\n4,2,5\n")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"notes", "holds no table: it begins with b'notes'"),
        (b"# Notes\n\nBuy cheese.\n", "holds another table: its columns are"),
        (b"\n", r"holds another table: its columns are \[None\]"),
        (b'a"b,seed,c\n', r"holds another table: its columns are \['a\"b', 'seed', 'c'\]"),
        (b"seed,d,square\n1,2,3\n", r"\['seed', 'd', 'square'\], the parameters of this exper"),
        (b"c,seed,square\n1,2,3\n", r"\['c', 'seed', 'square'\]"),
        (b'"seed,c,square\n', "holds another table"),
        (b"seed\n1\n", r"columns are \['seed'\], the parameters .* \['seed', 'c'\]"),
        (b"\xef\xbb\xbfseed,c,square\n1,2,3\n", "another table"),
        (b"seed,c,square\n1,2,3\n", "has no checksums: its last column is 'square' instead of"),
        (b"seed,c\n1,2\n", "has no checksums: its last column is 'c' .* An older version wrote it"),
        (TABLE.replace(b"\n", b"\r\n"), r"last column is 'checksum\\r' .* another program changed"),
        (TABLE.replace(b"4,2,5,", b"4,2,"), "is damaged: row 3 is not as it was written"),
        (TABLE.replace(b"1,2,3,", b"1,2,3,4,"), "is damaged: row 2 is not as it was written"),
        (TABLE.replace(b"\n4", b"\n\n4"), "is damaged: row 3 is not as it was written"),
        (TABLE.replace(b"1,2,3", b'1,2,"3'), "is damaged: row 2 is not as it was written"),
        (TABLE.replace(b"1,2,3", b"1,2,4"), "is damaged: row 2 is not as it was written"),
        (TABLE.replace(b"1,2,3", b'1,2,"3"'), "is damaged: row 2 is not as it was written"),
        (TABLE.replace(b"square", b"cube"), "is damaged: row 2 is not as it was written"),
        (checked("seed,c,square\n1,2\n"), "is damaged: row 2 is not as it was written .*of cells"),
        (TABLE + b"1,2,\xff\n", "is no CSV table: 'utf-8' codec"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is no CSV table: 'utf-8' codec"),
        (checked("seed,c,square\n1,2,3\n1,2,4\n"), r"has two rows of \{'seed': '1', 'c': '2'\}"),
        (checked("seed,c,square\n0,2,0\n1,2,1\n0,2,0\n"), "with equal results: delete row 4"),
        (checked("seed,c,d,square\n1,2,3,1\n1,2,4,1\n"), "two rows .*it holds another table"),
        (bytes(1000), "holds no table"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_other_files_are_left_as_they_are(path, log, data, message):
    path.write_bytes(data)
    jobs = [{"seed": seed, "c": 2} for seed in range(3)]
    with pytest.raises(ValueError, match=message) as info:
        run_experiment(path, logged(log), jobs)
    assert str(info.value).startswith(str(path))
    assert path.read_bytes() == data
    assert calls(log) == []


@pytest.mark.parametrize("line", ["seed,c,notes", "seed,c,square,checksum,more", "seed,d"])
def test_a_foreign_line_without_an_end_is_left_as_it_is(path, line):
    """It could be a first line that was cut off, until there is a row."""
    path.write_text(line)
    jobs = [{"seed": 1, "c": 2}]
    with pytest.raises(ValueError, match=r"table\.csv holds no table: it begins with b'seed,"):
        run_experiment(path, lambda **job: {"square": 1}, jobs)
    assert path.read_text() == line


def test_the_order_of_rows_has_no_meaning(path):
    jobs = seeds(5, 3)
    path.write_bytes(checked("seed,square\n4,16\n3,9\n"))
    frame = run_experiment(path, square, jobs)
    assert frame.to_dict("list") == {"seed": [5, 3], "square": [25, 9]}
    header, *rows = path.read_text().splitlines(keepends=True)
    for order in itertools.permutations(rows):
        path.write_text("".join([header, *order]))
        pd.testing.assert_frame_equal(run_experiment(path, square, jobs), frame)


FORMULAS = ["=HYPERLINK(1)", "+1+1", "-Q", "@SUM(1)", "\t=1", "-5", "＝1", '=1,"2"']


@pytest.mark.parametrize("text", [*FORMULAS, "'quoted", "''", "'"])
def test_no_spreadsheet_runs_a_cell(path, text):
    """An apostrophe before it says that it is text; numbers stay numbers."""
    jobs = [{"seed": 1, text: text}]
    frame = run_experiment(path, lambda **job: {f"{text}2": text, "x": -1.5, "y": -2}, jobs)
    (_, name, *_), (_, *cells, _) = csv.reader(io.StringIO(path.read_text(encoding="utf-8")))
    assert [name, *cells] == ["'" + text] * 3 + ["-1.5", "-2"]
    assert frame.to_dict("records") == [jobs[0] | {f"{text}2": text, "x": -1.5, "y": -2}]
    pd.testing.assert_frame_equal(run_experiment(path, square, jobs), frame)
    pd.testing.assert_frame_equal(read_table(path).drop(columns="checksum"), frame)
    write_table(path, frame)
    assert "'" + text in next(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))
    pd.testing.assert_frame_equal(read_table(path), frame)


@pytest.mark.parametrize("text", ["a;b", "a\tb"])
def test_no_spreadsheet_splits_a_cell(path, text):
    """Some read semicolons or tabs as the ends of cells, but not in quotes."""
    run_experiment(path, lambda **_: {"x": text}, seeds(1))
    assert f',"{text}",' in path.read_text(encoding="utf-8")
    assert read_table(path)["x"].tolist() == [text]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_device_is_no_table():
    """It has no end, or no beginning to go back to."""
    with pytest.raises(ValueError, match="path must be that of a file, got '/dev/full'"):
        run_experiment("/dev/full", square, seeds(1))


def test_tables_are_read_as_they_were_written(path):
    """Text that looks like something else stays text; a line break in a text starts no row."""
    texts = ["007", "NA", "True", "", "1e5", "a\r=HYPERLINK(1)", 'b\n="1",', "\n=1", "None"]
    frame = pd.DataFrame({"name": texts, "x": range(9), "y": [0.5, np.nan, *range(7)]})
    write_table(path, frame.assign(empty=[np.nan] * 9, is_odd=[True, False] * 4 + [True]))
    assert '"\'\n=1"' in path.read_text(encoding="utf-8")
    read = read_table(path)
    pd.testing.assert_frame_equal(read[["name", "x", "y"]], frame)
    assert read["empty"].isin(["", None]).all()
    assert read["is_odd"].tolist() == [True, False] * 4 + [True]
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))  # as spreadsheets save it
    assert read_table(path)["x"].tolist() == list(range(9))
    results = {"name": ["007", "NA", "True", "7"], "some": [1, None, 3, 4], "text": ["", *"abc"]}
    jobs = seeds(*range(4))
    path.unlink()
    run_experiment(path, lambda seed: {name: results[name][seed] for name in results}, jobs)
    read = read_table(path)
    assert read["name"].tolist() == results["name"]
    assert read["some"].tolist() == pytest.approx([1, math.nan, 3, 4], nan_ok=True)
    assert read["text"].tolist() == results["text"]
    assert read["checksum"].tolist() == [line[-8:] for line in path.read_text().split()[1:]]
    write_table(path, read)
    pd.testing.assert_frame_equal(read_table(path), read)


@pytest.mark.parametrize("text", ["", "\n", "a,b\n1\n", "a,b\n1,2,3\n", "a,a\n1,2\n"])
def test_what_is_no_table_is_not_read(path, text):
    path.write_text(text)
    with pytest.raises(ValueError, match=r"no names of columns that differ|cells for 2 columns"):
        read_table(path)


@pytest.mark.parametrize("seed", range(3))
def test_a_table_that_was_changed_is_refused(path, seed):
    """A byte is changed, put in or taken out; only what cuts rows off goes unnoticed."""
    jobs = [{"seed": i, "name": f"a, {i}"} for i in range(4)]
    whole = run_experiment(path, label, jobs)
    data, rng, refused = path.read_bytes(), random.Random(seed), 0
    for _ in range(100):
        place = rng.randrange(len(data))
        byte = bytes([rng.choice(b'0123456789,"\n.-eTx') for _ in range(rng.randrange(2))])
        path.write_bytes(changed := data[:place] + byte + data[place + rng.randrange(2) :])
        try:
            frame = run_experiment(path, label, jobs)
        except ValueError:
            refused += 1
            assert path.read_bytes() == changed
        else:
            pd.testing.assert_frame_equal(frame, whole)
    assert refused > 50


@pytest.mark.parametrize(
    ("jobs", "error", "message"),
    [
        ([], ValueError, "jobs must hold at least one job, got none"),
        ([{}], ValueError, r"each job must name its \"seed\", got \{\}"),
        ([{"c": 1}], ValueError, r"each job must name its \"seed\", got \{'c': 1\}"),
        ([{"seed": 1, "c": 1}, {"seed": 2}], ValueError, r"got \['seed', 'c'\] and \['seed'\]"),
        ([{"seed": 1}, {"seed": 2, "c": 1}], ValueError, r"got \['seed'\] and \['seed', 'c'\]"),
        ([{"seed": 1}, {"sead": 2}], ValueError, r"got \['seed'\] and \['sead'\]"),
        (seeds(1, 2, 1), ValueError, r"jobs must differ, got \{'seed': 1\} twice"),
        ([{"seed": 1}, {"seed": np.int64(1)}], ValueError, "jobs must differ, .* twice"),
        ([{"seed": 1, "checksum": 2}], ValueError, "no parameter must be named 'checksum', got"),
        ([{"seed": math.nan}, {"seed": -math.nan}], ValueError, "jobs must differ, .* twice"),
        ([{"seed": [1]}], TypeError, r"seed must be a number, bool, text or None, got \[1\]"),
        *(
            ([{"seed": 1, "c": value}], TypeError, "c must be a number, bool, text or None, got ")
            for value in ({}, b"x", 1j, Path("x"), np.zeros(1), np.datetime64("2024-01-01"))
        ),
        *(
            ([{"seed": 1, "c": text}], ValueError, "c must be text of one line, got ")
            for text in ("a\nb", "a\r", "a\u2028b", "\udcff")
        ),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_bad_jobs_are_refused(tmp_path, jobs, error, message):
    path, log = tmp_path / "folder" / "table.csv", tmp_path / "log"
    with pytest.raises(error, match=message):
        run_experiment(path, logged(log), jobs)
    assert not path.parent.exists()
    assert calls(log) == []
