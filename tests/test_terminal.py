"""The game in the terminal: what is drawn, what each key does, and how it ends."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Awaitable, Callable

import pytest

pytest.importorskip("textual")

from textual.pilot import Pilot

from agents import MCTS, Expectimax, RandomAgent, Rng
from agents.agent import Agent
from carcassonne_env import CarcassonneModel
from carcassonne_env.cli import board_text, panel_text
from carcassonne_env.cli.terminal import GameApp, play_in_terminal
from carcassonne_env.cli.widgets import Dialog
from carcassonne_env.play.found import found_by
from carcassonne_env.play.selection import DIRECTIONS, Selection, nearest
from carcassonne_env.play.session import Session
from carcassonne_env.play.words import target_words
from playing import SMALL, Told, middle_of_a_game, replayed

KEYS = ["left", "right", "up", "down", "h", "j", "k", "l", "n", "N", "r", "R", "m", "space"]
KEYS += ["tab", "shift+tab", "enter", "enter", "x", "u", "f5", "escape", "1", "home", "plus"]


class Blocked(Agent):
    """Thinks until it is released, and notes in which thread."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.thread: threading.Thread | None = None
        self.told: list[int] = []

    def choose(self, model):
        """Waits, and plays the first legal action."""
        self.thread = threading.current_thread()
        self.released.wait(10)
        return int(model.legal_actions()[0])

    def advance(self, action: int) -> None:
        """Notes the action."""
        self.told.append(action)


class Raising(Agent):
    """Raises an error when it is asked, or told."""

    def __init__(self, error: BaseException, is_told: bool = False) -> None:
        self.error, self.is_told = error, is_told

    def choose(self, model):
        """Raises, or plays the first legal action."""
        if self.is_told:
            return int(model.legal_actions()[0])
        raise self.error

    def advance(self, action: int) -> None:
        """Raises if it is to."""
        if self.is_told:
            raise self.error


def game_of(*players: Agent | None, seed: int = 0, tiles=SMALL) -> Session:
    model = CarcassonneModel(num_players=len(players), tiles=tiles)
    names = ["you" if player is None else repr(player) for player in players]
    return Session(model, players, names, Rng(seed))


def play(game: Session, script: Callable[[GameApp, Pilot], Awaitable[None]], size=(80, 24)):
    """Runs the screen of a game without a terminal, with a script that presses keys."""

    async def run() -> GameApp:
        app = GameApp(game)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await script(app, pilot)
        return app

    return asyncio.run(run())


async def until(pilot: Pilot, condition: Callable[[], object]) -> None:
    """Waits until a condition holds."""
    for _ in range(1000):
        if condition():
            return
        await pilot.pause(0.01)
    raise AssertionError("waited in vain")


# The picture


def text_of(model, selection=None, size=(200, 100)) -> str:
    blocks = board_text.board_blocks(model, selection)
    window = board_text.window_on(next(iter(blocks)), list(blocks), (0, 0, *size))
    return board_text.window_text(blocks, window).plain


def test_the_picture_is_that_of_the_model():
    model = middle_of_a_game()
    lines = [line.strip() for line in text_of(model).split("\n")]
    x, y = model.board[-1][1:3]
    shown = [line for line in lines if line]
    printed = [line.strip() for line in str(model).split("\n\n")[0].split("\n")]
    assert len(shown) == len(printed)
    differences = [(a, b) for a, b in zip(shown, printed, strict=True) if a != b]
    assert len(differences) <= 2, (x, y)  # the corners of the tile placed last


def test_legal_cells_and_the_selected_tile_are_shown():
    model = middle_of_a_game(moves=4)
    selection = Selection(model)
    text = text_of(model, selection)
    assert text.count("   +   ") == len(selection.cells) - 1
    assert all(corner in text for corner in "▛▜▙▟")
    selection.next_target(1)
    preview = board_text.move_block(selection.letter, selection.move, model.current_player())
    digits = [look[0] for row in preview for look in row if look[0].isdigit()]
    assert digits == [str(model.current_player())]
    framed = board_text.framed(preview, "▛▜▙▟", "#ffffff")
    assert [look[0] for row in framed for look in row if look[0].isdigit()] == digits


@pytest.mark.parametrize("size", [(1, 1), (7, 3), (20, 4), (44, 23), (300, 100)])
def test_every_cell_can_be_seen_in_a_window_of_any_size(size):
    model = middle_of_a_game()
    selection = Selection(model)
    cells = list(board_text.board_blocks(model, selection))
    window = (0, 0, *size)
    for cell in selection.cells:
        window = board_text.window_on(cell, cells, window)
        column, row, width, height = window
        assert (width, height) == size
        x, y = cell[0] * 7, -cell[1] * 3
        assert column <= x < column + width
        assert row <= y < row + height
        assert board_text.cell_at(x, y) == board_text.cell_at(x + 6, y + 2) == cell
        assert width < 7 or x + 7 <= column + width
        assert height < 3 or y + 3 <= row + height


