"""The program ``python -m agents``: any game by name, played by people and planners."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from agents.cli.main import main, run as run_program
from agents.cli.person import MAX_ROWS, listed
from agents.game import Ply, play_game
from agents.games import make as make_game
from commands import Done, assert_lists, assert_refused, in_shell, run_here
from fresh import run_anew
from games import Dice, TicTacToe
from strangers import installed

OXO = """
from games import TicTacToe


class make(TicTacToe):
    def __str__(self):
        return "\\n".join(self.cells[i : i + 3] for i in (0, 3, 6))

    def _repr_svg_(self):
        return f"<svg>{self.cells} ×</svg>"

    def action_to_string(self, action):
        return "abc"[action % 3] + str(1 + action // 3)


HEURISTICS = ()
PLAYERS = {"careful": "expectimax(depth=9)"}
"""
DICE = """
from games import Dice as make

HEURISTICS = ()
PLAYERS = {}
"""
OWN = """
def first(model):
    return int(model.legal_actions()[0])


def game(dice=True):
    from games import Dice, TicTacToe

    return Dice() if dice else TicTacToe()


number = 3
"""

ENDGAME = "oxo(cells=XO..O..X.)"
"""Five cells are empty."""
Run = Callable[..., Done]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working directory where the games "oxo" and "dice" are installed."""
    (tmp_path / "own_players.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "own_players", raising=False)
    (tmp_path / "site").mkdir()
    with installed(tmp_path / "site", {"oxo": OXO, "dice": DICE}):
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        yield tmp_path


@pytest.fixture
def run(folder):
    """``run(*arguments, typed="")`` runs the program in this process."""
    return lambda *arguments, typed="": run_here(main, arguments, typed)


def oxo(run: Run, *arguments: object, typed: str | bytes = "") -> Done:
    """Plays tic-tac-toe against who plays the first empty cell."""
    return run(
        *("play", "--game", "oxo", "me", "own_players:first", "--seed", 1, *arguments), typed=typed
    )


# --- The program ---

OPTIONS = {
    "play": {"game", "seed", "out"},
    "tournament": {"game", "games", "rule", "out", "jobs", "backend", "address"},
    "reproduce": {"quick", "jobs", "backend", "address", "out"},
}


def test_help_names_commands_games_and_players(run):
    done = run("--help")
    assert (done.code, done.err) == (0, "")
    for command in OPTIONS:
        assert re.search(rf"^\W*{command} +\S", done.out, re.MULTILINE)
    words = " ".join(done.out.split())
    assert re.search(r"installed games are .*carcassonne, dice, .*\boxo", words)
    assert re.search(r"planners for every game are random, mcts, .* and emcts\.", words)
    assert "module:name" in words


@pytest.mark.parametrize("command", OPTIONS)
def test_help_of_a_command_lists_its_options(run, command):
    assert_lists(run(command, "--help"), OPTIONS[command])


def test_the_module_is_the_program(folder):
    done = in_shell("play", "--game", "chess", "random", module="agents")
    assert done.returncode == 1
    assert re.fullmatch(r"error: game must be one of .*'chess'; .*entry point.*\n", done.stderr)
    done = in_shell("--help", module="agents")
    assert done.stdout.split()[:4] == ["Usage:", "python", "-m", "agents"]


WITHOUT_TABLES = """
import sys
sys.modules.update(dict.fromkeys(["pandas", "joblib", "scipy", "textual"]))
from agents.cli.main import main
for line in sys.argv[1:]:
    sys.argv[1:] = line.split()
    try:
        main()
    except SystemExit as end:
        print(end.code, file=sys.stderr)
"""


def test_help_and_games_load_no_tables(folder):
    tournament = "tournament --game oxo random careful"
    lines = ["tournament --help", "play --game oxo random random", tournament]
    done = run_anew("-c", WITHOUT_TABLES, *lines, folder=folder)
    words = r'0\n0\nerror: .* joblib, .*: pip install -e ".*\[experiments\]"\n'
    assert re.fullmatch(words, done.stderr)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["play", "random"], r"--game must name one of the games .*dice, .*oxo"),
        (["play", "--game", "chess", "random"], "game must be one of .*oxo.*, got 'chess'"),
        (["play", "--game", "own_players:none", "random"], "game 'own_players:none' cannot be imp"),
        (["play", "--game", "own_players:number", "random"], "game .* must be a class .* got 3"),
        (["play", "--game", "own_players:game(n=3)", "random"], "no option 'n'.* dice"),
        (["play", "--game", "agents.games:Hex(n=3)", "random", "random"], "unexpected .* 'n'"),
        (["play", "--game", "fop(branching=1)", "random"], "branching must be"),
        (["play", "--game", "oxo", "me"], "players must be one for each of 2 seats, got 1"),
        (["play", "--game", "oxo", "random", "nobody"], "got 'nobody'. Known are .*careful"),
        (["play", "--game", "oxo", "random", "random", "--watch"], "No such option: --watch"),
        (["play", "--game", "dice", "random", "--out", "x"], "Dice has no _repr_svg_"),
        (["play", "--game", "oxo"], "Missing argument"),
        (["tournament", "random", "careful"], "--game must name one of"),
        (["tournament", "--game", "oxo", "a=random", "a=mcts"], "players must .* got 'a' twice"),
        (["tournament", "--game", "oxo", "a=mtcs", "random"], "got 'mtcs'; did you mean 'mcts'?"),
        (["tournament", "--game", "oxo", "random", "me"], "agent must be .* got 'me'"),
        (["tournament", "--game", "oxo", "a", "b", "--seats", 3], "No such option: --seats"),
        (["evolve", "hex", "--final-games", 3], "--final-games must be even, .* got 3"),
        (["reproduce", "E99"], "'E99' is not one of"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_bad_arguments_are_refused(run, folder, arguments, message):
    assert_refused(run(*arguments), message)
    assert not (folder / "results").exists()
    assert not (folder / "x").exists()


def test_compiled_classes_of_games_are_named_with_options(run):
    done = run(*["play", "--game", "agents.games:Hex(size=3)", "random", "random", "--seed", "1"])
    assert (done.code, done.err) == (0, "")
    assert "Winner: random" in done.out


# --- A person plays ---


def test_a_person_plays_to_the_end(run):
    done = oxo(run, typed="b2\nc1\nc3\na3\n")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(
        "\n...\n...\n...\n\n9 legal moves:\na1  b1  c1  a2  b2  c2  a3  b3  c3\n"
        "You to move (? for help): b2\n"
    )
    assert "\nO..\n.X.\n...\n\n7 legal moves:\nb1  c1  a2  c2  a3  b3  c3\n" in done.out
    moves = re.findall(r"^(you|own_players:first): (\w+)$", done.out, re.MULTILINE)
    assert [move for _, move in moves] == ["b2", "a1", "c1", "b1", "c3", "a2", "a3"]
    assert [name for name, _ in moves[:4]] == ["you", "own_players:first"] * 2
    assert done.out.endswith(
        "\nOOX\nOX.\nX.X\n\nyou: return 1\nown_players:first: return -1\nWinner: you\nSeed: 1\n"
    )


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("d4", "'d4' is none of the 9 options here: 'a1', "),
        ("", "'' is none of the 9 options"),
        (b"\xff\xfe", r"is none of the 9 options"),
        ("a\0b", "is none of the 9 options"),
        ("x" * 10**5, "x"),
    ],
    ids=["no cell", "nothing", "no text", "a zero", "a long line"],
)
def test_what_is_no_move_is_asked_again(run, typed, answer):
    data = typed.encode() if isinstance(typed, str) else typed
    done = oxo(run, typed=data + b"\n b2 \nq\n").checked()
    asked, told, rest = done.out.partition("9 legal moves:")[2].split("\n", 4)[2:5]
    assert asked.startswith("You to move")
    assert answer in told
    assert len(told) <= 300
    assert "\nyou: b2\n" in rest


