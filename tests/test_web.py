"""The game in the browser, without a browser: table, messages, server, and their limits."""

from __future__ import annotations

import asyncio
import colorsys
import gc
import gzip
import io
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

import numpy as np
import pytest
import segno
from hypothesis import HealthCheck, given, settings, strategies as st
from scipy import stats
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import agents
import agents.web.analysis
import agents.web.room
import agents.web.site
from agents import AGENTS, MCTS, make
from agents.checks import PAGE_SECONDS
from agents.game import play_game
from agents.mcts.options import PAGE_NODES
from agents.playing import players
from agents.playing.analysis import judge_game
from agents.playing.page_words import COMMON, ENGLISH, languages, words_of
from agents.rng import Rng
from agents.specification import signature_of
from agents.web.address import HOST, Address
from agents.web.clock import Clock
from agents.web.intervals import Intervals, half_widths
from agents.web.server import serve
from agents.web.site import STATIC
from carcassonne_env import CarcassonneModel
from carcassonne_env.cli.games import seat_of, seats_of_file
from carcassonne_env.drawing.tile_art import PLAYER_COLOURS
from carcassonne_env.game_setup import Setup
from carcassonne_env.play.players import ALLOWED, LEVELS, limited, player_of_page
from carcassonne_env.play.view import forecast_of
from carcassonne_env.position import segment_targets
from carcassonne_env.replaying import SavedGame, analyse_game, replay
from carcassonne_env.web import room, site as served
from carcassonne_env.web.messages import Message, read
from carcassonne_env.web.table import Table, Thinking, judge_of
from jcloisterzone import file_of, placing
from waiting import soon
from web_pages import HERE, PORT, TOKEN, Page, Texts, actions_of, client_of, opened as opened_by

LONG = "mcts(time_limit=50)"
"""A search that ends only when it is told to; a race may end early."""


@pytest.fixture
def searches(monkeypatch):
    """A list with 1 for each search that began, and -1 for each that ended."""
    noted, run = [], Thinking.run

    def noting(thinking):
        noted.append(1)
        try:
            return run(thinking)
        finally:
            noted.append(-1)

    monkeypatch.setattr(Thinking, "run", noting)
    return noted


@pytest.fixture(autouse=True)
def games(monkeypatch, tmp_path):
    """The folder of the games that commands keep."""
    monkeypatch.setenv("CARCASSONNE_GAMES", str(tmp_path / "games"))
    return tmp_path / "games"


@pytest.fixture(scope="module")
def client():
    with client_of(served.Site()) as made:
        yield made


opened = partial(opened_by, tiles="small")


@pytest.fixture
def page(client):
    with opened(client) as made:
        yield made


def test_the_first_page_does_not_wait_for_the_game(monkeypatch):
    is_shown, waits = threading.Event(), []

    def made(site):
        waits.append(is_shown.wait(20))
        return room.House(site.games)

    monkeypatch.setattr(served.Site, "make_house", made)
    with client_of(served.Site()) as client:
        assert "<title>" in client.get(f"/{TOKEN}/").text
        is_shown.set()
        assert "levels" in client.get(f"/{TOKEN}/facts.json").json()
    assert waits == [True]


# Playing


@pytest.mark.parametrize("seats", [("me",), ("me", "greedy"), ("me", "random", "me")])
def test_a_game_is_played_to_its_end(page, seats):
    state = page.start(*seats)
    moves = 0
    while not state["view"]["is_over"]:
        state = page.moved(state, moves * 7)
        moves += 1
    view = state["view"]
    assert view["ply"] == len(view["record"]) == len(view["board"]) - 1 >= 20  # some fit nowhere
    assert sum(view["bag"].values()) == 0
    assert [sum(parts.values()) for parts in view["breakdown"]] == view["scores"]
    assert view["forecast"] == (view["scores"] if len(seats) > 1 else None)
    assert len(view["curve"]) == view["ply"] + 1
    final = zip(*(line["points"] for line in view["record"]), view["final_points"], strict=True)
    assert list(map(sum, final)) == view["scores"]
    assert view["resigned"] is None
    assert page.refused("play", ply=view["ply"], action=0).startswith("it is no longer your turn")


def test_the_same_seed_gives_the_same_game_and_the_same_searches(client):
    found = []
    for seed in (5, 5, 6):
        with opened(client) as page:
            state = page.start("me", "mcts(iterations=50)", seed=seed)
            page.play(state)
            while not (thought := page.next("thought")["thought"])["is_final"]:
                pass
            found.append((state["view"], thought["rows"]))
    (first, _), _, (other, _) = found
    assert found[0] == found[1]
    assert first["tile"] != other["tile"]


@pytest.mark.parametrize("num_players", [1, 2, 3, 4])
def test_the_view_agrees_with_the_model(num_players):
    """And the points of all features add up to the scores if the game ended."""
    setup, names = Setup(num_players, 7, "base"), list("abcd")[:num_players]
    table, rng = Table(setup, [None] * num_players, names, 2), Rng(4)
    while not table.is_over:
        model, view = table.position, table.view()
        legal = {
            a for by in view["legal"].values() for slots in by.values() for a in slots.values()
        }
        assert legal == set(model.legal_actions().tolist())
        assert set(view["legal"]) == {f"{x},{y}" for x, y in model.legal_cells}
        letters = {(tile.x, tile.y): tile for tile in model.board}
        for meeple, (player, x, y, part) in zip(model.placed_meeples, view["meeples"], strict=True):
            tile = letters[x, y]
            assert meeple == (player, x, y, segment_targets(tile.tile, tile.rotation)[part])
        parts = [part for region in view["regions"] for part in region["parts"]]
        assert len(set(parts)) == len(parts)
        points = np.array(model.scores)
        for feature in model.features:
            points[list(feature.owners)] += feature.points
        assert tuple(points) == model.virtual_scores
        table.play(sorted(legal)[rng.below(len(legal))])


@pytest.mark.parametrize("setup", [Setup(2, 7, "small"), Setup(4, 7, "base"), Setup(1, 3, "small")])
def test_forecasts_come_true_in_games_of_any_length(setup):
    """In the mean over games of a player that knows as much, and better near the end."""
    players, errors, late = ["expectimax-1-outlook"] * setup.num_players, [], []
    for seed in range(6):
        actions = [ply.action for ply in play_game(setup, players, seed).plies]
        game = SavedGame.of(setup, players, actions, seed)
        *_, last, end = game.boards()
        for model, found in ((setup(seed), errors), (last, late)):
            found.append(np.mean(np.subtract(forecast_of(model), game.scores)))
        assert forecast_of(end) == game.scores
    assert abs(np.mean(errors)) < 15  # it was 54 and 31 in the first two
    assert abs(np.mean(late)) < 2.5  # it was 6.3 and 2.9 in the first two


def test_a_forecast_is_that_of_the_outlook_where_its_weights_are_learned():
    model = CarcassonneModel()
    assert forecast_of(model) == pytest.approx(model.expected_scores, abs=0.01)
    assert forecast_of(CarcassonneModel(1)) is None


def test_a_move_is_weighed_before_it_is_played(page):
    state = page.start("me", "me", meeples=7)
    scored = joined = 0
    for pick in range(23):
        action = actions_of(state["view"])[-1 - pick % 3]
        page.send("weigh", ply=state["view"]["ply"], action=action)
        told = page.next("weighed")
        preview, mover = told["preview"], state["view"]["player"]
        page.send("play", ply=state["view"]["ply"], action=action)
        state = page.turn()
        line = state["view"]["record"][-1]
        assert line["points"] == preview["points"]
        farms = [region for region in state["view"]["regions"] if region["kind"] == "farm"]
        assert state["view"]["is_over"] or told["farms"] == farms
        scored += sum(preview["points"]) > 0
        if line["placement"]["slot"] and not sum(preview["points"]):
            assert any(mover in one["owners"] for one in preview["joins"])
        regions = [(it["kind"], it["owners"], it["points"]) for it in state["view"]["regions"]]
        for one in preview["joins"]:
            assert (one["kind"], one["owners"], one["points"]) in regions
            assert (one["chance"] is None) == (one["kind"] == "farm")
            assert one["chance"] is None or 0 <= one["chance"] <= 1
            joined += 1
        if state["view"]["is_over"]:
            break
    assert scored > 1
    assert joined > 10
    assert page.refused("weigh", ply=0, action=0).startswith("it is no longer your turn")


def test_undo_returns_to_the_last_move_of_a_person_and_the_draws_stay(client, page):
    first = page.start("me", "greedy")
    second = page.moved(first)
    assert second["view"]["undoer"] == 0
    again = page.turn("undo")
    assert again["view"] == first["view"]
    third = page.moved(again, 3)["view"]
    assert third["tile"] == second["view"]["tile"]
    assert third["bag"] == second["view"]["bag"]
    saved = SavedGame.from_json(client.get(f"/{TOKEN}/games/{first['game']}.json").text)
    assert len(saved.moves()) == 2
    assert saved.boards()[-1].board == [tuple(tile) for tile in third["board"]]
    page.turn("undo")
    assert "no move" in page.refused("undo")


