"""Experiments: many independent jobs, each of which leaves one row in a table on disk.

A job is a mapping of parameters, its seed among them; a function of these parameters returns the
results. The table is a CSV file that only grows: a row is appended, in one write, when its job has
ended, and a job that has a row is never run again. So a run that is interrupted goes on where it
stopped, and its rows do not depend on the number of workers. Needs the extra ``experiments``.
"""

from __future__ import annotations

import csv
import io
import re
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from tqdm import tqdm

try:
    import fcntl
except ImportError:  # Windows, where a second run on the same file is not noticed
    fcntl = None  # type: ignore[assignment]

Job = Mapping[str, Any]
Function = Callable[..., Mapping[str, Any]]
Cells = dict[str, str]
"""The values of a row as they stand in the file, by column."""
Key = tuple[str, ...]
"""What identifies a job: the cells of its parameters."""


def run_experiment(
    path: str | Path,
    function: Function,
    jobs: Sequence[Job],
    *,
    workers: int | None = None,
) -> pd.DataFrame:
    """Runs the jobs that have no row yet and returns the rows of all.

    Workers are processes of this machine, or what ``joblib.parallel_config`` says. Rows of other
    jobs in the file stay. A file written by an older version of the function is not noticed,
    nor is one whose jobs had these parameters and then more: give another path, or delete it.

    Args:
        path: The table, a CSV file; made, with its folder, if it does not exist.
        function: Called as ``function(**job)`` in a worker; returns the results by name. Results,
            like parameters, are numbers, bools, text of one line, or None, which reads back as NaN
            among numbers and as "" otherwise.
        jobs: Parameters by name: the same names in the same order in every job, "seed" among
            them, and no two jobs alike.
        workers: Number of processes; None for joblib's default, 1.

    Returns:
        One row a job, in the order of `jobs`: its parameters, then its results.

    Raises:
        RuntimeError: If a job fails; the message names the job and has its traceback. No further
            jobs are begun, and those that were end and get their rows. Also if another run is
            writing to the file.
        TypeError, ValueError: If the jobs are not as above, or the file holds another table or is
            damaged; it is then left as it is.
    """
    path = Path(path)
    keys = _keys(jobs)
    failures: list[str] = []
    with _Table(path, list(jobs[0])) as table:
        todo = [i for i, key in enumerate(keys) if key not in table.rows]
        done = len(jobs) - len(todo)
        progress = tqdm(total=len(jobs), initial=done, desc=path.stem, unit="job")
        with progress, _outcomes(function, jobs, todo, workers, failures) as outcomes:
            for index, cells, failure in outcomes:
                failure = failure or table.append(keys[index], cells)
                if failure:
                    failures.append(f"job {dict(jobs[index])!r} failed:\n{failure}")
                progress.update(not failure)
    if failures:
        raise RuntimeError("\n".join(failures))
    return _frame(jobs, [table.rows[key] for key in keys], table.header)


def _keys(jobs: Sequence[Job]) -> list[Key]:
    """The keys of the jobs, which are checked."""
    if not isinstance(jobs, Sequence) or not all(isinstance(job, Mapping) for job in jobs):
        raise TypeError(f"jobs must be a sequence of mappings from names to values, got {jobs!r}")
    if not jobs:
        raise ValueError("jobs must hold at least one job, got none")
    if "seed" not in jobs[0]:
        raise ValueError(f'each job must name its "seed", got {dict(jobs[0])!r}')
    for job in jobs:
        if list(job) != list(jobs[0]):
            raise ValueError(f"jobs must name the same parameters, got {[*jobs[0]]} and {[*job]}")
    keys = [tuple(_text(name, value) for name, value in job.items()) for job in jobs]
    seen: set[Key] = set()
    for job, key in zip(jobs, keys, strict=True):
        if key in seen:
            raise ValueError(f"jobs must differ, got {dict(job)!r} twice")
        seen.add(key)
    return keys


