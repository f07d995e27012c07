"""The page of Carcassonne in a browser: games, and what the tests do with them."""

from __future__ import annotations

from typing import Any

import pytest

import chromium
from agents.game import play_game
from carcassonne_env.game_setup import Setup
from carcassonne_env.replaying import SavedGame
from chromium import expect

COMMAND = ("carcassonne_env", "web")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with chromium.served(tmp_path_factory.mktemp("games"), *COMMAND) as address:
        yield address


def start(page: Any, *players: str, tiles: str = "small", seed: str = "1") -> None:
    """Starts a game in the dialog, and waits until the person is to move."""
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
    assert wait_for_turn(page)


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


def resume(page: Any, file: Any) -> None:
    """Opens the game of a file in which a person is to move."""
    open_file(page, file)
    assert wait_for_turn(page)


def look_back(page: Any, file: Any) -> None:
    """Opens the finished game of a file, and closes the result."""
    open_file(page, file)
    page.locator("#ending-close").click()


def analyse(page: Any, file: Any) -> None:
    """Opens the finished game of a file, and has its 23 moves analysed by the level expert."""
    open_file(page, file)
    page.locator("#ending-analyse").click()
    expect(page.locator("#analysed")).to_contain_text("23 of 23 moves")
    expect(page.locator("#worst button").first).to_be_attached()


def play_first(page: Any) -> None:
    """Plays the tile at the first place where it fits, without a meeple."""
    page.locator(".legal rect").first.click()
    page.locator("#play").click()


def num_tiles(page: Any) -> int:
    return int(page.locator(".tiles use").count())


def corner(page: Any) -> dict[str, float]:
    """A corner of the tile to place that no ring covers, in pixels from its upper left one."""
    found: dict[str, float] = page.locator(".ghost .placed").evaluate(
        """tile => {
            const {x, y, width, height} = tile.getBoundingClientRect();
            const corners = [[4, 4], [width - 4, 4], [4, height - 4], [width - 4, height - 4]];
            const [dx, dy] = corners.find(
                ([dx, dy]) => document.elementFromPoint(x + dx, y + dy) === tile);
            return {x: dx, y: dy};
        }"""
    )
    return found


def play_by_mouse(page: Any) -> None:
    """Places the tile, turns it, places a meeple, and plays."""
    before = num_tiles(page)
    page.locator(".legal rect").last.click()
    expect(page.locator(".ghost .placed")).to_be_visible()
    page.locator(".ghost .placed").click(position=corner(page))
    if (spots := page.locator(".spot")).count():
        spots.last.locator("circle").click(force=True)
    page.locator("#play").click()
    expect(page.locator(".tiles use")).not_to_have_count(before)


def rings(page: Any) -> list[tuple[float, float, float]]:
    """The centre and the diameter of what a finger meets of each ring on the tile, in pixels."""
    boxes = [ring.bounding_box() for ring in page.locator(".spot rect").all()]
    return [(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2, b["width"]) for b in boxes]


def scale(page: Any) -> float:
    """Pixels a tile."""
    return 100 * float(page.locator("#board").evaluate("board => board.getScreenCTM().a"))