def test_a_resignation_ends_the_game_and_can_be_taken_back(page):
    page.start("me", "greedy")
    over = page.turn("resign")["view"]
    assert (over["is_over"], over["resigned"]) == (True, 0)
    assert over["player"] is None
    assert "could give up" in page.refused("resign")
    assert page.turn("undo")["view"]["resigned"] is None


def test_earlier_positions_can_be_looked_at(page):
    states = [page.start("me", "me")]
    for _ in range(4):
        states.append(page.moved(states[-1]))
    for ply, state in enumerate(states):
        seen = page.shown("look", ply=ply)
        assert seen["is_answer"]
        for name in ("board", "meeples", "tile", "scores", "regions", "bag"):
            assert seen["view"][name] == state["view"][name]
        assert seen["view"]["record"] == states[-1]["view"]["record"]
        assert bool(seen["view"]["legal"]) == (ply == 4)
    assert page.refused("look", ply=5) == "ply must be from 0 to 4, got 5"


def test_a_known_order_is_shown_and_kept(page):
    state = page.start("me", "greedy", known_order=True)
    order = state["view"]["order"]
    assert page.moved(state)["view"]["tile"] == order[1]
    assert page.start("me")["view"]["order"] is None


# Playing together


def test_two_browsers_play_and_a_third_looks_on(client, page):
    game = page.start("me", "me", browser="a")["game"]
    page.shown("sit", seat=0, name="Ann")
    with opened(client) as other, opened(client) as watcher:
        other.send("open", game=game, browser="b")
        assert "you look on" in other.refused("undo")
        other.shown("sit", seat=1, name=" Ben ")
        seen = watcher.shown("open", game=game, browser="c")
        assert [seat["name"] for seat in seen["view"]["seats"]] == ["Ann", "Ben"]
        assert (seen["own"], seen["taken"]) == ([], [0, 1])
        for move in range(4):
            mover, rest = (page, other) if move % 2 == 0 else (other, page)
            state = {"ply": move, "action": actions_of(watcher.turn("look", ply=move)["view"])[0]}
            assert rest.refused("play", **state).startswith("it is no longer your turn")
            assert rest.refused("weigh", **state).startswith("it is no longer your turn")
            assert rest.refused("hint").startswith("a hint is for the person to move")
            assert watcher.refused("play", **state) == "you look on; take a seat to play"
            assert watcher.refused("sit", seat=0, name="Eve") == "this seat is not free"
            mover.send("play", **state)
            for each in (page, other, watcher):
                while (shown := each.next("state"))["view"]["ply"] <= move:
                    pass
            assert shown["view"]["record"][-1]["placement"]["player"] == move % 2
        assert page.refused("undo") == "the last move is not yours"
        assert other.turn("undo")["view"]["ply"] == 3
        over = page.turn("resign")["view"]
        while not over["is_over"]:
            over = page.next("state")["view"]
        assert over["resigned"] == 0
        assert other.refused("undo") == "the last move is not yours"
    with opened(client) as reloaded:
        state = reloaded.shown("open", game=game, browser="b")
        assert (state["own"], state["taken"]) == ([1], [0, 1])


def test_a_seat_is_free_again_when_its_browser_has_left(client, page):
    game = page.start("me", "greedy", "me", browser="a")["game"]
    with opened(client) as other:
        other.send("open", game=game, browser="b")
        other.send("sit", seat=2, name="Ben")
        while page.next("state")["taken"] != [2]:
            pass
    while page.next("state")["taken"] != []:
        pass
    assert page.shown("sit", seat=2, name="Cleo")["own"] == [2]
    for seat, name, words in [
        (1, "Ann", "not free"),
        (3, "Ann", "not free"),
        (0, " ", "no name of a person"),
        (0, "a\u202e", "no name of a person"),
        (0, "casual 2", "no name of a person"),
        (0, "you", "no name of a person"),
        (0, "Du", "no name of a person"),
        (0, "person 2", "no name of a person"),
        (0, "Cleo", "another player has this name"),
        (0, "x" * 41, "at most 40 characters"),
    ]:
        assert words in page.refused("sit", seat=seat, name=name)


def test_a_clock_runs_for_the_player_to_move_from_the_first_move_on():
    now = 100.0
    clock = Clock([60, 60], 5, lambda: now)
    for seconds, ply, mover, left in [
        (30, 0, 0, [60, 60]),
        (30, 1, 1, [60, 60]),
        (10, 1, 1, [60, 50]),  # as when a page comes
        (2, 2, 0, [60, 53]),
        (0, 1, 1, [60, 53]),  # a move was taken back
        (0, 2, 0, [60, 53]),  # and made again
        (0, 1, 1, [60, 53]),
        (100, 1, None, [60, 0]),
        (100, 1, None, [60, 0]),
    ]:
        now += seconds
        clock.turn(ply, mover)
        assert (clock.left(), clock.running) == (left, mover if ply else None)
    assert clock.past == [[60, 60], [60, 60]]  # the second move was taken back
    clock.turn(3, 0)
    assert [clock.left_after(ply) for ply in (1, 3)] == [[60, 60], clock.left()]


@pytest.fixture
def later(monkeypatch):
    """``later(seconds)``: for clocks, it is later by so much."""
    skipped: list[float] = []
    at = partial(Clock, now=lambda: time.monotonic() + sum(skipped))
    monkeypatch.setattr(agents.web.room, "Clock", at)
    return skipped.append


def test_the_clock_of_a_planner_stands_while_no_page_shows_the_game(client, later):
    with opened(client) as page:
        state = page.start("me", LONG, clock={"seconds": 60, "increment": 0})
        page.play(state)
        assert page.next("state")["is_thinking"]
    later(100)
    with opened(client) as page:
        state = page.shown("open", game=state["game"])
    assert (state["view"]["is_over"], state["clock"]["running"]) == (False, 1)
    assert state["clock"]["left"][1] > 0


def test_who_has_no_time_left_loses(client, page, later):
    state = page.start("me", "me", clock={"seconds": 60, "increment": 3})
    assert state["clock"] == {"left": [60, 60], "running": None}
    state = page.moved(state)
    assert state["clock"]["running"] == 1
    state = page.moved(state)
    assert 33 < state["clock"]["left"][1] <= 63
    later(state["clock"]["left"][0] - 0.1)
    page.send("sit", seat=0, name="Ann")  # the clocks are read
    while not (over := page.next("state"))["view"]["is_over"]:
        pass
    assert (over["view"]["resigned"], over["view"]["is_late"]) == (0, True)
    assert (over["view"]["is_over"], over["clock"]["left"][0]) == (True, 0)
    games = client.get(f"/{TOKEN}/results.json").json()
    (listed,) = (game for game in games if game["name"] == over["game"])
    assert (listed["resigned"], listed["is_late"]) == (0, True)
    assert "no move" in page.refused("undo")


def test_the_clock_of_a_game_that_was_left_out_stands(games, monkeypatch):
    monkeypatch.setattr(agents.web.room, "MAX_ROOMS", 1)
    with client_of(served.Site(games=games)) as client:
        with opened(client) as page:
            game = page.moved(page.start("me", "me", clock={"seconds": 1, "increment": 0}))["game"]
        with opened(client) as page:
            page.start()  # in its place
        time.sleep(1.2)
    assert not json.loads((games / f"{game}.json").read_text())["room"]["is_late"]


def test_all_games_are_in_one_list_and_those_of_one_seed_have_the_same_tiles(games):
    with client_of(served.Site(games=games)) as client:
        tiles = []
        with opened(client) as one, opened(client) as two:
            for page, pick in ((one, 0), (two, -1)):
                state, drawn = page.start("me", seed=9), []
                while not state["view"]["is_over"]:
                    drawn.append(state["view"]["tile"])
                    state = page.moved(state, pick)
                tiles.append(drawn)
            assert tiles[0][:15] == tiles[1][:15]
            listed = client.get(f"/{TOKEN}/results.json").json()
        assert [game["seed"] for game in listed] == [9, 9]
        last = listed[-1]
        assert (last["name"], last["is_over"]) == (state["game"], True)
        assert (last["ply"], last["scores"]) == (state["view"]["ply"], state["view"]["scores"])
        code = client.get(f"/{TOKEN}/games/{last['name']}.svg", headers=HERE)
        wanted = io.BytesIO()
        address = f"http://127.0.0.1:{PORT}/{TOKEN}/#{last['name']}"
        segno.make(address).save(wanted, kind="svg", light="white", xmldecl=False)
        assert code.content == wanted.getvalue()


