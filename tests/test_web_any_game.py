"""The page of any game, without a browser: what it shows of each game, and what it refuses."""

from __future__ import annotations

import json
import re
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

import agents.catalogue
import agents.cli.web
import agents.web.analysis
import agents.web.server
import agents.web.table
from agents import AGENTS, MCTS
from agents.catalogue import add_game, make_game
from agents.playing.analysis import Judged, MoveLoss
from agents.playing.game_file import PlayedGame
from agents.rng import Rng
from agents.web import any_game, site as served
from agents.web.any_game import LEVELS, picture_of, places_of, players_for
from agents.web.messages import written
from agents.web.table import table_of
from commands import run_here
from games import OfNumPy
from strangers import installed
from web_pages import TOKEN, client_of, opened

TWO = ("reversi", "reversi(plus=True)", "hex(size=4, swap=True)", "dodgem", "tactics(max_turns=6)")
GAMES = (*TWO, "fop(function=f3)", "carcassonne(num_players=3, tiles=small)")
PICTURES = GAMES[:-2] + GAMES[-1:]


def seats_of(game: str, *first: str) -> list[str]:
    count = make_game(game, seed=0).num_players
    return [*first, *["random"] * count][:count]


@pytest.fixture(scope="module")
def client():
    with client_of(served.Site("reversi")) as made:
        yield made


@pytest.fixture
def page(client):
    with opened(client) as made:
        yield made


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_played_to_its_end_and_saved(client, page, game):
    state = page.start(*seats_of(game, "me"), game=game)
    moves = 0
    while not state["view"]["is_over"]:
        state = page.moved(state, moves * 7)
        moves += 1
    view = state["view"]
    assert view["ply"] == len(view["record"]) >= moves > 0
    assert {view["seats"][player]["name"] for player, _ in view["record"]} <= {
        seat["name"] for seat in view["seats"]
    }
    saved = PlayedGame.from_json(client.get(f"/{TOKEN}/games/{state['game']}.json").text)
    *_, last = saved.positions()
    assert last.is_terminal()
    returns = view["returns"]
    if not game.startswith("fop"):  # whose returns are drawn at random
        assert returns == last.returns().tolist()
    assert len(returns) == last.num_players
    assert page.shown("look", ply=1)["view"]["record"] == view["record"]


def test_a_game_is_analysed_and_a_mistake_is_tried_again(page, monkeypatch):
    """White, who must answer a1 by a2, played b1."""

    def analysed(count: int) -> Any:
        while (told := page.next("analysis"))["is_running"] or len(told["losses"]) < count:
            pass
        return told["losses"]

    game = PlayedGame("hex(size=2)", 0, ["you", "random"], [0, 1, 2])
    name = page.turn("load", text=game.to_json())["game"]
    page.send("analyse", level="beginner")
    numbers, lost, better = zip(
        *[
            (loss["number"], loss["points"] > 0.5, loss["better"] and loss["better"]["words"])
            for loss in analysed(3)
        ],
        strict=True,
    )
    assert (numbers, lost, better) == ((1, 2, 3), (False, True, False), (None, "a2", None))
    assert "a game is analysed by one of beginner" in page.refused("analyse", level="expert")
    with monkeypatch.context() as patch:  # a place may take 10 ms, and losses are told each time
        patch.delattr(agents.web.table, "places_of")
        page.send("analyse", level=None)
        assert page.next("analysis", "error")["losses"][1]["better"]["words"] == "a2"
    again = page.turn("retry", game=name, ply=1, mistakes=[1, 2], solved=[2], shown=[1])
    practice = page.next("analysis")["practice"]
    results = [practice[name] for name in ("mistakes", "solved", "later", "shown", "tries")]
    assert results == [[1, 2], [2], [], [1], 0]
    assert [practice["lost"][key]["words"] for key in ("played", "better")] == ["b1", "a2"]
    assert [seat["name"] for seat in again["view"]["seats"]] == ["you", "random (you)"]
    page.send("play", ply=1, action=2)
    assert [loss["better"] for loss in analysed(2)] == [None, None]
    page.turn("undo")
    page.send("play", ply=1, action=2)
    while page.next("analysis")["practice"]["tries"] < 2:
        pass


