"""JCloisterZone: its saved games, and a seat in its games; host and engine are stubs."""

from __future__ import annotations

import copy
import json
import os
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stub_engine
from agents import make
from agents.engine import EngineError
from agents.game import play_game
from carcassonne_env import CarcassonneModel
from carcassonne_env.cli.main import main
from carcassonne_env.game_setup import Setup
from carcassonne_env.jcloisterzone import client, engine, host, messages
from carcassonne_env.position import Move
from carcassonne_env.replaying import SavedGame
from carcassonne_env.tiles import BASE_SET, BY_LETTER, turned
from commands import Done, assert_refused, run_here
from jcloisterzone import SETUP, Host, file_of, placing
from waiting import soon

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stub needs a shell")
STUB = Path(stub_engine.__file__)
DISCARDING = 16
"""The seed of a game in which a tile fits nowhere."""


# --- Tiles, places and saved games ---


def test_each_tile_is_theirs_after_some_turns():
    assert messages.TILES.keys() == stub_engine.TILES.keys()
    counts = {messages.TILES[tile][0]: n for tile, (n, _) in stub_engine.TILES.items()}
    assert counts == BASE_SET
    for tile, (letter, turns) in messages.TILES.items():
        segments = BY_LETTER[letter].segments
        ours = {(s.kind, frozenset(turned(end, turns) for end in s.ends)) for s in segments}
        theirs = {(kind, *ends) for kind, *ends in stub_engine.targets(tile, 0)}
        assert {(kind, ends) if ends else (kind,) for kind, ends in ours} == theirs
        assert any(s.shields for s in segments) == ("+" in tile)


@pytest.mark.parametrize(
    ("feature", "location", "target"),
    [
        ("City", "N", ("city", frozenset("N"))),
        ("City", "_S", ("city", frozenset("NEW"))),
        ("City", "NWSE", ("city", frozenset("NESW"))),
        ("Road", "WE", ("road", frozenset("WE"))),
        ("Field", "NL.WR", ("farm", frozenset(("NL", "WR")))),
        ("Monastery", "I", ("cloister",)),
    ],
)
def test_places_have_their_names(feature, location, target):
    place = {"position": [3, -2], "feature": feature, "location": location}
    assert messages.place_of(place) == (3, 2, target)


def test_a_saved_game_is_read(tmp_path):
    """A city of two tiles and a road, both complete; the last turn is not."""
    path = tmp_path / "game.jcz"
    replay = [
        *placing("BA/C", 180, 0, -1, "City", "S"),
        *placing("BA/LR", 90, 1, 0, "Monastery", "I"),
        *placing("BA/RRR", 270, -1, 0, "Road", "E"),
        {"type": "PLACE_TILE", "payload": placing("BA/C", 0, 1, -1)[0]["payload"]},
    ]
    path.write_text(json.dumps(file_of(replay)))
    game = messages.load(path)
    assert (game.players, game.setup, game.scores) == (("Ann", "Bob"), Setup(), (7, 0))
    moves = [(model.current_tile, model.decode_action(action)) for model, action in game.moves()]
    assert moves == [
        ("E", Move(0, 1, 2, ("city", frozenset("S")))),
        ("A", Move(1, 0, 1, ("cloister",))),
        ("W", Move(-1, 0, 3, ("road", frozenset("E")))),
    ]
    done = run_here(
        main, ("replay", path, "--out", tmp_path / "page.html", "--analyse", "greedy")
    ).checked()
    assert "Ann" in done.out
    assert "Bob" in (tmp_path / "page.html").read_text(encoding="utf-8")


def changed(**values: Any) -> dict[str, Any]:
    setup = copy.deepcopy(SETUP)
    for name, value in values.items():
        setup[name] = {**setup[name], **value} if isinstance(value, dict) else value
    return setup


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        (changed(sets={"inns-and-cathedrals:1": 1}), "the tile set 'inns-and-cathedrals:1'"),
        (changed(elements={"abbot": 1, "garden": True}), "the element 'abbot', the element 'gard"),
        (changed(rules={"tiny-city-scoring": "2"}), "the rule 'tiny-city-scoring' with the .* '2'"),
        (changed(elements={"farmers": False}), "tile and farmers, got .*'farmers': False"),
        (changed(sets={"basic:1": 2}), "with its 72 tiles, .* got sets {'basic:1': 2}"),
        (changed(start=[]), r"its start tile and farmers, got .* start \[\]"),
        (changed(elements={"small-follower": "x"}), "must be a number of meeples, got 'x'"),
        (changed(sets=3), "sets must be a JSON object, got 3"),
        ({}, "setup must have the member 'sets'"),
    ],
)
def test_other_games_are_refused_by_name(setup, message, tmp_path):
    (tmp_path / "game.jcz").write_text(json.dumps(file_of([], setup=setup)))
    assert_refused(run_here(main, ("replay", tmp_path / "game.jcz")), message)