# Saved games

SETUP = Setup(2, 3, "small")


def game_of(*by: str, setup: Setup = SETUP) -> SavedGame:
    record = play_game(setup, by or ("greedy", "random"), 3)
    return SavedGame.of(setup, ["Ann", "Ben"], [ply.action for ply in record.plies], 3)


def test_a_saved_game_of_jcloisterzone_is_opened(page):
    replay = placing("BA/C", 180, 0, -1, "City", "S") + placing("BA/Rr", 0, 1, 0)
    view = page.shown("load", text=json.dumps(file_of(replay)))["view"]
    assert [seat["name"] for seat in view["seats"]] == ["Ann", "Bob"]
    assert [*map(tuple, view["board"])][1:] == [("E", 0, 1, 2), ("V", 1, 0, 0)]
    assert view["scores"] == [4, 0]


def test_a_saved_game_is_opened_stepped_through_and_saved_again(client, page):
    game = game_of()
    state = page.shown("load", text=game.to_json())
    assert [seat["name"] for seat in state["view"]["seats"]] == ["Ann", "Ben"]
    assert tuple(state["view"]["scores"]) == game.scores
    assert state["view"]["is_over"]
    boards = game.boards()
    for ply in (0, 7, 23):
        view = page.shown("look", ply=ply)["view"]
        assert [tuple(tile) for tile in view["board"]] == [tuple(t) for t in boards[ply].board]
        assert view["tile"] == boards[ply].current_tile
    answer = client.get(f"/{TOKEN}/games/{state['game']}.json")
    assert SavedGame.from_json(answer.text) == game
    name = answer.headers["content-disposition"].removeprefix("attachment; filename*=UTF-8''")
    assert re.fullmatch(r"carcassonne-\d{4}-\d\d-\d\d-\d{6}-Ann-Ben\.json", name)
    assert client.get(f"/{TOKEN}/games/none.json").status_code == 404


def test_a_saved_game_keeps_its_clocks_and_its_resignation(client, page):
    page.moved(page.start("me", "me", clock={"seconds": 60, "increment": 3}))
    over = page.turn("resign")
    saved = client.get(f"/{TOKEN}/games/{over['game']}.json").text
    assert "owners" not in saved  # who sat where is nobody else's business
    again = page.shown("load", text=saved)
    assert again["game"] != over["game"]
    assert (again["view"]["is_over"], again["view"]["resigned"]) == (True, 1)
    assert again["clock"] == {"left": over["clock"]["left"], "running": None}
    on = page.turn("undo")
    assert (on["view"]["is_over"], on["clock"]) == (False, None)  # it goes on without clocks
    broken = saved.replace('"resigned": 1', '"resigned": 2')
    assert "room must be that of 2 players" in page.refused("load", text=broken)


@pytest.mark.parametrize("known_order", [False, True])
def test_a_game_of_a_tournament_is_opened(page, known_order):
    game = game_of(setup=Setup(2, 3, "small", known_order))
    record = {"setup": game.setup.name, "seed": 3, "players": ["Ann", "Ben"]}
    view = page.shown("recorded", **record, actions=game.actions)["view"]
    assert tuple(view["scores"]) == game.scores
    assert "actions[0] must be" in page.refused("recorded", **record, actions=[9**9])
    record["players"] = ["greedy", "mcts(trees=9)"]
    page.shown("recorded", **record, actions=game.actions)
    assert "may not play here: 'mcts(trees=9)'" in page.next("error", "analysis")["message"]
    record["players"] = ["greedy", "random"]
    name = page.shown("recorded", **record, actions=game.actions)["game"]
    again = page.shown("retry", game=name, ply=5)
    assert [seat["is_person"] for seat in again["view"]["seats"]] == [False, True]
    assert again["own"] == [1]


@pytest.mark.parametrize(("names", "moves"), [(("Ann", "Ben"), 1), (("you", "greedy"), 2)])
def test_an_opened_game_is_played_on_with_its_planners(page, names, moves):
    setup, actions = SETUP, game_of().actions[:9]
    state = page.turn("load", text=SavedGame(setup, names, actions).to_json())
    assert state["view"]["ply"] == 4
    assert page.moved(state)["view"]["ply"] == 4 + moves


def test_games_are_kept_and_go_on_at_another_server(games):
    """With their players; people take the seats that no planner has."""
    site = served.Site(games=games)
    with client_of(site) as client, opened(client) as page:
        state = page.moved(page.start("me", "greedy"))
        page.moved(page.turn("retry", game=state["game"], ply=0, is_free=True))  # no real game
        page.shown("load", text=game_of().to_json())  # it was only looked at
    (file,) = games.iterdir()
    assert file.stem == state["game"]
    (games / "2027-damaged.json").write_text("[")
    with client_of(site) as client, opened(client) as page:
        listed = client.get(f"/{TOKEN}/kept.json").json()
        progress = f"tile 4 of 24, {' : '.join(map(str, state['view']['scores']))}"
        shown = {"name": file.stem, "players": ["you", "greedy"], "game": "", "progress": progress}
        end = {"is_over": False, "resigned": None, "is_late": False}
        assert listed == [shown | end]
        again = page.turn("open", game=file.stem)["view"]
        assert again == state["view"]
        assert page.moved({"view": again})["view"]["ply"] == 4
        assert "is not a saved game" in page.refused("open", game="2027-damaged")
        assert "letters, digits and dashes" in page.refused("open", game="../x")
        assert "this game is gone" in page.refused("open", game="2027-none")
    assert len(SavedGame.load(file).moves()) == 4


def test_seats_clocks_names_and_a_resignation_are_kept(games):
    site = served.Site(games=games)
    with client_of(site) as client, opened(client) as page:
        clock = {"seconds": 60, "increment": 5}
        game = page.start("me", "me", browser="secret", clock=clock)["game"]
        for seat, name in enumerate(["Ann", "Ben"]):
            state = page.shown("sit", seat=seat, name=name)
        page.moved(page.moved(state))
        state = page.turn("resign")
    file = games / f"{game}.json"
    assert "secret" not in file.read_text()
    with client_of(site) as client, opened(client) as page, opened(client) as other:
        again = page.shown("open", game=game, browser="secret")
        assert again["clock"]["left"] == pytest.approx(state["clock"]["left"], abs=1)
        assert 64 < again["clock"]["left"][1] <= 65
        for ply, left in enumerate(([60, 60], [60, 60], state["clock"]["left"])):
            told = page.shown("look", ply=ply)["clock"]
            assert told == {"left": pytest.approx(left, abs=0.1), "running": None}
        assert (again["own"], again["view"]["resigned"]) == ([0, 1], 0)
        assert [seat["name"] for seat in again["view"]["seats"]] == ["Ann", "Ben"]
        assert other.shown("open", game=game, browser="other")["own"] == []
        assert page.turn("undo")["clock"]["running"] == 0
    members = json.loads(file.read_text())
    for room_, words in [
        ({"resigned": 2}, "room must be that of 2 players"),
        ({"left": [1, -1]}, "left.1: Input should be greater than or equal to 0"),
        ({"left": [1]}, "room must be that of 2 players"),
        ({"left": [1, 1], "past": [[1, 1], [1]]}, "room must be that of 2 players"),
        ({"owners": {"x": ""}}, "owners.x.*: Input should be a valid integer"),
        (1, "room: Input should be"),
    ]:
        file.write_text(json.dumps(members | {"room": room_}))
        with client_of(site) as client, opened(client) as page:
            assert re.search(words, page.refused("open", game=game))


def test_an_address_is_kept(tmp_path):
    path = tmp_path / "address.txt"
    first = Address.load(path, 0)._replace(port=8001)
    first.save(path)
    assert Address.load(path, 0) == Address.load(path, 8001) == first
    assert path.stat().st_mode & 0o077 == 0 or sys.platform == "win32"
    with pytest.raises(ValueError, match=r"port must be 8001, which .* keeps, got 8002"):
        Address.load(path, 8002)
    path.write_text("http://example.com/")
    with pytest.raises(ValueError, match=r"address\.txt must hold the address of a server"):
        Address.load(path, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 9000, "nested too deeply|the file must be"),
        (game_of().to_json().replace("[", "[[", 1), "Expecting|Extra data|delimiter"),
        (f'{{"format": "{"x" * 9000}", "version": 1}}', "format must be 'carcassonne-game', got"),
        ("x" * 100_001, "load.text: String should have at most 100000 characters"),
        (game_of().to_json().replace('"Ann"', r'"\ud800"'), r"players must be names, .*ud800"),
    ],
)
def test_a_bad_saved_game_is_refused(page, text, message):
    told = page.refused("load", text=text)
    assert re.search(message, told)
    assert len(told) < 300


def analysis_of(page: Page) -> Any:
    while (message := page.next("analysis"))["is_running"]:
        pass
    return message["losses"]