def test_a_window_moves_no_further_than_it_must():
    assert board_text.scrolled(10, 20, 0, 100, 12, 19) == 10
    assert board_text.scrolled(10, 20, 0, 100, 30, 37) == 17
    assert board_text.scrolled(10, 20, 0, 100, 3, 10) == 3
    assert board_text.scrolled(90, 20, 0, 100, 95, 110) == 80
    assert board_text.scrolled(5, 20, 0, 10, 0, 1) == -5  # all of it fits


@pytest.mark.parametrize("planner", [MCTS(200, c=0.02, seed=0), Expectimax(1, "vs", seed=0)])
def test_what_a_search_found_is_shown(planner):
    model = middle_of_a_game()
    found = found_by(planner, planner.search(model), model)
    assert "expects" in panel_text.found_text(found, ["A", "B"]).plain


def test_long_names_are_shortened():
    assert panel_text.shortened("planner", 4) == "pla…"


# Playing


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.slow(keep="^0")
def test_a_whole_game_by_random_keys(seed):
    agent, keys = Told(seed), random.Random(seed)
    game = game_of(None, agent, seed=seed)

    async def script(app: GameApp, pilot: Pilot) -> None:
        for _ in range(2000):
            if game.model.is_terminal():
                break
            await pilot.press(keys.choice(KEYS))
        await until(pilot, game.model.is_terminal)
        app.show()
        assert "Game over" in panel(app)
        await pilot.press("enter")

    app = play(game, script)
    assert game.is_over
    assert app.error is None
    assert len(game.model.board) == sum(SMALL.values()) == len(game.history) + 1
    assert replayed(agent.told) == game.model


def panel(app: GameApp) -> str:
    return "\n".join(section.plain for section in app._sections())


def test_what_the_keys_do():
    game = game_of(None, RandomAgent(seed=0), tiles={"D": 1, "V": 8})

    async def script(app: GameApp, pilot: Pilot) -> None:
        selection = app.selection
        assert f"{selection.num_moves} legal moves" in panel(app)
        for names in zip(DIRECTIONS, "hlkj", strict=True):
            for key in names:
                expected = nearest(selection.cells, selection.cell, names[0])
                await pilot.press(key)
                assert selection.cell == expected
        while selection.num_rotations < 2:
            await pilot.press("n")
        move = selection.move
        await pilot.press("r")
        assert selection.rotation != move.rotation
        await pilot.press("R")
        assert selection.move == move
        for there, back in (("m", "shift+tab"), ("tab", "shift+tab"), ("space", "shift+tab")):
            await pilot.press(there)
            assert selection.move.target is not None
            assert target_words(selection.move.target) in panel(app)
            await pilot.press(back)
            assert selection.move == move
        await pilot.press("n", "N")
        assert selection.cell == move[:2]
        for key in ("u", "x", "f7", "escape", "home", "p", "plus", "minus", "ctrl+z", "0"):
            await pilot.press(key)
        assert selection.move == move
        assert not app.is_paused
        await pilot.press("r", "m")
        played = selection.move
        await pilot.press("enter")
        await until(pilot, lambda: app.selection not in (None, selection))
        assert game.history[0].move == played
        assert [record.player for record in game.history] == [0, 1]

    play(game, script)
    assert not game.is_over


def test_a_click_selects_a_cell():
    game = game_of(None)

    async def script(app: GameApp, pilot: Pilot) -> None:
        board = app.query_one("#board")
        for cell in app.selection.cells:
            column, row, _, _ = board.window
            await pilot.click("#board", (cell[0] * 7 + 3 - column, -cell[1] * 3 + 1 - row))
            assert app.selection.cell == cell
        await pilot.click("#board", (0, 0))
        assert app.selection.cell == cell

    play(game, script)


@pytest.mark.slow
def test_any_size_of_the_screen():
    game = game_of(None, RandomAgent(seed=0), tiles="base")

    async def script(app: GameApp, pilot: Pilot) -> None:
        for size in [(200, 60), (20, 5), (200, 60), (40, 30), (1, 1), (10, 80), (64, 5), (80, 24)]:
            await pilot.resize_terminal(*size)
            await pilot.pause()
            if size >= (20, 5):  # the frame of the selected tile is on the screen
                assert "▛" in app.export_screenshot()
            await pilot.press("n", "enter")
            await until(pilot, lambda: app.selection is not None)
            await pilot.pause()
            board = app.query_one("#board")
            column, row, width, height = board.window
            x, y = app.selection.cell[0] * 7, -app.selection.cell[1] * 3
            if width >= 7 and height >= 3:
                assert column <= x <= column + width - 7
                assert row <= y <= row + height - 3
            assert app.query_one("#panel").display == (
                size[0] >= 64 or (size[1] >= 24 and size[0] < 64)
            )

    play(game, script)
    assert len(game.history) >= 14