@pytest.mark.parametrize(
    ("replay", "message"),
    [
        ([{"type": "FLOCK_EXPAND_OR_SCORE", "payload": {}}], "message 0 must be one of the base"),
        (placing("IC/C", 0, 0, 1), "message 0 must be .* 'IC/C'"),
        (placing("BA/C", 180, 0, -1, "City", "N"), "message 1 must be .* got .*'N'"),
        (placing("BA/C", 180, 0, -1, "Tower", "I"), "message 1 must be"),
        ([*placing("BA/C", 180, 0, -1)[1:]], "message 0 must be"),
        ([3], "message 0 must be .* got 3"),
        (placing("BA/C", 0, 0, -1), "turn 1 must be legal, got the tile E"),
        (placing("BA/C", 180, 0, -0.5), "turn 1 must be legal, .* y must be an integer, got 0.5"),
        (placing("BA/C", 225, 0, -1), "message 0 must be .* 'R225'"),
        (placing("BA/RRRR", 0, 1, 0) + placing("BA/RRRR", 0, 2, 0), "turn 2 must be legal, .* X"),
    ],
)
def test_a_broken_game_is_refused(replay, message):
    with pytest.raises(ValueError, match=message):
        messages.from_json(json.dumps(file_of(replay)))


@pytest.mark.parametrize(
    "text", ["[", "[]", "{}", "[" * 100_000, json.dumps(file_of([], players=3))]
)
def test_a_file_that_holds_no_game_is_refused(text):
    with pytest.raises(ValueError, match=r"must be|must have|nested|Expecting"):
        messages.from_json(text)


def saved_by_them(game: SavedGame) -> dict[str, Any]:
    """A game in the form of their files, in which the draws are not written."""
    replay: list[dict[str, Any]] = []
    for model, action in game.moves():
        move = model.decode_action(action)
        degrees = stub_engine.degrees_of(model.current_tile, move.rotation)[-1]
        place = stub_engine.pointer(move) if move.target else {}
        names = [place[name] for name in ("feature", "location") if place]
        tile = stub_engine.IDS[model.current_tile]
        replay += placing(tile, degrees, move.x, -move.y, *names)
    return file_of(replay)


@pytest.mark.parametrize("seed", [1, 2, DISCARDING])
def test_a_whole_game_keeps_its_moves_and_scores(seed):
    """Also with tiles that fitted nowhere, which a file does not name."""
    record = play_game(Setup(), ["random", "greedy"], seed)
    game = SavedGame.of(Setup(), ("Ann", "Bob"), [ply.action for ply in record.plies], seed)
    assert len(game.moves()) == (70 if seed == DISCARDING else 71)
    again = messages.saved_game(saved_by_them(game))
    assert again.scores == game.scores
    assert [action for _, action in again.moves()] == [action for _, action in game.moves()]
    *_, end = again.positions()
    assert end.is_terminal()


def test_a_tile_that_always_fitted_was_not_discarded():
    with pytest.raises(ValueError, match="the tiles E were discarded, but they always fitted"):
        messages.play(CarcassonneModel(), messages.turns_of(placing("BA/C", 180, 0, -1)), ["E"])


# --- A seat ---


@pytest.fixture
def jar(tmp_path) -> Path:
    """The stub as an engine with its tiles; `java` runs it."""
    (tmp_path / "expansions").mkdir()
    (tmp_path / "expansions" / "basic.xml").touch()
    java = tmp_path / "java"
    java.write_text(f'#!/bin/sh\nshift\nexec {sys.executable} "$@"\n')
    java.chmod(0o755)
    version = f"print({stub_engine.VERSION!r})"
    runs = f"runpy.run_path({str(STUB)!r}, run_name='__main__')"
    (tmp_path / "Engine.jar").write_text(
        f"import runpy, sys\n{version} if '--version' in sys.argv else {runs}"
    )
    return tmp_path / "Engine.jar"


