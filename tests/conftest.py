"""Fixtures shared by the tests; the options that run slow tests and rewrite the golden files."""

from __future__ import annotations

import gc
import os
import re
import signal
import warnings
from collections.abc import Generator
from pathlib import Path

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")  # others work beside a test, and networks are small
DATA = Path(__file__).parent / "data"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the slow tests, too")
    parser.addoption(
        "--regenerate", action="store_true", help="rewrite the golden files in tests/data"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Looks for no garbage while tests are collected, and never in what is there by then."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the slow tests, unless --slow is given or a test is asked for by its name."""
    if config.getoption("slow") or any("::" in argument for argument in config.args):
        return
    slow = [item for item in items if is_slow(item)]
    items[:] = [item for item in items if item not in slow]
    check_spared(slow, items)
    config.hook.pytest_deselected(items=slow)


def check_spared(slow: list[pytest.Item], others: list[pytest.Item]) -> None:
    """Each ``slow(keep=...)`` spares a case of its test."""
    spared = {item.nodeid.partition("[")[0] for item in others}
    for item in slow:
        test = item.nodeid.partition("[")[0]
        if "keep" in item.get_closest_marker("slow").kwargs and test not in spared:
            raise LookupError(f"slow(keep=...) spares no case of {test}")


def is_slow(item: pytest.Item) -> bool:
    """Whether the test is marked slow; ``slow(keep=...)`` spares the cases whose id matches."""
    mark = item.get_closest_marker("slow")
    if mark is None:
        return False
    case = item.name.partition("[")[2].removesuffix("]")
    return "keep" not in mark.kwargs or not re.search(mark.kwargs["keep"], case)


@pytest.fixture
def golden(request):
    """``golden(name, text)``: the text is that of the file, or becomes it with --regenerate."""

    def check(name, text):
        path = DATA / name
        if request.config.getoption("regenerate"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert text == path.read_text(encoding="utf-8")

    return check


@pytest.fixture
def interrupt_after():
    """``interrupt_after(seconds)``: a signal then raises KeyboardInterrupt, as Ctrl-C does."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("needs a timer that sends signals")
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def screen(monkeypatch):
    """Pygame without a display; windows do not wait."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pygame's own imports
        import pygame
    monkeypatch.setattr(pygame.time, "wait", lambda milliseconds: None)
    return pygame