def test_an_analysis_is_told_move_by_move_and_is_in_the_replay(client, page):
    state = page.shown("load", text=game_of().to_json())
    assert page.next("analysis")["losses"] == []
    page.send("analyse", level="expert")
    counts = []
    while (message := page.next("analysis"))["is_running"]:
        counts.append(len(message["losses"]))
    assert counts == list(range(24))
    losses = message["losses"]
    expected = list(analyse_game(game_of(), LEVELS["expert"]))
    assert [loss["points"] for loss in losses] == [round(move.loss, 2) for move in expected]
    for loss, move in zip(losses, expected, strict=True):
        assert (loss["better"] is None) == (move.better is None)
        if move.better is not None:
            assert (loss["better"]["x"], loss["better"]["y"]) == move.better[:2]
    answer = client.get(f"/{TOKEN}/games/{state['game']}.html")
    assert answer.headers["content-disposition"].endswith("-Ann-Ben.html")
    assert answer.text == replay(game_of(), expected).to_html()
    for move in expected:
        judged = page.shown("look", ply=move.number - 1)["view"]["thought"]
        assert (judged is not None) == (move.better is not None)
        assert judged is None or judged["judge"] == "expert"
    german = client.get(answer.request.url, headers={"accept-language": "de"}).text
    assert german == replay(game_of(), expected).to_html(language="de")
    assert "Erwarteter Endstand" in german
    with opened(client) as other:
        other.send("open", game=state["game"])
        assert analysis_of(other) == losses
    page.send("undo")
    assert len(analysis_of(page)) == 22


def test_a_mistake_is_tried_again_in_a_game_of_its_own(page):
    """Against the same planner, which waits until the person has seen what the move loses."""
    state = page.start("me", "greedy")
    while state["view"]["ply"] < 6:
        state = page.moved(state)
    game, record = state["game"], state["view"]["record"]
    page.send("analyse", level="expert")
    losses = analysis_of(page)
    for ply, names in [(4, ["you", "greedy"]), (3, ["you", "greedy (you)"])]:
        again = page.turn("retry", game=game, ply=ply)
        told = page.next("analysis")
        assert (told["practice"]["ply"], told["losses"]) == (ply, losses[:ply])
        view = again["view"]
        assert (view["ply"], view["record"], again["is_held"]) == (ply, record[:ply], True)
        assert ([seat["name"] for seat in view["seats"]], again["game"] != game) == (names, True)
        page.play(again, -1)
        *before, last = analysis_of(page)
        assert (before, last["number"]) == (losses[:ply], ply + 1)
        again = page.turn("undo")["view"]
        assert (again["ply"], again["thought"]) == (ply, None)  # which would tell the better move
    free = page.turn("retry", game=game, ply=4, is_free=True)
    assert [seat["name"] for seat in free["view"]["seats"]] == ["you", "greedy (you)"]
    assert page.next("analysis")["practice"]["is_free"] is True
    assert page.moved(page.moved(free))["view"]["ply"] == 6
    assert "less than the 6 of the game, got 6" in page.refused("retry", game=game, ply=6)
    assert page.turn("open", game=game)["view"]["ply"] == 6
    assert analysis_of(page) == losses


def test_a_game_is_told_the_variations_that_leave_it(monkeypatch):
    """As they go on, while they live, and where they leave it though it was played on otherwise.

    Nothing is told while it goes on, which a variation of the game that was taken back might spoil.
    """

    def told(*expected: tuple[int, int]) -> bool:
        """Whether these are told at last, after what was told before."""
        for _ in range(9):
            found = page.next("analysis")["variations"]
            if [(one["ply"], len(one["moves"])) for one in found] == [*expected]:
                return True
        return False

    with client_of(served.Site()) as client, opened(client) as page:
        game = page.shown("load", text=game_of().to_json())["game"]
        assert told()
        with opened(client) as other:
            other.moved(other.turn("retry", game=game, ply=4))  # a mistake, of which it is not told
            state = other.turn("retry", game=game, ply=4, is_free=True)
            own = next(a for a in actions_of(state["view"]) if a != game_of().actions[8])
            other.send("play", ply=4, action=own)
            state = other.turn()
            assert told((4, 1))
            for count in (2, 3, 4, 4):
                state = other.moved(state)
                assert told((4, count))
            page.send("open", game=game)
            (one,) = page.next("analysis")["variations"]
            assert (one["game"], one["moves"]) == (state["game"], state["view"]["record"][4:8])
        for _ in range(20):
            state = page.turn("undo")
            assert page.next("analysis")["variations"] == []
        assert state["view"]["ply"] == 3
        while not state["view"]["is_over"]:
            page.send("open", game=game)
            assert page.next("analysis")["variations"] == []
            state = page.moved(state, -1)
        page.send("open", game=game)
        assert told((3, 4))
        monkeypatch.setattr(agents.web.room, "MAX_ROOMS", 3)
        page.turn("undo")
        assert page.next("analysis")["variations"] == []
        assert '"variations":[]' in client.get(f"/{TOKEN}/games/{game}.html").text
        page.send("resign")
        assert told((3, 4))  # at once
        with opened(client) as other:
            other.start()  # the mistake was left first
            other.start()
            assert told()


def test_the_marks_of_a_variation_are_told_and_in_the_replay(client, page):
    game = page.shown("load", text=game_of().to_json())["game"]
    with opened(client) as other:
        state = other.turn("retry", game=game, ply=4, is_free=True)
        own = next(a for a in actions_of(state["view"]) if a != game_of().actions[8])
        other.send("play", ply=4, action=own)
        state = other.turn()
        assert [loss["number"] for loss in analysis_of(other)] == [5]
        other.moved(state)
        other.send("analyse", level="expert")
        losses = analysis_of(other)
        varied = SavedGame.from_json(client.get(f"/{TOKEN}/games/{state['game']}.json").text)
    told: list[Any] = []
    while len(told) < 2:
        told = [loss for one in page.next("analysis")["variations"] for loss in one["losses"]]
    assert told == losses[4:6]
    text = client.get(f"/{TOKEN}/games/{game}.html").text
    judged = list(analyse_game(varied, LEVELS["expert"]))
    assert text == replay(game_of(), [], [(varied, judged)]).to_html()


def test_practice_is_neither_listed_nor_kept(games):
    site = served.Site(games=games)

    def listed() -> list[str]:
        return [game["name"] for game in client.get(f"/{TOKEN}/results.json").json()]

    with client_of(site) as client, opened(client) as page:
        name = page.moved(page.start("me", "greedy"))["game"]
        tried = page.turn("retry", game=name, ply=0)
        page.play(tried)
        assert page.next("state")["view"]["ply"] == 1
        assert listed() == [name]
        page.turn("hold", is_held=False)
        assert page.shown("hold", is_held=True)["view"]["ply"] == 2
        assert listed() == [name]
    assert [file.stem for file in games.iterdir()] == [name]


def test_practice_makes_room_for_games_first(monkeypatch):
    monkeypatch.setattr(agents.web.room, "MAX_ROOMS", 3)
    with client_of(served.Site()) as client, opened(client) as page:
        first = page.moved(page.start("me", "greedy"))["game"]
        for _ in range(4):
            page.turn("retry", game=first, ply=0)
        assert page.turn("open", game=first)["view"]["ply"] == 2


def test_a_tried_move_is_judged_although_the_page_is_loaded_anew(client):
    with opened(client) as page:
        game = page.moved(page.start("me", "greedy"))["game"]
        page.send("analyse", level="experienced")
        analysis_of(page)
        tried = page.turn("retry", game=game, ply=0)
        page.play(tried)
        assert page.next("state")["view"]["ply"] == 1
    with opened(client) as page:
        page.send("open", game=tried["game"])
        assert [loss["number"] for loss in analysis_of(page)] == [1]


def test_the_persons_of_a_variation_have_different_names():
    names = ["a", "b", "you", "b (you)"]
    table = Table(Setup(4, 7, "small"), [make("greedy")] * 2 + [None] * 2, names, 0)
    table.play(int(table.position.legal_actions()[0]))
    assert table.before(0, is_free=True).players == ("a (you)", "person 2", "you", "b (you)")


@pytest.mark.parametrize(
    ("names", "judge"),
    [
        (["Ann", "Ben"], "expert"),
        (["you", "casual"], "expert"),
        (["you", "expert"], "master"),
        (["master 1", "master 2"], "master"),
        (["you", "mcts(iterations=9)"], "master"),
    ],
)
def test_a_judge_is_stronger_than_the_planners(names, judge):
    assert judge_of(names) == judge