def test_numbers_of_a_game_may_be_those_of_numpy(monkeypatch):
    monkeypatch.setattr(agents.catalogue, "_added", {})
    add_game("games:OfNumPy", OfNumPy)
    with client_of(served.Site("games:OfNumPy")) as client, opened(client) as page:
        page.start("me", "me", game="games:OfNumPy")
        page.turn("resign")
        (summary,) = client.get(f"/{TOKEN}/results.json").json()
        assert (summary["is_over"], summary["resigned"]) == (True, 0)
        state = page.start("mcts(iterations=20)", "me", game="games:OfNumPy")
        while not state["view"]["is_over"]:
            state = page.moved(state)
        saved = PlayedGame.from_json(client.get(f"/{TOKEN}/games/{state['game']}.json").text)
    assert [player for player, *_ in state["view"]["record"][:2]] == [0, 1]
    assert len(saved.actions) == state["view"]["ply"]


@pytest.mark.parametrize(
    ("best", "error", "better"),
    [
        (0.95, 0.1, None),  # the game is still won
        (0.5, 0.1, "c3"),
        (0.5, 0.6, None),  # the loss may be noise
        (-0.95, 0.1, None),  # the game was lost before
        (0.5, float("nan"), "c3"),
    ],
)
def test_a_move_is_no_mistake_if_it_decides_nothing_or_the_loss_is_noise(best, error, better):
    """Black, who has the middle, wins by any move."""
    table = table_of("hex(size=3)", 0, [None] * 2, ["a", "b"], [4, 0])
    model = table.position
    actions = model.legal_actions()
    result = SimpleNamespace(actions=actions, values=[best] * len(actions))
    loss = MoveLoss(3, 0, 2, 8, 0.4, error)
    lost = table.lost(Judged(model, loss, result), MCTS(2000, c=1.4, seed=0).search)
    assert (lost.better and lost.better.words, lost.played.words) == (better, "c1")


def test_the_search_after_a_move_that_may_win_hears_stop(page, monkeypatch):
    game = PlayedGame("hex(size=3)", 0, ["a", "b"], [4, 0, 2])
    model, _ = game.moves()[2]
    actions = model.legal_actions()
    result = SimpleNamespace(actions=actions, values=[0.95] * len(actions))
    judged = Judged(model, MoveLoss(3, 0, 2, 8, 0.4, 0.1), result)
    begun, ended, decided = Event(), Event(), agents.web.table.is_decided

    def noting(*given):
        begun.set()
        decided(*given)
        ended.set()

    monkeypatch.setattr(agents.web.table, "is_decided", noting)
    monkeypatch.setattr(agents.web.analysis, "judge_game", lambda *_, **__: iter([judged]))
    monkeypatch.setitem(any_game.JUDGES, "strong", "mcts(time_limit=50, solver=False)")
    page.send("load", text=game.to_json())
    page.send("analyse", level="strong")
    assert begun.wait(20)
    page.send("analyse", level=None)
    assert ended.wait(20)


@pytest.mark.parametrize("game", GAMES)
def test_the_view_agrees_with_the_model(game):
    table, rng = table_of(game, 1, [None] * len(seats_of(game)), seats_of(game)), Rng(4)
    while not table.is_over:
        model, view = table.position, table.view()
        legal = model.legal_actions().tolist()
        assert [choice.action for choice in view["choices"]] == legal
        assert [choice.words for choice in view["choices"]] == list(
            map(model.action_to_string, legal)
        )
        assert (view["picture"], view["text"]) == (
            (model._repr_svg_(), None) if game in PICTURES else (None, str(model))
        )
        table.play(legal[rng.below(len(legal))])


@pytest.mark.parametrize("game", TWO)
def test_places_lie_in_the_picture_and_tell_moves_apart(game):
    """Moves that lay a piece have a place each; those that move one share that of its target."""
    table, rng, seen = table_of(game, 1, [None] * 2, ["a", "b"]), Rng(5), 0
    while not table.is_over:
        model = table.position
        places, legal = places_of(model), model.legal_actions().tolist()
        assert set(places) <= set(legal)
        size = re.search(r'width="([\d.]+)" height="([\d.]+)"', picture_of(model))
        width, height = map(float, size.groups())
        assert all(0 < x < width and 0 < y < height for x, y in places.values())
        words = {action: model.action_to_string(action) for action in places}
        targets = {action: re.split(r"-|<>| ", text)[-1] for action, text in words.items()}
        if "off" not in targets.values():  # cars leave the board at different places
            by_target = {(target, places[action]) for action, target in targets.items()}
            assert len(by_target) == len({*targets.values()}) == len({*places.values()})
        seen += len(places)
        table.play(legal[rng.below(len(legal))])
    assert seen > 20