def test_moves_that_the_game_reads_but_forbids_are_asked_again(run, monkeypatch):
    def read(model, text):
        return int(text)

    monkeypatch.setattr(TicTacToe, "string_to_action", read)
    done = oxo(run, typed="9\n4\nq\n").checked()
    assert "'9' is not legal here" in done.out
    assert "\nyou: b2\n" in done.out


@pytest.mark.parametrize("question", ["?", "help", " ? "])
def test_help_is_given(run, question):
    done = oxo(run, typed=f"{question}\nq\n")
    assert done.out.count("a1  b1  c1  a2  b2  c2  a3  b3  c3") == 2
    assert re.search(r"^q +leaves the game", done.out, re.MULTILINE)


@pytest.mark.parametrize("typed", ["", "b2\n", "b2\nq\n", "b2\nquit\nc1\n", "b2\nc1"], ids=repr)
def test_a_person_may_leave(run, folder, typed):
    done = oxo(run, "--out", "new/folder", typed=typed)
    assert (done.code, done.err) == (0, "")
    assert "The game was not finished.\nSeed: 1\n" in done.out
    assert "Winner" not in done.out
    cells = {"": ".........", "b2\nc1": "OOX.X...."}.get(typed, "O...X....")
    picture = folder / "new" / "folder" / "position.svg"
    assert picture.read_text(encoding="utf-8") == f"<svg>{cells} ×</svg>"


