"""The page of Carcassonne under a finger: on a phone, upright and on its side, and on a tablet."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import pytest

import carcassonne_page
import chromium
from agents.game import play_game
from carcassonne_env.drawing.tile_art import PLAYER_COLOURS
from carcassonne_env.game_setup import Setup
from carcassonne_env.play.view import regions_of
from carcassonne_env.replaying import SavedGame
from carcassonne_page import (
    analyse,
    corner,
    game_of,
    look_back,
    open_file,
    play_first,
    resume,
    rings,
    scale,
    start,
    wait_for_turn,
)
from chromium import PHONE, SIDEWAYS, expect

browser, phone, address = chromium.browser, chromium.phone, carcassonne_page.address
game, saved, unfinished = carcassonne_page.game, carcassonne_page.saved, carcassonne_page.unfinished
pytestmark = pytest.mark.slow
SMALL, TABLET = {"width": 390, "height": 664}, {"width": 1280, "height": 800}
LOW, LOW_SIDEWAYS = {"width": 390, "height": 600}, {"width": 667, "height": 375}


@pytest.fixture
def finished(tmp_path):
    """The file of a finished game of three players with all tiles."""
    setup = Setup(3, 7, "base")
    plies = play_game(setup, ["greedy", "random", "greedy"], 3).plies
    played = SavedGame.of(setup, ["Ann", "Ben", "Carla"], [ply.action for ply in plies], 3)
    played.save(tmp_path / "three.json")
    return tmp_path / "three.json"


def meets(page: Any, part: str) -> bool:
    """Whether a finger meets the middle of an element where it is, without scrolling."""
    met: bool = page.locator(part).first.evaluate(
        """part => {
            const { x, y, width, height } = part.getBoundingClientRect();
            return part.contains(document.elementFromPoint(x + width / 2, y + height / 2));
        }"""
    )
    return met


def test_the_clocks_of_a_game_stop_when_another_one_is_opened(phone):
    phone.locator("#set-clock").select_option("3+2")
    start(phone, "me", "me")
    play_first(phone)
    expect(phone.locator("#clocks b")).to_have_text(re.compile(r"person 2 2:5\d"))
    phone.locator("#new").tap()
    phone.locator("#set-clock").select_option("")
    start(phone, "me")  # there is no second clock
    assert wait_for_turn(phone)
    phone.wait_for_timeout(500)  # ticks
    expect(phone.locator("#scores [data-clock]")).to_have_count(0)


@pytest.mark.parametrize("size", [PHONE, SMALL, SIDEWAYS])
def test_the_result_is_read_to_its_end_and_leads_to_the_whole_board(phone, finished, size):
    phone.set_viewport_size(size)
    open_file(phone, finished)
    for button in ("#ending-close", "#ending-analyse"):
        expect(phone.locator(button)).to_be_in_viewport(ratio=1)
        assert meets(phone, button)
    expect(phone.locator("#zoom")).to_be_hidden()  # which would cover it
    assert phone.locator("#ply").bounding_box()["width"] > 70
    ending = phone.locator("#ending")
    assert ending.evaluate(
        "box => [...box.children].every((e) => e.scrollHeight <= e.offsetHeight)"
    )
    ending.evaluate("box => box.scrollTo(0, 9999)")
    assert meets(phone, "#finals li:last-child button")
    phone.evaluate("scrollTo(0, 200)")
    phone.locator("#ending-close").tap()
    assert phone.evaluate("scrollY") == 0
    for tile in phone.locator(".tiles use").all():
        expect(tile).to_be_in_viewport(ratio=1)


def test_the_solution_of_a_mistake_is_told_in_words(phone, saved):
    analyse(phone, saved)
    phone.locator("#learn").tap()
    told, note = phone.locator("#told"), phone.locator("#note")
    expect(told).to_contain_text("Find a better move")
    phone.get_by_role("button", name="Show the solution").tap()
    expect(note).to_have_text(
        re.compile(r"^Move \d+ \?.* lost \d.* points.*Better: .*, by estimate:")
    )
    expect(told).not_to_contain_text("Find a better move")
    expect(phone.get_by_role("button", name="Show the solution")).to_have_count(0)
    assert phone.locator("#said").evaluate("said => said.scrollHeight <= said.clientHeight")
    phone.locator(".legal rect").first.tap()  # what the move would do stands there then
    expect(note).to_contain_text("at once")
    phone.locator("#take-back").tap()
    expect(note).to_contain_text("lost")


def test_a_phone_names_no_cells_which_its_board_does_not_number(phone, saved):
    analyse(phone, saved)
    reasons = []
    for mistake in phone.locator("#worst button").all():
        mistake.tap()
        number = re.search(r"Move \d+", mistake.inner_text())[0]
        expect(phone.locator("#note")).to_contain_text(number)
        reasons += re.findall(r", by estimate: (.*)", phone.locator("#note").inner_text())
    assert any(re.search(r"(road|city|farm) [+−]\d", each) for each in reasons)
    assert not any("(" in each for each in reasons)
    phone.locator("#retry").tap()
    told = phone.locator("#told")
    expect(told).to_have_text(re.compile(r"Mistake \d+ of \d+\. Played: (no meeple|\w+)\."))


def test_a_move_that_is_still_a_mistake_is_called_better_only_if_its_mark_is(phone, saved):
    analyse(phone, saved)
    marks = dict(
        re.findall(
            r"(\d+)\.[^.]*?(\?[!?]?) −", " ".join(phone.locator("#record li").all_inner_texts())
        )
    )
    phone.locator("#learn").tap()
    told, begins = phone.locator("#told"), set()
    for count, number in enumerate(marks, 1):
        expect(told).to_contain_text(f"Mistake {count} of {len(marks)}")
        play_first(phone)
        expect(told).to_contain_text("(level expert)")
        if points := re.search(r"loses ([\d.]+) points", told.inner_text()):
            least = {"?!": 2, "?": 5, "??": 10}[marks[number]]
            begin = "Better: " if float(points[1]) < least else "Not yet. "
            expect(told).to_have_text(re.compile(f"^{begin}"))
            begins.add(begin)
        if count < len(marks):
            phone.get_by_role("button", name="Next mistake").tap()
    assert begins == {"Better: ", "Not yet. "}


@pytest.mark.parametrize("size", [PHONE, SIDEWAYS, TABLET])
def test_a_mistake_is_explained_in_full_and_all_buttons_are_on_the_screen(phone, saved, size):
    phone.set_viewport_size(size)
    analyse(phone, saved)
    note = phone.locator("#note")
    while "by estimate" not in (before := note.inner_text()):
        phone.locator("#mistake-before").tap()
        expect(note).not_to_have_text(before)
    parts = ["#past > :is(button, input):visible"]
    if size != TABLET:
        parts += ["#said", "#board", "#actions"]
        said = phone.locator("#said")
        assert said.evaluate("said => said.scrollHeight <= said.clientHeight")
    for part in parts:
        for each in phone.locator(part).all():
            expect(each).to_be_in_viewport(ratio=0.97)
    assert phone.locator("#ply").bounding_box()["width"] > 70
    assert meets(phone, "#mistake")


@pytest.mark.parametrize("size", [PHONE, SIDEWAYS])
def test_the_panel_of_the_analysis_begins_below_the_header(phone, saved, size):
    phone.set_viewport_size(size)
    analyse(phone, saved)
    header, title = (phone.locator(part).bounding_box() for part in ("header", "#analysis-title"))
    top = header["height"] if size == PHONE else -1  # the header stays in sight upright only
    assert top <= title["y"] < top + 40
    phone.locator("#mistake-before").tap()
    expect(phone.locator("#board")).to_be_in_viewport(ratio=0.97)


def test_the_results_of_all_games_are_read_to_the_right(phone, saved):
    lost = {"is_over": True, "resigned": 1, "is_late": True, "scores": [12, 9]}
    game = {
        "name": "1",
        "players": ["Anna Katharina", "Bob"],
        "seed": 10**15 - 1,
        "ply": 71,
        **lost,
    }
    phone.route("**/results.json", lambda route: route.fulfill(json=[game]))
    look_back(phone, saved)
    phone.locator("#share").tap()
    result = phone.locator("#share-box td").last
    expect(result).to_have_text("Bob: time is over. Winner: Anna Katharina, final 12 : 9")
    expect(result).to_be_in_viewport(ratio=1)
    table = phone.locator("#share-box .scroll")
    assert table.evaluate("table => table.scrollWidth <= table.clientWidth")


def test_who_takes_a_seat_sees_the_board_and_a_finished_game_offers_none(phone, saved):
    start(phone, "me", "me")
    phone.locator("#share").tap()
    phone.locator("#share-box input").fill("Ann")
    phone.locator("#share-box .fields button").first.tap()
    expect(phone.locator("#scores .name").first).to_have_text("Ann")
    expect(phone.locator("#share-box")).to_have_count(0)
    assert phone.evaluate("scrollY") == 0
    phone.locator("#new").tap()
    look_back(phone, saved)
    phone.locator("#share").tap()
    expect(phone.locator("#share-box")).to_be_visible()
    expect(phone.locator("#share-box .fields")).to_have_count(0)


def test_all_mistakes_are_listed_in_the_order_of_the_game(phone, saved):
    analyse(phone, saved)
    listed = [
        re.search(r"Move (\d+)", text)[1] for text in phone.locator("#worst li").all_inner_texts()
    ]
    marked = phone.locator("#record li", has=phone.locator(".lost", has_text="?"))
    assert [f"{number}." for number in listed] == marked.locator(".number").all_inner_texts()
    assert len(listed) > 6
    phone.locator("#worst button").last.tap()
    expect(phone.locator("#note")).to_contain_text(f"Move {listed[-1]} ")


@pytest.mark.parametrize("size", [PHONE, SIDEWAYS, TABLET])
def test_buttons_keep_their_places_while_the_computer_thinks(phone, size):
    def places():
        return {name: phone.locator(name).bounding_box() for name in ("#undo", "#resign", "#past")}

    phone.set_viewport_size(size)
    start(phone, "me", "mcts(time_limit=40)")
    before = places()
    boxes = {name: phone.locator(name).bounding_box() for name in ("#play", "#hint", "#turn-on")}
    play_first(phone)
    expect(phone.locator("#hurry")).to_be_visible()
    expect(phone.locator("#hint")).to_be_hidden()
    assert places() == before
    for name, box in boxes.items():  # a second tap does no harm there
        at = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        met = phone.evaluate("at => document.elementFromPoint(...at).closest('button')?.id", at)
        assert met in ({None} if name == "#play" else {None, "hurry", "hold"})


def test_the_dialog_remembers_the_clock(phone):
    phone.locator("#set-clock").select_option("5+5")
    start(phone, "me")
    phone.goto(phone.url.split("#")[0])
    expect(phone.locator("#set-clock")).to_have_value("5+5")


def test_a_variation_is_told_in_words_on_a_phone(phone, saved):
    analyse(phone, saved)
    phone.locator("#ply").fill("20")
    phone.locator("#vary").tap()
    expect(phone.locator("#progress")).to_have_text("Variation after 20 moves")
    for count in (21, 22):
        play_first(phone)
        expect(phone.locator("#record li button")).to_have_count(count)
    phone.get_by_role("button", name="Back to the analysis").tap()
    variation = phone.locator("#record .variation")
    meeple = "(no meeple|road|city|farm|cloister)"
    expect(variation).to_have_text(re.compile(rf"^Variation21\.{meeple}\W*{meeple}$"))
    assert variation.evaluate("each => each.scrollWidth <= each.clientWidth")
    variation.scroll_into_view_if_needed()


@pytest.mark.parametrize("size", [PHONE, SIDEWAYS])
def test_the_panel_tells_what_the_other_player_scored(phone, size, tmp_path):
    phone.set_viewport_size(size)
    scores = [board.scores for board in game_of(4, "greedy", "greedy", tiles="base").boards()]
    gains = {n: scores[n][1] - scores[n - 1][1] for n in range(2, 60, 2)}  # of Ben
    count = next(n for n in gains if gains[n] and scores[n][0] == scores[n - 1][0])
    part = game_of(4, "greedy", "greedy", tiles="base", most=2 * count)
    part.save(tmp_path / "part.json")
    open_file(phone, tmp_path / "part.json")
    assert wait_for_turn(phone)
    expect(phone.locator("#note")).to_have_text(f"Ben scored {gains[count]}")


def test_all_farms_show_their_owners_in_colours_and_by_the_number_of_lines(phone, saved, game):
    look_back(phone, saved)
    phone.locator("#farms").tap()
    patterns = phone.locator(".farms pattern")
    for model in reversed(game.boards()[-2:]):
        farms = [region for region in regions_of(model) if region["kind"] == "farm"]
        expect(patterns).to_have_count(len(farms))
        for i, farm in enumerate(farms):
            lines = patterns.nth(i).locator("rect:not(.ground)")
            colours = lines.evaluate_all("lines => lines.map((line) => line.getAttribute('fill'))")
            owned = [[PLAYER_COLOURS[owner]] * (owner + 1) for owner in farm["owners"]]
            assert colours == [colour for of_owner in owned for colour in of_owner]
            expect(phone.locator(f"#farm-{i} use")).to_have_count(len(farm["parts"]))
        phone.locator("#before").tap()
    assert len({farm["owners"] for farm in farms}) > 1
    phone.keyboard.press("f")
    expect(patterns).to_have_count(0)


def test_rings_are_numbered_like_their_buttons_and_large_enough_for_a_finger(phone):
    start(phone, "me")
    play = None
    for _ in range(6):
        assert wait_for_turn(phone)
        play = play or phone.locator("#play").bounding_box()
        phone.locator(".legal rect").first.tap()
        expect(phone.locator("#note")).not_to_be_empty()
        assert phone.locator("#play").bounding_box() == play
        numbers = phone.locator(".spot text").all_text_contents()
        names = phone.locator("#choices button").all_inner_texts()[1:]
        assert numbers == [name.split()[0] for name in names] == list("12345678")[: len(names)]
        phone.locator("#farms").tap(trial=True)  # the words and buttons do not cover it
        found = rings(phone)
        assert all(width >= 43.9 for *_, width in found)
        for i, (x, y, width) in enumerate(found):
            assert all(math.hypot(x - u, y - v) >= width for u, v, _ in found[:i])
        if names:
            expect(phone.locator("#choices button").last).to_be_in_viewport(ratio=1)
            phone.locator("#choices button").last.tap()
            expect(phone.locator(".spot.chosen text")).to_have_count(0)  # the meeple is seen
            expect(phone.locator(".ghost .lit")).to_have_count(1)
        phone.locator("#play").tap()


def test_a_mistake_is_seen_with_the_whole_board_if_there_is_room(phone, tmp_path):
    game_of(4, "random", "random").save(tmp_path / "high.json")
    analyse(phone, tmp_path / "high.json")
    for count in (1, 2, 3, 4, 5):
        phone.locator("#ply").fill("23")
        expect(phone.locator(".tiles use")).to_have_count(24)
        phone.locator("#ply").fill(f"{count - 1}")
        expect(phone.locator(".tiles use")).to_have_count(count)
        for tile in phone.locator(".tiles use").all():
            expect(tile).to_be_in_viewport(ratio=1)


def test_a_mistake_is_seen_from_near_after_the_way_back_to_the_analysis_too(phone, saved):
    phone.set_viewport_size(SIDEWAYS)
    analyse(phone, saved)
    phone.locator("#mistake-before").tap()
    expect(phone.locator(".compared .label")).to_have_count(2)
    near = scale(phone)
    phone.locator("#retry").tap()
    phone.get_by_role("button", name="Back to the analysis").tap()
    expect(phone.locator(".compared .label")).to_have_count(2)
    assert scale(phone) == near
    phone.reload()  # the link to it
    expect(phone.locator(".compared .label")).to_have_count(2)
    assert scale(phone) == near
    phone.locator("#fit").tap()
    phone.locator("#theme").tap()
    phone.locator("#tab-game").tap()
    assert scale(phone) < near


def assert_all_places_are_met(page: Any) -> None:
    """Each legal place is seen, and nothing covers its upper or its lower end."""
    places = page.locator(".legal rect").evaluate_all(
        """places => places.map((place) => {
            const { x, y, width, height } = place.getBoundingClientRect();
            return [0.1, 0.9].every((dy) =>
                document.elementFromPoint(x + width / 2, y + dy * height) === place);
        })"""
    )
    assert places
    assert all(places)


def test_two_taps_turn_the_tile_twice_and_the_clocks_stand_in_the_scores(phone):
    phone.locator("#set-clock").select_option("3+2")
    start(phone, "me", "expert", "casual", seed="3")
    expect(phone.locator("#scores [data-clock]")).to_have_count(3)
    expect(phone.locator("#clocks")).to_be_hidden()
    for size in (PHONE, SIDEWAYS, PHONE):
        phone.set_viewport_size(size)
        for name in phone.locator("#scores .name").all():
            name.evaluate("name => name.append('spieler')")  # casual in German is Hobbyspieler
            assert name.evaluate("name => name.scrollWidth <= name.clientWidth")
            name.evaluate("name => name.lastChild.remove()")
    phone.locator(".legal rect").first.tap()
    tile, spot = phone.locator(".ghost .placed").bounding_box(), corner(phone)
    lies = [phone.locator("#told .hidden").inner_text()]
    for _ in range(2):
        phone.touchscreen.tap(tile["x"] + spot["x"], tile["y"] + spot["y"])
        lies.append(phone.locator("#told .hidden").inner_text())
    assert len({*lies}) == 3
    expect(phone.locator(".tiles use")).to_have_count(1)


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_no_clock_is_cut_and_the_board_is_all_that_panel_and_buttons_leave(phone, num_players):
    phone.locator("#set-clock").select_option("20+20")
    start(phone, "me", *["expert"] * (num_players - 1))
    expect(phone.locator("#scores [data-clock]")).to_have_count(num_players)
    phone.evaluate("for (const b of document.querySelectorAll('#scores b')) b.textContent = '128'")
    for size in (SIDEWAYS, PHONE, SMALL):
        phone.set_viewport_size(size)
        is_wide = "scores => scores.scrollWidth > scores.clientWidth"
        assert not phone.locator("#scores").evaluate(is_wide)
        for button in phone.locator("#actions button:visible").all():
            box = button.bounding_box()
            at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] - 3}
            met = phone.evaluate("({x, y}) => document.elementFromPoint(x, y)?.id", at)
            assert met == button.get_attribute("id")
        if size != SIDEWAYS:
            parts = ("header", "#board", "#zoom", "#turn")
            header, board, zoom, turn = (phone.locator(part).bounding_box() for part in parts)
            assert header["height"] + board["height"] <= zoom["y"]
            assert zoom["y"] + zoom["height"] <= turn["y"]
            assert turn["y"] + turn["height"] == pytest.approx(size["height"], abs=1)


@pytest.mark.parametrize("size", [SIDEWAYS, PHONE, TABLET])
def test_the_panel_stays_when_buttons_for_meeples_come(phone, size):
    phone.set_viewport_size(size)
    start(phone, "me", "me", "me", seed="7")  # begins with a crossing
    assert wait_for_turn(phone)

    def places():
        parts = ("#table", "#turn", "#actions", "#play", "#side")
        return [phone.locator(part).bounding_box() for part in parts]

    before, buttons = places(), phone.locator("#choices button")
    phone.locator(".legal rect").first.tap()
    expect(buttons).to_have_count(7)
    assert places() == before
    buttons.last.tap()
    expect(buttons.last).to_have_attribute("aria-pressed", "true")
    expect(buttons.last).to_be_in_viewport(ratio=1)
    expect(phone.locator("#note")).to_contain_text("now")
    assert places() == before
    said = phone.locator("#said")
    assert said.evaluate("said => said.scrollHeight <= said.clientHeight")  # all words are seen


@pytest.mark.parametrize("size", [SIDEWAYS, PHONE, TABLET])
def test_a_game_can_be_started_without_scrolling_the_dialog(phone, size):
    phone.set_viewport_size(size)
    for _ in range(3):
        phone.locator("#add-seat").tap()
    expect(phone.locator(".seat select")).to_have_count(5)
    expect(phone.locator(".seat select").last).to_be_focused()
    start, last = (phone.locator(name).last for name in ("#start", ".seat select"))
    for part in (start, last):  # nothing covers the seat that came
        expect(part).to_be_in_viewport(ratio=1)
    assert last.bounding_box()["y"] + last.bounding_box()["height"] < start.bounding_box()["y"]
    phone.locator("#setup").evaluate("dialog => dialog.scrollTo(0, 0)")
    expect(start).to_be_in_viewport(ratio=1)
    last.select_option("")
    last.locator("xpath=..").locator("input").fill("nobody")
    phone.locator("#setup").evaluate("dialog => dialog.scrollTo(0, 0)")
    start.tap()
    expect(phone.locator("#setup-error")).to_contain_text("nobody")
    expect(phone.locator("#setup-error")).to_be_in_viewport(ratio=1)


def test_a_phone_shows_all_scores_beside_the_board_and_says_tap(phone):
    start(phone, "me", *["casual"] * 4)
    names = ["you", *(f"casual {i}" for i in range(1, 5))]
    words = [re.compile(rf"{name}\s*0\s*7\s*7 meeples in hand") for name in names]
    expect(phone.locator("#scores > span")).to_have_text(words)
    expect(phone.locator("#players .score")).to_have_text(["0 points"] * 5)
    expect(phone.locator("#players .score").first).to_be_hidden()  # each score stands once
    expect(phone.locator("#play")).to_be_in_viewport()
    expect(phone.locator("#told")).to_contain_text("Tap a marked place")
    phone.locator("#help").tap()
    expect(phone.locator(".press").first).to_have_text("tap")
    expect(phone.locator("#help-box")).not_to_contain_text(re.compile("click", re.I))
    phone.locator("#help-text kbd").last.scroll_into_view_if_needed()
    expect(phone.locator("#help-box .main")).to_be_in_viewport(ratio=1)
    phone.locator("#help-box .main").tap()
    expect(phone.locator("#help-box")).to_be_hidden()
    phone.locator("#help").tap()
    phone.touchscreen.tap(PHONE["width"] / 2, 5)
    expect(phone.locator("#help-box")).to_be_hidden()
    phone.locator("#resign").tap()
    expect(phone.locator("#ending-title")).to_have_text(
        re.compile("^You resigned. 0 : .*, casual 1, casual 2, .* and casual 4 share the victory$")
    )
    phone.locator("#export").scroll_into_view_if_needed()
    for score in phone.locator("#scores > span").all():
        expect(score).to_be_in_viewport(ratio=1)


def test_a_phone_shows_all_places_and_goes_back_to_them(phone, unfinished):
    resume(phone, unfinished)
    board = phone.locator("#board")
    whole = board.get_attribute("viewBox")
    assert scale(phone) >= 30
    expect(phone.locator(".axes text")).to_have_count(0)
    assert_all_places_are_met(phone)
    for number in (0, -1):
        phone.locator(".legal rect").nth(number).dispatch_event("click")
        expect(phone.locator(".ghost .placed")).to_be_in_viewport(ratio=1)
        assert 59 < scale(phone) < 101
    phone.set_viewport_size(SIDEWAYS)
    phone.set_viewport_size(PHONE)
    expect(phone.locator(".ghost .placed")).to_be_in_viewport(ratio=1)
    phone.locator("#take-back").tap()
    assert board.get_attribute("viewBox") == whole
    phone.set_viewport_size({"width": 320, "height": 640})
    play_first(phone)
    expect(phone.locator(".ghost .placed")).to_have_count(0)
    assert_all_places_are_met(phone)
    phone.locator("#zoom-in").tap()
    expect(phone.locator("#zoom-in")).to_have_css("border-color", "rgb(214, 205, 187)")
    zoomed = scale(phone)
    phone.locator(".legal rect").first.dispatch_event("click")
    phone.locator("#play").tap()
    expect(phone.locator(".ghost .placed")).to_have_count(0)
    assert scale(phone) == pytest.approx(zoomed)


def test_a_finger_sees_the_tile_that_it_drags_and_the_place_below(phone):
    start(phone, "me")
    send = phone.context.new_cdp_session(phone).send

    def touch(kind, *point):
        points = [dict(zip("xy", point, strict=True))] if point else []
        send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    board = phone.locator("#board")
    before = board.get_attribute("viewBox")
    touch("touchStart", 195, 400)
    for y in (380, 340, 300):
        touch("touchMove", 195, y)
    touch("touchEnd")  # the finger moved the board and not the page
    assert phone.evaluate("scrollY") == 0
    assert board.get_attribute("viewBox") != before
    hand = phone.locator("#hand").bounding_box()
    place = phone.locator(".legal rect").first.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    touch("touchStart", hand["x"] + 9, hand["y"] + 9)
    touch("touchMove", x, y + 90)
    touch("touchMove", x, y + 40)
    expect(phone.locator(".legal .below")).to_have_count(1)
    tile = phone.locator("#hand")
    width = 100 * tile.evaluate("(hand) => hand.getScreenCTM().a")
    assert width == pytest.approx(scale(phone), rel=0.02)
    box = tile.bounding_box()
    assert box["y"] + box["height"] / 2 == pytest.approx(y, abs=2)
    touch("touchEnd")
    expect(phone.locator(".ghost .placed")).to_be_visible()


@pytest.mark.parametrize("size", [PHONE, LOW, SIDEWAYS, LOW_SIDEWAYS])
def test_what_is_told_of_a_farm_is_not_cut_on_a_phone(phone, unfinished, size):
    phone.set_viewport_size(size)
    resume(phone, unfinished)
    farm = "part => part.dispatchEvent(new MouseEvent('click', { bubbles: true }))"
    for part in phone.locator(".parts use").all()[::25]:
        part.evaluate(farm)
        pointed = phone.locator("#pointed")
        expect(pointed).to_be_in_viewport(ratio=1)
        turn, box = (phone.locator(name).bounding_box() for name in ("#turn", "#pointed"))
        is_beside = box["x"] + box["width"] <= turn["x"]
        assert is_beside or box["y"] + box["height"] <= turn["y"]
        zoom = phone.locator("#zoom").bounding_box()
        assert box["x"] + box["width"] <= zoom["x"]


def test_a_phone_on_its_side_has_the_board_at_the_left(phone, unfinished):
    phone.set_viewport_size(SIDEWAYS)
    resume(phone, unfinished)
    assert_all_places_are_met(phone)
    assert scale(phone) >= 30
    box = phone.locator("#table").bounding_box()
    assert (box["x"], box["y"], box["height"]) == (0, 0, 390)
    rows = [phone.locator(row).bounding_box() for row in ("#said", "#past", "#actions")]
    for above, below in itertools.pairwise(rows):
        assert above["y"] + above["height"] <= below["y"]
    shown = ("#hand", "#play", "#hint", "#resign", "#before", "#scores > span:last-child")
    for part in shown:
        expect(phone.locator(part)).to_be_in_viewport(ratio=1)
        assert phone.locator(part).bounding_box()["x"] >= box["width"]
    phone.locator("#tab-analysis").tap()
    phone.locator("#analyse").tap()
    phone.locator("#record .lost", has_text="?").first.tap()
    for part in ("#before", "#mistake"):
        expect(phone.locator(part)).to_be_in_viewport(ratio=1)


def test_a_phone_shows_the_board_and_the_buttons_to_step_at_once(phone, saved):
    phone.set_viewport_size(SMALL)
    look_back(phone, saved)
    undo, status = (phone.locator(name).bounding_box() for name in ("#undo", "#status"))
    assert abs(undo["y"] - status["y"]) < undo["height"] / 2  # in the row of the other buttons
    for button, count in (("#first", 1), ("#after", 2), ("#last", 24), ("#before", 23)):
        phone.locator(button).tap()
        expect(phone.locator(".tiles use")).to_have_count(count)
        for part in ("#board", "#past", "#status button"):
            expect(phone.locator(part).first).to_be_in_viewport(ratio=1)
        near = 100 * phone.locator("#board").bounding_box()["height"] / (100 + 2 * 105)
        assert (scale(phone) > 0.99 * near) == (count <= 2)  # a row of tiles, with its margins
    phone.evaluate("scrollTo(0, 9999)")
    phone.locator("#new").tap()
    open_file(phone, saved)
    expect(phone.locator("#ending")).to_be_visible()
    assert phone.evaluate("scrollY") == 0
    panels = "#tabs, #past, #record"
    order = "panels => panels.map((panel) => panel.id)"
    assert phone.locator(panels).evaluate_all(order) == ["past", "tabs", "record"]
    phone.set_viewport_size(TABLET)
    assert phone.locator(panels).evaluate_all(order) == ["past", "record", "tabs"]


TOO_SMALL = """() => [...document.querySelectorAll("button, select, .check, .links a")]
    .filter((each) => each.checkVisibility())
    .filter((each) => Math.min(each.offsetWidth, each.offsetHeight) < 44)
    .map((each) => each.outerHTML)"""


def test_a_finger_meets_all_that_can_be_pressed_on_a_phone(phone, unfinished):
    expect(phone.locator("#setup")).to_be_visible()
    fields = phone.locator("#setup select:visible")
    sizes = fields.evaluate_all("fields => fields.map((field) => getComputedStyle(field).fontSize)")
    assert set(sizes) == {"16px"}  # else an iPhone enlarges the page
    assert phone.evaluate(TOO_SMALL) == []
    assert fields.nth(1).bounding_box()["width"] > 200  # for "Planer: Fortgeschritten"
    resume(phone, unfinished)
    assert phone.evaluate(TOO_SMALL) == []
    phone.locator("#tab-analysis").tap()
    phone.get_by_role("button", name=re.compile(r"^Tile \d+ of 72$")).tap()
    expect(phone.locator("#bag-title")).to_be_in_viewport(ratio=1)
    phone.locator("#bag-title").click(trial=True)  # nothing covers it
    expect(phone.locator("#tab-game")).to_be_focused()
    phone.get_by_role("button", name="See the board").tap()
    expect(phone.locator("#tab-analysis")).to_have_attribute("aria-selected", "true")
    expect(phone.locator("#board")).to_be_in_viewport(ratio=1)
    phone.keyboard.press("h")
    expect(phone.locator(".ghost .placed")).to_be_visible()
    expect(phone.locator("#board")).to_have_css("outline-style", "none")
    assert phone.evaluate(TOO_SMALL) == []
    phone.locator("#take-back").tap()
    phone.locator("#before").tap()
    expect(phone.locator("#status button")).to_be_in_viewport(ratio=1)
    assert phone.evaluate(TOO_SMALL) == []