def test_help_and_quitting_with_a_question():
    game = game_of(None)

    async def script(app: GameApp, pilot: Pilot) -> None:
        before = app.selection.move
        await pilot.press("question_mark")
        assert isinstance(app.screen, Dialog)
        await pilot.press("enter")  # closes the help and does not play
        assert not isinstance(app.screen, Dialog)
        for answer in ("n", "escape"):
            await pilot.press("q", "r", "left", "x")
            assert isinstance(app.screen, Dialog)
            await pilot.press(answer)
            assert not isinstance(app.screen, Dialog)
        assert app.selection.move == before
        assert app.is_running
        await pilot.press("q", "y")
        assert app._exit

    play(game, script)
    assert not game.is_over
    assert not game.history


@pytest.mark.parametrize("keys", [["ctrl+c"], ["q", "ctrl+c"], ["question_mark", "ctrl+c"]])
@pytest.mark.parametrize("is_thinking", [False, True])
def test_ctrl_c_leaves_at_once(keys, is_thinking):
    agent = Blocked()
    game = game_of(agent if is_thinking else None)

    async def script(app: GameApp, pilot: Pilot) -> None:
        await pilot.press(*keys)
        assert app._exit

    app = play(game, script)
    assert not game.is_over
    assert app.error is None
    agent.released.set()


def test_agents_think_beside_the_screen_and_are_told_everything():
    agent = Blocked()
    game = game_of(agent, None)

    async def script(app: GameApp, pilot: Pilot) -> None:
        await until(pilot, lambda: agent.thread)
        assert agent.thread is not threading.current_thread()
        assert "is thinking" in app._status_words()
        await pilot.press("enter", "r", "m", "left")  # the keys live, and play nothing
        assert not game.history
        agent.released.set()
        await until(pilot, lambda: app.selection)
        assert "is thinking" not in app._status_words()

    play(game, script)
    assert replayed(agent.told) == game.model
    assert len(agent.told) == 3  # a draw, its move, a draw


def test_what_a_planner_expected_is_shown():
    game = game_of(MCTS(50, c=0.1, seed=0), None)

    async def script(app: GameApp, pilot: Pilot) -> None:
        await until(pilot, lambda: app.selection)
        assert "expects" in panel(app)
        assert "visits" in panel(app)

    play(game, script)


def test_watching_agents():
    game = game_of(RandomAgent(seed=0), RandomAgent(seed=1))

    async def script(app: GameApp, pilot: Pilot) -> None:
        await pilot.press("space")
        assert app.is_paused
        await pilot.pause(0.05)
        num_moves = len(game.history)
        for key in ("enter", "r", "m", "left", "n", "tab"):
            await pilot.press(key)
        await pilot.press("minus")
        assert app.delay == 1.0
        await pilot.press(*["plus"] * 20)
        assert app.delay < 0.1
        await pilot.pause(0.1)
        assert len(game.history) == num_moves
        await pilot.press("p")
        await until(pilot, game.model.is_terminal)
        await pilot.press("q")
        assert app._exit

    play(game, script)
    assert game.is_over


@pytest.mark.parametrize("error", [ZeroDivisionError("mine"), StopIteration(), KeyboardInterrupt()])
@pytest.mark.parametrize("is_told", [False, True])
def test_what_an_agent_raises_comes_out(error, is_told, monkeypatch):
    if is_told and isinstance(error, KeyboardInterrupt):
        pytest.skip("raised in the main thread it is a real interrupt")
    game = game_of(Raising(error, is_told), None)

    def run_without_terminal(app: GameApp) -> None:
        async def run() -> None:
            async with app.run_test() as pilot:
                await until(pilot, lambda: app._exit)

        asyncio.run(run())

    monkeypatch.setattr(GameApp, "run", run_without_terminal)
    with pytest.raises(type(error)) as caught:
        play_in_terminal(game)
    assert caught.value is error
    assert not game.is_over


def test_the_model_handed_over_is_not_changed():
    model = CarcassonneModel(num_players=1, tiles=SMALL)
    before = model.clone()
    game = Session(model, [RandomAgent(seed=0)], ["random"], Rng(0))

    async def script(app: GameApp, pilot: Pilot) -> None:
        await pilot.press(*["plus"] * 6)
        await until(pilot, game.model.is_terminal)

    play(game, script)
    assert model == before != game.model


def test_a_screen_that_fails_is_an_error(monkeypatch):
    game = game_of(None)

    def run_without_terminal(app: GameApp) -> None:
        async def run() -> None:
            async with app.run_test():
                app.panic("broken")  # as when the keyboard cannot be read

        asyncio.run(run())

    monkeypatch.setattr(GameApp, "run", run_without_terminal)
    with pytest.raises(RuntimeError, match="screen of the game failed"):
        play_in_terminal(game)
