"""Widgets of the terminal game: the board and dialogs; and a thread for long computations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult, RenderResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from ..drawing.tile_text import Block
from ..model import CarcassonneModel
from ..play.selection import DIRECTIONS, Cell, Selection
from . import board_text
from .board_text import GUTTER, SIZES, Window, scrolled

GLOBAL_BINDINGS = (
    Binding("ctrl+c,ctrl+q", "app.leave", priority=True),
    Binding("ctrl+z", "app.suspend_process", priority=True),
)
"""Keys that leave or suspend the game at once, on every screen."""


_LEAST_WIDTH, _LEAST_HEIGHT = 30, 9
"""Columns and rows that leave room for the numbers beside the board."""


class BoardView(Widget):
    """Shows the board as large as it fits, or the part around the tile that was placed last.

    While a person is to move, the part around the selected cell is shown.
    """

    class CellClicked(Message):
        """Tells that a cell was clicked."""

        def __init__(self, cell: Cell) -> None:
            super().__init__()
            self.cell = cell

    def __init__(self) -> None:
        super().__init__(id="board")
        self.blocks: dict[Cell, Block] = {}
        self.tile_size = SIZES[-1]  # columns and rows
        self.corner = (0, 0)  # leftmost column and topmost row of the visible part
        self._cells: list[Cell] = [(0, 0)]
        self._shown: tuple[CarcassonneModel, Selection | None] | None = None
        self._followed: Cell | None = None

    @property
    def margins(self) -> tuple[int, int]:
        """Columns left of the board and rows above it, in which its coordinates stand."""
        has_room = self.size.width >= _LEAST_WIDTH and self.size.height >= _LEAST_HEIGHT
        return (GUTTER, 1) if has_room else (0, 0)

    @property
    def window(self) -> Window:
        """The visible part of the board."""
        left, top = self.margins
        return (*self.corner, self.size.width - left, self.size.height - top)

    def show(self, model: CarcassonneModel, selection: Selection | None) -> None:
        """Shows a position, and scrolls if the selected cell or the last tile is another one."""
        last = model.board[-1]
        cell = (last.x, last.y) if selection is None else selection.cell
        self._cells = [(tile.x, tile.y) for tile in model.board]
        size = board_text.largest(self._cells, *self.window[2:])
        has_moved = (cell, size) != (self._followed, self.tile_size)
        self._shown, self._followed, self.tile_size = (model, selection), cell, size
        self.blocks = board_text.board_blocks(model, selection, size)
        if has_moved:
            self._follow()
        self.refresh()

    def _follow(self) -> None:
        if self._followed is not None:
            place = self.window, self.tile_size
            self.corner = board_text.window_on(self._followed, self._cells, *place)[:2]

    def scroll(self, direction: str) -> None:
        """Scrolls by one cell in a direction."""
        dx, dy = DIRECTIONS[direction]
        column, row, width, height = self.window
        left, right, top, bottom = board_text.bounds(self._cells, self.tile_size)
        column, row = column + dx * self.tile_size[0], row - dy * self.tile_size[1]
        self.corner = (
            scrolled(column, width, left, right, column, column + width),
            scrolled(row, height, top, bottom, row, row + height),
        )
        self.refresh()

    def render(self) -> RenderResult:
        """The text of the visible part of the board."""
        place = self.window, self.tile_size
        text = board_text.window_text(self.blocks, *place)
        return board_text.with_axes(text, *place) if any(self.margins) else text

    def on_resize(self) -> None:
        """Keeps the followed cell visible."""
        if self._shown is not None:
            self.show(*self._shown)
        self._follow()
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Posts the clicked cell as a message."""
        left, top = self.margins
        if event.x >= left and event.y >= top:
            column, row = self.corner[0] + event.x - left, self.corner[1] + event.y - top
            self.post_message(self.CellClicked(board_text.cell_at(column, row, self.tile_size)))

    def on_mouse_scroll_up(self) -> None:
        """Scrolls up."""
        self.scroll("up")

    def on_mouse_scroll_down(self) -> None:
        """Scrolls down."""
        self.scroll("down")


class Dialog(ModalScreen[bool]):
    """A text over the game, which scrolls; the keys of ``yes`` close it with the result True.

    Those of ``no``, or all others if it is empty, close it with False.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*GLOBAL_BINDINGS]
    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog VerticalScroll { width: auto; max-width: 100%; height: auto; max-height: 100%; }
    Dialog VerticalScroll { padding: 0 1; background: #32363e; }
    Dialog Static { width: auto; max-width: 100%; height: auto; }
    """

    def __init__(self, text: str | Text, yes: Sequence[str] = (), no: Sequence[str] = ()) -> None:
        super().__init__()
        self.text, self.yes, self.no = text, yes, no

    def compose(self) -> ComposeResult:
        """Yields the text."""
        with VerticalScroll():
            yield Static(self.text, markup=False)

    def on_key(self, event: events.Key) -> None:
        """Closes the dialog at one of its keys, once."""
        event.stop()
        is_known = event.key in self.yes or not self.no or event.key in self.no
        if is_known and self.is_current:
            self.dismiss(event.key in self.yes)


async def in_thread(work: Callable[[], Any]) -> Any:
    """Runs ``work`` in a new thread and returns its result, or the exception that it raised.

    The thread is a daemon, so the program can end while a search is still running.
    """
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()  # nobody can cancel what the thread does

    def run() -> None:
        try:
            outcome = work()
        except BaseException as error:
            outcome = error
        future.set_result(outcome)

    Thread(target=run, name="agent", daemon=True).start()
    return await asyncio.wrap_future(future)