@pytest.fixture
def hosted(monkeypatch) -> Iterator[Host]:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(STUB.parent), *sys.path]))
    table = Host()
    yield table
    table.close()


class Joined(threading.Thread):
    """A player that joins; it has a result or an error in the end."""

    def __init__(self, table: Host, jar: Path, name: str, player: str = "greedy") -> None:
        super().__init__(daemon=True)
        self.told: list[str] = []
        self.result: Any = None
        program = engine.Engine(jar, str(jar.parent / "java"))
        self._given = table.address, program, make(player, seed=1)
        self._options: Any = {"name": name, "tell": self.told.append}
        self.start()

    def run(self) -> None:
        try:
            self.result = client.join(*self._given, **self._options)
        except (OSError, ValueError) as error:
            self.result = error

    def seated(self) -> Joined:
        """The player, who has a slot."""
        assert soon(lambda: self.told or self.result)
        assert self.told, self.result
        return self

    def ended(self) -> Any:
        """The result, or the error."""
        self.join(60)
        assert not self.is_alive()
        return self.result


def joined(address: str, jar: Path, *options: object) -> Done:
    """How the command ended that takes a seat."""
    given = ("--engine", jar, "--java", jar.parent / "java", "--player", "greedy")
    return run_here(main, ("join", address, *given, *options))


def test_two_players_play_to_the_end(hosted, jar):
    ann = Joined(hosted, jar, "Ann", "random").seated()
    bob = Joined(hosted, jar, "Bob").seated()
    hosted.start(seating={"0": 2, "1": 1})
    result = ann.ended()
    assert result == bob.ended()
    game = messages.from_json(hosted.saved())
    assert result == list(zip(game.players, game.scores, strict=True))
    assert game.players == ("Bob", "Ann")
    assert game.scores[0] > game.scores[1] > 0
    *_, end = game.positions()
    assert end.is_terminal()
    assert ann.told[0] == "Ann has slot 0 and waits for the start"
    assert len(ann.told) + len(bob.told) == 2 + len(game.moves())
    assert soon(lambda: hosted.num_taken == 0)


def test_after_an_interruption_the_game_goes_on(hosted, jar):
    """In the middle of a turn, after the placement of a tile."""
    hosted.stop_at = 10
    first = [Joined(hosted, jar, name).seated() for name in ("Ann", "Bob")]
    hosted.start()
    for player in first:
        assert isinstance(player.ended(), ConnectionError)
        assert "is lost" in str(player.result)
        assert "the same command goes on" in str(player.result)
    assert hosted.replay[-1]["type"] == "PLACE_TILE"
    hosted.stop_at = 30
    for player in [Joined(hosted, jar, name) for name in ("Ann", "Bob")]:
        assert isinstance(player.ended(), ConnectionError)
    assert len(hosted.replay) == 30
    assert hosted.replay[10]["type"] == "DEPLOY_MEEPLE"
    assert len(messages.from_json(hosted.saved()).moves()) == 10


def test_a_person_may_take_a_placement_back(hosted, jar):
    hosted.slots[0].update(sessionId="person", clientId="person", name="Eve", order=1)
    bot = Joined(hosted, jar, "Bob").seated()
    hosted.start()
    position = stub_engine.Game({**SETUP, "players": 2, "initialRandom": 0.25})
    (asked,) = position.items()
    for option in asked["options"][:2]:
        placement = {"tileId": asked["tileId"], "position": option["position"]}
        hosted.say("PLACE_TILE", {**placement, "rotation": f"R{option['rotations'][0]}"}, 0)
        hosted.say("UNDO", {}, 0)
    hosted.say("PLACE_TILE", {**placement, "rotation": f"R{option['rotations'][0]}"}, 0)
    hosted.say("PASS", {}, 0)
    hosted.say("COMMIT", {"random": 0.5}, 0)
    assert soon(lambda: len(hosted.replay) == 6)
    hosted.close()
    assert isinstance(bot.ended(), ConnectionError)
    (first, _), (second, _) = messages.from_json(hosted.saved()).moves()
    assert len(second.board) == len(first.board) + 1 == 2
    assert [message["player"] for message in hosted.replay] == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("mute", "the engine failed at .*: the program's time is over"),
        ("crash", "the engine failed at .*: the program ended with code 1: 'out of memory'"),
        ("garbage", "the engine answered no JSON: .*Exception in thread"),
        ("points", r"must be scored as the base game: the points are \(1,\), and .* \(0,\)"),
    ],
)
def test_an_engine_that_fails_ends_the_game(how, message, hosted, jar, monkeypatch):
    monkeypatch.setenv("STUB", how)
    player = Joined(hosted, jar, "Ann").seated()
    if how == "mute":
        monkeypatch.setattr(engine, "ENGINE_SECONDS", 1.0)
    hosted.start()
    error = player.ended()
    assert isinstance(error, ValueError)
    with pytest.raises(ValueError, match=message):
        raise error
    assert soon(lambda: hosted.num_taken == 0)


