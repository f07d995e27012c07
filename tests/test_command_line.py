"""The command ``carcassonne``: what it prints, keeps on disk and refuses, and how it ends."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from agents import CHANCE, Rng, make
from agents.arena import record_of
from agents.cli import reproduce
from agents.cli.tournament import standings
from agents.game import play_game, replay
from agents.league import THESIS, ladder as rated, league, ratings, results
from carcassonne_env import CarcassonneModel
from carcassonne_env.cli.analyse import position
from carcassonne_env.cli.games import tell_file
from carcassonne_env.cli.ladder import LADDER, ladder_players
from carcassonne_env.cli.main import commands, main
from carcassonne_env.cli.search_tables import LETTERS, board_with_cells, line_words
from carcassonne_env.drawing.tile_text import text_block
from carcassonne_env.game_setup import Setup
from carcassonne_env.measures import final_scores
from carcassonne_env.play.reasons import change_words, changes, reasons
from carcassonne_env.play.words import move_words, tile_words
from carcassonne_env.position_data import to_data
from carcassonne_env.replaying import SavedGame
from commands import Done, assert_lists, assert_refused, in_shell, run_here
from fresh import run_anew
from waiting import soon

SMALL = ("--tiles", "small", "--meeples", "3")
OWN = """
from pathlib import Path
from types import SimpleNamespace

from agents import CHANCE, MCTS, Agent, Planner


def last(model):
    return int(model.legal_actions()[-1])


def nothing(model):
    return None


def illegal(model):
    return next(a for a in range(model.num_actions) if not model.is_legal(a))


class First(Agent):
    def choose(self, model):
        return int(model.legal_actions()[0])

    def advance(self, action):
        with Path("told.txt").open("a") as file:
            file.write(f"{action}\\n")


class Least(Planner):
    def search(self, game):
        return SimpleNamespace(action=last(game), value=0.01)


class Acting:
    def act(self, model):
        return last(model)


first, planner, least, acting, number = First(), MCTS(20, seed=0), Least(), Acting(), 3
"""


SCREEN = SimpleNamespace(**dict.fromkeys(("stdin", "stdout"), SimpleNamespace(isatty=lambda: True)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working directory with players of one's own in `own_players`."""
    (tmp_path / "own_players.py").write_text(OWN)
    (tmp_path / "own_players_cut.py").write_text("def last(model):\n    return last(")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CARCASSONNE_GAMES", "kept")
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry not in ("", ".")])
    monkeypatch.delitem(sys.modules, "own_players", raising=False)
    return tmp_path


