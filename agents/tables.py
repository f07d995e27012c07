"""Tables in Markdown, and of the actions that a search compared: as text, and as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

MAX_ROWS = 10
"""The rows that a table shows."""
_BOLD = ' style="font-weight:bold"'


def markdown(header: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """A table of text in Markdown, without a line break at its end."""
    header = list(header)
    return "\n".join(map(_line, [header, ["---"] * len(header), *lines]))


def _line(cells: Iterable[str]) -> str:
    shown = [cell.replace("|", r"\|") for cell in cells]  # a bar would end the cell
    return f"| {' | '.join(shown)} |"


class ActionTable(NamedTuple):
    """Actions with their values, the chosen one first.

    Attributes:
        header: The names of the columns; the first one has the actions in the game's words.
        rows: The cells of each action.
        notes: Lines below the table.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str]

    def text(self) -> str:
        """The table as text; a star marks the chosen action."""
        lines = [self.header, *self.rows[:MAX_ROWS]]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        texts = [
            f"{'*' if i == 1 else ' '} {_aligned(line, widths)}".rstrip()
            for i, line in enumerate(lines)
        ]
        return "\n".join([*texts, *(f"  {line}" for line in self._rest()), *self.notes])

    def html(self) -> str:
        """The table as HTML, with the chosen action in bold."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.header)
        body = "".join(
            f"<tr{'' if i else _BOLD}>{_cells(row)}</tr>"
            for i, row in enumerate(self.rows[:MAX_ROWS])
        )
        notes = "".join(f"<div>{escape(line)}</div>" for line in [*self._rest(), *self.notes])
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"

    def _rest(self) -> list[str]:
        rest = len(self.rows) - MAX_ROWS
        return [f"... {rest} more actions"] if rest > 0 else []


def _aligned(cells: Iterable[str], widths: Iterable[int]) -> str:
    """The cells of a line: the first one begins at the left, the others end at the right."""
    first, *others = zip(cells, widths, strict=True)
    return "  ".join([f"{first[0]:{first[1]}}", *(f"{cell:>{width}}" for cell, width in others)])


def _cells(cells: Iterable[str]) -> str:
    first, *others = map(escape, cells)
    right = "".join(f'<td style="text-align:right">{cell}</td>' for cell in others)
    return f'<td style="text-align:left">{first}</td>{right}'
