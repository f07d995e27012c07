"""The page of Carcassonne in a real browser, in brief: what runs without ``--slow``."""

from __future__ import annotations

import carcassonne_page
import chromium
from carcassonne_page import num_tiles, play_by_mouse, start, wait_for_turn
from chromium import expect

browser, context, page = chromium.browser, chromium.context, chromium.page
address = carcassonne_page.address


def test_a_first_move(page):
    start(page, "me", "me")
    page.locator(".legal rect").first.click()
    expect(page.locator(".ghost .placed")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".ghost .placed")).to_have_count(0)
    play_by_mouse(page)
    assert num_tiles(page) == 2
    expect(page.locator("#status")).to_contain_text("person 2")
    expect(page.locator("#record li")).to_have_count(1)


def test_the_page_says_what_comes_after_the_placement(page):
    page.locator("#set-meeples").select_option("1")
    start(page, "me")
    told = page.locator("#told")
    for words in ("Click a ring", "You have no meeple in hand"):
        expect(told).to_contain_text("Click a marked place")
        is_dashed = page.locator(".legal rect:not(.ready)").count() > 0
        assert ("It turns to fit a dashed one" in told.inner_text()) == is_dashed
        page.locator(".legal rect").first.click()
        expect(told).to_contain_text(words)
        if words == "Click a ring":
            page.locator("#choices button").last.click()
            expect(told).to_contain_text("Press Play to put your meeple on the")
            page.locator("#play").click()


def test_the_language_can_be_changed_and_stays(page, address):
    expect(page.locator("#setup")).to_be_visible()
    expect(page.locator("#start")).to_have_text("Start")
    page.locator("#language").select_option("de")
    expect(page.locator("#start")).to_have_text("Los")
    page.goto(address)
    start(page, "me", "casual")
    expect(page.locator("#status")).to_contain_text("Du bist am Zug")
    expect(page.locator(".player .name").last).to_have_text("Hobbyspieler")
    play_by_mouse(page)
    wait_for_turn(page)
    page.locator(".legal rect").first.click()
    expect(page.locator("#told")).to_contain_text("Spalte")
