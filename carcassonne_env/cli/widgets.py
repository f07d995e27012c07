"""Widgets of the terminal game: the board and dialogs; and a thread for long computations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult, RenderResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from ..play.selection import DIRECTIONS, Cell
from .board_text import (
    HEIGHT,
    WIDTH,
    Block,
    Window,
    bounds,
    cell_at,
    scrolled,
    window_on,
    window_text,
)

GLOBAL_BINDINGS = (
    Binding("ctrl+c,ctrl+q", "app.leave", priority=True),
    Binding("ctrl+z", "app.suspend_process", priority=True),
)
"""Keys that leave or suspend the game at once, on every screen."""


class BoardView(Widget):
    """Shows the part of the board around the selected cell or the last placed tile."""

    class CellClicked(Message):
        """Tells that a cell was clicked."""

        def __init__(self, cell: Cell) -> None:
            super().__init__()
            self.cell = cell

    def __init__(self) -> None:
        super().__init__(id="board")
        self.blocks: dict[Cell, Block] = {}
        self.followed: Cell | None = None
        self.corner = (0, 0)

    @property
    def window(self) -> Window:
        """The visible part of the board."""
        return (*self.corner, self.size.width, self.size.height)

    def show(self, blocks: dict[Cell, Block], followed: Cell) -> None:
        """Shows new blocks, and scrolls to the followed cell if it has changed."""
        self.blocks = blocks
        if followed != self.followed:
            self.followed = followed
            self.follow()
        self.refresh()

    def follow(self) -> None:
        """Scrolls to the followed cell."""
        if self.followed is not None:
            self.corner = window_on(self.followed, list(self.blocks), self.window)[:2]

    def scroll(self, direction: str) -> None:
        """Scrolls by one cell in a direction."""
        dx, dy = DIRECTIONS[direction]
        column, row, width, height = self.window
        left, right, top, bottom = bounds(list(self.blocks))
        column, row = column + dx * WIDTH, row - dy * HEIGHT
        self.corner = (
            scrolled(column, width, left, right, column, column + width),
            scrolled(row, height, top, bottom, row, row + height),
        )
        self.refresh()

    def render(self) -> RenderResult:
        """The text of the visible part of the board."""
        return window_text(self.blocks, self.window)

    def on_resize(self) -> None:
        """Keeps the followed cell visible."""
        self.follow()
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Posts the clicked cell as a message."""
        cell = cell_at(self.corner[0] + event.x, self.corner[1] + event.y)
        self.post_message(self.CellClicked(cell))

    def on_mouse_scroll_up(self) -> None:
        """Scrolls up."""
        self.scroll("up")

    def on_mouse_scroll_down(self) -> None:
        """Scrolls down."""
        self.scroll("down")


class Dialog(ModalScreen[bool]):
    """A text over the game that a key closes.

    Args:
        text: The text to show.
        yes: Keys that close it with the result True.
        no: Keys that close it with the result False. If empty, all other keys do.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*GLOBAL_BINDINGS]
    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog Static { width: auto; max-width: 100%; height: auto; max-height: 100%; }
    Dialog Static { padding: 0 1; background: #32363e; overflow-y: auto; }
    """

    def __init__(self, text: str, yes: Sequence[str] = (), no: Sequence[str] = ()) -> None:
        super().__init__()
        self.text, self.yes, self.no = text, yes, no

    def compose(self) -> ComposeResult:
        """Yields the text."""
        yield Static(self.text, markup=False)

    def on_key(self, event: events.Key) -> None:
        """Closes the dialog at one of its keys."""
        event.stop()
        if event.key in self.yes or not self.no or event.key in self.no:
            self.dismiss(event.key in self.yes)


async def in_thread(work: Callable[[], Any]) -> Any:
    """Runs ``work`` in a new thread and returns its result, or the exception that it raised.

    The thread is a daemon, so the program can end while a search is still running.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(outcome: Any) -> None:
        if not future.done():
            future.set_result(outcome)

    def run() -> None:
        try:
            outcome = work()
        except BaseException as error:
            outcome = error
        with suppress(RuntimeError):  # the loop is closed: the game was left
            loop.call_soon_threadsafe(settle, outcome)

    Thread(target=run, name="agent", daemon=True).start()
    return await future
