"""The game in the terminal: what is drawn, what each key does, and how it ends."""

from __future__ import annotations

import asyncio
import random
import re
import threading
from collections.abc import Awaitable, Callable

import pytest
from textual import events
from textual.pilot import Pilot

from agents import MCTS, RandomAgent, Rng
from agents.agent import Agent
from carcassonne_env import CarcassonneModel, Move
from carcassonne_env.cli import board_text, panel_text
from carcassonne_env.cli.terminal import GameApp, play_in_terminal
from carcassonne_env.cli.widgets import Dialog
from carcassonne_env.drawing.tile_text import text_block
from carcassonne_env.play.players import HINT, LEVELS
from carcassonne_env.play.selection import DIRECTIONS, Selection, nearest
from carcassonne_env.play.session import Played, Session
from carcassonne_env.play.words import place_words, result_words, target_words
from carcassonne_env.tiles import TILE_TYPES
from playing import SMALL, Told, middle_of_a_game, replayed

KEYS = ["left", "right", "up", "down", "h", "j", "k", "l", "n", "N", "r", "R", "m", "space"]
KEYS += ["tab", "shift+tab", "enter", "enter", "x", "y", "f5", "escape", "1", "home", "plus"]


class Blocked(Agent):
    """Thinks until it is released, and notes in which thread."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.thread: threading.Thread | None = None
        self.told: list[int] = []

    def choose(self, model):
        self.thread = threading.current_thread()
        self.released.wait(60)
        return int(model.legal_actions()[0])

    def advance(self, action: int) -> None:
        self.told.append(action)


class Raising(Agent):
    """Raises an error when it is asked, or told."""

    def __init__(self, error: BaseException, is_told: bool = False) -> None:
        self.error, self.is_told = error, is_told

    def choose(self, model):
        if self.is_told:
            return int(model.legal_actions()[0])
        raise self.error

    def advance(self, action: int) -> None:
        if self.is_told:
            raise self.error


def game_of(*players: Agent | None, seed: int = 0, tiles=SMALL, **options) -> Session:
    model = CarcassonneModel(num_players=len(players), tiles=tiles, **options)
    names = ["you" if player is None else repr(player) for player in players]
    return Session(model, players, names, Rng(seed))


def play(game: Session, script: Callable[[GameApp, Pilot], Awaitable[None]], size=(80, 24)):
    """Runs the screen of a game without a terminal, with a script that presses keys."""

    async def run() -> GameApp:
        app = GameApp(game, lambda: None)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await script(app, pilot)
        return app

    return asyncio.run(run())


def on_screen(*players: Agent | None, **options):
    """A test that is a script on the screen of a new game: ``script(app, pilot)``."""

    def as_test(script):
        def test():
            play(game_of(*players, **options), script)

        test.__name__, test.__doc__ = script.__name__, script.__doc__
        return test

    return as_test


async def until(pilot: Pilot, condition: Callable[[], object]) -> None:
    for _ in range(6000):
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
    board = re.sub(r"\d", lambda player: str(int(player[0]) + 1), str(model).split("\n\n")[0])
    printed = [line.strip() for line in board.split("\n")]
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
    assert digits == [str(model.current_player() + 1)]
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


def test_points_stand_with_those_who_gained_them():
    """A move that completes another player's road; every move takes one line of the panel."""

    def lines_of(move, points, final):
        text = panel_text.history_text([Played(0, "V", move, points)], final).plain
        assert max(map(len, text.splitlines())) <= panel_text.PANEL_WIDTH - 2
        return [line.split() for line in text.splitlines()[1:]]

    move, farm = Move(1, -2, 3, None), ("farm", frozenset({"NL", "ER", "SL", "WL"}))
    assert lines_of(move, (0, 4), (0, 0)) == [["1", "(1,", "-2)", "2", "+4"]]
    final = ["final", "scoring", "1", "+3", "2", "+12"]
    assert lines_of(move, (0, 0), (3, 12)) == [final, ["1", "(1,", "-2)"]]
    assert len(lines_of(Move(-12, -12, 3, farm), (12, 0), (0, 0))) == 1


