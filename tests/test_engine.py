"""Players that are programs: their games, what they may do wrong, our players as programs."""

from __future__ import annotations

import copy
import io
import json
import os
import pickle
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents.engine
from agents import make
from agents.agent import PlayerError
from agents.cli.options import player_of
from agents.engine import EngineError, ProcessAgent, serve
from agents.game import play_game
from agents.games import Hex
from carcassonne_env import CarcassonneModel
from carcassonne_env.position_data import from_data
from games import OfNumPy, TicTacToe
from waiting import soon

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="commands are split as in a shell")
EXAMPLE = Path(__file__).parents[1] / "examples" / "benchmark" / "engine.py"
LAST = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    print(line.rstrip(), file=open("requests", "a"))
    if request["type"] == "move":
        print(json.dumps({"action": request["actions"][-1]}), flush=True)
"""


def program(code: str, **options: Any) -> ProcessAgent:
    """A program in Python, which starts fast."""
    Path("program.py").write_text(f"import os\nopen('pid', 'w').write(str(os.getpid()))\n{code}")
    return ProcessAgent(f"'{sys.executable}' -S -E program.py", **options)


def game_seeds() -> list[int]:
    """The seeds that games of `LAST` have begun with."""
    requests = map(json.loads, Path("requests").read_text().splitlines())
    return [request["seed"] for request in requests if request["type"] == "game"]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def is_running() -> bool:
    """Whether the last program that `program` made runs."""
    try:
        os.kill(int(Path("pid").read_text()), 0)
    except OSError:
        return False
    return True


def last(model: Any) -> int:
    return int(model.legal_actions()[-1])


@pytest.mark.parametrize("seat", [0, 1])
def test_a_program_plays_like_the_function_that_it_is(seat):
    setup = CarcassonneModel(tiles="small", num_meeples=2)
    players = [[program(LAST), "random"], [last, "random"]]
    games = [play_game(setup, p if seat == 0 else p[::-1], seed=3) for p in players]
    assert [ply[:2] for ply in games[0].plies] == [ply[:2] for ply in games[1].plies]
    assert not is_running()


def test_numbers_of_a_game_may_be_those_of_numpy():
    records = [play_game(game, [program(LAST), "random"]) for game in (TicTacToe(), OfNumPy())]
    assert [ply[:2] for ply in records[0].plies] == [ply[:2] for ply in records[1].plies]


def test_a_program_is_told_all_that_happens():
    start = CarcassonneModel(tiles={"D": 1, "E": 2, "V": 2}, num_meeples=2)
    record = play_game(start, ["random", program(LAST, seconds=30, seed=1)], seed=3)
    game, *others = map(json.loads, Path("requests").read_text().splitlines())
    assert (game["type"], game["protocol"], game["num_players"], game["seat"]) == ("game", 1, 2, 1)
    model, seconds = from_data(game["position"]), 30.0
    told = record.plies[-sum(request["type"] == "action" for request in others) :]
    for request in others:
        if request["type"] == "action":
            ply = told.pop(0)
            assert (request["player"], request["action"], request["text"]) == (*ply[:2], ply.move)
            assert model.current_player() == ply.player
            model.apply_action(request["action"])
            assert (request["position"] is None) == model.is_terminal()
            assert request["position"] is None or from_data(request["position"]) == model
        elif request["type"] == "move":
            assert request["actions"] == model.legal_actions().tolist()
            assert request["texts"] == [*map(model.action_to_string, request["actions"])]
            assert 0 < request["seconds"] <= seconds
            seconds = request["seconds"]
    assert seconds < 30
    assert [request["type"] for request in others[-2:]] == ["end", "quit"]
    assert others[-2]["returns"] == list(record.returns)


@pytest.mark.parametrize("how", ["closed", "deleted"])
def test_a_new_position_is_a_new_game_and_programs_end_with_their_agents(how):
    agent = program(LAST)
    for model in (Hex(3), Hex(3), Hex(4)):
        assert agent.choose(model) == last(model)
    agent.advance(16)  # it is of another game
    assert agent.choose(model) == last(model)
    kinds = [json.loads(line)["type"] for line in Path("requests").read_text().splitlines()]
    assert kinds == ["game", "move", "move", "game", "move", "game", "move"]
    assert is_running()
    if how == "closed":
        agent.close()
    del agent
    assert not is_running()


def test_copies_have_programs_of_their_own():
    agent = program(LAST, seconds=9)
    agent.choose(Hex(3))
    for twin in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert repr(twin) == repr(agent)
        assert twin.choose(Hex(3)) == 8
        twin.close()
    assert agent.choose(Hex(3)) == 8
    agent.close()


ASKED = "import sys\nfor line in sys.stdin:\n    if '\"move\"' in line: "
SAID = ASKED + "print({!r}, flush=True)"


@pytest.mark.parametrize(
    ("code", "kind", "message"),
    [
        ("raise SystemExit(3)", "crash", "the program ended with code 3$"),
        ("raise OSError('no book')", "crash", "ended with code 1: .*'OSError: no book'$"),
        (ASKED + "sys.exit(0)", "crash", "ended with code 0$"),
        ("import time; time.sleep(600)", "timeout", "time is over"),
        ("import os; os.close(1); import time; time.sleep(600)", "crash", "ended with code None$"),
        # It may speak before it is asked or after: both are named.
        ("while True: print('thinking' * 99)", "bad answer", "(no answer like|spoke without)"),
        (ASKED + "sys.stdout.write('x' * 2 * 10**6)", "bad answer", "longer than 1000000 bytes"),
        (SAID.format("c3"), "bad answer", "no answer like .* 'c3'"),
        (SAID.format("{}"), "bad answer", "no answer like"),
        (SAID.format('{"action": true}'), "bad answer", "no answer like"),
        (SAID.format('{"action": 1.0}'), "bad answer", "no answer like"),
        (SAID.format("[" * 50_000), "bad answer", "no answer like"),
        (SAID.format('{"action": "\\u001b[2J"}'), "illegal action", r"'\\x1b\[2J' is no legal"),
        (SAID.format('{"action": 9}'), "illegal action", "9 is no legal action"),
        (SAID.format('{"move": "a9"}'), "illegal action", "'a9' is no legal action"),
        (SAID.format('{"error": "I resign"}'), "crash", "gives up: 'I resign'"),
    ],
)
def test_what_a_program_does_wrong_is_named(code, kind, message, monkeypatch):
    if "sleep" in code:  # it does not end by itself
        monkeypatch.setattr(agents.engine, "QUIT_SECONDS", 0.1)
    agent = program(code, seconds=0.5 if kind == "timeout" else 60)
    with pytest.raises(PlayerError, match=f"program.py.*{message}") as caught:
        agent.choose(Hex(3))
    assert caught.value.kind == kind
    assert pickle.loads(pickle.dumps(caught.value)).kind == kind
    assert not is_running()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no groups of processes")
def test_what_a_program_started_ends_with_it():
    sleep = "[sys.executable, '-c', 'import time; time.sleep(99)']"
    start = f"import subprocess, sys\nchild = subprocess.Popen({sleep})\n"
    agent = program(f"{start}open('pid', 'w').write(str(child.pid))\n{LAST}")
    play_game(Hex(2), [agent, "random"])
    assert soon(lambda: not is_running())  # the system takes a moment to remove it


TOO_MANY = LAST + "        print('{\"action\": 8}', flush=True)"


@pytest.mark.parametrize(
    ("code", "kind", "message"),
    [
        (TOO_MANY, "bad answer", "spoke without being asked"),
        (f"{LAST}        sys.exit(5)", "crash", "ended with code 5"),
    ],
)
def test_what_a_program_does_between_two_moves_is_not_taken_for_an_answer(code, kind, message):
    agent = program(code)
    assert agent.choose(Hex(3)) == 8
    assert soon(agent._program._answers.qsize)
    with pytest.raises(EngineError, match=message) as caught:
        agent.choose(Hex(3))
    assert caught.value.kind == kind


def test_a_program_that_cannot_be_started_is_named():
    with pytest.raises(EngineError, match=r"'\./missing' cannot be started") as caught:
        ProcessAgent("./missing").choose(Hex(3))
    assert caught.value.kind == "crash"


def test_the_clock_runs_through_the_game():
    slow = LAST.replace("        print(", "        import time; time.sleep(0.05)\n        print(")
    play_game(Hex(3), [program(slow, seconds=30.0), "random"])
    requests = map(json.loads, Path("requests").read_text().splitlines())
    left = [request["seconds"] for request in requests if request["type"] == "move"]
    assert (left[0], len(left) > 2) == (30, True)
    assert all(before - after >= 0.05 for before, after in pairwise(left))


@pytest.mark.parametrize("seconds", [1e300, np.int64(30), np.float32(30)])
def test_the_time_may_be_any_number_also_one_that_threads_cannot_wait(seconds):
    assert program(LAST, seconds=seconds).choose(Hex(3)) == last(Hex(3))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"command": ""}, ValueError, "command must name a program, got ''"),
        ({"command": "'a"}, ValueError, 'command must .*, got "\'a": No closing quotation'),
        ({"command": 3}, TypeError, "command must be text, got 3"),
        ({"command": "a", "seconds": 0}, ValueError, "seconds must be"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        ProcessAgent(**arguments)


@pytest.mark.parametrize(
    ("text", "command", "seconds"),
    [
        ("process(./engine)", "./engine", 60),
        ("process(python -u engine.py --depth=3, seconds=5)", "python -u engine.py --depth=3", 5),
        (" process( command=./a b)", "./a b", 60),
    ],
)
def test_command_lines_name_programs_and_files_do_not(text, command, seconds):
    """Whoever opens a saved game must not start what it names."""
    agent = player_of(text)
    assert (agent.words, agent.seconds) == (command.split(), seconds)
    with pytest.raises(ValueError, match="agent must be a known name"):
        make(f"process(command={command})")


def test_the_example_plays():
    agent = ProcessAgent(f"'{sys.executable}' -S '{EXAMPLE}'", seconds=60)
    record = play_game(CarcassonneModel(tiles="small", num_meeples=2), ["random", agent], seed=1)
    targets = [
        ply.move.split()[2] for ply in record.plies if ply.player == 1 and ply.move.count(" ") > 2
    ]
    assert targets
    assert "farm" not in targets


# Our players as programs


def test_our_players_are_programs():
    model = CarcassonneModel(tiles="small", num_meeples=2)
    agent = ProcessAgent(
        f"'{sys.executable}' -m carcassonne_env engine 'mcts(iterations=20)'", seed=4
    )
    served = play_game(model, [agent, last], seed=5)
    own = make("mcts(iterations=20)", seed=copy.deepcopy(agent.rng).below(2**31))
    here = play_game(model, [own, last], seed=5)
    assert [ply[:2] for ply in served.plies] == [ply[:2] for ply in here.plies]


def test_the_server_ends_when_it_is_told():
    answers = io.StringIO()
    requests = ['{"type": "quit"}', '{"type": "nonsense"}']
    serve(lambda seed: make("random", seed=seed), from_data, requests, answers)
    assert answers.getvalue() == ""


@pytest.mark.parametrize(
    "line", ["x", "[]", "{}", "[" * 99_999, '{"type": "game"}', '{"type": "move"}']
)
def test_requests_that_are_none_are_named(line):
    with pytest.raises(ValueError, match="request 1 cannot be served"):
        serve(lambda seed: make("random", seed=seed), from_data, [line], io.StringIO())