@pytest.mark.parametrize(
    ("game", "planner"),
    [
        ("reversi", "mcts(iterations=300)"),
        ("hex(size=4)", "expectimax(depth=1)"),
        ("carcassonne(num_players=2)", "strongest(iterations=2100)"),
        ("tactics", "greedy-turn"),
    ],
)
def test_a_planner_shows_what_it_thinks(page, game, planner):
    state = page.start("me", planner, game=game)
    mover = 0
    while mover == 0:
        page.play(state)
        message = page.next("state", "thought")
        while message["type"] == "state" and not message["view"]["choices"]:
            message = page.next("state", "thought")
        mover, state = (1, state) if message["type"] == "thought" else (0, message)
    while not (thought := message["thought"])["is_final"]:
        message = page.next("thought")
    position = table_of(game, 1, [None] * 2, ["", ""], []).position  # of the same kind
    assert thought["player"] == 1
    if planner == "greedy-turn":
        assert (thought["rows"], thought["places"]) == ([], [])
        assert 1 <= len(thought["line"]) <= 6
        return
    assert thought["rows"][0]["action"] == thought["action"]
    assert thought["rows"][0]["value"] == thought["value"]
    assert all(row["move"] for row in thought["rows"])
    assert (thought["rows"][0]["visits"] is None) == planner.startswith("expectimax")
    assert (thought["race"] is not None) == planner.startswith("strongest")
    if places_of(position):
        assert max(share for *_, share in thought["places"]) > 0


def test_games_are_kept_and_go_on_at_another_server(tmp_path):
    """With their players, as does a game that is brought as a file."""
    site = served.Site("hex", games=tmp_path)
    with client_of(site) as client, opened(client) as page:
        state = page.moved(page.start("me", "casual", game="hex(size=4)"))
    (file,) = tmp_path.iterdir()
    with client_of(site) as client, opened(client) as page:
        listed = client.get(f"/{TOKEN}/kept.json").json()
        end = {"is_over": False, "resigned": None, "is_late": False}
        game = {"game": "hex(size=4)", "progress": "", **end}
        listed_as = {"name": file.stem, "players": ["you", "casual"], **game}
        assert listed == [listed_as]
        again = page.turn("open", game=file.stem)["view"]
        assert again == state["view"] | {"thought": None}
        assert page.moved({"view": again})["view"]["ply"] == 4
        assert page.turn("resign")["view"]["resigned"] == 0
        seats = page.turn("load", text=file.read_text())["view"]["seats"]
        assert [seat["is_person"] for seat in seats] == [True, False]
    with client_of(site) as client:
        listed = client.get(f"/{TOKEN}/kept.json").json()
        assert [game["name"] for game in listed if game["is_over"]] == [file.stem]


@pytest.mark.parametrize("text", [*AGENTS, "mcts(rollouts=4, iterations=9)"])
def test_every_planner_keeps_its_seat_when_a_file_is_opened(page, text):
    game = PlayedGame("hex(size=3)", 1, ["you", text], [])
    state = page.turn("load", text=game.to_json())
    assert [seat["is_person"] for seat in state["view"]["seats"]] == [True, False]
    assert page.next("analysis", "error")["type"] == "analysis"