@pytest.fixture
def run(folder):
    """``run(*arguments)`` runs the command in this process."""
    return lambda *arguments: run_here(main, arguments)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The table of a tournament of two games."""
    out = tmp_path_factory.mktemp("recorded")
    run_here(main, ("tournament", "random", "greedy", *SMALL, "--games", 1, "--out", out))
    return (out / "tournament.csv").read_text()


# --- The command ---

OPTIONS = {
    "play": {"tiles", "meeples", "known-order", "seed", "watch", "out", "save", "resume"},
    "web": {"host", "port", "players", "address", "browser"},
    "replay": {
        *("row", "analyse", "searches", "seed", "moves", "out", "language", "gif", "picture"),
        "move",
    },
    "tournament": {
        *("games", "seats", "tiles", "meeples", "known-order", "rule", "out", "jobs"),
        *("backend", "address"),
    },
    "ladder": {
        *("time", "pairs", "player", "only", "tiles", "meeples", "seed", "out", "jobs"),
        *("backend", "address"),
    },
    "dataset": {
        *("games", "seats", "tiles", "meeples", "known-order", "exploration", "seed", "out"),
        "jobs",
    },
    "analyse": {
        *("turn", "course", "games", "row", "players", "tiles", "meeples", "known-order"),
        *("seed", "moves", "seeds", "out", "position"),
    },
    "reproduce": {"quick", "jobs", "backend", "address", "out"},
}


def test_help_names_every_command(run):
    done = run("--help")
    assert (done.code, done.err) == (0, "")
    for command in commands():
        assert re.search(rf"^\W*{command.__name__} +\S", done.out, re.MULTILINE)
    _, _, named = " ".join(done.out.split()).partition("planner as a player: ")
    players = re.findall(r"[\w.-]+(?:\(.*?\))?", named.partition(" or ")[0])
    assert len([make(player) for player in players]) == 8
    assert "module:name" in done.out
    done = run()
    assert done.code == 2
    assert "tournament" in done.out + done.err


@pytest.mark.parametrize("command", OPTIONS)
def test_help_of_a_command_lists_its_options(run, command):
    assert_lists(run(command, "--help"), OPTIONS[command])


def test_the_command_is_installed():
    (script,) = entry_points(group="console_scripts", name="carcassonne")
    assert script.load() is main


def test_the_module_is_the_command(folder):
    done = in_shell("play", "random", *SMALL)
    assert (done.returncode, done.stdout.count("random")) == (0, 1)


@pytest.mark.parametrize(
    ("missing", "command", "mark", "extra"),
    [
        ("typer", "--help", ";", "experiments"),
        ("pandas", "tournament random greedy", ":", "experiments"),
        ("joblib", "tournament random greedy", ":", "experiments"),
        ("pandas", "ladder", ":", "experiments"),
        ("pandas", "analyse greedy --games t.csv", ":", "experiments"),
        ("starlette", "web --no-browser", ":", "web"),
    ],
)
@pytest.mark.slow(keep="typer|starlette")
def test_a_missing_library_is_named(folder, missing, command, mark, extra):
    done = without([missing], *command.split())
    assert (done.returncode, done.stdout) == (1, "")
    words = rf'error: .*\b{missing}\b.*{mark} pip install -e ".*\[{extra}\]"\n'
    assert re.fullmatch(words, done.stderr)


def test_only_a_game_on_the_screen_needs_textual(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "textual", None)
    monkeypatch.delitem(sys.modules, "carcassonne_env.cli.terminal", raising=False)
    assert run("play", "random", *SMALL).code == 0
    monkeypatch.setattr("carcassonne_env.cli.play.sys", SCREEN)
    done = run("play", "me", "random", "--save", "game.json")
    assert (done.code, Path("game.json").exists()) == (1, False)
    assert re.fullmatch(r'error: .*\btextual\b.*; pip install -e ".*\[experiments\]"\n', done.err)


@pytest.mark.parametrize("option", ["--picture a.png", "--gif a.gif", "--out new"])
def test_pictures_that_cannot_be_drawn_are_refused_before_the_work(run, option, monkeypatch):
    run("play", "random", *SMALL, "--save", "game.json").checked()
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    work = "play random" if "--out" in option else "replay game.json --analyse greedy"
    done = run(*work.split(), *option.split())
    assert_refused(done, r"needs the package resvg_py, which comes with the extra \"render\"")
    assert done.out == ""


def test_a_closed_input_is_no_terminal(run, monkeypatch):
    monkeypatch.setattr("carcassonne_env.cli.play.sys", SimpleNamespace(stdin=None, stdout=None))
    assert_refused(run("play", "me", *SMALL), "need a terminal")


def test_without_a_home_no_folder_named_tilde_is_made(run, monkeypatch):
    """Typer and the operating system leave ~ as it is if they know no home."""
    monkeypatch.delenv("CARCASSONNE_GAMES")
    monkeypatch.setattr("typer.get_app_dir", lambda program: f"~/.config/{program}")
    monkeypatch.setattr("agents.web.server.serve", lambda *_, **__: None)
    assert_refused(run("web", "--no-browser"), "no home .*: set CARCASSONNE_GAMES to a folder")


def test_the_server_refuses_taken_ports(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        done = run("web", "--no-browser", "--port", taken.getsockname()[1])
    assert_refused(done, "in use")


def test_games_need_no_more_than_the_extra_render(folder):
    """As pyproject.toml has it: no tables, no workers, no statistics."""
    done = without(["pandas", "joblib", "scipy", "matplotlib"], "play", "random", "greedy", *SMALL)
    assert done.returncode == 0, done.stderr


def without(libraries: list[str], *arguments: str) -> Any:
    """Runs the command where libraries are not installed."""
    code = f"import sys; sys.modules.update(dict.fromkeys({libraries}))\n"
    code += "from carcassonne_env.cli.main import main; main()"
    return run_anew("-c", code, *arguments, folder=Path.cwd())


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="needs signals")
@pytest.mark.parametrize(
    ("arguments", "table"),
    [
        (["tournament", "greedy", "random", "--games", "1000"], "tournament.csv"),
        (["tournament", "greedy", "random", "--games", "1000", "--jobs", "2"], "tournament.csv"),
        (["reproduce", "E1"], "fop_trees.csv"),
    ],
    ids=["tournament", "two workers", "reproduce"],
)
@pytest.mark.slow(keep="tournament")
def test_an_interrupt_is_told(folder, arguments, table):
    """And ends the workers, who hold the pipe."""
    arguments, path = [*arguments, "--out", "t"], Path("t") / table
    command = [sys.executable, "-W", "error", "-m", "carcassonne_env", *arguments]
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # nohup ignores it
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, preexec_fn=heed) as process:
        assert soon(lambda: path.is_file() and path.stat().st_size > 1000)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert err.splitlines()[-1] == b"interrupted"


# --- play ---


def told_games(done: Done, names: list[str]) -> list[list[int]]:
    """The rows of the table at the end: score, and points by kind of feature."""
    table = done.out.rpartition("\n\n")[2].splitlines()
    assert table[0].split() == ["score", "city", "road", "cloister", "farm"]
    rows = [line for line in table[1:] if not re.match("(Picture|Seed): ", line)]
    width = max(30, *map(len, names))
    assert [row[:width].rstrip() for row in rows] == names
    return [[int(cell) for cell in row[width:].split()] for row in rows]


@pytest.mark.parametrize(
    ("setup", "seed"),
    [
        (Setup(1, 3, "small"), 3),
        (Setup(1, 1, "base"), 0),
        (Setup(2, 3, "small"), 4),
        (Setup(2, 3, "small", known_order=True), 7),
        (Setup(5, 3, "small"), 3),
    ],
    ids=str,
)
def test_a_game_is_that_of_the_arena(run, setup, seed):
    names = ["greedy", "random", "own_players:acting", "mcts(iterations=5)", "own_players:first"]
    names = names[: setup.num_players]
    options = ["--tiles", setup.tiles, "--meeples", setup.num_meeples, "--seed", seed]
    done = run("play", *names, *options, *["--known-order"] * setup.known_order)
    players = [own(name.partition(":")[2]) if ":" in name else name for name in names]
    record = play_game(setup, players, seed, measure=final_scores)
    expected = []
    for model, ply in replay(setup, record.plies, seed):
        if ply.player != CHANCE:
            name = f"{names[ply.player]}: " * (setup.num_players > 1)
            tile, move = model.current_tile, model.decode_action(ply.action)
            scores = ", ".join(map(str, model.scores))
            expected.append(f"{name}{scores} points; {tile_words(tile)}, {move_words(move)}")
    assert done.out.splitlines()[: len(expected)] == expected
    columns = ("score", "city", "road", "cloister", "farm")
    points = [[record.measures[f"{name}_{seat}"] for name in columns] for seat in range(len(names))]
    assert told_games(done, names) == points


def test_the_result_tells_equal_players_with_long_names_apart(run):
    player = "mcts(iterations=5, c=0.0000001)"
    done = run("play", player, player, *SMALL, "--seed", 1)
    assert len(told_games(done, [f"{player} 1", f"{player} 2"])) == 2


def test_pictures_of_the_last_position_are_saved(run, folder):
    done = run("play", "random", *SMALL, "--out", "new/folder", "--seed", 2).checked()
    pictures = [str(Path("new/folder") / name) for name in ("board.svg", "board.png")]
    assert re.findall(r"^Picture: (.*)$", done.out, re.MULTILINE) == pictures
    record = play_game(Setup(1, 3, "small", False), ["random"], 2)
    models = [model for model, _ in replay(Setup(1, 3, "small", False), record.plies, 2)]
    assert models[-1].is_terminal()  # it is one object
    assert (folder / "new/folder/board.svg").read_text() == models[-1]._repr_svg_()
    assert (folder / "new/folder/board.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("options", [(), ("--known-order",)], ids=str)
def test_a_game_is_saved_and_resumed(run, folder, options):
    done = run("play", "beginner", "greedy", *SMALL, *options, "--save", "new/game.json")
    assert f"Step through it: carcassonne replay {Path('new/game.json')}" in done.out
    assert "Go on:" not in done.out
    whole = SavedGame.load("new/game.json")
    assert whole.players == ("beginner", "greedy")
    half = replace(whole, actions=whole.actions[:20])
    for players in ([], ["greedy", "random"]):
        half.save("half.json")
        assert run("play", "--resume", "half.json", *players).code == 0
        end = SavedGame.load("half.json")
        assert (end.order, end.actions[:20]) == (whole.order, half.actions)
        assert end.players == tuple(players or whole.players)
        assert list(end.positions())[-1].is_terminal()
    assert not (folder / "kept").exists()  # what is not on the screen is kept only if asked for


@pytest.mark.parametrize(
    "text", ["es-p-mcts(iterations=9)", "star-minimax", "mcts(rollouts=2, iterations=9)"]
)
def test_every_planner_is_resumed(run, folder, text):
    SavedGame.of(Setup(2, 3, "small"), [text, "random"], (), 1).save("game.json")
    assert run("play", "--resume", "game.json").code == 0
    assert SavedGame.load("game.json").players == (text, "random")


def test_a_game_that_is_left_names_the_players_who_go_on(capsys):
    """A file names no player of one's own; the command does."""
    tell_file(Path("a game.json"), ["me", "own:agent", "mcts(c=1)"], is_over=False)
    command = "carcassonne play me own:agent 'mcts(c=1)' --resume 'a game.json'"
    assert f"Go on: {command}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("players", "arguments", "message"),
    [
        (["Ann", "greedy"], [], "no player 'Ann', .*; name all players of the game after its file"),
        (["you", "mcts(trees=1000)"], [], "the option 'trees' is not allowed"),
        (["you", "mcts(time_limit=1e9)"], [], "time_limit must be at most 60"),
        (["you", "greedy"], ["greedy"], "players must be 2 names, got 1"),
        (["you", "greedy"], [], "need a terminal"),
    ],
)
def test_games_that_cannot_be_resumed_are_refused(run, players, arguments, message):
    SavedGame(Setup(2, 3, "small"), players, ()).save("game.json")
    assert_refused(run("play", "--resume", "game.json", *arguments), message)


