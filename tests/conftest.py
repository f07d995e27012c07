"""Fixtures shared by the tests, and the option that rewrites the golden files."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--regenerate", action="store_true", help="rewrite the golden files in tests/data"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """``golden(name, text)``: the text is that of the file, or becomes it with --regenerate."""

    def check(name: str, text: str) -> None:
        path = DATA / name
        if request.config.getoption("regenerate"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert text == path.read_text(encoding="utf-8")

    return check


@pytest.fixture
def interrupt_after() -> Iterator[Callable[[float], None]]:
    """``interrupt_after(seconds)``: a signal then raises KeyboardInterrupt, as Ctrl-C does."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("needs a timer that sends signals")
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