def test_one_analysis_runs_at_a_time_and_can_be_stopped(page):
    page.send("load", text=game_of().to_json())
    page.send("analyse", level="master")
    assert page.refused("analyse", level="expert") == "an analysis is under way; stop it first"
    start = time.monotonic()
    page.send("analyse", level=None)
    assert len(analysis_of(page)) < 23
    assert time.monotonic() - start < 10  # to its end it takes a minute
    assert "a game is analysed by one of beginner" in page.refused("analyse", level="os:system")
    page.send("analyse", level="expert")
    assert len(analysis_of(page)) == 23


def test_an_analysis_ends_with_its_last_page(client, monkeypatch):
    is_stopped = []

    def watched(*given, **options):
        is_stopped.append(options["is_stopped"])
        return judge_game(*given, **options)

    monkeypatch.setattr(agents.web.analysis, "judge_game", watched)
    with opened(client) as page:
        page.send("load", text=game_of().to_json())
        page.send("analyse", level="master")
        while not page.next("analysis")["is_running"]:
            pass
        assert not is_stopped[0]()
    assert soon(is_stopped[0])


def test_a_failing_analysis_is_told(page, monkeypatch):
    page.send("load", text=game_of().to_json())
    with monkeypatch.context() as patch:
        patch.setattr(agents.web.analysis, "judge_game", lambda *_, **__: map(int, ["one"]))
        page.send("analyse", level="expert")
        assert "the analysis failed: invalid literal" in page.next("error")["message"]
    assert not page.next("analysis")["is_running"]
    page.send("analyse", level="expert")
    assert len(analysis_of(page)) == 23


# Thinking


def test_a_search_is_told_while_it_goes_on(page):
    page.start("me", "mcts(time_limit=1)")
    page.send("undo")
    page.next("error")
    state = page.start("me", "mcts(time_limit=1)")
    page.play(state)
    thoughts = []
    while "thought" in (message := page.next("state", "thought")) or not message["view"]["legal"]:
        thoughts += [message["thought"]] if "thought" in message else []
    assert len(thoughts) >= 3
    assert [thought["is_final"] for thought in thoughts] == [False] * (len(thoughts) - 1) + [True]
    iterations = [thought["iterations"] for thought in thoughts]
    assert iterations[:-1] == sorted(set(iterations[:-1]))
    assert iterations[-1] >= iterations[-2]  # it may end where it was told last
    last = thoughts[-1]
    assert last["rows"][0]["action"] == last["action"]
    assert last["rows"][0]["value"] == last["value"]
    assert sum(share for *_, share in last["places"]) == pytest.approx(1, abs=0.01)
    assert last["line"][0]["player"] == 1
    assert any(row["margin"] is not None for row in last["rows"])
    assert page.shown("look", ply=1)["view"]["thought"] == last


def test_the_thought_of_a_race_has_margins(page):
    page.play(page.start("me", "strongest(iterations=2200)"))
    while not (thought := page.next("thought")["thought"])["is_final"]:
        pass
    race, rows = thought["race"], thought["rows"]
    assert thought["iterations"] == 2000
    assert 150 < race["rollouts"] <= 200
    assert sum(row["visits"] for row in rows) == race["rollouts"]
    assert len(rows) == race["contestants"]
    assert sum(not row["is_out"] for row in rows) == race["num_left"]
    assert thought["rate"] > 2000 / thought["seconds"]
    assert rows[0]["action"] == thought["action"]
    assert [row["is_out"] for row in rows] == sorted(row["is_out"] for row in rows)
    hottest = max(thought["places"], key=lambda place: place[2])
    assert (*hottest[:2], 1) == (rows[0]["move"]["x"], rows[0]["move"]["y"], hottest[2])
    assert any(row["margin"] is not None for row in rows)


def test_a_hint_names_a_legal_move_and_changes_nothing(page):
    state = page.start("me", "greedy")
    page.send("hint")
    while not (thought := page.next("thought")["thought"])["is_final"]:
        assert thought["is_hint"]
    assert thought["action"] in actions_of(state["view"])
    assert page.turn()["view"]["ply"] == 0


def test_a_hurried_planner_moves_at_once_and_a_halted_one_not(page):
    state = page.start("me", LONG)
    page.play(state)
    page.next("thought")
    start = time.monotonic()
    state = page.turn("hurry")
    assert state["view"]["ply"] == 2
    assert time.monotonic() - start < 10  # by itself it would think for 50 s
    page.play(state)
    page.next("thought")
    page.send("hold", is_held=True)
    while page.next("state")["is_thinking"]:
        pass
    assert page.shown("hold", is_held=False)["is_thinking"]
    page.send("undo")  # a search in vain is stopped
    assert page.turn()["view"]["ply"] == 2
    time.sleep(0.4)  # it ends, and nobody wants its last thought
    page.send("look", ply=0)
    assert page.next("state", "thought")["type"] == "state"


def test_a_planner_that_fails_is_told_and_the_server_lives(page):
    state = page.start("me", "me", "mcts(solver=True)")
    page.play(page.moved(state))
    assert "solver is for one or two players" in page.next("error")["message"]
    assert page.turn("undo")["view"]["ply"] == 1


def test_a_search_ends_when_the_page_closes(client, searches):
    with opened(client) as page:
        page.play(page.start("me", LONG))
        page.next("thought")
        assert sum(searches)
    assert soon(lambda: not sum(searches), seconds=20)  # much less than it takes


def test_an_agent_has_one_search_at_a_time_however_quickly_it_is_halted(page, searches):
    page.play(page.start("me", LONG))
    for _ in range(5):
        page.next("thought")
        for is_held in (True, False, True, False):
            page.send("hold", is_held=is_held)
    page.next("thought")
    page.turn("undo")
    assert max(accumulate(searches)) == 1
    assert searches.count(1) >= 6


def test_work_that_never_begins_leaves_no_trace(recwarn):
    """A task that is stopped before its first step has no coroutine that was never awaited."""

    async def quickly():
        house = room.House()
        made = house.room(read(json.dumps({"type": "new", "players": ["greedy"] * 2})))
        made.enter(str)
        for is_held in (True, False) * 5:
            made.take(read(json.dumps({"type": "hold", "is_held": is_held})), str)
        await asyncio.sleep(0.1)
        house.close()

    asyncio.run(quickly())
    gc.collect()
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.parametrize("num_batches", [3, 5, 10, 20])
def test_intervals_cover_as_often_as_they_say(num_batches):
    """With batches of very different sizes, as the searches of rare actions have them."""
    rng, count = np.random.default_rng(num_batches), 4000
    sizes = rng.integers(1, 100, (num_batches, count))
    means = rng.normal(2.0, 3.0 / np.sqrt(sizes))
    visits, sums = sizes.cumsum(axis=0), (sizes * means).cumsum(axis=0)
    intervals = Intervals()
    for seen, total in zip(visits, sums, strict=True):
        intervals.add(np.append(seen, 0), np.append(total / seen, np.nan))
    *margins, untried = intervals.margins()
    covered = np.mean(np.abs(sums[-1] / visits[-1] - 2.0) <= margins)
    assert covered == pytest.approx(0.95, abs=0.012)  # 3.5 standard errors
    assert np.isnan(untried)


def test_quantiles_are_those_of_students_distribution():
    counts = np.array([*range(3, 200), 10**3, 10**6], dtype=np.float64)
    widths = half_widths(np.ones(len(counts)), counts)
    assert widths == pytest.approx(stats.t.ppf(0.975, counts - 1), rel=1e-3)
    assert np.isnan(half_widths(np.ones(3), np.arange(3.0))).all()


def test_the_last_thought_of_a_planner_without_visits_lists_values():
    told: list[Any] = []
    model = CarcassonneModel(2, 3, "small", True, 1)
    action = Thinking(agents.make("greedy", seed=1), model, told.append).run()
    (thought,) = told
    assert thought.is_final
    assert thought.action == action
    assert thought.rows[0].visits is None
    assert max(share for *_, share in thought.places) == 1


# Players


@pytest.mark.parametrize("text", [*LEVELS, "mcts", "star2", "ea-mcts", "mcts(iterations=10)"])
def test_players_get_limits(text):
    agent = ALLOWED.agent(text)
    assert 0 < agent.time_limit <= PAGE_SECONDS
    if isinstance(agent, MCTS):
        assert agent.max_nodes <= PAGE_NODES


REFUSED = {
    *("trees", "vote"),  # trees multiply threads and memory
    *("evaluator", "batch_size", "virtual_loss", "root_noise"),  # may be any function
    *("reuse_tree", "phases"),  # moves are taken back; a page shows the first phase only
    *("rest", "grammar", "seed"),  # no budget ends it; no text has it; the game's seed decides
}
"""Options of planners that pages and files may not give."""