@pytest.mark.parametrize(
    "name", ["trap:agent", "trap:agent(c=1)", " trap:agent", "trap", "mcts(tree_policy=trap:agent)"]
)
def test_files_never_run_code(run, recorded, folder, monkeypatch, name):
    """Whatever a file names, nothing is imported, called or read for it, and the path stays."""
    (folder / "trap.py").write_text("open('sprung', 'w').close()\nagent = max\n")
    monkeypatch.setitem(sys.modules, "trap", None)  # so that the import below runs it again
    monkeypatch.delitem(sys.modules, "trap")
    path = list(sys.path)
    SavedGame(Setup(2, 3, "small"), [name, "greedy"], ()).save("game.json")
    refused = run("play", "--resume", "game.json")
    assert (refused.code, refused.out) == (1, "")
    assert "name all players of the game after its file" in refused.err
    for planner in ("greedy", "expert"):  # and a level
        assert run("replay", "game.json", "--analyse", planner).code == 0
    Path("games.csv").write_text(recorded.replace(",random,", f",{name},"))
    assert run("replay", "games.csv", "--row", 0).code == 0
    assert run("analyse", "greedy", "--games", "games.csv", "--turn", 3).code == 0
    Path("position.json").write_text(json.dumps(to_data(CarcassonneModel()) | {"tiles": name}))
    assert run("analyse", "greedy", "--position", "position.json").code != 0
    assert not (folder / "sprung").exists()
    assert sys.path == path
    if name == "trap:agent":  # the trap works
        assert run("play", "--resume", "game.json", name, "greedy").code != 0
        assert (folder / "sprung").exists()


def test_an_agent_in_two_seats_is_two_agents(run, folder):
    (folder / "counting_players.py").write_text(
        "import own_players\n"
        "class Counting(own_players.First):\n"
        "    count = 0\n"
        "    def advance(self, action):\n"
        "        self.count += 1\n"
        "        assert self.count <= 46, 'told too often'\n"
        "agent = Counting()\n"
    )
    done = run("play", "counting_players:agent", "counting_players:agent", *SMALL)
    sys.modules.pop("counting_players", None)
    assert done.code == 0, done.err


def test_a_game_is_watched(run, folder, monkeypatch):
    def play(session, keep):
        assert session.is_watched
        while not session.is_over:
            is_chance = session.model.is_chance_node()
            session.apply(session.draw() if is_chance else session.decide())

    monkeypatch.setattr("carcassonne_env.cli.terminal.play_in_terminal", play)
    monkeypatch.setattr("carcassonne_env.cli.play.sys", SCREEN)
    done = run("play", "random", "greedy", *SMALL, "--watch", "--out", ".")
    assert re.search(r"^greedy( +\d+){5}$", done.out, re.MULTILINE)
    assert "not finished" not in done.out
    assert "Picture: board.png" in done.out
    (kept,) = (folder / "kept").iterdir()
    assert [*SavedGame.load(kept).positions()][-1].is_terminal()


# --- play in a terminal ---


class Tmux:
    """A terminal of its own, with a shell in it."""

    numbers = itertools.count()

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = f"carcassonne-test-{os.getpid()}-{next(self.numbers)}"
        path = shlex.quote(os.pathsep.join(sys.path))
        unset = "-u LINES -u COLUMNS"  # which readline sets in this process
        shell = f"env {unset} PS1='prompt> ' TERM=screen PYTHONPATH={path}"
        size = ["-x", "100", "-y", "30"]
        self("-f", "/dev/null", "new-session", "-d", *size, "-c", str(folder), f"{shell} sh")

    def __call__(self, *arguments: str) -> str:
        """What a command of tmux prints."""
        command = ["tmux", "-L", self.name, *arguments]
        done = subprocess.run(command, capture_output=True, encoding="utf-8")
        assert done.returncode == 0, done.stderr
        return done.stdout

    def keys(self, *keys: str) -> None:
        self("send-keys", *keys)

    def wait_for(self, pattern: str, *keys: str) -> str:
        """The screen once it matches, after these keys."""
        if keys:
            self.keys(*keys)
        end = time.monotonic() + 60
        while not re.search(pattern, screen := self("capture-pane", "-p"), re.MULTILINE):
            assert time.monotonic() < end, f"{pattern!r} was not seen in:\n{screen}"
            time.sleep(0.05)
        return screen


@pytest.fixture
def tmux(folder):
    """A terminal with a prompt; it ends with the test."""
    if shutil.which("tmux") is None:
        pytest.skip("needs tmux")
    terminal = Tmux(folder)
    terminal.wait_for("^prompt>")
    yield terminal
    terminal("kill-server")


COMMAND = shlex.join([sys.executable, "-W", "error", "-m", "carcassonne_env"])
GAME = f"{COMMAND} play me greedy {' '.join(SMALL)} --seed 1"
PLAY = f"clear; {GAME}\n"


def test_a_game_in_a_real_terminal(tmux):
    drawn = r"Tile 2 of 24(.|\n)*Your turn: place this tile(.|\n)*\d+ cells, \d+ legal moves"
    screen = tmux.wait_for(drawn, "-l", PLAY)
    assert re.search(r"▶ 1 +you +0 +0 +3", screen)
    assert re.search(r"2 +greedy +0 +0 +3", screen)
    tmux("resize-window", "-x", "60", "-y", "12")
    tmux.wait_for(r"^▶ 1  you 0 .*tiles left(.*\n){11} no meeple · \? help, q quit, arrows move")
    tmux("resize-window", "-x", "100", "-y", "30")
    played = r"  \(-?\d+, -?\d+\).*\n"
    for count in (2, 4, 6):
        seen = rf"Your turn(.|\n)*Last moves.*\n(.* [12]{played}){{{count}}}"
        tmux.wait_for(seen, "r", "Right", "m", "Enter")
    screen = tmux.wait_for(r"^prompt> *$", "C-c")
    assert "The game was not finished." in screen
    assert "Traceback" not in screen
    (kept,) = (tmux.folder / "kept").iterdir()
    assert f"Go on: carcassonne play me greedy --resume {Path('kept') / kept.name}" in screen
    assert len(SavedGame.load(kept).actions) == 13
    assert_restored(tmux)
    tmux.wait_for("Tile 8 of 24(.|\n)*Your turn", "-l", f"clear; {COMMAND} play --resume kept/*\n")
    tmux.wait_for("Tile 6 of 24(.|\n)*Your turn", "u")
    tmux.wait_for(r"^prompt> *$", "C-c")
    assert len(SavedGame.load(kept).actions) == 9


