"""Experiments: many independent jobs, each of which adds one row to a table on disk.

A job is a mapping of parameters, one of which is its seed; a function of these parameters returns
the results. The table is a CSV file that only grows: when a job ends, its row is appended in one
write, and a job that has a row never runs again. So an interrupted run continues where it stopped,
and its rows do not depend on the number of workers.

`agents.csv_tables` says how cells are written, and reads the table. The last column is a checksum
of the row and the column names, which detects later changes. The order of the rows has no meaning.
Needs the extra ``experiments``.
"""

from __future__ import annotations

import os
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from io import FileIO
from pathlib import Path
from typing import Any

from agents.agent import PlayerError
from agents.backends import MAX_WORKERS, end_with
from agents.checks import check_count, extra
from agents.csv_tables import CHECKSUM, cell_of, column, objects, rows_of, value_of

with extra("experiments", __name__):
    import joblib
    import pandas as pd
    from tqdm import tqdm

    from agents.progress import progress_bar

try:
    import fcntl
except ImportError:  # Windows, where a second run on the same file is not detected
    fcntl = None  # type: ignore[assignment]

Job = Mapping[str, Any]
Function = Callable[..., Mapping[str, Any]]
Cells = dict[str, str]
"""The values of a row as the file writes them, by column."""
Key = tuple[str, ...]
"""The cells of the parameters of a job, which identify it."""


def run_experiment(
    path: str | Path,
    function: Function,
    jobs: Sequence[Job],
    *,
    workers: int | None = None,
    progress: tqdm[Any] | None = None,
) -> pd.DataFrame:
    """Runs the jobs that have no row yet and returns the rows of all jobs.

    Workers are processes on this machine, or those that ``joblib.parallel_config`` selects. Rows of
    other jobs stay in the file. Two mistakes are not detected: a file that an older version of the
    function wrote, and a file whose jobs had further parameters after these. In both cases give
    another path, or delete the file.

    Args:
        path: The table, a CSV file; it is created, with its folder, if it does not exist.
        function: Called as ``function(**job)`` in a worker; returns the results by name. Results
            and parameters are numbers, bools, text of one line, or None. They read back as they
            were given, with one exception: a column of results that holds only numbers and None,
            and not only integers, becomes a column of floats, with NaN for None.
        jobs: Parameters by name. All jobs have the same names in the same order; "seed" is one of
            them, "checksum" is not. No two jobs are equal.
        workers: Number of processes; None for joblib's default, 1.
        progress: The bar that counts these jobs, perhaps among others; None for a new one.

    Returns:
        One row for each job, in the order of `jobs`: its parameters, then its results.

    Raises:
        RuntimeError: If a job fails; the message names the job and has its traceback, or what a
            player did wrong. No further jobs start; those that have started end and get their
            rows. Also if another run is writing to the file.
        TypeError, ValueError: If the jobs differ from the description above, or the file holds
            another table, has a row twice, was changed after it was written, or was written by a
            version without checksums. The file is then left unchanged.
    """
    path = Path(path)
    if workers is not None:
        workers = check_count("workers", workers, 1, MAX_WORKERS)
    keys = _keys(jobs)
    failures: list[str] = []
    if path.exists() and not path.is_file():
        raise ValueError(f"path must be that of a file, got {str(path)!r}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b", buffering=0) as file:
        table = _Table(path, file, list(jobs[0]))
        todo = [i for i, key in enumerate(keys) if key not in table.rows]
        if workers is not None:
            workers = min(workers, max(1, len(todo)))  # joblib would start all that it is told
        counted = (
            progress_bar(total=len(jobs), desc=path.stem, unit="job")
            if progress is None
            else nullcontext(progress)
        )
        with counted as bar, _outcomes(function, jobs, todo, workers, failures) as outcomes:
            _skip(bar, len(jobs) - len(todo))
            for index, cells, failure in outcomes:
                failure = failure or table.append(keys[index], cells)
                if failure:
                    failures.append(f"job {dict(jobs[index])!r} failed:\n{failure}")
                bar.update(not failure)
    if failures:
        raise RuntimeError("\n".join(failures))
    return _frame(jobs, [table.rows[key] for key in keys], table.header)