def test_who_leads_which_feature():
    model = middle_of_a_game()
    lines = panel_text.leaders_text(model).plain.splitlines()[1:]
    held = [one for one in model.features if one.owners and not one.is_complete]
    assert [int(line.split()[0]) for line in lines] == sorted(
        (one.points for one in held), reverse=True
    )
    assert panel_text.leaders_text(model, 2).plain.splitlines()[1:] == lines[:2]
    assert "nobody" in panel_text.leaders_text(CarcassonneModel()).plain


@pytest.mark.parametrize("is_known", [False, True])
def test_tiles_left_are_shown(is_known):
    model = CarcassonneModel(tiles="small", deterministic=is_known, seed=1)
    text = panel_text.tiles_text(model, 76).plain
    captions = re.findall(r"\d+(?: ×)?(?= )", "\n".join(text.splitlines()[1::4]))
    if is_known:
        assert captions == [str(i) for i in range(1, 23)]
        first, second = (board_text.move_block(c, Move(0, 0, 0, None), 0) for c in model.order[:2])
        shown = text.splitlines()[2:5]
        for row, block in zip(shown, zip(first, second, strict=True), strict=True):
            assert row.startswith(" ".join("".join(look[0] for look in line) for line in block))
        assert shown == panel_text.next_text(model, 76).plain.splitlines()[2:5]
    else:
        assert sum(int(caption.split()[0]) for caption in captions) == 23


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("num_players", [1, 2, 5])
def test_scores_in_one_line(num_players, width):
    model = CarcassonneModel(num_players)
    names = ["you", "a planner of long name", "b", "c", "d"][:num_players]
    text = panel_text.scores_line(model, names, width).plain
    assert re.fullmatch(r"(?:[▶ ] \d  [\w …]+ 0)+  71 tiles left", text)
    assert len(text) <= width


@pytest.mark.parametrize("size", board_text.SIZES)
def test_tiles_of_every_size_show_their_features(size):
    for tile in TILE_TYPES:
        for rotation in range(4):
            block = text_block(tile.letter, rotation, ((len(tile.segments) - 1, 3),), size)
            assert [len(row) for row in block] == [size[0]] * size[1]
            text = "".join(look[0] for row in block for look in row)
            assert text.count("3") == 1
            assert text.count("◆") == sum(s.shields for s in tile.segments[:1])
            assert ("†" in text) == any(s.kind == "cloister" for s in tile.segments)