def assert_restored(tmux: Tmux, status: int = 0) -> None:
    """The command ended with this status, and the terminal is as it was."""
    screen = tmux.wait_for(f"^status {status}", "-l", "echo status $?\n")
    assert re.search(r"^prompt> echo status", screen, re.MULTILINE)
    state = "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{bracket_paste_flag}"
    assert tmux("display-message", "-p", state).split()[:3] == ["0", "1", "0"]
    assert_cooked(tmux)


def assert_cooked(tmux: Tmux) -> None:
    """The shell has its terminal back."""
    screen = tmux.wait_for("icanon", "-l", "clear; stty -a\n")
    assert {"icanon", "echo", "isig"} <= set(screen.split())


def test_ctrl_z_suspends_a_game(tmux):
    tmux.wait_for("Your turn", "-l", PLAY)
    for key, seen in [("n", "Your turn"), ("?", "Any key goes on"), ("q", "Quit this game")]:
        tmux.wait_for(seen, key)
        tmux.wait_for("^prompt> *$", "C-z")
        assert_cooked(tmux)
        tmux.wait_for(seen, "-l", "clear; fg\n")
        tmux.keys("n")  # closes a dialog, which takes all keys until it is gone
        if seen != "Your turn":
            tmux.wait_for(rf"\A(?![\s\S]*{seen})")
    tmux.wait_for("Your turn")
    assert "The game was not finished." in tmux.wait_for(r"^prompt> *$", "C-c")
    assert_restored(tmux)


def test_bytes_that_are_not_text_do_not_end_a_game_and_a_signal_restores_the_screen(tmux):
    def comes_to(is_helped, key):
        """Whether the key opens or closes the help; the bytes before it may swallow it at first."""

        def is_so():
            return ("Any key goes on" in tmux("capture-pane", "-p")) == is_helped

        return soon(lambda: tmux.keys(key) or soon(is_so, 0.5))

    tmux.wait_for("Your turn", "-l", f"clear; sh -c 'echo $$ >pid; exec {GAME}'\n")
    for data in (["ff"], ["6e", "c3", "28"], ["f0", "9f"]):
        for is_helped, key in ((True, "?"), (False, "n")):  # the bytes also go to the open help
            tmux.keys("-H", *data)
            assert comes_to(is_helped, key)
    os.kill(int((tmux.folder / "pid").read_text()), signal.SIGTERM)
    assert "Traceback" not in tmux.wait_for("^prompt> *$")
    assert_restored(tmux, 128 + signal.SIGTERM)


# --- tournament ---


def test_a_tournament_leaves_a_table_and_tells_who_is_better(run, folder):
    players = ["greedy", "random", "own_players:last"]
    done = run("tournament", *players, *SMALL, "--games", 3, "--out", "new/t").checked()
    table = pd.read_csv("new/t/tournament.csv")
    assert set(table["game"]) == {"2p-3m-small-s"}
    seatings = [(a, b) for a in players for b in players if a != b]
    expected = sorted((*seats, seed) for seats in seatings for seed in range(3))
    assert sorted(zip(table["seat_0"], table["seat_1"], table["seed"], strict=True)) == expected
    setup = Setup(2, 3, "small", False)
    for _, row in table[table["seat_1"] == "random"].iterrows():
        first = "greedy" if row["seat_0"] == "greedy" else own("last")
        record = play_game(setup, [first, "random"], row["seed"], measure=final_scores)
        assert row[list(record.measures)].to_dict() == record.measures
    told = dict(re.findall(r"^(\S[^\n]*)\n((?:.+\n)+)", done.out, re.MULTILINE))
    names = ["player", "score"]
    scores = [table[[f"seat_{i}", f"score_{i}"]].set_axis(names, axis=1) for i in (0, 1)]
    summary = pd.concat(scores).groupby("player")["score"].agg(["mean", "std", "min", "max"])
    frames = {
        "Scores": summary.reset_index(),
        "Ratings, ± half of the 95% interval": ratings(table, "score"),
        "Matches, seen from seat 0": results(table, "score").drop(columns="game"),
        "League, points of the rule 'thesis'": league(table, THESIS, "score"),
    }
    assert list(told)[:4] == list(frames)
    assert done.out.endswith("\n\nGames: new/t/tournament.csv\n")
    for title, frame in frames.items():
        text = frame.to_string(index=False, float_format="%.1f")
        assert sorted(map(str.split, told[title].splitlines())) == sorted(
            map(str.split, text.splitlines())
        )


def own(name: str) -> Any:
    """What the text of the own players defines."""
    names: dict[str, Any] = {"__name__": "text"}
    exec(OWN, names)
    return names[name]


def test_the_rules_differ(run):
    """A match lost with 42 of 100 games won is worth a point in the thesis alone."""
    scores = [1] * 42 + [0] * 58
    columns = {"game": "g", "seat_0": "a", "seat_1": "b", "score_0": scores, "score_1": 0.5}
    table = pd.DataFrame(columns)
    for rule, points in (("thesis", [4, 1]), ("galvan", [4, 0])):
        frames = standings(table, rule, "score")
        assert frames[f"League, points of the rule '{rule}'"]["points"].tolist() == points
    arguments = ["tournament", "greedy", "random", *SMALL, "--games", 1, "--rule", "galvan"]
    assert "\nLeague, points of the rule 'galvan'\n" in run(*arguments).out


def test_backend_jobs_and_address_are_passed_on(run, monkeypatch):
    passed = []

    def refuse(*arguments):
        passed.append(arguments)
        raise OSError("no such cluster")

    monkeypatch.setattr("agents.backends.backend", refuse)
    options = ["--backend", "dask", "--jobs", 3, "--address", "tcp://x:1"]
    assert_refused(run("tournament", "random", "greedy", *options), "no such cluster")
    assert passed == [("dask", 3, "tcp://x:1")]


@pytest.mark.parametrize(
    ("seats", "num_rows", "titles"),
    [(1, 3, ["Scores"]), (3, 6, ["Scores", "Ratings, ± half of the 95% interval"])],
)
def test_tournaments_for_one_and_for_three(run, seats, num_rows, titles):
    players = ("random", "greedy", "own_players:last")
    options = [*SMALL, "--known-order", "--games", 1, "--seats", seats, "--out", "t"]
    done = run("tournament", *players, *options).checked()
    table = pd.read_csv("t/tournament.csv")
    assert len(table) == num_rows
    assert set(table["game"]) == {f"{seats}p-3m-small-d"}
    assert re.findall(r"\n\n?(\S[^\n]*)\n +player", done.out) == titles


# --- ladder ---

RUNGS = ("--only", "random", "--only", "greedy", *SMALL, "--pairs", 2, "--out", "t")


