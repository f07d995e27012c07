"""Experiments: many independent jobs, each of which leaves one row in a table on disk.

A job is a mapping of parameters, its seed among them; a function of these parameters returns the
results. The table is a CSV file that only grows: a row is appended, in one write, when its job has
ended, and a job that has a row is never run again. So a run that is interrupted goes on where it
stopped, and its rows do not depend on the number of workers. Needs the extra ``experiments``.
"""

from __future__ import annotations

import csv
import io
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

Scalar = bool | int | float | str | None
Job = Mapping[str, Any]
Key = tuple[str, ...]


def run_experiment(
    path: str | Path,
    function: Callable[..., Mapping[str, Any]],
    jobs: Sequence[Job],
    *,
    workers: int | None = None,
) -> pd.DataFrame:
    """Runs the jobs that have no row yet and returns the rows of all.

    Workers are processes of this machine, or what ``joblib.parallel_config`` says. Rows of other
    jobs in the file stay. A file written by an older version of the function is not noticed: give
    another path, or delete it.

    Args:
        path: The table, a CSV file; made, with its folder, if it does not exist.
        function: Called as ``function(**job)`` in a worker; returns the results by name. Results,
            like parameters, are numbers, text of one line, or None.
        jobs: Parameters by name: the same names in every job, "seed" among them, and no two jobs
            alike.
        workers: Number of processes; None for joblib's default, 1.

    Returns:
        One row a job, in the order of `jobs`: its parameters, then its results.

    Raises:
        RuntimeError: If a job fails; the message names the job and has its traceback. No further
            jobs are begun, and those that were end and get their rows.
        TypeError, ValueError: If the jobs are not as above, or the file holds another table or is
            damaged; it is then left as it is.
    """
    path = Path(path)
    keys = _keys(jobs)
    parameters = list(jobs[0])
    table = _Table(path, parameters)
    todo = [i for i, key in enumerate(keys) if key not in table.rows]
    failures: list[str] = []
    progress = tqdm(total=len(jobs), initial=len(jobs) - len(todo), desc=path.stem, unit="job")
    with progress, table, _outcomes(function, jobs, todo, workers, failures) as outcomes:
        for index, results, failure in outcomes:
            if results is None:
                failures.append(f"{_named(jobs[index])} failed:\n{failure}")
            else:
                table.append(keys[index], results, _named(jobs[index]))
                progress.update()
    if failures:
        raise RuntimeError("\n".join(failures))
    return _frame(jobs, [table.rows[key] for key in keys], table.header)


def _keys(jobs: Sequence[Job]) -> list[Key]:
    """What identifies each job: its parameters as they stand in the file."""
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


def _named(job: Job) -> str:
    return f"job {dict(job)!r}"


def _text(name: str, value: Any) -> str:
    """A value as it stands in the file; floats read back exactly."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return ""
    if not isinstance(value, bool | int | float | str):
        raise TypeError(f"{name} must be a number, text or None, got {value!r}")
    text = value if isinstance(value, str) else repr(value)
    if not text.isprintable():
        raise ValueError(f"{name} must be text of one line, got {value!r}")
    return text


class _Table:
    """The file: what was read from it, and where rows are appended."""

    def __init__(self, path: Path, parameters: list[str]) -> None:
        self.path = path
        self.parameters = parameters
        self.header: list[str] = []
        self.rows: dict[Key, list[str]] = {}
        data = path.read_bytes() if path.exists() else b""
        self.size = data.rfind(b"\n") + 1  # what follows is a row that was cut off
        begin = _line(parameters).removesuffix(b"\n")
        if not self.size and not (begin.startswith(data) or data.startswith(begin + b",")):
            raise ValueError(f"{path} is no table of this experiment: it begins with {data[:40]!r}")
        if self.size:
            self._read(data[: self.size])

    def _read(self, data: bytes) -> None:
        try:
            lines = list(csv.reader(io.StringIO(data.decode(), newline=""), strict=True))
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
            self.rows.setdefault(tuple(row[: len(self.parameters)]), row)

    def __enter__(self) -> _Table:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.file = self.path.open("ab", buffering=0)
        self.file.truncate(self.size)
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def append(self, key: Key, results: Mapping[str, Any], job: str) -> None:
        """Writes the row of a job, in one write."""
        header = [*self.parameters, *results]
        if header != (self.header or header) or len(set(header)) < len(header):
            raise ValueError(
                f"{self.path} has the columns {self.header or self.parameters}, the results of "
                f"{job} are {list(results)}"
            )
        row = [*key, *(_text(name, value) for name, value in results.items())]
        self.file.write((b"" if self.header else _line(header)) + _line(row))
        self.header = header
        self.rows[key] = row


def _line(cells: list[str]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue().encode()


Outcome = tuple[int, Mapping[str, Any] | None, str]


@contextmanager
def _outcomes(
    function: Callable[..., Mapping[str, Any]],
    jobs: Sequence[Job],
    todo: list[int],
    workers: int | None,
    failures: list[str],
) -> Iterator[Iterator[Outcome]]:
    """(index, results, failure) of each job to do, as they end; no new ones after a failure."""
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


def _outcome(function: Callable[..., Mapping[str, Any]], index: int, job: Job) -> Outcome:
    try:
        return index, function(**job), ""
    except Exception:
        return index, None, traceback.format_exc()


def _frame(jobs: Sequence[Job], rows: list[list[str]], header: list[str]) -> pd.DataFrame:
    """The rows in the order of the jobs: parameters as given, results as read from the file."""
    parameters = list(jobs[0])
    columns: dict[str, Any] = {name: [job[name] for job in jobs] for name in parameters}
    for i in range(len(parameters), len(header)):
        columns[header[i]] = _values([row[i] for row in rows])
    return pd.DataFrame(columns)


def _values(texts: list[str]) -> list[Scalar]:
    """A column of results: integers, else numbers (NaN where empty), else text."""
    for kind in (int, lambda text: float(text or "nan")):
        try:
            return [kind(text) for text in texts]
        except ValueError:
            continue
    return list(texts)