def test_moves_come_before_commands(run, monkeypatch):
    monkeypatch.setattr(
        Dice, "action_to_string", lambda model, action: {0: "q", 1: "?", 2: "2"}[action]
    )
    done = run("play", "--game", "dice", "me", "--seed", 1, typed="?\nq\n")
    assert re.search(r"^you: \?$", done.out, re.MULTILINE)
    assert re.search(r"^you: q$", done.out, re.MULTILINE) or "return 0\n" in done.out


def test_people_play_each_other(run):
    done = run("play", "--game", "oxo", "me", "me", typed="a1\nb1\na2\nb2\na3\n")
    assert "\nPerson 2 to move" in done.out
    assert "Winner: person 1\n" in done.out


def test_long_lists_of_moves_are_shortened(monkeypatch):
    monkeypatch.setenv("COLUMNS", "41")
    moves = [f"move {i:03}" for i in range(100)]
    lines = listed(moves, MAX_ROWS).splitlines()
    assert lines[0] == "100 legal moves:"
    assert lines[1] == "  ".join(moves[:4])
    assert lines[MAX_ROWS] == "  ".join(moves[4 * MAX_ROWS - 4 : 4 * MAX_ROWS])
    assert lines[MAX_ROWS + 1 :] == [f"and {100 - 4 * MAX_ROWS} more; ? lists all"]
    assert listed(moves).split() == " ".join(["100 legal moves:", *moves]).split()
    assert listed(["x" * 50]) == "1 legal move:\n" + "x" * 50


@pytest.mark.parametrize(
    ("error", "end", "told"),
    [
        (KeyboardInterrupt(), "130", "interrupted\n"),
        (MemoryError("set max_nodes"), "error: set max_nodes", ""),
        (MemoryError(), "error: MemoryError", ""),
    ],
    ids=repr,
)
def test_what_ends_a_program_while_commands_are_loaded_is_told_in_a_line(capsys, error, end, told):
    def failing():
        raise error

    with pytest.raises(SystemExit, match=f"^{end}$"):
        run_program(failing, "")
    assert capsys.readouterr().err == told


# --- Planners play ---


def told(ply: Ply, players: list[str]) -> str:
    """The line for a ply."""
    found = "" if ply.value is None else f"; value {ply.value:+.3f}"
    visits = "" if ply.visits is None else f", {ply.visits:,} visits"
    return f"{'chance' if ply.player < 0 else players[ply.player]}: {ply.move}{found}{visits}"


