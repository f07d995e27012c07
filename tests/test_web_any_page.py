"""The page of any game in a real browser."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

import pytest

import chromium
from agents import Rng
from agents.catalogue import make_game
from agents.games.tactics.terms import CARDS
from agents.playing.game_file import PlayedGame
from chromium import PHONE, SIDEWAYS, expect, opened, serious_faults

browser, context, axe = chromium.browser, chromium.context, chromium.axe
page, phone = chromium.page, chromium.phone
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with chromium.served(tmp_path_factory.mktemp("games"), "agents", "web", "reversi") as address:
        yield address


def choose(page: Any, choice: str, text: str, value: str) -> None:
    """Chooses a value in a list, or writes what the list has not."""
    known = page.locator(f"{choice} option").evaluate_all("all => all.map((one) => one.value)")
    page.locator(choice).select_option(value if value in known else "")
    if value not in known:
        page.locator(text).fill(value)


def start(page: Any, game: str, *players: str) -> None:
    """Starts a game in the dialog."""
    expect(page.locator("#setup")).to_be_visible()
    choose(page, "#set-game", "#other-game", game)
    seats = page.locator(".seat")
    expect(seats).to_have_count(len(players))
    for i, player in enumerate(players):
        choose(page, f".seat:nth-child({i + 1}) select", f".seat:nth-child({i + 1}) input", player)
    page.locator("#start").click()
    expect(page.locator("#setup")).to_be_hidden()


def random_game(game: str, most: int = 1000, seed: int = 1) -> PlayedGame:
    """A game of so many random moves and chance outcomes, or less."""
    model, rng, actions = make_game(game, seed=1), Rng(seed), list[int]()
    while not model.is_terminal() and len(actions) < most:
        draw = model.sample_chance if model.is_chance_node() else model.sample_action
        actions.append(draw(rng))
        model.apply_action(actions[-1])
    return PlayedGame(game, 1, ["Ann", "Ben"], actions)


def open_game(page: Any, game: PlayedGame) -> None:
    """Opens the file of a game in the dialog."""
    expect(page.locator("#setup")).to_be_visible()
    page.locator("#file").set_input_files(
        {"name": "a.json", "mimeType": "application/json", "buffer": game.to_json().encode()}
    )
    expect(page.locator("#setup")).to_be_hidden()


def analyse(page: Any, game: PlayedGame) -> None:
    """Opens the file of a game, and has the level beginner analyse it."""
    open_game(page, game)
    page.locator("#level").select_option("beginner")
    page.locator("#analyse").click()


def tell(page: Any, change: Callable[[Any], object]) -> None:
    """Has the server's messages changed before the page hears them."""

    def told(text: str) -> str:
        message = json.loads(text)
        change(message)
        return json.dumps(message)

    def serve(socket: Any) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda text: socket.send(told(text)))

    page.route_web_socket("**/game", serve)
    page.reload()


def tell_losses(page: Any, losses: list[dict[str, Any]]) -> None:
    """Has the server tell the page these losses of the first moves in place of its own."""

    def change(message: Any) -> None:
        for own, other in zip(message.get("losses", ()), losses, strict=False):
            own.update(other)

    tell(page, change)


def test_a_move_is_made_by_a_place_or_from_the_list(page):
    start(page, "reversi", "me", "me")
    expect(page.locator("#places .place")).to_have_count(4)
    page.get_by_role("button", name="d3").first.click()
    expect(page.locator("#record li")).to_have_count(1)
    page.locator("#moves button", has_text="c3").click()
    expect(page.locator("#record li")).to_have_count(2)
    expect(page.locator("#record li").last).to_have_text(re.compile(r"2person 2\s?c3"))
    page.locator("#places .place").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#record li")).to_have_count(3)
    assert page.locator("#drawing").evaluate("image => image.naturalWidth") > 100