def test_the_board_is_as_large_as_it_fits_and_has_axes():
    model = middle_of_a_game(moves=3)
    cells = [(tile.x, tile.y) for tile in model.board]
    sizes = [board_text.largest(cells, *room) for room in [(300, 90), (70, 30), (10, 5)]]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1]) == (board_text.SIZES[0], board_text.SIZES[-1])
    for size in board_text.SIZES:
        blocks = board_text.board_blocks(model, None, size)
        window = board_text.window_on((0, 0), cells, (0, 0, 200, 60), size)
        text = board_text.with_axes(board_text.window_text(blocks, window, size), window, size)
        lines = text.plain.splitlines()
        assert len(lines) == 61
        column, row = (4 - window[0] + size[0] // 2, 1 - window[1] + size[1] // 2)
        assert lines[0][column] == "0"  # above the start tile
        assert lines[row].startswith("  0 ")


@pytest.mark.parametrize("seed", [0, 1])
def test_the_result_fits_into_the_panel(seed):
    model, rng = CarcassonneModel(tiles=SMALL), Rng(seed)
    model.rollout(rng)
    names = ["you", "strongest(time_limit=1)"]
    lines = panel_text.result_text(model, names).plain.splitlines()
    assert max(map(len, lines)) <= panel_text.PANEL_WIDTH - 2
    assert " ".join(lines[:2]) == f"Game over: {result_words(model, names)}".replace(",", "")
    for line, points in zip(lines[3:], model.score_breakdown, strict=True):
        assert [int(number) for number in line.split()[1:]] == list(points.values())


# Playing


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.slow(keep="^0")
def test_a_whole_game_by_random_keys(seed):
    agent, keys = Told(seed), random.Random(seed)
    game = game_of(None, agent, seed=seed)

    async def script(app, pilot):
        for _ in range(2000):
            if game.model.is_terminal():
                break
            await pilot.press(keys.choice(KEYS))
        await until(pilot, game.model.is_terminal)
        app.show()
        assert "Game over" in panel(app)

    app = play(game, script)
    assert game.is_over
    assert app.error is None
    assert len(game.model.board) == sum(SMALL.values()) == len(game.history) + 1
    assert replayed(agent.told) == game.model


def panel(app: GameApp) -> str:
    return "\n".join(section.plain for section in app._sections())


@on_screen(None, RandomAgent(seed=0), tiles={"D": 1, "V": 8})
async def test_what_the_keys_do(app, pilot):
    game = app.session
    selection = app.selection
    assert f"{selection.num_moves} legal moves" in panel(app)
    for names in zip(DIRECTIONS, "hlkj", strict=True):
        for key in names:
            expected = nearest(selection.cells, selection.cell, names[0])
            await pilot.press(key)
            assert selection.cell == expected
    while len(selection.actions[selection.cell]) < 2:
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
    assert not game.is_over


@on_screen(None)
async def test_a_click_selects_a_cell(app, pilot):
    board = app.query_one("#board")
    for cell in app.selection.cells:
        column, row, _, _ = board.window
        (left, top), (width, height) = board.margins, board.tile_size
        x, y = cell[0] * width + width // 2, -cell[1] * height + height // 2
        await pilot.click("#board", (left + x - column, top + y - row))
        assert app.selection.cell == cell
    await pilot.click("#board", (0, 0))
    assert app.selection.cell == cell


@pytest.mark.slow
@on_screen(None, RandomAgent(seed=0), tiles="base")
async def test_any_size_of_the_screen(app, pilot):
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
        columns, rows = board.tile_size
        x, y = app.selection.cell[0] * columns, -app.selection.cell[1] * rows
        if width >= columns and height >= rows:
            assert column <= x <= column + width - columns
            assert row <= y <= row + height - rows
        has_panel = size[0] >= 64 or size[1] >= 24
        assert app.query_one("#panel").display == has_panel
        assert app.query_one("#scores").display != has_panel
    assert len(app.session.history) >= 14


@on_screen(None)
async def test_help_and_quitting_with_a_question(app, pilot):
    before = app.selection.move
    await pilot.press("question_mark")
    dialog = app.screen
    assert isinstance(dialog, Dialog)
    await pilot.resize_terminal(60, 12)
    await pilot.press("enter")  # closes the help and does not play
    dialog.on_key(events.Key("enter", None))  # as a key that was pressed before it closed
    assert not isinstance(app.screen, Dialog)
    await pilot.pause()
    assert not app.query_one("#panel").display
    assert app.query_one("#scores").display
    for answer in ("n", "escape"):
        await pilot.press("q", "r", "left", "x")
        assert isinstance(app.screen, Dialog)
        await pilot.press(answer)
        assert not isinstance(app.screen, Dialog)
    assert app.selection.move == before
    assert app.is_running
    await pilot.press("q", "y")
    assert app._exit
    assert not app.session.is_over
    assert not app.session.history


@pytest.mark.parametrize("keys", [["ctrl+c"], ["q", "ctrl+c"], ["question_mark", "ctrl+c"]])
@pytest.mark.parametrize("is_thinking", [False, True])
def test_ctrl_c_leaves_at_once(keys, is_thinking):
    agent = Blocked()
    game = game_of(agent if is_thinking else None)

    async def script(app, pilot):
        await pilot.press(*keys)
        assert app._exit

    app = play(game, script)
    assert not game.is_over
    assert app.error is None
    agent.released.set()


def test_agents_think_beside_the_screen_and_are_told_everything():
    agent = Blocked()
    game = game_of(agent, None)

    async def script(app, pilot):
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


@on_screen(MCTS(50, c=0.1, seed=0), None)
async def test_what_a_planner_expected_is_shown(app, pilot):
    await until(pilot, lambda: app.selection)
    assert "expects" in panel(app)
    assert place_words(app.session.found.rows[0][0]) in panel(app)
    assert "visit" not in panel(app)


@on_screen(RandomAgent(seed=0), RandomAgent(seed=1))
async def test_watching_agents(app, pilot):
    game = app.session
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
    await until(pilot, lambda: isinstance(app.screen, Dialog))
    assert "Game over" in app.screen.text.plain
    await pilot.press("x")
    assert not app._exit
    await pilot.press("enter")
    assert app._exit
    assert game.is_over


@pytest.fixture
def without_terminal(monkeypatch):
    """Has `GameApp.run` run a script on a screen that no terminal shows."""

    def set_script(script):
        async def run(app):
            async with app.run_test() as pilot:
                await script(app, pilot)

        monkeypatch.setattr(GameApp, "run", lambda app: asyncio.run(run(app)))

    return set_script


@pytest.mark.parametrize("error", [ZeroDivisionError("mine"), StopIteration(), KeyboardInterrupt()])
@pytest.mark.parametrize("is_told", [False, True])
def test_what_an_agent_raises_comes_out(error, is_told, without_terminal):
    if is_told and isinstance(error, KeyboardInterrupt):
        pytest.skip("raised in the main thread it is a real interrupt")
    game = game_of(Raising(error, is_told), None)
    without_terminal(lambda app, pilot: until(pilot, lambda: app._exit))
    with pytest.raises(type(error)) as caught:
        play_in_terminal(game, lambda: None)
    assert caught.value is error
    assert not game.is_over


def test_a_screen_that_fails_is_an_error(without_terminal):
    async def broken(app, pilot):
        app.panic("broken")  # as when the keyboard cannot be read

    without_terminal(broken)
    with pytest.raises(RuntimeError, match="screen of the game failed"):
        play_in_terminal(game_of(None), lambda: None)


@on_screen(None, RandomAgent(seed=0), tiles={"D": 3, "V": 2})
async def test_undo_gives_the_same_tiles_again_also_after_the_end(app, pilot):
    game, kept = app.session, []
    app.keep = lambda: kept.append(list(game.actions))
    await pilot.press("u")  # there is nothing to take back
    first, actions = app.selection.letter, list(game.actions)
    await pilot.press("enter")
    await until(pilot, lambda: len(game.history) == 2 and app.selection)
    await pilot.press("u")
    await until(pilot, lambda: app.selection and not game.history)
    assert (app.selection.letter, game.actions) == (first, actions)
    await until(pilot, lambda: kept[-1] == actions)
    while not game.is_over:
        await pilot.press("enter")
        await pilot.pause(0.01)
    await until(pilot, lambda: isinstance(app.screen, Dialog))
    await pilot.press("x", "u")
    await until(pilot, lambda: app.selection)
    assert not game.is_over
    assert [played.player for played in game.history] == [0, 1]
    assert max(map(len, kept)) == 8


def test_the_status_line_names_all_keys_and_the_meeple_where_no_panel_does():
    async def with_panel(app, pilot):
        await pilot.press("m")
        assert app._status_words().startswith("? help, q quit")
        assert len(app._status_words()) < 80

    async def without_panel(app, pilot):
        await pilot.press("m")
        assert app._status_words().startswith("meeple on ")

    play(game_of(None), with_panel)
    play(game_of(None), without_panel, size=(60, 20))


def test_a_hint_selects_a_move(monkeypatch):
    monkeypatch.setitem(LEVELS, HINT, "mcts(c=0.02, iterations=500)")
    game = game_of(None)

    async def script(app, pilot):
        selection = app.selection
        await pilot.press("H")
        await until(pilot, lambda: app.hint)
        assert selection.move == app.hint.rows[0][0]
        assert "Hint" in panel(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.selection not in (None, selection))
        assert "Hint" not in panel(app)

    play(game, script)
    assert len(game.history) == 1


def test_a_hint_that_fails_says_why_and_the_game_goes_on(monkeypatch):
    monkeypatch.setattr("carcassonne_env.cli.terminal.make", lambda *_, **__: Raising(OSError("x")))
    game = game_of(None)

    async def script(app, pilot):
        await pilot.press("H")
        await until(pilot, lambda: isinstance(app.screen, Dialog))
        assert app.screen.text == "The planner that gives hints failed: x"
        await pilot.press("x", "enter")
        await until(pilot, lambda: game.history)

    play(game, script)


@on_screen(None)
async def test_dialogs_are_shown_over_the_board(app, pilot):
    shown = ("t", "tiles left"), ("f", "Who leads"), ("q", "Its file keeps it.  y / n")
    for key, words in shown:
        await pilot.press(key)
        assert words in str(app.screen.text)
        await pilot.press("n")
        assert not isinstance(app.screen, Dialog)


@on_screen(None, None, tiles="small", deterministic=True)
async def test_the_next_tiles_are_shown_if_their_order_is_known(app, pilot):
    game = app.session
    assert panel_text.next_text(game.model, 34).plain in panel(app)