def test_a_ladder_rates_all_players_and_ones_own(run, folder):
    own = [*("--player", "last=own_players:last"), *("--player", "mcts(iterations=3)")]
    limited = ["--player", "quick = mcts(c=0.1, time_limit={time})", "--time", 0.001]
    done = run("ladder", *RUNGS, *own, *limited).checked()
    games = pd.read_csv("t/ladder_games.csv", dtype={"checksum": str})
    seatings = itertools.permutations(set(games["seat_0"]), 2)
    expected = sorted((*seats, seed) for seats in seatings for seed in range(2))
    assert len(expected) == 5 * 4 * 2
    assert sorted(zip(games["seat_0"], games["seat_1"], games["seed"], strict=True)) == expected
    frame = pd.read_csv("t/ladder.csv")
    assert set(frame["player"]) == {"random", "greedy", "last", "mcts(iterations=3)", "quick"}
    texts = frame.set_index("player")["specification"]
    assert texts["quick"] == "mcts(c=0.1, time_limit=0.001)"
    assert (texts["last"], texts["greedy"]) == ("own_players:last", "greedy")
    by_hand = rated(games, "score")
    names = [[text.partition("=")[0] for text in table["player"]] for table in (by_hand, frame)]
    assert names[0] == names[1]
    numbers = by_hand.columns.drop("player")
    np.testing.assert_allclose(frame[numbers], by_hand[numbers])
    assert 0.0005 < frame.set_index("player").loc["quick", "seconds"] < 0.1
    lines = Path("t/ladder.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "| player | rating | points | lead | ms a move | games |"
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines[2:]] == [*frame["player"]]
    first = frame.iloc[0]
    cell = f"{first['rating']:+.0f} ± {first['half_width']:.0f}"
    assert cell in lines[2]
    assert cell in done.out
    assert done.out.endswith("\n\nGames: t/ladder_games.csv\n")


def test_a_ladder_continues_with_new_players(run, folder):
    first = run("ladder", *RUNGS)
    path = folder / "t" / "ladder_games.csv"
    before = path.read_bytes()
    assert run("ladder", *RUNGS).out == first.out
    assert path.read_bytes() == before
    assert run("ladder", *RUNGS, "--player", "last=own_players:last").code == 0
    assert path.read_bytes().startswith(before)
    assert len(pd.read_csv(path)) == 3 * 2 * 2
    assert run("ladder", *RUNGS, "--seed", 1).code == 0  # seed 1 is there, 2 is new
    assert len(pd.read_csv(path)) == 3 * 2 * 2 + 2


def test_players_that_have_changed_play_again(run, folder):
    """Names stand for other players after a new option or --time."""
    for limit in ("iterations=2", "iterations=3", "time_limit={time}"):
        run("ladder", *RUNGS, "--time", 0.001, "--player", f"mine=mcts({limit})").checked()
    games = pd.read_csv("t/ladder_games.csv")
    limits = ("iterations=2", "iterations=3", "time_limit=0.001")
    mine = {text for text in games["seat_0"] if text.startswith("mine")}
    assert mine == {f"mine=mcts({limit})" for limit in limits}


def test_the_players_of_the_ladder():
    players = ladder_players([], [], 0.25)
    assert [*players] == [*LADDER]
    specifications = {name: make(text).specification for name, text in players.items()}
    limited = [name for name, text in specifications.items() if "time_limit=0.25" in text]
    assert limited == ["uct", "strongest", "strongest-value"]
    assert all(players[name] == LADDER[name] for name in players if "{time}" not in LADDER[name])


# --- analyse ---


def course(setup: Setup, players: list[Any], seed: int, turn: int) -> CarcassonneModel:
    """The position of a game of the arena with so many tiles laid and one drawn."""
    record = play_game(setup, players, seed)
    for model, ply in replay(setup, record.plies, seed):
        if ply.player != CHANCE and len(model.board) == 1 + turn:
            return model
    raise AssertionError("the game is too short")


def table_rows(done: Done) -> tuple[list[str], list[list[str]]]:
    """Title and rows of the table at the root."""
    table = re.split("player . to move", done.out)[1].partition("What moves change")[0]
    lines = [line for line in table.splitlines() if re.match(r"[│┃]", line)]
    rows = [[cell.strip() for cell in re.split("[│┃]", line)[1:-1]] for line in lines]
    return rows[0], rows[1:]


@pytest.mark.parametrize(
    ("planner", "num_players", "known_order"),
    [
        ("mcts(iterations=300, c=0.1)", 2, False),
        ("mcts(iterations=300, c=0.1)", 3, True),
        ("star2.5", 2, True),
        ("greedy", 1, True),
        ("greedy", 3, False),
    ],
)
def test_the_search_is_told(run, planner, num_players, known_order):
    options = ["--players", num_players, "--course", "random", *["--known-order"] * known_order]
    done = run("analyse", planner, "--turn", 6, *SMALL, *options, "--seed", 3, "--moves", 4)
    assert (done.code, done.err) == (0, "")
    model = course(Setup(num_players, 3, "small", known_order), ["random"] * num_players, 3, 6)
    agent = make(planner, seed=3)
    result = agent.search(model)
    assert done.out.startswith(board_with_cells(model))
    assert f"Tile {model.current_tile}, player {model.current_player() + 1} to move" in done.out
    numbers = re.findall(r"player \d", done.out.partition("Final scores")[2].partition("┡")[0])
    assert numbers == [f"player {i}" for i in range(1, 1 + num_players)]
    has_visits = planner.startswith("mcts")
    assert ("\nSearch of 300 iterations in " in done.out) == has_visits
    header, rows = table_rows(done)
    assert header == (["move", "visits", "points", "± error"] if has_visits else ["move", "points"])
    assert len(rows) == 4
    assert f"and {len(result.actions) - 4} more" in done.out
    words = move_words(model.decode_action(result.action))
    assert [row[0] for row in rows if row[0].startswith("*")] == [f"* {words}"]
    values = result.means if has_visits else result.values
    exact = np.ones(len(values), dtype=bool) if has_visits else result.are_exact
    ends = ["" if is_exact else " or less" for is_exact in exact]
    points = [f"{v * model.max_score():+.2f}{end}" for v, end in zip(values, ends, strict=True)]
    if has_visits:
        shown = [[int(row[1]), row[2]] for row in rows]
        every = [[int(n), p] for n, p in zip(result.visits, points, strict=True)]
        assert [n for n, _ in shown] == sorted(result.visits.tolist(), reverse=True)[:4]
        assert all(row in every for row in shown)
    else:
        best = np.argsort(-values, kind="stable")[:4]
        assert [row[1] for row in rows] == [points[i] for i in best]
    expected = line_words(model, agent.principal_variation(result))
    told = done.out.partition("Expected line (with the most likely draws)\n")[2].splitlines()
    assert told == [f"  {line}" for line in expected]
    assert told[0] == f"  player {result.player + 1}: {words}"


def test_values_that_are_bounds_are_told(run):
    done = run("analyse", "star2.5", "--turn", 5, *SMALL, "--moves", 100)
    model = course(Setup(2, 3, "small", False), ["greedy"] * 2, 0, 5)
    result = make("star2.5", seed=0).search(model)
    assert 0 < np.sum(~result.are_exact) == done.out.count(" or less")
    assert len(table_rows(done)[1]) == len(result.actions)
    assert not re.search(r"and \d+ more", done.out)