def test_all_planners_and_options_are_allowed_or_refused_on_purpose():
    refused = set()
    for name, factory in AGENTS.items():
        taken = signature_of(factory).parameters
        assert ALLOWED.options_of(name).keys() <= taken.keys()
        refused |= taken.keys() - ALLOWED.options_of(name).keys()
        agent = ALLOWED.agent(name)
        assert getattr(agent, "time_limit", 1.0) <= PAGE_SECONDS
        assert getattr(agent, "max_nodes", 1) <= PAGE_NODES
    assert refused == REFUSED


@pytest.mark.parametrize(
    "value", ["None", "os:system", "-1", "1e30", "(1,2)", "{}", "1e999", "b'x'"]
)
def test_a_wrong_value_of_an_option_is_refused_by_words(value):
    """The page, and whoever resumes a file, reads them."""
    for name in ("racing-mcts", "es-p-mcts", "star2", "greedy-turn", "bb-mcts", "oep", "emcts"):
        for option in ALLOWED.options_of(name):
            with suppress(ValueError):
                ALLOWED.player(f"{name}({option}={value})")


def test_the_name_of_a_former_level_is_that_of_a_planner():
    """Files, pages and commands that name it go on to work."""
    assert "strongest" not in LEVELS
    (of_file,) = seats_of_file(["strongest"])
    for agent in (ALLOWED.agent("strongest"), make(of_file), make(seat_of("strongest"))):
        assert "race_policy=greedy(heuristic=outlook, " in str(agent)
    assert "heuristic=forecast" in str(ALLOWED.agent("master"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("os:system", "there is no player"),
        ("os:system(x=1)", "there is no player"),
        ("tests/own.py", "there is no player"),
        ("mcts(evaluator=os:system)", "the option 'evaluator' is not allowed"),
        ("mcts(trees=1000)", "the option 'trees' is not allowed"),
        ("mcts(rollouts=1000000000)", "rollouts must be at most 1000, got"),
        ("ea-mcts(first_formula=7)", "formula must be a string"),
        ("mcts(reuse_tree=True)", "the option 'reuse_tree' is not allowed"),
        ("strongest(time_limit=1e9)", "time_limit must be at most 60"),
        ("strongest(contestants=101)", "contestants must be at most 100"),
        ("strongest(solver=True)", "a race needs solver=False"),
        ("strongest(time_limit=nan)", "time_limit must be a number"),
        ("mcts(iterations=True)", "iterations must be a number"),
        ("mcts(max_nodes=1e30)", "max_nodes must be at most"),
        ("expectimax(depth=9)", "depth must be at most 3"),
        ("mcts(tree_policy=__import__('os').system('x'))", "tree_policy must be a formula"),
        ("openspiel:hex", "there is no player"),
        ("mcts(" + "(" * 900, "options must read|nested too deeply|must read like"),
        ("x" * 1001, "1000 characters or less"),
        ("", "there is no player"),
        ("good player", "there is no player"),
    ],
)
def test_players_that_could_do_harm_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        player_of_page(text)


def test_a_level_judges_by_another_search_where_there_is_one():
    judges = {"a": "mcts(iterations=7)"}
    allowed = players.Players({"a": "mcts(iterations=9)", "b": "random"}, judges=judges)
    assert allowed.judge("a") == allowed.limited("mcts(iterations=7)")
    assert allowed.judge("b") == "random"
    with pytest.raises(ValueError, match="a game is analysed by one of a, b, got 'c'"):
        allowed.judge("c")


def test_limits_are_added_to_a_specification_and_kept_in_it():
    assert limited("mcts(c=0.1)") == "mcts(c=0.1, max_nodes=1000000, time_limit=1.0)"
    assert limited("mcts(time_limit=3, max_nodes=10)") == "mcts(time_limit=3, max_nodes=10)"
    limits = "(iterations=9, max_nodes=1000000, time_limit=60.0)"
    assert limited("mcts(iterations=9)").endswith(limits)
    for text in ("star2", "star2(time_limit=60)", "star2(time_limit=None)"):
        assert limited(text) == "star2(time_limit=10.0)"
    assert limited("star2(time_limit=1)") == "star2(time_limit=1)"


# Messages


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "message: Invalid JSON"),
        ("{", "message: Invalid JSON"),
        ("[]", "message: Input should be"),
        ("{}", "message: Unable to extract tag"),
        ('{"type": "fly"}', "does not match any of the expected tags"),
        ('{"type": "play", "ply": 1}', "play.action: Field required"),
        ('{"type": "play", "ply": 1, "action": 1.5}', "play.action: Input should be a valid int"),
        ('{"type": "play", "ply": -1, "action": 1}', "play.ply: Input should be greater"),
        ('{"type": "undo", "more": 1}', "undo.more: Extra inputs"),
        ('{"type": "new", "players": []}', "new.players: List should have at least 1"),
        ('{"type": "new", "players": ["me"], "meeples": 8}', "new.meeples: Input should be less"),
        (f'{{"type": "open", "game": "{"x" * 65}"}}', "open.game: String should have at most"),
        ('{"type": "new", "players": ["\\ud800"]}', "message: Invalid JSON"),
        ("[" * 10_000, "message: "),
        ("x" * 201_001, "201000 characters or less"),
    ],
)
def test_a_malformed_message_is_named(page, text, message):
    with pytest.raises(ValueError, match=r".") as error:
        read(text)
    assert message in str(error.value)
    page.socket.send_text(text)
    assert message in page.next("error")["message"]


def test_messages_out_of_place_are_refused(client, page):
    assert page.refused("undo") == "start a game first"
    assert "this game is gone" in page.refused("open", game="none")
    assert "there is no player" in page.refused("new", players=["os:system"])
    page.socket.send_bytes(b"\xff\x00")
    assert page.next("error")["message"] == "a message must be text"
    page.shown("new", players=["greedy", "greedy"], pause=5.0)
    assert "that is not you" in page.refused("hint")


SCRAPS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["me", "greedy", "random", "base", "small", "mcts(iterations=5)", "a:b"]),
    st.lists(st.sampled_from(["me", "random", "greedy", "x:y", "mcts("]), max_size=6),
)
MODELS = [model.model_fields for model in get_args(Message)]
TYPES = st.sampled_from(
    [kind for fields in MODELS for kind in get_args(fields["type"].annotation)] + ["fly"]
)
FIELDS = st.sampled_from(sorted({name for fields in MODELS for name in fields} - {"type"}))
NAMES = st.sampled_from(["me", "random", "greedy"])
GOOD = st.lists(NAMES, min_size=1, max_size=5).map(
    lambda players: {"type": "new", "players": players, "tiles": "small", "pause": 0.0}
)
MESSAGES = st.one_of(
    GOOD,
    st.builds(lambda kind, rest: {"type": kind} | rest, TYPES, st.dictionaries(FIELDS, SCRAPS)),
    st.fixed_dictionaries(
        {"type": st.just("play"), "ply": st.integers(0, 30), "action": st.integers(0, 500_000)}
    ),
    st.fixed_dictionaries({"type": st.sampled_from(["undo", "resign", "hurry"])}),
    st.fixed_dictionaries(
        {"type": st.just("analyse"), "level": st.sampled_from(["expert", "beginner", None])}
    ),
    SCRAPS,
).map(json.dumps)


