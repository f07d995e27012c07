"""The page of Carcassonne under a finger: on a phone, upright and on its side, and on a tablet."""

from __future__ import annotations

import re
from typing import Any

import pytest

import carcassonne_page
import chromium
from agents.game import play_game
from carcassonne_env.game_setup import Setup
from carcassonne_env.replaying import SavedGame
from carcassonne_page import game_of, open_file, start, wait_for_turn
from chromium import PHONE, expect

browser, address, phone = chromium.browser, carcassonne_page.address, carcassonne_page.phone
game, saved, unfinished = carcassonne_page.game, carcassonne_page.saved, carcassonne_page.unfinished
pytestmark = pytest.mark.slow
SIDEWAYS, SMALL = {"width": 844, "height": 390}, {"width": 390, "height": 664}
TABLET = {"width": 1280, "height": 800}


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
    assert wait_for_turn(phone)
    phone.locator(".legal rect").first.tap()
    phone.locator("#play").tap()
    expect(phone.locator("#clocks b")).to_have_text(re.compile(r"person 2 2:5\d"))
    phone.locator("#new").tap()
    phone.locator("#set-clock").select_option("")
    start(phone, "me")  # there is no second clock
    assert wait_for_turn(phone)
    phone.wait_for_timeout(500)  # ticks
    expect(phone.locator("#scores [data-clock]")).to_have_count(0)


@pytest.mark.parametrize("size", [PHONE, SMALL])
@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_the_board_is_all_that_panel_and_buttons_leave(phone, size, num_players):
    phone.set_viewport_size(size)
    phone.locator("#set-clock").select_option("3+2")
    start(phone, *["me"] * num_players, tiles="base")
    assert wait_for_turn(phone)
    expect(phone.locator("#scores [data-clock]")).to_have_count(num_players)
    header, board, zoom, turn = (
        phone.locator(part).bounding_box() for part in ("header", "#board", "#zoom", "#turn")
    )
    assert header["height"] + board["height"] <= zoom["y"]
    assert zoom["y"] + zoom["height"] <= turn["y"]
    assert turn["y"] + turn["height"] == pytest.approx(size["height"], abs=1)


def test_buttons_of_the_view_cover_no_legal_place(phone, unfinished):
    open_file(phone, unfinished)
    assert wait_for_turn(phone)
    phone.locator("#fit").tap()
    places = phone.locator(".legal rect").evaluate_all(
        """places => places.map((place) => {
            const { x, y, width, height } = place.getBoundingClientRect();
            return [[0.5, 0.1], [0.5, 0.9]].every(([dx, dy]) =>
                document.elementFromPoint(x + dx * width, y + dy * height) === place);
        })"""
    )
    assert len(places) > 10
    assert all(places)


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


def analysed(page: Any, file: Any) -> None:
    """Opens the game of a file, and has it analysed."""
    open_file(page, file)
    page.locator("#ending-analyse").tap()
    expect(page.locator("#analysed")).to_contain_text("23 of 23 moves")
    expect(page.locator("#worst button").first).to_be_attached()


def test_the_solution_of_a_mistake_is_told_in_words(phone, saved):
    analysed(phone, saved)
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
    analysed(phone, saved)
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
    analysed(phone, saved)
    marks = dict(
        re.findall(
            r"(\d+)\.[^.]*?(\?[!?]?) −", " ".join(phone.locator("#record li").all_inner_texts())
        )
    )
    phone.locator("#learn").tap()
    told, begins = phone.locator("#told"), set()
    for count, number in enumerate(marks, 1):
        expect(told).to_contain_text(f"Mistake {count} of {len(marks)}")
        phone.locator(".legal rect").first.tap()
        phone.locator("#play").tap()
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
    analysed(phone, saved)
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
    analysed(phone, saved)
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
    open_file(phone, saved)
    phone.locator("#ending-close").tap()
    phone.locator("#share").tap()
    result = phone.locator("#share-box td").last
    expect(result).to_have_text("Bob: time is over. Winner: Anna Katharina, final 12 : 9")
    expect(result).to_be_in_viewport(ratio=1)
    table = phone.locator("#share-box .scroll")
    assert table.evaluate("table => table.scrollWidth <= table.clientWidth")


