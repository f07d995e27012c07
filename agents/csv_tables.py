"""Tables in CSV files, whose texts no spreadsheet runs.

Spreadsheets run a cell that begins like a formula, even in quotes: ``=HYPERLINK(...)``. So a text
that begins with one of `RUN`, or with an apostrophe, has one more apostrophe before it in the file,
and `read_table` takes it away. Numbers are written as they are. Needs the extra ``experiments``.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from agents.checks import extra
from agents.files import write_file

with extra("experiments", __name__):
    import pandas as pd

RUN = "=+-@\t\r＝＋－＠"
"""The first characters of what spreadsheets run."""
_GUARD = "'"


def guarded(value: Any) -> Any:
    """A text as a file has it; other values as they are."""
    is_guarded = isinstance(value, str) and value.startswith((*RUN, _GUARD))
    return _GUARD + value if is_guarded else value


def unguarded(value: Any) -> Any:
    """The value that `guarded` got."""
    return value.removeprefix(_GUARD) if isinstance(value, str) else value


def write_table(path: str | Path, table: pd.DataFrame) -> None:
    """Writes a table, without its index, in one step.

    Raises:
        OSError: If the file cannot be written; an earlier one is then unchanged.
    """
    guarded_table = table.map(guarded).rename(columns=guarded)
    write_file(path, guarded_table.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC))


def read_table(path: str | Path) -> pd.DataFrame:
    """The table that `write_table` or `agents.experiment.run_experiment` wrote.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is no CSV table.
    """
    return pd.read_csv(path).map(unguarded).rename(columns=unguarded)