@pytest.mark.parametrize("count", [400, 10_000])
@pytest.mark.slow(keep="^400$")
def test_random_messages_do_no_harm(client, caplog, count):

    @settings(
        max_examples=count // 10,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(MESSAGES | st.text(max_size=60), min_size=10, max_size=10))
    def run(texts):
        with opened(client) as page:
            for text in texts:
                page.socket.send_text(text)
            page.send("open", game="the last message")
            told = ""
            while "this game is gone" not in told:
                told = page.next("error", "state", "thought", "analysis").get("message", "")
                assert "this server has a fault" not in told

    run()
    assert not caplog.records


def test_a_fault_is_told_and_the_page_goes_on(client, page, monkeypatch, caplog):
    def fail(*_):
        raise KeyError("a fault")

    page.start()
    monkeypatch.setattr(room.Room, "take", fail)
    assert page.refused("undo") == "this server has a fault; it goes on all the same"
    assert "a message of the page failed" in caplog.text
    monkeypatch.undo()
    page.start()


def test_too_many_games_and_pages_are_refused(monkeypatch):
    monkeypatch.setattr(agents.web.room, "MAX_ROOMS", 1)
    monkeypatch.setattr(agents.web.site, "MAX_PAGES", 2)
    with client_of(served.Site()) as client:
        with opened(client) as page:
            first = page.start()["game"]
        with opened(client) as page, opened(client) as other:
            page.start()  # in place of the game that nobody shows
            assert "close the page of one" in other.refused("new", players=["me"])
            assert "this game is gone" in other.refused("open", game=first)
            with pytest.raises(WebSocketDisconnect), opened(client):
                pass


# Words


def test_the_language_is_the_one_chosen_or_that_of_the_browser(client):
    for chosen, wanted, language in [
        ("", "de-AT,de;q=0.9,en;q=0.8", "de"),
        ("", "fr, en-US;q=0.5, de;q=0.3", "en"),
        ("", "fr", "en"),
        ("de", "en", "de"),
        ("../x", "de", "de"),
    ]:
        headers = {"accept-language": wanted, "cookie": f"language={chosen}"}
        html = client.get(f"/{TOKEN}/", headers=headers).text
        assert f'<html lang="{language}">' in html
        for words in ("Spielregeln", "Dieser Platz ist nicht frei"):  # of the page, of the server
            assert (words in html) == (language == "de")
        assert f'<option value="{language}" selected>' in html


SIDES = {
    side for name in agents.catalogue.game_names() for side in agents.catalogue.game(name).sides
}
FOLDERS = (COMMON, served.STATIC.parent / "words")


def forms_of(text: Any) -> list[str]:
    return [*text.values()] if isinstance(text, dict) else [text]


@pytest.mark.parametrize("folder", FOLDERS, ids=["common", "carcassonne"])
@pytest.mark.parametrize("language", set(languages()) - {ENGLISH})
def test_languages_have_the_same_words(folder, language):
    """With the same values in them; beside them, a translation of texts that the server has."""
    english, other = (json.loads((folder / f"{x}.json").read_text()) for x in (ENGLISH, language))
    packages = (Path(agents.__file__).parent, served.STATIC.parents[1])
    sources = "".join(path.read_text() for root in packages for path in root.glob("**/*.py"))
    for key in set(other) - set(english):
        assert " " in key or key in {"finished", *SIDES}, key
        assert all(part in sources for part in key.split("#")), key
    assert set(english) <= set(other)
    for key, text in english.items():
        values = {value for form in forms_of(text) for value in re.findall(r"{\w+}", form)}
        for form in forms_of(other[key]):
            assert set(re.findall(r"{\w+}", form)) == values, key
        assert isinstance(text, str) or "other" in other[key]


def test_no_text_stands_in_the_pages_outside_of_the_words():
    for file in (*served.STATIC.glob("*.html"), *STATIC.glob("*.html")):
        for text in Texts(file.read_text(encoding="utf-8")).found - {"Carcassonne"}:
            assert not re.search(
                r"[^\W\d]", re.sub(r"\$\w+|Shift\+R|Escape|\([A-Z]\)", "", text)
            ), text


@pytest.mark.parametrize("language", languages())
def test_the_words_fit_into_attributes_and_there_are_all(language):
    words = words_of(language, FOLDERS[1])
    assert {f"meaning_{level}" for level in LEVELS} | {f"name_{level}" for level in LEVELS} <= set(
        words
    )
    for file in (*served.STATIC.glob("*.html"), *STATIC.glob("*.html")):
        for key in re.findall(r'="\$(\w+)', file.read_text(encoding="utf-8")):
            assert not set('"<&') & set(words[key]), key
    scripts = "".join(f.read_text() for f in (*served.STATIC.glob("*.js"), *STATIC.glob("*.js")))
    assert set(re.findall(r'\bsay\("(\w+)"', scripts)) <= set(words)


KINDS = {
    **{"": "text/html", ".js": "javascript", ".css": "text/css"},
    **{".svg": "image/svg+xml", ".json": "application/json"},
}


def test_the_page_and_its_files_are_served_and_small(client):
    """All that a browser loads with it, compressed: 60 kB at most.

    What it loads when it is asked for comes later, such as the help, and the result at the end, and
    what shows moves, such as charts.
    """
    paths, size = ["", "symbols.svg", "facts.json"], 0
    for path in paths:
        answer = client.get(f"/{TOKEN}/{path}")
        assert answer.status_code == 200, path
        assert KINDS[Path(path).suffix] in answer.headers["content-type"]
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        size += len(gzip.compress(answer.content))
        names = re.findall(r'(?:src|href)="(static/[^"]+)"', answer.text) if not path else []
        names += [f"static/{name}" for name in re.findall(r' from "\./(.+?)"', answer.text)]
        paths += [name for name in dict.fromkeys(names) if name not in paths]
    assert len(paths) > 20
    assert size < 60 * 1024
    later = ("analysis", "chart", "curve", "practice")
    assert not set(paths) & {f"static/{name}.js" for name in later}
    symbols = client.get(f"/{TOKEN}/symbols.svg").text
    assert 'id="tile-X-0"' in symbols
    assert 'id="part-A-2"' in symbols
    rules = client.get(f"/{TOKEN}/help.html", headers={"accept-language": "de"}).text
    assert words_of("de", FOLDERS[1])["rules_aim"] in rules
    assert "$" not in rules


# Requests


def test_the_page_asks_no_other_host():
    for file in (*served.STATIC.iterdir(), *STATIC.iterdir()):
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
        assert "http://" not in text, file
        assert "https://" not in text, file
        assert "style=" not in text, file  # the policy forbids it


def test_the_accent_is_no_colour_of_a_player():
    """By its hue, in degrees; black has none."""

    def hue(colour):
        return 360 * colorsys.rgb_to_hsv(*bytes.fromhex(colour[1:]))[0]

    accents = re.findall(r"--accent: (#\w{6})", (STATIC / "common.css").read_text())
    assert len(accents) == 2  # light and dark
    for accent in accents:
        for colour in PLAYER_COLOURS:
            is_black = len(set(colour[1:])) < 3
            assert is_black or 30 < abs(hue(accent) - hue(colour)) < 330


@pytest.mark.parametrize(
    ("name", "values", "status"),
    [
        ("path", ["/", "/wrong/", f"/{TOKEN}x/", "/static/app.js", f"//{TOKEN}/", "*"], 404),
        ("host", ["example.com", f"example.com:{PORT}", "127.0.0.1", "127.0.0.1:1", ""], 421),
        ("host", [f"10.0.0.1:{PORT}"], 421),
        ("origin", ["http://example.com", "null", "http://127.0.0.1:1", "file://"], 403),
        ("origin", [f"https://127.0.0.1:{PORT}"], 403),
    ],
)
def test_requests_from_elsewhere_are_refused(client, name, values, status):
    for value in values:
        path = value if name == "path" else f"/{TOKEN}/"
        headers = HERE if name == "path" else {**HERE, name: value}
        assert client.get(path, headers=headers).status_code == status, value
        if name != "path":
            with pytest.raises(WebSocketDisconnect), opened(client, headers):
                pass


def test_its_own_origin_is_let_in(client):
    origin = {**HERE, "origin": f"http://127.0.0.1:{PORT}"}
    with opened(client, origin) as page:
        assert page.start()


OUTSIDE = (
    *("static/../site.py", "static/%2e%2e/site.py", "static/..%2fsite.py", "static/none.js"),
    *("static/....//site.py", "static//etc/passwd", "static/%2fetc%2fpasswd", "static/"),
    "static/..\\site.py",
)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        *(("GET", path, b"", 404) for path in OUTSIDE),
        *((method, "", b"x" * 1_000_000, 413) for method in ("POST", "PUT", "GET")),
        ("POST", "", b"", 405),
        ("DELETE", "facts.json", b"", 405),
    ],
)
def test_other_files_bodies_and_methods_are_refused(client, method, path, body, status):
    answer = client.request(method, f"/{TOKEN}/{path}", content=body)
    assert answer.status_code == status
    assert "import" not in answer.text
    assert client.get(f"/{TOKEN}/").status_code == 200


# The command


PATIENT = """
import uvicorn

class Patient(uvicorn.Config):
    def __init__(self, app, **options):
        super().__init__(app, **options | {"timeout_graceful_shutdown": 60})

uvicorn.Config = Patient
"""
"""At the server's end, uvicorn complains after so long; a loaded machine may need more than 1 s."""
COMMAND = """
import sys
from carcassonne_env.cli.main import main

sys.argv[1:] = ["web", "--no-browser"]
main()
"""


