"""Tables in CSV files that tell text from numbers, and whose texts no spreadsheet runs.

Any reader of CSV files understands them. A cell in quotes is text. A cell without quotes is None if
it is empty, a number or a bool if it reads as one, and text otherwise.

Spreadsheets run a cell that begins like a formula, even in quotes: ``=HYPERLINK(...)``. So a text
that begins with one of `FORMULA_STARTS`, or with an apostrophe, has one more apostrophe before it
in the file, and `read_table` takes it away. Needs the extra ``experiments``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.checks import extra, is_text
from agents.files import write_file

with extra("experiments", __name__):
    import pandas as pd

FORMULA_STARTS = "=+-@\t\r\n＝＋－＠"
"""The first characters of what spreadsheets run."""
CHECKSUM = "checksum"
"""The last column of a table of `agents.experiment`; its cells are text, also without quotes."""
_GUARD = "'"
_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*(e[+-]?[0-9]+)?|inf|nan)")
_QUOTED = re.compile(rf'{_NUMBER.pattern}|True|False||.*[",;\t].*')
"""Text that needs quotes: without them it would be read as something else, or as several cells."""
_CELL = re.compile(
    r'("[^"]*(?:""[^"]*)*"(?=[,\r\n]|\Z)'  # in quotes
    r"|[^,\r\n]*(?:\r(?!\n)[^,\r\n]*)*)"  # without quotes, where "\r" alone ends no line
    r"(,|\r?\n|\Z)"
)


def write_table(path: str | Path, table: pd.DataFrame) -> None:
    """Writes a table, without its index, in one step: an error leaves an earlier file as it was."""
    guarded = table.map(_guarded).rename(columns=_guarded)
    write_file(path, guarded.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC))


def read_table(path: str | Path) -> pd.DataFrame:
    """The table that `write_table` or `agents.experiment.run_experiment` wrote.

    Text comes back as it was written. A column of numbers has NaN for what is missing. What is no
    CSV table raises ValueError.
    """
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        header, *rows = [row for row in rows_of(file.read()) if row != [""]] or [[]]
    names = [value_of(cell) for cell in header]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"{path} has no names of columns that differ: {names!r:.200}")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise ValueError(f"row {number} has {len(row)} cells for {len(names)} columns")
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    return pd.DataFrame({name: _read(name, cells) for name, cells in columns.items()})


def _read(name: str, cells: list[str]) -> Any:
    """The values of a column of a file, in which `write_table` has quotes where a number misses."""
    if name == CHECKSUM:
        return [cell.strip('"') for cell in cells]
    found = [cell for cell in cells if cell not in ("", '""')]
    are_numbers = found and all(_NUMBER.fullmatch(cell) for cell in found)
    return column([cell.strip('"') for cell in cells] if are_numbers else cells)


# Cells


def cell_of(name: str, value: Any) -> str:
    """The text of a value in a file, which `value_of` reads back; `name` is for error messages.

    The value is a number, a bool, text of one line, or None.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return ""
    if not isinstance(value, bool | int | float | str):
        raise TypeError(f"{name} must be a number, bool, text or None, got {value!r}")
    if not isinstance(value, str):
        return repr(value if isinstance(value, bool) else value - 0)  # an enum as its number
    if value.splitlines() not in ([], [value]) or "\0" in value or not is_text(value):
        raise ValueError(f"{name} must be text of one line, got {value!r}")
    text: str = _guarded(value)
    return '"' + text.replace('"', '""') + '"' if _QUOTED.fullmatch(text) else text


def value_of(cell: str) -> Any:
    """The value of a cell in a file."""
    if cell.startswith('"'):
        return cell[1:-1].replace('""', '"').removeprefix(_GUARD)
    if cell in ("True", "False"):
        return cell == "True"
    if _INTEGER.fullmatch(cell):
        return int(cell)
    return float(cell) if _NUMBER.fullmatch(cell) else cell.removeprefix(_GUARD) or None


def rows_of(text: str) -> list[list[str]]:
    """The cells of each line of a file; a line may be broken within quotes."""
    rows: list[list[str]] = [[]]
    for cell, end in _CELL.findall(text):
        rows[-1].append(cell)
        if end != ",":
            rows.append([])
    return rows[:-1]


def column(cells: Sequence[str]) -> Any:
    """The values of a column: numbers and None become floats unless all are integers."""
    values = [value_of(cell) for cell in cells]
    kinds = {type(value) for value in values}
    if kinds != {int} and kinds <= {int, float, type(None)}:
        return [float(cell or "nan") for cell in cells]
    return objects(values)


def objects(values: list[Any]) -> Any:
    """The values of a column in which None stays None."""
    return pd.Series(values, dtype=object) if None in values else values


def _guarded(value: Any) -> Any:
    """A text as a file has it; other values as they are."""
    is_guarded = isinstance(value, str) and value.startswith((*FORMULA_STARTS, _GUARD))
    return _GUARD + value if is_guarded else value