def _text(name: str, value: Any) -> str:
    """A value as it stands in the file; floats read back exactly."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return ""
    if not isinstance(value, bool | int | float | str):
        raise TypeError(f"{name} must be a number, bool, text or None, got {value!r}")
    text = value if isinstance(value, str) else repr(value)
    is_unicode = text == text.encode(errors="replace").decode()
    if text.splitlines() not in ([], [text]) or "\0" in text or not is_unicode:
        raise ValueError(f"{name} must be text of one line, got {value!r}")
    return text


class _Table:
    """The file: locked, read, and ready for rows to be appended."""

    def __init__(self, path: Path, parameters: list[str]) -> None:
        self.path = path
        self.parameters = parameters
        self.header: list[str] = []
        self.rows: dict[Key, list[str]] = {}

    def __enter__(self) -> _Table:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.file = self.path.open("a+b", buffering=0)
        try:
            self._lock()
            self.file.seek(0)
            data = self.file.read()
            whole = data[: data.rfind(b"\n") + 1]  # what follows is a row that was cut off
            self._read(whole, data)
            if len(whole) < len(data):
                self.file.truncate(len(whole))
        except BaseException:
            self.file.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RuntimeError(f"another run is writing to {self.path}") from error

    def _read(self, whole: bytes, data: bytes) -> None:
        begin = _line(self.parameters).removesuffix(b"\n")
        if not whole and not (begin.startswith(data) or data.startswith(begin + b",")):
            raise ValueError(f"{self.path} holds no table: it begins with {data[:40]!r}")
        if not whole:
            return
        try:
            lines = list(csv.reader(io.StringIO(whole.decode(), newline=""), strict=True))
        except (UnicodeDecodeError, csv.Error) as error:
            raise ValueError(f"{self.path} is no CSV table: {error}") from error
        self.header, *rows = lines
        if self.header[: len(self.parameters)] != self.parameters:
            raise ValueError(
                f"{self.path} holds another table: its columns are {self.header}, the parameters "
                f"of this experiment {self.parameters}"
            )
        for number, row in enumerate(rows, start=2):
            if len(row) != len(self.header):
                raise ValueError(
                    f"{self.path} is damaged: row {number} has {len(row)} cells instead of "
                    f"{len(self.header)}"
                )
            key = tuple(row[: len(self.parameters)])
            if self.rows.setdefault(key, row) != row:
                raise ValueError(
                    f"{self.path} has two rows of {dict(zip(self.parameters, key, strict=True))}, "
                    f"with different results: it holds another table"
                )

    def append(self, key: Key, cells: Cells) -> str:
        """Writes the row of a job, in one write; or returns why it does not fit."""
        if shared := [name for name in cells if name in self.parameters]:
            return f"its results have the names of parameters: {shared}"
        header = [*self.parameters, *cells]
        if self.header and header != self.header:
            return f"the columns of {self.path} are {self.header}, its row has {header}"
        row = [*key, *cells.values()]
        data = (b"" if self.header else _line(header)) + _line(row)
        if self.file.write(data) != len(data):  # the next run drops the half row
            raise OSError(
                f"{self.path} could not be written to the end of a row: is the disk full?"
            )
        self.header = header
        self.rows[key] = row
        return ""


def _line(cells: list[str]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue().encode()


Outcome = tuple[int, Cells, str]
"""Index of a job, its results, and a traceback if it failed."""


@contextmanager
def _outcomes(
    function: Function,
    jobs: Sequence[Job],
    todo: list[int],
    workers: int | None,
    failures: list[str],
) -> Iterator[Iterator[Outcome]]:
    """The outcomes of the jobs to do, as they end; no job begins after a failure."""
    parallel = joblib.Parallel(workers, return_as="generator_unordered", batch_size=1)
    outcomes = parallel(
        joblib.delayed(_outcome)(function, i, dict(jobs[i])) for i in todo if not failures
    )
    try:
        yield outcomes
    finally:
        with warnings.catch_warnings():  # that an interrupt gives up the jobs in flight
            warnings.simplefilter("ignore", UserWarning)
            outcomes.close()


def _outcome(function: Function, index: int, job: Job) -> Outcome:
    try:
        results = function(**job)
        if not isinstance(results, Mapping):
            raise TypeError(f"the results must be a mapping from names to values, got {results!r}")
        for name in results:
            if not isinstance(name, str) or name != _text("a result's name", name):
                raise TypeError(f"a result's name must be text, got {name!r}")
        return index, {name: _text(name, value) for name, value in results.items()}, ""
    except Exception:
        return index, {}, traceback.format_exc()


def _frame(jobs: Sequence[Job], rows: list[list[str]], header: list[str]) -> pd.DataFrame:
    """The rows in the order of the jobs: parameters as given, results as read from the file."""
    parameters = list(jobs[0])
    columns: dict[str, Any] = {}
    for name in parameters:
        values = [job[name] for job in jobs]
        columns[name] = pd.Series(values, dtype=object) if None in values else values
    for i in range(len(parameters), len(header)):
        columns[header[i]] = _values([row[i] for row in rows])
    return pd.DataFrame(columns)


INTEGER = re.compile(r"[+-]?[0-9]+")
FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*(e[+-]?[0-9]+)?|inf|nan)|")


def _values(texts: list[str]) -> list[Any]:
    """A column of results: bools, integers or numbers if all are, else text; None is NaN or ""."""
    if set(texts) <= {"True", "False"}:
        return [text == "True" for text in texts]
    if all(map(INTEGER.fullmatch, texts)):
        return [int(text) for text in texts]
    if all(map(FLOAT.fullmatch, texts)):
        return [float(text or "nan") for text in texts]
    return list(texts)
