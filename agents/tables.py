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
    """Actions with their values, the best first.

    Attributes:
        header: The names of the columns; the first one has the actions in the game's words.
        rows: The cells of each action.
        chosen: Index of the row of the chosen action.
        notes: Lines below the table.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    chosen: int
    notes: Sequence[str]

    def text(self) -> str:
        """The table as text; a star marks the chosen action."""
        shown = self._shown()
        lines = [self.header, *(self.rows[i] for i in shown)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        marks = [" ", *("*" if i == self.chosen else " " for i in shown)]
        texts = [
            f"{mark} {_aligned(line, widths)}".rstrip()
            for mark, line in zip(marks, lines, strict=True)
        ]
        return "\n".join([*texts, *(f"  {line}" for line in self._rest(shown)), *self.notes])

    def html(self) -> str:
        """The table as HTML, with the chosen action in bold."""
        shown = self._shown()
        head = "".join(f"<th>{escape(name)}</th>" for name in self.header)
        body = "".join(
            f"<tr{_BOLD if i == self.chosen else ''}>{_cells(self.rows[i])}</tr>" for i in shown
        )
        notes = "".join(f"<div>{escape(line)}</div>" for line in [*self._rest(shown), *self.notes])
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"

    def _shown(self) -> list[int]:
        """The indices of the first rows, and of the chosen one."""
        first = range(min(MAX_ROWS, len(self.rows)))
        return [*first, *([] if self.chosen in first else [self.chosen])]

    def _rest(self, shown: Sequence[int]) -> list[str]:
        rest = len(self.rows) - len(shown)
        return [f"... {rest} more actions"] if rest else []


def _aligned(cells: Iterable[str], widths: Iterable[int]) -> str:
    """The cells of a line: the first one begins at the left, the others end at the right."""
    first, *others = zip(cells, widths, strict=True)
    return "  ".join([f"{first[0]:{first[1]}}", *(f"{cell:>{width}}" for cell, width in others)])


def _cells(cells: Iterable[str]) -> str:
    first, *others = map(escape, cells)
    right = "".join(f'<td style="text-align:right">{cell}</td>' for cell in others)
    return f'<td style="text-align:left">{first}</td>{right}'
