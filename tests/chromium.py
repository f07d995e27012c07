"""Pages in a real browser: Chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="the tests of the page need playwright"
)

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
if CHROMIUM is None:
    pytest.skip("the tests of the page need chromium", allow_module_level=True)

expect = sync_api.expect
expect.set_options(timeout=15_000)
PHONE, SIDEWAYS = {"width": 390, "height": 844}, {"width": 844, "height": 390}


def serving(games: Path, *command: str) -> tuple[subprocess.Popen[str], str]:
    """A server in a process that keeps its games in a folder, and its address."""
    program = [sys.executable, "-W", "error", "-m", *command, "--no-browser"]
    folders = dict.fromkeys(("AGENTS_GAMES", "CARCASSONNE_GAMES"), str(games))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(program, text=True, env={**os.environ, **folders}, **pipes)
    assert process.stdout is not None
    return process, process.stdout.readline().split()[1]


@contextmanager
def served(games: Path, *command: str) -> Iterator[str]:
    """The address of a server that must complain of nothing until its end."""
    process, address = serving(games, *command)
    with process:
        try:
            yield address
        finally:
            process.terminate()
        assert process.stderr is not None
        assert process.stderr.read() == ""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    made = browser.new_context(viewport={"width": 1280, "height": 800})
    made.set_default_timeout(15_000)
    yield made
    made.close()


def opened(context: Any, address: str) -> Iterator[Any]:
    """A page, which must report no error until it is closed."""
    page, faults = context.new_page(), []
    page.on("console", lambda message: faults.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(address)
    yield page
    assert faults == []


@pytest.fixture
def page(context: Any, address: str) -> Iterator[Any]:
    """The page of the server at the module's address."""
    yield from opened(context, address)


@pytest.fixture
def phone(browser: Any, address: str) -> Iterator[Any]:
    """The same on a phone."""
    context = browser.new_context(
        viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    yield from opened(context, address)
    context.close()


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe-core from npm."""
    folder = tmp_path_factory.mktemp("axe")
    if (npm := shutil.which("npm")) is None:
        pytest.skip("the test of accessibility needs npm to fetch axe-core")
    done = subprocess.run([npm, "pack", "axe-core"], cwd=folder, capture_output=True, timeout=60)
    if done.returncode:
        pytest.skip("npm could not fetch axe-core")
    with tarfile.open(next(folder.glob("axe-core-*.tgz"))) as archive:
        archive.extract("package/axe.min.js", folder)
    return Path(folder / "package/axe.min.js").read_text(encoding="utf-8")


def serious_faults(page: Any, axe: str) -> list[str]:
    """What axe-core calls serious or critical, with an element that shows it."""
    page.evaluate(axe)
    violations = page.evaluate("axe.run().then((result) => result.violations)")
    return [
        f"{fault['id']}: {fault['nodes'][0]['html']}"
        for fault in violations
        if fault["impact"] in ("serious", "critical")
    ]