def test_a_page_is_told_whose_seat_people_have(page):
    game = PlayedGame("hex(size=3)", 1, ["Bob (blue)", "mcts(trees=9)"], [])
    state = page.turn("load", text=game.to_json())
    assert [seat["is_person"] for seat in state["view"]["seats"]] == [True, True]
    expected = "people have the seats of players that may not play here: 'mcts(trees=9)'"
    assert page.next("error", "analysis")["message"] == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"game": "chess", "players": ["me"]}, "tactics, got 'chess'"),
        ({"game": "hex(size=99)", "players": ["me"] * 2}, "size must be"),
        ({"game": "hex(size=x)", "players": ["me"] * 2}, "size must be"),
        ({"game": "os:system", "players": ["me"] * 2}, "game must be one of"),
        ({"game": "openspiel:tic_tac_toe", "players": ["me"] * 2}, "must be one of carcassonne"),
        ({"game": "hex", "players": ["me", "mcts(iterations=9,\n c=1)"]}, "no control characters"),
        ({"game": "hex", "players": ["me", "strongest"]}, "there is no player"),
        ({"game": "carcassonne", "players": ["network(checkpoint=x)"]}, "there is no player"),
        ({"game": "hex", "players": ["me"]}, "the game is for 2 players, got 1"),
        ({"game": "hex", "players": ["me", "os:system"]}, "there is no player"),
        ({"game": "hex", "players": ["me", "mcts(trees=9)"]}, "'trees' is not allowed"),
        ({"game": "hex", "players": ["me", "reversi.evolved"]}, "there is no player"),
        ({"game": "hex", "players": ["me", "oep(population=1000000)"]}, "population must be at"),
        ({"game": "hex", "players": []}, "players: List should have at least 1"),
        ({"players": ["me"]}, "game: Field required"),
    ],
)
def test_what_cannot_be_played_is_refused(page, content, message):
    assert message in page.refused("new", **content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "carcassonne-game"}, "format must be 'agents-game', got"),
        ({"game": 3}, "game must be a text, got 3"),
        ({"game": "hex(size=99)"}, "size must be"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
        ({"seed": True}, "seed must be an integer of at least 0, got True"),
        ({"players": "ab"}, "players must be a list, got 'ab'"),
        ({"players": ["a"]}, "players must be 2 names, got 1"),
        ({"actions": [0, 0]}, r"actions[1] must be a legal action there, got 0"),
    ],
)
def test_a_bad_saved_game_is_refused(page, change, message):
    good = {"format": "agents-game", "version": 1, "game": "hex(size=3)", "seed": 0}
    text = json.dumps(good | {"players": ["a", "b"], "actions": [0]} | change)
    assert message in page.refused("load", text=text)
    with pytest.raises(ValueError, match=re.escape(message)):
        PlayedGame.from_json(text)


def test_a_long_saved_game_is_opened(page):
    game = PlayedGame("hex(size=3)", 0, ["a" * 40_000, "b" * 40_000], [0, 4])
    assert page.shown("load", text=game.to_json())["view"]["ply"] == 2


def test_a_file_names_no_game_of_a_collection(page, tmp_path):
    """Some of these read files."""
    game = f"openspiel:efg_game(filename={tmp_path})"
    good = {"format": "agents-game", "version": 1, "game": game, "seed": 0}
    told = page.refused("load", text=json.dumps(good | {"players": ["a", "b"], "actions": []}))
    assert told.startswith("game must be one of carcassonne")


def test_the_page_and_its_files_are_served(client):
    for path, kind in [
        ("", "text/html"),
        *((f"static/{name}.js", "javascript") for name in ("page", "picture", "live", "pages")),
        ("static/page.css", "text/css"),
        ("static/common.css", "text/css"),
    ]:
        answer = client.get(f"/{TOKEN}/{path}")
        assert (answer.status_code, kind in answer.headers["content-type"]) == (200, True), path
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    facts = client.get(f"/{TOKEN}/facts.json").json()
    assert (facts["game"], facts["players"], facts["levels"]) == ("reversi", None, LEVELS)
    german = {"accept-language": "de"}
    in_german = client.get(f"/{TOKEN}/facts.json", headers=german).json()
    assert facts["sizes"] | {"tactics": 2, "fop": 1} == facts["sizes"]
    titles = {name: about["title"] for name, about in facts["about"].items()}
    assert titles | {"hex": "Hex", "tactics": "Tactics game"} == titles
    assert "reversi.evolved" in facts["named"]["reversi"]
    assert "reversi.evolved" not in facts["named"]["hex"]
    for game in map(agents.catalogue.game, agents.catalogue.game_names()):
        about, german = (answer["about"][game.name] for answer in (facts, in_german))
        assert min(map(len, (about["rules"], german["rules"]))) > 100
        assert about["title"][0].isupper()
        assert about["rules"] != german["rules"]
        assert len(about["sides"]) in (0, game.make().num_players, 5)  # meeples have five colours
    assert client.get(f"/{TOKEN}/static/../site.py").status_code == 404


def test_nobody_sits_under_the_name_of_a_planner_of_the_game(page):
    page.start("me", "me", game="carcassonne")
    for name in ("greedy", "carcassonne.uct", "casual"):
        assert "no name of a person" in page.refused("sit", seat=0, name=name)