def test_a_game_with_expansions_is_refused_before_a_slot_is_taken(hosted, jar):
    hosted.setup = changed(elements={"dragon": 1})
    assert_refused(joined(hosted.address, jar), "the element 'dragon'")
    assert [message["type"] for message in hosted.received] == ["HELLO"]


def test_a_planner_that_does_not_fit_takes_no_seat(hosted, jar):
    done = joined(hosted.address, jar, "--player", "expectimax(heuristic=x)")
    assert_refused(done, "heuristic must be .* got 'x'")
    assert hosted.received == []


def test_what_the_host_refuses_is_told(hosted, jar):
    taken = {"sessionId": "another", "clientId": "another", "name": "Eve", "order": 1}
    hosted.slots[2].update(taken)
    done = joined(hosted.address, jar, "--slot", 2)
    assert_refused(done, r"the host refuses: Slot is occupied \(slot-occupied\)")
    done = joined(hosted.address, jar, "--protocol", "6.0.0")
    assert_refused(done, r"the host refuses: Incompatible versions \(bad-version\)")
    for slot in hosted.slots:
        slot.update(taken)
    assert_refused(joined(hosted.address, jar), "a free slot and fewer than 5 players")
    hosted.is_started = True
    assert_refused(joined(hosted.address, jar), "Game is already started")


def test_a_host_that_does_not_speak_as_they_do_is_given_up(hosted, jar, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as mute, monkeypatch.context() as patch:
        patch.setattr(host, "CONNECT_SECONDS", 0.2)
        address = f"127.0.0.1:{mute.getsockname()[1]}"
        words = f"no JCloisterZone hosts a game at ws://{address}: timed out"
        assert_refused(joined(address, jar), words)
    with monkeypatch.context() as patch:
        patch.setattr(client, "REPLY_SECONDS", 0.2)
        hosted._handle = lambda *_: None
        assert_refused(joined(hosted.address, jar), "did not answer in 0.2 s")
    for answer, message in (
        ('{"type": "WELCOME", "payload": {}}', "must have the member 'sessionId'"),
        ("[]", r"the host sent no message: .*must be a JSON object, got '\[\]'"),
        ("?", "the host sent no message: Expecting value"),
    ):
        hosted._handle = lambda client, _, answer=answer: client.send(answer)
        assert_refused(joined(hosted.address, jar), message)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", "no JCloisterZone hosts a game at ws://127.0.0.1:1: .*refused"),
        ("127.0.0.1:x", "address must be like 192.168.1.7:37447, got '127.0.0.1:x'"),
        ("a/b", "address must be like 192.168.1.7:37447, got 'a/b'"),
        ("", "address must be like 192.168.1.7:37447, got ''"),
    ],
)
def test_addresses_without_a_host_are_refused(address, message, jar):
    assert_refused(joined(address, jar), message)


def test_an_engine_must_be_there(hosted, jar):
    done = joined(hosted.address, jar, "--engine", jar.parent / "none.jar")
    assert_refused(done, r"the engine .*none\.jar does not exist")
    done = joined(hosted.address, jar, "--java", jar.parent / "none")
    assert_refused(done, "needs Java, which cannot be started: .*none")
    (jar.parent / "expansions" / "basic.xml").unlink()
    assert_refused(joined(hosted.address, jar), "needs the folder 'expansions'")
    jar.write_text("raise SystemExit('broken')")
    with pytest.raises(FileNotFoundError):
        engine.Engine(jar)
    (jar.parent / "expansions" / "basic.xml").touch()
    with pytest.raises(EngineError, match=r"no version from .*Engine\.jar --version: broken"):
        engine.Engine(jar, str(jar.parent / "java")).version()
