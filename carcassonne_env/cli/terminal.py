"""A game in the terminal: a person plays against planners, or watches them play."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import Static

from agents.agent import Agent
from agents.game import is_searching
from agents.rng import Rng

from ..drawing.rendering import THEMES
from ..model import CarcassonneModel
from .board_text import (
    TABLE,
    board_blocks,
)
from .panel_text import (
    HELP,
    PANEL_WIDTH,
    WATCHING_HELP,
    Found,
    Played,
    found_by,
    found_text,
    history_text,
    players_text,
    result_text,
    result_words,
    selection_text,
    shortened,
    target_words,
    thinking_text,
)
from .selection import DIRECTIONS, Selection
from .widgets import LEAVE_BINDING, BoardView, Dialog, in_thread

_WIDE, _TALL = 64, 24
"""From so many columns on the panel stands beside the board, from so many rows below it."""
_MAX_DELAY, _MIN_DELAY = 8.0, 1 / 64
_TICK = 0.2


class TerminalGame:
    """One game of Carcassonne on the whole screen of a terminal.

    Args:
        model: Where the game begins; it is not changed.
        players: An agent for each player; None for a person.
        names: What the players are called.
        rng: Draws the tiles.

    Attributes:
        model: The position now; after `run` the last one, whether the game is over or not.
        history: The moves played.
        error: What an agent raised.

    Raises:
        ValueError: If players or names are not as many as the game's players, or the game has two
            steps a turn.
    """

    def __init__(
        self,
        model: CarcassonneModel,
        players: Sequence[Agent | None],
        names: Sequence[str],
        rng: Rng,
    ) -> None:
        if not len(players) == len(names) == model.num_players:
            raise ValueError(
                f"the game is for {model.num_players} players, got {len(players)} players and "
                f"{len(names)} names"
            )
        if model.is_two_step:
            raise ValueError("the terminal plays games of one step a turn, got two_step=True")
        self.model = model.clone()
        self.players = list(players)
        self.names = list(names)
        self.rng = rng
        self.history: list[Played] = []
        self.error: BaseException | None = None

    @property
    def is_abandoned(self) -> bool:
        """Whether the game was left before its end."""
        return not self.model.is_terminal()

    @property
    def is_watched(self) -> bool:
        """Whether no person plays."""
        return None not in self.players

    def run(self) -> bool:
        """Plays until the game is over or abandoned; returns whether it is over.

        Raises:
            BaseException: Whatever an agent raised, as it is, with the terminal restored.
            RuntimeError: If the screen failed.
        """
        app = GameApp(self)
        app.run()
        if self.error is not None:
            raise self.error
        if app.return_code:
            raise RuntimeError("the screen of the game failed")
        return not self.is_abandoned

    def apply(self, action: int) -> None:
        """Plays an action, or an outcome of chance, and tells all agents."""
        model = self.model
        if model.is_chance_node():
            model.apply_action(action)
        else:
            self._play(action)
        for agent in self.players:
            if agent is not None:
                agent.advance(action)

    def _play(self, action: int) -> None:
        model = self.model
        player, letter, before = model.current_player(), model.current_tile or "", model.scores
        move = model.decode_action(action)
        model.apply_action(action)
        points = tuple(now - then for now, then in zip(model.scores, before, strict=True))
        self.history.append(Played(player, letter, move, points))


class GameApp(App[None]):
    """The screen of a `TerminalGame`, and the course of the game.

    Args:
        game: The game to play; it is changed.

    Attributes:
        selection: The person's move to be; None while no person is to move.
        found: What the last search found; None before one.
        delay: Seconds between moves where only agents play.
        is_paused: Whether agents wait.
    """

    ENABLE_COMMAND_PALETTE = False
    CSS = f"""
    Screen {{ background: {TABLE}; color: {THEMES["dark"].ink}; }}
    #table {{ layout: horizontal; height: 1fr; }}
    #board {{ width: 1fr; height: 1fr; }}
    #panel {{ width: {PANEL_WIDTH}; height: 1fr; padding: 0 1; background: #32363e; }}
    #status {{ height: 1; background: #3b4250; text-wrap: nowrap; text-overflow: ellipsis; }}
    .narrow #table {{ layout: vertical; }}
    .narrow #panel {{ width: 1fr; height: 11; display: none; }}
    .narrow.tall #panel {{ display: block; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        LEAVE_BINDING,
        Binding("tab", "meeple(1)", priority=True),
        Binding("shift+tab", "meeple(-1)", priority=True),
        *(
            Binding(f"{direction},{letter}", f"step('{direction}')")
            for direction, letter in zip(DIRECTIONS, "hlkj", strict=True)
        ),
        Binding("n", "cell(1)"),
        Binding("N", "cell(-1)"),
        Binding("r", "rotate(1)"),
        Binding("R", "rotate(-1)"),
        Binding("m", "meeple(1)"),
        Binding("space", "meeple_or_pause"),
        Binding("p", "pause"),
        Binding("plus,equals_sign", "speed(0.5)"),
        Binding("minus", "speed(2)"),
        Binding("enter", "play"),
        Binding("question_mark", "help"),
        Binding("q", "ask_to_leave"),
    ]

    def __init__(self, game: TerminalGame) -> None:
        super().__init__()
        self.game = game
        self.selection: Selection | None = None
        self.found: Found | None = None
        self.delay = 0.5
        self.is_paused = False
        self._choice: asyncio.Future[int] | None = None
        self._thinking_since: float | None = None
        self._board, self._panel = BoardView(), Static(id="panel")
        self._status = Static(id="status")

    def compose(self) -> ComposeResult:
        """The board, the panel and the line below them."""
        with Container(id="table"):
            yield self._board
            yield self._panel
        yield self._status

    def on_mount(self) -> None:
        """Begins the game."""
        self.show()
        self.set_interval(_TICK, self._show_status)
        self.run_worker(self._play_game())

    def on_resize(self, event: events.Resize) -> None:
        """Finds a place for the panel."""
        self.screen.set_class(event.size.width < _WIDE, "narrow")
        self.screen.set_class(event.size.height >= _TALL, "tall")

    # The course of the game

    async def _play_game(self) -> None:
        """Plays to the end; whatever an agent raises ends the game and is kept."""
        game = self.game
        try:
            while not game.model.is_terminal():
                action = await self._next_action()
                if action is None:
                    return self.action_leave()
                game.apply(action)
                self.show()
        except Exception as error:
            game.error = error
            self.action_leave()

    async def _next_action(self) -> int | None:
        """What chance draws, the person chooses or an agent does; None if the agent failed."""
        model = self.game.model
        if model.is_chance_node():
            return model.sample_chance(self.game.rng)
        agent = self.game.players[model.current_player()]
        if agent is None:
            return await self._ask_person()
        action = await self._ask_agent(agent)
        if self.game.is_watched:
            await self._wait()
        return action

    async def _ask_person(self) -> int:
        self.selection = Selection(self.game.model)
        self._choice = asyncio.get_running_loop().create_future()
        self.show()
        try:
            return await self._choice
        finally:
            self.selection = None

    async def _ask_agent(self, agent: Agent) -> int | None:
        """The agent's action, chosen in a thread; None if it raised, with the error kept."""
        model = self.game.model
        self._thinking_since = time.monotonic()
        self.show()
        outcome = await in_thread(lambda: decision(agent, model.clone()))
        self._thinking_since = None
        if isinstance(outcome, BaseException):
            self.game.error = outcome
            return None
        action: int
        action, self.found = outcome
        return action

    async def _wait(self) -> None:
        """Waits between the moves of agents, and as long as the game is paused."""
        end = time.monotonic() + self.delay
        while self.is_paused or time.monotonic() < end:
            end = min(end, time.monotonic() + self.delay)
            await asyncio.sleep(min(0.05, self.delay))

    # What is shown

    def show(self) -> None:
        """Draws everything anew."""
        model, selection = self.game.model, self.selection
        last = model.board[-1]
        followed = (last.x, last.y) if selection is None else selection.cell
        self._board.show(board_blocks(model, selection), followed)
        self._panel.update(Text("\n").join(self._sections()))
        self._show_status()

    def _sections(self) -> list[Text]:
        """The sections of the panel."""
        game, model = self.game, self.game.model
        sections = [players_text(model, game.names)]
        if model.is_terminal():
            sections.append(result_text(model, game.names))
        elif self.selection is not None:
            sections.append(selection_text(self.selection, model.current_player()))
        elif model.current_player() >= 0:
            sections.append(thinking_text(model, game.names[model.current_player()]))
        if self.found is not None and not model.is_terminal():
            sections.append(found_text(self.found, game.names))
        return [*sections, history_text(game.history[-9:])]

    def _show_status(self) -> None:
        self._status.update(Text(f" {self._status_words()}", no_wrap=True))

    def _status_words(self) -> str:
        """Whose turn it is, and the keys to go on with."""
        model, names = self.game.model, self.game.names
        if model.is_terminal():
            return f"{result_words(model, names)} · Enter leaves"
        if self.selection is not None:
            meeple = target_words(self.selection.move.target)
            return f"{meeple} · arrows move, r turn, m meeple, Enter play, ? help"
        words = "Paused" if self.is_paused else "…"
        if self._thinking_since is not None:
            name = shortened(names[model.current_player()], 24)
            words = f"{name} is thinking, {time.monotonic() - self._thinking_since:.0f} s"
        keys = "space pause · + faster · - slower · " if self.game.is_watched else ""
        return f"{words} · {keys}? help · q quit"

    # Keys

    def on_board_view_cell_clicked(self, event: BoardView.CellClicked) -> None:
        """Selects a cell if it is legal."""
        if self.selection is not None:
            self.selection.select(event.cell)
            self.show()

    def action_step(self, direction: str) -> None:
        """Goes to the next legal cell; scrolls the board while no person is to move."""
        if self.selection is None:
            return self._board.scroll(direction)
        self.selection.step(direction)
        return self.show()

    def action_cell(self, steps: int) -> None:
        """Goes to the next legal cell in reading order."""
        if self.selection is not None:
            self.selection.next_cell(steps)
            self.show()

    def action_rotate(self, steps: int) -> None:
        """Turns the tile."""
        if self.selection is not None:
            self.selection.rotate(steps)
            self.show()

    def action_meeple(self, steps: int) -> None:
        """Moves the meeple."""
        if self.selection is not None:
            self.selection.next_target(steps)
            self.show()

    def action_meeple_or_pause(self) -> None:
        """Moves the meeple, or pauses where no person plays."""
        if self.game.is_watched:
            self.action_pause()
        else:
            self.action_meeple(1)

    def action_pause(self) -> None:
        """Pauses, or goes on, where no person plays."""
        self.is_paused = self.game.is_watched and not self.is_paused
        self._show_status()

    def action_speed(self, factor: float) -> None:
        """Multiplies the delay between moves."""
        self.delay = min(max(self.delay * factor, _MIN_DELAY), _MAX_DELAY)

    def action_play(self) -> None:
        """Plays the selected move; leaves where the game is over."""
        if self.game.model.is_terminal():
            self.action_leave()
        elif self.selection is not None and self._choice is not None and not self._choice.done():
            self._choice.set_result(self.selection.action)

    def action_help(self) -> None:
        """Shows what the keys do."""
        self.push_screen(Dialog(WATCHING_HELP if self.game.is_watched else HELP))

    def action_ask_to_leave(self) -> None:
        """Asks whether to quit; leaves at once where the game is over."""
        if self.game.model.is_terminal():
            return self.action_leave()
        dialog = Dialog("Quit this game?  y / n", yes=("y", "q", "enter"), no=("n", "escape"))
        self.push_screen(dialog, self._leave_if)
        return None

    def _leave_if(self, is_sure: bool | None) -> None:
        if is_sure:
            self.action_leave()

    def action_leave(self) -> None:
        """Leaves the game as it is."""
        self.exit()


def decision(agent: Agent, model: CarcassonneModel) -> tuple[int, Found | None]:
    """What an agent plays in a position, and what its search found if it searches."""
    if is_searching(agent):
        result = agent.search(model)
        return int(result.action), found_by(agent, result, model)
    return int(agent.act(model)), None