def test_planners_may_compare_no_moves(run):
    """Then the chosen one is told; a result needs no more than that and its value."""
    model = course(Setup(2, 3, "small"), ["greedy"] * 2, 0, 5)
    done = run("analyse", "own_players:least", *SMALL, "--turn", 5).checked()
    words = move_words(model.decode_action(int(model.legal_actions()[-1])))
    row = [f"* {words}", f"{0.01 * model.max_score():+.2f}"]
    assert table_rows(done) == (["move", "points"], [row])
    assert done.out.endswith("Expected line (with the most likely draws)\n")
    planner = "oep(iterations=3)"
    done = run("analyse", planner, *SMALL, "--turn", 5, "--seeds", 4).checked()
    chosen = {make(planner, seed=seed).search(model).action for seed in range(4)}
    assert done.out.count(" of 4 │") == len(chosen) > 1


def test_lines_are_told_in_words():
    model, rng = CarcassonneModel(2, 3, "small"), Rng(0)
    line, expected, replica = [], [], model.clone()
    while not model.is_terminal():
        player, is_chance = model.current_player(), model.is_chance_node()
        action = (model.sample_chance if is_chance else model.sample_action)(rng)
        words = "" if is_chance else move_words(model.decode_action(action))
        who = f"player {player + 1}: {words}"
        expected.append(who if words else f"chance: tile {LETTERS[action]}")
        line.append((player, action))
        model.apply_action(action)
        assert words or model.current_tile in (LETTERS[action], None)
    before = replica.clone()
    assert line_words(replica, line) == expected
    assert replica == before


def test_positions_are_those_of_a_tournament(run, folder):
    options = ["--games", 2, "--known-order", "--out", "t"]
    run("tournament", "random", "greedy", *SMALL, *options)
    table, setup = pd.read_csv("t/tournament.csv"), Setup(2, 3, "small", True)
    for row in (0, 3):  # in either seat
        cells, seed = table.iloc[row], int(table["seed"][row])
        played = replay(setup, record_of(cells).plies, seed)
        decisions = [model.clone() for model, ply in played if ply.player != CHANCE]
        for turn in (0, 7, len(decisions) - 1):
            (expected,) = [model for model in decisions if len(model.board) == 1 + turn]
            at = ["--games", "t/tournament.csv", "--row", row, "--turn"]
            done = run("analyse", "greedy", *at, turn).checked()
            assert done.out.startswith(board_with_cells(expected))
            other = Setup(1)
            assert position(other, turn, "random", Path("t/tournament.csv"), row, 99) == expected
        done = run("replay", "t/tournament.csv", "--row", row)
        assert (done.code, done.out) == (0, "Page: replay.html\n")
        seats = ",".join(f'{{"name":"{cells[seat]}"}}' for seat in ("seat_0", "seat_1"))
        assert f'"seats":[{seats}]' in Path("replay.html").read_text(encoding="utf-8")
        turn = len(decisions)
        done = run("analyse", "greedy", *at, turn)
        assert_refused(done, rf"turn must be in \[0, {turn - 1}\] in this game, got {turn}")


def test_the_position_is_drawn(run, folder):
    done = run("analyse", "greedy", *SMALL, "--turn", 3, "--out", "new/folder")
    model = course(Setup(2, 3, "small", False), ["greedy"] * 2, 0, 3)
    assert (folder / "new/folder/position.svg").read_text() == model._repr_svg_()
    assert done.out.endswith("Picture: new/folder/position.svg\nPicture: new/folder/visits.svg\n")
    visits = (folder / "new/folder/visits.svg").read_text()
    assert visits.count('fill="#c2410c"') == len(model.legal_cells)


def test_reasons_are_told(run):
    """What the best moves change in the lead to expect: the outlook after the move less before."""
    done = run("analyse", "greedy", *SMALL, "--turn", 8, "--moves", 3)
    told = done.out.partition("What moves change in the lead to expect")[2]
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in told.splitlines()]
    rows = [row for row in rows if row]
    model = course(Setup(2, 3, "small", False), ["greedy"] * 2, 0, 8)
    best = make("greedy", seed=0).search(model).action
    assert [row[0].startswith("* ") for row in rows if row[0]] == [True, False, False]
    found = changes(model, best)
    words = move_words(model.decode_action(best))
    assert rows[0][:2] == [f"* {words}", f"{sum(found.values()):+.1f}"]
    assert rows[0][2].startswith(change_words(found).split(",")[0])


def test_changes_add_up():
    """To the outlook after the move less the one before, without the worth of being on the move."""
    model = course(Setup(2, 3, "small", False), ["greedy"] * 2, 0, 8)
    player = model.current_player()

    def lead(position):
        entries = [entry for entry in position.outlook() if entry.term != "to move"]
        return sum(e.points if e.player == player else -e.points for e in entries)

    for action in map(int, model.legal_actions()):
        after, found = model.clone(), changes(model, action)
        after.apply_action(action)
        assert sum(found.values()) == pytest.approx(lead(after) - lead(model))
        sizes = [abs(change) for change in found.values()]
        assert sizes == sorted(sizes, reverse=True)


def test_changes_name_features_after_the_move():
    """A meeple on a new city: the player expects points of it, and has one less in hand."""
    model = CarcassonneModel(2, 7)
    model.apply_action(LETTERS.index("E"))
    found = changes(model, model.encode_action((0, -1, 1, ("city", frozenset("E")))))
    assert found["own city at (0, -1)"] > 0 > found["meeples in hand"]
    assert "to move" not in found
    assert change_words({"a": 2.04, "b": -0.5, "c": 0.01}) == "a +2.0, b -0.5"
    assert change_words(dict.fromkeys("abcde", 1.0)).endswith("d +1.0, ...")


def test_reasons_are_what_the_better_move_brings_more():
    model = CarcassonneModel(2, 7)
    model.apply_action(LETTERS.index("E"))
    better, played = (
        model.encode_action((0, 1, 2, target)) for target in (("city", frozenset("S")), None)
    )
    reason, *rest = reasons(model, better, played)  # the start tile's city is complete
    assert (reason[:2], reason.owners) == (("city", (0, 0)), (0,))
    assert reason.points == pytest.approx(
        changes(model, better)["own city at (0, 0)"]
        - changes(model, played).get("city at (0, 0)", 0),
        abs=0.01,
    )
    assert 3.5 < reason.points < 4.5
    lead = (sum(changes(model, action).values()) for action in (better, played))
    told = reason.points + sum(each.points for each in rest)
    assert told == pytest.approx(next(lead) - next(lead), abs=0.05)
    assert reasons(model, played, better) == reasons(model, better, better) == ()