def test_places_lie_on_the_squares_of_the_picture(page):
    """The overlay and the picture have the same scale, also when the window is flat."""
    start(page, "reversi", "me", "me")
    for width, height in ((1280, 800), (1000, 420), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        box = page.locator("#picture").bounding_box()
        scale = min(box["width"] / 372, box["height"] / 406)  # of the picture of an 8 x 8 board
        place = page.get_by_role("button", name="d3").first.bounding_box()
        middle = place["x"] + place["width"] / 2 - box["x"] - box["width"] / 2
        assert middle == pytest.approx((26 + 3.5 * 40 - 186) * scale, abs=1.5)


def test_a_place_of_many_moves_lists_them(page):
    start(page, "tactics", "me", "random")
    expect(page.locator("#moves button").first).to_be_visible()
    count = page.locator("#moves button").count()
    crowded = page.locator("#places .place[aria-label*=',']").first
    names = crowded.get_attribute("aria-label").split(", ")
    crowded.click()
    assert page.locator("#moves button").all_inner_texts() == names
    expect(page.locator("#moves button").first).to_be_focused()
    page.locator("#all").click()
    expect(page.locator("#moves button")).to_have_count(count)
    crowded.click()
    page.keyboard.press("Escape")
    expect(page.locator("#moves button")).to_have_count(count)


def test_a_hint_is_shown_on_the_board_and_in_the_table(page):
    start(page, "hex(size=4)", "me", "casual")
    page.locator("#places .place").nth(5).focus()
    page.keyboard.press("h")
    expect(page.locator("#status")).to_contain_text(re.compile(r"Hint: [a-d][1-4]\."))
    words, best = (page.locator(f"#thought {each}") for each in (".who", "tr.best"))
    move, value = best.locator("td").first.inner_text(), best.locator(".points").inner_text()
    chance = value.partition("%")[0]
    told = f"Hint for you: {move}. With this move you can expect a winning chance of {chance}%."
    expect(words).to_have_text(told)
    expect(page.locator("#thought tr.best .move, #thought tr.best td").first).to_have_text(
        page.locator("#places .advised title").text_content()
    )
    heat = page.locator("#places .heat")
    shown = heat.evaluate_all(
        "places => places.map((place) => +place.getAttribute('fill-opacity'))"
    )
    assert (len(shown), max(shown)) == (16, 0.75)
    expect(page.locator("#places .place").nth(5)).to_be_focused()
    assert page.locator("#record li").count() == 0
    left = "bars => bars.map((bar) => bar.getBoundingClientRect().left)"
    assert len(set(page.locator("#thought .bar").evaluate_all(left))) == 1
    page.locator("#resign").click()
    expect(page.locator("#status")).to_contain_text("You resigned")
    expect(heat).to_have_count(0)


def test_a_row_of_a_search_shows_its_move_on_the_board(page):
    start(page, "reversi", "me", "casual")
    page.keyboard.press("h")
    expect(page.locator("#status")).to_contain_text("Hint: ")
    rows, shown = page.locator("#thought tbody tr"), page.locator("#places .shown .ring")
    here = "rings => rings.map((ring) => ring.getAttribute('cx') + ring.getAttribute('cy'))"
    for index in range(2):
        rows.nth(index).locator(".points").hover()
        expect(shown).to_have_count(1)
        words = rows.nth(index).locator("td").first.inner_text()
        own = page.locator(f"#places .place[aria-label='{words}'] .ring")
        assert shown.evaluate_all(here) == own.evaluate_all(here)
    page.locator("#title").hover()
    expect(shown).to_have_count(0)
    rows.nth(1).get_by_role("button").click()
    page.locator("#title").hover()
    expect(shown).to_have_count(1)  # until the next click
    page.locator("#places .place").first.click()
    expect(page.locator("#record li")).to_have_count(2)
    expect(shown).to_have_count(0)
    page.locator("#before").click()
    expect(page.locator("#status")).to_contain_text("After 1 of 2 moves")
    rows.first.get_by_role("button").focus()
    expect(shown).to_have_count(1)


def test_the_rate_of_a_search_that_took_no_time_is_not_shown(page):
    hint = {"seconds": 1.0, "iterations": 2000, "rate": 2000}
    tell(page, lambda message: message.get("thought", {}).update(hint))
    start(page, "hex(size=2)", "me", "casual")
    page.keyboard.press("h")
    expect(page.locator("#thought")).to_contain_text("1.0 s · 2,000 tries, 2,000 a second")
    hint |= {"seconds": 0.001, "rate": 2_000_000}
    page.locator("#places .place").first.click()
    page.keyboard.press("h")
    expect(page.locator("#thought")).to_contain_text(re.compile("0.0 s · 2,000 tries · "))


def test_black_is_seen_on_dark_colours_which_follow_the_system(page):
    analyse(page, random_game("hex(size=3)", 5))
    bar, root = page.locator("#losses rect[fill=black]").first, page.locator("html")
    expect(bar).to_be_visible()
    cut = "all => all.filter((each) => each.scrollWidth > each.clientWidth).length"
    assert page.locator("#worst button, #worst b").evaluate_all(cut) == 0
    for scheme, edge in (("dark", "rgb(207, 201, 187)"), ("light", "rgb(141, 132, 117)")):
        page.emulate_media(color_scheme=scheme)
        expect(root).to_have_attribute("data-theme", scheme)
        expect(bar).to_have_css("stroke", edge)
    page.locator("#theme").click()
    page.emulate_media(color_scheme="dark")
    page.emulate_media(color_scheme="light")
    expect(root).to_have_attribute("data-theme", "dark")  # as the reader chose


def test_an_analysis_marks_a_mistake_which_is_tried_again(page):
    """White, who must answer a1 by a2, played b1."""
    analyse(page, PlayedGame("hex(size=2)", 0, ["casual", "you"], [0, 1, 2]))
    expect(page.locator("#analysed")).to_have_text("3 of 3 moves, judged by level beginner")
    expect(page.locator("#losses rect")).to_have_count(1)
    expect(page.locator("#worst")).to_contain_text("Move 2")
    board = page.locator("#picture")
    box = board.bounding_box()
    page.locator("#record button", has_text="??").click()
    lowered = r"Move 2 \?\? lowered the winning chance by \d\d %.* Better: a2\."
    expect(page.locator("#note")).to_have_text(re.compile(lowered))
    expect(page.locator("#places .compared title")).to_have_text(["b1", "a2"])
    expect(page.locator("#record [aria-current]")).to_contain_text("2")
    assert board.bounding_box() == box
    told = page.locator("#told")
    page.keyboard.press("v")
    expect(told).to_contain_text("You move for all players")
    page.get_by_role("button", name="Back to the analysis").click()
    expect(page.locator("#note")).to_have_text(re.compile(lowered))
    page.keyboard.press("t")
    expect(told).to_have_text("Mistake 1 of 1. Played: b1. Find a better move. ")
    end = "That was the last mistake. Of 1: {} solved at the first try, {} later, {} shown."
    page.get_by_role("button", name="b2").first.click()
    expect(told).to_contain_text(end.format(0, 0, 0))
    page.keyboard.press("t")
    page.reload()
    page.get_by_role("button", name="a2").first.click()
    expect(told).to_contain_text(end.format(0, 1, 0))
    page.get_by_role("button", name="Back to the analysis").click()
    expect(page.locator("#note")).to_have_text(re.compile(lowered))
    page.keyboard.press("t")
    page.get_by_role("button", name="a2").first.click()
    expect(told).to_contain_text(end.format(1, 0, 0))
    page.keyboard.press("t")
    page.reload()
    page.get_by_role("button", name="Show the solution").click()
    expect(told).to_contain_text(end.format(0, 0, 1))
    expect(page.locator("#places .compared title")).to_have_text(["b1", "a2"])
    assert board.bounding_box() == box
    expect(page.locator("#mistake, #hold")).to_have_count(2)
    expect(page.locator("#mistake:visible, #hold:visible")).to_have_count(0)
    page.get_by_role("button", name="a2").first.click()
    expect(told).to_contain_text("✓ As good as the computer’s best move (level beginner).")
    expect(told).to_contain_text(end.format(0, 0, 1))
    page.get_by_role("button", name="Back to the analysis").click()
    expect(page.locator("#note")).to_contain_text("Better: a2.")
    page.locator("#first").click()
    page.get_by_role("button", name="Variation").click()
    page.get_by_role("button", name="b2").first.click()
    page.get_by_role("button", name="b1").first.click()
    page.get_by_role("button", name="Back to the analysis").click()
    expect(page.locator("#record li").first).to_have_text(
        re.compile(r"casual\s?a1Variation1\.\s?b2(\?!|\?|\?\?|✓)?\s?b1$")
    )
    expect(page.locator("#record li .verdict")).to_have_count(1)


@pytest.mark.parametrize(
    ("game", "most", "marks", "counts", "mean"),
    [
        ("hex(size=3)", 5, " −3 %,?! −4 %,?! −9 %,? −10 %,?? −20 %", "101", "10.7 %"),
        ("carcassonne", 10, " −0.06, −0.07,?! −0.18,?! −0.19,? −0.39", "110", "0.210"),
    ],
)
def test_marks_are_by_the_losses_that_the_page_shows(page, game, most, marks, counts, mean):
    """The accuracy of moves that lost 3, 9 and 20 % of the chance is that of lichess."""
    losses = (0.06, 0.07, 0.18, 0.19, 0.39)
    tell_losses(page, [{"points": lost} for lost in losses])
    analyse(page, random_game(game, most))
    expect(page.locator("#record .lost")).to_have_count(5)
    assert page.locator("#record .lost").all_text_contents() == marks.split(",")
    left = [103.1668 * math.exp(-0.04354 * 50 * lost) - 3.1669 for lost in losses[::2]]
    expect(page.locator("#summary tr")).to_have_count(3)
    row = page.locator("#summary tr").nth(1).locator("th, td").all_inner_texts()
    assert row == ["Ann", f"{sum(left) / 3:.0f} %", *counts, mean]
    total = "" if "hex" in game else "Lost in all: Ann 0.63, Ben 0.26."  # a sum of chances is none
    expect(page.locator("#totals")).to_have_text(total)
    titles = page.locator("#summary th[scope=col]").evaluate_all("all => all.map((th) => th.title)")
    nothing = "100 % if nothing was lost"
    assert titles == [nothing, "small mistakes", "mistakes", "bad mistakes", ""]


def test_the_chance_of_the_first_player_is_seen_over_the_moves_and_at_the_end(page):
    """A position without a choice has no value; black has won."""
    tell_losses(page, [{"value": 0.5}, {"value": 0.5}, {"value": None}])
    open_game(page, PlayedGame("hex(size=2)", 0, ["Ann", "Ben"], [0, 1, 2]))
    curve = page.locator("#curve")
    expect(curve).to_be_hidden()
    page.locator("#level").select_option("beginner")
    page.locator("#analyse").click()
    line = curve.locator(".series path").last
    expect(line).to_have_attribute("d", "M30.0 38.5L126.0 99.5L318.0 8.0")
    expect(line).to_have_attribute("stroke", "black")
    assert curve.locator(".tick").all_text_contents() == ["0 %", "50 %", "100 %"]
    for chart in (curve, page.locator("#losses")):
        assert chart.locator(".axis").all_text_contents() == ["0", "move 3"]
    expect(page.locator("#losses-title")).to_have_text("What each move lost")
    expect(curve).to_have_attribute("aria-label", "Winning chance of Ann: 100.0 %")
    curve.click(position={"x": curve.bounding_box()["width"] * 126 / 340, "y": 60})
    expect(page.locator("#status")).to_contain_text("After 1 of 3 moves")
    expect(curve).to_have_attribute("aria-label", "Winning chance of Ann: 25.0 %")
    expect(line).to_have_attribute("d", "M30.0 38.5L126.0 99.5L318.0 8.0")
    page.locator("#new").click()
    open_game(page, PlayedGame("hex(size=2)", 0, ["you", "casual"], [0, 1, 2]))
    page.locator("#analyse").click()
    expect(page.locator("#curve-title")).to_have_text("Your winning chance")


def test_losses_have_the_colours_of_the_sides(page):
    analyse(page, random_game("carcassonne(tiles=small)"))
    expect(page.locator("#losses rect[fill='#d55e00']").first).to_be_attached()
    expect(page.locator("#curve .series")).to_have_count(2)


def test_the_page_tells_the_rules_and_the_side_of_the_player(page):
    start(page, "reversi", "me", "me")
    aim = "You win if you have more pieces at the end."
    for locator, words in (
        ("#status", "as black:"),
        ("#status", aim),
        (".player.next .facts", "black"),
    ):
        expect(page.locator(locator)).to_contain_text(words)
    page.keyboard.press("?")
    expect(page.locator("#rules")).to_contain_text("encloses pieces of the other colour")
    page.locator("#help-box button").click()
    page.locator("#moves button").first.click()
    expect(page.locator("#status")).to_contain_text("person 2, it is your turn as white:")
    expect(page.locator("#status")).not_to_contain_text(aim)
    page.locator("#language").select_option("de")
    expect(page.locator(".player.next .facts")).to_have_text("Weiß")


def test_the_dialog_lists_games_and_players_and_tells_the_rules(page):
    """A player whom another game lacks becomes a known one."""
    expect(page.locator("h1")).to_have_text("reversi")
    seat, fewer = page.locator(".seat select").nth(1), page.locator("#fewer")
    meaning = page.locator(".seat:nth-child(2) .facts")
    seat.select_option("reversi.evolved")
    expect(meaning).to_contain_text("comes with this game")
    expect(page.locator("#goal")).to_have_text("You win if you have more pieces at the end.")
    page.locator("#set-game").select_option(label="Hex")
    expect(page.locator("#goal")).to_contain_text("Black joins the top to the bottom")
    expect(seat).to_have_value("casual")
    expect(meaning).to_have_text("tries out 500 ways before each move")
    expect(page.locator("#set-game option[value=fop]")).to_have_text(
        "Function Optimisation Problem"
    )
    page.locator("#about").click()
    expect(page.locator("#rules")).to_contain_text("Black joins the top to the bottom")
    page.locator("#help-box button").click()
    page.locator("#set-game").select_option("tactics")
    page.locator("#about").click()
    for card in CARDS:
        expect(page.locator("#rules p").get_by_text(f"• {card}: ")).to_be_visible()
    page.locator("#help-box button").click()
    expect(fewer).to_be_hidden()
    choose(page, "#set-game", "#other-game", "fop(num_players=2)")
    expect(page.locator(".seat")).to_have_count(1)
    page.locator("#more").click()
    expect(seat).to_have_value("casual")
    fewer.click()
    expect(page.locator(".seat")).to_have_count(1)


def test_rings_stand_out_and_very_many_are_seen_under_the_pointer_only(page):
    start(page, "reversi", "me", "me")
    ring = page.locator("#places .place").first.locator("circle").last
    shown = "ring => getComputedStyle(ring).strokeOpacity"
    assert ring.evaluate(shown) == "1"
    page.locator("#new").click()
    start(page, "hex", "me", "me")
    assert ring.evaluate(shown) == "0"
    page.locator("#places .place").first.hover()
    assert ring.evaluate(shown) == "1"


def test_who_must_pass_is_told_and_passes_by_a_button(page):
    open_game(page, random_game("reversi", 56, seed=15))
    expect(page.locator("#status")).to_contain_text("your only move is pass")
    page.locator("#status button").click()
    expect(page.locator("#record li").last).to_contain_text("pass")
    expect(page.locator("#status")).to_contain_text("click a place")


def test_very_many_moves_are_listed_when_they_are_asked_for(page):
    """Those that no place of the picture stands for are listed at once."""
    start(page, "hex(size=6, swap=True)", "me", "me")
    moves = page.locator("#moves button")
    expect(moves).to_have_count(0)
    expect(page.locator("#moves-title")).to_have_text("Your moves: 36")
    page.get_by_role("button", name="a1").click()
    expect(moves).to_have_text(["swap"])
    page.locator("#all").click()
    expect(moves).to_have_count(36)
    expect(moves.first).to_be_focused()


def test_the_game_is_stepped_through_undone_and_found_again(page):
    start(page, "dodgem", "me", "casual")
    for count in (2, 4):
        page.locator("#moves button").first.click()
        expect(page.locator("#record li")).to_have_count(count)
        expect(page.locator("#moves button").first).to_be_visible()
    drawn = page.locator("#drawing").get_attribute("src")
    page.keyboard.press("[")
    expect(page.locator("#status")).to_contain_text("After 3 of 4 moves")
    assert page.locator("#drawing").get_attribute("src") != drawn
    expect(page.locator("#choosing")).to_be_hidden()
    expect(page.locator("#past button:disabled")).to_have_count(0)
    page.locator("#first").click()
    expect(page.locator("#past button:disabled")).to_have_count(2)
    page.get_by_role("button", name="Back to the game").click()
    expect(page.locator("#choosing")).to_be_visible()
    page.reload()
    expect(page.locator("#record li")).to_have_count(4)
    assert page.locator("#drawing").get_attribute("src") == drawn
    page.keyboard.press("u")
    expect(page.locator("#record li")).to_have_count(2)
    with page.expect_download() as download:
        page.locator("#save").click()
    path = download.value.path()
    page.locator("#new").click()
    page.locator("#file").set_input_files(path)
    expect(page.locator("#record li")).to_have_count(2)


def test_a_refused_game_says_why_in_the_dialog(page):
    start_it = page.locator("#start")
    choose(page, ".seat:first-child select", ".seat:first-child input", "os:system")
    start_it.click()
    refused = (
        "there is no player 'os:system', but there are these, also with options: beginner, casual"
    )
    expect(page.locator("#setup-error")).to_contain_text(refused)
    expect(page.locator(".seat .facts").first).to_contain_text(
        "also with options: mcts(time_limit=2)"
    )
    page.locator("#language").select_option("de")
    expect(start_it).to_have_text("Los")
    choose(page, ".seat:first-child select", ".seat:first-child input", "good player")
    start_it.click()
    refused = (
        "Einen Computerspieler 'good player' gibt es nicht, aber diese, auch mit Optionen: beginner"
    )
    expect(page.locator("#setup-error")).to_contain_text(refused)
    page.locator("#language").select_option("en")
    expect(start_it).to_have_text("Start")
    choose(page, "#set-game", "#other-game", "chess")
    page.locator(".seat select").first.select_option("me")
    expect(page.locator("#setup-error")).to_be_hidden()  # it was about another choice
    choose(page, "#set-game", "#other-game", "chess")
    start_it.click()
    expect(page.locator("#setup-error")).to_contain_text("game must be one of carcassonne")


def test_a_game_without_pictures_is_text_and_its_end_is_told(page):
    start(page, "fop(function=f3)", "me")
    expect(page.locator("#text")).to_contain_text("f3, 0 of 17 choices made")
    for count in range(1, 18):
        page.locator("#moves button").last.click()
        expect(page.locator("#record li")).to_have_count(count)
    expect(page.locator("#status b")).to_have_text(re.compile(r"^You reached [01]$"))
    lines = page.locator("#text").inner_text().strip().count("\n") + 1
    text, notice = page.locator("#text").bounding_box(), page.locator("#notice").bounding_box()
    assert notice["y"] > text["y"] + 15 + 20 * lines  # the notice covers no line
    expect(page.locator("#hint")).to_be_hidden()
    page.locator("#new").click()
    kept = page.locator("#kept-game option", has_text="fop(function=f3), you, finished")
    expect(kept).to_have_count(1)


def test_the_buttons_keep_their_places(page):
    start(page, "hex(size=5)", "me", "mcts(time_limit=1.5)")
    hint, undo, resign = (page.locator(f"#{name}") for name in ("hint", "undo", "resign"))
    places = [button.bounding_box() for button in (hint, undo, resign)]
    expect(undo).to_be_disabled()
    page.locator("#places .place").first.click()
    expect(hint).to_be_disabled()
    expect(undo).to_be_enabled()
    assert [button.bounding_box() for button in (hint, undo, resign)] == places
    expect(hint).to_be_enabled()
    assert [button.bounding_box() for button in (hint, undo, resign)] == places


def test_the_end_says_who_has_won(page):
    for game, names, actions, words in (
        ("hex(size=2)", ("you", "casual"), [0, 1, 2], "You win"),
        ("hex(size=2)", ("casual", "you"), [0, 1, 2], "casual wins"),
        ("reversi", ("you", "casual"), random_game("reversi", seed=26).actions, "A draw"),
    ):
        open_game(page, PlayedGame(game, 0, list(names), actions))
        expect(page.locator("#status b")).to_have_text(words)
        if words == "You win":
            page.keyboard.press("u")
            page.get_by_role("button", name="a2").first.click()
            expect(page.locator("#notice")).to_have_text(words)
        page.locator("#new").click()


@pytest.mark.parametrize("language", ["en", "de"])
def test_buttons_and_slider_keep_their_places_on_a_phone(phone, address, language):
    phone.context.add_cookies([{"name": "language", "value": language, "url": address}])
    phone.goto(address)
    start(phone, "reversi", "me", "mcts(time_limit=40)")
    parts = [phone.locator(f"#{name}") for name in ("undo", "resign", "past", "table")]
    places = [part.bounding_box() for part in parts]
    phone.locator("#places .place").first.tap()
    phone.locator("#play").tap()
    expect(phone.locator("#hurry")).to_be_visible()
    assert [part.bounding_box() for part in parts] == places


def test_a_phone_shows_board_turn_and_moves_without_scrolling_sideways(phone):
    start(phone, "hex(size=5)", "me", "casual")
    phone.locator("#places .place").first.tap()
    phone.locator("#play").tap()
    expect(phone.locator("#record li")).to_have_count(2)
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert phone.evaluate("scrollY") == 0
    for size in (SIDEWAYS, PHONE):
        phone.set_viewport_size(size)
        for step in ("#first", "#last"):
            expect(phone.locator(f"#turn {step}")).to_be_in_viewport(ratio=1)
    buttons = "all => Math.min(...all.map((each) => each.getBoundingClientRect().height))"
    assert phone.locator("button:visible, select:visible, #ply").evaluate_all(buttons) >= 44
    phone.locator("#theme").tap()
    assert phone.evaluate("document.documentElement.dataset.theme") == "dark"
    phone.locator("#hint").tap()
    expect(phone.locator("#play")).to_have_text(re.compile("Play [a-e][1-5]"))


def test_a_finger_beside_all_places_keeps_the_better_move(phone):
    analyse(phone, PlayedGame("hex(size=2)", 0, ["casual", "you"], [0, 1, 2]))
    phone.locator("#record button", has_text="??").tap()
    expect(phone.locator("#places .better title")).to_have_text("a2")
    box = phone.locator("#places").bounding_box()
    phone.touchscreen.tap(box["x"] + 2, box["y"] + 2)
    expect(phone.locator("#places .better title")).to_have_text("a2")


def test_a_finger_marks_a_place_before_it_plays_there(phone):
    """The place next to it; the board can be enlarged for it."""
    start(phone, "hex", "me", "me")
    places = phone.locator("#places")
    cell = places.get_by_role("button", name="f6", exact=True)
    box = cell.bounding_box()
    phone.touchscreen.tap(box["x"] + box["width"] / 2 + 8, box["y"] + box["height"] / 2)
    expect(phone.locator("#places .chosen title")).to_have_text("f6")
    expect(phone.locator("#play")).to_have_text("Play f6")
    assert phone.locator("#record li").count() == 0
    phone.locator("#play").tap()
    expect(phone.locator("#record li")).to_have_count(1)
    phone.locator("#fit").tap()
    cells = [places.get_by_role("button", name=name, exact=True) for name in ("e6", "g6")]
    left, right = (each.bounding_box() for each in cells)
    assert right["x"] - left["x"] > 64
    cells[1].tap()
    expect(phone.locator("#play")).to_be_visible()
    cells[1].tap()
    expect(phone.locator("#record li")).to_have_count(2)
    phone.locator("#new").tap()
    start(phone, "tactics", "me", "random")
    phone.locator("#places .place[aria-label*=',']").first.tap()
    phone.locator("#choices button").first.tap()
    expect(phone.locator("#record li").first).to_be_attached()
    phone.locator("#new").tap()
    start(phone, "reversi", "me", "me")
    expect(phone.locator("#places .place")).to_have_count(4)
    expect(phone.locator("#fit")).to_be_hidden()  # squares are wide enough


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_hinders_readers_of_the_screen(browser, address, axe, scheme):
    """In the dialogs, and in each kind of picture."""
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce")
    for page in opened(context, address):
        for game, seats in (("reversi", 2), ("tactics", 2), ("fop", 1)):
            assert serious_faults(page, axe) == []
            start(page, game, *["me", "casual"][:seats])
            page.keyboard.press("?")
            expect(page.locator("#help-box")).to_be_visible()
            assert serious_faults(page, axe) == []
            page.keyboard.press("Escape")
            page.keyboard.press("h")
            expect(page.locator("#thought .best").first).to_be_visible()
            assert serious_faults(page, axe) == []
            page.locator("#new").click()
    context.close()
