"""The page of Carcassonne in a real browser."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace

import pytest

import carcassonne_page
import chromium
from agents.playing.page_words import languages, words_of
from carcassonne_env.game_setup import Setup
from carcassonne_env.play.players import LEVELS
from carcassonne_env.play.reasons import Reason
from carcassonne_env.replaying import SavedGame, analyse_game, replay
from carcassonne_env.web.site import STATIC
from carcassonne_page import (
    COMMAND,
    analyse,
    game_of,
    look_back,
    num_tiles,
    open_file,
    play_by_mouse,
    play_first,
    resume,
    rings,
    scale,
    start,
    wait_for_turn,
)
from chromium import PHONE, expect, opened, serious_faults
from waiting import soon
from web_pages import Texts

browser, context, page, axe = chromium.browser, chromium.context, chromium.page, chromium.axe
address, unfinished = carcassonne_page.address, carcassonne_page.unfinished
game, saved = carcassonne_page.game, carcassonne_page.saved
pytestmark = pytest.mark.slow
SEEN = """() => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { parentElement, data } = walker.currentNode;
        const isOther = parentElement.closest("script, kbd, .press, #symbols, #language");
        if (!isOther) texts.push(data.trim());
    }
    for (const name of ["alt", "aria-label", "title", "aria-valuetext"])
        document.querySelectorAll(`[${name}]`).forEach((e) => texts.push(e.getAttribute(name)));
    return texts;
}"""
"""The texts that readers see or hear."""


@pytest.fixture
def begun(page):
    """Starts a game of two persons."""
    start(page, "me", "me")


def test_all_texts_are_words_of_the_language(page, address, saved):
    """Those in the page as it was served, and those of its scripts, which get marked words here."""
    served, outside = Texts(page.request.get(address).text()).found, set[str]()
    mark = '(key, text) => text.big && key !== "language" ? "⟦" + text : text'

    def change(route):
        read = '$("words").textContent'
        script = route.fetch().text().replace(read, f"{read}, {mark}")
        route.fulfill(body=script, content_type="text/javascript")

    def look():
        texts = {re.sub("Ann|Ben", "", text).strip() for text in page.evaluate(SEEN)}
        outside.update(
            {text for text in texts - served if re.search(r"[^\W\d]{2}", text) and "⟦" not in text}
        )

    page.route("**/words.js", change)
    page.goto(address)
    start(page, "me", "casual", "me")
    page.locator(".legal rect").first.click()
    page.keyboard.press("h")
    page.locator("#tab-analysis").click()
    expect(page.locator("#thought tbody tr").first).to_be_visible()
    look()
    page.locator(".legal rect").first.click()
    page.locator("#choices button").last.click()  # a ring may cover each corner of the tile
    page.locator("#play").click()
    expect(page.locator(".tiles use")).not_to_have_count(1)
    wait_for_turn(page)
    look()
    page.locator("#new").click()
    open_file(page, saved)
    expect(page.locator("#ending")).to_be_visible()
    look()
    page.locator("#level").select_option("expert")
    page.locator("#analyse").click()
    expect(page.locator("#worst button")).to_have_count(11)
    page.locator("#worst button").first.click()
    expect(page.locator("#note")).to_contain_text("⟦")
    look()
    assert served & {"New game", "How to play"}
    assert outside == set()


def test_two_browsers_play_together_by_a_link(page, browser, axe):
    page.locator("#set-clock").select_option(label="3 min + 2 s a move")
    start(page, "me", "me")
    page.locator("#share").click()
    expect(page.locator("#share-box")).to_contain_text("--host 0.0.0.0")
    expect(page.locator("#share-box tbody tr.best")).to_contain_text("person 1 – person 2")
    assert serious_faults(page, axe) == []
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.locator("#share-box input").fill("Ann")
    page.get_by_role("button", name="Play as player 1 (person 1)").click()
    expect(page.locator(".player .name").first).to_have_text("Ann, to move")
    context = browser.new_context(viewport=PHONE, locale="de")
    for other in opened(context, page.url):
        expect(other.locator("#share-box")).to_be_visible()
        other.locator("#share-box .fields button").click()  # a name is missing
        other.locator("#share-box input").fill("Ben")
        other.locator("#share-box .fields button").click()
        expect(other.locator("#status")).to_have_text(re.compile("Ann ist am Zug$"))
        expect(other.locator(".legal rect")).to_have_count(0)
        expect(other.locator("#undo")).to_be_disabled()
        for button in ("#hint", "#hold"):
            expect(other.locator(button)).to_be_hidden()
        play_by_mouse(page)
        assert wait_for_turn(other)
        expect(other.locator("#status")).to_contain_text("Du bist am Zug")
        expect(other.locator("#clocks")).to_have_text(re.compile(r"Ann 3:00 · Ben 2:5\d"))
        expect(page.locator("#status")).to_have_text(re.compile("Ben is to move$"))
        expect(page.locator(".legal rect")).to_have_count(0)
        other.reload()
        assert wait_for_turn(other)
        expect(other.locator("#share-box")).to_have_count(0)
        page.locator("#before").click()
        expect(page.locator("#status")).to_contain_text("After 0 of 1 moves")
        play_by_mouse(other)
        expect(page.locator("#clocks b")).to_contain_text("Ann")  # while the past is shown
    page.locator("#last").click()
    page.locator("#resign").click()
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.locator("#share").click()
    expect(page.get_by_role("button", name="Copy the link")).to_have_count(0)
    expect(page.locator("#share-box tr.best")).to_contain_text(
        "Ann resigned. Winner: Ben, final 0 : 0"
    )
    context.close()


def test_a_brief_search_does_not_flash_on_the_board(page):
    start(page, "me", "beginner")
    page.evaluate("""() => {
        window.drawn = 0;
        const count = (changes) => changes.forEach((change) => (drawn += change.addedNodes.length));
        for (const layer of document.querySelectorAll(".heat, .line"))
            new MutationObserver(count).observe(layer, { childList: true });
    }""")
    play_by_mouse(page)
    expect(page.locator(".tiles use")).to_have_count(3)
    assert page.evaluate("drawn") == 0
    page.keyboard.press("[")
    expect(page.locator(".line .dream").first).to_be_attached()


def test_a_game_by_keyboard(page):
    expect(page.locator("#start")).to_be_focused()
    while page.evaluate("document.activeElement.id") != "set-tiles":
        page.keyboard.press("Shift+Tab")
    page.keyboard.type("2")
    while page.evaluate("document.activeElement.id") != "start":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    moves = 0
    while wait_for_turn(page):
        before = num_tiles(page)
        page.keyboard.press(("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown")[moves % 4])
        page.keyboard.press("ArrowRight")
        page.keyboard.press("r")
        page.keyboard.press("m")
        expect(page.locator("#told")).to_contain_text("turned")
        page.keyboard.press("Enter")
        expect(page.locator(".tiles use")).not_to_have_count(before)
        moves += 1
    assert moves >= 10  # a tile that fits nowhere is left out
    assert num_tiles(page) == 1 + page.locator("#record button").count()


def test_undo_hint_and_reload(page):
    start(page, "me", "casual")
    play_by_mouse(page)
    expect(page.locator(".tiles use")).to_have_count(3)
    hand = page.locator("#hand use").get_attribute("href")
    page.reload()
    wait_for_turn(page)
    assert num_tiles(page) == 3
    assert page.locator("#hand use").get_attribute("href") == hand
    page.keyboard.press("h")
    expect(page.locator("#thought")).to_contain_text("Hint for you")
    expect(page.locator(".ghost .placed")).to_be_visible()
    end = r"(a draw|to (win|lose) by about \d+ points?)\."
    words = rf"Hint: .*meeple.*\. With this move you can expect {end}"
    expect(page.locator("#told")).to_contain_text(re.compile(words))
    hint = page.locator(".ghost .placed")
    x, y = (int(hint.get_attribute(name)) - 9 for name in "xy")
    expect(page.locator(f".heat rect[x='{x}'][y='{y}']")).to_be_attached()  # around the tile
    expect(page.locator("#thought")).to_be_hidden()  # the reader stays in the tab
    page.get_by_role("tab", name="Analysis").click()
    told = re.compile(rf"^Hint for you: With this move you can expect {end}$")
    expect(page.locator("#thought .who")).to_have_text(told)
    expect(page.locator("#thought-title")).to_have_text("What the computer thinks")
    page.locator("#thought .best button").click()
    page.locator("#play").click()
    expect(page.locator(".tiles use")).to_have_count(5)
    page.locator("#undo").click()
    expect(page.locator(".tiles use")).to_have_count(3)
    page.keyboard.press("u")
    expect(page.locator(".tiles use")).to_have_count(1)
    expect(page.locator("#undo")).to_be_disabled()
    page.keyboard.press("h")
    expect(page.locator(".heat rect").first).to_be_attached()
    expect(page.locator("#lead-title")).to_have_text("Expected at the end")
    page.locator("#take-back").click()
    page.locator("#resign").click()
    expect(page.locator("#lead-title")).to_have_text("Points")
    assert page.locator("#lead span").all_inner_texts() == ["0", "0"]
    expect(page.locator(".heat rect, .line > *")).to_have_count(0)
    expect(page.locator("#ending-title")).to_have_text("You resigned. Winner: casual")
    expect(page.locator("#ending .best th")).to_have_text(re.compile("casual"))


def test_without_a_game_only_the_buttons_above_are_alive(page):
    expect(page.locator("#setup")).to_be_visible()
    expect(page.locator("#resign")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("#save")).to_be_hidden()
    page.locator("#empty button").click()
    page.locator("#set-seed").fill("x")
    page.locator("#start").click()
    expect(page.locator("#setup")).to_be_visible()
    page.keyboard.press("Escape")
    for button in page.locator("#turn button, #after").all():
        if box := button.bounding_box():
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator("#setup")).to_be_hidden()
    page.locator("#new").click()
    start(page, "me", "me")
    expect(page.locator("#empty")).to_be_hidden()
    page.locator(".legal rect").first.click()
    expect(page.locator("#play")).to_be_enabled()


def test_a_tile_is_dragged_to_a_legal_and_an_illegal_place(page, begun):
    box = page.locator("#table").bounding_box()

    def drag(x, y):
        page.locator("#hand").hover()
        page.mouse.down()
        page.mouse.move(x - 20, y, steps=4)
        page.mouse.move(x, y, steps=2)
        expect(page.locator("#turn")).to_have_css("overflow", "visible")
        page.mouse.up()

    drag(box["x"] + 30, box["y"] + box["height"] - 30)
    expect(page.locator("#notice")).to_contain_text("does not fit there")
    expect(page.locator(".ghost .placed")).to_have_count(0)
    assert num_tiles(page) == 1
    cell = page.locator(".legal rect").first.bounding_box()
    drag(cell["x"] + cell["width"] / 2, cell["y"] + cell["height"] / 2)
    expect(page.locator(".ghost .placed")).to_be_visible()


def test_a_double_click_plays_the_tile_as_it_lay(page, begun):
    page.locator(".legal rect").first.click()
    told = page.locator("#told").inner_text()
    page.locator(".ghost .placed").dblclick(position={"x": 4, "y": 4})
    expect(page.locator(".tiles use")).to_have_count(2)
    turned = int(told.partition("turned ")[2].partition("°")[0]) // 90
    assert page.locator(".tiles use").last.get_attribute("href").endswith(f"-{turned}")


def test_a_double_click_plays_even_if_a_spot_comes_under_the_pointer(page, begun):
    page.locator(".legal rect").first.click()
    page.locator(".ghost .placed").dispatch_event("click", {"detail": 1})
    page.locator(".spot circle").first.dispatch_event("click", {"detail": 2})
    expect(page.locator(".tiles use")).to_have_count(2)


def test_zoom_drag_and_wheel(page, begun):
    board = page.locator("#board")
    whole = board.get_attribute("viewBox")
    page.mouse.move(300, 300)
    page.mouse.wheel(0, -300)
    assert board.get_attribute("viewBox") != whole
    page.mouse.down()
    page.mouse.move(400, 350, steps=4)
    page.mouse.up()
    expect(page.locator(".ghost .placed")).to_have_count(0)
    expect(board).to_have_css("outline-style", "none")
    for key in ("Tab", "Shift+Tab"):
        page.keyboard.press(key)
    expect(board).to_have_css("outline", re.compile(r"solid 2px$"))  # for who plays by keys
    page.locator("#fit").click()
    assert board.get_attribute("viewBox") == whole
    cells = page.locator(".legal rect")
    for i in range(cells.count()):
        cells.nth(i).click()
        page.locator(".ghost .placed").hover(position={"x": 4, "y": 4})
        before = page.locator(".ghost use").first.get_attribute("href")
        page.mouse.wheel(0, 100)
        if page.locator(".ghost use").first.get_attribute("href") != before:
            break
        page.keyboard.press("Escape")
    assert board.get_attribute("viewBox") == whole


def test_a_search_is_seen_and_can_be_stepped_back_to(page):
    start(page, "me", "mcts(time_limit=40)", tiles="base")
    play_by_mouse(page)
    expect(page.locator("#thought")).to_contain_text("tries")
    expect(page.locator(".heat rect").first).to_be_attached()
    expect(page.get_by_label("Heat map (% of its tries)")).to_be_attached()
    expect(page.locator(".dream text.order").first).to_have_text("1.")
    expect(page.locator("#thought tbody tr").first).to_contain_text("±")
    first = page.locator("#thought .facts").inner_text()
    expect(page.locator("#thought .facts")).not_to_have_text(first)
    page.locator("#hurry").click()
    wait_for_turn(page)
    assert num_tiles(page) == 3
    expect(page.locator(".heat rect")).to_have_count(0)
    expect(page.locator("#thought .who")).to_contain_text("Before move 2: ")
    page.get_by_role("tab", name="Analysis").click()
    for part in ("td.points", "td.visits"):  # its moves show on the board, after them too
        page.locator(f"#thought tr.best {part}").hover()
        expect(page.locator(".ghost .dream")).to_have_count(1)
        page.locator("#progress").hover()
        expect(page.locator(".ghost .dream")).to_have_count(0)
    page.get_by_role("button", name="Show on the board").click()
    expect(page.locator("#status")).to_contain_text("After 1 of 2 moves")
    expect(page.locator(".heat rect").first).to_be_attached()
    page.locator("#first").click()
    expect(page.locator(".tiles use")).to_have_count(1)
    assert page.locator(".line ~ .axes").count() == 1  # no tile of a line hides the numbers
    page.get_by_role("button", name="Back to the game").click()
    expect(page.locator(".tiles use")).to_have_count(3)


def test_columns_and_rows_are_numbered_as_moves_name_them(page, begun):
    numbers = page.locator(".axes text")
    assert numbers.all_text_contents() == ["−1", "0", "1"] * 2
    tile = page.locator(".tiles use")  # its cell is (0, 0), 100 wide
    assert int(numbers.nth(1).get_attribute("x")) == int(tile.get_attribute("x")) + 50
    assert abs(int(numbers.nth(4).get_attribute("y")) - int(tile.get_attribute("y")) - 50) < 10


def test_a_feature_lights_up_when_pointed_at(page, begun):
    page.mouse.move(0, 0)
    expect(page.locator("#pointed")).to_be_hidden()
    page.locator(".parts use").last.hover(force=True)
    expect(page.locator("#pointed")).to_be_visible()
    assert page.locator(".parts .lit").count() >= 1
    page.mouse.move(0, 0)
    page.locator(".parts use").last.dispatch_event("pointerover")
    expect(page.locator("#pointed")).to_be_visible()
    for key in ("ArrowRight", "m", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".tiles use")).to_have_count(2)
    expect(page.locator("#pointed")).to_be_hidden()
    owned = page.locator("#regions button")
    expect(owned).to_have_text(re.compile(r"1\w+, \d tiles? · person 1: 1 meeple · \d points?"))
    owned.hover()
    expect(page.locator(".parts .lit").first).to_be_visible()
    expect(page.locator("#pointed")).to_contain_text("person 1: 1 meeple")


def test_a_window_made_narrow_keeps_the_game(page):
    start(page, "me", "casual")
    page.locator(".legal rect").first.click()
    page.set_viewport_size(PHONE)
    expect(page.locator(".ghost .placed")).to_be_visible()
    page.locator("#play").click()
    expect(page.locator(".tiles use")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_saved_game_is_analysed_and_replayed_from_disk(page, game, saved, tmp_path):
    open_file(page, saved)
    expect(page.locator("#setup")).to_be_hidden()
    expect(page.locator(".tiles use")).to_have_count(24)
    page.locator("#ply").fill("4")
    expect(page.locator(".tiles use")).to_have_count(5)
    page.locator("#level").select_option("master")
    for words in ("Stop", "Analyse"):
        page.locator("#analyse").click()
        expect(page.locator("#analyse")).to_have_text(words)
    page.locator("#last").click()
    page.locator("#film").click()  # from the start again
    expect(page.locator(".tiles use")).to_have_count(3)
    expect(page.locator("#film")).to_have_attribute("aria-pressed", "true")
    picture = page.locator("#film path")
    pause = picture.get_attribute("d")
    page.locator("#last").click()
    expect(page.locator("#film")).to_have_attribute("aria-pressed", "false")
    expect(picture).not_to_have_attribute("d", pause)
    expect(page.locator("#ending")).to_be_hidden()
    page.locator("#level").select_option("expert")
    page.get_by_role("button", name="Result").click()
    page.get_by_role("button", name="Analyse the game").click()
    expect(page.locator("#analyse")).to_be_in_viewport()
    expect(page.locator("#analysed")).to_have_text("23 of 23 moves, judged by level expert")
    expect(page.locator("#curve .series")).to_have_count(2)
    marks = "?! small mistakes (2 or more), ? mistakes (5 or more), ?? bad mistakes (10 or more)"
    expect(page.locator("#legend")).to_have_text(f"Points lost: {marks}")
    page.locator("#whose").select_option("Ben")
    assert set(page.locator("#worst .chip").all_text_contents()) == {"2"}
    page.locator("#whose").select_option("all players")
    explained = 0
    page.locator("#worst button").first.click()
    expect(page.locator("#thought-title")).to_have_text("What the computer thinks: expert")
    words = r"^Move \d+ [?!]* lost .* points. Better: column −?\d+, row −?\d+, .*meeple.*\.$"
    expect(page.locator("#note")).to_have_text(re.compile(words))
    feature = r"((Ann|Ben)’s|shared) (city|road|farm) \(−?\d, −?\d\)"
    gains = rf"gains, by estimate: ({feature}|meeples in hand|points at once) [+−]\d+\.\d"
    for worst in reversed(page.locator("#worst button").all()):
        worst.click()
        told = re.search(r"Move \d+", worst.inner_text())[0]
        expect(page.locator("#note")).to_contain_text(f"{told} ")
        explained += bool(re.search(gains, page.locator("#note").text_content()))
    assert explained > 1
    expect(page.locator(".compared .dream")).to_have_count(2)
    number = int(re.search(r"\d+", page.locator("#note").inner_text())[0])
    boxes = page.locator(f"#losses :is(.now, rect:has-text('Move {number}:'))").all()
    bar, now = (box.bounding_box() for box in boxes)
    assert bar["x"] + bar["width"] / 2 == pytest.approx(now["x"] + now["width"] / 2, abs=1)
    page.locator("#mistake").click()
    expect(page.locator("#note")).not_to_contain_text(f"Move {number} ")
    expect(page.locator("#note")).to_have_text(re.compile(words))
    assert int(re.search(r"\d+", page.locator("#note").inner_text())[0]) > number
    page.locator("#mistake-before").click()
    expect(page.locator("#note")).to_contain_text(f"Move {number} ")
    expect(page.locator("#record .lost").first).to_be_attached()
    page.locator("#last").click()
    expect(page.locator(".compared .dream")).to_have_count(0)
    with page.expect_download() as download:
        page.locator("#save").click()
    download.value.save_as(tmp_path / "again.json")
    assert SavedGame.load(tmp_path / "again.json") == game
    with page.expect_download() as download:
        page.locator("#export").click()
    download.value.save_as(tmp_path / "replay.html")
    page.goto((tmp_path / "replay.html").as_uri())
    expect(page.locator("#progress")).to_have_text("After 0 of 23 moves")
    page.locator("#ply").fill("4")
    expect(page.locator("#progress")).to_have_text("After 4 of 23 moves")
    expect(page.locator(".tiles use")).to_have_count(5)
    page.locator("#whose").press("m")  # which begins no name
    expect(page.locator("#progress")).to_have_text("After 4 of 23 moves")
    page.locator("#ply").press("m")
    expect(page.locator("#note")).to_have_text(re.compile(r"^Move \d+ [?!]+ lost"))
    for key, count in (("End", 24), ("ArrowLeft", 23), ("Home", 1), ("]", 2)):
        page.keyboard.press(key)
        expect(page.locator(".tiles use")).to_have_count(count)
    page.locator("#film").click()
    expect(page.locator(".tiles use")).to_have_count(4)
    expect(page.locator("#film")).to_have_attribute("aria-pressed", "true")
    page.locator("#worst button").first.click()
    expect(page.locator("#film")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#note")).to_have_text(re.compile(r"^Move \d+ [?!]* lost"))
    expect(page.locator("#totals")).to_contain_text("Points lost in all: Ann ")
    expect(page.locator(".compared .dream")).to_have_count(2)
    expect(page.locator("#new")).to_be_hidden()


def test_a_replay_says_what_no_analysis_knows_and_no_loss_is_negative(page, game, tmp_path):
    first, second, *_ = analyse_game(game, "greedy")
    losses = [replace(first, better=None, difference=-1.5), replace(second, difference=math.nan)]
    replay(game, losses).to_html(tmp_path / "replay.html")
    page.goto((tmp_path / "replay.html").as_uri())
    note = page.locator("#note")
    expect(note).to_have_text("The computer finds nothing better than move 1.")
    expect(page.locator("#totals")).to_have_text("Points lost in all: Ann 0.0, Ben 0.0.")
    page.keyboard.press("ArrowRight")
    expect(note).to_have_text("The computer never tried move 2.")


def test_a_replay_keeps_the_variations_with_their_marks(page, game, tmp_path):
    model, action = game.moves()[4]
    other = next(a for a in map(int, model.legal_actions()) if a != action)
    at = game.actions.index(action, 8)
    varied = replace(game, actions=[*game.actions[:at], other])
    *_, last = analyse_game(varied, "greedy")
    lost = replace(last, better=last.played, difference=5.0)
    replay(game, [], [(varied, [lost]), (game, [])]).to_html(tmp_path / "replay.html")
    page.goto((tmp_path / "replay.html").as_uri())
    line = page.locator("#record li:nth-child(5) .variation")
    expect(line).to_have_text(re.compile(r"^Variation5\.[−\d, ]+\?$"))
    expect(line.locator("svg use").first).to_have_attribute(
        "href", f"#tile-{model.current_tile}-{last.played.rotation}"
    )
    expect(page.locator(f"#tile-{model.current_tile}-{last.played.rotation}")).to_be_attached()
    expect(page.locator(".variation")).to_have_count(1)
    page.keyboard.press("End")
    expect(page.locator(".variation")).to_have_count(1)


@pytest.mark.parametrize(
    ("language", "owned", "others"),
    [
        (
            "en",
            "gains, by estimate: your city (0, 1) +9.2, Ben’s farm (0, −1) −1.0, the rest +0.3.",
            "gains, by estimate: shared road (0, 1) +2.0, cloister (1, 1) +0.5.",
        ),
        (
            "de",
            "bringt: Stadt von dir (0, 1) +9,2, Wiese von Ben (0, −1) −1,0, sonst +0,3.",
            "bringt: Straße von mehreren (0, 1) +2,0, Kloster (1, 1) +0,5.",
        ),
    ],
)
def test_reasons_name_the_owners_of_features(page, game, tmp_path, language, owned, others):
    city, farm = Reason("city", (0, 1), 9.2, (0,)), Reason("farm", (0, -1), -1.0, (1,))
    road, cloister = Reason("road", (0, 1), 2.0, (0, 1)), Reason("cloister", (1, 1), 0.5)
    first = next(analyse_game(game, "greedy"))
    first = replace(first, better=first.played, difference=10.0)
    losses = [
        replace(first, reasons=(city, farm, Reason("rest", None, 0.3))),
        replace(first, number=2, reasons=(road, cloister)),
    ]
    replay(replace(game, players=["you", "Ben"]), losses).to_html(tmp_path / "a.html", language)
    page.goto((tmp_path / "a.html").as_uri())
    expect(page.locator("#note")).to_contain_text(owned)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#note")).to_contain_text(others)


def test_marks_of_a_replay_are_by_the_losses_that_it_shows(page, game, tmp_path):
    points = [0.44, 0.45, 1.94, 1.95, 4.94, 4.95, 9.95]
    first = next(analyse_game(game, "greedy"))
    moves = [
        replace(first, number=number, better=first.played, difference=lost)
        for number, lost in enumerate(points, start=1)
    ]
    good = [(8, 4.94), (9, 4.95), (10, math.nan)]
    best = replace(first, better=None, difference=-3.0)
    moves += [replace(best, number=number, margin=margin) for number, margin in good]
    replay(game, moves).to_html(tmp_path / "replay.html")
    page.goto((tmp_path / "replay.html").as_uri())
    marks = [" −0.5", " −1.9", "?! −2.0", "?! −4.9", "? −5.0", "?? −10.0"]
    expect(page.locator("#record .lost")).to_have_count(6)
    assert page.locator("#record .lost").all_text_contents() == marks
    only = page.locator("#record li", has=page.get_by_title("The only good move"))
    expect(only.locator(".number")).to_have_text(["9."])
    accuracy = 103.1668 * sum(math.exp(-0.04354 * 2 * lost) for lost in [*points, 0, 0, 0])
    shown = sum((0.4, 0.5, 1.9, 2.0, 4.9, 5.0, 10.0))
    row = ["Ann", f"{accuracy / 10 - 3.1669:.0f} %", "2", "1", "1", f"{shown / 10:.2f}"]
    expect(page.locator("#totals")).to_have_text(f"Points lost in all: Ann {shown:.1f}, Ben 0.0.")
    assert page.locator("#summary tr").nth(1).locator("th, td").all_inner_texts() == row
    assert page.locator("#summary tr").nth(2).inner_text().split() == ["Ben", "–", *"000", "–"]


def test_a_tile_that_fits_nowhere_is_mentioned_until_the_next_move(page, tmp_path):
    game_of(9, "random", "random").save(tmp_path / "game.json")
    look_back(page, tmp_path / "game.json")
    page.locator("#ply").fill("3")
    expect(page.locator("#progress")).to_have_text("Tile 5 of 24")
    page.locator("#after").click()
    progress = page.locator("#progress")
    expect(progress).to_have_text("Tile 6 of 23, 1 left out")
    expect(page.locator("#notice")).to_have_text("A tile fits nowhere and is left out.")
    page.locator("#after").click()
    expect(page.locator("#notice")).to_be_empty(timeout=1000)  # it stays for 4 s otherwise
    page.set_viewport_size({"width": 360, "height": 740})
    assert progress.evaluate("words => words.scrollWidth <= words.clientWidth")


def test_a_game_of_a_table_is_opened(page, tmp_path):
    from agents.arena import play_match

    path = tmp_path / "table.csv"
    setup = Setup(2, 3, "small", True)
    players = [("=1+1", "random"), "greedy"]  # no spreadsheet may run the name
    play_match(path, {setup.name: setup}, players, 2, first_seed=5, workers=1)
    open_file(page, path)
    expect(page.locator("#kept-game option")).to_have_count(3)
    page.locator("#kept-game").select_option(index=2)
    expect(page.locator("#setup")).to_be_hidden()
    expect(page.locator("#players")).to_contain_text("greedy")
    expect(page.locator("#players")).to_contain_text("=1+1")
    expect(page.locator("#players")).not_to_contain_text("'=1+1")
    expect(page.locator(".tiles use")).to_have_count(24)


def test_bad_files_are_refused_in_words(page, saved):
    def refused(name, content, words):
        file = {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
        open_file(page, file)
        expect(page.locator("#setup-error")).to_contain_text(words)
        expect(page.locator("#setup")).to_be_visible()

    refused("game.json", "no JSON", "Expecting value")
    refused("game.json", saved.read_text().replace('"scores": [', '"scores": [9'), "scores must be")
    refused("game.json", "x" * 100_001, "at most 100,000 bytes, and game.json has 100,001")
    refused("table.csv", "a,b\n1,2\n", "is not the table of a tournament: it has no column “game”")
    refused("table.csv", "game,seed,seat_0,plies\n2p,1,a,[\n", "the plies of row 0 are damaged")
    refused("table.csv", "game,seed,seat_0,plies\n2p,1,a,7\n", "the plies of row 0 are damaged")
    refused("table.csv", "game,seed,seat_0,plies\n2p,1,a,[]\n", "a game's name must be like")
    two = "game,seed,seat_0,plies\n" + "2p,1,a,[]\n" * 2
    open_file(page, {"name": "two.csv", "mimeType": "text/plain", "buffer": two.encode()})
    page.locator("#kept-game").select_option(index=1)
    expect(page.locator("#setup-error")).to_contain_text("a game's name must be like")
    page.locator("#kept-game").select_option(index=0)  # which is no game
    expect(page.locator("#setup-error")).to_be_hidden()
    page.locator("#start").click()
    assert wait_for_turn(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_hinders_readers_of_the_screen(
    browser, address, axe, saved, game, tmp_path, scheme, width
):
    """In the dialogs, a game, an analysis, and a replay."""
    replay(game, analyse_game(game, "greedy")).to_html(tmp_path / "replay.html")
    context = browser.new_context(
        viewport={"width": width, "height": 844}, color_scheme=scheme, reduced_motion="reduce"
    )

    def check():
        assert serious_faults(page, axe) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    for page in opened(context, address):
        check()
        start(page, "me", "casual", "me")
        play_by_mouse(page)
        wait_for_turn(page)
        page.locator(".legal rect").first.click()
        check()
        page.keyboard.press("?")
        check()
        page.keyboard.press("Escape")
        page.locator("#new").click()
        analyse(page, saved)
        page.locator("#worst button").first.click()
        check()
        page.goto((tmp_path / "replay.html").as_uri())
        page.locator("#worst button").first.click()
        check()
    context.close()


def test_a_lost_connection_is_told_and_changes_no_words(context, tmp_path):
    process, address = chromium.serving(tmp_path, *COMMAND)
    with process:
        page = context.new_page()
        page.goto(address)
        start(page, "me", "me")
        style = "getComputedStyle(document.querySelector('#status b + *, #told'))"
        before = page.evaluate(f"[{style}.color, {style}.fontWeight]")
        process.terminate()
        expect(page.locator("#notice")).to_contain_text("The connection to the server is lost")
        assert page.evaluate(f"[{style}.color, {style}.fontWeight]") == before
        page.wait_for_timeout(5000)
        expect(page.locator("#notice")).to_contain_text("lost")  # until it is back


def test_a_game_goes_on_after_a_restart_of_the_server(context, tmp_path):
    options = (tmp_path / "games", *COMMAND, "--address", str(tmp_path / "address.txt"))
    process, address = chromium.serving(*options)
    page = context.new_page()
    page.goto(address)
    start(page, "me", "casual")
    play_by_mouse(page)
    expect(page.locator(".tiles use")).to_have_count(3)
    process.terminate()
    process.communicate()
    room = {"is_over": True, "resigned": 0, "is_late": True, "left": [0.0, 60.0]}
    late = game_of(3, "random", "random", most=20).to_json(room=room)
    (tmp_path / "games" / "2025-11-27-120000-1.json").write_text(late)
    with chromium.served(*options) as other:
        assert other == address
        expect(page.locator("body")).to_have_class("online")
        play_by_mouse(page)
        expect(page.locator(".tiles use")).to_have_count(5)
        page.goto("about:blank")  # a reader who has lost the address
        page.goto(address)
        kept = page.locator("#kept-game option")
        expect(kept).to_have_count(3)
        words = r"20\d\d-\d\d-\d\d \d\d:\d\d, you – casual, tile 6 of 24, \d+ : \d+"
        expect(kept.nth(1)).to_have_text(re.compile(words))
        late = "Ann – Ben, Ann: time is over. Winner: Ben, tile 11 of 24"
        expect(kept.last).to_contain_text(late)
        page.locator("#kept-game").select_option(index=1)
        expect(page.locator(".tiles use")).to_have_count(5)
        with page.expect_download() as download:
            page.locator("#save").click()
        name = download.value.suggested_filename
        assert re.fullmatch(r"carcassonne-20\d\d-\d\d-\d\d-\d{6}-you-casual.json", name)


def test_the_race_that_decides_is_shown_in_table_and_heat_map(page):
    start(page, "me", "strongest(iterations=2300)", tiles="base")
    play_first(page)
    expect(page.locator(".tiles use")).to_have_count(3)
    page.get_by_role("tab", name="Analysis").click()
    page.get_by_role("button", name="Show on the board").click()
    expect(page.get_by_label("Heat map (the stronger, the better)")).to_be_checked()
    page.get_by_label("How the game may go on").uncheck()
    race = re.compile(r"2,000 tries, .* race of \d moves: .* left")
    expect(page.locator("#thought .facts")).to_have_text(race)
    assert page.locator("#thought th").all_inner_texts() == ["move", "trial games", "lead"]
    assert page.locator(".shares text").count() == 0  # shares of the tree
    heat = "rects => Math.max(...rects.map((rect) => rect.getAttribute('opacity')))"
    hottest = page.locator(".heat rect").evaluate_all(heat)
    x, y = map(int, page.locator("tr.best .cell").inner_text().replace("−", "-").split(", "))
    left_out = re.search(
        r"race of (\d) moves: .* (\d) left", page.locator("#thought .facts").inner_text()
    )
    in_race, left = map(int, left_out.groups())
    expect(page.locator("#thought tbody tr")).to_have_count(in_race)
    expect(page.locator("#thought tr.out")).to_have_count(in_race - left)
    chosen = page.locator(f".heat rect[x='{100 * x + 4}'][y='{4 - 100 * y}']")
    assert float(chosen.get_attribute("opacity")) == hottest
    page.set_viewport_size({"width": 1280, "height": 500})
    height = "[document.documentElement.scrollHeight, document.querySelector('#side').scrollHeight]"
    whole, side = page.evaluate(height)
    assert whole == 500 < side  # the panel scrolls, and the page has no empty part below


def test_the_help_says_how_points_are_made_and_what_planners_show(page):
    expect(page.locator(".seat .facts")).to_contain_text("to its end at random")
    page.locator("#rules").click()
    box = page.locator("#help-box")
    first = box.locator("p").first
    expect(first).to_contain_text("the player with most points at the end wins")
    for term in ("tiles", "meeples", "shield"):
        expect(first.locator("b", has_text=term)).to_be_visible()
    for example in ("fits", "misfits", "road", "city", "cloister", "farm"):
        expect(box.locator(f"#example-{example} use").last).to_be_visible()
    for words in ("2 each tile and each shield", "9, with all 8 places", "3 at the end for each"):
        expect(box.locator("#points")).to_contain_text(words)
    for words in ("your meeples on this tile", "no meeple in hand you only lay"):
        expect(box).to_contain_text(words)
    expect(box.locator("#meaning")).to_contain_text("Two levels may differ by a point or two")
    for words in ("heat map", "table", "race", "lost points"):
        expect(box.locator("#meaning dt", has_text=words)).to_be_visible()
    expect(box.locator("#levels dt")).to_have_count(len(LEVELS))
    widths = "all => all.map((each) => each.getBoundingClientRect().width)"
    assert min(box.locator("dd").evaluate_all(widths)) > 300  # however long the terms are
    first, close = (box.locator(each).bounding_box() for each in ("h2", ".main"))
    assert close["y"] > first["y"] + first["height"]  # it stands below the text
    frame = box.bounding_box()
    beside = [frame["x"] + 200, frame["y"] + frame["height"] - 30]  # left of the button
    at = "at => document.elementFromPoint(...at).className"
    assert page.evaluate(at, beside) == "buttons"
    expect(box).to_contain_text("with equal numbers each player has all of them")
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 600})
    page.locator("#rules").click()
    expect(page.locator("#help-title")).to_be_in_viewport()


def test_moves_of_a_search_show_where_the_meeple_stands(page):
    start(page, "me", tiles="base")
    page.keyboard.press("h")
    page.get_by_role("tab", name="Analysis").click()
    expect(page.locator("#thought")).to_contain_text("Hint for you")
    expect(page.locator("#hint")).to_be_enabled()
    moves = page.locator("#thought .move")
    pictures = [move.locator("svg").inner_html() for move in moves.all()]
    cells = moves.locator(".cell").all_inner_texts()
    assert len(set(zip(pictures, cells, strict=True))) == len(pictures) > 3
    assert any("meeple" in picture or "farmer" in picture for picture in pictures)
    assert page.locator("#thought th").last.inner_text() == "score"  # of a single player, no lead
    points = page.locator("td.points").all_inner_texts()
    assert points
    assert not any("+" in text for text in points)
    overhang = """table => {
        const wide = { ".cell": "−1, −2", ".kind": "cloister", ".points": "+10.3 ± 0.1" };
        for (const [part, text] of Object.entries(wide))
            for (const each of table.querySelectorAll(part)) each.textContent = text;
        for (const cell of table.querySelectorAll(".visits")) cell.lastChild.data = "152,674";
        return table.scrollWidth - table.clientWidth;
    }"""
    assert page.locator("#thought .scroll").evaluate(overhang) == 0


def test_one_steps_by_arrow_keys_and_later_moves_stay_in_the_list(page, saved):
    open_file(page, saved)
    expect(page.locator("#ending")).to_be_visible()
    page.locator("#board").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".tiles use")).to_have_count(23)
    page.keyboard.press("Home")
    expect(page.locator(".tiles use")).to_have_count(1)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".tiles use")).to_have_count(4)
    buttons = page.locator("#record button")
    expect(buttons).to_have_count(23)
    numbers = page.locator("#record .number").all_inner_texts()
    assert numbers == [f"{i}." for i in range(1, 24)]
    expect(page.locator("#record [aria-current=step] .number")).to_have_text("3.")
    expect(page.locator("#record .later")).to_have_count(20)
    expect(page.locator("#record [aria-current=step]")).to_be_in_viewport()
    expect(page).to_have_url(re.compile("#.+/3$"))
    page.reload()
    expect(page.locator(".tiles use")).to_have_count(4)
    page.locator("#last").click()
    expect(page).to_have_url(re.compile("#[^/]+$"))


def test_a_mistake_is_shown_with_the_played_and_the_better_move_and_nothing_else(page, saved):
    analyse(page, saved)
    covered = """() => [...document.querySelectorAll(".compared .label")].filter((label) => {
        const a = label.getBoundingClientRect();
        return [...document.querySelectorAll(".meeples > *, .compared .meeple")].some((meeple) => {
            const b = meeple.getBoundingClientRect();
            return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        });
    }).length"""
    expect(page.locator("#worst button")).not_to_have_count(0)
    num_lit = 0
    for worst in reversed(page.locator("#worst button").all()):
        number = int(re.search(r"Move (\d+)", worst.inner_text())[1])
        worst.click()
        expect(page.locator("#status")).to_contain_text(f"After {number - 1} of 23 moves")
        names = page.locator(".compared text:not(.mark)").all_text_contents()
        assert names == ["better", "played"]
        assert page.evaluate(covered) == 0  # no label lies on a meeple
        for reason in page.locator("#note .reason").all():
            reason.hover()
            kind = re.search("city|road|cloister|farm", reason.inner_text())[0]
            expect(page.locator("#pointed")).to_contain_text(kind)
            expect(page.locator(".parts .lit").first).to_be_attached()
            num_lit += 1
    assert num_lit > 0
    for layer in (".last", ".heat", ".line", ".legal"):
        assert not page.locator(f"#board > {layer}").is_visible()
    expect(page.locator("#record button").nth(number - 1)).to_contain_text("?")
    page.keyboard.press("ArrowRight")
    played = page.locator(".tiles use")
    expect(played).to_have_count(number + 1)
    page.locator("#record button").nth(number - 1).click()
    expect(page.locator("#status")).to_contain_text(f"After {number - 1} of 23 moves")
    expect(page.locator("#note")).to_contain_text(f"Move {number} ")


def test_a_move_of_the_search_is_shown_in_the_analysis_too(page, saved):
    analyse(page, saved)
    page.locator("#mistake-before").click()
    expect(page.locator(".compared .label")).to_have_count(2)
    row, shown = page.locator("#thought .move").nth(1), page.locator(".ghost .dream")
    row.click()
    page.locator("#progress").hover()
    page.locator("#past-title").click()
    expect(shown).to_have_count(1)
    expect(shown).to_be_visible()
    row.click()
    page.locator("#progress").hover()
    expect(shown).to_have_count(0)
    row.click()
    page.locator("#before").click()
    expect(shown).to_have_count(0)


def test_a_mistake_is_tried_again_and_one_comes_back(page, saved):
    analyse(page, saved)
    expect(page.locator("#retry")).to_be_hidden()
    mistakes = page.locator("#record li", has=page.locator(".lost", has_text="?"))
    numbers = [int(text[:-1]) for text in mistakes.locator(".number").all_inner_texts()]
    first, second, *_, last = numbers
    keys, shown = "M" * len(numbers) + "Mmm", [*reversed(numbers), last, first, second]
    for key, number in zip(keys, shown, strict=True):
        page.keyboard.press(key)
        expect(page.locator("#note")).to_contain_text(f"Move {number} ?")
    analysed = page.url
    told, choices = page.locator("#told"), page.locator("#choices")
    expect(page.get_by_role("button", name="Variation")).to_be_visible()
    page.keyboard.press("v")  # at a mistake, too
    expect(told).to_contain_text("You move for all players")
    expect(page.locator("#progress")).to_have_text(f"Variation after {number - 1} moves")
    page.go_back()
    expect(page.locator("#note")).to_contain_text(f"Move {number} ?")
    page.keyboard.press("t")
    words = (
        rf"Mistake 2 of {len(numbers)}\. Played: \(−?\d+, −?\d+\), .*meeple.*\. Find a better move"
    )
    expect(told).to_contain_text(re.compile(words))
    expect(page.locator("#progress")).to_have_text(f"Practice after {number - 1} moves")
    assert wait_for_turn(page)
    expect(choices.get_by_role("button", name="Show the solution")).to_be_visible()
    for layer in (".compared > *", ".heat > *", "#record .lost:has-text('?') + *"):
        expect(page.locator(layer)).to_have_count(0)
    play_first(page)
    tried = re.compile(r"Better: this move loses 2\.\d points instead of 6\.\d \(level expert\)")
    expect(told).to_have_text(tried)
    expect(page.locator(".compared > *")).to_have_count(0)
    for button in ("#hint", "#undo", "#resign", "#hold"):
        expect(page.locator(button)).to_be_hidden()
    choices.get_by_role("button", name="Show the solution").click()
    expect(page.locator("#board > .compared > *")).to_have_count(2)
    expect(page.get_by_role("button", name="Back to the game")).to_have_count(0)
    page.keyboard.press("]")
    expect(page.locator("#retry")).to_be_visible()
    page.keyboard.press("t")
    expect(page.locator("#thought tr")).to_have_count(0)  # which would tell it
    expect(page.locator("#note")).to_contain_text(f"Move {number} ? lost 6.")  # it was told
    choices.get_by_role("button", name="Next mistake").click()
    expect(page.locator("#record li")).to_have_count(numbers[2] - 1)
    page.go_back()
    expect(page.locator("#record li")).to_have_count(number - 1)
    choices.get_by_role("button", name="Back to the analysis").click()
    expect(page).to_have_url(analysed)
    expect(page.locator("#status")).to_contain_text(f"After {number - 1} of 23 moves")
    page.locator("#learn").click()
    expect(page.locator("#record li")).to_have_count(numbers[0] - 1)
    choices.get_by_role("button", name="Show the solution").click()
    expect(page.locator(".compared text:not(.mark)")).to_have_text(["better", "played"])
    expect(page.locator(".legal rect").first).to_be_visible()
    choices.get_by_role("button", name="Back to the analysis").click()
    expect(page.locator("#analysed")).to_contain_text("23 of 23 moves")
    calm = min({*range(1, 24)} - {*numbers})
    page.locator("#ply").fill(str(calm - 1))
    expect(page.locator("#note")).not_to_contain_text("?")
    expect(page.locator("#retry")).to_be_hidden()
    page.get_by_role("button", name="Variation").click()
    expect(told).to_contain_text("You move for all players")
    progress = page.locator("#progress")
    expect(progress).to_have_text(re.compile(rf"^Variation after {calm - 1} moves?$"))
    play_first(page)
    expect(page.locator("#undo")).to_be_enabled()
    for button in ("#retry", "#vary", "#resign"):
        expect(page.locator(button)).to_be_hidden()
    expect(told).to_contain_text(re.compile("^(Ann|Ben): .* expert"))
    for count in (2, 3):
        play_first(page)
        expect(page.locator("#record li")).to_have_count(calm + count - 1)
    tried = page.url
    choices.get_by_role("button", name="Back to the analysis").click()
    expect(page.locator("#analysed")).to_contain_text("23 of 23 moves")
    line = page.locator(f"#record li:nth-child({calm}) .variation")
    expect(line.locator("svg")).to_have_count(3)
    expect(line).to_have_text(re.compile(rf"^Variation{calm}\.[−\d, ]+(\?!|\?|\?\?|✓)?[−\d, ]+$"))
    expect(line.locator(".verdict")).to_have_count(1)  # of the move that was tried
    expect(line.locator(".verdict")).to_have_attribute("title", re.compile(r"Points lost: \d"))
    line.focus()
    page.keyboard.press("[")
    expect(page.locator("#status")).to_contain_text(f"After {calm - 2} of 23 moves")
    expect(line).to_be_focused()
    line.click()
    expect(page).to_have_url(tried)
    play_first(page)
    choices.get_by_role("button", name="Back to the analysis").click()
    expect(line).to_have_text(re.compile("…$"))
    page.locator("#last").click()
    expect(page.locator("#last")).to_be_disabled()
    expect(page.get_by_role("button", name="Result")).to_be_visible()
    expect(page.locator("#ending")).to_be_hidden()  # the reader comes from a variation
    places = page.locator("#past").bounding_box()
    page.locator("#before").click()
    expect(page.locator("#vary")).to_be_visible()
    assert page.locator("#past").bounding_box() == places
    page.locator("#vary").click()
    play_first(page)
    expect(page.locator("#progress")).to_have_text("Game over")
    page.reload()
    expect(choices.get_by_role("button", name="Back to the analysis")).to_be_visible()
    expect(page.locator("#ending")).to_be_hidden()


def test_moves_sound_if_that_is_wanted_and_notes_are_points(page):
    page.evaluate("""() => {
        window.tones = [];
        const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function (at) {
            tones.push(this.type);
            start.call(this, at);
        };
    }""")
    start(page, "me", "me")
    sound = page.get_by_role("button", name="Sound")
    expect(sound).to_have_attribute("aria-pressed", "false")
    for tones in ([], ["square", "sine", "square"]):
        assert wait_for_turn(page)
        page.locator("#board").press("ArrowRight")
        page.keyboard.press("Enter")
        expect(page.locator("#told")).to_contain_text("marked place")
        assert soon(lambda wanted=tones: page.evaluate("tones") == wanted)
        if not tones:
            sound.click()  # which makes both sounds
    page.reload()
    expect(sound).to_have_attribute("aria-pressed", "true")


def test_the_result_is_seen_with_the_final_scoring_by_feature(page, saved, game):
    open_file(page, saved)
    ending = page.locator("#ending")
    expect(ending).to_be_in_viewport()
    expect(page.locator("#ending-title")).to_contain_text(" : ".join(map(str, game.scores)))
    totals = [int(text) for text in ending.locator("strong").all_inner_texts()]
    assert totals == list(game.scores)
    gains = re.findall(r"[+](\d+)", ending.locator("#finals-title").inner_text())
    for row in ending.locator("#finals button").all():
        expect(row).to_be_in_viewport(ratio=1)
    points = [0] * 2
    for row in ending.locator("#finals button").all():
        for owner in row.locator(".chip").all_text_contents():
            points[int(owner) - 1] += int(row.locator("b").inner_text())
    assert points == [int(gain) for gain in gains]
    assert sum(points) > 0
    page.locator("#ending-close").click()
    expect(ending).to_be_hidden()
    for part in page.locator(".parts use").all()[::9]:
        part.hover(force=True)
        expect(page.locator("#pointed")).not_to_contain_text("if the game ended now")
    page.get_by_role("button", name="Result").click()
    expect(ending).to_be_visible()
    page.locator("#before").click()
    expect(ending).to_be_hidden()
    page.locator("#last").click()
    expect(page.get_by_role("button", name="Result")).to_be_visible()
    expect(ending).to_be_hidden()  # it has been seen
    page.locator("#status .main").click()
    expect(page.locator("#setup")).to_be_visible()


def test_the_bar_does_not_push_the_board_and_the_view_keeps_its_scale(page):
    page.emulate_media(reduced_motion="reduce")
    start(page, "me", "me", tiles="base")
    table, scales = page.locator("#table"), []
    tabs = page.locator("#tabs").bounding_box()
    for number in range(24):
        assert wait_for_turn(page)
        before = table.bounding_box()
        cells = page.locator(".legal rect")
        cells.nth(number % cells.count()).click()
        expect(page.locator(".ghost .placed")).to_be_visible()
        assert table.bounding_box() == before
        assert all(width < 0.45 * scale(page) for *_, width in rings(page))  # the tile is seen
        page.keyboard.press("Enter")
        expect(page.locator("#told")).to_contain_text("marked place")
        assert table.bounding_box() == before
        assert page.locator("#tabs").bounding_box() == tabs
        scales.append(round(scale(page), 1))
    assert len(set(scales)) <= 5
    assert min(scales) >= 50
    assert scales == sorted(scales, reverse=True)
    page.keyboard.press("[")
    expect(page.locator("#status")).to_contain_text("After 23 of 24")
    back, status = (page.locator(name).bounding_box() for name in ("#status button", "#status"))
    assert back["y"] >= status["y"]
    assert back["height"] <= status["height"]
    page.locator("#first").click()
    expect(page.locator(".tiles use")).to_have_count(1)
    assert round(scale(page), 1) == scales[-1]


def test_list_and_table_use_the_height_of_the_window(page):
    start(page, "casual", "me", tiles="base")
    page.locator("#tab-analysis").click()
    expect(page.locator("#thought tbody tr").nth(7)).to_be_attached()
    height = "list => list.clientHeight"
    assert page.locator("#thought .scroll").evaluate("it => it.scrollHeight <= it.clientHeight")
    expect(page.locator("#thought .facts")).to_be_in_viewport(ratio=1)
    low = page.locator("#record").evaluate(height)
    page.set_viewport_size({"width": 1280, "height": 1100})
    assert page.locator("#record").evaluate(height) > low + 100


def test_the_view_glides_to_a_tile_that_it_does_not_show(page, saved):
    look_back(page, saved)
    page.locator("#first").click()
    expect(page.locator(".tiles use")).to_have_count(1)
    for _ in range(5):
        page.locator("#zoom-in").click()
    page.evaluate("""() => {
        performance.now = () => 0;
        window.requestAnimationFrame = (frame) => (window.frame = frame);
    }""")
    page.locator("#last").click()
    expect(page.locator(".tiles use")).to_have_count(24)
    lefts = []
    for time in (0, 100, 200, 400):
        page.evaluate(f"frame({time})")
        x, *_ = map(float, page.locator("#board").get_attribute("viewBox").split())
        lefts.append(x)
    assert lefts in (sorted(set(lefts)), sorted(set(lefts), reverse=True))


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, {"width": 820, "height": 1180}])
def test_the_buttons_of_the_view_cover_no_part_of_the_board(page, unfinished, size):
    page.set_viewport_size(size)
    resume(page, unfinished)
    board, zoom = (page.locator(name).bounding_box() for name in ("#board", "#zoom"))
    assert board["x"] + board["width"] <= zoom["x"]
    for cell in page.locator(".legal rect").all():
        cell.click(trial=True)


def test_a_replay_has_the_colours_of_the_page_and_a_link_to_each_move(page, game, tmp_path):
    path = tmp_path / "replay.html"
    replay(game, analyse_game(game, "greedy")).to_html(path)
    page.goto(f"{path.as_uri()}#9")
    expect(page.locator("#progress")).to_have_text("After 9 of 23 moves")
    meeples = game.boards()[9].placed_meeples
    numbers = page.locator(".meeples .mark").all_text_contents()
    assert sorted(numbers) == sorted(str(meeple.player + 1) for meeple in meeples) != []
    expect(page.locator(".axes text", has_text=re.compile("^0$"))).to_have_count(2)
    before = scale(page)
    page.locator("#zoom-in").click()
    assert scale(page) > before
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("#10$"))
    expect(page.locator("#record .number").last).to_have_text("23.")
    theme = page.locator("html").get_attribute("data-theme")
    page.locator("#theme").click()
    expect(page.locator("html")).not_to_have_attribute("data-theme", theme)
    page.keyboard.press("End")
    expect(page.locator("#ending-title")).to_contain_text(" : ".join(map(str, game.scores)))
    expect(page.locator("#finals b").first).to_contain_text("+")
    page.locator("#before").click()
    page.locator("#last").click()
    expect(page.locator("#ending")).to_be_hidden()
    page.get_by_role("button", name="Result").click()
    expect(page.locator("#ending")).to_be_visible()


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_points_rise_and_meeples_walk_home_unless_motion_is_unwanted(page, motion, tmp_path):
    game = game_of(3, "greedy", "greedy")
    game.save(tmp_path / "game.json")
    page.emulate_media(reduced_motion=motion)
    look_back(page, tmp_path / "game.json")
    boards = game.boards()
    scores = [sum(model.scores) for model in boards]
    home = [{*a.placed_meeples} - {*b.placed_meeples} for a, b in itertools.pairwise(boards)]
    number = 1 + next(i for i, meeples in enumerate(home) if meeples)
    page.locator("#ply").fill(str(number - 1))
    expect(page.locator(".tiles use")).to_have_count(number)
    page.evaluate("""async () => {
        await import("./static/motion.js");
        const animate = Element.prototype.animate;  // and stand still, however slow the test is
        Element.prototype.animate = function (...options) {
            const animation = animate.apply(this, options);
            animation.pause();
            return animation;
        };
    }""")
    page.locator("#after").click()
    expect(page.locator(".tiles use")).to_have_count(number + 1)
    if motion == "reduce":
        expect(page.locator(".motion > *")).to_have_count(0)
    else:
        gained = f"+{scores[number] - scores[number - 1]}"
        expect(page.locator(".motion > text")).to_have_text(gained)
        expect(page.locator(".motion .meeple")).to_have_count(len(home[number - 1]))
        for part in (".tiles > :last-child", ".last"):  # the frame waits for the tile
            moving = f"document.querySelector('{part}').getAnimations().length"
            assert page.evaluate(moving) == 1
        page.locator("#after").click()  # the next move does not cut them short
        expect(page.locator(".tiles use")).to_have_count(number + 2)
        expect(page.locator(".motion > text").first).to_have_text(gained)
        page.evaluate("document.getAnimations().forEach((animation) => animation.finish())")
        expect(page.locator(".motion > *")).to_have_count(0)


def test_the_page_says_what_a_move_scores_before_it_is_played(page):
    start(page, "me", "me")
    page.locator(".legal rect").first.click()
    expect(page.locator("#note")).to_have_text("no points at once")
    page.locator("#choices button").nth(1).click()
    joined = (
        r"no points at once · your \w+, \d+ % chance to be completed, \+\d if the game ended now"
    )
    expect(page.locator("#note")).to_have_text(re.compile(joined))
    page.keyboard.press("f")
    expect(page.locator(".ghost .farms rect").first).to_be_attached()
    page.keyboard.press("Escape")
    expect(page.locator("#note")).to_have_text("")


@pytest.mark.parametrize("language", languages())
def test_no_words_below_the_board_are_cut(page, language):
    start(page, "me", "me")
    page.locator(".legal rect").first.click()
    expect(page.locator("#note")).to_have_text("no points at once")
    words = words_of(language, STATIC.parent / "words")

    def filled(key: str, **values: str) -> str:
        text = words[key] if isinstance(words[key], str) else words[key]["other"]
        return re.sub(r"\[(.+?)\|.*?\]", r"\1", text).format(**values)

    move = f"(0, −2), {filled('meeple_none')}"
    task = f"{filled('mistake_of', number='1', count='3')} {filled('was_played', move=move)}"
    task += f" {filled('find_better')}"
    place, ring = (
        " ".join(map(filled, keys)) for keys in (("place_it", "dashed"), ("press_ring",))
    )
    feature = filled("kind_of", owners=filled("own"), kind=filled("kind_cloister"))
    feature = filled("chance", feature=feature, percent="0")
    part = f"{feature}, {filled('if_ended', points='+6')}"
    note = " · ".join([filled("no_gain"), part, part, part])
    cut = """(texts) => Object.entries(texts).flatMap(([id, text]) => {
        const element = document.getElementById(id);
        element.textContent = text;
        const { scrollWidth, scrollHeight, clientWidth, clientHeight } = element;
        return scrollWidth > clientWidth || scrollHeight > clientHeight + 1 ? [id] : [];
    })"""
    for told, below in ((f"{task} {place}", ""), (ring, note)):
        assert page.evaluate(cut, {"told": told, "note": below}) == []
    assert page.evaluate("document.querySelectorAll('#choices button').length") > 1


def test_the_result_shows_after_an_address_has_named_a_move(page, saved):
    open_file(page, saved)
    expect(page.locator("#ending")).to_be_visible()
    page.goto(f"{page.url}/3")
    expect(page.locator(".tiles use")).to_have_count(4)
    expect(page.locator("#ending")).to_be_hidden()
    page.locator("#new").click()
    open_file(page, saved)
    expect(page.locator("#ending")).to_be_visible()


def test_the_side_has_tabs_a_bar_of_the_expected_scores_and_meeples_as_pictures(page):
    start(page, "me", "me", "me")
    expect(page.locator("#regions")).to_be_visible()
    expect(page.locator("#thought")).to_be_hidden()
    page.get_by_role("tab", name="Game").press("ArrowRight")
    expect(page.locator("#thought")).to_be_visible()
    expect(page.locator("#curve")).to_be_hidden()  # it has no move yet
    expect(page.locator("#regions")).to_be_hidden()
    assert num_tiles(page) == 1
    parts = page.locator("#lead span")
    expect(parts).to_have_count(3)
    widths = [part.bounding_box()["width"] for part in parts.all()]
    assert max(widths) < 1.2 * min(widths)
    expect(page.locator(".player").first.locator(".hands use")).to_have_count(7)


def test_a_second_click_leads_back_from_the_tiles_left(page):
    start(page, "me", "me")
    page.locator("#tab-analysis").click()
    side = "side => side.scrollTop"
    page.set_viewport_size({"width": 1280, "height": 600})
    page.locator("#side").evaluate("side => side.scrollTo(0, 40)")
    for _ in range(2):
        page.locator("#progress button").click()
        expect(page.locator("#bag-title")).to_be_in_viewport(ratio=1)
        expect(page.locator("#bag-back")).to_be_hidden()
        page.locator("#progress button").click()
        expect(page.locator("#panel-analysis")).to_be_visible()
        assert page.locator("#side").evaluate(side) == 40


def test_a_known_order_shows_the_next_tiles_at_the_hand(page):
    page.locator("#set-known").check()
    start(page, "me")
    for _ in range(3):
        wait_for_turn(page)
        expect(page.locator("#coming use")).to_have_count(3)
        coming = page.locator("#coming use").first.get_attribute("href")
        play_by_mouse(page)
        expect(page.locator("#hand use")).to_have_attribute("href", coming)
