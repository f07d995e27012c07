"""Saved games, and the pages on which they are shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.game import play_game
from browser import shown
from carcassonne_env.game_setup import Setup
from carcassonne_env.replaying import SavedGame, order_of, replay

HOSTILE = "<script>alert('1')</script>"


def game_of(name: str = "2p-3m-small-s", players: tuple[str, ...] = ("a", "b")) -> SavedGame:
    setup = Setup.named(name)
    record = play_game(setup, ["greedy"] * setup.num_players, 3)
    actions = [ply.action for ply in record.plies]
    return SavedGame(setup, players, actions, order_of(setup(3)))


# --- Saved games ---


@pytest.mark.parametrize("name", ["2p-3m-small-s", "2p-3m-small-d", "2p-7m-base-s"])
def test_a_game_is_read_back(name: str, tmp_path: Path) -> None:
    game = game_of(name, ("Zoë", "\ud800"))
    game.save(tmp_path / "game.json")
    again = SavedGame.load(tmp_path / "game.json")
    assert again == game
    assert again.setup.name == name
    positions = list(again.positions())
    assert len(positions) == len(game.actions) + 1
    assert positions[0] == Setup.named(name)(3)
    assert positions[-1].is_terminal()
    assert positions[-1].scores == game.scores
    assert max(game.scores) > 0


def test_unfinished_games_are_games() -> None:
    game = game_of()
    for count in (0, 1, 2, 9):
        part = SavedGame(game.setup, game.players, game.actions[:count])
        assert SavedGame.from_json(part.to_json()) == part


def test_positions_are_copies() -> None:
    positions = list(game_of().positions())
    assert [len(model.board) for model in positions[:3]] == [1, 1, 2]


Change = Callable[[dict[str, Any]], Any]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: file.pop("version"), "the file must have the member 'version'"),
        (
            lambda file: file.update(format="chess"),
            "format must be 'carcassonne-game', got 'chess'",
        ),
        (lambda file: file.update(version=2), "version must be 1, got 2"),
        (lambda file: file.update(version=True), "version must be 1, got True"),
        (lambda file: file.update(setup=1), "setup must be a JSON object, got 1"),
        (lambda file: file["setup"].update(name="6p-3m-small-s"), "like '2p-7m-base-s', got '6p"),
        (lambda file: file["setup"].update(name=None), "setup's name must be a text, got None"),
        (lambda file: file["setup"].update(name="1p-3m-small-s"), "players must be 1 names, got 2"),
        (lambda file: file["setup"].update(order="AB"), "order must be None in the setup"),
        (lambda file: file["setup"].update(name="2p-3m-small-d"), "order must be the letters"),
        (lambda file: file.update(players="ab"), "players must be a list, got 'ab'"),
        (lambda file: file.update(players=["a", 1]), "players must be names, each a text"),
        (lambda file: file.update(actions=None), "actions must be a list, got None"),
        (lambda file: file["actions"].__setitem__(7, -1), r"actions\[7\] must be a legal action"),
        (lambda file: file["actions"].__setitem__(7, 10**99), r"actions\[7\] must be a legal"),
        (
            lambda file: file["actions"].__setitem__(0, True),
            r"actions\[0\] must be a possible draw",
        ),
        (lambda file: file["actions"].__setitem__(3, 1.5), r"actions\[3\] must be .* got 1\.5"),
        (lambda file: file["actions"].append(0), "actions must end with the game"),
        (lambda file: file.update(scores=[1, 2]), r"scores must be \[\d+, \d+\].*got \[1, 2\]"),
    ],
)
def test_files_that_hold_no_game_are_refused(change: Change, message: str, tmp_path: Path) -> None:
    file = json.loads(game_of().to_json())
    change(file)
    path = tmp_path / "game.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"game\.json is not a saved game: .*{message}"):
        SavedGame.load(path)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b"9" * 9999])
def test_files_that_hold_no_json_object_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="is not a saved game"):
        SavedGame.load(path)


# --- Replays ---


def data_of(page: str) -> Any:
    """What the script of a page reads."""
    return json.loads(re.search(r'id="data">(.*)</script>', page)[1])


@pytest.mark.parametrize("name", ["2p-3m-small-s", "2p-3m-small-d"])
def test_a_replay_has_every_move(name: str) -> None:
    game = game_of(name)
    page = replay(game).to_html()
    steps = data_of(page)["steps"]
    models = [model for model in game.positions() if not model.is_chance_node()]
    assert [step["scores"] for step in steps] == [list(model.scores) for model in models]
    assert [step["tile"] for step in steps] == [model.current_tile for model in models]
    assert [step.get("player") for step in steps[:4]] == [None, 0, 1, 0]
    assert steps[-1]["expected"] == steps[-1]["scores"]
    assert steps[3]["cell"] == list(models[3].board[-1][1:3])


def test_tiles_and_meeples_are_on_the_board_while_they_are_in_the_game() -> None:
    game = game_of("2p-7m-base-s")
    page = replay(game).to_html()
    spans = re.findall(r'<g data-begin="(\d+)"(?: data-end="(\d+)")?><use xlink:href="#(\w+)', page)
    models = [model for model in game.positions() if not model.is_chance_node()]
    for move, model in enumerate(models):
        there = [
            symbol for begin, end, symbol in spans if int(begin) <= move < int(end or len(models))
        ]
        assert there.count("tile") == len(model.board)
        assert len(there) - there.count("tile") == len(model.placed_meeples)


def test_a_replay_stands_alone() -> None:
    page = replay(game_of("2p-7m-base-s")).to_html()
    assert len(page.encode()) < 150_000
    assert not re.search(r"""(?:src|href)=["'](?!#)|@import|url\((?!#)""", page)
    assert set(re.findall(r"https?://[^\"' ]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_names_are_escaped(tmp_path: Path) -> None:
    game = game_of(players=(HOSTILE, "</script><!--"))
    page = replay(game).to_html(tmp_path / "replay.html")
    assert (tmp_path / "replay.html").read_text(encoding="utf-8") == page
    assert page.count("<script") == page.count("</script>") == 2
    assert "<!--" not in page
    assert data_of(page)["players"] == [HOSTILE, "</script><!--"]
    frame = replay(game)._repr_html_()
    assert frame.count("<") == 2
    assert 'sandbox="allow-scripts"' in frame


def test_replays_are_equal() -> None:
    game = game_of()
    assert replay(game).to_html() == replay(game).to_html()


def test_games_without_a_move_are_shown() -> None:
    for name in ("1p-3m-small-s", "1p-3m-small-d"):
        setup = Setup.named(name)
        game = SavedGame(setup, ["a"], [], order_of(setup(3)))
        assert len(data_of(replay(game).to_html())["steps"]) == 1


@pytest.mark.slow
def test_a_browser_shows_the_last_position(tmp_path: Path) -> None:
    game = game_of(players=(HOSTILE, "b"))
    page = replay(game).to_html().replace("\nshow(0);", "\nshow(last);")
    elements = shown(page, tmp_path)
    scores = re.findall(r"</span>.*?</td><td>(\d+)</td>", elements)
    assert scores == [str(score) for score in game.scores]
    assert "&lt;script&gt;alert" in elements


# --- Commands ---


def test_a_game_is_saved_and_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("textual")
    pytest.importorskip("typer")
    from carcassonne_env.cli.main import main
    from commands import assert_refused, run_here

    monkeypatch.chdir(tmp_path)
    options = ["--tiles", "small", "--meeples", 3, "--seed", 3]
    for more in ([], ["--known-order"]):
        done = run_here(
            main, ("play", "greedy", "greedy", *options, *more, "--save", "new/game.json")
        )
        assert done.code == 0, done.err
        assert "Game: " in done.out
        name = f"2p-3m-small-{'d' if more else 's'}"
        assert SavedGame.load("new/game.json") == game_of(name, ("greedy", "greedy"))
        done = run_here(main, ("replay", "new/game.json", "--out", "page.html"))
        assert (done.code, done.out) == (0, "Page: page.html\n")
        assert data_of(Path("page.html").read_text(encoding="utf-8"))["players"] == ["greedy"] * 2
    Path("bad.json").write_text("{}", encoding="utf-8")
    assert_refused(run_here(main, ("replay", "bad.json")), "bad.json is not a saved game")


def test_a_session_is_a_saved_game() -> None:
    from agents import Rng, make
    from carcassonne_env.play.session import Session

    setup = Setup.named("2p-3m-small-s")
    session = Session(setup(0), [make("greedy", seed=0)] * 2, ["a", "b"], Rng(1))
    while not session.is_over:
        session.apply(session.draw() if session.agent_to_move is None else session.decide())
    game = SavedGame(setup, session.names, session.actions, order_of(session.start))
    assert game.scores == session.model.scores