def test_who_takes_a_seat_sees_the_board_and_a_finished_game_offers_none(phone, saved):
    start(phone, "me", "me")
    assert wait_for_turn(phone)
    phone.locator("#share").tap()
    phone.locator("#share-box input").fill("Ann")
    phone.locator("#share-box .fields button").first.tap()
    expect(phone.locator("#scores .name").first).to_have_text("Ann")
    expect(phone.locator("#share-box")).to_have_count(0)
    assert phone.evaluate("scrollY") == 0
    phone.locator("#new").tap()
    open_file(phone, saved)
    phone.locator("#ending-close").tap()
    phone.locator("#share").tap()
    expect(phone.locator("#share-box")).to_be_visible()
    expect(phone.locator("#share-box .fields")).to_have_count(0)


def test_all_mistakes_are_listed_in_the_order_of_the_game(phone, saved):
    analysed(phone, saved)
    listed = [
        re.search(r"Move (\d+)", text)[1] for text in phone.locator("#worst li").all_inner_texts()
    ]
    marked = phone.locator("#record li", has=phone.locator(".lost", has_text="?"))
    assert [f"{number}." for number in listed] == marked.locator(".number").all_inner_texts()
    assert len(listed) > 6
    phone.locator("#worst button").last.tap()
    expect(phone.locator("#note")).to_contain_text(f"Move {listed[-1]} ")


@pytest.mark.parametrize("size", [PHONE, SIDEWAYS])
def test_buttons_keep_their_places_while_the_computer_thinks(phone, size):
    def places():
        return {name: phone.locator(name).bounding_box() for name in ("#undo", "#resign", "#past")}

    phone.set_viewport_size(size)
    start(phone, "me", "mcts(time_limit=40)")
    assert wait_for_turn(phone)
    before = places()
    boxes = [phone.locator(name).bounding_box() for name in ("#play", "#hint", "#turn-on")]
    phone.locator(".legal rect").first.tap()
    phone.locator("#play").tap()
    expect(phone.locator("#hurry")).to_be_visible()
    expect(phone.locator("#hint")).to_be_hidden()
    assert places() == before
    for box in boxes:  # a second tap does no harm there
        at = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        met = phone.evaluate("at => document.elementFromPoint(...at).closest('button')?.id", at)
        assert met in (None, "hurry", "hold")


def test_the_next_mistake_after_the_last_one_is_the_first(phone, saved):
    analysed(phone, saved)
    numbers = [
        int(t[:-1])
        for t in phone.locator("#record li", has_text="?").locator(".number").all_inner_texts()
    ]
    for key, number in (("m", numbers[0]), ("M", numbers[-1]), ("m", numbers[0])):
        phone.keyboard.press(key)
        expect(phone.locator("#note")).to_contain_text(f"Move {number} ?")
    phone.locator("#mistake-before").tap()
    expect(phone.locator("#note")).to_contain_text(f"Move {numbers[-1]} ?")


def test_the_dialog_remembers_the_clock(phone):
    phone.locator("#set-clock").select_option("5+5")
    start(phone, "me")
    phone.goto(phone.url.split("#")[0])
    expect(phone.locator("#set-clock")).to_have_value("5+5")


def test_a_variation_is_told_in_words_on_a_phone(phone, saved):
    analysed(phone, saved)
    phone.locator("#ply").fill("20")
    phone.locator("#vary").tap()
    expect(phone.locator("#progress")).to_have_text("Variation after 20 moves")
    for count in (21, 22):
        phone.locator(".legal rect").first.tap()
        phone.locator("#play").tap()
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