def test_a_page_is_offered_the_players_of_its_game_only(client):
    named = client.get(f"/{TOKEN}/facts.json").json()["named"]
    assert set(named["hex"]) == {"hex.evolved"}
    assert {"greedy", "strongest", "carcassonne.uct"} <= {*named["carcassonne"]}
    assert not [name for name in named["carcassonne"] if "alphazero" in name]  # files of networks
    for name in named["carcassonne"]:
        assert players_for("carcassonne").player(name) is not None
    for game in ("reversi", "dodgem", "hex"):
        assert players_for(game).agent(f"{game}.evolved").max_nodes == 1_000_000


OXO = """
from games import TicTacToe

class Shown(TicTacToe):
    def places(self):
        return {{np.int64(action): [np.float32(action), 1] for action in self.legal_actions()}}

    def _repr_svg_(self):
        if self.cells.count(".") == {fails_at}:
            raise RuntimeError("no ink")
        return "<svg/>"

import numpy as np
make = Shown
HEURISTICS = ()
PLAYERS = {{}}
"""


@pytest.mark.filterwarnings("ignore:the game 'half' cannot be loaded")
def test_a_game_in_python_has_a_page(tmp_path):
    with (
        installed(tmp_path, {"oxo": OXO.format(fails_at=-1), "half": "1 / 0"}),
        client_of(served.Site("oxo")) as client,
        opened(client) as page,
    ):
        facts = client.get(f"/{TOKEN}/facts.json").json()
        assert "half" not in facts["sizes"]
        about = {"title": "Oxo", "rules": "", "sides": [], "is_win_or_loss": False}
        assert facts["about"]["oxo"] == about
        state = page.start("me", "random", game="oxo")
        assert state["view"]["choices"][2]["place"] == [2, 1]
        while not state["view"]["is_over"]:
            state = page.moved(state)
        assert len(state["view"]["returns"]) == 2


def test_a_position_that_cannot_be_shown_is_told(tmp_path, caplog):
    with (
        installed(tmp_path, {"oxo": OXO.format(fails_at=7)}),
        client_of(served.Site("oxo")) as client,
        opened(client) as page,
    ):
        state = page.start("me", "random", game="oxo")
        page.play(state)
        assert page.next("error")["message"] == "the position cannot be shown: no ink"
    assert "a position cannot be shown" in caplog.text


def test_numbers_that_are_none_are_null():
    text = written("x", a=float("nan"), b=[float("inf")])
    assert json.loads(text) == {"type": "x", "a": None, "b": [None]}


def test_a_game_of_very_many_actions_lists_some():
    table = table_of("fop(branching=65535, threshold=0.1)", 1, [None], ["a"])
    assert len(table.view()["choices"]) == 2000


def test_games_whose_start_is_random_are_saved_with_their_seed():
    game = "tactics(deterministic=True)"
    table = table_of(game, 5, [None] * 2, ["a", "b"])
    saved = PlayedGame.from_json(table.saved().to_json())
    assert saved.start() == table.session.start != PlayedGame(game, 6, ["a", "b"], []).start()
    game = "tactics(deterministic=True, seed=3)"
    tables = [table_of(game, seed, [None] * 2, ["a", "b"]) for seed in (1, 2)]
    assert tables[0].session.start == tables[1].session.start
    assert tables[0].saved().start() == tables[0].session.start


@pytest.mark.parametrize("game", ["hex(size=5)", "games:TicTacToe(cells=X........)"])
def test_the_command_serves_the_game_that_it_names(monkeypatch, tmp_path, game):
    given = {}
    monkeypatch.setenv("AGENTS_GAMES", str(tmp_path))

    def serve(site, port, ready, *, address, host):
        given.update(site=site, rest=(port, address, host))

    monkeypatch.setattr(agents.web.server, "serve", serve)
    from agents.cli.main import main

    seats = ["--players", "me", "--players", "casual"]
    assert run_here(main, ["web", game, *seats, "--no-browser"]).code == 0
    assert given["rest"] == (0, None, "127.0.0.1")
    with client_of(given["site"]) as client:
        assert client.get(f"/{TOKEN}/facts.json").json()["sizes"][game] == 2
    for arguments, message in [
        (["web", "chess"], "game must be one of"),
        (["web", "hex", "--players", "me", "--players", "os:system"], "there is no player"),
        (["web", "hex", "--players", "me"], "players must be 2 for hex, got 1"),
    ]:
        done = run_here(main, arguments)
        assert (done.code, message in done.err) == (1, True)