def test_changes_name_who_owns_features_after_the_move():
    """As the meeples on them say; those of complete features have gone home."""
    seen, player = Counter[str](), make("greedy", seed=0)
    for seed in range(2):
        model, rng = CarcassonneModel(seed=seed), Rng(seed)
        while not model.is_terminal():
            if model.is_chance_node():
                model.apply_action(model.sample_chance(rng))
                continue
            action = model.sample_action(rng) if rng.random() < 0.5 else player.act(model)
            found, mover = changes(model, action), model.current_player()
            model.apply_action(action)
            cell = (model.board[-1].x, model.board[-1].y)
            owners: dict[str, set[str]] = {}
            for each in model.features:
                most = max(each.meeples)
                who = [i for i, count in enumerate(each.meeples) if most and count == most]
                whose = "own " if who == [mover] else "".join(f"player {i + 1}'s " for i in who)
                name = f"{each.kind} at {min(each.cells - {cell}, default=cell)}"
                whose = "shared " if len(who) > 1 else whose
                owners.setdefault(name, set()).add("complete" if each.is_complete else whose)
            for words in found:
                whose, name = re.fullmatch(r"(own |shared |player \d's )?(.*)", words).groups("")
                if " at " in name and "complete" not in owners[name]:
                    held = owners[name] - {""}  # by features of one kind and one cell
                    assert {whose} == (held if len(held) == 1 else {""})
                    seen[whose] += 1
    assert set(seen) == {"", "own ", "shared ", "player 1's ", "player 2's "}


def test_points_that_one_of_several_features_scores_are_told_in_sum():
    """Of features that nobody holds, which score nothing, there may be any number."""
    seen, greedy = Counter[int](), make("greedy", seed=0)
    for seed in range(20):
        model, rng = CarcassonneModel(seed=seed), Rng(seed)
        while not model.is_terminal():
            if model.is_chance_node():
                model.apply_action(model.sample_chance(rng))
                continue
            before, action = model.clone(), greedy.act(model)
            model.apply_action(action)
            if model.scores == before.scores or not (found := changes(before, action)):
                continue
            move = before.decode_action(action)
            held = {p for each in before.features if any(each.meeples) for p in each.segments}
            held.add((*move[:2], move.target))
            old = {p for each in before.features if each.is_complete for p in each.segments}
            scored = {
                f"{e.kind} at {min(e.cells - {move[:2]}, default=move[:2])}"
                for e in model.features
                if e.is_complete and e.segments - old and e.segments & held
            }
            seen[len(scored)] += 1
            assert len(scored) != 1 or "scored" not in found, (seed, move)
            assert len(scored) == 1 or not scored & set(found), (seed, move)
    assert seen[1] > 50
    assert seen[2] > 3


def test_a_position_of_a_file_is_analysed(run, folder):
    model = course(Setup(2, 3, "small", False), ["greedy"] * 2, 0, 6)
    (folder / "mine.json").write_text(json.dumps(to_data(model)), encoding="utf-8")
    done = run("analyse", "greedy", "--position", "mine.json")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(board_with_cells(model))
    (folder / "mine.json").write_text('{"tiles": []}', encoding="utf-8")
    refused = run("analyse", "greedy", "--position", "mine.json")
    assert_refused(refused, "mine.json does not hold a position: the position must have one of")


def test_the_choice_is_tested_by_several_seeds(run):
    planner = "mcts(iterations=20)"
    done = run("analyse", planner, *SMALL, "--turn", 3, "--seed", 5, "--seeds", 6).checked()
    model = course(Setup(2, 3, "small", False), ["greedy"] * 2, 5, 3)
    found = Counter(make(planner, seed=seed).search(model).action for seed in range(5, 11))
    told = done.out.partition("Choices of 6 searches")[2].partition("Expected line")[0]
    shares = dict(re.findall(r"│ (\(.*?) +│ +(\d) of 6 │", told))
    words = {move_words(model.decode_action(action)): str(n) for action, n in found.items()}
    assert shares == words
    assert_refused(run("analyse", "own_players:planner", "--seeds", 2), "--seeds needs")


def test_cells_of_the_board_can_be_told():
    model = position(Setup(2, 3, "small"), 5, "greedy", None, 0, 0)
    lines = board_with_cells(model).splitlines()
    text = str(model).splitlines()
    height = len(lines) - 5  # the cells, an empty line, and the tile in the hand
    from_1 = str.maketrans("01", "12")  # Python counts players from 0
    board = [line.translate(from_1) for line in text[:height]]
    assert [line[4:] for line in lines[:height]] == board
    legend = [re.sub(r"player \d", lambda name: name[0].translate(from_1), line) for line in text]
    assert lines[height + 1 :] == legend[height:]
    for tile in model.board:
        (row,) = (i for i, line in enumerate(lines[:height]) if line[:3].strip() == str(tile.y))
        column = re.search(rf"(?<!\S){tile.x}(?!\S)", lines[height]).start() + (tile.x < 0)
        centre = text_block(tile.tile, tile.rotation)[1][3][0]
        assert lines[row][column] in (centre, "1", "2"), tile  # or the meeple of a player


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("plies,seconds", "moves,times", "is not the table of a tournament: its columns are"),
        ("2p-3m-small-s", "bag", "row 0 of .* holds no game: .* must be like '2p-7m-base-s'"),
        ("2p-3m-small-s", "2p-999m-small-s", r"num_meeples must be in \[0, 255\], got 999"),
        (",greedy,0,", ",greedy,inf,", "holds no game: cannot convert float infinity"),
        (",greedy,0,", ",greedy,,", "holds no game: "),
        (",greedy,0,", ",greedy,", r"row 1 has \d+ cells for \d+ columns"),
        ('"[[', '"[7,[', "holds no game: "),
        ('"[[', '"7,[[', "holds no game: "),
        ('"[[', f'"{"[" * 100_000}[[', "holds no game: maximum recursion depth"),
        ('"[[', '"[[1e400,', "holds no game: "),
    ],
    ids=lambda text: text[:30],
)
def test_what_is_no_recorded_game_is_refused(run, recorded, old, new, message):
    path = Path("games.csv")
    header, *rows = recorded.splitlines()
    (row,) = (row for row in rows if ",greedy,0," in row)
    path.write_text(f"{header}\n{row}\n")
    past = run("analyse", "greedy", "--games", path, "--row", 1)
    assert_refused(past, r"row must be in \[0, 0\], got 1")
    path.write_text(f"{header}\n{row}\n".replace(old, new, 1))
    for arguments in (["replay", path, "--row", 0], ["analyse", "greedy", "--games", path]):
        assert_refused(run(*arguments), message)


# --- What is refused ---

