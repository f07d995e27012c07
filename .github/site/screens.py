"""Pictures of the pages for the documentation: ``python .github/site/screens.py examples/gallery``.

Needs the extras ``web`` and ``render``, Playwright, and Chromium on the path.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from agents.game import play_game
from agents.games import make as make_game
from agents.playing.game_file import PlayedGame
from carcassonne_env.game_setup import Setup
from carcassonne_env.replaying import SavedGame

THINKER = "mcts(c=0.2, time_limit=60)"
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "color_scheme": "dark",
}


@contextmanager
def page_of(*command: str, **options: Any) -> Iterator[Any]:
    """The page that a command serves, in a browser with these options."""
    with tempfile.TemporaryDirectory() as games, sync_playwright() as playwright:
        folders = dict.fromkeys(("AGENTS_GAMES", "CARCASSONNE_GAMES"), games)
        program = [sys.executable, "-m", *command, "--no-browser"]
        pipe, environment = subprocess.PIPE, {**os.environ, **folders}
        server = subprocess.Popen(program, text=True, env=environment, stdout=pipe)
        assert server.stdout is not None
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            page = browser.new_page(locale="en", **options)
            page.goto(server.stdout.readline().split()[1])
            yield page
        finally:
            browser.close()
            server.terminate()
            server.wait()


def open_game(page: Any, game: PlayedGame | SavedGame) -> None:
    """Goes on with a game, which the page takes as a file."""
    file = {"name": "game.json", "mimeType": "application/json", "buffer": game.to_json().encode()}
    page.locator("#setup").wait_for()
    page.locator("#file").set_input_files(file)
    page.locator("#setup").wait_for(state="hidden")


def shoot(page: Any, path: Path) -> None:
    """Writes what the page shows as a small PNG."""
    with Image.open(io.BytesIO(page.screenshot())) as image:
        image.convert("RGB").quantize().save(path, optimize=True)


def carcassonne(path: Path, num_plies: int, seed: int, **options: Any) -> None:
    """A planner that thinks about its move."""
    setup = Setup(num_players=2)
    plies = play_game(setup, ["greedy", "greedy"], seed=seed).plies[:num_plies]
    actions = [ply.action for ply in plies]
    with page_of("carcassonne_env", "web", **options) as page:
        open_game(page, SavedGame.of(setup, ["you", THINKER], actions, seed=seed))
        page.wait_for_timeout(3000)
        if options == DESKTOP:
            page.locator("#tab-analysis").click()
            page.locator("#thought").evaluate("shown => shown.scrollIntoView({ block: 'end' })")
        shoot(page, path)


def reversi(path: Path) -> None:
    """A hint."""
    model, actions = make_game("reversi"), []
    for words in ("d3", "c3"):
        named = {model.action_to_string(action): action for action in model.legal_actions()}
        actions.append(int(named[words]))
        model.apply_action(named[words])
    with page_of("agents", "web", "reversi", **DESKTOP) as page:
        open_game(page, PlayedGame("reversi", 0, ["you", "casual"], actions))
        page.locator("#hint").click()
        page.get_by_text("Hint: ").wait_for()
        shoot(page, path)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    carcassonne(folder / "web_search.png", 18, seed=1, **DESKTOP)
    carcassonne(folder / "web_phone.png", 14, seed=2, **PHONE)
    reversi(folder / "web_reversi.png")
