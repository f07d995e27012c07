"""The page of Carcassonne in a browser: games, and what the tests do with them."""

from __future__ import annotations

from typing import Any

import pytest

import chromium
from agents.game import play_game
from carcassonne_env.game_setup import Setup
from carcassonne_env.replaying import SavedGame
from chromium import PHONE, expect, opened

COMMAND = ("carcassonne_env", "web")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with chromium.served(tmp_path_factory.mktemp("games"), *COMMAND) as address:
        yield address


@pytest.fixture
def phone(browser, address):
    """The page on a phone."""
    context = browser.new_context(
        viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    yield from opened(context, address)
    context.close()


def start(page: Any, *players: str, tiles: str = "small", seed: str = "1") -> None:
    """Starts a game in the dialog."""
    expect(page.locator("#setup")).to_be_visible()
    seats = page.locator(".seat")
    while seats.count() > len(players):
        seats.last.get_by_role("button").click()
    while seats.count() < len(players):
        page.locator("#add-seat").click()
    for i, player in enumerate(players):
        seat = seats.nth(i)
        is_named = seat.locator(f"option[value='{player}']").count()
        seat.locator("select").select_option(player if is_named else "")
        if not is_named:
            seats.nth(i).locator("input").fill(player)
    page.locator("#set-tiles").select_option(tiles)
    page.locator("#set-seed").fill(seed)
    page.locator("#start").click()
    expect(page.locator("#setup")).to_be_hidden()


def wait_for_turn(page: Any) -> bool:
    """Waits until the person is to move; returns False if the game is over."""
    expect(page.locator(".legal rect").or_(page.locator("#status .main")).first).to_be_visible()
    return bool(page.locator("#status .main").count() == 0)


def game_of(seed: int, *by: str, tiles: str = "small", most: int | None = None) -> SavedGame:
    """A game of Ann and Ben with so many actions at most."""
    setup = Setup(2, 3 if tiles == "small" else 7, tiles)
    actions = [ply.action for ply in play_game(setup, by, seed).plies]
    return SavedGame.of(setup, ["Ann", "Ben"], actions[:most], seed)


@pytest.fixture(scope="module")
def game():
    """A finished game of two players who lose points."""
    return game_of(3, "random", "random")


@pytest.fixture
def saved(game, tmp_path):
    """Its file."""
    game.save(tmp_path / "game.json")
    return tmp_path / "game.json"


@pytest.fixture
def unfinished(tmp_path):
    """The file of a game with all tiles after 33 moves."""
    game_of(4, "greedy", "random", tiles="base", most=66).save(tmp_path / "unfinished.json")
    return tmp_path / "unfinished.json"


def open_file(page: Any, file: Any) -> None:
    expect(page.locator("#setup")).to_be_visible()
    page.locator("#file").set_input_files(file)
