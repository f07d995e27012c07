"""The terminal game: a person plays against planners or watches planners play."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

from rich.console import RenderableType
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.driver import Driver
from textual.widgets import Static

from agents.registry import make

from ..drawing.rendering import THEMES
from ..play.players import HINT, LEVELS
from ..play.points import final_points
from ..play.selection import DIRECTIONS, Selection
from ..play.session import Found, Session, decision
from ..play.words import result_words, target_words
from . import panel_text
from .board_text import TABLE
from .panel_text import PANEL_WIDTH, WIDE_PANEL_WIDTH
from .widgets import GLOBAL_BINDINGS, BoardView, Dialog, in_thread

_WIDE, _TALL = 64, 24
"""Columns needed for a panel beside the board, and rows needed for a panel below it."""
_VERY_WIDE = 160
"""Columns needed for a wide panel."""
_LOW_PANEL = 11
"""Rows of a panel below the board."""
_MAX_DELAY, _MIN_DELAY = 8.0, 1 / 64
_TICK = 0.2
_FEWEST_MOVES, _MOST_MOVES, _MOST_LEADERS = 3, 9, 8
"""Numbers of lines in sections of the panel."""
Keep = Callable[[], None]


def play_in_terminal(session: Session, keep: Keep) -> None:
    """Plays on the whole screen until the game ends or the person leaves it.

    `keep` is called after every change of the game, to write it to a file. What an agent raised, or
    SystemExit after SIGTERM, is raised once the terminal has been restored.
    """
    app = GameApp(session, keep)
    app.run()
    if app.error is not None:
        raise app.error
    if app.return_code or app.has_failed:
        raise RuntimeError("the screen of the game failed")


class GameApp(App[None]):
    """The Textual application that shows a game and runs it; arguments: see `play_in_terminal`."""

    ENABLE_COMMAND_PALETTE = False
    CSS = f"""
    Screen {{ background: {TABLE}; color: {THEMES["dark"].ink}; }}
    Dialog {{ background: {TABLE} 60%; }}
    #table {{ layout: horizontal; height: 1fr; }}
    #board {{ width: 1fr; height: 1fr; }}
    #panel {{ width: {PANEL_WIDTH}; height: 1fr; padding: 0 1; background: #32363e; }}
    .very-wide #panel {{ width: {WIDE_PANEL_WIDTH}; }}
    #scores {{ height: 1; background: #32363e; display: none; }}
    #status {{ height: 1; background: #3b4250; }}
    #panel, #scores, #status {{ text-wrap: nowrap; text-overflow: ellipsis; }}
    .narrow #table {{ layout: vertical; }}
    .narrow #panel {{ width: 1fr; height: {_LOW_PANEL}; display: none; }}
    .narrow #scores {{ display: block; }}
    .narrow.tall #panel {{ display: block; }}
    .narrow.tall #scores {{ display: none; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *GLOBAL_BINDINGS,
        Binding("tab", "select('next_target', 1)", priority=True),
        Binding("shift+tab", "select('next_target', -1)", priority=True),
        *(
            Binding(f"{direction},{letter}", f"step('{direction}')")
            for direction, letter in zip(DIRECTIONS, "hlkj", strict=True)
        ),
        Binding("n", "select('next_cell', 1)"),
        Binding("N", "select('next_cell', -1)"),
        Binding("r", "select('rotate', 1)"),
        Binding("R", "select('rotate', -1)"),
        Binding("m", "select('next_target', 1)"),
        Binding("space", "meeple_or_pause"),
        Binding("p", "pause"),
        Binding("plus,equals_sign", "speed(0.5)"),
        Binding("minus", "speed(2)"),
        Binding("enter", "play"),
        Binding("u", "undo"),
        Binding("H", "hint"),
        Binding("t", "tell('tiles')"),
        Binding("f", "tell('features')"),
        Binding("question_mark", "tell('help')"),
        Binding("q", "ask_to_leave"),
    ]

    def __init__(self, session: Session, keep: Keep) -> None:
        super().__init__()
        self.session = session
        self.keep = keep
        self.selection: Selection | None = None  # while a person is to move
        self.error: BaseException | None = None
        """What ended the game: an exception of an agent, or `SystemExit` after SIGTERM."""
        self.has_failed = False  # whether the screen failed
        self.delay = 0.5  # seconds between moves in a game without a person
        self.is_paused = False
        self.hint: Found | None = None  # the result of the search for one
        self._choice: asyncio.Future[int | None] | None = None
        self._thinking_since: float | None = None
        self._hint_since: float | None = None
        self._board, self._panel = BoardView(), Static(id="panel")
        self._scores, self._status = Static(id="scores"), Static(id="status")

    def compose(self) -> ComposeResult:
        """Yields the scores, the board, the panel and the status line."""
        yield self._scores
        with Container(id="table"):
            yield self._board
            yield self._panel
        yield self._status

    def on_mount(self) -> None:
        """Starts the game."""
        self.show()
        self.app_resume_signal.subscribe(self, lambda _: self.refresh())
        self.set_interval(_TICK, self._show_status)
        self.run_worker(self._play_game())
        with suppress(NotImplementedError):  # Windows has no such signals
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGTERM, self._terminate)

    def on_resize(self, event: events.Resize) -> None:
        """Chooses the place of the panel by the size of the screen."""
        game = self.screen_stack[0]  # a dialog may be in front of it
        game.set_class(event.size.width < _WIDE, "narrow")
        game.set_class(event.size.width >= _VERY_WIDE, "very-wide")
        game.set_class(event.size.height >= _TALL, "tall")
        self._show_panel()

    def get_driver_class(self) -> type[Driver]:
        """The driver of the platform, extended to skip input that is not valid UTF-8."""
        return lenient(super().get_driver_class())

    def panic(self, *renderables: RenderableType) -> None:
        """Records that the screen failed, as Textual sets no return code for it, and exits."""
        self.has_failed = True
        super().panic(*renderables)

    def _terminate(self) -> None:
        self.error = SystemExit(128 + signal.SIGTERM)
        self.action_leave()

    # Running the game

    async def _play_game(self) -> None:
        """Plays to the end; an exception of an agent ends the game and is kept in ``error``."""
        try:
            while not self.session.is_over and self.error is None:
                if (action := await self._next_action()) is not None:
                    self.session.apply(action)
                self.keep()
                self.show()
        except Exception as error:
            self.error = error
        if self.error is not None:
            return self.action_leave()
        result = panel_text.result_text(self.session.model, self.session.names)
        self.push_screen(Dialog(result.append("\nAny key shows the board.")))
        return None

    async def _next_action(self) -> int | None:
        """The next action, of chance, of the person or of an agent.

        None if the person took a move back, or if the agent failed.
        """
        if self.session.model.is_chance_node():
            return self.session.draw()
        if self.session.agent_to_move is None:
            return await self._ask_person()
        return await self._ask_agent()

    async def _ask_person(self) -> int | None:
        self.selection = Selection(self.session.model)
        self._choice = asyncio.get_running_loop().create_future()
        self.show()
        try:
            return await self._choice
        finally:
            self.selection = self.hint = self._choice = None

    async def _ask_agent(self) -> int | None:
        """The action that the agent chooses in a thread; those who watch have time to see it.

        If the agent raises an exception, it is kept in ``error``, and the result is None.
        """
        self._thinking_since = time.monotonic()
        self.show()
        outcome: int | BaseException = await in_thread(self.session.decide)
        self._thinking_since = None
        if isinstance(outcome, BaseException):
            self.error = outcome
            return None
        end = time.monotonic() + self.delay * self.session.is_watched
        while self.is_paused or time.monotonic() < end:
            end = min(end, time.monotonic() + self.delay)
            await asyncio.sleep(min(0.05, self.delay))
        return outcome

    # Drawing

    def show(self) -> None:
        """Redraws everything."""
        self._board.show(self.session.model, self.selection)
        self._show_panel()
        self._show_status()

    def _show_panel(self) -> None:
        """Redraws the panel, and the line of scores that stands for it on small screens."""
        self._panel.update(Text("\n").join(self._sections()))
        model, names = self.session.model, self.session.names
        self._scores.update(panel_text.scores_line(model, names, self.size.width))

    def _sections(self) -> list[Text]:
        """The sections of the panel, as many as it has room for."""
        model, (width, height) = self.session.model, self.size
        if width < _WIDE:
            width, height = width - 2, _LOW_PANEL
        else:
            width = (WIDE_PANEL_WIDTH if width >= _VERY_WIDE else PANEL_WIDTH) - 2
            height -= 1
        sections = self._first_sections(width)

        def room() -> int:
            return height - sum(section.plain.count("\n") + 1 for section in sections)

        num_moves = max(_FEWEST_MOVES, min(room() - 1, _MOST_MOVES))
        moves = self.session.history[-num_moves:]
        sections.append(panel_text.history_text(moves, final_points(model)))
        if room() >= _FEWEST_MOVES + 1:
            sections.append(panel_text.leaders_text(model, min(room() - 1, _MOST_LEADERS)))
        tiles = panel_text.tiles_text(model, width)
        if not self.session.is_over and room() >= tiles.plain.count("\n"):
            sections.append(tiles)
        return sections

    def _first_sections(self, width: int) -> list[Text]:
        """The scores, whose turn it is, the next tiles if they are known, and the last search."""
        session, model, names = self.session, self.session.model, self.session.names
        sections = [panel_text.players_text(model, names)]
        if session.is_over:
            return [*sections, panel_text.result_text(model, names)]
        if self.selection is not None:
            sections.append(panel_text.selection_text(self.selection, model.current_player()))
        elif model.current_player() >= 0:
            sections.append(panel_text.thinking_text(model, names[model.current_player()]))
        if model.order:
            sections.append(panel_text.next_text(model, width))
        if self.hint is not None:
            sections.append(panel_text.found_text(self.hint, "Hint", len(names)))
        elif session.found is not None:
            name = names[session.found.player]
            sections.append(panel_text.found_text(session.found, name, len(names)))
        return sections

    def _show_status(self) -> None:
        self._status.update(Text(f" {self._status_words()}", no_wrap=True))

    def _status_words(self) -> str:
        """The text of the status line: whose turn it is, and the keys."""
        model, names = self.session.model, self.session.names
        if self.session.is_over:
            return f"{result_words(model, names)} · Enter leaves, u takes your move back"
        if self.selection is not None:
            if self._hint_since is not None:
                return f"Looking for a hint, {time.monotonic() - self._hint_since:.0f} s"
            keys = "? help, q quit, arrows move, r turn, m meeple, Enter play, H hint, u undo"
            meeple = target_words(self.selection.move.target)
            return keys if self._panel.display else f"{meeple} · {keys}"
        words = "Paused" if self.is_paused else "…"
        if self._thinking_since is not None:
            name = panel_text.shortened(names[model.current_player()], 24)
            words = f"{name} is thinking, {time.monotonic() - self._thinking_since:.0f} s"
        keys = "space pause · + faster · - slower · " if self.session.is_watched else ""
        return f"{words} · {keys}? help · q quit"

    # Keys

    def on_board_view_cell_clicked(self, event: BoardView.CellClicked) -> None:
        """Selects the clicked cell if it is legal."""
        self.action_select("select", event.cell)

    def action_select(self, method: str, argument: Any) -> None:
        """Selects another move by a method of `Selection`, if a person is to move."""
        if self.selection is not None:
            getattr(self.selection, method)(argument)
            self.show()

    def action_step(self, direction: str) -> None:
        """Selects the next legal cell; if no person is to move, scrolls the board."""
        if self.selection is None:
            self._board.scroll(direction)
        self.action_select("step", direction)

    def action_meeple_or_pause(self) -> None:
        """Moves the meeple; in a game without a person, pauses or resumes."""
        if self.session.is_watched:
            self.action_pause()
        self.action_select("next_target", 1)

    def action_pause(self) -> None:
        """Pauses or resumes a game without a person."""
        self.is_paused = self.session.is_watched and not self.is_paused
        self._show_status()

    def action_speed(self, factor: float) -> None:
        """Multiplies the delay between moves."""
        self.delay = min(max(self.delay * factor, _MIN_DELAY), _MAX_DELAY)

    def action_play(self) -> None:
        """Plays the selected move; leaves a game that is over."""
        if self.session.is_over:
            self.action_leave()
        elif self.selection is not None and self._choice is not None and not self._choice.done():
            self._choice.set_result(self.selection.action)

    def action_undo(self) -> None:
        """Takes the last move of a person back, and what followed, unless a planner is thinking."""
        ply = self.session.last_ply_of_person
        is_choosing = self._choice is not None and not self._choice.done()
        if ply is None or not (is_choosing or self.session.is_over):
            return
        is_over = self.session.is_over
        self.session.return_to(ply)
        if is_over:
            self.run_worker(self._play_game())
        elif self._choice is not None:
            self._choice.set_result(None)

    def action_hint(self) -> None:
        """Asks the level `HINT` for a move, and selects it."""
        if self.selection is not None and self._hint_since is None:
            self.run_worker(self._find_hint(self.selection))

    async def _find_hint(self, selection: Selection) -> None:
        agent, model = make(LEVELS[HINT], seed=0), self.session.model.clone()
        self._hint_since = time.monotonic()
        outcome = await in_thread(lambda: decision(agent, model))
        self._hint_since = None
        if isinstance(outcome, BaseException):
            self.push_screen(Dialog(f"The planner that gives hints failed: {outcome}"))
        elif selection is self.selection:
            action, self.hint = outcome
            selection.choose(action)
            self.show()

    def action_tell(self, what: str) -> None:
        """Shows the "tiles" left, who leads which "features", or "help": the keys."""
        model, is_watched = self.session.model, self.session.is_watched
        if what == "tiles":
            text: Text | str = panel_text.tiles_text(model, self.size.width - 4)
        elif what == "features":
            text = panel_text.leaders_text(model)
        else:
            text = panel_text.WATCHING_HELP if is_watched else panel_text.HELP
        self.push_screen(Dialog(text))

    def action_ask_to_leave(self) -> None:
        """Asks whether to quit; leaves a game that is over without asking."""
        if self.session.is_over:
            return self.action_leave()
        words = "Quit this game? Its file keeps it.  y / n"
        dialog = Dialog(words, yes=("y", "q", "enter"), no=("n", "escape"))
        self.push_screen(dialog, lambda is_sure: self.action_leave() if is_sure else None)
        return None

    def action_leave(self) -> None:
        """Leaves the game at once."""
        self.exit()


def lenient(driver: type[Driver]) -> type[Driver]:
    """A subclass of a driver of Textual that drops chunks of input which are not valid UTF-8."""

    def run_input_thread(self: Driver) -> None:
        while True:
            try:
                return driver.run_input_thread(self)  # type: ignore[attr-defined, no-any-return]
            except UnicodeDecodeError:
                continue

    return type(f"Lenient{driver.__name__}", (driver,), {"run_input_thread": run_input_thread})