BY_SEED = "carcassonne(tiles=small, deterministic=True, num_players=1)"


@pytest.mark.parametrize(
    ("game", "players", "seed", "end"),
    [
        (ENDGAME, ["mcts(iterations=30)", "careful"], 3, ["Draw: all returns are equal"]),
        (ENDGAME, ["random", "careful"], 2, ["Winner: careful"]),
        ("dice", ["mcts(iterations=50)"], 5, []),
        ("own_players:game", ["mcts(iterations=50)"], 5, []),
        (BY_SEED, ["greedy"], 1, []),
        (BY_SEED, ["greedy"], 2, []),
    ],
)
def test_planners_play_the_game_of_the_arena(run, game, players, seed, end):
    done = run("play", "--game", game, *players, "--seed", seed)
    start = make_game("dice" if game == "own_players:game" else game, seed=seed)
    record = play_game(start, players, seed)
    told_plies = [told(ply, players) for ply in record.plies]
    values = zip(players, record.returns, strict=True)
    returns = [f"{name}: return {value:.4g}" for name, value in values]
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[: len(told_plies)] == told_plies
    assert lines[-len(returns) - len(end) - 2 :] == ["", *returns, *end, f"Seed: {seed}"]


def test_the_last_position_is_drawn(run, folder):
    done = run("play", "--game", "oxo", "random", "random", "--seed", 1, "--out", "made")
    start = make_game("oxo")
    for ply in play_game(start, ["random", "random"], 1).plies:
        start.apply_action(ply.action)
    paths = [Path("made") / f"position.{kind}" for kind in ("svg", "png")]
    assert paths[0].read_text(encoding="utf-8") == start._repr_svg_()
    assert paths[1].read_bytes().startswith(b"\x89PNG")
    assert done.out.endswith("".join(f"Picture: {path}\n" for path in paths))


# --- tournament ---


def test_a_tournament_leaves_a_table(run, folder):
    players = ["random", "mcts(iterations=5)", "own_players:first"]
    done = run("tournament", "--game", " oxo ", *players, "--out", "new/t", "--games", 2).checked()
    table = pd.read_csv("new/t/tournament.csv")
    assert (set(table["game"]), len(table)) == ({"oxo"}, 12)
    titles = re.findall(r"\n\n?(\S[^\n]*)\n +(?:player|seat_0|rank)", done.out)
    assert (titles[0], len(titles)) == ("Returns", 4)
    assert done.out.endswith(f"\n\nGames: {Path('new/t/tournament.csv')}\n")


def test_players_of_a_tournament_may_have_names(run):
    """The standings show the names; the table tells what they were, so a new meaning plays anew."""
    arguments = ["tournament", "--game", "oxo", "random", "--games", 1]
    first = run(*arguments, "deep=mcts(iterations=5)").checked()
    assert re.search(r"^ *deep ", first.out, re.MULTILINE)
    assert "mcts" not in first.out
    assert len(run(*arguments, "deep=mcts(iterations=6)").out) > 0
    table = pd.read_csv("results/tournament.csv")
    deep = {f"deep=mcts(iterations={count})" for count in (5, 6)}
    assert {*table["seat_0"]} == {"random", *deep}


def test_workers_make_the_same_table(run, folder):
    game = "own_players:game(dice=False)"
    arguments = ["tournament", "--game", game, "random", "own_players:first", "--games", 2]
    assert run(*arguments, "--out", "1").code == 0
    done = in_shell(*arguments, "--out", "2", "--jobs", 2, module="agents")
    assert done.returncode == 0, done.stderr
    keys = ["seat_0", "seat_1", "seed"]
    tables = [
        pd.read_csv(f"{name}/tournament.csv")
        .sort_values(keys, ignore_index=True)
        .drop(columns=["seconds", "checksum"])  # which covers the seconds
        for name in "12"
    ]
    pd.testing.assert_frame_equal(*tables)