@contextmanager
def serving(program: str) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """A server in a process, its port and its token."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-u", "-W", "error", "-c", PATIENT + program]
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        port, token = re.search(r"http://127\.0\.0\.1:(\d+)/(\S{32})/$", line).groups()
        try:
            yield process, int(port), token
        finally:
            process.kill()


@pytest.fixture
def running():
    with serving(COMMAND) as made:
        yield made


def test_a_server_in_the_network_warns_and_answers_to_its_address_only():
    command = [sys.executable, "-m", "carcassonne_env", "web", "--no-browser", "--host", "0"]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE) as process:
        try:
            address = urlsplit(process.stdout.readline().split()[1])
            is_open = address.hostname != HOST  # HOST if this machine is in no network
            told = process.stdout.readline()
            while is_open and "█" not in told and (line := process.stdout.readline()):
                told += line
            assert ("Warning: other machines of the network" in told) == is_open
            get, end = f"GET {address.path} HTTP/1.1\r\nHost: ", "\r\nConnection: close\r\n\r\n"
            for host, status in [(address.netloc, b"200"), (f"example.com:{address.port}", b"421")]:
                request = f"{get}{host}{end}".encode()
                answer = answer_to(address.port, request, address.hostname)
                assert answer.startswith(b"HTTP/1.1 " + status)
        finally:
            process.kill()


def test_a_server_in_a_network_without_a_route_warns(monkeypatch, caplog):
    def connect(*_):
        raise OSError("Network is unreachable")

    monkeypatch.setattr(socket.socket, "connect", connect)
    for host in ("0.0.0.0", "0", "0x0"):
        caplog.clear()
        assert Address.new(1).found_at(host).host == HOST
        assert "start with --host and that address" in caplog.text


def test_the_host_of_an_address_is_as_browsers_send_it():
    for host, sent in [("MyBox", "mybox"), ("127.1", HOST), ("192.0.2.7", "192.0.2.7")]:
        assert Address.new(1).found_at(host).host == sent


def test_a_host_that_is_not_of_this_machine_is_refused():
    with pytest.raises(OSError, match=r"."):
        serve(served.Site(), host="192.0.2.1")
    with pytest.raises(ValueError, match="host must be an address or a name of this machine"):
        serve(served.Site(), host="")


def test_a_page_cannot_propose_more_players_than_a_game_has():
    with pytest.raises(ValueError, match=r"the number of players must be in \[1, 5\], got 6"):
        served.Site(["me"] * 6)


def interrupt(process: subprocess.Popen[str], seconds: float) -> None:
    """Ends a server by a signal, within so many seconds and without a complaint."""
    process.send_signal(signal.SIGINT)
    assert process.wait(seconds) == 0
    assert process.stderr.read() == ""


def answer_to(port: int, data: bytes, host: str = HOST) -> bytes:
    """What the server answers to raw bytes, up to its end of the connection."""
    with socket.create_connection((host, port), timeout=20) as connection:
        connection.sendall(data)
        return b"".join(iter(partial(connection.recv, 65536), b""))


def test_raw_requests_do_no_harm(running):
    process, port, token = running
    end = f" HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
    get = f"GET /{token}"
    for request, status in [
        (f"{get}/{end}\r\n", b"200"),
        (f"{get}/static/../../site.py{end}\r\n", b"404"),
        (f"{get}/static/../site.py{end}\r\n", b"404"),
        (f"{get}/static/%00{end}\r\n", b"404"),
        (f"{get}/{end}Host: example.com\r\n\r\n", b"4"),
        (f"{get}/{end}Origin: http://example.com\r\n\r\n", b"403"),
        (f"{get}/{end}Content-Length: 99999999999\r\n\r\n", b"413"),
        (f"POST /{token}/{end}Transfer-Encoding: chunked\r\n\r\n", b"413"),
        (f"{get}/{end}X: {'x' * 40_000}\r\n\r\n", b"4"),
        ("no request at all\r\n\r\n", b"400"),
    ]:
        answer = answer_to(port, request.encode("latin-1"))
        assert answer.startswith(b"HTTP/1.1 " + status), (request[:80], answer[:80])
        assert b"import" not in answer
    address = f"ws://127.0.0.1:{port}/{token}/game"
    with connect(address) as page:
        page.send("x" * 1_000_000)
        with pytest.raises(ConnectionClosed):
            page.recv(timeout=10)
    with connect(address) as page:
        page.send("{")
        assert "Invalid JSON" in page.recv(timeout=10)
    process.terminate()
    assert process.stderr.read() == ""


def test_answers_are_sent_at_once(monkeypatch):
    """With Nagle's algorithm, one may wait 40 ms until the client acknowledges an earlier one."""

    async def accept_one(listener: socket.socket) -> None:
        made = asyncio.get_running_loop().create_future()
        accepted = await asyncio.start_server(
            lambda *streams: made.set_result(streams), sock=listener
        )
        async with accepted:
            with socket.create_connection(listener.getsockname()):
                _, writer = await made
                option = socket.IPPROTO_TCP, socket.TCP_NODELAY
                found.append(writer.get_extra_info("socket").getsockopt(*option))
                writer.close()
                await writer.wait_closed()

    found = []
    monkeypatch.setattr(
        agents.web.server._Server,
        "run",
        lambda _, sockets: asyncio.run(accept_one(*sockets)),
    )
    serve(served.Site(), ready=lambda _: None)
    assert found == [1]


needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for another process")


@needs_signals
def test_an_interrupt_ends_the_server_and_its_searches(running):
    process, port, token = running
    address = f"ws://127.0.0.1:{port}/{token}/game"

    def is_final(page):
        return page.next("thought", timeout=0)["thought"]["is_final"]

    with connect(address) as one, connect(address) as other:
        pages = {Page(one): LONG, Page(other): "expectimax(depth=3, heuristic=outlook)"}
        for page, planner in pages.items():
            page.play(page.start("me", planner, tiles="base"))
            while not page.next("state")["is_thinking"]:
                pass
        time.sleep(0.5)
        for page in pages:
            with pytest.raises(TimeoutError):  # the searches take 13 seconds or more
                list(iter(partial(is_final, page), True))
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
        interrupt(process, 10)  # who insists ends it no less properly


DEAF = """
import socket
import agents.web.server
from carcassonne_env.web.site import Site

class Listener(socket.socket):
    def listen(self, backlog):
        self.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        super().listen(backlog)

agents.web.server.socket.socket = Listener
agents.web.server.serve(Site())
"""


KEYS = f"Sec-WebSocket-Key: {'A' * 22}==\r\nSec-WebSocket-Version: 13\r\n"
UPGRADE = f"Connection: Upgrade\r\nUpgrade: websocket\r\n{KEYS}"


@needs_signals
def test_a_client_that_reads_too_little_holds_up_no_end():
    """Both sides have small buffers."""
    with serving(DEAF) as (process, port, token), ExitStack() as clients:
        for path, head, count in [("game", UPGRADE, 1), ("symbols.svg", "", 9)]:
            client = clients.enter_context(socket.socket())
            client.settimeout(20)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect((HOST, port))
            request = f"GET /{token}/{path} HTTP/1.1\r\nHost: {HOST}:{port}\r\n{head}\r\n"
            client.sendall(request.encode() * count)
            if path == "game":
                assert client.recv(1000).startswith(b"HTTP/1.1 101")
                text = json.dumps({"type": "new", "players": ["me"]}).encode()
                for _ in range(9):  # each is answered by about 8 kB
                    client.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)
            assert client.recv(1, socket.MSG_PEEK)  # the answers begin
        time.sleep(0.3)
        interrupt(process, 20)  # uvicorn would complain if it had waited in vain


@needs_signals
def test_a_page_that_asks_much_holds_up_nobody(running):
    """1,000 questions for earlier positions take seconds; others get half of the time."""
    process, port, token = running
    address = f"ws://127.0.0.1:{port}/{token}/game"
    setup = Setup(2, 7)
    actions = [ply.action for ply in play_game(setup, ["greedy"] * 2, 1).plies]
    text = SavedGame.of(setup, ["a", "b"], actions, 1).to_json()
    with connect(address) as page, connect(address) as other:
        page.send(json.dumps({"type": "load", "text": text}))
        page.recv(timeout=20)
        for _ in range(1000):
            page.protocol.send_text(b'{"type": "look", "ply": 60}')
        page.socket.sendall(b"".join(page.protocol.data_to_send()))  # all at once
        waits = []
        for _ in range(5):
            start = time.monotonic()
            other.send("{")
            other.recv(timeout=20)
            waits.append(time.monotonic() - start)
        assert max(waits) < 3
        interrupt(process, 3)


IMPATIENT = """
import functools
import agents.web.server
from carcassonne_env.web.site import Site

agents.web.server.REQUEST_SECONDS = 0.5
uvicorn.Config = functools.partial(uvicorn.Config, timeout_keep_alive=1)
agents.web.server.serve(Site())
"""


def test_requests_that_never_end_are_closed():
    with serving(IMPATIENT) as (_, port, token):
        whole = f"GET /{token}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        requests = (
            *("", whole, f"{whole}\r\nGET", f"{whole}\r\n{whole}"),
            f"{whole}Content-Length: 9\r\n\r\n1",
        )

        def wait(data):
            start = time.monotonic()
            with suppress(ConnectionResetError):
                answer_to(port, data.encode())
            return time.monotonic() - start

        with ThreadPoolExecutor(len(requests)) as pool:
            seconds = dict(zip(requests, pool.map(wait, requests), strict=True))
        assert max(seconds.values()) < 8, seconds
        with connect(f"ws://127.0.0.1:{port}/{token}/game") as page:  # a page may say nothing
            time.sleep(1.2)
            page.send("{")
            assert "Invalid JSON" in page.recv(timeout=10)