def _skip(bar: tqdm[Any], count: int) -> None:
    """Counts jobs that an earlier run has done, without effect on the rate and the time left."""
    if bar.disable:  # it counts nothing
        return
    bar.initial += count
    bar.n += count
    bar.last_print_n += count
    bar.refresh()


def _keys(jobs: Sequence[Job]) -> list[Key]:
    """The keys of the jobs; raises an error if the jobs are not as `run_experiment` says."""
    if not isinstance(jobs, Sequence) or not all(isinstance(job, Mapping) for job in jobs):
        raise TypeError(f"jobs must be a sequence of mappings from names to values, got {jobs!r}")
    if not jobs:
        raise ValueError("jobs must hold at least one job, got none")
    if "seed" not in jobs[0]:
        raise ValueError(f'each job must name its "seed", got {dict(jobs[0])!r}')
    if CHECKSUM in jobs[0]:
        raise ValueError(f"no parameter must be named {CHECKSUM!r}, got {dict(jobs[0])!r}")
    for job in jobs:
        if list(job) != list(jobs[0]):
            raise ValueError(f"jobs must name the same parameters, got {[*jobs[0]]} and {[*job]}")
    keys = [tuple(cell_of(name, value) for name, value in job.items()) for job in jobs]
    if len(set(keys)) < len(keys):
        twice = next(job for job, key in zip(jobs, keys, strict=True) if keys.count(key) > 1)
        raise ValueError(f"jobs must differ, got {dict(twice)!r} twice")
    return keys


# The file


def _names(columns: Iterable[str]) -> str:
    """The first line of a file."""
    return ",".join(cell_of("a column's name", name) for name in columns)