REFUSED = {
    'play nobody': "got 'nobody'. Known are random, .*; the levels are beginner, ",
    'play "mcts(speed=1)"': "'mcts' has no option 'speed'",
    'play "mcts(iterations=0)"': "iterations must be .* got 0",
    'play "mcts(c=1"': "agent must read like",
    'play no_module_x:agent': "'no_module_x:agent' cannot be imported: No module named",
    'play own_players:nobody': "'own_players:nobody' cannot be imported: .*no attribute",
    'play :name': "':name' cannot be imported: Empty module name",
    'play .players:name': "'.players:name' cannot be imported: ",
    'play own_players_cut:last': "'own_players_cut:last' cannot be imported: .*line 2",
    'play own_players:Acting': "player 'own_players:Acting' must be .* act.model., or a function",
    'play own_players:nothing SMALL': "nothing must choose an action, .* got None",
    'play own_players:illegal random SMALL': "own_players:illegal chose action .* illegal",
    'play own_players:number': "player .* must be .* got 3",
    'play': "name 1 to 5 players, such as",
    'play random random random random random random': r"num_players must be in \[1, 5\], got 6",
    'play random --tiles huge': "'huge' is not one of .*small",
    'play star2.5 random random SMALL': "one or two players, got 3",
    'play random SMALL --out empty.csv/folder': "empty.csv",
    'play random SMALL --out foreign': r"directory: .*board\.png",
    'play me random SMALL': "need a terminal",
    'play random random SMALL --watch': "need a terminal",
    'web --no-browser --players os:system': "there is no player",
    'tournament random greedy --rule chess': "'chess' is not one of .*galvan",
    'tournament random greedy --backend x': "'x' is not one of .*dask",
    'tournament random greedy --address x:1': "address must be None .* 'local', got 'x:1'",
    'tournament random greedy --out empty.csv': "'--out': .* 'empty.csv' is a file",
    'tournament random greedy --games 3000000000': "Invalid value for '--games'",
    'tournament random greedy --out foreign': r"holds another table: its columns are \['a', 'b'\]",
    'ladder --only random': "players must be 2 or more",
    'ladder --only nobody': "--only must be one of random, greedy, .* got 'nobody'",
    'ladder --player greedy': "players must have different names, got 'greedy' twice: put",
    'ladder --player a=greedy --player a=random': "got 'a' twice",
    'ladder --player a=nobody': "agent must be a known name, got 'nobody'",
    'ladder --player =greedy': "agent must ",
    'ladder --player own_players:nobody': "'own_players:nobody' cannot be imported",
    'ladder --time 0': "--time must be a number of seconds greater than 0, got 0",
    'ladder --time nan': "--time must be a number of seconds greater than 0, got nan",
    'ladder --jobs 100000': "--jobs must be at most .*, the number of cores, got 100000",
    'dataset nobody': "agent must be a known name",
    'dataset greedy --out a.csv': r"ends with \.npz, got",

    'engine mtcs': "agent must be a known name",
    'analyse random SMALL': "planner must be an agent that searches, got 'random'",
    'analyse nobody SMALL': "agent must be a known name, got 'nobody'",
    'analyse greedy SMALL --turn 23': "turn must be .* got 23",
    'analyse greedy SMALL --course nobody': "agent must be a known name, got 'nobody'",
    'analyse star2.5 SMALL --players 3 --turn 2': "one or two players, got 3",
    'analyse greedy --games none.csv': "none.csv",
    'analyse greedy --games empty.csv': "empty.csv is not a CSV table: ",
    'analyse greedy --games bytes.csv': "bytes.csv is not a CSV table: ",
    'analyse greedy --games foreign': "'foreign'",
}  # fmt: skip
"""Command lines with their errors; SMALL stands for the options of a small game."""
OUT_OF_RANGE = (
    *("play random --meeples -1", "play random --seed -1", "tournament random greedy --games 0"),
    *("tournament random greedy --seats 6", "tournament random greedy --jobs 0"),
    *("ladder --pairs 0", "ladder --seed -1", "analyse greedy SMALL --turn -1"),
    *("analyse greedy SMALL --players 6", "dataset greedy --exploration 2"),
)
REFUSED |= {line: f"Invalid value for '{line.split()[-2]}'" for line in OUT_OF_RANGE}


@pytest.mark.parametrize(("line", "message"), REFUSED.items())
def test_bad_commands_are_refused(run, folder, line, message):
    (folder / "empty.csv").write_text("")
    (folder / "bytes.csv").write_bytes(b"\x89PNG")
    (folder / "foreign" / "board.png").mkdir(parents=True)
    foreign = folder / "foreign" / "tournament.csv"
    foreign.write_text("a,b\n1,2\n")
    arguments = shlex.split(line.replace("SMALL", " ".join(SMALL)))
    assert_refused(run(*arguments), message)
    assert foreign.read_text() == "a,b\n1,2\n"
    assert not (folder / "results").exists()


# --- reproduce ---


@pytest.mark.slow
def test_an_experiment_writes_its_report(folder):
    done = in_shell("reproduce", "e1", "--quick", "--out", "made")
    assert done.returncode == 0, done.stderr
    report = (folder / "made" / "quick" / "fop_trees.md").read_text(encoding="utf-8")
    assert "A small version" in report
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", report):
        assert (folder / "made" / "quick" / picture).is_file()
    assert len(pd.read_csv(folder / "made" / "quick" / "fop_trees.csv")) > 0


@pytest.fixture
def scripts(folder, monkeypatch):
    """Experiments that only note how they are called; ``scripts()`` are these calls."""
    experiments = folder / "checkout" / "examples" / "experiments"
    experiments.mkdir(parents=True)
    code = (
        "import json, sys, pathlib\n"
        "name = pathlib.Path(__file__).stem\n"
        "with open('calls.txt', 'a') as file:\n"
        "    print(json.dumps([name, *sys.argv[1:]]), file=file)\n"
        "if pathlib.Path(name + '.fails').exists():\n"
        "    sys.exit(7)\n"
    )
    for _, *names in reproduce.EXPERIMENTS.values():
        for name in names:
            (experiments / f"{name}.py").write_text(code)
    module = folder / "checkout" / "agents" / "cli" / "reproduce.py"
    monkeypatch.setattr(reproduce, "__file__", str(module))
    return lambda: [json.loads(line) for line in (folder / "calls.txt").read_text().splitlines()]


def test_every_experiment_has_its_scripts():
    assert list(reproduce.EXPERIMENTS) == ["E1", "E2", "E3", "E4", "E5", "E6", "E7"]
    experiments = Path(__file__).parents[1] / "examples" / "experiments"
    for _, *names in reproduce.EXPERIMENTS.values():
        for name in names:
            assert (experiments / f"{name}.py").is_file()


@pytest.mark.parametrize(
    ("options", "passed"),
    [
        ("", "--out results --backend local"),
        ("--quick --jobs 3 --out made", "--out made --backend local --quick --jobs 3"),
        ("--backend dask --address t:1", "--out results --backend dask --address t:1"),
        ("--jobs 1", "--out results --backend local --jobs 1"),
    ],
)
def test_options_are_passed_on(run, scripts, options, passed):
    assert run("reproduce", "E5", *options.split()).code == 0
    assert scripts() == [[name, *passed.split()] for name in ("fop_values", "landscape")]


def test_an_experiment_that_fails_ends_the_command(run, scripts, folder):
    (folder / "fop_values.fails").write_text("")
    done = run("reproduce", "e5")
    assert (done.code, done.out, done.err) == (7, "", "")
    assert [call[0] for call in scripts()] == ["fop_values"]


def test_without_the_scripts_there_is_a_clear_error(run, folder, monkeypatch):
    module = folder / "site-packages" / "agents" / "cli" / "reproduce.py"
    monkeypatch.setattr(reproduce, "__file__", str(module))
    done = run("reproduce", "E1", "--quick")
    assert_refused(done, r"^error: .*examples.experiments is missing: .* pip install -e")