class _Table:
    """The file: locked, read, and ready for rows to be appended."""

    def __init__(self, path: Path, file: FileIO, parameters: list[str]) -> None:
        self.path, self.file, self.parameters = path, file, parameters
        self.begun = b""
        """A first line that was cut off; the first row tells whether it is that of this table."""
        self.header: list[str] = []
        self.names = ""
        """Those of the columns but the last one, as the file has them; each checksum needs them."""
        self.rows: dict[Key, list[str]] = {}
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RuntimeError(f"another run is writing to {path}") from error
        file.seek(0)
        self._read(file.read())

    def _read(self, data: bytes) -> None:
        """Reads the rows, and drops the last one if it was cut off."""
        *lines, rest = data.split(b"\n")
        if not lines:
            begin = _names(self.parameters).encode()
            if not (begin.startswith(rest) or rest.startswith(begin + b",")):
                raise self._no_table(rest)
            self.begun = rest
            return
        try:
            header, *rows = b"\n".join(lines).decode().split("\n")
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.path} is no CSV table: {error}") from error
        self._read_header(header)
        for number, row in enumerate(rows, start=2):
            self._read_row(number, row)
        if self._cells(rest.decode(errors="replace")):  # it lacks the end of the line alone
            self._read_row(len(rows) + 2, rest.decode())
            self.file.write(b"\n")
        elif rest:
            self.file.truncate(len(data) - len(rest))

    def _no_table(self, begin: bytes) -> ValueError:
        return ValueError(f"{self.path} holds no table: it begins with {begin[:40]!r}")

    def _read_header(self, line: str) -> None:
        names = [value_of(cell) for cell in rows_of(line)[0]]
        if names[: len(self.parameters)] != self.parameters:
            raise ValueError(
                f"{self.path} holds another table: its columns are {names}, the parameters "
                f"of this experiment {self.parameters}"
            )
        if names[-1] != CHECKSUM:
            raise ValueError(
                f"{self.path} has no checksums: its last column is {names[-1]!r} instead of "
                f"{CHECKSUM!r}. An older version wrote it, or another program changed it: delete "
                "it or give another path"
            )
        self._set_header(names[:-1])

    def _set_header(self, header: list[str]) -> None:
        self.header, self.names = header, _names(header)

    def _read_row(self, number: int, line: str) -> None:
        if (row := self._cells(line)) is None:
            raise ValueError(
                f"{self.path} is damaged: row {number} is not as it was written (wrong checksum or "
                "number of cells)"
            )
        key = tuple(row[: len(self.parameters)])
        if key in self.rows:
            job = dict(zip(self.parameters, key, strict=True))
            is_same = self.rows[key] == row
            remedy = f"delete row {number}" if is_same else "it holds another table"
            kind = "equal" if is_same else "different"
            raise ValueError(f"{self.path} has two rows of {job} with {kind} results: {remedy}")
        self.rows[key] = row

    def _cells(self, line: str) -> list[str] | None:
        """The cells of a row without its checksum; None if it is not a whole row."""
        cells, _, checksum = line.rpartition(",")
        row = rows_of(cells)[0]
        is_whole = checksum == self._checksum(cells) and len(row) == len(self.header)
        return row if is_whole else None

    def _checksum(self, cells: str) -> str:
        """The checksum of a row and the names of its columns: 8 hexadecimal digits."""
        data = f"{self.names}\n{cells}".encode()
        return f"{zlib.crc32(data):08x}"

    def append(self, key: Key, cells: Cells) -> str:
        """Writes the row of a job in one write; returns the reason if the row does not fit."""
        if taken := [name for name in cells if name in (*self.parameters, CHECKSUM)]:
            return f"its results have the names of parameters or of the last column: {taken}"
        header = [*self.parameters, *cells]
        if self.header and header != self.header:
            return (
                f"the columns of {self.path} are {self.header}, its row has {header}: "
                "another kind of job needs another file (another --out of a command)"
            )
        begin = "" if self.header else f"{_names([*header, CHECKSUM])}\n"
        if self.begun:
            if not begin.encode().startswith(self.begun):
                raise self._no_table(self.begun)
            self.file.truncate(0)
            self.begun = b""
        self._set_header(header)
        row = [*key, *cells.values()]
        line = ",".join(row)
        data = f"{begin}{line},{self._checksum(line)}\n".encode()
        try:
            is_whole = self.file.write(data) == len(data)
        except OSError as error:  # nothing was written, and the error names no file
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        if not is_whole:  # the next run drops the half row
            raise OSError(
                f"{self.path} could not be written to the end of a row: is the disk full?"
            )
        self.rows[key] = row
        return ""


# Jobs

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
    """The outcomes of the jobs in `todo`, as they end; no job starts after a failure."""
    parallel = joblib.Parallel(workers, return_as="generator_unordered", batch_size=1)
    outcomes = parallel(
        joblib.delayed(_outcome)(function, i, dict(jobs[i]), os.getpid())
        for i in todo
        if not failures
    )
    try:
        yield outcomes
    finally:
        with warnings.catch_warnings():  # joblib warns if an interrupt cancels jobs
            warnings.simplefilter("ignore", UserWarning)
            outcomes.close()


def _outcome(function: Function, index: int, job: Job, run: int) -> Outcome:
    """Runs a job in a worker; `run` is the process id of the run."""
    end_with(run)
    try:
        results = function(**job)
        if not isinstance(results, Mapping):
            raise TypeError(f"the results must be a mapping from names to values, got {results!r}")
        for name in results:
            if not isinstance(name, str):
                raise TypeError(f"a result's name must be text, got {name!r}")
            cell_of("a result's name", name)
        return index, {name: cell_of(name, value) for name, value in results.items()}, ""
    except PlayerError as error:  # the fault of a player, not of the program
        return index, {}, str(error)
    except Exception:
        return index, {}, traceback.format_exc()


def _frame(jobs: Sequence[Job], rows: list[list[str]], header: list[str]) -> pd.DataFrame:
    """The rows in the order of the jobs: parameters as given, results as read from the file."""
    given = {name: objects([job[name] for job in jobs]) for name in jobs[0]}
    found = zip(header, zip(*rows, strict=True), strict=True)
    return pd.DataFrame(given | {name: column(row) for name, row in found if name not in given})
